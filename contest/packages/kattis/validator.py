"""How the outputs of a package's submissions are compared."""

from __future__ import annotations

import math
from collections.abc import Iterable

from contest.packages.archive.tree import Tree, base_name
from contest.packages.errors import PackageError
from contest.packages.kattis.metadata import Metadata
from contest.packages.kattis.programs import ProgramPlace, language_of, load_program, programs_in
from contest.packages.model import Case, Comparison
from contest.packages.notes import Notes

_FOLDERS = ("output_validator", "output_validators")
_PLAIN_FLAGS = frozenset({"case_sensitive", "space_change_sensitive"})
_TOLERANCES = frozenset({"float_tolerance", "float_relative_tolerance", "float_absolute_tolerance"})


def read_comparison(tree: Tree, metadata: Metadata, cases: Iterable[Case], notes: Notes) -> Comparison:
    """The validator of the package, or the default comparison, whose flags are checked here and now."""
    place = _validator_place(tree, metadata, notes)
    if place is None:
        flags_of_cases = {case.flags for case in cases} or {()}
        for flags in flags_of_cases:
            check_default_flags((*metadata.validator_flags, *flags))
        notes.found("Outputs are compared by tokens.")
        return Comparison(metadata.validator_flags)
    language = language_of(tree, place)
    if language is None:
        raise PackageError(
            f"The output validator {place.path} is in no language that this site runs, or in several; use one,"
            " for example C++ or Python 3."
        )
    notes.found(f"Outputs are judged by the package's validator {place.path} ({language}).")
    return Comparison(metadata.validator_flags, load_program(tree, place, language, metadata.constants))


def _validator_place(tree: Tree, metadata: Metadata, notes: Notes) -> ProgramPlace | None:
    right, other = reversed(_FOLDERS) if metadata.legacy else _FOLDERS
    folder = right if tree.has_folder(right) else other
    if not tree.has_folder(folder):
        if metadata.custom_validator or metadata.interactive:
            raise PackageError(f"The package asks for an output validator, but {right}/ is empty; add it.")
        return None
    if metadata.legacy and not metadata.custom_validator:
        notes.ignored(f"{folder}/: problem.yaml does not ask for it (validation: custom).")
        return None
    if folder != right:
        notes.warn(f"The output validator is in {other}/, which in this version of the format should be {right}/.")
    return _only_program(tree, folder)


def _only_program(tree: Tree, folder: str) -> ProgramPlace:
    """Since 2023-07 the folder itself may be the program; before, it holds programs, of which one is usable."""
    places = programs_in(tree, folder)
    if folder == _FOLDERS[0] and len(places) > 1:
        places = [ProgramPlace(folder, tuple(tree.below(folder)))]
    if len(places) != 1:
        raise PackageError(f"{folder}/ holds {len(places)} programs; this site runs exactly one. Remove the others.")
    place = places[0]
    if any(base_name(path) in ("build", "run") for path in place.files):
        raise PackageError(f"The output validator {place.path} is built by scripts, which this site does not run.")
    return place


def check_default_flags(flags: tuple[str, ...]) -> None:
    """Refuses flags that the default comparison does not know: a lost tolerance would reject right answers."""
    waiting = list(flags)
    while waiting:
        flag = waiting.pop(0)
        if flag in _PLAIN_FLAGS:
            continue
        if flag not in _TOLERANCES:
            raise PackageError(f"The default comparison knows no flag “{flag[:60]}”; correct the validator's flags.")
        if not waiting or not _is_tolerance(waiting.pop(0)):
            raise PackageError(f"“{flag}” in the validator's flags needs a number from 0 to 1e9; correct it.")


def _is_tolerance(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1e9 and math.isfinite(float(text))
    except ValueError:
        return False
