"""Runs the test stages one after the other and closes with a summary. Usage: run_tests.py all|fast|e2e"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Any

PYTEST = [sys.executable, "-m", "pytest", "-q"]
# A third worker on two cores, because half of the time is waiting for windows to pass. Each begins with a part of its
# own, in order, so that what modules share is seldom made twice, and takes from the others' ends when it has done.
PARALLEL = ["-n", "3", "--dist", "worksteal"]
NODE = ["node", "tools/run_js_tests.mjs"]
# Random lives of a page, each in a world of faults; set it yourself for millions of them.
# The same schedules in every whole run, so that it fails for what was changed; chance belongs to longer runs by hand.
SEED = os.environ.get("FATHOM_SEED", "673988516")
MANY, SOME = (
    {"FATHOM_SCHEDULES": os.environ.get("FATHOM_SCHEDULES", count), "FATHOM_SEED": SEED} for count in ("200000", "5000")
)


@dataclass(frozen=True)
class Stage:
    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    beside: Stage | None = None
    """Runs at the same time, after everything else at the processor; its output comes at its end."""


CHECK = Stage("lint, types, import rules", ["make", "--no-print-directory", "check"])
JAVASCRIPT = Stage("browser modules (Node)", ["nice", "-n", "19", *NODE], MANY)
JAVASCRIPT_FAST = Stage("browser modules (Node)", NODE, SOME)
FAST = Stage("Python, quick ones", [*PYTEST, *PARALLEL, "-m", "not slow"])
# Hostile programs have to end within a stated time: beside them runs only what leaves them the processor.
JUDGE = Stage("judge and jail, SQLite", [*PYTEST, "judge"], beside=JAVASCRIPT)
EMBEDDED = Stage("Python, SQLite and one process", [*PYTEST, *PARALLEL, "config", "contest", "realtime", "bench"])
SCALED = Stage("Python, PostgreSQL and Redis", [*PYTEST, *PARALLEL], {"FATHOM_TEST_SHAPE": "scaled"})
# One worker does what people do on pages; two play the faults, which mostly wait for windows to pass.
BROWSER = Stage("browser, SQLite and one process", [*PYTEST, "-n", "3", "e2e"])
BROWSER_SCALED = Stage(
    "browser, PostgreSQL and Redis",
    [*PYTEST, "-n", "2", "e2e", "-m", "both_shapes"],
    {"FATHOM_TEST_SHAPE": "scaled"},
)

SELECTIONS = {
    "all": [CHECK, JUDGE, EMBEDDED, SCALED, BROWSER, BROWSER_SCALED],
    "fast": [JAVASCRIPT_FAST, FAST],
    "e2e": [BROWSER, BROWSER_SCALED],
}


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in SELECTIONS:
        print(__doc__, file=sys.stderr)
        return 2
    results = [result for stage in SELECTIONS[sys.argv[1]] for result in _run(stage)]
    print("\n=== Summary ===")
    for stage, status, seconds in results:
        print(f"{'ok    ' if status == 0 else 'FAILED'} {stage.name} ({seconds:.0f} s)")
    failed = sum(status != 0 for _, status, _ in results)
    print(f"stages: {len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


def _run(stage: Stage) -> list[tuple[Stage, int, float]]:
    """The stage and the one beside it, with exit status and seconds."""
    print(f"\n=== {stage.name} ===", flush=True)
    with tempfile.TemporaryFile() as output:
        started = time.monotonic()
        beside = stage.beside and (stage.beside, _start(stage.beside, stdout=output, stderr=output))
        results = [(stage, _start(stage).wait(), time.monotonic() - started)]
        if beside:
            results.append((beside[0], beside[1].wait(), time.monotonic() - started))
            output.seek(0)
            print(f"\n=== {beside[0].name} ===\n{output.read().decode(errors='replace')}", flush=True)
    return results


def _start(stage: Stage, **streams: Any) -> subprocess.Popen[bytes]:
    environment = {**os.environ, **stage.environment}
    # Dozens of processes are started: without the compiled modules of the one before, each is half as slow again.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.Popen(stage.command, env=environment, **streams)


if __name__ == "__main__":
    sys.exit(main())
