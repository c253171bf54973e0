"""Which languages the pages may offer: what this machine can judge, with the compilers' versions."""

from __future__ import annotations

from collections.abc import Sequence

from contest.languages import Language as Offered
from judge.languages import Language, installed_languages, language_version


def _offered(row: Language) -> Offered:
    version = language_version(row)
    return Offered(row.id, f"{row.name} ({version})" if version else row.name, row.extensions, row.multiplier)


def offered_languages() -> Sequence[Offered]:
    return [_offered(row) for row in installed_languages()]
