"""Bytes of problem packages, served so that a browser cannot take them for a page of the site."""

from __future__ import annotations

from pathlib import PurePosixPath

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.http import content_disposition_header

from contest.models import Blob

IMAGE_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
}
LOCKED_UP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
"""For the file itself, opened at its own address: an SVG may carry scripts, and none may run here."""

IN_OWN_PAGES = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'"
"""For PDF, which the browser's own viewer shows inside the problem's page; that viewer dies in a sandbox."""

KEPT_S = 300


def find_blob(digest: str) -> Blob:
    blob = Blob.objects.filter(pk=digest).first()
    if blob is None:
        raise Http404("This file is not there any more.")
    return blob


def image_response(request: HttpRequest, digest: str, name: str) -> HttpResponse:
    content_type = IMAGE_TYPES.get(PurePosixPath(name).suffix.lower())
    if content_type is None:
        raise Http404("This file is not an image that the site shows.")
    return blob_response(request, find_blob(digest), content_type, PurePosixPath(name).name)


def blob_response(
    request: HttpRequest, blob: Blob, content_type: str, name: str, *, download: bool = False
) -> HttpResponse:
    """The blob under its hash as entity tag. Rights were checked by the caller, so no shared cache may keep it."""
    etag = f'"{blob.sha256}"'
    if request.headers.get("If-None-Match") == etag:
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = HttpResponse(bytes(blob.data), content_type=content_type)
        response["Content-Disposition"] = content_disposition_header(download, name) or "inline"
    response["ETag"] = etag
    response["Cache-Control"] = f"private, max-age={KEPT_S}"
    is_pdf = content_type == "application/pdf"
    response["Content-Security-Policy"] = IN_OWN_PAGES if is_pdf else LOCKED_UP
    response["X-Frame-Options"] = "SAMEORIGIN" if is_pdf else "DENY"
    return response
