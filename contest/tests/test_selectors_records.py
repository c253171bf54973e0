"""Records and cases as a viewer may see them, in few queries."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from contest.access import rights_in
from contest.models import (
    Contest,
    JuryMembership,
    Record,
    User,
)
from contest.selectors.live import read_snapshot
from contest.selectors.records import RecordFilter, cases_for, list_records, summary_for
from contest.services.records import submit
from contest.streams import StreamName

pytestmark = pytest.mark.django_db


def test_a_contestant_lists_only_own_records_and_the_jury_all_by_one_query(
    contest: Contest,
    alice: User,
    bob: User,
    grace: User,
    judged: Callable[..., Record],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    first, second = judged(alice, "WA"), judged(bob, "AC")
    rights, staff = rights_in(contest, alice), rights_in(contest, grace)
    with django_assert_num_queries(1):
        own, older = list_records(contest, rights, RecordFilter())
    assert ([row["id"] for row in own], older) == ([first.pk], None)
    assert [row["id"] for row in list_records(contest, staff, RecordFilter())[0]] == [second.pk, first.pk]
    assert [row["id"] for row in list_records(contest, staff, RecordFilter(verdict="AC"))[0]] == [second.pk]
    assert [row["id"] for row in list_records(contest, staff, RecordFilter(user="alice"))[0]] == [first.pk]
    assert list_records(contest, staff, RecordFilter(language="java"))[0] == []


def test_a_filter_by_verdict_does_not_tell_a_hidden_verdict(
    contest: Contest, alice: User, judged: Callable[..., Record]
) -> None:
    contest.feedback = "none"
    contest.save()
    judged(alice, "WA")
    rights = rights_in(contest, alice)
    for verdict in ("WA", "AC"):
        (row,) = list_records(contest, rights, RecordFilter(verdict=verdict))[0]
        assert row["verdict"] is None


def test_after_the_end_everybody_entitled_reads_all_contest_records_but_not_the_jurys(
    contest: Contest, alice: User, bob: User, grace: User, judged: Callable[..., Record]
) -> None:
    record = judged(bob, "AC")
    submit(contest.problems.get(), grace, language="c", source="x")
    contest.ends_at = timezone.now()
    contest.save()
    shown, _ = list_records(contest, rights_in(contest, alice), RecordFilter())
    assert [row["id"] for row in shown] == [record.pk]


def test_the_page_and_the_live_stream_list_the_same_records_to_everybody(
    contest: Contest, alice: User, bob: User, grace: User
) -> None:
    other = User.objects.create_user("hedy")
    JuryMembership.objects.create(contest=contest, user=other)
    problem = contest.problems.get()
    records = {user: submit(problem, user, language="c", source="x").pk for user in (alice, bob, grace, other)}
    listed = {}
    for user in records:
        rights = rights_in(contest, user)
        page, _ = list_records(contest, rights, RecordFilter())
        assert page == read_snapshot(StreamName.RECORDS, contest, rights).data["records"]
        listed[user] = [row["id"] for row in page]
    assert listed[alice] == [records[alice]]
    assert listed[grace] == [records[grace], records[bob], records[alice]], "another juror's trial is not announced"


def test_long_lists_go_on_where_they_stopped(
    contest: Contest, grace: User, alice: User, monkeypatch: pytest.MonkeyPatch, judged: Callable[..., Record]
) -> None:
    monkeypatch.setattr("contest.selectors.records.PAGE_SIZE", 2)
    ids = [judged(alice, "WA").pk for _ in range(3)]
    staff = rights_in(contest, grace)
    page, older = list_records(contest, staff, RecordFilter())
    assert ([row["id"] for row in page], older) == ([ids[2], ids[1]], ids[1])
    page, older = list_records(contest, staff, RecordFilter(), before=older)
    assert ([row["id"] for row in page], older) == ([ids[0]], None)


@pytest.mark.parametrize(("feedback", "cases"), [("full", 2), ("first-failed", 2), ("verdict", 0), ("none", 0)])
def test_cases_are_reduced_by_the_contests_feedback(
    contest: Contest, alice: User, grace: User, judged: Callable[..., Record], feedback: str, cases: int
) -> None:
    contest.feedback = feedback
    contest.save()
    record = judged(alice, "WA")
    assert len(cases_for(record, rights_in(contest, alice))) == cases
    assert len(cases_for(record, rights_in(contest, grace))) == 2
    assert summary_for(record, rights_in(contest, grace))["verdict"] == "WA"
