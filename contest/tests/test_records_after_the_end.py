"""When the contest is over, others' records open; not while that helps somebody or tells what the freeze hides."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from contest.access import rights_in
from contest.models import Contest, Participation, Record, User
from contest.selectors.standings import View, view_for
from contest.services.records import submit
from contest.services.schedule import show_final_standings
from contest.tests.people import entered

pytestmark = pytest.mark.django_db
SECRET = "print('how it is done')"


@pytest.fixture
def record(contest: Contest, bob: User) -> Record:
    return submit(contest.problems.get(), bob, language="python", source=SECRET)


def end(contest: Contest, **fields: object) -> None:
    now = timezone.now()
    times = {"starts_at": now - timedelta(hours=3), "ends_at": now - timedelta(minutes=1)}
    Contest.objects.filter(pk=contest.pk).update(**times, **fields)
    contest.refresh_from_db()


def sees(viewer: User | None, record: Record) -> bool:
    """On the record's page and as JSON alike."""
    client = entered(viewer)
    pages = [client.get(f"/records/{record.pk}/", query) for query in ({}, {"format": "json"})]
    assert len({page.status_code for page in pages}) == 1
    return pages[0].status_code == 200 and "how it is done" in pages[0].content.decode()


def test_after_the_end_everybody_reads_all_records(
    contest: Contest, record: Record, alice: User, mallory: User
) -> None:
    assert not any(sees(viewer, record) for viewer in (alice, mallory, None)), "not while the contest runs"
    end(contest)
    assert all(sees(viewer, record) for viewer in (alice, mallory, None))


def test_nobody_reads_others_programs_while_somebody_has_extra_time(
    contest: Contest, record: Record, alice: User, mallory: User, bob: User, grace: User
) -> None:
    end(contest)
    carol = User.objects.create(username="carol")
    Participation.objects.create(contest=contest, user=carol, registered_at=timezone.now(), extra_time_s=600)
    assert rights_in(contest, carol).may_submit, "carol still competes"
    assert not any(sees(viewer, record) for viewer in (alice, mallory, carol, None)), "a second browser is enough"
    assert sees(bob, record)
    assert sees(grace, record)
    Participation.objects.filter(user=carol).update(extra_time_s=30)
    assert sees(carol, record)


def test_without_feedback_the_standings_stay_blind_while_somebody_has_extra_time(contest: Contest, alice: User) -> None:
    end(contest, feedback="none")
    assert view_for(contest, rights_in(contest, alice)) is View.FULL
    carol = User.objects.create(username="carol")
    Participation.objects.create(contest=contest, user=carol, registered_at=timezone.now(), extra_time_s=600)
    assert view_for(contest, rights_in(contest, alice)) is View.BLIND


def test_records_tell_nothing_that_the_freeze_hides(
    contest: Contest, record: Record, alice: User, mallory: User, bob: User, grace: User
) -> None:
    end(contest, freeze_at=timezone.now() - timedelta(hours=2))
    assert view_for(contest, rights_in(contest, alice)) is View.FROZEN
    assert not any(sees(viewer, record) for viewer in (alice, mallory, None))
    listed = entered(alice).get("/contests/cup/records/").content.decode()
    assert f'data-record-id="{record.pk}"' not in listed
    assert sees(bob, record)
    show_final_standings(contest, grace)
    contest.refresh_from_db()
    assert all(sees(viewer, record) for viewer in (alice, mallory, None))
