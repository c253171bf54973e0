"""Groups and scores: both forms of the format come out as sums and minima of the site."""

from contest.packages.model import GroupMode
from contest.packages.tests.packs import LEGACY, MODERN, changed, read, refusal

SCORING = b"problem_format_version: 2023-07\nname: Sums\ntype: scoring\n"
GROUPED = {
    f"data/secret/{path}.{kind}": b"1\n" for path in ("1-small/a", "1-small/b", "2-big/a") for kind in ("in", "ans")
}


def modern(**yaml: bytes) -> dict[str, bytes]:
    base = changed(MODERN, "data/secret/1.in", "data/secret/1.ans") | {"problem.yaml": SCORING} | GROUPED
    return base | {
        f"data/secret/{path}/test_group.yaml".replace("secret/top", "secret"): text
        for path, text in ((name.replace("_", "-").lstrip("g"), text) for name, text in yaml.items())
    }


def test_groups_of_2023_07_share_the_points_that_are_left() -> None:
    package = read(modern(g1_small=b"scoring: {score: 30}\n"))
    assert [(group.name, group.score, group.mode) for group in package.groups] == [
        ("sample", 0, GroupMode.MIN),
        ("1-small", 30, GroupMode.MIN),
        ("2-big", 70, GroupMode.MIN),
    ]
    assert [(case.name, case.group) for case in package.cases] == [
        ("sample/1", "sample"),
        ("secret/1-small/a", "1-small"),
        ("secret/1-small/b", "1-small"),
        ("secret/2-big/a", "2-big"),
    ]


def test_a_group_that_sums_gives_each_case_its_share() -> None:
    package = read(modern(g1_small=b"scoring: {score: 30, aggregation: sum}\n"))
    group = package.groups[1]
    assert (group.score, group.mode) == (30, GroupMode.SUM)
    assert [case.score for case in package.cases if case.group == "1-small"] == [15, 15]


def test_a_group_may_require_groups_before_it() -> None:
    package = read(modern(g2_big=b"scoring: {require_pass: [sample, secret/1-small]}\n"))
    assert package.groups[2].depends == ("sample", "1-small")
    assert not any("test_group.yaml" in warning for warning in package.report.warnings), "every key is understood"
    assert "no scored group before it" in refusal(modern(g1_small=b"scoring: {require_pass: secret/2-big}\n"))


def test_more_points_than_there_are_and_boundless_points_are_refused() -> None:
    assert "worth 130 together, more than 100" in refusal(modern(g1_small=b"scoring: {score: 130}\n"))
    assert "unbounded" in refusal(modern(g1_small=b"scoring: {score: unbounded}\n"))


def test_validator_flags_are_inherited_until_something_nearer_says_otherwise() -> None:
    package = read(
        modern(
            top=b"output_validator_args: [float_tolerance, 1e-6]\n",
            g2_big=b"output_validator_args: [case_sensitive]\n",
        )
        | {"data/secret/1-small/b.yaml": b"output_validator_args: []\n"}
    )
    flags = {case.name: case.flags for case in package.cases}
    assert flags["sample/1"] == ()
    assert flags["secret/1-small/a"] == ("float_tolerance", "1e-6")
    assert flags["secret/1-small/b"] == ()
    assert flags["secret/2-big/a"] == ("case_sensitive",)


def test_a_pass_fail_problem_has_no_groups_whatever_its_folders() -> None:
    package = read(changed(MODERN) | GROUPED)
    assert package.groups == ()
    assert {case.group for case in package.cases} == {""}
    assert [case.name for case in package.cases][-1] == "secret/2-big/a"


def legacy(**yaml: bytes) -> dict[str, bytes]:
    base = changed(LEGACY, "data/secret/1.in", "data/secret/1.ans") | GROUPED
    base["problem.yaml"] = LEGACY["problem.yaml"] + b"type: scoring\n"
    names = {"top": "data", "secret": "data/secret", "small": "data/secret/1-small", "big": "data/secret/2-big"}
    return base | {f"{names[name]}/testdata.yaml": text for name, text in yaml.items()}


def test_legacy_groups_take_their_score_from_accept_score() -> None:
    package = read(
        legacy(
            top=b"on_reject: continue\nrange: 0 100\ngrader_flags: ignore_sample\n",
            small=b"on_reject: break\naccept_score: 40\nrange: 0 40\ngrader_flags: min\n",
            big=b"accept_score: 60\ngrader_flags: first_error sum\n",
        )
    )
    assert [(group.name, group.score, group.mode) for group in package.groups] == [
        ("sample", 0, GroupMode.MIN),
        ("1-small", 40, GroupMode.MIN),
        ("2-big", 60, GroupMode.SUM),
    ]
    assert [case.score for case in package.cases] == [0, 0, 0, 60]
    assert package.cases[0].group == "sample"
    assert package.report.warnings == read(legacy()).report.warnings, "every key is understood"


def test_legacy_average_shares_the_score() -> None:
    package = read(legacy(small=b"accept_score: 40\ngrader_flags: avg\n"))
    assert [case.score for case in package.cases if case.group == "1-small"] == [20, 20]


def test_legacy_settings_of_a_folder_replace_those_above_as_a_whole() -> None:
    package = read(
        legacy(secret=b"output_validator_flags: float_tolerance 1e-6\naccept_score: 7\n", big=b"accept_score: 5\n")
    )
    by_name = {case.name: case for case in package.cases}
    assert by_name["secret/1-small/a"].flags == ("float_tolerance", "1e-6")
    assert by_name["secret/1-small/a"].score == 7
    assert by_name["secret/2-big/a"].flags == ()
    assert by_name["secret/2-big/a"].score == 5


def test_legacy_ways_of_scoring_that_this_site_has_not_are_refused() -> None:
    assert "best case" in refusal(legacy(small=b"grader_flags: max\n"))
    assert "only adds them up" in refusal(legacy(secret=b"grader_flags: min\n"))
    assert "grader of its own" in refusal(legacy(small=b"grading: custom\n"))
    assert "points to rejected" in refusal(legacy(small=b"reject_score: 3\n"))
    scored = LEGACY["problem.yaml"] + b"validation: custom score\ntype: scoring\n"
    assert "scores of its own" in refusal(changed(LEGACY) | {"problem.yaml": scored})
    smallest = LEGACY["problem.yaml"] + b"type: scoring\ngrading: {objective: min}\n"
    assert "smallest score" in refusal(changed(LEGACY) | {"problem.yaml": smallest})
