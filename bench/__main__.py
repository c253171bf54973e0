"""Play the scenarios and write build/bench/report.md and report.json. Usage: python -m bench [--full] [NAME …]

Exit status 1 if something was lost or a stored number is wrong; a speed that was missed is only reported.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench.report import Report, Section
from bench.scenarios import confirmations, notice, timer
from bench.scenarios.contenders import CHANNELS, CHANNELS_REDIS, FATHOM, PICOWS
from bench.stage.machine import LOAD_CORE, allow_many_sockets, describe, on_core
from bench.stage.site import POSTGRESQL, SQLITE

FOLDER = Path("build/bench")

Scenario = Callable[[], Section]

SHORT: dict[str, list[Scenario]] = {
    "timer": [lambda: timer.run(timer.Plan(contestants=2000, rate=2200, seconds=15))],
    "confirmations-sqlite": [lambda: confirmations.run(SQLITE, 10_000)],
    "confirmations-postgresql": [lambda: confirmations.run(POSTGRESQL, 10_000)],
    "notice": [lambda: notice.run(notice.Plan(1000, rounds=2, notices=5, servers=(FATHOM, PICOWS, CHANNELS)))],
}
FULL: dict[str, list[Scenario]] = {
    "timer": [
        lambda: timer.run(timer.Plan(contestants=2000, rate=2200, seconds=30)),
        lambda: timer.run(timer.Plan(contestants=5000, rate=2200, seconds=60)),
        lambda: timer.run(timer.Plan(contestants=5000, rate=3000, seconds=30)),
    ],
    "confirmations-sqlite": [lambda: confirmations.run(SQLITE, 10_000)],
    "confirmations-postgresql": [lambda: confirmations.run(POSTGRESQL, 10_000)],
    "notice": [
        lambda: notice.run(notice.Plan(1000, rounds=3, notices=5, servers=(FATHOM, PICOWS, CHANNELS, CHANNELS_REDIS))),
        lambda: notice.run(notice.Plan(5000, rounds=3, notices=5, servers=(FATHOM, PICOWS))),
    ],
}


def main() -> int:
    options = _read_options()
    _forget_own_settings()
    allow_many_sockets()
    gc.disable()  # ten thousand clients without cycles; a collection would be taken for a slow server
    plan = FULL if options.full else SHORT
    with on_core(LOAD_CORE):
        report = Report(describe())
        for name in options.scenarios or plan:
            for scenario in plan[name]:
                report.sections.append(_play(name, scenario))
                _write(report)
    print(f"Written to {FOLDER}/report.md and report.json.")
    return 1 if report.has_failed else 0


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--full", action="store_true", help="the long form")
    parser.add_argument("scenarios", nargs="*", choices=[*SHORT, []], metavar="NAME", help=", ".join(SHORT))
    return parser.parse_args()


def _forget_own_settings() -> None:
    """A developer's own settings must not change what is measured."""
    for name in [name for name in os.environ if name.startswith("FATHOM_") or name in ("DATABASE_URL", "REDIS_URL")]:
        del os.environ[name]


def _play(name: str, scenario: Scenario) -> Section:
    print(f"{name} …", flush=True)
    began, before = time.monotonic(), os.getloadavg()[0]
    section = scenario()
    section = replace(section, load=(before, os.getloadavg()[0]))
    print(f"{Report({}, [section]).as_markdown()}({time.monotonic() - began:.0f} s)\n", flush=True)
    return section


def _write(report: Report) -> None:
    """After each scenario: an interrupted run keeps what it has."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "report.md").write_text(report.as_markdown())
    (FOLDER / "report.json").write_text(report.as_json())


if __name__ == "__main__":
    sys.exit(main())
