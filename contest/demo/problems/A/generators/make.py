"""Writes the test data of this problem below the folder that is given: `python3 make.py ../data`."""

import sys
from pathlib import Path

SAMPLES = [(3, 4), (-10, 25)]
BIG = 10**18
SECRET = [
    ("01-zero", 0, 0),
    ("02-one-digit", 7, 9),
    ("03-negative", -5, -8),
    ("04-cancel", 123456, -123456),
    ("05-sign-changes", -1000, 999),
    ("06-limit-of-16-bit", 32767, 1),
    ("07-limit-of-32-bit", 2**31 - 1, 1),
    ("08-beyond-32-bit", -(2**31), -1),
    ("09-four-billion", 2**32, 2**32 - 1),
    ("10-limit-of-doubles", 2**53, 1),
    ("11-beyond-doubles", 2**53 + 1, 2**53 + 2),
    ("12-largest", BIG, BIG),
    ("13-smallest", -BIG, -BIG),
    ("14-all-digits", 987654321987654321, 12345678912345679),
]


def main(target: Path) -> None:
    cases = [(f"sample/{index}", a, b) for index, (a, b) in enumerate(SAMPLES, start=1)]
    cases += [(f"secret/{name}", a, b) for name, a, b in SECRET]
    for name, a, b in cases:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / f"{name}.in").write_text(f"{a} {b}\n")
        (target / f"{name}.ans").write_text(f"{a + b}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
