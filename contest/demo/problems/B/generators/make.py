"""Writes the test data of this problem below the folder that is given: `python3 make.py ../data`."""

import math
import random
import sys
from pathlib import Path

BIG = 10**6


def scattered(seed: int, count: int, most: int) -> list[tuple[int, ...]]:
    chance = random.Random(seed)
    return [tuple(chance.randint(-most, most) for _ in range(3)) for _ in range(count)]


CASES = {
    "sample/1": [(0, 0, 0), (3, 4, 0), (3, 4, 12)],
    "sample/2": [(0, 0, 0), (1, 1, 1)],
    "secret/01-same-point": [(5, -5, 5), (5, -5, 5)],
    "secret/02-one-axis": [(-BIG, 0, 0), (BIG, 0, 0)],
    "secret/03-longest-step": [(-BIG, -BIG, -BIG), (BIG, BIG, BIG)],
    "secret/04-there-and-back": [(0, 0, 0), (1, 2, 2)] * 500,
    "secret/05-few": scattered(5, 10, 10),
    "secret/06-unit-steps": [(i % 2, i // 2 % 2, i // 4) for i in range(2000)],
    "secret/07-many": scattered(7, 2000, 1000),
    "secret/08-many-and-far": scattered(8, 2000, BIG),
    "secret/09-zigzag": [((-1) ** i * BIG, i, -i) for i in range(2000)],
    "secret/10-tiny-and-huge": [(0, 0, 0), (BIG, BIG, BIG)] + [(BIG, BIG, BIG - i % 2) for i in range(1998)],
}


def main(target: Path) -> None:
    for name, points in CASES.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        lines = [str(len(points))] + [" ".join(map(str, point)) for point in points]
        (target / f"{name}.in").write_text("\n".join(lines) + "\n")
        length = math.fsum(math.dist(a, b) for a, b in zip(points, points[1:], strict=False))
        (target / f"{name}.ans").write_text(f"{length:.10f}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
