"""YAML from strangers."""

from typing import Any

import yaml

from contest.packages.errors import PackageError

MOST_BYTES = 64 * 1024
MOST_NODES = 10_000
MOST_DEPTH = 16
MOST_INT_BITS = 1024
# Each alias can at most double what is behind the ones before it: 2 ** 8 times MOST_NODES is still little.
MOST_ALIASES = 8


# What the loader raises where a tag and its value do not fit (`!!int ""`, `!!timestamp x`), or for a date or a number
# of impossible size.
_UNREADABLE = (ValueError, OverflowError, IndexError, AttributeError, TypeError, KeyError)


class _Loader(yaml.SafeLoader):
    """Plain values only, and a key that stands twice is an error instead of a guess."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            name = (key.tag, str(key.value))
            if name in seen and key.tag != "tag:yaml.org,2002:merge":
                raise yaml.constructor.ConstructorError(None, None, f"the key {key.value} stands twice")
            seen.add(name)
        return super().construct_mapping(node, deep)


def _construct_int(loader: _Loader, node: yaml.ScalarNode) -> int:
    """Hexadecimal and sexagesimal numbers may be far longer than what can be written out again."""
    value: int = loader.construct_yaml_int(node)
    if value.bit_length() > MOST_INT_BITS:
        raise ValueError("the number is too long")
    return value


_Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)


def load_yaml(contents: bytes, path: str) -> Any:
    """The value in `contents`: None, bool, int, float, str, date, list or dict. `path` is for the sentence.

    Limits on size, depth, nodes and aliases are checked on the stream of events, before anything is built.
    """
    if len(contents) > MOST_BYTES:
        raise PackageError(f"{path} is longer than {MOST_BYTES // 1024} KiB; that is no description.")
    try:
        text = contents.decode("utf-8-sig")
        _check_events(text, path)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
    except UnicodeDecodeError as error:
        raise PackageError(f"{path} is not UTF-8; save it as UTF-8.") from error
    except yaml.YAMLError as error:
        raise PackageError(f"{path} is broken YAML: {_where(error)}; correct it.") from error
    except _UNREADABLE as error:
        raise PackageError(f"{path} holds a value that cannot be read; correct it.") from error


def _check_events(text: str, path: str) -> None:
    depth = nodes = aliases = 0
    # Anchors of collections that are still open: an alias to one of them would contain itself.
    open_anchors: list[str | None] = []
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            open_anchors.append(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            open_anchors.pop()
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
            if event.anchor in open_anchors:
                raise PackageError(f"{path} contains itself by an alias; write it out.")
        nodes += isinstance(event, yaml.NodeEvent)
        if depth > MOST_DEPTH or nodes > MOST_NODES or aliases > MOST_ALIASES:
            raise PackageError(f"{path} is nested, long or full of aliases beyond reason; simplify it.")


def _where(error: yaml.YAMLError) -> str:
    """The place and the problem in a few words; the parser's own text spans lines and shows contents."""
    problem = str(getattr(error, "problem", None) or "it cannot be read")
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    short = "".join(sign if sign.isprintable() else " " for sign in problem)[:120]
    return f"line {mark.line + 1}, {short}" if mark is not None else short
