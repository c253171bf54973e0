"""The timer's rule, in tables and in random schedules against a second, slower way to say the same."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from realtime.timer.lease import Account, Interval, Outcome, Page, Report, Terms, credit, merged, settle

LEASE = 30_000
WINDOW = (0, 10_000_000)


def terms(now_ms: int, window: Interval = WINDOW, clock_steps: int = 0) -> Terms:
    return Terms((window,), LEASE, now_ms, clock_steps)


def report(client_seq: int, arrived_ms: int, foreground_ms: int, foreground: bool = True) -> Report:
    return Report(client_seq, arrived_ms, foreground, foreground_ms)


PREVIOUS = Page(client_seq=1, arrived_ms=100_000, foreground=True, foreground_ms=5_000)


@pytest.mark.parametrize(
    ("page", "given_report", "outcome", "credited_ms"),
    [
        (Page(), report(1, 100_000, 99_000), Outcome.FIRST, 0),
        (PREVIOUS, report(2, 110_000, 15_000), Outcome.CREDITED, 10_000),
        (PREVIOUS, report(2, 110_000, 9_000), Outcome.CREDITED, 4_000),
        (PREVIOUS, report(2, 110_000, 999_000), Outcome.CREDITED, 10_000),
        (PREVIOUS, report(2, 110_000, 1_000), Outcome.CREDITED, 0),
        (PREVIOUS, report(2, 110_000, 15_000, foreground=False), Outcome.CREDITED, 10_000),
        (PREVIOUS, report(1, 110_000, 15_000), Outcome.REPEATED, 0),
        (PREVIOUS, report(2, 130_000, 35_000), Outcome.CREDITED, 30_000),
        (PREVIOUS, report(2, 130_001, 35_001), Outcome.GAP, 0),
        (PREVIOUS, report(2, 99_999, 15_000), Outcome.CLOCK, 0),
        (Page(1, 100_000, False, 5_000), report(2, 110_000, 15_000), Outcome.FIRST, 0),
    ],
)
def test_one_report(page: Page, given_report: Report, outcome: Outcome, credited_ms: int) -> None:
    settled = settle(Account(), page, given_report, terms(given_report.arrived_ms))
    assert (settled.outcome, settled.credited_ms) == (outcome, credited_ms)
    assert settled.account.accumulated_ms == credited_ms


def test_the_contests_window_cuts() -> None:
    settled = settle(Account(), PREVIOUS, report(2, 110_000, 15_000), terms(110_000, (104_000, 107_000)))
    assert settled.credited_ms == 3_000


def test_two_tabs_do_not_count_double_in_whatever_order_they_are_settled() -> None:
    first = (Page(1, 100_000, True, 0), report(2, 110_000, 10_000))
    second = (Page(1, 105_000, True, 0), report(2, 115_000, 10_000))
    for order in itertools.permutations([first, second]):
        account = Account()
        for page, given_report in order:
            account = settle(account, page, given_report, terms(120_000)).account
        assert account.accumulated_ms == 15_000


def test_after_a_step_of_the_clock_the_next_report_counts_as_a_first_one() -> None:
    settled = settle(Account(), PREVIOUS, report(2, 110_000, 15_000), terms(110_000, clock_steps=1))
    assert (settled.outcome, settled.credited_ms) == (Outcome.CLOCK, 0)
    following = settle(settled.account, settled.page, report(3, 120_000, 25_000), terms(120_000, clock_steps=1))
    assert following.credited_ms == 10_000


def test_a_clock_that_went_back_does_not_stop_the_counting() -> None:
    ahead = Account(50_000, ((1_000_000, 1_050_000),), 900_000)
    page = Page(1, 200_000, True, 0)
    settled = settle(ahead, page, report(2, 210_000, 10_000), terms(210_000))
    following = settle(settled.account, settled.page, report(3, 220_000, 20_000), terms(220_000))
    assert following.account.accumulated_ms >= 60_000


# --- Random schedules -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Sent:
    """A report of page `page` as it was made and as it arrived; `now_ms` is when it is settled."""

    page: int
    report: Report


@st.composite
def schedules(draw: st.DrawFn) -> tuple[list[Sent], list[Interval]]:
    """Reports of up to three pages with losses and delays, and the true foreground of all pages together."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    sent: list[Sent] = []
    truth: list[Interval] = []
    for page in range(draw(st.integers(1, 3))):
        now, seq, foreground_ms = chance.randrange(0, 20_000), 0, 0
        foreground = chance.random() < 0.7
        arrived = 0
        while now < 200_000:
            seq += 1
            arrived = max(arrived, now + chance.choice([0, 0, 1, 40, 900]))
            if chance.random() < 0.8:
                sent.append(Sent(page, report(seq, arrived, foreground_ms, foreground)))
            step = chance.choice([50, 1_000, 10_000, 10_000, 10_000, 29_000, 45_000])
            if foreground:
                truth.append((now, now + step))
                foreground_ms += step
            now += step
            foreground = foreground if chance.random() < 0.6 else not foreground
    return sent, list(merged(truth))


