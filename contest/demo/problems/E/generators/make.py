"""Writes the test data of this problem below the folder that is given: `python3 make.py ../data`."""

import sys
from pathlib import Path

MODULUS = 10**9 + 7
GROUPS = {
    "sample": [4, 10],
    "secret/1-small": [1, 2, 3, 5, 9, 16, 19, 20],
    "secret/2-middle": [21, 77, 1000, 65_536, 99_999, 100_000],
    "secret/3-huge": [100_001, 10**9 + 6, 10**9 + 7, 2**40, 10**15 + 37, 2**59 - 1, 10**18 - 1, 10**18],
}
SETTINGS = {
    "secret/1-small": "scoring:\n  score: 20\n",
    "secret/2-middle": "scoring:\n  score: 30\n  require_pass: secret/1-small\n",
    "secret/3-huge": "scoring:\n  score: 50\n  require_pass: [secret/1-small, secret/2-middle]\n",
}

Matrix = list[list[int]]


def times(a: Matrix, b: Matrix) -> Matrix:
    columns = list(zip(*b, strict=True))
    return [[sum(x * y for x, y in zip(row, column, strict=True)) % MODULUS for column in columns] for row in a]


def ways(n: int) -> int:
    """w(n) = w(n-1) + w(n-3) with w(0) = w(1) = 1 and w(2) = 2, by powers of the matrix of this rule."""
    result: Matrix = [[int(i == k) for k in range(3)] for i in range(3)]
    power: Matrix = [[1, 0, 1], [1, 0, 0], [0, 1, 0]]
    while n:
        if n & 1:
            result = times(result, power)
        power = times(power, power)
        n >>= 1
    # The rule backwards gives w(-1) = 1 and w(-2) = 0.
    return (result[0][0] + result[0][1]) % MODULUS


def main(target: Path) -> None:
    for group, numbers in GROUPS.items():
        (target / group).mkdir(parents=True, exist_ok=True)
        if group in SETTINGS:
            (target / group / "test_group.yaml").write_text(SETTINGS[group])
        for index, n in enumerate(numbers, start=1):
            (target / group / f"{index:02}.in").write_text(f"{n}\n")
            (target / group / f"{index:02}.ans").write_text(f"{ways(n)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
