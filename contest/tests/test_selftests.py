"""Self-tests: one at a time, in order, with output in bounded pieces, ended when the contestant wants it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from contest import events
from contest.models import Contest, SelfTestOutput, SelfTestRun, User
from contest.services import selftests
from contest.services.errors import Refused
from contest.services.positions import tell_positions
from contest.services.queue import LeaseLost, expire_leases
from contest.services.selftests import Chunk, RunClaim, RunEnd, cancel_run, claim_run, start_run

pytestmark = pytest.mark.django_db(transaction=True)


def start(contest: Contest, user: User, key: str = "c/selftest/1", **fields: str) -> SelfTestRun:
    given = {"language": "python", "source": "print(1)", "stdin": "", **fields}
    return start_run(contest, user, command_key=key, **given)


def run_of(claim: RunClaim) -> SelfTestRun:
    return SelfTestRun.objects.get(pk=claim.pk)


def claim(worker: str = "w", lease_s: float = 30.0) -> RunClaim:
    claimed = claim_run(worker, lease_s=lease_s)
    assert claimed is not None
    return claimed[0]


def test_a_command_that_comes_twice_starts_one_run(contest: Contest, alice: User, told: list[events.Event]) -> None:
    first = start(contest, alice)
    assert start(contest, alice, source="print(2)") == first
    assert told == [events.RunQueued(first, 1)]
    assert SelfTestRun.objects.count() == 1


def test_somebody_elses_key_is_the_clients_mistake_and_not_a_reason_to_try_again(
    contest: Contest, alice: User, bob: User
) -> None:
    start(contest, alice, "c/selftest/1")
    with pytest.raises(Refused) as refused:
        start(contest, bob, "c/selftest/1")
    assert (refused.value.code, refused.value.retry_after_ms) == ("bad-request", None)
    start(contest, bob, "d/selftest/1")


def test_one_at_a_time_for_a_contestant(contest: Contest, alice: User, bob: User, told: list[events.Event]) -> None:
    start(contest, alice)
    with pytest.raises(Refused) as refused:
        start(contest, alice, "c/selftest/2")
    assert (refused.value.code, refused.value.retry_after_ms) == ("busy", 2000)
    start(contest, bob, "d/selftest/1")
    assert [event.position for event in told if isinstance(event, events.RunQueued)] == [1, 2]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"source": ""}, "empty"),
        ({"language": "cobol"}, "Choose one"),
        ({"stdin": "a\x00"}, "NUL"),
        ({"stdin": "\ud800"}, "Unicode"),
        ({"stdin": "ä" * 131073}, "larger than 256 KiB"),
    ],
)
def test_what_cannot_be_run_is_refused_in_words(
    contest: Contest, alice: User, fields: dict[str, str], words: str
) -> None:
    with pytest.raises(Refused, match=words):
        start(contest, alice, **fields)
    assert not SelfTestRun.objects.exists()


def test_only_who_may_submit_may_run(contest: Contest, alice: User, mallory: User, grace: User) -> None:
    with pytest.raises(Refused) as refused:
        start(contest, mallory)
    assert refused.value.code == "forbidden"
    contest.ends_at = timezone.now() - timedelta(minutes=1)
    contest.save()
    with pytest.raises(Refused, match="The contest is over"):
        start(contest, alice)
    assert start(contest, grace).pk


def test_a_run_on_its_way(contest: Contest, alice: User, told: list[events.Event]) -> None:
    start(contest, alice)
    mine = claim()
    selftests.run_started(mine)
    selftests.append_output(mine, [Chunk("stdout", 0, "one\n"), Chunk("stderr", 0, "oh")])
    selftests.append_output(mine, [Chunk("stdout", 4, "two\n")])
    selftests.finish_run(mine, RunEnd("RE", -11, 5, 1000, cut=("stdout",)))
    names = [type(event).__name__ for event in told]
    assert names == ["RunQueued", "RunCompiling", "RunOutput", "RunOutput", "RunOutput", "RunFinished"]
    assert told[2] == events.RunOutput(run_of(mine), (), events.Meters(0, 0, 0)), "it has started"
    run = SelfTestRun.objects.get()
    assert (run.status, run.verdict, run.exit_status, run.cut) == ("final", "RE", -11, ["stdout"])
    assert list(SelfTestOutput.objects.values_list("stream", "offset", "text")) == [
        ("stdout", 0, "one\n"),
        ("stderr", 0, "oh"),
        ("stdout", 4, "two\n"),
    ]
    assert start(contest, alice, "c/selftest/2").pk, "now another one may start"


def test_too_large_a_chunk_is_the_judges_mistake(contest: Contest, alice: User) -> None:
    start(contest, alice)
    with pytest.raises(ValueError, match="larger"):
        selftests.append_output(claim(), [Chunk("stdout", 0, "ä" * 8193)])


def test_cancelling_what_waits_ends_it_at_once(contest: Contest, alice: User, told: list[events.Event]) -> None:
    run = start(contest, alice)
    assert cancel_run(contest, alice)
    assert isinstance(told[-1], events.RunFinished)
    run.refresh_from_db()
    assert (run.status, run.verdict) == ("final", "")
    assert not cancel_run(contest, alice), "once is enough"
    assert claim_run("w") is None


def test_cancelling_a_run_ends_none_that_came_after_it(contest: Contest, alice: User, bob: User) -> None:
    first = start(contest, alice)
    assert cancel_run(contest, alice, first.pk)
    second = start(contest, alice, "c/selftest/2")
    assert not cancel_run(contest, alice, first.pk), "it came late"
    assert not cancel_run(contest, bob, second.pk), "it is hers"
    second.refresh_from_db()
    assert (second.status, second.cancel_requested) == ("queued", False)
    claim()
    assert not cancel_run(contest, alice, first.pk)
    second.refresh_from_db()
    assert not second.cancel_requested
    assert cancel_run(contest, alice, second.pk)


def test_cancelling_what_runs_is_seen_by_its_worker(contest: Contest, alice: User, bob: User) -> None:
    start(contest, alice)
    mine = claim()
    assert not selftests.is_cancelled(mine)
    assert not cancel_run(contest, bob)
    assert cancel_run(contest, alice)
    assert selftests.is_cancelled(mine)
    selftests.finish_run(mine, RunEnd(""))
    assert SelfTestRun.objects.get().status == "final"


def test_stopping_ends_at_once_what_a_dead_judge_holds(contest: Contest, alice: User, told: list[events.Event]) -> None:
    start(contest, alice)
    dead = claim("dead", lease_s=-1)
    assert cancel_run(contest, alice)
    assert isinstance(told[-1], events.RunFinished)
    assert run_of(dead).status == "final"
    assert start(contest, alice, "c/selftest/2").pk, "she need not wait for it"
    with pytest.raises(LeaseLost):
        selftests.finish_run(dead, RunEnd("AC"))


def test_a_run_whose_judge_died_waits_before_those_that_came_later(
    contest: Contest, alice: User, bob: User, told: list[events.Event]
) -> None:
    hers, his = [start(contest, user, f"{user.username}/selftest/1") for user in (alice, bob)]
    assert claim("dies").pk == hers.pk
    told.clear()
    assert tell_positions() == 1
    expire_leases("dies")
    assert tell_positions() == 2
    places = [(event.run.pk, event.position) for event in told if isinstance(event, events.RunQueued)]
    assert places == [(his.pk, 1), (hers.pk, 1), (his.pk, 2)], "he was next, and is not any more"


def test_who_waits_is_told_a_new_place_once_and_whoever_has_not_moved_is_not(
    contest: Contest, alice: User, bob: User, grace: User, told: list[events.Event]
) -> None:
    runs = [start(contest, user, f"{user.username}/selftest/1") for user in (alice, bob, grace)]
    assert tell_positions() == 0
    claim("w")
    told.clear()
    assert tell_positions() == 2
    assert tell_positions() == 0
    assert [
        (event.run.pk, event.position, event.is_repeat) for event in told if isinstance(event, events.RunQueued)
    ] == [
        (runs[1].pk, 1, True),
        (runs[2].pk, 2, True),
    ]


def test_what_it_has_used_is_told_and_kept_while_it_runs(
    contest: Contest, alice: User, told: list[events.Event]
) -> None:
    start(contest, alice)
    mine = claim()
    selftests.run_started(mine)
    selftests.append_output(mine, [], meters=events.Meters(700, 2048, 0))
    run = run_of(mine)
    assert (run.time_ms, run.memory_kb, run.status) == (700, 2048, "running")
    assert told[-1] == events.RunOutput(run, (), events.Meters(700, 2048, 0))
    assert not SelfTestOutput.objects.exists()
    selftests.give_back_run(mine)
    assert run_of(claim()).time_ms is None


def test_the_late_worker_changes_nothing(contest: Contest, alice: User, told: list[events.Event]) -> None:
    start(contest, alice)
    slow = claim("slow", lease_s=-1)
    selftests.append_output(slow, [Chunk("stdout", 0, "old")], lease_s=-1)
    quick = claim("quick")
    assert quick.attempt == 2, "the premise: the lease ran out"
    assert not SelfTestOutput.objects.exists(), "the new attempt begins from the beginning"
    told.clear()
    late: list[Callable[[], None]] = [
        lambda: selftests.run_started(slow),
        lambda: selftests.append_output(slow, [Chunk("stdout", 3, "late")]),
        lambda: selftests.finish_run(slow, RunEnd("AC", 0)),
        lambda: selftests.give_back_run(slow),
    ]
    for say in late:
        with pytest.raises(LeaseLost):
            say()
    assert told == []
    assert not SelfTestOutput.objects.exists()
    selftests.finish_run(quick, RunEnd("AC", 0))


def test_a_run_that_kills_three_workers_ends_as_a_judge_error(contest: Contest, alice: User) -> None:
    start(contest, alice)
    for number in range(3):
        claim(f"dead-{number}", lease_s=-1)
    assert claim_run("w") is None
    run = SelfTestRun.objects.get()
    assert (run.status, run.verdict) == ("final", "JE")


def test_what_a_stopping_worker_gives_back_waits_again(contest: Contest, alice: User, told: list[events.Event]) -> None:
    start(contest, alice)
    mine = claim()
    selftests.append_output(mine, [Chunk("stdout", 0, "half")])
    selftests.give_back_run(mine)
    assert isinstance(told[-1], events.RunQueued)
    assert not SelfTestOutput.objects.exists()
    assert claim("w2").attempt == 2


def test_a_loop_of_runs_fills_no_disk(contest: Contest, alice: User, bob: User) -> None:
    others = start(contest, bob, "d/selftest/1")
    selftests.finish_run(claim(), RunEnd("AC"))
    for number in range(selftests.KEPT_RUNS + 5):
        run = start(contest, alice, f"c/selftest/{number}")
        going = claim()
        selftests.append_output(going, [Chunk("stdout", 0, "x" * 1000)])
        selftests.finish_run(going, RunEnd("AC"))
    own = SelfTestRun.objects.filter(user=alice)
    assert own.count() == selftests.KEPT_RUNS
    assert own.latest("pk") == run
    assert {row.run_id for row in SelfTestOutput.objects.all()} == {run.pk}, "the newest is what pages show"
    assert start(contest, alice, f"c/selftest/{selftests.KEPT_RUNS}").command_key, "a repeated command is known again"
    assert own.count() == selftests.KEPT_RUNS
    assert SelfTestRun.objects.filter(pk=others.pk).exists()
