# Cuts the stair in two halves: either no double step crosses the cut, or one does.
from functools import cache

MODULUS = 10**9 + 7


@cache
def ways(n):
    if n < 0:
        return 1 if n == -1 else 0
    if n < 3:
        return (1, 1, 2)[n]
    a, b = n // 2, n - n // 2
    # Not crossed: both halves freely, without a double step on each side of the border.
    free = ways(a) * ways(b) - ends(a) * ends(b)
    # Crossed: single steps on both sides of the double one.
    return (free + ways(a - 2) * ways(b - 2)) % MODULUS if a >= 2 else slow(n)


@cache
def ends(n):
    """Ways that end with a double step."""
    return (ways(n) - ways(n - 1)) % MODULUS


@cache
def slow(n):
    return (ways(n - 1) + ways(n - 3)) % MODULUS


print(ways(int(input())))
