"""Sample submissions: programs whose verdicts the authors know."""

from __future__ import annotations

from contest.packages.archive.tree import Tree
from contest.packages.errors import PackageError
from contest.packages.fields import Fields
from contest.packages.kattis.expectations import Expectation, Rule, expectation_of, read_rules
from contest.packages.kattis.metadata import Metadata
from contest.packages.kattis.programs import (
    MOST_SUBMISSION_BYTES,
    ProgramPlace,
    language_of,
    load_program,
    programs_in,
    site_language,
)
from contest.packages.model import Program, Submission
from contest.packages.notes import Notes
from contest.packages.safe_yaml import load_yaml

FOLDER = "submissions"
FILE = f"{FOLDER}/submissions.yaml"
# Each is judged on every test case: more than this is no sample any more.
MOST_SUBMISSIONS = 200


def read_submissions(tree: Tree, metadata: Metadata, notes: Notes) -> tuple[Submission, ...]:
    """The submissions that this site can judge; the others are named in the report."""
    rules = _rules(tree, metadata, notes)
    places = [place for folder in tree.folder(FOLDER).folders for place in programs_in(tree, f"{FOLDER}/{folder}")]
    if len(places) > MOST_SUBMISSIONS:
        raise PackageError(f"The package holds more than {MOST_SUBMISSIONS} sample submissions; remove some.")
    read = (_read(tree, place, rules, metadata, notes) for place in places)
    submissions = tuple(submission for submission in read if submission is not None)
    if not any(submission.verdicts == ("AC",) for submission in submissions):
        notes.warn(
            "The package has no accepted sample submission that this site can judge, so nothing shows that it"
            " can be solved."
        )
    notes.found(f"{len(submissions)} sample submissions.")
    return submissions


def _rules(tree: Tree, metadata: Metadata, notes: Notes) -> tuple[Rule, ...]:
    if FILE not in tree.files:
        return ()
    if metadata.legacy:
        notes.ignored(f"{FILE}: the legacy form of the format does not know it.")
        return ()
    return read_rules(Fields.of(load_yaml(tree.files[FILE].read(), FILE), FILE), notes)


def _read(
    tree: Tree, place: ProgramPlace, rules: tuple[Rule, ...], metadata: Metadata, notes: Notes
) -> Submission | None:
    path = place.path.removeprefix(f"{FOLDER}/")
    expectation = expectation_of(path, rules)
    language = _language(tree, place, path, rules)
    reason = _reason_against(tree, place, expectation, language)
    if reason or expectation is None or language is None:
        notes.ignored(f"{place.path} is not judged: {reason}.")
        return None
    program = load_program(tree, place, language, metadata.constants, MOST_SUBMISSION_BYTES)
    if not _is_text(program):
        notes.ignored(f"{place.path} is not judged: it is not UTF-8 text.")
        return None
    return Submission(path, program, expectation.final_verdicts())


def _language(tree: Tree, place: ProgramPlace, path: str, rules: tuple[Rule, ...]) -> str | None:
    named = [rule.language for rule in rules if rule.language and rule.holds_for(path)]
    return site_language(named[-1]) if named else language_of(tree, place)


def _reason_against(tree: Tree, place: ProgramPlace, expectation: Expectation | None, language: str | None) -> str:
    """Why this site cannot judge the submission; empty if it can."""
    if expectation is None:
        return "nothing says what verdict is expected of it"
    if not expectation.final_verdicts():
        return "no verdict would be as expected of it"
    if len(place.files) != 1:
        return "it consists of several files"
    if language is None:
        return "its language is not known to this site"
    if tree.files[place.files[0]].size > MOST_SUBMISSION_BYTES:
        return f"it is longer than {MOST_SUBMISSION_BYTES // 1024} KiB"
    return ""


def _is_text(program: Program) -> bool:
    contents = program.files[0].contents
    try:
        contents.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in contents
