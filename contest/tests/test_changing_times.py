"""Extending, shifting and ending a contest, and extra time for one contestant: audited, told, and refused in words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from contest import events
from contest.access import rights_in
from contest.models import Contest, Participation, User
from contest.rules.phases import Phase
from contest.services.errors import Refused
from contest.services.records import submit
from contest.services.registration import ban
from contest.services.schedule import archive, end_now, extend, grant_extra_time, shift

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def history(contest: Contest) -> list[str]:
    return list(contest.audit.order_by("pk").values_list("words", flat=True))


def set_times(contest: Contest, *, start_min: int, end_min: int, freeze_min: int | None = None) -> None:
    """In minutes from now."""
    now = timezone.now()
    contest.starts_at, contest.ends_at = now + start_min * MINUTE, now + end_min * MINUTE
    contest.freeze_at = None if freeze_min is None else now + freeze_min * MINUTE
    contest.save()


def own(contest: Contest, user: User) -> Participation:
    return contest.participations.get(user=user)


def test_an_extension_moves_the_end_and_a_freeze_to_come_and_tells_everybody(
    contest: Contest, grace: User, told: list[events.Event]
) -> None:
    set_times(contest, start_min=-60, end_min=60, freeze_min=30)
    changed = extend(contest, grace, 15, "power cut")
    assert contest.freeze_at is not None
    assert (changed.ends_at - contest.ends_at, changed.freeze_at) == (15 * MINUTE, contest.freeze_at + 15 * MINUTE)
    assert [type(event).__name__ for event in told] == ["ContestChanged", "StandingsChanged"]
    entry = contest.audit.get()
    assert entry.words.startswith("Extended the contest by 15 minutes, to ")
    assert (entry.by, entry.reason) == (grace, "power cut")


def test_a_freeze_that_has_come_stays_where_it_is(contest: Contest, grace: User) -> None:
    set_times(contest, start_min=-60, end_min=60, freeze_min=-5)
    assert extend(contest, grace, 15).freeze_at == contest.freeze_at


def test_a_contest_that_is_over_runs_again_if_the_new_end_is_to_come(contest: Contest, grace: User) -> None:
    set_times(contest, start_min=-60, end_min=-10)
    with pytest.raises(Refused, match="over already"):
        extend(contest, grace, 10)
    extend(contest, grace, 15)
    contest.refresh_from_db()
    assert rights_in(contest, grace).phase is Phase.RUNNING
    end_now(contest, grace)
    archive(contest, grace)
    with pytest.raises(Refused, match="closed for good"):
        extend(contest, grace, 15)


@pytest.mark.parametrize("minutes", [0, 10_001, -10_001])
def test_a_number_of_minutes_that_makes_no_sense_is_refused(contest: Contest, grace: User, minutes: int) -> None:
    with pytest.raises(Refused, match="minutes"):
        extend(contest, grace, minutes)
    assert history(contest) == []


def test_the_whole_contest_is_shifted_before_its_start_only(contest: Contest, grace: User) -> None:
    set_times(contest, start_min=10, end_min=70, freeze_min=40)
    changed = shift(contest, grace, 20)
    moved = (changed.starts_at - contest.starts_at, changed.ends_at - contest.ends_at)
    assert moved == (20 * MINUTE, 20 * MINUTE)
    assert contest.freeze_at is not None
    assert changed.freeze_at == contest.freeze_at + 20 * MINUTE
    shift(contest, grace, -30)
    with pytest.raises(Refused, match="has begun"):
        shift(contest, grace, 20)
    assert [words.partition(":")[0] for words in history(contest)] == [
        "Moved the whole contest to 20 minutes later",
        "Moved the whole contest to 30 minutes earlier",
    ]


def test_ending_now_ends_once_and_a_freeze_to_come_comes_with_it(contest: Contest, grace: User, alice: User) -> None:
    set_times(contest, start_min=-60, end_min=60, freeze_min=30)
    ended = end_now(contest, grace, "fire alarm")
    assert end_now(contest, grace).version == ended.version
    assert ended.freeze_at == ended.ends_at <= timezone.now()
    assert rights_in(ended, alice).phase is Phase.ENDED
    assert len(history(contest)) == 1
    set_times(contest, start_min=10, end_min=60)
    with pytest.raises(Refused, match="not begun"):
        end_now(contest, grace)


def test_extra_time_is_one_contestants_alone_and_told_to_nobody_else(
    contest: Contest, grace: User, alice: User, bob: User, told: list[events.Event]
) -> None:
    granted = grant_extra_time(own(contest, alice), grace, 600, "node n1 was down")
    assert told == [events.ExtraTimeChanged(granted)]
    assert (granted.extra_time_s, granted.version) == (600, 2)
    later = contest.ends_at + 5 * MINUTE
    assert [rights_in(contest, user, later).may_submit for user in (alice, bob)] == [True, False]
    grant_extra_time(own(contest, alice), grace, -300, "five were meant")
    assert own(contest, alice).extra_time_s == 300
    assert history(contest) == [
        "Gave alice 10 minutes of extra time; 10 minutes in all.",
        "Took 5 minutes of extra time back from alice; 5 minutes in all.",
    ]
    assert contest.audit.filter(subject=alice).count() == 2


def test_extra_time_after_the_end_lets_one_compete_again_and_all_others_are_asked_again(
    contest: Contest, grace: User, alice: User, bob: User, told: list[events.Event]
) -> None:
    problem = contest.problems.get()
    set_times(contest, start_min=-60, end_min=-5)
    with pytest.raises(Refused, match="over for them"):
        grant_extra_time(own(contest, alice), grace, 240, "too short")
    grant_extra_time(own(contest, alice), grace, 900, "power cut")
    assert [type(event).__name__ for event in told] == ["ExtraTimeChanged", "ContestChanged", "StandingsChanged"]
    problem.refresh_from_db()
    submit(problem, alice, language="c", source="x")
    with pytest.raises(Refused, match="over"):
        submit(problem, bob, language="c", source="x")
    assert not rights_in(contest, bob).sees_all_records


@pytest.mark.parametrize(
    ("seconds", "reason", "words"),
    [(0, "r", "how much"), (-1, "r", "no more than that"), (86_401, "r", "24 hours"), (60, "  ", "reason is empty")],
)
def test_extra_time_that_makes_no_sense_is_refused(
    contest: Contest, grace: User, alice: User, seconds: int, reason: str, words: str
) -> None:
    with pytest.raises(Refused, match=words):
        grant_extra_time(own(contest, alice), grace, seconds, reason)
    assert (own(contest, alice).extra_time_s, history(contest)) == (0, [])


def test_the_excluded_get_no_extra_time(contest: Contest, grace: User, alice: User) -> None:
    ban(contest, alice, grace)
    with pytest.raises(Refused, match="registered"):
        grant_extra_time(own(contest, alice), grace, 60, "r")


@pytest.mark.parametrize("change", [extend, shift])
def test_contestants_move_no_times(contest: Contest, alice: User, change: Callable[[Contest, User, int], None]) -> None:
    with pytest.raises(Refused) as refused:
        change(contest, alice, 5)
    assert refused.value.code == "forbidden"
    for action in (lambda: end_now(contest, alice), lambda: grant_extra_time(own(contest, alice), alice, 60, "r")):
        with pytest.raises(Refused):
            action()
    assert history(contest) == []
