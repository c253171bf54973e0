"""Names of topics: each is one log with one audience, and all readers of a topic may see all of it.

| key | audience | short name in frames |
| --- | --- | --- |
| `c5` | everybody in contest 5 | `contest` |
| `c5.jury` | its staff | `jury` |
| `c5.records` | staff; after the end everybody entitled | `all` |
| `c5.u7` | contestant 7: private answers, own final verdicts | `me` |
| `c5.u7.records`, `c5.u7.runs` | contestant 7: own records, own self-tests | `me` |
| `r9.owner`, `r9.full` | record 9 as its owner may see it, or in full | `record` |
| `rights` | no reader: what every node must know at once about people's rights | – |
"""

from __future__ import annotations

from contest.access import Rights
from contest.streams import StreamName

RIGHTS = "rights"


def of_contest(contest_id: int) -> str:
    return f"c{contest_id}"


def of_jury(contest_id: int) -> str:
    return f"c{contest_id}.jury"


def of_all_records(contest_id: int) -> str:
    return f"c{contest_id}.records"


def of_contestant(contest_id: int, user_id: int) -> str:
    return f"c{contest_id}.u{user_id}"


def of_own_records(contest_id: int, user_id: int) -> str:
    return f"c{contest_id}.u{user_id}.records"


def of_own_runs(contest_id: int, user_id: int) -> str:
    return f"c{contest_id}.u{user_id}.runs"


def of_record_owner(record_id: int) -> str:
    return f"r{record_id}.owner"


def of_record_in_full(record_id: int) -> str:
    return f"r{record_id}.full"


def topics_of(stream: StreamName, rights: Rights, record_id: int | None = None) -> dict[str, str]:
    """Short name → key of the topics that `stream` reads for a viewer with `rights`."""
    contest_id, user_id = rights.contest_id, rights.user_id
    if user_id is None:
        return {}
    if stream is StreamName.ANNOUNCEMENTS:
        topics = {"contest": of_contest(contest_id), "me": of_contestant(contest_id, user_id)}
        return topics | ({"jury": of_jury(contest_id)} if rights.is_staff else {})
    if stream is StreamName.RECORDS:
        topics = {"me": of_own_records(contest_id, user_id)}
        return topics | ({"all": of_all_records(contest_id)} if rights.sees_all_records else {})
    if stream is StreamName.RECORD and record_id is not None:
        return {"record": of_record_in_full(record_id) if rights.sees_records_in_full else of_record_owner(record_id)}
    if stream is StreamName.SELFTEST:
        return {"me": of_own_runs(contest_id, user_id)}
    return {}


def opened_by_end(topics: dict[str, str]) -> bool:
    """Whether among `topics` (short name → key) is one that a contestant may be reading only because it is over."""
    return "all" in topics or topics.get("record", "").endswith(".full")
