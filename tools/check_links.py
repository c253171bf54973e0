"""Finds dead links between the repository's own Markdown files. Exit status 1 if there are any."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]+)(?:#[^)]*)?\)")


def dead_links(file: Path) -> list[str]:
    """Relative targets in `file` that do not exist."""
    targets = LINK.findall(file.read_text())
    local = [target for target in targets if "://" not in target and not target.startswith(("mailto:", "/"))]
    return [target for target in local if not (file.parent / target).exists()]


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout
    # Statements of problem packages link to what the site serves, not to files here.
    files = [Path(name) for name in listed.split() if "/demo/" not in name]
    dead = [f"{file}: {target}" for file in files for target in dead_links(file)]
    print("\n".join(dead) if dead else f"links: {len(files)} files, none dead")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
