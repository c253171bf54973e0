"""A jail for tests, in both ways of counting memory, and the proof that nothing is left behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from judge.compiling import compile_sources
from judge.languages import LANGUAGES
from judge.paths import HELPER_CACHE
from judge.programs import Program
from judge.sandbox import Jail
from judge.sandbox.cgroups import Groups, find_groups
from judge.sandbox.setup import jail_home

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
