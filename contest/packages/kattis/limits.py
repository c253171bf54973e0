"""Limits of a package, and the rule for the time limit where a package names none.

The format expects a judge to derive a missing time limit from the run times of the sample submissions, on its
own machine. That cannot be done while a package is read, and a limit that depends on the load of the moment
is no limit. So: `limits.time_limit` in problem.yaml, else the file `.timelimit`, else `timelimit` in
domjudge-problem.ini (both in seconds, as judges of this format write them), else DEFAULT_TIME_MS. The report
says which.
"""

from __future__ import annotations

import math
import re

from contest.packages.archive.tree import Tree
from contest.packages.errors import PackageError
from contest.packages.kattis.metadata import Metadata
from contest.packages.model import Limits
from contest.packages.notes import Notes

DEFAULT_TIME_MS = 2000
MOST_TIME_S = 60
_INI = re.compile(rb"^\s*timelimit\s*=\s*['\"]?([0-9.]{1,10})", re.MULTILINE)


def read_limits(tree: Tree, metadata: Metadata, notes: Notes) -> Limits:
    """Limits in whole units, rounded up; what a submission gets where a key is missing is the site's matter."""
    fields = metadata.fields.section("limits")
    time_s, said_by = _time_limit(tree, fields.number("time_limit", 0.001, MOST_TIME_S))
    time_ms = DEFAULT_TIME_MS if time_s is None else math.ceil(time_s * 1000)
    if time_s is None:
        notes.warn(
            f"The package names no time limit; it is set to {DEFAULT_TIME_MS / 1000:g} s. Look at the times"
            " of its submissions before the problem is opened."
        )
    else:
        notes.found(f"Time limit {time_ms / 1000:g} s, from {said_by}.")
    for key in ("time_multipliers", "time_multiplier", "time_safety_margin", "time_resolution"):
        if fields.get(key) is not None:
            notes.ignored(f"“{key}” of the limits: the time limit is not derived from run times.")
    fields.get("validation_passes")
    fields.get("validation_output")
    limits = Limits(
        time_ms=time_ms,
        memory_mib=fields.whole("memory", 1, 16_384),
        output_mib=fields.whole("output", 1, 1024),
        code_kib=fields.whole("code", 1, 65_536),
        compilation_s=fields.whole("compilation_time", 1, 600),
        compilation_mib=fields.whole("compilation_memory", 1, 16_384),
        validation_s=fields.whole("validation_time", 1, 600),
        validation_mib=fields.whole("validation_memory", 1, 16_384),
    )
    fields.note_unread(notes)
    return limits


def _time_limit(tree: Tree, in_yaml: float | None) -> tuple[float | None, str]:
    """Seconds, and which file says so."""
    if in_yaml is not None:
        return in_yaml, "problem.yaml"
    if ".timelimit" in tree.files:
        return _seconds(tree.files[".timelimit"].read()[:100].strip(), ".timelimit"), ".timelimit"
    name = "domjudge-problem.ini"
    if name in tree.files and (found := _INI.search(tree.files[name].read()[:10_000])):
        return _seconds(found[1], name), name
    return None, ""


def _seconds(text: bytes, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.001 <= value <= MOST_TIME_S:
        raise PackageError(f"{name} must hold a time limit in seconds, at most {MOST_TIME_S}; correct it.")
    return value
