"""problem.yaml: which version of the format, what the problem is called, who made it, what kind it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contest.packages.archive.tree import Tree
from contest.packages.errors import PackageError
from contest.packages.fields import Fields
from contest.packages.kattis.constants import Constants
from contest.packages.kattis.programs import site_language
from contest.packages.model import Credits
from contest.packages.notes import Notes
from contest.packages.safe_yaml import load_yaml

FILE = "problem.yaml"
# What a package may name as its version → whether that is the legacy form.
VERSIONS = {"legacy": True, "legacy-icpc": True, "2023-07": False, "2023-07-draft": False}
_KINDS = ("pass-fail", "scoring", "interactive", "multi-pass", "submit-answer")


@dataclass(frozen=True, slots=True)
class Metadata:
    """What problem.yaml says apart from limits, which `limits` reads from `fields`."""

    legacy: bool
    version: str
    names: dict[str, str]
    scoring: bool
    interactive: bool
    custom_validator: bool
    validator_flags: tuple[str, ...]
    languages: tuple[str, ...] | None
    constants: Constants
    credits: Credits
    uuid: str
    fields: Fields


def is_kattis(tree: Tree) -> bool:
    """Whether the package says of itself that it is of this format."""
    return FILE in tree.files


def read_metadata(tree: Tree, notes: Notes) -> Metadata:
    """Reads problem.yaml; an unknown version or kind of problem is refused with what is understood."""
    fields = Fields.of(load_yaml(tree.files[FILE].read(), FILE), FILE)
    version = fields.text("problem_format_version", "legacy")
    if version not in VERSIONS:
        raise PackageError(
            f"{FILE} names the format version “{version[:40]}”; understood are {', '.join(VERSIONS)}."
            " Convert the package to one of these."
        )
    legacy = VERSIONS[version]
    kinds = _kinds(fields)
    validation = fields.words("validation") if legacy else ()
    if "score" in validation:
        raise PackageError("The output validator gives scores of its own, which this site cannot use.")
    for key in ("keywords", "version", "embargo_until", "allow_file_writing"):
        fields.get(key)
    if legacy:
        _check_objective(fields.section("grading"))
    return Metadata(
        legacy=legacy,
        version=version,
        names=_names(fields, legacy),
        scoring="scoring" in kinds,
        interactive="interactive" in kinds or "interactive" in validation,
        custom_validator="custom" in validation,
        validator_flags=fields.words("validator_flags") if legacy else (),
        languages=_languages(fields, notes),
        constants=Constants() if legacy else Constants.of(fields.section("constants")),
        credits=_credits(fields, legacy),
        uuid=fields.text("uuid")[:100],
        fields=fields,
    )


def _kinds(fields: Fields) -> tuple[str, ...]:
    kinds = fields.words("type") or ("pass-fail",)
    for kind in kinds:
        if kind not in _KINDS:
            raise PackageError(f"“type” in {FILE} is “{kind[:40]}”; it must be of {', '.join(_KINDS)}.")
        if kind in ("multi-pass", "submit-answer"):
            raise PackageError(f"The problem is of the type {kind}, which this site cannot judge.")
    return kinds


def _check_objective(grading: Fields) -> None:
    if grading.choice("objective", ("max", "min"), "max") == "min":
        raise PackageError("The problem asks for the smallest score (objective: min); this site has only max.")
    grading.get("show_test_data_groups")


def _names(fields: Fields, legacy: bool) -> dict[str, str]:
    value = fields.get("name")
    if isinstance(value, dict) and not legacy:
        named = Fields.of(value, f"name in {FILE}")
        return {language: named.text(language)[:200] for language in named.values}
    name = fields.text("name")[:200]
    return {"en": name} if name else {}


def _languages(fields: Fields, notes: Notes) -> tuple[str, ...] | None:
    """The site's ids of the languages that are allowed; None: all."""
    named = fields.words("languages")
    if not named or "all" in named:
        return None
    known = tuple(sorted({language for name in named if (language := site_language(name))}))
    notes.warn(f"The package allows only {', '.join(named)[:200]}; this site does not restrict languages.")
    return known


def _credits(fields: Fields, legacy: bool) -> Credits:
    source, url = _source(fields.get("source"))
    if legacy:
        url = fields.text("source_url")
        authors = tuple(name.strip() for name in fields.text("author").replace(" and ", ",").split(",") if name.strip())
    else:
        authors = _authors(fields)
    return Credits(
        authors=authors,
        source=source,
        source_url=url,
        license=fields.text("license", "unknown"),
        rights_owner=fields.text("rights_owner"),
    )


def _source(value: Any) -> tuple[str, str]:
    """A text, a map of name and url, or a list of these, of which the names are joined."""
    entries = value if isinstance(value, list) else [value]
    names, urls = [], []
    for entry in entries:
        fields = Fields.of(entry if isinstance(entry, dict) else {"name": entry}, f"source in {FILE}")
        names.append(fields.text("name"))
        urls.append(fields.text("url"))
    return ", ".join(filter(None, names)), next(filter(None, urls), "")


def _authors(fields: Fields) -> tuple[str, ...]:
    value = fields.get("credits")
    if isinstance(value, dict):
        return Fields.of(value, f"credits in {FILE}").texts("authors")
    return fields.texts("credits")
