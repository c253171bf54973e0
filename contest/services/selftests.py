"""Self-tests: one's own code on one's own input, outside scoring, one at a time for a contestant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from contest.access import rights_in
from contest.events import Meters, RunCompiling, RunFinished, RunOutput, publish
from contest.models import Contest, SelfTestOutput, SelfTestRun, User
from contest.models.queue import IS_FREE, QueueClass, Status, Verdict
from contest.services.checks import require_source, why_closed
from contest.services.errors import Refused
from contest.services.positions import tell_position
from contest.services.queue import LEASE_S, LOST_LEASES_LIMIT, Claim, claim_next, lease_end

RUN_CPU_MS = 5_000
"""Multiplied with the language's factor, like a problem's limit."""
RUN_WALL_MS = 15_000
"""At most, in every language: a run that sleeps keeps its judge from everybody else, and others' submissions wait."""
RUN_MEMORY_KB = 256 * 1024
STDIN_LIMIT_BYTES = 256 * 1024
CHUNK_LIMIT_BYTES = 16 * 1024
OUTPUT_LIMIT_BYTES = 256 * 1024
"""Of both streams together; what comes after it is cut, and the run says so."""
BUSY_RETRY_MS = 2_000
KEPT_RUNS = 20
"""Of one contestant in one contest: enough to know a repeated command again. Of all but the newest only the row
is kept, without output, or a loop of runs would fill the disk at a gigabyte an hour."""

RunClaim = Claim[SelfTestRun]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Text that a program wrote; `offset` counts the UTF-8 bytes of its stream before it."""

    stream: str
    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended. `exit_status`: negative is the signal; None if it never ran or was stopped."""

    verdict: str
    exit_status: int | None = None
    time_ms: int | None = None
    memory_kb: int | None = None
    compiler_output: str = ""
    cut: tuple[str, ...] = ()


def start_run(contest: Contest, user: User, *, language: str, source: str, stdin: str, command_key: str) -> SelfTestRun:
    """Queue a run. A repeat of `command_key` starts nothing and answers the first one."""
    first = _started_with(user, command_key)
    if first is not None:
        return first
    _require_may_run(contest, user)
    require_source(language, source)
    _require_stdin(stdin)
    try:
        with transaction.atomic():
            run = SelfTestRun.objects.create(
                contest=contest,
                user=user,
                command_key=command_key,
                language=language,
                source=source,
                stdin=stdin,
                queue_class=QueueClass.SELFTEST,
                queued_at=timezone.now(),
            )
            _forget_older(run)
            tell_position(run)
    except IntegrityError:
        # Either the same command came twice at once, or another run is going: the store decided.
        first = _started_with(user, command_key)
        if first is not None:
            return first
        if SelfTestRun.objects.filter(command_key=command_key).exists():  # a client that makes numbers up
            raise Refused("bad-request", "This command's key belongs to another person.") from None
        raise Refused("busy", "Another run of yours is still going; stop it or wait.", BUSY_RETRY_MS) from None
    return run


def cancel_run(contest: Contest, user: User, run: int | None = None) -> bool:
    """End this contestant's run, if one is going; whether there was one. Repeating it changes nothing.

    `run` is the id of the one that is meant: a wish that was long on its way ends no later run.
    """
    with transaction.atomic():
        going = SelfTestRun.objects.filter(contest=contest, user=user).exclude(status=Status.FINAL)
        if run is not None:
            going = going.filter(pk=run)
        # Nobody works on it, or who did has died: it ends here. Else its worker sees the wish and ends it.
        free = going.filter(IS_FREE)
        ended = free.update(
            attempt=F("attempt") + 1,  # a worker that was held for dead and is not may write no more
            status=Status.FINAL,
            cancel_requested=True,
            version=F("version") + 1,
            finished_at=timezone.now(),
        )
        if ended:
            newest = SelfTestRun.objects.select_related("contest", "user").filter(contest=contest, user=user)
            publish(RunFinished(newest.latest("id")))
            return True
        return going.update(cancel_requested=True) > 0


# --- What the judge writes ------------------------------------------------------------------------


def claim_run(
    worker: str, *, languages: Sequence[str] | None = None, lease_s: float = LEASE_S
) -> tuple[RunClaim, SelfTestRun] | None:
    """Claim the first waiting run. One on which too many workers died ends as a judge error."""
    rows = SelfTestRun.objects.all()
    if languages is not None:
        rows = rows.filter(language__in=languages)
    return claim_next(rows, worker, lease_s, _begin, lambda claim: _end(claim, RunEnd(Verdict.JE)))


