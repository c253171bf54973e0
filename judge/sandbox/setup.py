"""What a jail needs on the host: the tools, the compiled helper, a folder of its own.

The folder lies in the system's temporary folder, because the slot's user, who has no rights in the
site's private data folder, must be able to reach it. It is locked while its owner lives; what a killed
owner left is removed by the next one.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

NATIVE = Path(__file__).parent / "native"
BWRAP = "/usr/bin/bwrap"
_PREFIX = "fathom-judge-"
_LOCK = "lock"


class SandboxUnavailable(Exception):
    """This host cannot jail. The message is a sentence for people, with the remedy."""


def _sources() -> list[Path]:
    return sorted(NATIVE.glob("*.[ch]"))


def helper_name() -> str:
    """Changes with the sources, so that an old helper is never used by newer code."""
    digest = hashlib.sha256()
    for source in _sources():
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return f"jail-helper-{digest.hexdigest()[:16]}"


def build_helper(folder: Path) -> Path:
    """Compiles the helper into `folder` unless it is there. Raises SandboxUnavailable with the reason."""
    target = folder / helper_name()
    if target.exists():
        return target
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise SandboxUnavailable("No C compiler was found: install the package gcc with libc6-dev.")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        built = Path(work) / "helper"
        c_files = [str(source) for source in _sources() if source.suffix == ".c"]
        command = [compiler, "-O2", "-std=c11", "-Wall", "-Wextra", "-static", "-o", str(built), *c_files]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SandboxUnavailable(f"The jail's helper did not compile: {done.stderr.strip()[:2000]}")
        built.chmod(0o755)
        built.replace(target)
    return target


def _try_lock(path: Path) -> int | None:
    """A descriptor that holds the lock, or None while somebody else does."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def sweep_homes() -> int:
    """Removes folders whose owner was killed; returns how many."""
    removed = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            # Only our own: a folder by this name that another user made in /tmp is not ours to touch.
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid() or not (folder / _LOCK).exists():
                continue
            lock = _try_lock(folder / _LOCK)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)
                removed += 1
    return removed


@contextlib.contextmanager
def jail_home(helper_cache: Path) -> Iterator[Path]:
    """A folder for boxes with the helper in it, for as long as the context lasts."""
    built = build_helper(helper_cache)
    sweep_homes()
    home = Path(tempfile.mkdtemp(prefix=_PREFIX))
    lock = _try_lock(home / _LOCK)
    try:
        home.chmod(0o711)  # the slot's user may pass through, nobody may list
        shutil.copyfile(built, home / "helper")
        (home / "helper").chmod(0o755)
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)
        if lock is not None:
            os.close(lock)


@contextlib.contextmanager
def slot_home(home: Path, number: int) -> Iterator[Path]:
    """A folder for one of several slots below a common home; what a dead slot left in it goes first."""
    folder = home / f"slot-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o711)
    folder.chmod(0o711)
    try:
        (folder / "helper").hardlink_to(home / "helper")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.stdout.write(f"{build_helper(Path(sys.argv[1]))}\n")
