# Recurses as deep as there are steps.
from functools import cache


@cache
def ways(n):
    return (1, 1, 2)[n] if n < 3 else (ways(n - 1) + ways(n - 3)) % (10**9 + 7)


print(ways(int(input())))
