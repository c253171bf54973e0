"""What is read is what the viewer may see, in few queries."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from contest.access import Viewer, rights_in
from contest.models import (
    Blob,
    Contest,
    JuryMembership,
    PackageTest,
    Participation,
    Problem,
    Record,
    RecordCase,
    User,
)
from contest.rules.phases import Phase
from contest.selectors.clarifications import present_clarifications
from contest.selectors.contests import contest_list, contests_visible_to
from contest.selectors.ledger import ledger, present_ledger
from contest.selectors.live import read_snapshot
from contest.selectors.notices import (
    ledger_counts,
    notices_in_force,
    present_in_force,
    staff_notices,
)
from contest.selectors.problems import choose_statement_language, find_problem, own_states, samples, visible_problems
from contest.selectors.records import RecordFilter, cases_for, list_records, summary_for
from contest.selectors.standings import View, board, view_for
from contest.services.clarifications import answer_clarification, ask_clarification
from contest.services.notices import edit_notice, post_notice, withdraw_notice
from contest.services.receipts import confirm_notices, mark_delivered
from contest.services.records import submit
from contest.services.registration import ban
from contest.services.schedule import change_schedule
from contest.streams import StreamName

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(contest: Contest) -> Callable[..., Record]:
    """Submit for somebody and write the outcome down as the judge would."""

    def judge(user: User, verdict: str, **fields: Any) -> Record:
        record = submit(contest.problems.get(label="A"), user, language="python", source="print(3)")
        record.status, record.verdict, record.attempt = "final", verdict, 1
        for name, value in fields.items():
            setattr(record, name, value)
        record.save()
        RecordCase.objects.create(record=record, attempt=1, index=1, verdict="AC", time_ms=3, memory_kb=900, message="")
        RecordCase.objects.create(
            record=record, attempt=1, index=2, verdict=verdict, time_ms=4, memory_kb=901, message=""
        )
        Contest.objects.filter(pk=contest.pk).update(standings_version=record.pk)
        contest.refresh_from_db()
        return record

    return judge


# --- Contests -------------------------------------------------------------------------------------


def test_the_list_agrees_with_the_rights_for_every_kind_of_person_and_contest(
    contest: Contest, alice: User, bob: User, mallory: User, grace: User, olga: User
) -> None:
    hidden = Contest.objects.create(
        slug="closed", title="Closed", starts_at=contest.starts_at, ends_at=contest.ends_at, visibility="private"
    )
    Participation.objects.create(contest=hidden, user=bob, registered_at=timezone.now())
    Participation.objects.create(contest=hidden, user=alice, registered_at=timezone.now(), state="banned")
    JuryMembership.objects.create(contest=hidden, user=mallory)
    ban(contest, bob, grace)
    admin = User.objects.create_superuser("root")
    viewers: list[Viewer] = [alice, bob, mallory, grace, olga, admin, AnonymousUser()]
    for viewer in viewers:
        listed = set(contests_visible_to(viewer))
        allowed = {c for c in Contest.objects.all() if rights_in(c, viewer).may_see_contest}
        assert listed == allowed, viewer


def test_contests_are_sorted_into_running_coming_and_past_by_two_queries(
    contest: Contest, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    now = timezone.now()
    for slug, start, end in [("next", 1, 2), ("later", 30, 31), ("old", -9, -8), ("older", -20, -19)]:
        Contest.objects.create(
            slug=slug, title=slug, starts_at=now + timedelta(hours=start), ends_at=now + timedelta(hours=end)
        )
    with django_assert_num_queries(2):
        found = contest_list(alice, now)
    assert [row.contest.slug for row in found.running] == ["cup"]
    assert [row.contest.slug for row in found.coming] == ["next", "later"]
    assert [row.contest.slug for row in found.past] == ["old", "older"]
    assert found.running[0].is_registered
    assert found.running[0].phase is Phase.RUNNING
    assert not found.has_older


# --- Problems -------------------------------------------------------------------------------------


def test_before_the_start_there_are_no_problems_but_for_the_jury(contest: Contest, alice: User, grace: User) -> None:
    contest.starts_at = timezone.now() + timedelta(hours=1)
    contest.save()
    assert visible_problems(contest, rights_in(contest, alice)) == []
    assert find_problem(contest, rights_in(contest, alice), "A") is None
    assert [p.label for p in visible_problems(contest, rights_in(contest, grace))] == ["A"]


def test_drafts_are_the_jurys(contest: Contest, alice: User, grace: User) -> None:
    Problem.objects.create(contest=contest, label="B", title="Draft", position=1)
    assert [p.label for p in visible_problems(contest, rights_in(contest, alice))] == ["A"]
    assert find_problem(contest, rights_in(contest, alice), "B") is None
    assert find_problem(contest, rights_in(contest, grace), "B") is not None


def test_own_states_are_words(contest: Contest, alice: User, bob: User, judged: Callable[..., Record]) -> None:
    rights = rights_in(contest, alice)
    assert own_states(contest, rights) == {}
    judged(bob, "AC")
    assert own_states(contest, rights) == {}, "Bob's solution is not Alice's"
    problem = judged(alice, "WA", score=30.0).problem_id
    assert (own_states(contest, rights)[problem].word, own_states(contest, rights)[problem].score) == ("tried", 30.0)
    submit(contest.problems.get(), alice, language="c", source="x")
    assert own_states(contest, rights)[problem].word == "pending"
    judged(alice, "AC")
    assert own_states(contest, rights)[problem].word == "solved"


def test_without_feedback_own_states_say_only_that_something_was_submitted(
    contest: Contest, alice: User, judged: Callable[..., Record]
) -> None:
    contest.feedback = "none"
    contest.save()
    record = judged(alice, "AC", score=100.0)
    state = own_states(contest, rights_in(contest, alice))[record.problem_id]
    assert (state.word, state.score, state.attempts) == ("hidden", None, 1)


def test_samples_are_shown_and_secret_cases_are_not(
    contest: Contest, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    problem = contest.problems.get()
    with django_assert_num_queries(1):
        shown = samples(problem)
    assert [(s.index, s.input, s.answer) for s in shown] == [(1, "1 2\n", "3\n")]


def test_a_large_sample_is_cut_by_the_database(contest: Contest) -> None:
    problem = contest.problems.get()
    test = PackageTest.objects.get(package=problem.package, is_sample=True)
    data = b"0123456789abcdef" * (1 << 20)
    test.input = Blob.objects.create(pk="f" * 64, size_bytes=len(data), data=data)
    test.save()
    del data
    tracemalloc.start()
    try:
        (shown,) = samples(problem)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20, "not the whole of it comes into this process"
    finally:
        tracemalloc.stop()
    assert (shown.is_cut, len(shown.input), shown.input[:16]) == (True, 16 * 1024, "0123456789abcdef")


@pytest.mark.parametrize(
    ("available", "wanted", "chosen"),
    [
        (["en", "ko"], ["ko-KR"], "ko"),
        (["en", "pt-BR"], ["pt"], "pt-BR"),
        (["de", "en"], ["fr"], "en"),
        (["de"], ["fr"], "de"),
        ([], ["fr"], None),
    ],
)
def test_a_statement_is_shown_in_the_nearest_language(
    available: list[str], wanted: list[str], chosen: str | None
) -> None:
    assert choose_statement_language(available, wanted) == chosen


# --- Records --------------------------------------------------------------------------------------


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


# --- Notices --------------------------------------------------------------------------------------


def test_each_sees_the_current_text_with_the_own_confirmation_by_one_query(
    contest: Contest, grace: User, alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    first = post_notice(contest, grace, title="One", body="x")
    private = post_notice(contest, grace, title="For Alice", body="x", audience_users=[alice, grace])
    gone = post_notice(contest, grace, title="Gone", body="x")
    withdraw_notice(gone, grace)
    edit_notice(first, grace, title="One", body="y", level="info", requires_ack=True, problem=None)
    confirm_notices(contest, alice, [(first.pk, 1), (private.pk, 1)])
    with django_assert_num_queries(1):
        shown = [present_in_force(found) for found in notices_in_force(contest, alice.pk)]
    assert {row["id"]: (row["version"], row["confirmed"]) for row in shown} == {
        private.pk: (1, True),
        first.pk: (2, False),
    }
    assert [found.version.notice_id for found in notices_in_force(contest, bob.pk)] == [first.pk]
    assert [found.version.notice_id for found in notices_in_force(contest, None)] == [first.pk]


def test_the_ledger_of_a_notice_for_some_names_them_alone(
    contest: Contest, grace: User, alice: User, bob: User
) -> None:
    to_all, to_alice = (
        ledger(post_notice(contest, grace, title="One", body="x", audience_users=audience))
        for audience in (None, [alice])
    )
    assert [row.username for row in to_all.people] == ["alice", "bob"]
    assert [row.username for row in to_alice.people] == ["alice"]
    assert to_alice.counts["audience"] == 1


def test_the_ledger_counts_the_current_text_of_those_it_is_for(
    contest: Contest,
    grace: User,
    alice: User,
    bob: User,
    mallory: User,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    notice = post_notice(contest, grace, title="One", body="x")
    confirm_notices(contest, bob, [(notice.pk, 1)])
    edit_notice(notice, grace, title="Two", body="x", level="info", requires_ack=True, problem=None)
    mark_delivered(contest, bob, [(notice.pk, 2)])
    confirm_notices(contest, alice, [(notice.pk, 2)])
    confirm_notices(contest, grace, [(notice.pk, 2)])
    with django_assert_num_queries(7):
        found = ledger(notice)
    assert found.counts == {"audience": 2, "sent": 2, "delivered": 2, "confirmed": 1, "connected": 0, "behind": 0}
    assert [(row.username, row.stage) for row in found.people] == [("bob", "delivered"), ("alice", "confirmed")]
    withdraw_notice(notice, grace)
    notice.refresh_from_db()
    assert ledger(notice).counts["confirmed"] == 1, "a withdrawn notice keeps its ledger"
    assert present_ledger(ledger(notice))["withdrawn_at"]
    assert ledger_counts(contest)[notice.pk]["delivered"] == 3
    assert [row.version for row in staff_notices(contest)] == [2]


def test_a_private_answer_is_the_askers_and_the_jurys(contest: Contest, alice: User, bob: User, grace: User) -> None:
    private = ask_clarification(contest, alice, problem_label="A", text="May n be 0?", command_key=None)
    public = ask_clarification(contest, alice, problem_label=None, text="When is lunch?", command_key=None)
    answer_clarification(private, grace, answer="No.", is_public=False)
    seen: dict[str, list[int]] = {}
    for user in (alice, bob, grace):
        seen[user.username] = [row["id"] for row in present_clarifications(contest, rights_in(contest, user))]
    assert seen == {"alice": [public.pk, private.pk], "bob": [], "grace": [public.pk, private.pk]}
    answer_clarification(public, grace, answer="At noon.", is_public=True)
    (row,) = present_clarifications(contest, rights_in(contest, bob))
    assert row["answer"] == "At noon."
    assert "asker" not in row
    assert present_clarifications(contest, rights_in(contest, grace))[0]["asker"] == "alice"


# --- Standings ------------------------------------------------------------------------------------


def test_a_board_takes_three_queries_and_none_the_second_time(
    contest: Contest,
    alice: User,
    bob: User,
    judged: Callable[..., Record],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    judged(bob, "WA")
    judged(bob, "AC")
    with django_assert_num_queries(3):
        found = board(contest, View.FULL)
    with django_assert_num_queries(0):
        assert board(contest, View.FULL).rows == found.rows
    assert [(row.contestant, row.rank) for row in found.rows] == [(bob.pk, 1), (alice.pk, 2)]
    judged(alice, "AC")
    assert [row.rank for row in board(contest, View.FULL).rows] == [1, 2]
    assert board(contest, View.FULL).rows[0].contestant == alice.pk, "no rejected attempt: less penalty"


def test_the_jurys_records_and_the_banned_are_not_on_the_board(
    contest: Contest, alice: User, bob: User, grace: User, judged: Callable[..., Record]
) -> None:
    judged(grace, "AC")
    judged(bob, "AC")
    ban(contest, bob, grace)
    assert [row.contestant for row in board(contest, View.FULL).rows] == [alice.pk]


def test_contestants_see_the_frozen_board_also_after_the_end_until_the_jury_shows_the_final_one(
    contest: Contest, alice: User, grace: User, judged: Callable[..., Record]
) -> None:
    now = timezone.now()
    contest = change_schedule(
        contest, grace, starts_at=contest.starts_at, ends_at=contest.ends_at, freeze_at=now - timedelta(minutes=1)
    )
    record = judged(alice, "AC")
    contest.refresh_from_db()
    mine, full = (board(contest, view_for(contest, rights_in(contest, user))) for user in (alice, grace))
    assert (mine.view, full.view) == (View.FROZEN, View.FULL)
    assert mine.rows[0].cells[0].pending == 1
    assert full.rows[0].cells[0].is_first  # type: ignore[union-attr]
    contest.ends_at = record.submitted_at + timedelta(seconds=1)
    assert view_for(contest, rights_in(contest, alice, now + timedelta(days=1))) is View.FROZEN
    contest.unfrozen_at = now
    assert view_for(contest, rights_in(contest, alice)) is View.FULL


def test_a_contest_without_feedback_shows_attempts_and_no_outcome_while_it_runs(
    contest: Contest, alice: User, judged: Callable[..., Record]
) -> None:
    contest.feedback, contest.scoring = "none", "ioi"
    contest.save()
    judged(alice, "AC", score=100.0)
    seen = board(contest, view_for(contest, rights_in(contest, alice)))
    assert seen.view is View.BLIND
    assert (seen.rows[0].score, seen.rows[0].cells[0].pending) == (0, 1)  # type: ignore[union-attr]
