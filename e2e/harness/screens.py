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

IS_WHOLE = """button => {
    const { left, top, right, bottom } = button.getBoundingClientRect();
    const y = (top + bottom) / 2, x = (left + right) / 2;
    const isFree = ([x, y]) => button.contains(document.elementFromPoint(x, y));
    return [[left + 2, y], [right - 2, y], [x, top + 2], [x, bottom - 2]].every(isFree);
}"""


def is_on_top(button: Locator) -> bool:
    """It is in view, and nothing lies over its middle."""
    return bool(button.evaluate(IS_ON_TOP))


def is_whole(button: Locator) -> bool:
    """All of it is in view, and nothing lies over its edges."""
    return bool(button.evaluate(IS_WHOLE))