def run_started(claim: RunClaim, *, compiler_output: str = "", lease_s: float = LEASE_S) -> None:
    """It compiled and runs now; what it writes follows."""
    with transaction.atomic():
        claim.write(
            status=Status.RUNNING,
            started_at=timezone.now(),
            compiler_output=compiler_output,
            lease_expires_at=lease_end(lease_s),
        )
        publish(RunOutput(_load(claim), (), Meters(0, 0, 0)))


def append_output(
    claim: RunClaim, chunks: Sequence[Chunk], *, meters: Meters | None = None, lease_s: float = LEASE_S
) -> None:
    """What the program wrote and used since the last call, in one write. Raises ValueError beyond the limits."""
    if any(len(chunk.text.encode()) > CHUNK_LIMIT_BYTES for chunk in chunks):
        raise ValueError(f"a chunk is larger than {CHUNK_LIMIT_BYTES} bytes")
    used = {} if meters is None else {"time_ms": meters.time_ms, "memory_kb": meters.memory_kb}
    with transaction.atomic():
        claim.write(lease_expires_at=lease_end(lease_s), **used)
        rows = [
            SelfTestOutput(
                run_id=claim.pk, attempt=claim.attempt, stream=chunk.stream, offset=chunk.offset, text=chunk.text
            )
            for chunk in chunks
        ]
        SelfTestOutput.objects.bulk_create(rows)
        publish(RunOutput(_load(claim), tuple(rows), meters))


def is_cancelled(claim: RunClaim) -> bool:
    """Whether the contestant wants it to end."""
    return SelfTestRun.objects.filter(pk=claim.pk, cancel_requested=True).exists()


def finish_run(claim: RunClaim, end: RunEnd) -> None:
    with transaction.atomic():
        _end(claim, end)


def give_back_run(claim: RunClaim, *, failure: str = "") -> None:
    """The worker stops, or could not do it: the run goes back to its place, its output is thrown away."""
    with transaction.atomic():
        claim.release(counts_as_lost=bool(failure), status=Status.QUEUED, started_at=None)
        SelfTestOutput.objects.filter(run_id=claim.pk).delete()
        run = _load(claim)
        if run.cancel_requested or run.lost_leases >= LOST_LEASES_LIMIT:
            verdict = "" if run.cancel_requested else Verdict.JE
            ended = {"status": Status.FINAL, "verdict": verdict, "finished_at": timezone.now()}
            SelfTestRun.objects.filter(pk=run.pk).update(**ended)
            publish(RunFinished(_load(claim)))
        else:
            tell_position(run)


# --- Parts ----------------------------------------------------------------------------------------


def _started_with(user: User, command_key: str) -> SelfTestRun | None:
    return SelfTestRun.objects.filter(user=user, command_key=command_key).select_related("contest", "user").first()


def _require_may_run(contest: Contest, user: User) -> None:
    rights = rights_in(contest, user)
    if not rights.may_submit:
        raise Refused("forbidden", why_closed(rights))


def _require_stdin(stdin: str) -> None:
    if "\x00" in stdin:
        raise Refused("bad-request", "The input contains a NUL character.")
    try:
        size_bytes = len(stdin.encode())
    except UnicodeEncodeError:
        raise Refused("bad-request", "The input is not valid Unicode text.") from None
    if size_bytes > STDIN_LIMIT_BYTES:
        raise Refused("bad-request", f"The input is larger than {STDIN_LIMIT_BYTES // 1024} KiB.")


def _forget_older(run: SelfTestRun) -> None:
    """They are final, all of them: only one can be going."""
    older = SelfTestRun.objects.filter(contest=run.contest_id, user=run.user_id, pk__lt=run.pk)
    SelfTestOutput.objects.filter(run__in=older).delete()
    beyond = older.order_by("-pk").values_list("pk", flat=True)[KEPT_RUNS - 1 :]
    SelfTestRun.objects.filter(pk__in=list(beyond)).delete()


def _load(claim: RunClaim) -> SelfTestRun:
    return SelfTestRun.objects.select_related("contest", "user").get(pk=claim.pk)


def _begin(claim: RunClaim) -> SelfTestRun:
    SelfTestOutput.objects.filter(run_id=claim.pk).delete()  # of an attempt whose worker died
    claim.write(
        status=Status.COMPILING,
        started_at=None,
        cut=[],
        compiler_output="",
        time_ms=None,
        memory_kb=None,
        told_position=0,
    )
    run = _load(claim)
    publish(RunCompiling(run))
    return run


def _end(claim: RunClaim, end: RunEnd) -> None:
    claim.write(
        status=Status.FINAL,
        verdict=end.verdict,
        exit_status=end.exit_status,
        time_ms=end.time_ms,
        memory_kb=end.memory_kb,
        compiler_output=end.compiler_output,
        cut=list(end.cut),
        finished_at=timezone.now(),
        lease_expires_at=None,
    )
    publish(RunFinished(_load(claim)))
