"""Control groups are used only where this process may make its own below its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from judge.sandbox import cgroups
from judge.sandbox.cgroups import Groups, RunGroup, find_groups

pytestmark = pytest.mark.embedded  # no database is involved


def make_v2(folder: Path, divides: str) -> Path:
    """A stand-in for a version 2 group: plain files where the kernel has its own."""
    folder.mkdir(parents=True)
    (folder / "cgroup.subtree_control").write_text(divides)
    return folder


def find_v2(root: Path, own: str) -> dict[str, Path]:
    return cgroups._version_2(own, [("/", str(root), "cgroup2", "rw")])


def test_a_group_that_hands_controllers_down_may_be_divided(tmp_path: Path) -> None:
    own = make_v2(tmp_path / "a" / "b", "cpu memory pids")
    assert find_v2(tmp_path, "/a/b") == {"memory": own, "pids": own}


def test_beside_our_own_only_below_a_delegated_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = make_v2(tmp_path / "fathom.service", "memory pids")
    (parent / "main").mkdir()  # ours, with us in it: the kernel lets it hand nothing down
    assert find_v2(tmp_path, "/fathom.service/main") == {}, "somebody else's group is left alone"
    monkeypatch.setattr(os, "getxattr", lambda path, name: b"1")
    assert find_v2(tmp_path, "/fathom.service/main") == {"memory": parent, "pids": parent}


def test_no_group_at_all_is_no_error(tmp_path: Path) -> None:
    assert find_v2(tmp_path, "/nowhere") == {}
    assert not Groups().available


@pytest.mark.parametrize(
    ("root", "own", "seen"),
    [
        ("/", "/a/b", "/sys/x/a/b"),
        ("/docker/1", "/docker/1", "/sys/x"),
        ("/docker/1", "/docker/1/a", "/sys/x/a"),
        ("/docker/1", "/docker/12", None),
    ],
)
def test_the_own_group_is_found_below_whatever_part_is_mounted(root: str, own: str, seen: str | None) -> None:
    found = cgroups._own_folder(root, "/sys/x", own)
    assert (str(found) if found else None) == seen


def test_counters_of_version_2(tmp_path: Path) -> None:
    group = RunGroup(2, {"memory": tmp_path})
    (tmp_path / "memory.events").write_text("low 0\noom 3\noom_kill 1\n")
    (tmp_path / "cpu.stat").write_text("usage_usec 123456\nuser_usec 1\n")
    assert (group.was_out_of_memory(), group.cpu_ms()) == (True, 123)
    (tmp_path / "memory.events").write_text("oom_kill 0\n")
    assert not group.was_out_of_memory()


def test_limits_of_version_2_allow_no_swap(tmp_path: Path) -> None:
    (tmp_path / "memory.swap.max").touch()
    group = RunGroup(2, {"memory": tmp_path, "pids": tmp_path})
    Groups(2)._limit(group, 1000, 7)
    read = {name: (tmp_path / name).read_text() for name in ("memory.max", "memory.swap.max", "pids.max")}
    assert read == {"memory.max": "1000", "memory.swap.max": "0", "pids.max": "7"}


def test_groups_of_a_dead_judge_are_removed_and_those_of_a_living_one_are_not(tmp_path: Path) -> None:
    dead = tmp_path / "fathom-judge-999999999-1-0"
    living = tmp_path / f"fathom-judge-{os.getpid()}-{cgroups._start_time(os.getpid())}-0"
    successor = tmp_path / f"fathom-judge-{os.getpid()}-1-0"  # the same process id, another process
    foreign = tmp_path / "fathom-judge-notes"
    for folder in (dead, living, successor, foreign):
        folder.mkdir()
    assert Groups(1, {"memory": tmp_path}).sweep() == 2
    assert sorted(tmp_path.iterdir()) == sorted([living, foreign])


def test_this_hosts_groups_can_be_made_and_removed() -> None:
    groups = find_groups()
    if not groups.available:
        return  # then every run of the other tests is bounded by limits and watching
    group = groups.make(65536, 10)
    assert all(path.exists() for path in group.procs_files)
    group.remove()
    assert not any(path.exists() for path in group.procs_files)
