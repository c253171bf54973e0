"""How long `serve` takes to end: every wait in it is bounded, and their sum is, too."""

from __future__ import annotations

from config import judge_process, server
from config.management.commands import serve


def test_the_operator_shortens_the_goodbye_and_cannot_stretch_it() -> None:
    assert serve.goodbye_s(1) == 1
    assert serve.goodbye_s(30) == serve.goodbye_s(3600) == 5


def test_all_waits_together_end_the_process_in_time() -> None:
    waits_s = serve.GOODBYE_LIMIT_S + serve.FINISH_S + server.GRACE_S
    assert waits_s >= judge_process.STOP_PATIENCE_S, "the judge, asked first, has had its time when the rest is done"
    assert waits_s + judge_process.STOP_PATIENCE_MIN_S < serve.ENDS_WITHIN_S
