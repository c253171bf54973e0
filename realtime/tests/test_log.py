"""The log: numbers without holes, in order of commit, in the transaction of the change; and its readers."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from realtime.hub.tail import read_changed
from realtime.log import append as log
from realtime.log import hints
from realtime.log.append import append
from realtime.log.reading import Entry, Want, prune, read_heads, read_pages, without_replaced
from realtime.models import LogEvent, Topic
from realtime.tests.reading import entries_after, is_served
from realtime.wire.protocol import Cursor

pytestmark = pytest.mark.django_db(transaction=True)


def tell(topic: str, *numbers: int) -> None:
    with transaction.atomic():
        for number in numbers:
            append(topic, "told", {"n": number})


def start(topic: str) -> Cursor:
    return Cursor(read_heads([topic])[topic].epoch, 0)


def seqs(topic: str) -> list[int]:
    return [entry.seq for entry in entries_after(topic, start(topic), 1000)]


def run_in_thread(work: Callable[[], None]) -> threading.Thread:
    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_events_are_numbered_without_holes_over_transactions() -> None:
    tell("t", 1, 2)
    tell("t", 3)
    entries = entries_after("t", start("t"))
    assert [(entry.seq, entry.data) for entry in entries] == [(1, '{"n":1}'), (2, '{"n":2}'), (3, '{"n":3}')]


def test_a_topic_that_was_never_told_anything_has_the_epoch_that_it_will_be_made_with() -> None:
    cursor = start("new")
    assert not Topic.objects.filter(key="new").exists(), "asking writes nothing"
    tell("new", 1)
    assert [entry.seq for entry in entries_after("new", cursor)] == [1]


def test_outside_a_transaction_nothing_can_be_appended() -> None:
    with pytest.raises(RuntimeError):
        append("t", "told", {})


def test_no_transaction_no_event() -> None:
    given: list[str] = []
    hints.listen(given.append)
    try:
        with pytest.raises(KeyError), transaction.atomic():
            append("t", "told", {})
            raise KeyError
    finally:
        hints.unlisten(given.append)
    assert not LogEvent.objects.exists()
    assert not given


def test_a_savepoint_that_is_rolled_back_takes_its_events_with_it() -> None:
    with transaction.atomic():
        append("t", "told", {"n": 1})
        with pytest.raises(KeyError), transaction.atomic():
            append("t", "told", {"n": 2})
            raise KeyError
        append("t", "told", {"n": 3})
    assert [entry.data for entry in entries_after("t", start("t"))] == ['{"n":1}', '{"n":3}']


def test_a_log_that_cannot_be_written_takes_the_change_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(log, "_write", broken)
    with pytest.raises(DatabaseError), transaction.atomic():
        Topic.objects.create(key="the change", epoch="e", change=0)
        append("t", "told", {})
    assert not Topic.objects.filter(key="the change").exists()
    monkeypatch.undo()
    tell("t", 1)
    assert seqs("t") == [1], "the connection is as good as new"


def test_a_hint_is_given_after_the_commit_and_not_before() -> None:
    given: list[str] = []
    hints.listen(given.append)
    try:
        with transaction.atomic():
            append("t", "told", {})
            assert given == []
        assert given == ["t"]
    finally:
        hints.unlisten(given.append)


def test_concurrent_writers_leave_no_hole_and_no_double() -> None:
    def write() -> None:
        for number in range(20):
            tell("t", number)

    threads = [run_in_thread(write) for _ in range(4)]
    for thread in threads:
        thread.join(30)
    assert seqs("t") == list(range(1, 81))


def test_what_is_too_much_for_one_statement_is_written_by_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "ROWS_A_STATEMENT", 3)
    for _ in range(2):
        with transaction.atomic():
            for number in range(10):
                append(f"c1.u{number % 8}", "told", {"n": number})
    assert [seqs(f"c1.u{number}") for number in range(8)] == 2 * [[1, 2, 3, 4]] + 6 * [[1, 2]]


def test_transactions_that_append_in_opposite_order_do_not_deadlock() -> None:
    both_wrote = threading.Barrier(2)

    def write(first: str, second: str) -> None:
        for _ in range(10):
            with transaction.atomic():
                append(first, "told", {})
                if connection.vendor == "postgresql":  # writers of SQLite cannot meet inside
                    both_wrote.wait(10)
                append(second, "told", {})

    threads = [run_in_thread(lambda: write("a", "b")), run_in_thread(lambda: write("b", "a"))]
    for thread in threads:
        thread.join(30)
    assert seqs("a") == seqs("b") == list(range(1, 21))


def test_many_transactions_over_many_topics_in_any_order_all_commit() -> None:
    keys = [f"t{number}" for number in range(6)]

    def write(seed: int) -> None:
        order = random.Random(seed)
        for _ in range(15):
            with transaction.atomic():
                for key in order.sample(keys, len(keys)):
                    append(key, "told", {})

    threads = [run_in_thread(partial(write, seed)) for seed in range(4)]
    for thread in threads:
        thread.join(30)
    assert [seqs(key) for key in keys] == [list(range(1, 61))] * len(keys)


@pytest.mark.scaled
def test_the_tail_finds_a_transaction_that_commits_late() -> None:
    """An older transaction commits after a newer one was seen: a look by time or number would pass over it."""
    appended, commit = threading.Event(), threading.Event()

    def slowly() -> None:
        with transaction.atomic():
            append("late", "told", {})
            log.write_pending(connection)
            appended.set()
            assert commit.wait(20)

    _, since = read_changed(None)
    thread = run_in_thread(slowly)
    assert appended.wait(10)
    tell("soon", 1)
    changed, since = read_changed(since)
    assert [key for key, _, _ in changed] == ["soon"], "the late one is not to be seen yet"
    changed, since = read_changed(since)
    commit.set()
    thread.join(10)
    changed, since = read_changed(since)
    assert "late" in [key for key, _, _ in changed]


def test_the_tail_finds_what_was_appended_since_the_last_look() -> None:
    _, since = read_changed(None)
    tell("t", 1)
    changed, since = read_changed(since)
    assert [(key, head) for key, _, head in changed] == [("t", 1)]
    tell("u", 1, 2)
    changed, since = read_changed(since)
    assert ("u", 2) in [(key, head) for key, _, head in changed]


def test_pruning_moves_the_floor_and_leaves_no_hole() -> None:
    tell("t", *range(10))
    assert prune("t", before=timezone.now() - timedelta(days=1), keep=4) == 6
    head = read_heads(["t"])["t"]
    assert (head.floor, head.seq) == (6, 10)
    assert not is_served("t", Cursor(head.epoch, 5))
    assert [entry.seq for entry in entries_after("t", Cursor(head.epoch, 6))] == [7, 8, 9, 10]
    tell("t", 11)
    assert [entry.seq for entry in entries_after("t", Cursor(head.epoch, 10))] == [11]


def test_pruning_by_age_keeps_what_is_young() -> None:
    tell("t", 1, 2)
    LogEvent.objects.update(appended_at=timezone.now() - timedelta(days=2))
    tell("t", 3)
    assert prune("t", before=timezone.now() - timedelta(days=1), keep=100) == 2
    assert read_heads(["t"])["t"].floor == 2


def test_after_a_restore_every_cursor_is_of_another_log() -> None:
    tell("t", 1)
    cursor = start("t")
    assert is_served("t", cursor)
    log.reset_epochs()
    assert not is_served("t", cursor)
    tell("new", 1)
    assert read_heads(["new"])["new"].epoch == read_heads(["t"])["t"].epoch


def test_after_a_restore_the_tail_finds_every_topic_changed() -> None:
    tell("a", 1)
    tell("b", 1)
    _, since = read_changed(None)
    changed, since = read_changed(since)
    assert not changed or connection.vendor == "postgresql", "on SQLite nothing is left of before"
    log.reset_epochs()
    changed, since = read_changed(since)
    assert {(key, epoch) for key, epoch, _ in changed} == {(key, start(key).epoch) for key in ("a", "b")}


def test_a_topic_that_is_being_made_while_the_epoch_is_drawn_is_of_the_new_one() -> None:
    """Its row is not to be seen yet, and has the epoch of before: drawing has to wait for it."""
    appended, commit = threading.Event(), threading.Event()

    def slowly() -> None:
        with transaction.atomic():
            append("new", "told", {})
            log.write_pending(connection)
            appended.set()
            assert commit.wait(20)

    before = start("new").epoch
    writing = run_in_thread(slowly)
    assert appended.wait(10)
    drawing = run_in_thread(log.reset_epochs)
    drawing.join(0.3)
    assert drawing.is_alive(), "it waits"
    commit.set()
    writing.join(20)
    drawing.join(20)
    assert Topic.objects.get(key="new").epoch == start("unborn").epoch != before


def test_one_query_reads_many_topics_each_from_its_own_place(
    django_assert_num_queries: Callable[[int], object],
) -> None:
    tell("a", 1, 2, 3)
    tell("b", 1)
    with django_assert_num_queries(1):  # type: ignore[attr-defined]
        pages = read_pages([Want("a", 1, 100), Want("b", 1, 100), Want("none", 0, 100), Want("a", 0, 1)])
    assert [[entry.seq for entry in page.entries] for page in pages] == [[2, 3], [], [], [1]]
    assert [(page.head.seq, page.head.epoch) for page in pages] == [(n, start("a").epoch) for n in (3, 1, 0, 3)]


def _entry(seq: int, object_key: str = "", is_kept: bool = True) -> Entry:
    return Entry(seq, "told", "{}", object_key, is_kept, timezone.now())


def test_what_a_newer_event_of_the_same_object_replaces_need_not_be_told() -> None:
    entries = [
        _entry(1, "r:1", False),
        _entry(2, "r:2", False),
        _entry(3, "r:1", False),
        _entry(4),
        _entry(5, "r:1"),
        _entry(6, "r:2", False),
    ]
    assert [entry.seq for entry in without_replaced(entries)] == [4, 5, 6]


def test_final_states_are_always_told() -> None:
    assert [entry.seq for entry in without_replaced([_entry(1, "r:1"), _entry(2, "r:1")])] == [1, 2]
