"""What is told about time that was not counted: where it is missing, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.rules.own_time import Reason, Stretch
from realtime.timer.absences import SHORT_MS, Absence, Last, Why, absence_before, lengthen
from realtime.timer.gaps import find_gaps, measure, timeline
from realtime.timer.lease import Outcome, Page, Report
from realtime.timer.outages import DEAD_AFTER_MS, Kind, Outage, Run, downtimes

WINDOW = (0, 3_600_000)
LEASE = 30_000
HERE = Last(600_000, True, "n1")


def gaps(
    *counted: tuple[int, int], absences: tuple[Absence, ...] = (), outages: tuple[Outage, ...] = (), last: Last = HERE
) -> list[tuple[int, int, Reason, int]]:
    stretches = [Stretch(start, end, end - start) for start, end in counted]
    found = find_gaps([WINDOW], stretches, absences, outages, last, now_ms=600_000, lease_ms=LEASE)
    return [(each.starts_ms, each.ends_ms, each.reason, each.by_site_ms) for each in found]


def away(why: Why, cause: str = "", node: str = "n1") -> Absence:
    return Absence(100_000, 160_000, why, cause, node)


@pytest.mark.parametrize(
    ("absence", "reason"),
    [
        (away(Why.HIDDEN), Reason.HIDDEN),
        (away(Why.LOST, "offline"), Reason.OFFLINE),
        (away(Why.LOST, "probe-timeout"), Reason.PROBE),
        (away(Why.LOST, "report-timeout"), Reason.PROBE),
        (away(Why.LOST, "close"), Reason.CONNECTION),
        (away(Why.LOST, "slept"), Reason.SLEPT),
        (away(Why.LOST, "drain"), Reason.CONNECTION),  # that the site was to blame only the site itself may say
        (away(Why.LOST, "first"), Reason.UNKNOWN),
        (away(Why.SHORT), Reason.UNCONFIRMED),
        (away(Why.SHORT, "offline"), Reason.OFFLINE),
        (away(Why.LATE), Reason.LATE),
        (away(Why.LATE, "offline"), Reason.OFFLINE),
        (away(Why.CLOCK), Reason.CLOCK),
    ],
)
def test_a_gap_has_the_reason_that_the_page_gave_when_it_came_back(absence: Absence, reason: Reason) -> None:
    assert gaps((0, 100_000), (160_000, 600_000), absences=(absence,)) == [(100_000, 160_000, reason, 0)]


def test_of_several_pages_the_one_that_fits_the_gap_is_believed() -> None:
    other_tab = Absence(0, 170_000, Why.HIDDEN, "", "n1")
    lost = away(Why.LOST, "offline")
    assert gaps((0, 100_000), (160_000, 600_000), absences=(other_tab, lost))[0][2] is Reason.OFFLINE


@pytest.mark.parametrize(
    ("told", "late", "reason"),
    [
        (away(Why.SHORT), [(100_000, 160_000, "")], Reason.LATE),
        (away(Why.SHORT), [(150_000, 160_000, ""), (139_000, 160_000, "")], Reason.LATE),  # held together
        (
            away(Why.SHORT),
            [(131_000, 160_000, "")],
            Reason.UNCONFIRMED,
        ),  # it stood still, too
        (away(Why.SHORT), [(100_000, 160_000, "offline")], Reason.OFFLINE),  # shown by the first report after it
        (away(Why.LOST), [(100_000, 160_000, "")], Reason.LATE),
        (away(Why.LOST, "probe-timeout"), [(100_000, 160_000, "")], Reason.PROBE),
        (away(Why.HIDDEN), [(100_000, 160_000, "")], Reason.HIDDEN),
    ],
)
def test_reports_that_only_came_late_are_no_page_that_stood_still(
    told: Absence, late: list[tuple[int, int, str]], reason: Reason
) -> None:
    shown = tuple(Absence(start, end, Why.LATE, cause, "n1") for start, end, cause in late)
    assert gaps((0, 100_000), (160_000, 600_000), absences=(told, *shown))[0][2] is reason


def test_what_became_of_a_page_explains_nothing_before_it_was_opened() -> None:
    crashed = Absence(180_000, 240_000, Why.LOST, "first", "n1")
    assert gaps((240_000, 600_000), absences=(crashed,)) == [
        (0, 180_000, Reason.ABSENT, 0),
        (180_000, 240_000, Reason.UNKNOWN, 0),
    ]
    died = Outage(Kind.NODE, "n1", 60_000, 190_000)
    assert [each[3] for each in gaps((240_000, 600_000), absences=(crashed,), outages=(died,))] == [0, 40_000]
    hidden_first = Absence(170_000, 180_000, Why.HIDDEN, "", "n1")
    assert gaps((240_000, 600_000), absences=(hidden_first, crashed))[0] == (0, 170_000, Reason.HIDDEN, 0)
    assert gaps(last=Last(200_000, True, "n1"))[0] == (0, 200_000, Reason.ABSENT, 0), "it has not come back"
    before_the_start = Absence(-60_000, 240_000, Why.LOST, "first", "n1")
    assert gaps((240_000, 600_000), absences=(before_the_start,)) == [(0, 240_000, Reason.UNKNOWN, 0)]


def test_before_the_first_report_nobody_was_there() -> None:
    assert gaps((200_000, 600_000)) == [(0, 200_000, Reason.ABSENT, 0)]
    assert gaps(last=Last()) == [(0, 600_000, Reason.ABSENT, 0)]


def test_short_interruptions_are_no_gaps() -> None:
    assert gaps((0, 100_000), (100_000 + SHORT_MS - 1, 600_000)) == []
    assert len(gaps((0, 100_000), (100_000 + SHORT_MS, 600_000))) == 1


def test_time_that_the_next_report_may_still_settle_is_no_gap_yet() -> None:
    assert gaps((0, 575_000), last=Last(575_000, True, "n1")) == []
    assert gaps((0, 575_000), last=Last(575_000, False, "n1")) == [(575_000, 600_000, Reason.HIDDEN, 0)]
    assert gaps((0, 560_000), last=Last(560_000, True, "n1")) == [(560_000, 600_000, Reason.UNKNOWN, 0)]


@pytest.mark.parametrize(
    ("outage", "reason"),
    [
        (Outage(Kind.NODE, "n1", 105_000, 125_000), Reason.NODE),
        (Outage(Kind.NODE, "n1", 105_000, 125_000, is_planned=True), Reason.DRAIN),
        (Outage(Kind.STALL, "n1", 105_000, 125_000), Reason.STALL),
        (Outage(Kind.DATABASE, "", 105_000, 125_000), Reason.DATABASE),
    ],
)
def test_the_site_is_blamed_for_what_it_cost_and_no_more(outage: Outage, reason: Reason) -> None:
    lost = away(Why.LOST, "close")
    # 20 s of outage and 30 s to be back; the first 5 s and what is left of the minute are not the site's.
    assert gaps((0, 100_000), (160_000, 600_000), absences=(lost,), outages=(outage,))[0][2:] == (reason, 50_000)


def test_whoever_was_hidden_or_on_another_node_lost_nothing_by_it() -> None:
    outage = Outage(Kind.NODE, "n1", 100_000, 130_000)
    counted = ((0, 100_000), (160_000, 600_000))
    assert gaps(*counted, absences=(away(Why.HIDDEN),), outages=(outage,))[0][2:] == (Reason.HIDDEN, 0)
    elsewhere = away(Why.LOST, "close", node="n2")
    assert gaps(*counted, absences=(elsewhere,), outages=(outage,))[0][2:] == (Reason.CONNECTION, 0)


def test_a_node_is_down_until_its_contestants_can_be_served_again() -> None:
    died, heir = Run("n1", 0, 100_000), Run("n2", 140_000, 290_000)
    assert downtimes([died, heir], 300_000) == [Outage(Kind.NODE, "n1", 100_000, 140_000)]
    other = Run("n3", 0, 299_000)
    assert downtimes([died, heir, other], 300_000) == [Outage(Kind.NODE, "n1", 100_000, 100_000)]
    assert downtimes([died], 300_000) == [Outage(Kind.NODE, "n1", 100_000, 300_000)]
    assert downtimes([died], 100_000 + DEAD_AFTER_MS) == [], "it may only be late"
    stopped = Run("n1", 0, 100_000, 90_000)
    assert downtimes([stopped], 95_000) == [Outage(Kind.NODE, "n1", 90_000, 95_000, is_planned=True)]


def test_a_run_that_ended_at_once_is_no_successor_of_itself() -> None:
    assert downtimes([Run("n1", 50_000, 50_000)], 300_000) == [Outage(Kind.NODE, "n1", 50_000, 300_000)]


def test_a_node_that_could_not_start_thousands_of_times_is_told_in_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    ended_ms = Run.ended_ms

    def counted(run: Run, now_ms: int) -> int | None:
        asked.append(run)
        return ended_ms(run, now_ms)

    monkeypatch.setattr(Run, "ended_ms", counted)
    runs = [Run("n1", at * 6_000, at * 6_000 + 1_000) for at in range(3_000)]
    found = downtimes(runs, 30_000_000)
    assert found[:2] == [Outage(Kind.NODE, "n1", 1_000, 6_000), Outage(Kind.NODE, "n1", 7_000, 12_000)]
    assert len(found) == 3_000
    assert len(asked) <= 2 * len(runs)


# --- What a report tells --------------------------------------------------------------------------


def test_a_page_that_comes_back_says_why_it_was_away() -> None:
    hidden, shown = Page(1, 100_000, False, 0), Page(1, 100_000, True, 0)
    back = Report(2, 160_000, True, 0)
    assert absence_before(HERE, hidden, back, Outcome.FIRST, "") == away(Why.HIDDEN)
    assert absence_before(HERE, shown, back, Outcome.GAP, "offline") == away(Why.LOST, "offline")
    assert absence_before(HERE, hidden, Report(2, 160_000, False, 0), Outcome.FIRST, "") is None, "it is not back"
    assert absence_before(Last(100_000, False, "n1"), Page(), back, Outcome.FIRST, "first") == away(Why.HIDDEN, "first")
    assert absence_before(Last(100_000, True, "n1"), Page(), back, Outcome.FIRST, "first") == away(Why.LOST, "first")
    assert absence_before(Last(), Page(), back, Outcome.FIRST, "first") is None
    short = absence_before(HERE, shown, Report(2, 120_000, True, 4_000), Outcome.CREDITED, "")
    assert short == Absence(104_000, 120_000, Why.SHORT, "", "n1")
    assert absence_before(HERE, shown, Report(2, 110_000, True, 10_000), Outcome.CREDITED, "") is None


def test_a_report_shows_that_the_one_before_it_was_held_on_its_way() -> None:
    held = Page(2, 117_000, True, 10_000)  # said at 110 s
    on_time = Report(3, 120_000, True, 20_000)
    assert absence_before(HERE, held, on_time, Outcome.CREDITED, "") == Absence(110_000, 117_000, Why.LATE, "", "n1")
    little = Report(3, 122_001, True, 20_000)
    assert absence_before(HERE, held, little, Outcome.CREDITED, "") is None, "the rest may be anything"


lengths = st.lists(st.tuples(st.integers(1, 60_000), st.integers(1, 60_000)), max_size=12)


@given(lengths, st.integers(0, 12))
def test_stretches_and_gaps_together_are_the_whole_time(parts: list[tuple[int, int]], in_history: int) -> None:
    intervals, at = [], 0
    for pause, length in parts:
        intervals.append((at + pause, at + pause + length))
        at += pause + length
    newest, complete = lengthen(None, intervals[:in_history])
    stretches = timeline(complete, newest, intervals[in_history:])
    assert sum(each.counted_ms for each in stretches) == measure(intervals), "wherever they are kept"
    found = find_gaps([(0, max(at, 1))], stretches, [], [], Last(), now_ms=max(at, 1), lease_ms=LEASE)
    told = [(each.starts_ms, each.ends_ms) for each in stretches] + [(each.starts_ms, each.ends_ms) for each in found]
    assert sum(end - start for start, end in told) == measure(told), "no moment is told twice"
    assert max(at, 1) - measure(told) < SHORT_MS, "only at the edge something may be too short to be told"
