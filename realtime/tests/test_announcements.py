"""The stream of announcements, from a service's call to a client's frames."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async

from contest import ports
from contest.access import rights_in
from contest.models import Clarification, Contest, NoticeReceipt, User
from contest.ports import read_cursors
from contest.services.alarms import check_judging
from contest.services.clarifications import answer_clarification
from contest.services.notices import edit_notice, post_again, post_notice, withdraw_notice
from contest.streams import StreamName
from realtime.node.node import Node
from realtime.tests.clients import Client, Sessions

PATH = "/ws/contests/cup/announcements"

post = sync_to_async(post_notice)


async def enter(sessions: Sessions, user: User, client: str = "document-1") -> Client:
    return Client(PATH, await sessions.key_of(user), client=client)


async def test_a_first_hello_gets_a_snapshot_then_synced(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    notice = await post(contest, grace, title="Welcome", body="Have *fun*.")
    client = await (await enter(sessions, alice)).live()
    kinds = [frame["type"] for frame in client.received]
    assert kinds == ["welcome", "snapshot", "synced"]
    assert client.received[0]["resumed"] is False
    data = client.received[1]["data"]
    assert data["contest"]["slug"] == "cup"
    assert [(each["id"], each["confirmed"]) for each in data["notices"]] == [(notice.pk, False)]


async def test_a_notice_reaches_every_contestant_and_the_jury(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    clients = [await (await enter(sessions, user)).live() for user in (alice, bob, grace)]
    notice = await post(contest, grace, title="Lunch", body="At noon.")
    for client in clients:
        event = await client.until("event", "announcement.posted")
        assert (event["topic"], event["seq"], event["after"]) == ("contest", 1, 0)
        assert event["data"]["id"] == notice.pk


async def test_a_reconnect_with_a_cursor_gets_exactly_what_was_missed_in_order_once(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    first = await (await enter(sessions, alice)).live()
    await post(contest, grace, title="Seen", body="x")
    await first.until("event", "announcement.posted")
    await first.leave()
    missed = [(await post(contest, grace, title=f"Missed {n}", body="x")).pk for n in range(3)]

    again = await (await enter(sessions, alice)).live(cursor=first.cursor, cause="close")

    assert again.received[0]["resumed"] is True
    assert [event["data"]["id"] for event in again.events()] == missed
    assert not [frame for frame in again.received if frame["type"] == "snapshot"]


async def test_an_unknown_epoch_gets_a_snapshot(live: Node, sessions: Sessions, contest: Contest, alice: User) -> None:
    cursor = {"contest": {"epoch": "elsewhere", "seq": 0}, "me": {"epoch": "elsewhere", "seq": 0}}
    client = await (await enter(sessions, alice)).live(cursor=cursor)
    assert client.received[0]["resumed"] is False
    assert client.received[1]["type"] == "snapshot"


async def test_a_cursor_ahead_of_the_log_gets_a_snapshot(
    live: Node, sessions: Sessions, contest: Contest, alice: User
) -> None:
    first = await (await enter(sessions, alice)).live()
    ahead = {topic: {**cursor, "seq": 99} for topic, cursor in first.cursor.items()}
    client = await (await enter(sessions, alice, "document-2")).live(cursor=ahead)
    assert client.received[0]["resumed"] is False


async def test_a_confirmation_is_stored_once_although_it_is_sent_twice(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    notice = await post(contest, grace, title="Read this", body="x", requires_ack=True)
    client = await (await enter(sessions, alice)).live()
    other_page = await (await enter(sessions, alice, "document-2")).live()
    pairs = {"notices": [{"id": notice.pk, "version": 1}]}

    for client_seq in (1, 1, 2):
        reply = await client.command(client_seq, "ack", pairs)
        assert reply["ok"] is True

    receipts = NoticeReceipt.objects.filter(notice=notice, user=alice, confirmed_at__isnull=False)
    assert await receipts.acount() == 1
    confirmed = await other_page.until("event", "announcement.confirmed")
    assert confirmed["data"] == pairs
    assert await other_page.is_quiet()


async def test_only_what_is_stored_is_said_to_be_taken(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    hers = await post(contest, grace, title="To all", body="x", requires_ack=True)
    his = await post(contest, grace, title="For Bob", body="x", requires_ack=True, audience_users=[bob])
    client = await (await enter(sessions, alice)).live()
    both = {"notices": [{"id": his.pk, "version": 1}, {"id": hers.pk, "version": 1}, {"id": hers.pk, "version": 9}]}
    for client_seq, name in enumerate(("delivered", "ack", "ack"), start=1):
        reply = await client.command(client_seq, name, both)
        assert reply["data"] == {"notices": [{"id": hers.pk, "version": 1}]}, f"{name}, also when it is repeated"
    assert not await NoticeReceipt.objects.filter(notice=his, user=alice).aexists(), "the premise"


async def test_what_was_written_to_a_connection_is_in_the_ledger(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    before = await post(contest, grace, title="Before", body="x")
    client = await (await enter(sessions, alice)).live()
    after = await post(contest, grace, title="After", body="x")
    await client.until("event", "announcement.posted")
    await live.ledger.drain()
    sent = NoticeReceipt.objects.filter(sent_at__isnull=False).order_by("notice_id")
    rows = [row async for row in sent.values_list("notice_id", "user_id")]
    assert rows == [(before.pk, alice.pk), (after.pk, alice.pk)]


@pytest.mark.slow
async def test_the_jury_hears_that_receipts_have_changed_not_of_each_one(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    jury = await (await enter(sessions, grace)).live()
    readers = [await (await enter(sessions, user)).live() for user in (alice, bob)]
    notice = await post(contest, grace, title="Read this", body="x")
    pairs = {"notices": [{"id": notice.pk, "version": 1}]}
    for reader in readers:
        assert (await reader.command(1, "ack", pairs))["ok"]
    changed = await jury.until("event", "ledger.changed")
    assert (changed["topic"], changed["data"]) == ("jury", {"notices": [notice.pk]})
    while not await jury.is_quiet(1.5):
        await jury.receive()
    assert len(jury.events("ledger.changed")) <= 2, "five receipts were written, within two periods at most"


async def test_an_edited_and_a_withdrawn_notice_are_told(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    notice = await post(contest, grace, title="Typo", body="x")
    client = await (await enter(sessions, alice)).live()
    await sync_to_async(edit_notice)(
        notice, grace, title="Fixed", body="x", level="info", requires_ack=False, problem=None
    )
    assert (await client.until("event", "announcement.edited"))["data"]["version"] == 2
    await sync_to_async(withdraw_notice)(notice, grace)
    withdrawn = await client.until("event", "announcement.withdrawn")
    assert withdrawn["data"] == {"id": notice.pk, "version": 3}


async def test_a_notice_for_some_reaches_nobody_else(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    hers, his = [await (await enter(sessions, user)).live() for user in (alice, bob)]
    await post(contest, grace, title="For Alice", body="x", audience_users=[alice])
    assert (await hers.until("event", "announcement.posted"))["topic"] == "me"
    assert await his.is_quiet()


async def test_a_notice_posted_again_reaches_exactly_those_who_have_not_seen_it(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    hers, his = [await (await enter(sessions, user)).live() for user in (alice, bob)]
    notice = await post(contest, grace, title="Read this", body="x")
    first = await hers.until("event", "announcement.posted")
    await his.until("event", "announcement.posted")
    assert (await his.command(1, "delivered", {"notices": [{"id": notice.pk, "version": 1}]}))["ok"]

    assert (await sync_to_async(post_again)(notice, grace)).people == 1
    again = await hers.until("event", "announcement.posted")
    assert (again["topic"], again["data"]) == ("me", first["data"] | {"again": 1}), "the same version: nothing new"
    assert await his.is_quiet()


async def test_who_was_away_is_told_the_newest_text_alone(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    page = await (await enter(sessions, alice)).live()
    await page.leave()
    notice = await post(contest, grace, title="Old", body="x")
    await sync_to_async(edit_notice)(
        notice, grace, title="New", body="x", level="info", requires_ack=False, problem=None
    )
    gone = await post(contest, grace, title="Gone", body="x")
    await sync_to_async(withdraw_notice)(gone, grace)
    page = await (await enter(sessions, alice)).live(cursor=page.cursor)
    await live.ledger.drain()
    told = [(event["name"], event["data"]["id"], event["data"]["version"]) for event in page.events()]
    assert told == [("announcement.edited", notice.pk, 2), ("announcement.withdrawn", gone.pk, 2)]


@pytest.mark.parametrize("is_for_all", [False, True])
async def test_a_text_that_was_posted_again_and_then_changed_is_not_read_out_to_who_was_away(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User, is_for_all: bool
) -> None:
    page = await (await enter(sessions, alice)).live()
    await page.leave()
    notice = await post(contest, grace, title="Old", body="x", audience_users=None if is_for_all else [alice])
    assert (await sync_to_async(post_again)(notice, grace)).people == 1
    await sync_to_async(edit_notice)(
        notice, grace, title="New", body="x", level="info", requires_ack=False, problem=None
    )
    page = await (await enter(sessions, alice)).live(cursor=page.cursor)
    await live.ledger.drain()
    told = [(event["name"], event["data"]["title"]) for event in page.events()]
    assert told == [("announcement.edited", "New")] * (2 if is_for_all else 1), (
        "once on each topic that had the old one"
    )
    sent = NoticeReceipt.objects.filter(user=alice).values_list("notice_id", "version")
    assert [row async for row in sent] == [(notice.pk, 2)], "the old text was not sent to her, and the ledger says so"


async def test_what_came_with_the_page_is_in_the_ledger_as_sent(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User
) -> None:
    notice = await post(contest, grace, title="In the page", body="x")
    rights = await sync_to_async(rights_in)(contest, alice)
    cursor = await sync_to_async(read_cursors)(StreamName.ANNOUNCEMENTS, rights)
    page = await (await enter(sessions, alice)).live(cursor=cursor)
    assert page.received[0]["resumed"], "the notice is in the page, and no frame carries it"
    assert not page.events()
    await live.ledger.drain()
    receipt = await NoticeReceipt.objects.aget(notice=notice, user=alice)
    assert receipt.delivered_at is None, "perhaps nobody looks at this page"


async def test_the_jury_alone_hears_what_is_wrong_with_judging_and_finds_it_on_a_new_page(
    live: Node, sessions: Sessions, contest: Contest, alice: User, grace: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "_judge_counter", lambda: 0)
    hers, jury = [await (await enter(sessions, user)).live() for user in (alice, grace)]
    assert jury.received[1]["data"]["judging"]["alarms"] == []
    assert "judging" not in hers.received[1]["data"]
    assert await sync_to_async(check_judging)() == 1
    alarm = (await jury.until("event", "judge.alarm"))["data"]
    assert (alarm["version"], [each["kind"] for each in alarm["alarms"]]) == (1, ["no-judge"])
    assert await hers.is_quiet()
    again = await (await enter(sessions, grace, "document-2")).live()
    assert again.received[1]["data"]["judging"] == alarm


async def test_a_question_reaches_the_jury_and_a_private_answer_the_asker_alone(
    live: Node, sessions: Sessions, contest: Contest, alice: User, bob: User, grace: User
) -> None:
    hers, his, jury = [await (await enter(sessions, user)).live() for user in (alice, bob, grace)]
    reply = await hers.command(1, "ask", {"problem": "A", "text": "Negative numbers?"})
    again = await hers.command(1, "ask", {"problem": "A", "text": "Negative numbers?"})
    assert reply["data"]["clarification"]["id"] == again["data"]["clarification"]["id"]
    asked = await jury.until("event", "clarification.asked")
    assert (asked["topic"], asked["data"]["asker"]) == ("jury", "alice")

    clarification = await Clarification.objects.aget()
    await sync_to_async(answer_clarification)(clarification, grace, answer="Yes.", is_public=False)
    answered = await hers.until("event", "clarification.answered")
    assert answered["topic"] == "me"
    assert await his.is_quiet()


async def test_delivered_without_notices_tells_the_time_and_changes_nothing(
    live: Node, sessions: Sessions, contest: Contest, grace: User
) -> None:
    """Pages that have nothing to report ask for the server's clock by it."""
    jury = await (await enter(sessions, grace)).live()
    reply = await jury.command(1, "delivered", {"notices": []})
    assert reply["ok"]
    assert reply["data"] == {"notices": []}
    assert reply["server_time"] > 0
    assert reply["held_ms"] >= 0
    assert not await NoticeReceipt.objects.aexists()
