"""Writers of one process stand in line for SQLite."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction

from config.fair_sqlite3.queue import FairLock
from contest.models import User


def test_the_lock_is_handed_over_in_the_order_of_asking() -> None:
    lock, order = FairLock(), []
    assert lock.acquire(1)

    def take(number: int) -> None:
        assert lock.acquire(5)
        order.append(number)
        lock.release()

    threads = []
    for number in range(8):
        threads.append(threading.Thread(target=take, args=(number,)))
        threads[-1].start()
        while len(lock._waiting) <= number:
            time.sleep(0.001)
    lock.release()
    assert lock.acquire(5), "whoever asks last comes last"
    assert order == list(range(8))
    lock.release()
    for thread in threads:
        thread.join(5)


def test_whoever_waits_for_too_long_leaves_the_line() -> None:
    lock = FairLock()
    assert lock.acquire(0)
    assert not lock.acquire(0.02)
    lock.release()
    assert lock.acquire(0)


@pytest.mark.embedded
@pytest.mark.django_db(transaction=True)
def test_no_writer_among_many_waits_for_long_and_whatever_fails_lets_the_next_one_in() -> None:
    waits_s: list[float] = []

    def write(number: int) -> None:
        for turn in range(20):
            began = time.monotonic()
            try:
                with transaction.atomic():
                    waits_s.append(time.monotonic() - began)
                    User.objects.create(username=f"{number}-{turn}")
                    if turn % 5 == 4:
                        raise RuntimeError
            except RuntimeError:
                pass
        connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert User.objects.count() == 8 * 16
    assert max(waits_s) < 2.0, "without the line some wait for many seconds"
    with transaction.atomic():
        User.objects.create(username="last")
    connections.close_all()