def apply_all(sent: list[Sent], window: Interval = WINDOW) -> Account:
    account, pages = Account(), dict[int, Page]()
    for each in sent:
        settled = settle(account, pages.get(each.page, Page()), each.report, terms(300_000, window))
        assert settled.account.accumulated_ms >= account.accumulated_ms, "it never decreases"
        account, pages[each.page] = settled.account, settled.page
    return account


def the_union(sent: list[Sent], window: Interval = WINDOW) -> int:
    """The definition itself: the union over pages of what each pair of consecutive reports allows."""
    intervals = []
    for page in {each.page for each in sent}:
        reports = [each.report for each in sent if each.page == page]
        for before, after in itertools.pairwise(reports):
            if before.foreground and after.arrived_ms - before.arrived_ms <= LEASE:
                grew = max(0, after.foreground_ms - before.foreground_ms)
                end = min(before.arrived_ms + grew, after.arrived_ms, window[1])
                intervals.append((max(before.arrived_ms, window[0]), end))
    return sum(end - start for start, end in merged([each for each in intervals if each[0] < each[1]]))


def in_some_order(sent: list[Sent], chance: random.Random) -> list[Sent]:
    """Another order of settlement: pages anyhow among each other, reports of one page in theirs."""
    waiting = {page: [each for each in sent if each.page == page] for page in {each.page for each in sent}}
    order = []
    while any(waiting.values()):
        page = chance.choice([page for page, reports in waiting.items() if reports])
        order.append(waiting[page].pop(0))
    return order


@settings(max_examples=200, deadline=None)
@given(schedules(), st.integers(0, 2**32))
def test_accumulated_is_the_union_in_any_order_and_never_more_than_the_truth(
    schedule: tuple[list[Sent], list[Interval]], seed: int
) -> None:
    sent, truth = schedule
    in_order = apply_all(sorted(sent, key=lambda each: each.report.arrived_ms))
    assert in_order.accumulated_ms == the_union(sent)
    shuffled = apply_all(in_some_order(sent, random.Random(seed)))
    assert shuffled.accumulated_ms == in_order.accumulated_ms
    true_ms = sum(end - start for start, end in truth)
    # Of one page it is never more than its own clock says; what two pages count apart may shift by their delays.
    pages = {each.page for each in sent}
    delays_ms = 900 * len(sent) if len(pages) > 1 else 0
    assert in_order.accumulated_ms <= true_ms + delays_ms


@settings(max_examples=100, deadline=None)
@given(schedules(), st.integers(0, 2**32))
def test_any_repetition_of_reports_changes_nothing(schedule: tuple[list[Sent], list[Interval]], seed: int) -> None:
    sent = sorted(schedule[0], key=lambda each: each.report.arrived_ms)
    chance = random.Random(seed)
    repeated = []
    for position, each in enumerate(sent):
        repeated.append(each)
        if chance.random() < 0.5:
            repeated.append(sent[chance.randrange(position + 1)])
    assert apply_all(repeated) == apply_all(sent)


@settings(max_examples=100, deadline=None)
@given(schedules(), st.integers(0, 200_000), st.integers(0, 200_000))
def test_nothing_counts_outside_the_window(schedule: tuple[list[Sent], list[Interval]], one: int, other: int) -> None:
    sent = sorted(schedule[0], key=lambda each: each.report.arrived_ms)
    window = (min(one, other), max(one, other))
    account = apply_all(sent, window)
    assert account.accumulated_ms == the_union(sent, window)
    assert account.accumulated_ms <= window[1] - window[0]


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), max_size=30))
def test_crediting_counts_every_millisecond_once(intervals: list[Interval]) -> None:
    account = Account()
    for interval in intervals:
        account = credit(account, interval)
    assert account.accumulated_ms == len({ms for start, end in intervals for ms in range(start, end)})
