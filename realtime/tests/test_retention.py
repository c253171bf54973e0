"""What the log forgets and when: by kind of topic, by age, by count, and a contestant's old runs at once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from contest.models import Contest, User
from contest.services import selftests
from realtime.log import retention, topics
from realtime.log.append import append
from realtime.log.reading import read_heads
from realtime.log.retention import prune_log
from realtime.models import LogEvent, Topic
from realtime.tests.reading import entries_after, is_served
from realtime.wire.protocol import Cursor

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLES = [topics.of_contest(5), topics.of_jury(5), topics.of_all_records(5)]
PEOPLES += [topics.of_contestant(5, 7), topics.of_own_records(5, 7)]
STEPS = [topics.of_record_owner(9), topics.of_record_in_full(9), topics.of_own_runs(5, 7)]
EVERY_KIND = [*PEOPLES, *STEPS, topics.RIGHTS]


def tell(*keys: str, times: int = 1, name: str = "told") -> None:
    with transaction.atomic():
        for key in keys * times:
            append(key, name, {})


def let_pass(days: float) -> None:
    LogEvent.objects.update(appended_at=timezone.now() - timedelta(days=days))


def floors(*keys: str) -> list[int]:
    heads = read_heads(keys)
    return [heads[key].floor for key in keys]


@pytest.mark.parametrize(("days", "forgotten"), [(0.9, []), (1.1, [*STEPS, topics.RIGHTS]), (14.1, EVERY_KIND)])
def test_each_kind_of_topic_has_its_own_age(days: float, forgotten: list[str]) -> None:
    tell(*EVERY_KIND)
    let_pass(days)
    assert prune_log() == len(forgotten)
    assert {key for key, floor in zip(EVERY_KIND, floors(*EVERY_KIND), strict=True) if floor} == set(forgotten)


def test_each_kind_of_topic_has_its_own_count(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {topics.of_contest(5): 6, topics.of_own_runs(5, 7): 3, topics.RIGHTS: 8}
    kinds = zip(retention.KINDS, kept.values(), strict=True)
    monkeypatch.setattr(
        retention, "KINDS", [retention.Retention(kind.topics, kind.age, count) for kind, count in kinds]
    )
    tell(*kept, times=10)
    assert prune_log() == (10 - 6) + (10 - 3) + (10 - 8)
    assert floors(*kept) == [4, 7, 2]


def test_what_is_kept_for_longer_does_not_stand_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run looks at a bounded number of topics: if all of these were such as are kept, nothing was ever forgotten."""
    monkeypatch.setattr(retention, "TOPICS_A_RUN", 2)
    tell(*PEOPLES, *STEPS)
    let_pass(2)
    while prune_log():
        pass
    assert floors(*PEOPLES) == [0] * len(PEOPLES)
    assert floors(*STEPS) == [1] * len(STEPS)


def test_a_reader_from_before_the_floor_is_told_so_and_one_after_it_misses_nothing() -> None:
    (key,) = [topics.of_record_owner(9)]
    tell(key, times=3)
    let_pass(2)
    tell(key, times=2)
    prune_log()
    epoch = read_heads([key])[key].epoch
    assert [seq for seq in range(4) if is_served(key, Cursor(epoch, seq))] == [3]
    assert [entry.seq for entry in entries_after(key, Cursor(epoch, 3))] == [4, 5]
    assert not LogEvent.objects.filter(topic__key=key, seq__lte=3).exists()


def test_a_topic_whose_every_event_is_forgotten_counts_on() -> None:
    key = topics.of_record_owner(9)
    tell(key, times=3)
    let_pass(2)
    assert prune_log() == 3
    assert prune_log() == 0, "nothing of it is looked at again"
    tell(key)
    assert [entry.seq for entry in entries_after(key, Cursor(Topic.objects.get(key=key).epoch, 3))] == [4]


def test_a_new_run_makes_the_log_forget_all_but_the_one_before_it(contest: Contest, alice: User) -> None:
    key = topics.of_own_runs(contest.pk, alice.pk)
    for number in range(4):
        selftests.start_run(
            contest, alice, language="python", source="print(1)", stdin="", command_key=f"document/selftest/{number}"
        )
        claimed = selftests.claim_run("worker")
        assert claimed is not None
        claim, _ = claimed
        selftests.append_output(claim, [selftests.Chunk("stdout", 0, "x" * 1000)])
        selftests.finish_run(claim, selftests.RunEnd("AC"))
    events = LogEvent.objects.filter(topic__key=key).order_by("seq")
    names = list(events.values_list("name", flat=True))
    assert names == ["run.queued", "run.compiling", "run.output", "run.finished"] * 2
    first = events.first()
    assert first is not None
    assert floors(key) == [first.seq - 1]
