"""Settling in the database itself: two nodes, documents that go from one to the other, batches that fail, clock steps.

What must come out is found again by interval arithmetic, as in `test_lease_machine`; here the rows,
the locks, the fence and the steps of the clock are real.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from contest.access import rights_in
from contest.models import Contest, Participation, User
from contest.rules.phases import milliseconds
from realtime.models import TimerAccount, TimerClock, TimerSession, TimerStretch
from realtime.tests.timer_world import cut, measure
from realtime.timer import clock as timer_clock
from realtime.timer import rows as timer_rows
from realtime.timer.clock import Clock
from realtime.timer.lease import Interval, Outcome
from realtime.timer.rows import Session
from realtime.timer.settlement import Fenced, Pending, Result, Settlement

LEASE = 30_000
LENGTHS_MS = [10_000, 10_000, 3_000, 7_000, 17_000, 30_000, 30_001, 45_000]


@dataclass
class Document:
    owner: int
    session: Session
    node: int
    client: str
    seq: int = 0
    foreground: bool = True
    foreground_ms: int = 0


@dataclass(frozen=True)
class Kept:
    """A report that the database took: what it said, when, and how many steps of the clock were known then."""

    pending: Pending
    steps: int
    offset_ms: int


class World:
    """The clocks of the test; `read` is what the database would answer."""

    now_ms = 0.0
    offset_ms = 0

    def read(self) -> Clock:
        known = TimerClock.objects.values_list("steps", flat=True).first() or 0
        return Clock(round(self.now_ms) + self.offset_ms, self.now_ms, self.now_ms, known)


class SettlementMachine(RuleBasedStateMachine):
    contest: Contest
    world: World
    new_user: Callable[[], User]

    @initialize(seed=st.integers(0, 2**32))
    def begin(self, seed: int) -> None:
        TimerClock.objects.all().delete()
        self.world.now_ms, self.world.offset_ms = 0.0, milliseconds(timezone.now())
        self.nodes = [Settlement(), Settlement()]
        for node in self.nodes:  # a node looks at the clock as soon as it starts
            node._clock.keep(node._clock.read())
        self.waiting: list[list[Pending]] = [[], []]
        self.people = [self.new_user(), self.new_user()]
        self.documents: list[Document] = []
        self.kept: dict[int, list[Kept]] = {}
        self.owner_of: dict[int, int] = {}
        self.counting_from: dict[tuple[int, int], float] = {}
        for owner in (0, 0, 1):
            self.open(owner, 0)
        self.pass_a_while(seed)

    @rule(seed=st.integers(0, 2**32))
    def pass_a_while(self, seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(40):
            document = chance.choice(self.documents)
            match chance.randrange(10):
                case 0:
                    self.report(document, chance.choice(LENGTHS_MS), False)
                    self.go_to(document, chance.randrange(2))
                    self.report(document, 700, False)
                case 1:
                    self.repeat(document)
                case 2 if chance.random() < 0.5:
                    self.step(chance.choice([-60_000, -20_000, 20_000, 60_000]), chance.randrange(2))
                case 3:
                    self.settle(chance.randrange(2), fails=True)
                case _:
                    self.report(document, chance.choice(LENGTHS_MS), chance.random() < 0.2)
            for node in (0, 1):
                if chance.random() < 0.6:
                    self.settle(node)
        self.settle(0)
        self.settle(1)
        self.check()

    # --- What happens -----------------------------------------------------------------------------

    def open(self, owner: int, node: int) -> None:
        client = f"document-{len(self.documents)}"
        document = Document(owner, self._take_over(owner, client), node, client)
        self.documents.append(document)
        self.owner_of[document.session.session_id] = owner

    def _take_over(self, owner: int, client: str) -> Session:
        session = timer_rows.take_over(self.contest, rights_in(self.contest, self.people[owner]), client)
        assert session is not None
        return session

    def go_to(self, document: Document, node: int) -> None:
        """Another connection takes it over, perhaps on the same node; what waits of the old one comes too late."""
        document.session, document.node = self._take_over(document.owner, document.client), node

    def report(self, document: Document, after_ms: int, turns: bool) -> None:
        self.world.now_ms += after_ms
        for each in self.documents:
            each.foreground_ms += after_ms if each.foreground else 0
        document.foreground ^= turns
        document.seq += 1
        self._send(document, document.seq)

    def repeat(self, document: Document) -> None:
        self._send(document, max(0, document.seq - 1))

    def _send(self, document: Document, seq: int) -> None:
        pending = Pending(document.session, seq, document.foreground, document.foreground_ms, self.world.now_ms)
        self.waiting[document.node].append(pending)

    def step(self, by_ms: int, seen_by: int) -> None:
        """A node looks at the clock every few seconds, so one of them sees it before there is another."""
        self.world.offset_ms += by_ms
        clock = self.nodes[seen_by]._clock
        clock.keep(clock.read())

    def settle(self, node: int, *, fails: bool = False) -> None:
        """One batch. With `fails` the database gives up at the last write: then nothing has happened."""
        batch, before = self.waiting[node], self._totals()
        if not batch:
            return
        if fails:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(timer_rows, "write_pages", _fail)
                self._fail_or_repeat(node, batch)
            assert self._totals() == before
            return
        self.waiting[node] = []
        epochs = dict(TimerSession.objects.values_list("pk", "session_epoch"))
        for pending, result in zip(batch, self.nodes[node]._settle(batch), strict=True):
            is_current = epochs[pending.session.session_id] == pending.session.session_epoch
            assert isinstance(result, Result) == is_current, "an old epoch is fenced, and nothing else is"
            earlier = [each.pending.client_seq for each in self.kept.get(pending.session.session_id, [])]
            if isinstance(result, Result):
                is_repeated = result.outcome is Outcome.REPEATED
                assert is_repeated == (pending.client_seq <= max(earlier, default=-1)), "in order of arrival"
            if isinstance(result, Result) and result.outcome is not Outcome.REPEATED:
                self._keep(pending, before.get(pending.session.participation_id, 0))
            assert is_current or isinstance(result, Fenced)
        after = self._totals()
        assert all(after[key] >= total for key, total in before.items()), "it never decreases"

    def _fail_or_repeat(self, node: int, batch: list[Pending]) -> None:
        try:
            results = self.nodes[node]._settle(batch)
        except DatabaseError:
            return
        for each in results:
            assert isinstance(each, Fenced) or (isinstance(each, Result) and each.outcome is Outcome.REPEATED)

    def _keep(self, pending: Pending, counted_before_ms: int) -> None:
        """After a step time counts anew from the first settlement on, if any had been counted before."""
        steps, since_ms = self.world.read().steps, self.world.now_ms if counted_before_ms else 0.0
        self.counting_from.setdefault((self.owner_of[pending.session.session_id], steps), since_ms)
        kept = Kept(pending, steps, self.world.offset_ms)
        self.kept.setdefault(pending.session.session_id, []).append(kept)

    # --- What must hold ---------------------------------------------------------------------------

    def _totals(self) -> dict[int, int]:
        return dict(TimerAccount.objects.values_list("pk", "accumulated_ms"))

    def check(self) -> None:
        for owner, user in enumerate(self.people):
            account = TimerAccount.objects.get(participation__user=user)
            sessions = [key for key, of in self.owner_of.items() if of == owner]
            pairs = [pair for key in sessions for pair in itertools.pairwise(self.kept.get(key, []))]
            allowed = [piece for pair in pairs for piece in self._allowed(owner, *pair)]
            assert account.accumulated_ms == measure(allowed)
            history = TimerStretch.objects.filter(participation=account.participation)
            told = [row.counted_ms for row in history] + [account.stretch[2] if account.stretch else 0]
            told += [end - start for start, end in account.intervals]
            assert account.accumulated_ms == sum(told), "the history is whole"

    def _allowed(self, owner: int, before: Kept, after: Kept) -> list[Interval]:
        start, end = round(before.pending.arrived_ms), round(after.pending.arrived_ms)
        if not before.pending.foreground or before.steps != after.steps or end - start > LEASE:
            return []
        grown = start + max(0, after.pending.foreground_ms - before.pending.foreground_ms)
        moments = [milliseconds(each) - after.offset_ms for each in (self.contest.starts_at, self.contest.ends_at)]
        since = round(self.counting_from[owner, after.steps]) if after.steps else start
        return cut((max(start, since), min(grown, end)), ((moments[0], moments[1]),))


def _fail(*_: object) -> None:
    raise DatabaseError("the connection is lost")


def test_the_database_holds_what_the_rule_says(
    db: None, contest: Contest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = itertools.count()

    class Machine(SettlementMachine):
        world = World()

        def new_user(self) -> User:
            user = User.objects.create(username=f"contestant-{next(numbers)}")
            Participation.objects.create(contest=contest, user=user, registered_at=timezone.now())
            return user

    Machine.contest = contest
    contest.ends_at = timezone.now() + timedelta(minutes=5)
    contest.save()
    monkeypatch.setattr(timer_clock, "_read", Machine.world.read)
    small = settings(
        max_examples=10, stateful_step_count=2, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    run_state_machine_as_test(Machine, settings=small)
