"""Own time on pages: for the contestant, for the jury, and extra time for what the site cost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client as Browser

from contest import ports
from contest.models import AuditEntry, Contest, Participation, User
from contest.rules.own_time import Gap, OwnTime, Reason, Stretch
from contest.rules.phases import milliseconds
from contest.services.compensation import Offer, compensate
from contest.services.errors import Refused

HTML = {"Accept": "text/html,application/xhtml+xml"}
LOST_MS = 95_400


@pytest.fixture
def times(contest: Contest) -> Iterator[dict[int, OwnTime]]:
    """What the delivery layer would say, by participation; of others nothing."""
    told: dict[int, OwnTime] = {}
    before = ports._own_times_reader
    ports.provide_own_times(lambda _, rows: {row.pk: told.get(row.pk, OwnTime()) for row in rows})
    yield told
    assert before is not None
    ports.provide_own_times(before)


@pytest.fixture
def cut_off(contest: Contest, alice: User, times: dict[int, OwnTime]) -> Participation:
    """Alice worked for ten minutes, hid the page for five, and then a node was down for a minute and a half."""
    participation = contest.participations.get(user=alice)
    start = milliseconds(contest.starts_at)
    hidden = Gap(start + 600_000, start + 900_000, Reason.HIDDEN)
    down = (start + 1_200_000, start + 1_200_000 + LOST_MS)
    times[participation.pk] = OwnTime(
        accumulated_ms=895_000,
        stretches=(Stretch(start, start + 600_000, 595_000), Stretch(start + 900_000, down[0], 300_000)),
        gaps=(hidden, Gap(*down, Reason.NODE, (down,))),
        by_site_ms=LOST_MS,
    )
    return participation


def browser_of(user: User) -> Browser:
    browser = Browser()
    browser.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return browser


def test_scripts_get_json_and_browsers_a_page(contest: Contest, alice: User, cut_off: Participation) -> None:
    browser = browser_of(alice)
    told = browser.get("/contests/cup/time/")
    assert told["Content-Type"] == "application/json"
    assert "Accept" in told["Vary"]
    data = told.json()
    assert (data["accumulated_ms"], data["contest"]["slug"]) == (895_000, "cup")
    assert [gap["reason"] for gap in data["gaps"]] == ["hidden", "node"]
    assert (data["by_site_ms"], data["owed_ms"]) == (LOST_MS, 96_000)
    page = browser.get("/contests/cup/time/", headers=HTML).content.decode()
    assert "A server of this site was down." in page
    assert "No page of the contest was in front." in page
    assert "0:14:55 counted" in page
    assert browser.get("/contests/cup/time/?format=json", headers=HTML).json()["accumulated_ms"] == 895_000


def test_whoever_takes_no_part_has_no_time(contest: Contest, mallory: User) -> None:
    browser = browser_of(mallory)
    assert browser.get("/contests/cup/time/").json()["accumulated_ms"] == 0
    assert "You do not take part" in browser.get("/contests/cup/time/", headers=HTML).content.decode()


def test_the_jury_sees_everybody_and_a_contestant_nobody_else(
    contest: Contest, alice: User, bob: User, grace: User, cut_off: Participation
) -> None:
    jury = browser_of(grace)
    page = jury.get("/staff/contests/cup/time/", headers=HTML).content.decode()
    assert f'value="{cut_off.pk}:96:0"' in page
    assert 'data-user="bob" data-accumulated-ms="0" data-owed-s="0"' in page
    people = {each["user"]: each for each in jury.get("/staff/contests/cup/time/").json()["contestants"]}
    assert (people["alice"]["owed_ms"], people["bob"]["owed_ms"]) == (96_000, 0)
    own = f"/staff/contests/cup/time/{alice.pk}/"
    assert "A server of this site was down." in jury.get(own, headers=HTML).content.decode()
    assert browser_of(bob).get("/staff/contests/cup/time/").status_code == 403
    assert browser_of(alice).get(own).status_code == 403
    assert jury.get("/staff/contests/cup/time/999999/").status_code == 404


def test_what_the_site_owes_is_given_once_with_a_reason(
    contest: Contest, alice: User, grace: User, cut_off: Participation
) -> None:
    jury = browser_of(grace)
    form = {"offer": [f"{cut_off.pk}:96:0"], "reason": "n1 was down."}
    for _ in range(2):
        assert jury.post("/staff/contests/cup/time/grant/", form).status_code == 303
    cut_off.refresh_from_db()
    assert (cut_off.extra_time_s, cut_off.site_time_s) == (96, 96)
    entry = AuditEntry.objects.get(contest=contest, action=AuditEntry.Action.EXTRA_TIME)
    assert (entry.subject, entry.by, entry.reason) == (alice, grace, "n1 was down.")
    assert "Lost by this site</h2>" not in jury.get("/staff/contests/cup/time/", headers=HTML).content.decode()


def test_an_offer_that_is_not_true_gives_nothing(
    contest: Contest, bob: User, grace: User, alice: User, cut_off: Participation
) -> None:
    his = contest.participations.get(user=bob)
    offers = [Offer(cut_off.pk, 97, 0), Offer(cut_off.pk, 96, 5), Offer(his.pk, 60, 0), Offer(987_654, 60, 0)]
    assert compensate(contest, grace, offers, "It seems fair.") == 0
    with pytest.raises(Refused):
        compensate(contest, bob, [Offer(cut_off.pk, 96, 0)], "I want it.")
    jury = browser_of(grace)
    for strange in ("", "1", "a:b:c", "1:2:3:4", f"{cut_off.pk}:-96:0", f"{cut_off.pk}:{'9' * 30}:0"):
        jury.post("/staff/contests/cup/time/grant/", {"offer": [strange], "reason": "Why not."})
    assert not Participation.objects.filter(extra_time_s__gt=0).exists()


def test_one_refusal_gives_nobody_anything(
    contest: Contest, alice: User, bob: User, grace: User, cut_off: Participation, times: dict[int, OwnTime]
) -> None:
    his = contest.participations.get(user=bob)
    times[his.pk] = OwnTime(by_site_ms=60_000)
    contest.participations.filter(user=bob).update(state=Participation.State.BANNED)
    with pytest.raises(Refused):
        compensate(contest, grace, [Offer(cut_off.pk, 96, 0), Offer(his.pk, 60, 0)], "Down.")
    cut_off.refresh_from_db()
    assert (cut_off.extra_time_s, cut_off.site_time_s) == (0, 0)
