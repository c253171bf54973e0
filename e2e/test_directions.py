"""What people write is set in the direction of its own language."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from e2e.harness.pages import Person, open_live, post_notice

HEBREW = "שאלה 3: הקלט השתנה!"
BODY = f"{HEBREW}\n\nThe input has changed (see A).\n\n```\nאב = 1\n```\n\n* Two (2)."


def direction(element: Locator) -> str:
    found: str = element.evaluate("each => getComputedStyle(each).direction")
    return found


def begins_at(element: Locator) -> str:
    """On which side of its element a text of one line stands, all its parts together."""
    side: str = element.evaluate("""each => {
        const range = document.createRange();
        range.selectNodeContents(each);
        const [line, box] = [range.getBoundingClientRect(), each.getBoundingClientRect()];
        return line.left - box.left < box.right - line.right ? "left" : "right";
    }""")
    return side


def test_a_hebrew_notice_is_set_from_right_to_left_in_the_alert_and_in_the_list_and_an_english_one_is_not(
    person: Person,
) -> None:
    alice, grace = person("alice"), person("grace")
    open_live(alice, "/contests/demo/")
    hebrew = post_notice(grace, HEBREW, requires_ack=False, body=BODY)
    english = post_notice(grace, "The input has changed!", requires_ack=False)
    # First as scripts make them, then as the server does.
    for _ in range(2):
        for place in ("alert", "notice"):
            new = alice.locator(f".{place}[data-notice-id='{english}']")
            expect(new.locator(f".{place}-body")).to_have_count(1)
            old = alice.locator(f".{place}[data-notice-id='{hebrew}']")
            for part in (f".{place}-title", f".{place}-body"):
                assert (direction(old.locator(part)), direction(new.locator(part))) == ("rtl", "ltr"), (place, part)
            assert direction(old.locator("pre")) == "ltr"
        body = alice.locator(f".notice[data-notice-id='{hebrew}'] .notice-body")
        assert [begins_at(body.locator("p").nth(number)) for number in (0, 1)] == ["right", "left"]
        assert begins_at(body.locator("li")) == "right", "an item away from its mark"
        open_live(alice, "/contests/demo/")
    form = grace.locator("#notice-form")
    grace.goto("/staff/contests/demo/")
    for name in ("title", "body"):
        form.locator(f"[name={name}]").fill(HEBREW)
        assert direction(form.locator(f"[name={name}]")) == "rtl"
