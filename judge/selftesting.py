"""Running one claimed self-test: what the program writes is seen while it runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from contest.events import Meters
from contest.models import SelfTestRun
from contest.services.selftests import (
    CHUNK_LIMIT_BYTES,
    OUTPUT_LIMIT_BYTES,
    RUN_CPU_MS,
    RUN_MEMORY_KB,
    RUN_WALL_MS,
    Chunk,
    RunClaim,
    RunEnd,
    append_output,
    finish_run,
    is_cancelled,
    run_started,
)
from judge.checkers import as_text
from judge.chunks import Chunker
from judge.compiling import DIAGNOSTICS_BYTES, compile_sources, single_source
from judge.languages import LANGUAGES
from judge.lease_keeper import Interrupted, LeaseKeeper, Stop
from judge.lines import line_by_line
from judge.programs import Program, run_request
from judge.sandbox import RunResult, Status
from judge.sandbox.model import MIB, Limits
from judge.slot import JudgeFault, Slot
from judge.verdicts import Verdict, verdict_of_run

METER_MS = 500
"""How often a running program's time and memory are told."""
PROGRAM_OUTPUT_BYTES = 16 * MIB
"""Beyond this the program is stopped; long before, its output is only counted."""


@dataclass
class SelfTestWork:
    """The work on one run, from claim to its end."""

    slot: Slot
    claim: RunClaim
    run: SelfTestRun

    def __post_init__(self) -> None:
        self.used: tuple[int, int] | None = None
        """CPU time in ms and memory in KiB, as measured since they were told last."""
        self.chunker = Chunker(CHUNK_LIMIT_BYTES, OUTPUT_LIMIT_BYTES)
        self.keeper = LeaseKeeper(
            self.claim,
            self.slot.is_stopping,
            self._flush,
            lambda: is_cancelled(self.claim),
            lease_s=self.slot.lease_s,
        )

    def judge(self) -> None:
        """Raises Interrupted, LeaseLost or JudgeFault when it could not be brought to an end."""
        try:
            with self.slot.program_folder() as folder:
                language = LANGUAGES[self.run.language]
                language, sources = line_by_line(language, single_source(language, self.run.source.encode()))
                built = compile_sources(self.slot.jail, language, sources, folder, self.keeper.should_stop)
                self.keeper.check()
                if built.fault:
                    raise JudgeFault(built.fault)
                diagnostics = as_text(built.diagnostics, DIAGNOSTICS_BYTES)
                if built.program is None:
                    finish_run(self.claim, RunEnd(Verdict.CE, compiler_output=diagnostics))
                    return
                run_started(self.claim, compiler_output=diagnostics, lease_s=self.slot.lease_s)
                self._run(built.program, diagnostics)
        except Interrupted as interrupted:
            if interrupted.stop is not Stop.CANCELLED:
                raise
            self._flush()
            finish_run(self.claim, RunEnd("", cut=tuple(self.chunker.cut)))

    def _run(self, program: Program, diagnostics: str) -> None:
        limits = run_limits(program)
        request = run_request(program, limits, RUN_MEMORY_KB, self.run.stdin.encode())
        # What is more than may be shown must still come here, or nobody would know that it was cut.
        request = replace(request, stderr_bytes=OUTPUT_LIMIT_BYTES + 1, meter_ms=METER_MS)
        result = self.slot.jail.run(request, self._on_output, self.keeper.should_stop, self._on_meter)
        self.chunker.finish()
        self.keeper.check()
        self._flush()
        verdict = verdict_of_run(result, program.language.out_of_memory_exit)
        if verdict is Verdict.JE:
            raise JudgeFault(result.why or result.status.value)
        finish_run(
            self.claim,
            RunEnd(
                # There is no answer to compare with: "accepted" means that it ran to its end.
                verdict or Verdict.AC,
                _exit_status(result),
                result.cpu_ms,
                result.memory_kb,
                diagnostics,
                tuple(self.chunker.cut),
            ),
        )

    def _on_output(self, name: str, data: bytes) -> None:
        self.chunker.feed(name, data)
        if self.keeper.may_flush():
            self._flush()

    def _on_meter(self, cpu_ms: int, memory_kb: int) -> None:
        self.used = (cpu_ms, memory_kb)
        if self.keeper.may_flush():
            self._flush()

    def _flush(self) -> None:
        chunks = [Chunk(*chunk) for chunk in self.chunker.take()]
        meters = Meters(*self.used, self.chunker.written("stdout")) if self.used else None
        if chunks or meters:
            self.used = None
            append_output(self.claim, chunks, meters=meters, lease_s=self.slot.lease_s)
            self.keeper.flushed()


def run_limits(program: Program) -> Limits:
    """As for a problem, but that the wall clock ends it sooner."""
    limits = program.limits(round(RUN_CPU_MS * program.language.multiplier), RUN_MEMORY_KB, PROGRAM_OUTPUT_BYTES)
    return replace(limits, wall_ms=min(limits.effective_wall_ms, RUN_WALL_MS))


def _exit_status(result: RunResult) -> int | None:
    if result.status is Status.EXITED:
        return result.exit_code
    return -result.signal if result.signal is not None else None
