"""From a run and a comparison to a verdict. Pure."""

from __future__ import annotations

from enum import StrEnum

from judge.sandbox.model import RunResult, Status


class Verdict(StrEnum):
    """What is said of a case or a record. JE is the judge's own fault and never counted."""

    AC = "AC"  # accepted
    WA = "WA"  # wrong answer
    TLE = "TLE"  # time limit exceeded
    MLE = "MLE"  # memory limit exceeded
    OLE = "OLE"  # output limit exceeded
    RE = "RE"  # run-time error
    CE = "CE"  # compile error
    JE = "JE"  # judge error


_BY_STATUS = {
    Status.CPU_LIMIT: Verdict.TLE,
    Status.WALL_LIMIT: Verdict.TLE,
    Status.MEMORY_LIMIT: Verdict.MLE,
    Status.OUTPUT_LIMIT: Verdict.OLE,
    Status.SIGNALED: Verdict.RE,
    Status.LOST: Verdict.RE,
    Status.UNSTARTABLE: Verdict.RE,
    Status.FAULT: Verdict.JE,
    Status.CANCELLED: Verdict.JE,
}


def verdict_of_run(result: RunResult, out_of_memory_exit: int | None = None) -> Verdict | None:
    """The verdict that the run alone decides; None when its output has to be compared.

    `out_of_memory_exit` is the exit status by which a runtime says that it had no memory left.
    """
    if result.status is not Status.EXITED:
        return _BY_STATUS[result.status]
    if result.exit_code == 0:
        return None
    if out_of_memory_exit is not None and result.exit_code == out_of_memory_exit:
        return Verdict.MLE
    return Verdict.RE


def verdict_of_record(cases: list[Verdict]) -> Verdict:
    """One verdict for all cases that were judged: a fault of ours wins, then the first that is not AC."""
    if Verdict.JE in cases:
        return Verdict.JE
    return next((verdict for verdict in cases if verdict is not Verdict.AC), Verdict.AC)
