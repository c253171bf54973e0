"""Judging one claimed record: compile, run the cases one by one, say how it ended."""

from __future__ import annotations

import io
import logging
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

from contest.models import Contest, Record
from contest.services.judging import CaseResult, Final, RecordClaim, cases_finished, finish, running
from judge.checkers import as_text, check_output
from judge.comparison import UnknownFlag, compare
from judge.compiling import DIAGNOSTICS_BYTES, compile_sources, single_source
from judge.languages import LANGUAGES
from judge.lease_keeper import LeaseKeeper
from judge.packages import CompilerFault, PackageFault, Task, Test
from judge.programs import Program, run_request
from judge.sandbox import RunResult, Status
from judge.scoring import Plan
from judge.slot import JudgeFault, Slot
from judge.verdicts import Verdict, verdict_of_run

log = logging.getLogger("judge")


@dataclass(frozen=True, slots=True)
class _Judged:
    """One case: its verdict, and words for the contestant and for staff."""

    verdict: Verdict
    message: str = ""
    staff_message: str = ""
    points: float | None = None


@dataclass
class RecordWork:
    """The work on one record, from claim to final."""

    slot: Slot
    claim: RecordClaim
    record: Record
    _pending: list[CaseResult] = field(default_factory=list)
    _staff_message: str = ""

    def __post_init__(self) -> None:
        self.keeper = LeaseKeeper(self.claim, self.slot.is_stopping, self._flush, lease_s=self.slot.lease_s)
        self.begun = time.monotonic()

    def judge(self) -> None:
        """Raises Interrupted, LeaseLost or JudgeFault when it could not be brought to an end."""
        try:
            task = self.slot.packages.task(self.record.package)
            with self.slot.program_folder() as folder:
                program, diagnostics = self._compile(folder)
                if program is None:
                    finish(self.claim, Final(Verdict.CE, compiler_output=diagnostics))
                    return
                running(
                    self.claim,
                    cases_total=len(task.tests),
                    compiler_output=diagnostics,
                    lease_s=self.slot.lease_s,
                )
                self.keeper.renewed()
                self._run_cases(task, program, self._validator(task))
        except (PackageFault, UnknownFlag) as fault:
            self.keeper.check()
            finish(self.claim, Final(Verdict.JE, staff_message=str(fault)), self._take_pending())

    def _compile(self, folder: Path) -> tuple[Program | None, str]:
        language = LANGUAGES[self.record.language]
        sources = single_source(language, self.record.source.encode())
        result = compile_sources(self.slot.jail, language, sources, folder, self.keeper.should_stop)
        self.keeper.check()
        if result.fault:
            raise JudgeFault(result.fault)
        return result.program, as_text(result.diagnostics, DIAGNOSTICS_BYTES)

    def _validator(self, task: Task) -> Program | None:
        try:
            return self.slot.packages.validator(self.slot.jail, task, self.keeper.should_stop)
        except CompilerFault as fault:
            self.keeper.check()  # it may have been stopped by us
            raise JudgeFault(str(fault)) from fault

    def _run_cases(self, task: Task, program: Program, validator: Program | None) -> None:
        counts_points = self.record.contest.scoring == Contest.Scoring.IOI
        cases = [test.case for test in task.tests.values()]
        plan = Plan(cases, task.groups if counts_points else (), counts_points)
        while (case := plan.next_case()) is not None:
            test = task.tests[case.index]
            result, judged = self._judge_case(task, test, program, validator)
            points = plan.take(case, judged.verdict, judged.points)
            self._staff_message = self._staff_message or judged.staff_message
            self._pending.append(
                CaseResult(
                    case.index,
                    judged.verdict,
                    result.cpu_ms,
                    result.memory_kb,
                    points,
                    as_text(judged.message.encode()),
                )
            )
            if self.keeper.may_flush():
                self._flush()
        outcome = plan.outcome()
        final = Final(outcome.verdict, outcome.score, outcome.group_scores, staff_message=self._staff_message)
        finish(self.claim, final, self._take_pending())
        took_ms = (time.monotonic() - self.begun) * 1000
        log.info("record %s: %s, judged in %d ms", self.claim.pk, outcome.verdict, took_ms)

    def _judge_case(
        self, task: Task, test: Test, program: Program, validator: Program | None
    ) -> tuple[RunResult, _Judged]:
        result = self._run(task, test, program)
        if result.signal == signal.SIGTERM:
            # It may have come from whoever shuts this machine down, an instant before it reaches us.
            result = self._run(task, test, program)
        verdict = verdict_of_run(result, program.language.out_of_memory_exit)
        if verdict is Verdict.JE:
            raise JudgeFault(result.why or result.status.value)
        if verdict is not None:
            return result, _Judged(verdict, describe(result))
        if validator is None:
            return result, self._compare(task, test, result.stdout)
        return result, self._ask_validator(task, test, validator, result.stdout)

    def _run(self, task: Task, test: Test, program: Program) -> RunResult:
        cpu_ms = round(task.time_limit_ms * program.language.multiplier)
        limits = program.limits(cpu_ms, task.memory_kb, task.output_bytes)
        request = run_request(program, limits, task.memory_kb, self.slot.blobs.path(test.input))
        result = self.slot.jail.run(request, should_stop=self.keeper.should_stop)
        self.keeper.check()
        return result

    def _compare(self, task: Task, test: Test, output: bytes) -> _Judged:
        with self.slot.blobs.path(test.answer).open("rb") as answer:
            difference = compare(answer, io.BytesIO(output), task.comparison_flags(test))
        return _Judged(Verdict.AC if difference is None else Verdict.WA)

    def _ask_validator(self, task: Task, test: Test, validator: Program, output: bytes) -> _Judged:
        opinion = check_output(
            self.slot.jail,
            validator,
            given=self.slot.blobs.path(test.input),
            answer=self.slot.blobs.path(test.answer),
            output=output,
            flags=(*task.flags, *test.flags),
            should_stop=self.keeper.should_stop,
        )
        self.keeper.check()
        if opinion is None:
            raise JudgeFault("The validator was stopped.")
        staff = f"Case {test.case.index}: {opinion.judge_message}" if opinion.verdict is Verdict.JE else ""
        return _Judged(opinion.verdict, opinion.team_message, staff, opinion.score)

    def _take_pending(self) -> list[CaseResult]:
        pending, self._pending = self._pending, []
        return pending

    def _flush(self) -> None:
        if self._pending:
            cases_finished(self.claim, self._take_pending(), lease_s=self.slot.lease_s)
            self.keeper.flushed()


def describe(result: RunResult) -> str:
    """How a program ended, for the contestant; empty where the verdict says it all."""
    if result.status is Status.EXITED:
        return f"It ended with exit status {result.exit_code}."
    if result.status is Status.SIGNALED:
        try:
            name = signal.Signals(result.signal or 0).name
        except ValueError:
            name = f"signal {result.signal}"
        return f"It was ended by {name}."
    if result.status is Status.WALL_LIMIT:
        return "It waited instead of computing until the time was up."
    return result.why
