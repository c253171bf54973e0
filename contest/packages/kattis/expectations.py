"""What verdict a sample submission should get: by its folder, and since 2023-07 by submissions.yaml.

The format speaks of the verdicts of single cases: all must be permitted, one must be required. A record that
stops at its first rejected case shows one rejected verdict, so what can be checked is the final one: a
permitted verdict, and not AC where something else is required.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass

from contest.packages.errors import PackageError
from contest.packages.fields import Fields
from contest.packages.notes import Notes

# This site's verdicts behind the format's four; it knows no others than these.
_VERDICTS = {"AC": ("AC",), "WA": ("WA",), "TLE": ("TLE",), "RTE": ("RE", "MLE", "OLE")}
_ALL = frozenset(_VERDICTS)
_BRACES = re.compile(r"\{([^{}]*)\}")
MOST_PATTERNS = 200


@dataclass(frozen=True, slots=True)
class Expectation:
    """The format's verdicts that each case may have, and of which at least one case must have one."""

    permitted: frozenset[str] = _ALL
    required: frozenset[str] = _ALL

    def final_verdicts(self) -> tuple[str, ...]:
        """The site's verdicts that would be right for the record as a whole, in a fixed order."""
        wanted = self.permitted if "AC" in self.required else self.permitted - {"AC"}
        return tuple(verdict for name, verdicts in _VERDICTS.items() if name in wanted for verdict in verdicts)

    def and_also(self, other: Expectation) -> Expectation:
        """Both must hold."""
        required = self.required if "AC" in other.required else other.required
        return Expectation(self.permitted & other.permitted, required)


def _of(permitted: str, required: str) -> Expectation:
    return Expectation(frozenset(permitted.split()), frozenset(required.split()))


FOLDERS = {
    "accepted": _of("AC", "AC"),
    "rejected": _of("AC WA TLE RTE", "WA TLE RTE"),
    "wrong_answer": _of("AC WA", "WA"),
    "time_limit_exceeded": _of("AC TLE", "TLE"),
    "run_time_error": _of("AC RTE", "RTE"),
    "brute_force": _of("AC TLE RTE", "TLE RTE"),
    # Legacy, scoring problems: right on some groups only.
    "partially_accepted": _of("AC WA TLE RTE", "WA TLE RTE"),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of submissions.yaml: a pattern of paths relative to submissions/, and what it says."""

    pattern: str
    expectation: Expectation
    language: str

    def holds_for(self, path: str) -> bool:
        """Whether the pattern matches the path, or a folder that it lies in."""
        parts = path.split("/")
        return any(_matches(self.pattern, parts[:end]) for end in range(1, len(parts) + 1))


def read_rules(fields: Fields, notes: Notes) -> tuple[Rule, ...]:
    """The rules of submissions.yaml, with braces written out."""
    rules: list[Rule] = []
    for name in fields.values:
        section = fields.section(name)
        rule = _expectation(section, FOLDERS.get(name, Expectation()))
        for key in ("entrypoint", "authors", "model_solution", "use_for_time_limit"):
            section.get(key)
        if section.get("score") is not None or section.get("message") is not None:
            notes.ignored("submissions.yaml: expected scores and messages are not compared.")
        language = section.text("language")
        if any(isinstance(section.values[key], dict) for key in section.values):
            notes.ignored("submissions.yaml: what is expected of single groups and cases is not compared.")
        rules += [Rule(pattern, rule, language) for pattern in _written_out(name, fields.where)]
        if len(rules) > MOST_PATTERNS:
            raise PackageError(f"{fields.where} holds more than {MOST_PATTERNS} patterns; simplify it.")
    return tuple(rules)


def expectation_of(path: str, rules: tuple[Rule, ...]) -> Expectation | None:
    """What is expected of the submission at `path` (relative to submissions/); None: nobody says anything."""
    folder = path.split("/", 1)[0]
    found = [rule for rule in rules if rule.holds_for(path)]
    # A rule with the very name of a folder takes the place of the folder's own.
    own = [rule.expectation for rule in found if rule.pattern == folder]
    default = [] if own or folder not in FOLDERS else [FOLDERS[folder]]
    expectations = default + [rule.expectation for rule in found]
    if not expectations:
        return None
    result = expectations[0]
    for other in expectations[1:]:
        result = result.and_also(other)
    return result


def _expectation(section: Fields, default: Expectation) -> Expectation:
    permitted, required = section.texts("permitted"), section.texts("required")
    for verdict in (*permitted, *required):
        if verdict not in _VERDICTS:
            raise PackageError(f"{section.where} names the verdict “{verdict[:20]}”; known are AC, WA, TLE, RTE.")
    return Expectation(
        frozenset(permitted) if permitted else default.permitted,
        frozenset(required) if required else default.required,
    )


def _written_out(pattern: str, where: str) -> list[str]:
    """`a.{py,cpp}` as `a.py` and `a.cpp`."""
    waiting, done = [pattern.strip("/")], list[str]()
    while waiting:
        if len(waiting) + len(done) > MOST_PATTERNS:
            raise PackageError(f"A pattern in {where} stands for too many names; simplify it.")
        text = waiting.pop()
        if match := _BRACES.search(text):
            waiting += [text[: match.start()] + choice + text[match.end() :] for choice in match[1].split(",")]
        else:
            done.append(text)
    return sorted(done)


def _matches(pattern: str, parts: list[str]) -> bool:
    wanted = pattern.split("/")
    return len(wanted) == len(parts) and all(map(fnmatch.fnmatchcase, parts, map(_only_stars, wanted)))


def _only_stars(text: str) -> str:
    """In this format only `*` has a meaning of its own."""
    return re.sub(r"[\[?]", lambda sign: f"[{sign[0]}]", text)
