"""YAML from strangers is data, small, and says one thing."""

import pytest
import yaml

from contest.packages.errors import PackageError
from contest.packages.safe_yaml import MOST_BYTES, load_yaml

BOMB = b"a: &a [x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (letter, letter, b", ".join([b"*%c" % (letter - 1)] * 9))
    for letter in range(ord("b"), ord("j"))
)


def test_plain_values_come_through() -> None:
    text = "name: Sums\nlimits: {memory: 256}\nkeywords: [easy, été]\n"
    assert load_yaml(text.encode(), "problem.yaml") == {
        "name": "Sums",
        "limits": {"memory": 256},
        "keywords": ["easy", "été"],
    }
    assert load_yaml(b"", "problem.yaml") is None


def test_a_bomb_of_aliases_is_refused() -> None:
    value = yaml.safe_load(BOMB)
    assert value["i"][0] is value["h"], "the premise: nine times nine times … in 500 bytes"
    with pytest.raises(PackageError, match="aliases beyond reason"):
        load_yaml(BOMB, "problem.yaml")


def test_a_few_aliases_are_honest() -> None:
    assert load_yaml(b"a: &x [1]\nb: *x\n", "problem.yaml") == {"a": [1], "b": [1]}


@pytest.mark.parametrize("text", [b"a: &x [1, *x]\n", b"&x {a: *x}\n"])
def test_a_value_that_contains_itself_is_refused(text: bytes) -> None:
    with pytest.raises(PackageError, match="contains itself"):
        load_yaml(text, "problem.yaml")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"a: [1, 2\nb: 3\n", "broken YAML: line"),
        (b"\xff\xfe", "not UTF-8"),
        (b"a: 1\na: 2\n", "stands twice"),
        (b"[" * 40 + b"]" * 40, "beyond reason"),
        (b"[" * 30_000, "beyond reason"),
        (b"x: [" + b"1, " * 15_000 + b"]", "beyond reason"),
        (b"#" * (MOST_BYTES + 1), "longer than 64 KiB"),
        (b"a: 2023-99-99\n", "cannot be read"),
        (b"a: " + b"9" * 10_000, "cannot be read"),
        (b"a: 1" + b":1" * 10_000, "cannot be read"),
        (b"a: 0x" + b"f" * 10_000, "cannot be read"),
        (b"a: !!int ''", "cannot be read"),
        (b"a: !!timestamp x", "cannot be read"),
        (b"!!python/object/apply:os.system ['true']\n", "broken YAML"),
        (b"a: *nowhere\n", "broken YAML"),
        (b"? [1, 2]\n: 3\n", "broken YAML"),
        (b"--- 1\n--- 2\n", "broken YAML"),
        (b"a: \x00", "broken YAML"),
    ],
)
def test_what_is_broken_or_beyond_reason_is_refused_in_a_sentence(text: bytes, sentence: str) -> None:
    with pytest.raises(PackageError, match=sentence) as caught:
        load_yaml(text, "problem.yaml")
    assert str(caught.value).startswith("problem.yaml ")
    assert "\n" not in str(caught.value)
