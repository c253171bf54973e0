"""Screens people have, and what of a page can be reached on them."""

from __future__ import annotations

from playwright.sync_api import Locator, ViewportSize

PHONE: ViewportSize = {"width": 390, "height": 844}
SMALL_PHONE: ViewportSize = {"width": 320, "height": 640}
DESK: ViewportSize = {"width": 1280, "height": 720}
IS_ON_TOP = """button => {
    const { left, top, width, height } = button.getBoundingClientRect();
    return button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}"""


def is_on_top(button: Locator) -> bool:
    """It is in view, and nothing lies over its middle."""
    return bool(button.evaluate(IS_ON_TOP))
