"""What pages need from the delivery layer and the judge, which this package must not import.

They fill these in when they start (dependency inversion). The delivery layer: a page asks for the
cursors of its streams before it reads its data, so nothing can fall between rendering and
subscribing; and it knows the foreground time that was counted,
and who is connected. The judge: which languages can be judged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from contest.access import Rights
from contest.languages import CONTRACT, Language
from contest.models import Contest, Participation
from contest.rules.own_time import OwnTime
from contest.streams import StreamName

Cursors = dict[str, dict[str, Any]]
"""Short topic name → {"epoch": str, "seq": int}, as in the frames."""

CursorReader = Callable[[StreamName, Rights, int | None], Cursors]
"""(stream, rights of the viewer, record id for the record stream) → cursors."""

_cursor_reader: CursorReader | None = None


def provide_cursors(reader: CursorReader) -> None:
    global _cursor_reader
    _cursor_reader = reader


def read_cursors(stream: StreamName, rights: Rights, record_id: int | None = None) -> Cursors:
    """Heads of the topics that `stream` reads for this viewer. Call it before reading the page's data."""
    if _cursor_reader is None:
        raise RuntimeError("no delivery layer is installed: realtime must be in INSTALLED_APPS")
    return _cursor_reader(stream, rights, record_id)


LanguageReader = Callable[[], Sequence[Language]]
"""The languages that can be judged, in the order in which they are offered."""

_language_reader: LanguageReader | None = None


def provide_languages(reader: LanguageReader) -> None:
    """The judge names what is installed. `reader` is called for each page, so it must be cheap."""
    global _language_reader
    _language_reader = reader


def offered_languages() -> tuple[Language, ...]:
    """What a contestant may choose; every language of the contract where no judge says what is installed."""
    return CONTRACT if _language_reader is None else tuple(_language_reader())


JudgeCounter = Callable[[], int]
"""How many judges have been heard of lately."""

_judge_counter: JudgeCounter | None = None


def provide_judges(counter: JudgeCounter) -> None:
    global _judge_counter
    _judge_counter = counter


def living_judges() -> int | None:
    """How many judges are alive; None where nothing is known of judges."""
    return None if _judge_counter is None else _judge_counter()


OwnTimeReader = Callable[[int, int], int]
"""(contest id, user id) → foreground time counted so far, in milliseconds."""

_own_time_reader: OwnTimeReader | None = None


def provide_own_time(reader: OwnTimeReader) -> None:
    global _own_time_reader
    _own_time_reader = reader


def read_own_time_ms(contest_id: int, user_id: int) -> int:
    """The contestant's counted foreground time; 0 where nothing counts it."""
    return 0 if _own_time_reader is None else _own_time_reader(contest_id, user_id)


OwnTimesReader = Callable[[Contest, Sequence[Participation]], dict[int, OwnTime]]
"""(contest, participations in it) → by participation id, all that is to be told of their foreground time."""

_own_times_reader: OwnTimesReader | None = None


def provide_own_times(reader: OwnTimesReader) -> None:
    global _own_times_reader
    _own_times_reader = reader


def read_own_times(contest: Contest, participations: Sequence[Participation]) -> dict[int, OwnTime]:
    """By participation id; of everybody there is something to tell, even if nothing counts it."""
    if _own_times_reader is None:
        return {each.pk: OwnTime() for each in participations}
    return _own_times_reader(contest, participations)


@dataclass(frozen=True, slots=True)
class Presence:
    """What is known of one person's live connections to one contest.

    Connected since, or else not connected since; `behind_since`: connected, but nothing has been taken in since then.
    """

    connected_since: datetime | None = None
    disconnected_since: datetime | None = None
    behind_since: datetime | None = None


PresenceReader = Callable[[int, Collection[int] | None], dict[int, Presence]]
"""(contest id, user ids or None for all) → by user id; who was never connected is not in it."""

_presence_reader: PresenceReader | None = None


def provide_presence(reader: PresenceReader) -> None:
    global _presence_reader
    _presence_reader = reader


def read_presence(contest_id: int, user_ids: Collection[int] | None = None) -> dict[int, Presence]:
    """Who is connected, and since when not; nobody where nothing is known of it."""
    return {} if _presence_reader is None else _presence_reader(contest_id, user_ids)


@dataclass(frozen=True, slots=True)
class NodeState:
    """A web process as the others know it; `connected`: people whose pages follow a contest over it."""

    name: str
    started_at: datetime
    heard_at: datetime
    stopped_at: datetime | None  # ended as planned
    is_alive: bool
    connected: int


NodeReader = Callable[[], Sequence[NodeState]]
"""The newest run of each node, those that were heard of last first."""

_node_reader: NodeReader | None = None


def provide_nodes(reader: NodeReader) -> None:
    global _node_reader
    _node_reader = reader


def read_nodes() -> Sequence[NodeState]:
    """Empty where nothing is known of nodes."""
    return () if _node_reader is None else _node_reader()
