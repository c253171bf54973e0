"""A report says what was measured, and tells a broken law from a missed target."""

from __future__ import annotations

import json

from bench.figures import median, percentile, ratio
from bench.report import Check, Report, Section
from bench.scenarios.foreground import Reported, allowed_ms

LAW = Check("nothing is lost", holds=True, is_law=True)
TARGET = Check("fast enough", holds=False)


def report_with(*checks: Check) -> Report:
    section = Section("Timer", ("server", "a second", "lost"), [("Fathom", 2183.4, 0), ("peer", None, 12_000)], checks)
    return Report({"cores": 2, "python": "3.11.7"}, [section])


def test_people_read_a_table_with_its_checks() -> None:
    text = report_with(LAW, TARGET).as_markdown()
    assert "| server | a second | lost |\n| --- | --- | --- |\n| Fathom | 2,183 | 0 |\n| peer | – | 12,000 |" in text
    assert "* holds: nothing is lost\n* **missed**: fast enough" in text
    assert "* cores: 2" in text


def test_programs_read_the_exact_figures() -> None:
    found = json.loads(report_with(LAW).as_json())
    assert found["machine"]["cores"] == 2
    assert found["sections"][0]["rows"][0] == ["Fathom", 2183.4, 0]
    assert found["sections"][0]["checks"] == [{"sentence": "nothing is lost", "holds": True, "is_law": True}]


def test_a_missed_speed_is_no_failure_but_a_loss_is() -> None:
    assert not report_with(LAW, TARGET).has_failed
    broken = report_with(Check("nothing is lost", holds=False, is_law=True))
    assert broken.has_failed
    assert "**BROKEN**: nothing is lost" in broken.as_markdown()


def test_percentiles_are_values_that_were_measured() -> None:
    assert percentile(range(1, 101), 0.99) == 99
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert percentile([], 0.5) is None
    assert ratio(3.0, 2.0) == 1.5
    assert ratio(3.0, None) is None


def test_a_page_is_allowed_what_its_own_clock_and_the_arrivals_confirm() -> None:
    reports = [
        Reported(3, 22_000, 21_500),  # 12 s apart, and its clock grew by 11.5 s
        Reported(1, 0, 0),
        Reported(2, 10_000, 10_000),
        Reported(4, 52_001, 51_501),  # more than a lease later: nothing
        Reported(5, 53_001, 99_000),  # a clock that runs ahead gains nothing
    ]
    assert allowed_ms(reports, lease_ms=30_000) == 10_000 + 11_500 + 1_000
