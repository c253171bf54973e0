"""What wakes a process that nobody has told anything."""

from __future__ import annotations

import pytest
from django.db import connection, transaction

from realtime.hub.tail import SAFE_PERIOD_S, Tail, _DataVersion
from realtime.log.append import append
from realtime.node.node import Node


@pytest.mark.embedded
@pytest.mark.django_db(transaction=True)
def test_a_look_at_the_data_version_tells_commits_of_others_and_nothing_else() -> None:
    version = _DataVersion()
    assert version.has_changed(), "nothing is known yet"
    assert not version.has_changed()
    for _ in range(2):
        with transaction.atomic():
            append("t", "told", {})
        assert version.has_changed()
        assert not version.has_changed()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert not version.has_changed(), "reading changes nothing"


@pytest.mark.embedded
@pytest.mark.django_db(transaction=True)
async def test_the_tail_reads_when_something_was_committed_and_now_and_then_in_any_case(live: Node) -> None:
    tail = Tail(live.hub, 20)
    assert tail._may_have_changed()
    looks = [tail._may_have_changed() for _ in range(50)]
    assert sum(looks) <= 2, "an idle process reads the database hardly ever"
    tail._last_read_s -= SAFE_PERIOD_S
    assert tail._may_have_changed()
