"""Notices: versions, audience, and a ledger that survives every repetition."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from contest import events
from contest.models import Contest, Notice, NoticeReceipt, NoticeReposting, User
from contest.services.errors import Refused
from contest.services.notices import (
    edit_notice,
    post_again,
    post_notice,
    withdraw_notice,
)
from contest.services.receipts import Report, Step, confirm_notices, take_reports
from contest.tests.people import mark_delivered, mark_sent

pytestmark = pytest.mark.django_db


def post(contest: Contest, author: User, **fields: object) -> Notice:
    return post_notice(contest, author, **{"title": "Clock", "body": "The clock is right.", **fields})  # type: ignore[arg-type]


def edit(notice: Notice, author: User, **fields: object) -> Notice:
    said = {"title": "Clock", "body": "The clock is right.", "level": "info", "requires_ack": False, "problem": None}
    return edit_notice(notice, author, **{**said, **fields})  # type: ignore[arg-type]


def test_a_notice_is_posted_with_its_text_rendered_and_told_once(
    contest: Contest, grace: User, told: list[events.Event]
) -> None:
    notice = post(contest, grace, body="Use **64-bit** numbers: $n \\le 10^{18}$.", level="warning", requires_ack=True)
    version = notice.versions.get()
    assert "<strong>64-bit</strong>" in version.html
    assert "<math" in version.html
    assert told == [events.NoticePosted(version)]


def test_a_form_sent_twice_posts_one_notice(contest: Contest, grace: User, told: list[events.Event]) -> None:
    first = post(contest, grace, form_key="k1")
    assert post(contest, grace, form_key="k1", title="Other") == first
    assert Notice.objects.count() == 1
    assert len(told) == 1


@pytest.mark.parametrize("who", ["alice", "mallory", "olga"])
def test_nobody_but_the_jury_posts(contest: Contest, who: str, request: pytest.FixtureRequest) -> None:
    with pytest.raises(Refused) as refused:
        post(contest, request.getfixturevalue(who))
    assert refused.value.code == "forbidden"
    assert not Notice.objects.exists()


@pytest.mark.parametrize("bad", [{"title": " "}, {"body": ""}, {"level": "loud"}, {"title": "x" * 201}])
def test_a_notice_that_makes_no_sense_is_refused_with_a_sentence(
    contest: Contest, grace: User, bad: dict[str, str]
) -> None:
    with pytest.raises(Refused) as refused:
        post(contest, grace, **bad)
    assert refused.value.code == "bad-request"
    assert refused.value.message.endswith(".")


def test_an_edit_makes_a_version_and_the_same_text_makes_none(
    contest: Contest, grace: User, told: list[events.Event]
) -> None:
    notice = post(contest, grace)
    assert edit(notice, grace).version == 1
    assert edit(notice, grace, body="The clock was wrong.").version == 2
    assert [type(event).__name__ for event in told] == ["NoticePosted", "NoticeEdited"]
    assert list(notice.versions.values_list("version", flat=True)) == [2, 1]


def test_withdrawing_raises_the_version_once_and_a_withdrawn_notice_is_not_edited(
    contest: Contest, grace: User, told: list[events.Event]
) -> None:
    notice = post(contest, grace)
    assert withdraw_notice(notice, grace).version == 2
    assert withdraw_notice(notice, grace).version == 2
    withdrawn = told[-1]
    assert isinstance(withdrawn, events.NoticeWithdrawn)
    assert withdrawn.version.notice.version == 2
    assert len(told) == 2
    with pytest.raises(Refused, match="withdrawn"):
        edit(notice, grace, body="Again.")


def test_a_confirmation_sent_twice_is_in_the_ledger_once_with_its_first_time(
    contest: Contest, grace: User, alice: User, told: list[events.Event]
) -> None:
    notice = post(contest, grace)
    assert confirm_notices(contest, alice, [(notice.pk, 1)]) == [(notice.pk, 1)]
    first = NoticeReceipt.objects.get()
    assert confirm_notices(contest, alice, [(notice.pk, 1), (notice.pk, 1)]) == []
    again = NoticeReceipt.objects.get()
    assert (again.confirmed_at, again.delivered_at) == (first.confirmed_at, first.delivered_at)
    assert told[-1] == events.NoticesConfirmed(contest.pk, alice.pk, ((notice.pk, 1),))
    assert sum(isinstance(event, events.NoticesConfirmed) for event in told) == 1


def test_confirming_the_old_version_leaves_the_new_one_unconfirmed(contest: Contest, grace: User, alice: User) -> None:
    notice = post(contest, grace)
    edit(notice, grace, body="Newer.")
    assert confirm_notices(contest, alice, [(notice.pk, 1)]) == [(notice.pk, 1)]
    assert confirm_notices(contest, alice, [(notice.pk, 2)]) == [(notice.pk, 2)]


def test_unknown_notices_are_left_out_and_refused_only_when_none_is_known(
    contest: Contest, grace: User, alice: User
) -> None:
    notice = post(contest, grace)
    assert confirm_notices(contest, alice, [(notice.pk, 1), (notice.pk, 9), (999, 1)]) == [(notice.pk, 1)]
    assert confirm_notices(contest, alice, []) == []
    with pytest.raises(Refused) as refused:
        confirm_notices(contest, alice, [(999, 1)])
    assert refused.value.code == "not-found"


def test_a_notice_for_alice_is_not_there_for_bob(contest: Contest, grace: User, alice: User, bob: User) -> None:
    notice = post(contest, grace, audience_users=[alice, alice])
    assert notice.recipients.count() == 1
    assert confirm_notices(contest, alice, [(notice.pk, 1)]) == [(notice.pk, 1)]
    with pytest.raises(Refused, match="no such notice"):
        confirm_notices(contest, bob, [(notice.pk, 1)])


def test_mallory_confirms_nothing(contest: Contest, grace: User, mallory: User) -> None:
    notice = post(contest, grace)
    with pytest.raises(Refused) as refused:
        confirm_notices(contest, mallory, [(notice.pk, 1)])
    assert refused.value.code == "forbidden"
    assert not NoticeReceipt.objects.exists()


def test_times_in_the_ledger_never_change_and_may_arrive_in_any_order(
    contest: Contest, grace: User, alice: User, bob: User
) -> None:
    notice = post(contest, grace)
    confirm_notices(contest, alice, [(notice.pk, 1)])
    mark_sent(contest, [alice, bob], [(notice.pk, 1), (notice.pk, 7), (999, 1)])
    assert mark_delivered(contest, bob, [(notice.pk, 1)]) == [(notice.pk, 1)]
    before = list(NoticeReceipt.objects.order_by("user_id").values_list("sent_at", "delivered_at", "confirmed_at"))
    assert all(sent for sent, _, _ in before)
    mark_sent(contest, [bob, alice], [(notice.pk, 1)])
    assert mark_delivered(contest, bob, [(notice.pk, 1)]) == []
    after = list(NoticeReceipt.objects.order_by("user_id").values_list("sent_at", "delivered_at", "confirmed_at"))
    assert after == before


def test_a_failing_subscriber_takes_the_notice_back(
    contest: Contest, grace: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(event: events.Event) -> None:
        raise RuntimeError("the log is away")

    monkeypatch.setattr(events, "_subscribers", [broken])
    with pytest.raises(RuntimeError, match="the log is away"):
        post(contest, grace)
    assert not Notice.objects.exists()


def test_what_is_on_a_screen_was_sent_although_no_connection_carried_it(
    contest: Contest, grace: User, alice: User, bob: User
) -> None:
    notice = post(contest, grace)
    assert mark_delivered(contest, alice, [(notice.pk, 1)]) == [(notice.pk, 1)]
    assert confirm_notices(contest, bob, [(notice.pk, 1)]) == [(notice.pk, 1)]
    hers, his = NoticeReceipt.objects.order_by("user_id")
    assert hers.sent_at == hers.delivered_at
    assert hers.confirmed_at is None
    assert his.sent_at == his.delivered_at == his.confirmed_at


def test_a_batch_is_one_statement_and_one_refusal_changes_nothing_of_the_others(
    contest: Contest,
    grace: User,
    alice: User,
    bob: User,
    mallory: User,
    told: list[events.Event],
    django_assert_max_num_queries: Any,
) -> None:
    first, second = post(contest, grace), post(contest, grace, title="For Bob", audience_users=[bob])
    told.clear()
    pairs = [(first.pk, 1), (second.pk, 1)]
    batch = [
        Report(Step.SENT, contest, alice, [(first.pk, 1)]),
        Report(Step.CONFIRMED, contest, alice, pairs),
        Report(Step.CONFIRMED, contest, mallory, pairs),
        Report(Step.DELIVERED, contest, bob, pairs),
        Report(Step.CONFIRMED, contest, alice, [(first.pk, 1)]),
        Report(Step.DELIVERED, contest, bob, [(999, 1)]),
    ]
    with django_assert_max_num_queries(7) as captured:
        answers = take_reports(batch)
    assert sum("INSERT" in query["sql"] for query in captured.captured_queries) == 1
    refused = [answer.code for answer in answers if isinstance(answer, Refused)]
    assert refused == ["forbidden", "not-found"]
    taken = [answer for answer in answers if not isinstance(answer, Refused)]
    assert [each.news for each in taken] == [[], [(first.pk, 1)], pairs, []]
    assert [each.held for each in taken] == [[(first.pk, 1)], [(first.pk, 1)], pairs, [(first.pk, 1)]]
    assert told == [events.NoticesConfirmed(contest.pk, alice.pk, ((first.pk, 1),))]
    assert NoticeReceipt.objects.count() == 3


def test_posting_again_is_for_those_who_have_not_seen_it_and_is_written_down(
    contest: Contest, grace: User, alice: User, bob: User, mallory: User, told: list[events.Event]
) -> None:
    notice = post(contest, grace)
    mark_sent(contest, [alice, bob], [(notice.pk, 1)])
    confirm_notices(contest, bob, [(notice.pk, 1)])
    with pytest.raises(Refused, match="jury"):
        post_again(notice, alice)
    told.clear()
    reposting = post_again(notice, grace)
    assert (reposting.people, reposting.posted_by, reposting.version) == (1, grace, 1)
    assert told == [events.NoticePostedAgain(notice.versions.get(), (alice.pk,), 1)], "sent is not yet seen"
    with pytest.raises(Refused, match="a moment ago"):
        post_again(notice, grace)

    NoticeReposting.objects.update(posted_at=reposting.posted_at - timedelta(minutes=1))
    edit(notice, grace, body="Newer.")
    mark_delivered(contest, bob, [(notice.pk, 1)])
    assert post_again(notice, grace).people == 2, "nobody has seen the new text"
    assert isinstance(told[-1], events.NoticePostedAgain)
    assert (told[-1].version.version, told[-1].count) == (2, 1)

    NoticeReposting.objects.update(posted_at=reposting.posted_at - timedelta(minutes=1))
    for user in (alice, bob):
        mark_delivered(contest, user, [(notice.pk, 2)])
    with pytest.raises(Refused, match="Everybody has seen it"):
        post_again(notice, grace)
    withdraw_notice(notice, grace)
    with pytest.raises(Refused, match="withdrawn"):
        post_again(notice, grace)
    assert notice.repostings.count() == 2
