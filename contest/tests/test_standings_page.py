"""The standings page: one rendering for all, the own row marked, names harmless, the freeze kept."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone

from contest.models import Contest, Participation, Record, User
from contest.services.records import submit
from contest.services.registration import register
from contest.services.standings import touch_standings
from contest.tests.people import entered

pytestmark = pytest.mark.django_db
PATH = "/contests/cup/standings/"


def judged(contest: Contest, user: User, verdict: str, **fields: Any) -> Record:
    record = submit(contest.problems.get(label="A"), user, language="python", source="print(3)")
    Record.objects.filter(pk=record.pk).update(status="final", verdict=verdict, **fields)
    with transaction.atomic():
        touch_standings(contest)
    return record


def table(user: User | None) -> str:
    answer = entered(user).get(f"{PATH}?part=table")
    assert answer.status_code == 200
    return str(answer.content.decode())


def row_of(html: str, user: User) -> str:
    found = re.search(rf'<tr data-contestant="{user.pk}".*?</tr>', html, re.DOTALL)
    assert found, f"{user} is not in the table"
    return found[0]


def test_the_own_row_is_marked_and_nobody_elses(contest: Contest, alice: User, bob: User) -> None:
    marked = {user.username: row_of(table(alice), user).count("aria-current") for user in (alice, bob)}
    assert marked == {"alice": 1, "bob": 0}
    assert "aria-current" not in table(None)


def test_the_table_is_rendered_once_for_all_viewers(
    contest: Contest, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []

    def render(name: str, context: dict[str, Any]) -> str:
        if name == "contests/standings_table.html":
            rendered.append(name)
        return render_to_string(name, context)

    monkeypatch.setattr("contest.views.standings.render_to_string", render)
    for viewer in (alice, bob, None, alice):
        table(viewer)
    assert rendered == ["contests/standings_table.html"]
    judged(contest, alice, "AC")
    table(bob)
    assert len(rendered) == 2, "a new outcome did not reach the table"


def test_icpc_cells_say_attempts_and_minute_and_who_was_first(contest: Contest, alice: User, bob: User) -> None:
    judged(contest, bob, "WA")
    judged(contest, bob, "AC")
    judged(contest, alice, "WA")
    html = table(None)
    assert re.search(r'data-mark="first"><span class="top">\+1</span><span class="under">60</span>', row_of(html, bob))
    assert re.search(r'data-mark="failed"><span class="top">−1</span>', row_of(html, alice))
    assert html.index(f'data-contestant="{bob.pk}"') < html.index(f'data-contestant="{alice.pk}"')


def test_ioi_cells_say_points(contest: Contest, alice: User, bob: User) -> None:
    contest.scoring = "ioi"
    contest.save()
    judged(contest, bob, "WA", score=30.5, group_scores={"1": 30.5, "2": 0})
    judged(contest, bob, "WA", score=40, group_scores={"1": 0, "2": 40})
    judged(contest, alice, "AC", score=100)
    html = table(None)
    assert '<td class="number strong">70.5</td>' in row_of(html, bob)
    assert 'data-mark="partial"><span class="top">70.5</span>' in row_of(html, bob)
    assert 'data-mark="solved"><span class="top">100</span>' in row_of(html, alice)


def test_a_frozen_board_is_frozen_for_contestants_and_strangers_and_not_for_the_jury(
    contest: Contest, alice: User, grace: User
) -> None:
    contest.freeze_at = timezone.now() - timedelta(minutes=1)
    contest.save()
    judged(contest, alice, "AC")
    for viewer in (alice, None):
        assert 'data-mark="pending"><span class="top">?1</span>' in row_of(table(viewer), alice)
        assert "Frozen since" in entered(viewer).get(PATH).content.decode()
    assert 'data-mark="first"' in row_of(table(grace), alice)


def test_before_the_freeze_the_page_says_when_it_will_come_and_the_part_for_open_pages_says_it_too(
    contest: Contest, alice: User
) -> None:
    contest.freeze_at = timezone.now() + timedelta(hours=1)
    contest.save()
    judged(contest, alice, "AC")
    for address in (PATH, f"{PATH}?part=table"):
        html = entered(alice).get(address).content.decode()
        assert "until the standings freeze at" in html
        assert "Frozen since" not in html
        assert 'data-mark="first"' in row_of(html, alice), "what came before the freeze is shown"


def test_the_page_as_the_server_makes_it_says_when_that_was_and_not_that_it_is_live(
    contest: Contest, alice: User
) -> None:
    for viewer in (alice, None):
        for address in (PATH, f"{PATH}?part=table"):
            html = entered(viewer).get(address).content.decode()
            assert re.search(r'<span id="standings-age">As of <time [^>]*>\d\d:\d\d:\d\d</time>\.</span>', html)
            assert '<span id="standings-live" hidden>' in html


def test_letters_of_problems_lead_to_them_only_for_those_who_may_open_them(
    contest: Contest, alice: User, mallory: User
) -> None:
    address = "/contests/cup/problems/A/"
    for viewer, opens in ((alice, True), (mallory, False), (None, False)):
        assert (entered(viewer).get(address).status_code == 200) is opens, "the premise"
        html = table(viewer)
        assert (f'href="{address}"' in html) is opens
        assert "<a " not in html or opens
        assert re.search(r'<th scope="col" class="cell">(<a [^>]*>)?A', html)


def test_an_attempt_that_waits_for_the_judge_is_on_the_board_at_once(contest: Contest, alice: User) -> None:
    assert "?1" not in row_of(table(alice), alice)
    submit(contest.problems.get(label="A"), alice, language="python", source="print(3)")
    assert '<span class="top">?1</span>' in row_of(table(alice), alice)


def test_a_name_is_text_whatever_it_contains(contest: Contest, alice: User) -> None:
    alice.display_name = '<script>alert(1)</script>" onmouseover="x'
    alice.save()
    html = table(alice)
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert 'onmouseover="x' not in html


def test_who_registers_is_on_the_board_at_once(contest: Contest, alice: User, mallory: User) -> None:
    assert f'data-contestant="{mallory.pk}"' not in table(None)
    register(contest, mallory)
    assert f'data-contestant="{mallory.pk}"' in table(None)


def test_without_contestants_the_page_says_so(contest: Contest) -> None:
    Participation.objects.all().delete()
    assert "Nobody is registered yet." in table(None)
