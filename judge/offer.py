"""Which languages the pages may offer: what living judges have, with the compilers' versions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from django.db import Error

from contest.languages import CONTRACT
from contest.languages import Language as Offered
from judge.languages import installed_languages, language_version
from judge.nodes import living

_KEPT_S = 5.0
_kept: tuple[float, Sequence[Offered]] | None = None


def _offered(row: Offered, version: str) -> Offered:
    return replace(row, name=f"{row.name} ({version})") if version else row


def _of_judges() -> dict[str, str]:
    """Language id → version, over all living judges; of several versions the lowest promises least."""
    found: dict[str, str] = {}
    for languages in living().values_list("languages", flat=True):
        for row in languages:
            found[row["id"]] = min(row["version"], found.get(row["id"], row["version"]))
    return found


def _look() -> Sequence[Offered]:
    versions = _of_judges()
    if not versions:  # no judge runs yet: what this machine has, else everything
        versions = {row.id: language_version(row) for row in installed_languages()}
    rows = [_offered(row, versions[row.id]) for row in CONTRACT if row.id in versions]
    return rows or CONTRACT


def offered_languages() -> Sequence[Offered]:
    """Looked up anew every few seconds, because every page asks."""
    global _kept
    now = time.monotonic()
    if _kept is None or now - _kept[0] > _KEPT_S:
        try:
            _kept = (now, _look())
        except Error:
            if _kept is None:
                raise
    return _kept[1]
