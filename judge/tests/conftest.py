"""A jail for tests, in both ways of counting memory, a slot at work in it, and the proof that nothing stays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from contest.models import Contest, Problem
from judge.blobs import BlobCache
from judge.compiling import compile_sources
from judge.languages import LANGUAGES
from judge.packages import PackageCache
from judge.paths import HELPER_CACHE
from judge.programs import Program
from judge.sandbox import Jail
from judge.sandbox.cgroups import Groups, find_groups
from judge.sandbox.setup import jail_home
from judge.slot import Slot
from judge.worker import Worker

HOSTILE = Path(__file__).parent / "hostile"


@pytest.fixture(scope="session")
def home() -> Iterator[Path]:
    with jail_home(HELPER_CACHE) as home:
        yield home


@pytest.fixture(scope="session")
def plain_jail(home: Path) -> Iterator[Jail]:
    """As on a host that lets us make control groups, where this host does."""
    with Jail(home) as jail:
        yield jail


@pytest.fixture(params=["groups", "limits"])
def jail(request: pytest.FixtureRequest, plain_jail: Jail) -> Iterator[Jail]:
    """The same jail twice: counting by control groups, and by resource limits and watching alone."""
    groups = find_groups() if request.param == "groups" else Groups()
    kept, plain_jail.groups = plain_jail.groups, groups
    yield plain_jail
    plain_jail.groups = kept


@dataclass
class Programs:
    """Programs compiled once a session, by file name in hostile/."""

    jail: Jail
    folder: Path
    known: dict[str, Program] = field(default_factory=dict)

    def __call__(self, name: str) -> Program:
        if name not in self.known:
            folder = self.folder / name
            folder.mkdir()
            source = (HOSTILE / name).read_bytes()
            result = compile_sources(self.jail, LANGUAGES["c"], {name: source}, folder)
            assert result.program is not None, result.diagnostics.decode()
            self.known[name] = result.program
        return self.known[name]


@pytest.fixture(scope="session")
def programs(plain_jail: Jail, home: Path) -> Programs:
    folder = home / "programs"
    folder.mkdir(mode=0o711)
    return Programs(plain_jail, folder)


@dataclass(frozen=True)
class Traces:
    """What a run could leave: processes, mounts, control groups, files, descriptors."""

    processes: frozenset[str]
    mounts: str
    groups: frozenset[str]
    files: frozenset[str]
    descriptors: int


def _processes(slot_uid: int | None) -> frozenset[str]:
    """Processes under the slot's user id, and children of this one (zombies too)."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
        except OSError:
            continue
        uid, parent = int(fields["Uid"].split()[0]), int(fields["PPid"])
        if uid == slot_uid or parent == os.getpid():
            found.add(f"{fields['Name']} {status.parent.name}")
    return frozenset(found)


def traces(jail: Jail) -> Traces:
    groups = {
        str(path) for parent in find_groups().parents.values() for path in parent.glob(f"fathom-judge-{os.getpid()}-*")
    }
    return Traces(
        processes=_processes(jail.identity.uid),
        mounts=Path("/proc/self/mountinfo").read_text(),
        groups=frozenset(groups),
        files=frozenset(str(path) for path in jail.home.iterdir()),
        descriptors=len(os.listdir("/proc/self/fd")),
    )


@pytest.fixture
def nothing_is_left(jail: Jail) -> Iterator[None]:
    before = traces(jail)
    yield
    assert traces(jail) == before


@pytest.fixture
def stopping() -> list[bool]:
    """Put something in, and the slot is told to stop."""
    return []


@pytest.fixture
def slot(plain_jail: Jail, tmp_path: Path, stopping: list[bool]) -> Slot:
    validators = plain_jail.home / "validators"
    validators.mkdir(mode=0o711, exist_ok=True)
    blobs = BlobCache(tmp_path / "blobs")
    return Slot("test/0", plain_jail, blobs, PackageCache(validators, blobs), lambda: bool(stopping))


@pytest.fixture
def worker(slot: Slot) -> Iterator[Worker]:
    read, write = os.pipe()
    yield Worker(slot, read)
    os.close(read)
    os.close(write)


@pytest.fixture
def problem(contest: Contest) -> Problem:
    return contest.problems.get(label="A")
