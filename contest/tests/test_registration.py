"""Registering, leaving and being excluded; that open connections follow, the delivery layer's tests prove."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from contest import events
from contest.access import EXCLUDED, rights_in
from contest.models import Contest, Participation, User
from contest.services.errors import Refused
from contest.services.records import submit
from contest.services.registration import ban, enter, readmit, register, remove, unregister
from contest.services.schedule import archive, change_schedule, show_final_standings
from contest.tests.people import entered

pytestmark = pytest.mark.django_db


def test_registering_twice_is_registering_once(contest: Contest, mallory: User) -> None:
    assert register(contest, mallory) == register(contest, mallory)
    assert rights_in(contest, mallory).may_submit


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"registration_open": False}, "closed"),
        ({"visibility": "private"}, "closed"),
        ({"starts_at": timedelta(hours=-5), "ends_at": timedelta(hours=-1)}, "over"),
    ],
)
def test_registration_that_is_not_open_is_refused(
    contest: Contest, mallory: User, change: dict[str, object], words: str
) -> None:
    for name, value in change.items():
        setattr(contest, name, timezone.now() + value if isinstance(value, timedelta) else value)
    contest.save()
    with pytest.raises(Refused, match=words):
        register(contest, mallory)


def test_the_jury_does_not_take_part(contest: Contest, grace: User) -> None:
    with pytest.raises(Refused, match="jury"):
        register(contest, grace)


def test_leaving_is_possible_before_the_start(contest: Contest, alice: User, bob: User) -> None:
    submit(contest.problems.get(), alice, language="c", source="int main(){}")
    contest.starts_at = timezone.now() + timedelta(hours=1)
    contest.save()
    unregister(contest, bob)
    unregister(contest, bob)
    assert not rights_in(contest, bob).is_registered
    with pytest.raises(Refused, match="submitted"):
        unregister(contest, alice)


@pytest.mark.parametrize("ends_in_h", [4, -0.5])
def test_after_the_start_nobody_erases_their_own_time_by_leaving(
    contest: Contest, alice: User, grace: User, ends_in_h: float
) -> None:
    contest.ends_at = timezone.now() + timedelta(hours=ends_in_h)
    contest.save()
    row = contest.participations.get(user=alice)
    assert not row.records.exists(), "the premise: nothing but the start keeps it"
    with pytest.raises(Refused, match="has begun"):
        unregister(contest, alice)
    assert contest.participations.get(user=alice) == row
    remove(contest, alice, grace, "asked for it")
    assert not contest.participations.filter(user=alice).exists()


def test_a_ban_takes_every_right_and_makes_old_tokens_worthless(contest: Contest, alice: User, grace: User) -> None:
    ban(contest, alice, grace)
    ban(contest, alice, grace)
    rights = rights_in(contest, alice)
    assert (rights.is_banned, rights.may_see_contest, rights.may_submit) == (True, False, False)
    alice.refresh_from_db()
    assert alice.rights_version == 1
    with pytest.raises(Refused, match="excluded"):
        register(contest, alice)
    with pytest.raises(Refused, match="excluded"):
        unregister(contest, alice)
    readmit(contest, alice, grace)
    assert rights_in(contest, alice).may_submit


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_whoever_is_excluded_is_told_so_on_every_page_and_form(
    contest: Contest, alice: User, grace: User, visibility: str
) -> None:
    contest.visibility = visibility
    contest.save()
    record = submit(contest.problems.get(), alice, language="c", source="int main(){}")
    browser = entered(alice)
    paths = ["/contests/cup/", "/contests/cup/problems/A/", record.get_absolute_url()]
    assert [browser.get(path).status_code for path in paths] == [200, 200, 200]
    ban(contest, alice, grace)
    answers = [browser.get(path) for path in paths]
    forms = {"problems/A/submit/": {"language": "c", "source": "int main(){}"}, "clarifications/": {"text": "Why?"}}
    answers += [browser.post(f"/contests/cup/{form}", fields) for form, fields in forms.items()]
    for answer in answers:
        assert answer.status_code == 403
        assert EXCLUDED in answer.content.decode()
    assert contest.records.count() == 1
    readmit(contest, alice, grace)
    assert [browser.get(path).status_code for path in paths] == [200, 200, 200]


def test_who_was_never_registered_can_be_kept_out(contest: Contest, mallory: User, grace: User) -> None:
    assert ban(contest, mallory, grace).state == Participation.State.BANNED
    with pytest.raises(Refused):
        register(contest, mallory)


def test_staff_enter_and_remove_people_whatever_the_registration_says(
    contest: Contest, mallory: User, alice: User, grace: User
) -> None:
    contest.registration_open = False
    contest.save()
    assert enter(contest, mallory, grace) == enter(contest, mallory, grace)
    assert rights_in(contest, mallory).may_submit
    remove(contest, mallory, grace, "entered by mistake")
    remove(contest, mallory, grace)
    assert not rights_in(contest, mallory).is_registered
    submit(contest.problems.get(), alice, language="c", source="int main(){}")
    with pytest.raises(Refused, match="submitted"):
        remove(contest, alice, grace)
    with pytest.raises(Refused, match="jury"):
        enter(contest, grace, grace)


def test_what_staff_did_to_people_is_in_the_history_once_with_the_reason(
    contest: Contest, alice: User, bob: User, grace: User
) -> None:
    ban(contest, alice, grace, "two accounts")
    ban(contest, alice, grace, "two accounts")
    readmit(contest, alice, grace, "a mistake")
    remove(contest, bob, grace)
    entries = contest.audit.order_by("pk").values_list("by__username", "subject__username", "words", "reason")
    assert list(entries) == [
        ("grace", "alice", "Excluded alice.", "two accounts"),
        ("grace", "alice", "Let alice back in.", "a mistake"),
        ("grace", "bob", "Removed bob.", ""),
    ]


def test_contestants_ban_nobody(contest: Contest, alice: User, bob: User) -> None:
    with pytest.raises(Refused) as refused:
        ban(contest, alice, bob)
    assert refused.value.code == "forbidden"


def test_a_changed_schedule_is_told_once_with_a_new_version(
    contest: Contest, grace: User, alice: User, told: list[events.Event]
) -> None:
    times: dict[str, Any] = {
        "starts_at": contest.starts_at,
        "ends_at": contest.ends_at + timedelta(minutes=10),
        "freeze_at": contest.ends_at - timedelta(hours=1),
    }
    changed = change_schedule(contest, grace, **times)
    assert change_schedule(contest, grace, **times).version == changed.version == 2
    assert [type(event).__name__ for event in told] == ["ContestChanged", "StandingsChanged"]
    with pytest.raises(Refused) as refused:
        change_schedule(contest, alice, **times)
    assert refused.value.code == "forbidden"


@pytest.mark.parametrize(
    ("end_h", "freeze_h", "words"), [(-2, None, "end must"), (4, 9, "freeze must"), (4, -3, "freeze")]
)
def test_times_that_contradict_each_other_are_refused(
    contest: Contest, grace: User, end_h: int, freeze_h: int | None, words: str
) -> None:
    now = timezone.now()
    with pytest.raises(Refused, match=words):
        change_schedule(
            contest,
            grace,
            starts_at=contest.starts_at,
            ends_at=now + timedelta(hours=end_h),
            freeze_at=None if freeze_h is None else now + timedelta(hours=freeze_h),
        )


def test_the_freeze_is_lifted_and_the_contest_closed_only_after_its_end(contest: Contest, grace: User) -> None:
    for too_early in (show_final_standings, archive):
        with pytest.raises(Refused, match="over"):
            too_early(contest, grace)
    contest.ends_at = timezone.now()
    contest.save()
    assert show_final_standings(contest, grace).unfrozen_at is not None
    assert archive(contest, grace).archived_at is not None
