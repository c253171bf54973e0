"""The timer's rule against a world of its own: pages, a network, nodes, and clocks that step.

The machine knows the true time, which nothing in the rule does. What should have been counted is
found again by interval arithmetic over all accepted reports, on the true time line.
"""

from __future__ import annotations

import itertools
import random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from realtime.tests.timer_world import Accepted, Sent, World, cut, cut_all, measure
from realtime.timer.lease import Account, Interval, Outcome, Page, Report, Settled, Terms, settle

LEASE = 30_000
MOST_HELD_MS = 300_000
START = 1_000_000
PAUSE = (40_000, 55_000)
"""After the start: time that does not count inside the window."""


pages_chosen = st.integers(0, 7)
LENGTHS_MS = [10_000, 10_000, 1, 900, 5_000, 7_000, 3_000, 17_000, 30_000, 30_001, 45_000]
STEPS_MS = [-120_000, -20_000, -4_000, 4_000, 20_000, 120_000]
FATES = ["prompt", "prompt", "prompt", "flying", "lost"]
lengths_ms, fates, steps_ms = st.sampled_from(LENGTHS_MS), st.sampled_from(FATES), st.sampled_from(STEPS_MS)
windows_ms = st.sampled_from([100_000, 400_000, 4_000_000])
seeds = st.integers(0, 2**32)

settled_at_once = st.sampled_from([True, True, False])


