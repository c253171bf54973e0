"""Static files with a content hash in their names, imports between bundles included."""

from typing import Any
from wsgiref.headers import Headers

from django.conf import settings
from servestatic import ServeStaticASGI
from servestatic.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    support_js_module_import_aggregation = True


def with_static_files(application: Any) -> Any:
    """Answers for collected files ahead of `application`.

    As a middleware of Django the same library takes 2.2 ms of processor time for a file instead of 0.8 ms, and at the
    start of a contest everybody asks for all of them.
    """
    return ServeStaticASGI(
        application, root=settings.STATIC_ROOT, prefix=settings.STATIC_URL, add_headers_function=_add_headers
    )


def _add_headers(headers: Headers, path: str, url: str) -> None:
    headers["X-Content-Type-Options"] = "nosniff"
