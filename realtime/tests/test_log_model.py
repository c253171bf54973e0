"""The log against a model of it: whatever is appended, rolled back, pruned or reset, a reader misses nothing unsaid."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from realtime.log.append import append, reset_epochs
from realtime.log.reading import Want, prune, read_heads, read_pages, without_replaced
from realtime.tests.reading import entries_after, is_served
from realtime.wire.protocol import Cursor

_names = count()


class RolledBack(Exception):
    pass


@dataclass(frozen=True)
class Told:
    """What the model knows of one event; `number` tells it from every other."""

    seq: int
    number: int
    state_of: str


@dataclass
class Reader:
    """A client: where it is, and what it knows. A snapshot gives it everything at once."""

    cursor: Cursor
    known: set[int]


class LogModel(RuleBasedStateMachine):
    """One topic, two readers of it, and a list of what is in it."""

    def __init__(self) -> None:
        super().__init__()
        self.key = f"c{next(_names)}.model"  # a fresh topic, so that nothing need be cleaned up
        self.events: list[Told] = []
        self.floor = 0
        self.numbers = count(1)
        head = read_heads([self.key])[self.key]
        self.readers = [Reader(head.cursor, set()) for _ in range(2)]

    # --- Writers -------------------------------------------------------------------------------------

    @rule(objects=st.lists(st.sampled_from(["", "", "a", "b"]), min_size=1, max_size=6), commits=st.booleans())
    def write(self, objects: list[str], commits: bool) -> None:
        """One transaction with an event for each of `objects`; an event with one may be replaced."""
        told: list[Told] = []
        try:
            with transaction.atomic():
                for state_of in objects:
                    number = next(self.numbers)
                    append(self.key, "told", {"n": number}, object_key=state_of, is_kept=not state_of)
                    told.append(Told(len(self.events) + len(told) + 1, number, state_of))
                if not commits:
                    raise RolledBack
        except RolledBack:
            return
        self.events += told

    @rule(keep=st.integers(0, 8))
    def forget(self, keep: int) -> None:
        prune(self.key, keep=keep)
        self.floor = max(self.floor, len(self.events) - keep)

    @rule()
    def restore(self) -> None:
        before = read_heads([self.key])[self.key].epoch
        reset_epochs()
        assert read_heads([self.key])[self.key].epoch != before

    # --- Readers -------------------------------------------------------------------------------------

    @rule(who=st.integers(0, 1), limit=st.integers(1, 5))
    def read(self, who: int, limit: int) -> None:
        """A reconnect: some more events, exactly those that come next; or a snapshot, exactly if it must be."""
        reader = self.readers[who]
        head = read_heads([self.key])[self.key]
        may_go_on = reader.cursor.epoch == head.epoch and reader.cursor.seq >= self.floor
        assert is_served(self.key, reader.cursor) == may_go_on
        if not may_go_on:
            reader.cursor, reader.known = head.cursor, {told.number for told in self.events}
            return
        entries = entries_after(self.key, reader.cursor, limit)
        expected = self.events[reader.cursor.seq : reader.cursor.seq + limit]
        assert [(entry.seq, entry.data) for entry in entries] == [(e.seq, f'{{"n":{e.number}}}') for e in expected]
        self._apply(reader, [told.seq for told in expected], {entry.seq for entry in without_replaced(entries)})

    def _apply(self, reader: Reader, served: list[int], kept: set[int]) -> None:
        """Left out is only what a newer event of the same object among them replaces."""
        for seq in served:
            told = self.events[seq - 1]
            newer = [self.events[s - 1] for s in served if s > seq and self.events[s - 1].state_of == told.state_of]
            assert (seq not in kept) == bool(told.state_of and newer)
            reader.known.add(told.number)
            reader.cursor = Cursor(reader.cursor.epoch, seq)

    # --- Always --------------------------------------------------------------------------------------

    @invariant()
    def a_reader_knows_everything_up_to_its_cursor(self) -> None:
        for reader in self.readers:
            assert {told.number for told in self.events[: reader.cursor.seq]} <= reader.known

    @invariant()
    def numbers_run_from_the_floor_to_the_head_without_holes(self) -> None:
        (page,) = read_pages([Want(self.key, 0, len(self.events) + 1)])
        assert (page.head.seq, page.head.floor) == (len(self.events), self.floor)
        assert [entry.seq for entry in page.entries] == list(range(self.floor + 1, len(self.events) + 1))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_log_is_what_its_model_says() -> None:
    run_state_machine_as_test(
        LogModel,
        settings=settings(
            max_examples=50, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
