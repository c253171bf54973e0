"""The credit of a connection: never more on its way than allowed, and all of it comes back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from realtime.wire.credit import BYTES, FRAMES, Credit

Step = tuple[bool, int]
steps = st.lists(st.tuples(st.booleans(), st.integers(0, 100_000)), max_size=400)


@given(steps)
def test_outstanding_is_what_was_sent_and_not_yet_seen(script: list[Step]) -> None:
    credit, sizes, seen = Credit(), [], 0
    for is_send, number in script:
        if is_send and credit.has_room:
            credit.take(number)
            sizes.append(number)
        elif not is_send:
            credit.give_back(number % (len(sizes) + 3))
            seen = max(seen, min(number % (len(sizes) + 3), len(sizes)))
        assert (credit.seen_frames, credit.sizes) == (seen, sizes[seen:])
        assert credit.outstanding_bytes == sum(sizes[seen:])
        assert len(sizes) - seen <= FRAMES
        assert credit.outstanding_bytes < BYTES + 100_000, "at most the last frame overshoots"


def test_an_old_figure_gives_nothing_back() -> None:
    credit = Credit()
    for _ in range(3):
        credit.take(10)
    assert credit.give_back(2)
    assert not credit.give_back(2)
    assert not credit.give_back(1)
    assert credit.outstanding_bytes == 10


def test_a_figure_beyond_what_was_sent_gives_back_what_was_sent() -> None:
    credit = Credit()
    credit.take(10)
    assert credit.give_back(1_000_000)
    assert credit.is_all_seen
    credit.take(10)
    assert credit.give_back(2)
