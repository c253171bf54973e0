"""Writes the test data of this problem below the folder that is given: `python3 make.py ../data`."""

import random
import sys
from collections import Counter
from itertools import accumulate
from pathlib import Path

LONGEST = 200_000


def mixed(seed: int, length: int, rising: float = 0.5) -> str:
    chance = random.Random(seed)
    return "".join("U" if chance.random() < rising else "D" for _ in range(length))


CASES = {
    "sample/1": "UDUD",
    "sample/2": "UUDDDU",
    "secret/01-one-hour": "U",
    "secret/02-two-hours": "DU",
    "secret/03-never-calm": "D" * 50,
    "secret/04-short": mixed(4, 20),
    "secret/05-hundreds": mixed(5, 500),
    "secret/06-thousands": mixed(6, 5000),
    "secret/07-rising": mixed(7, 20_000, 0.7),
    "secret/08-longest-mixed": mixed(8, LONGEST),
    "secret/09-longest-there-and-back": "UD" * (LONGEST // 2),
    "secret/10-longest-mountain": "U" * (LONGEST // 2) + "D" * (LONGEST // 2),
}


def calm(notes: str) -> int:
    heights = Counter(accumulate((1 if letter == "U" else -1 for letter in notes), initial=0))
    return sum(count * (count - 1) // 2 for count in heights.values())


def main(target: Path) -> None:
    for name, notes in CASES.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / f"{name}.in").write_text(f"{notes}\n")
        (target / f"{name}.ans").write_text(f"{calm(notes)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
