"""Notices, the ledger and answers as each may see them, in few queries."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from contest.access import rights_in
from contest.models import (
    Contest,
    User,
)
from contest.selectors.clarifications import present_clarifications
from contest.selectors.ledger import ledger, present_ledger
from contest.selectors.notices import (
    ledger_counts,
    notices_in_force,
    present_in_force,
    staff_notices,
)
from contest.services.clarifications import answer_clarification, ask_clarification
from contest.services.notices import edit_notice, post_notice, withdraw_notice
from contest.services.receipts import confirm_notices
from contest.tests.people import mark_delivered

pytestmark = pytest.mark.django_db


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
