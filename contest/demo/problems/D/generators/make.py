"""Writes the test data of this problem below the folder that is given: `python3 make.py ../data`.

An answer file says only whether there is an order: the validator looks at the order itself.
"""

import sys
from pathlib import Path

SAMPLES = [5, 3]
SECRET = [1, 2, 4, 6, 7, 8, 10, 11, 99, 100, 4096, 49_999, 50_000]


def main(target: Path) -> None:
    cases = [(f"sample/{index}", n) for index, n in enumerate(SAMPLES, start=1)]
    cases += [(f"secret/{index:02}-n-{n}", n) for index, n in enumerate(SECRET, start=1)]
    for name, n in cases:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / f"{name}.in").write_text(f"{n}\n")
        order = [*range(2, n + 1, 2), *range(1, n + 1, 2)]
        shown = " ".join(map(str, order)) if n < 10 else "possible"
        (target / f"{name}.ans").write_text("impossible\n" if n in (2, 3) else f"{shown}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
