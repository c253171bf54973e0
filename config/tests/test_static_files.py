"""Static files are served under names that carry their content's hash, and so are all imports of bundles."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from channels.testing import HttpCommunicator
from django.conf import settings as configured
from django.core.management import call_command
from pytest_django import Settings

from config.staticfiles import with_static_files

ROOT = Path(configured.BASE_DIR)
HASHED = re.compile(r"\.[0-9a-f]{12}\.(js|css|svg|woff2)$")
IMPORT = re.compile(r"""(?:from|import)\s*["'](\.[^"']+)["']""")


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: object) -> Path:
    """What `collectstatic` makes of the site's own files."""
    from django.test import override_settings

    target = tmp_path_factory.mktemp("static")
    storages = {**configured.STORAGES, "staticfiles": {"BACKEND": "config.staticfiles.HashedStaticFiles"}}
    with override_settings(STATIC_ROOT=target, STORAGES=storages):
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["admin"])
    return target


def test_no_import_between_bundles_is_left_without_its_hash(collected: Path) -> None:
    bundles = [path for path in collected.glob("bundles/*.js") if HASHED.search(path.name)]
    pages = {path.stem for path in (ROOT / "static" / "js" / "pages").glob("*.js")}
    assert pages <= {path.name.partition(".")[0] for path in bundles}, "no bundle of a page; make them with: make setup"
    imports = [(path, name) for path in bundles for name in IMPORT.findall(path.read_text())]
    assert len(imports) > len(pages), "the imports were not found"
    assert [(path.name, name) for path, name in imports if not HASHED.search(name)] == []
    for path, name in imports:
        assert (path.parent / name).exists(), f"{path.name} imports {name}, which is not there"


def test_a_debugger_finds_the_sources_of_a_bundle(collected: Path) -> None:
    (bundle,) = [path for path in collected.glob("bundles/problem.*.js") if HASHED.search(path.name)]
    (name,) = re.findall(r"^//# sourceMappingURL=(.+)$", bundle.read_text(), re.M)
    sources = json.loads((bundle.parent / name).read_text())["sources"]
    assert "../js/pages/problem.js" in sources
    assert [source for source in sources if not (bundle.parent / source).exists()] == []


async def test_a_collected_file_is_answered_before_django_to_be_kept_for_ever_and_all_else_goes_on(
    collected: Path, settings: Settings
) -> None:
    settings.STATIC_ROOT = collected
    asked: list[str] = []

    async def pages(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["path"])
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    site = with_static_files(pages)

    async def get(path: str) -> dict[str, Any]:
        answer: dict[str, Any] = await HttpCommunicator(site, "GET", path).get_response()  # type: ignore[no-untyped-call]
        return answer

    name, content = next((path.name, path.read_bytes()) for path in collected.glob("js/ui/badge.*.js"))  # noqa: ASYNC240
    found = await get(f"/static/js/ui/{name}")
    assert (found["status"], found["body"]) == (200, content)
    headers = dict(found["headers"])
    assert b"immutable" in headers[b"cache-control"]
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert asked == []
    for path in ("/static/js/ui/none.js", "/static/../manage.py", "/contests/"):
        assert (await get(path))["status"] == 404
    assert len(asked) == 3


def test_pictures_of_style_sheets_are_hashed_too(collected: Path) -> None:
    (components,) = list(collected.glob("css/components.*.css"))
    pictures = re.findall(r'url\("?([^")]+)"?\)', components.read_text())
    assert len(pictures) >= 8, "the shapes of verdicts are missing"
    assert all(HASHED.search(picture) for picture in pictures)


@pytest.mark.parametrize("path", sorted((ROOT / "templates").rglob("*.html")), ids=lambda path: path.name)
def test_no_template_has_inline_script_or_style(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", text)
    assert not re.search(r"<script(?![^>]*\ssrc=)[^>]*>", text)
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", text), "another host is asked"


def test_no_module_of_ours_writes_html_but_one() -> None:
    writers = [
        path.name
        for path in (ROOT / "static" / "js").rglob("*.js")
        if "tests" not in path.parts
        and re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser", path.read_text())
    ]
    assert writers == ["server_html.js"]
