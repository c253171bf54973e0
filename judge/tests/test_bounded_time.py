"""What the judge does itself with a stranger's bytes, outside the jail, takes time and memory in proportion to them."""

from __future__ import annotations

import io
import time
import tracemalloc
from collections.abc import Callable

import pytest

from judge.comparison import compare, parse_flags
from judge.entrypoint import java_entry, java_file_name

pytestmark = pytest.mark.embedded  # no database is involved

MIB = 1024 * 1024
SOURCE_BYTES = 256 * 1024  # as large as a source may be
IN_TIME_S = 3.0
"""Far more than any of these needs on a slow machine, far less than the quarter of an hour of a quadratic one."""


def seconds_of(work: Callable[[], object]) -> float:
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


@pytest.mark.parametrize("token", [b"1" * MIB + b"x", b"1" * MIB + b".x", b"." + b"1" * MIB + b"e", b"-" + b"9" * MIB])
def test_a_long_token_that_is_nearly_a_number_is_compared_at_once(token: bytes) -> None:
    def work() -> None:
        assert compare(io.BytesIO(b"1.5"), io.BytesIO(token), parse_flags("float_tolerance 1e-6")) is not None

    assert seconds_of(work) < IN_TIME_S


@pytest.mark.parametrize(
    "filling",
    [b"\n", b"\r\n", b"/* ", b"/*", b"// ", b"'\\'", b'"\\"', b'"', b"public ", b"package ", b"package\n", b"class "],
)
def test_no_java_source_keeps_the_judge_reading_it(filling: bytes) -> None:
    source = b"public class Main { public static void main(String[] a) { } }"
    filled = source + filling * ((SOURCE_BYTES - len(source)) // len(filling))
    assert seconds_of(lambda: (java_file_name(filled), java_entry(filled))) < IN_TIME_S


@pytest.mark.slow
def test_comparing_every_space_holds_a_part_of_the_texts_at_a_time() -> None:
    text = b"ab " * (4 * MIB // 3)
    tracemalloc.start()
    try:
        assert compare(io.BytesIO(text), io.BytesIO(text), parse_flags("space_change_sensitive")) is None
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 120 * MIB, "a whole text would need 180 MiB, a part of each takes 81"