class TimerMachine(RuleBasedStateMachine):
    @initialize(
        steps=st.booleans(),
        one_page=st.booleans(),
        length_ms=st.sampled_from([100_000, 400_000, 4_000_000]),
        seed=seeds,
    )
    def begin(self, steps: bool, one_page: bool, length_ms: int, seed: int) -> None:
        self.may_step, self.most_pages = steps, 1 if one_page else 4
        self.now, self.offset_ms, self.steps = START, 0, 0
        self.ends_ms = START + length_ms
        self.account, self.finished = Account(), list[Interval]()
        self.worlds: list[World] = []
        self.stored: list[Page] = []
        self.flying: list[Sent] = []
        self.pending: list[Sent] = []
        self.accepted: list[Accepted] = []
        self.counting_from: dict[int, int] = {0: 0}
        self.open_page(visible=True, by_ms=0)
        self.pass_a_while(seed)

    @rule(seed=seeds)
    def pass_a_while(self, seed: int) -> None:
        """Many steps at once: by single steps alone hypothesis rarely gets far."""
        chance = random.Random(seed)
        for _ in range(20):
            page, by_ms = chance.randrange(8), chance.choice(LENGTHS_MS)
            fate, settled = chance.choice(FATES), chance.random() < 0.7
            match chance.randrange(12):
                case 0:
                    self.open_page(chance.random() < 0.7, by_ms)
                case 1 | 2:
                    self.turn(page, by_ms, fate, settled)
                case 3 if self.flying:
                    self.arrive(page, settled)
                case 4:
                    self.go_to_another_node(page)
                case 5 if self.may_step:
                    self.step_database_clock(chance.choice(STEPS_MS))
                case 6 if chance.random() < 0.2:
                    self.step_page_clock(page, chance.choice(STEPS_MS))
                case _:
                    self.work_and_report([(page, by_ms, fate, settled)])

    # --- What happens in the world ----------------------------------------------------------------

    @rule(visible=st.sampled_from([True, True, False]), by_ms=lengths_ms)
    def open_page(self, visible: bool, by_ms: int) -> None:
        self.now += by_ms
        if len(self.worlds) < self.most_pages:
            self.worlds.append(World(self.now, visible, since_ms=self.now))
            self.stored.append(Page())
            self._report(len(self.worlds) - 1)

    @rule(by_ms=lengths_ms)
    def wait(self, by_ms: int) -> None:
        self.now += by_ms
        if any(self.now - each.arrived_ms > MOST_HELD_MS for each in self.pending):
            self.settle_some(0)

    @rule(works=st.lists(st.tuples(pages_chosen, lengths_ms, fates, settled_at_once), min_size=1, max_size=5))
    def work_and_report(self, works: list[tuple[int, int, str, bool]]) -> None:
        for page, by_ms, fate, settled in works:
            self.now += by_ms
            self._report(page % len(self.worlds), fate)
            if settled:
                self.settle_some(by_ms)

    @rule(page=pages_chosen, by_ms=lengths_ms, fate=fates, settled=settled_at_once)
    def turn(self, page: int, by_ms: int, fate: str, settled: bool) -> None:
        self.now += by_ms
        self.worlds[page % len(self.worlds)].turn(self.now)
        self.work_and_report([(page, 0, fate, settled)])

    @precondition(lambda self: self.flying)
    @rule(chosen=st.integers(0, 9), again=st.booleans())
    def arrive(self, chosen: int, again: bool) -> None:
        """Late, in another order, perhaps twice."""
        sent = self.flying.pop(chosen % len(self.flying))
        self._arrive(sent)
        if again:
            self.flying.append(sent)

    @rule(page=pages_chosen)
    def go_to_another_node(self, page: int) -> None:
        """The old node still holds what has arrived there; its epoch is over."""
        self.worlds[page % len(self.worlds)].epoch += 1
        self._report(page % len(self.worlds))

    @rule(page=pages_chosen, by_ms=steps_ms)
    def step_page_clock(self, page: int, by_ms: int) -> None:
        world = self.worlds[page % len(self.worlds)]
        world.skew_ms += by_ms
        world.has_lied |= by_ms > 0

    @precondition(lambda self: self.may_step)
    @rule(by_ms=steps_ms)
    def step_database_clock(self, by_ms: int) -> None:
        self.offset_ms += by_ms
        self.steps += 1

    @rule(seed=st.integers(0, 99))
    def settle_some(self, seed: int) -> None:
        """In any order; by which node does not matter."""
        random.Random(seed).shuffle(self.pending)
        waiting, self.pending = self.pending, []
        for sent in waiting:
            self._settle(sent)

    @precondition(lambda self: self.accepted)
    @rule(chosen=st.integers(0, 99))
    def repeat(self, chosen: int) -> None:
        before = (self.account, list(self.stored))
        sent = self.accepted[chosen % len(self.accepted)].sent
        assert self._apply(sent).outcome is Outcome.REPEATED
        assert before == (self.account, self.stored)

    # --- Parts ------------------------------------------------------------------------------------

    def _report(self, page: int, fate: str = "prompt") -> None:
        world = self.worlds[page]
        world.seq += 1
        sent = Sent(page, world.epoch, world.seq, world.visible, world.shown_ms(self.now), self.now)
        if fate == "prompt":
            self._arrive(sent)
        elif fate == "flying":
            self.flying.append(sent)

    def _arrive(self, sent: Sent) -> None:
        self.pending.append(Sent(**{**vars(sent), "arrived_ms": self.now}))

    @property
    def windows(self) -> tuple[Interval, ...]:
        around = (START, START + PAUSE[0]), (START + PAUSE[1], self.ends_ms)
        return tuple(cut_all([(START, self.ends_ms)], around))

    def _settle(self, sent: Sent) -> None:
        if sent.epoch != self.worlds[sent.page].epoch:
            return  # fenced: the store knows a newer epoch
        before, previous = self.account, self.stored[sent.page]
        settled = self._apply(sent)
        if settled.outcome is Outcome.REPEATED:
            return
        if self.steps not in self.counting_from:
            self.counting_from[self.steps] = self.now if before.accumulated_ms else 0
        self.accepted.append(Accepted(sent, self._stamped(sent), self._terms()))
        self.account, self.stored[sent.page] = settled.account, settled.page
        self.finished += settled.finished
        gained_ms = self.account.accumulated_ms - before.accumulated_ms
        assert gained_ms == settled.credited_ms >= 0, "it never decreases"
        if previous.arrived_ms is not None and previous.arrived_ms >= self.ends_ms:
            assert gained_ms == 0, "nothing changes after the window has ended"

    def _apply(self, sent: Sent) -> Settled:
        return settle(self.account, self.stored[sent.page], self._stamped(sent), self._terms())

    def _stamped(self, sent: Sent) -> Report:
        return Report(sent.seq, sent.arrived_ms + self.offset_ms, sent.foreground, sent.foreground_ms)

    def _terms(self) -> Terms:
        return Terms(self.windows, LEASE, self.now + self.offset_ms, self.steps)

    def _pairs(self) -> list[tuple[Accepted, Accepted]]:
        by_page = [[each for each in self.accepted if each.sent.page == page] for page in range(len(self.worlds))]
        return [pair for reports in by_page for pair in itertools.pairwise(reports)]

    def _allowed(self, before: Accepted, after: Accepted) -> list[Interval]:
        """What the definition grants between two consecutive reports of one page, on the true time line."""
        start, end = before.sent.arrived_ms, after.sent.arrived_ms
        if not before.sent.foreground or before.terms.clock_steps != after.terms.clock_steps or end - start > LEASE:
            return []
        grown = start + max(0, after.sent.foreground_ms - before.sent.foreground_ms)
        offset_ms = after.report.arrived_ms - end
        windows = tuple((a - offset_ms, b - offset_ms) for a, b in after.terms.windows)
        return cut((max(start, self.counting_from[after.terms.clock_steps]), min(grown, end)), windows)

    # --- What must hold ---------------------------------------------------------------------------

    @invariant()
    def it_is_the_union(self) -> None:
        allowed = [piece for pair in self._pairs() for piece in self._allowed(*pair)]
        assert self.account.accumulated_ms == measure(allowed)

    @invariant()
    def it_is_never_more_than_the_truth(self) -> None:
        truths = [world.truth(self.now) for world in self.worlds]
        assert self.account.accumulated_ms <= sum(map(measure, truths))
        delay_ms = max((each.sent.arrived_ms - each.sent.sent_ms for each in self.accepted), default=0)
        if all(self._is_plain(*pair) for pair in self._pairs()):
            later = [(start, end + delay_ms) for truth in truths for start, end in truth if start < end]
            assert self.account.accumulated_ms <= measure(later)

    def _is_plain(self, before: Accepted, after: Accepted) -> bool:
        """Where a page was hidden between two of its reports and both say otherwise, its own clock tells how long
        it was in front, but not when: that it is not more than the truth holds for the page alone then."""
        grew_ms = max(0, after.sent.foreground_ms - before.sent.foreground_ms)
        start = before.sent.sent_ms
        truth = self.worlds[before.sent.page].truth(self.now)
        return not before.sent.foreground or measure(cut_all(truth, ((start, start + grew_ms),))) == grew_ms

    @invariant()
    def its_history_is_whole(self) -> None:
        remembered = [*self.finished, *self.account.intervals]
        assert sum(end - start for start, end in remembered) == self.account.accumulated_ms

    def teardown(self) -> None:
        self.settle_some(1)
        self.it_is_the_union()
        if self.steps == 0:
            assert self._settled_in_another_order() == self.account.accumulated_ms
        for _ in range(3):  # the first report after the end may still settle time before it
            self.now = max(self.now + 10_000, self.ends_ms + 1 - self.offset_ms)
            at_the_end_ms = self.account.accumulated_ms
            for page in range(len(self.worlds)):
                self._report(page)
            self.settle_some(2)
        assert self.account.accumulated_ms == at_the_end_ms, "it never changes after the window has ended"

    def _settled_in_another_order(self) -> int:
        """Pages anyhow among each other, the reports of each in theirs, none later than may be."""
        rest = [[each for each in self.accepted if each.sent.page == page] for page in range(len(self.worlds))]
        chance, now = random.Random(len(self.accepted)), 0
        account, stored = Account(), dict[int, Page]()
        while any(rest):
            first_ms = min(reports[0].report.arrived_ms for reports in rest if reports)
            due = [reports for reports in rest if reports and reports[0].report.arrived_ms <= first_ms + MOST_HELD_MS]
            each = chance.choice(due).pop(0)
            now = max(now, each.report.arrived_ms)
            previous = stored.get(each.sent.page, Page())
            settled = settle(account, previous, each.report, Terms(self.windows, LEASE, now))
            account, stored[each.sent.page] = settled.account, settled.page
        return account.accumulated_ms


TimerMachine.TestCase.settings = settings(
    max_examples=300, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)
TestTheTimerInAWorldOfItsOwn = TimerMachine.TestCase
