"""Golden frames: one of each kind, made by the real builders and presenters, for the browser's tests.

`FATHOM_TEST_WRITE_GOLDEN=1 pytest realtime/tests/test_protocol.py` writes the file anew; without
the variable the same test finds when it is out of date.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contest import presenters as present
from contest.models import (
    Clarification,
    Contest,
    Notice,
    NoticeVersion,
    Participation,
    Problem,
    Record,
    RecordCase,
    SelfTestOutput,
    SelfTestRun,
    User,
)
from contest.presenters import present_clarification, present_contest, present_notice
from contest.services.errors import Refused
from realtime.consumers import commands
from realtime.tests import golden_events
from realtime.wire import credit, frames, protocol
from realtime.wire.protocol import CloseCode, Cursor, EndCode, RetryCode

PATH = Path(__file__).with_name("golden_frames.json")
MOMENT = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
TIMINGS = {"heartbeat_ms": 40000, "silence_ms": 120000, "probe_ms": 10000, "report_ms": 10000, "lease_ms": 30000}
CURSORS = {"contest": Cursor("5f0c", 131), "me": Cursor("5f0c", 4)}


def golden() -> dict[str, Any]:
    return {
        "protocol": protocol.VERSION,
        "close_codes": {code.name: int(code) for code in CloseCode},
        "terminal": [int(code) for code in CloseCode if 4000 <= code < 4100],
        "end_codes": [code.value for code in EndCode],
        "retry_codes": [code.value for code in RetryCode],
        "limits": {
            "frame_bytes": protocol.FRAME_LIMIT_BYTES,
            "selftest_frame_bytes": protocol.SELFTEST_FRAME_LIMIT_BYTES,
            "credit_frames": credit.FRAMES,
            "credit_bytes": credit.BYTES,
            "waiting_commands": commands.WAITING_LIMIT,
        },
        "server": _control_frames() | _events(),
        "client": _client_frames(),
        "malformed": MALFORMED,
        "events": golden_events.golden(_control_frames(), _client_frames()),
    }


MALFORMED = [
    "",
    "not json",
    "[]",
    '{"type":"nonsense"}',
    '{"type":"seen","frames":-1}',
    '{"type":"command","client_seq":1,"name":"ack"}',
    '{"type":"hello","protocol":1,"client":""}',
    '{"type":"hello","protocol":1,"client":"a","cursor":{"me":{"epoch":"e"}}}',
]


def _control_frames() -> dict[str, str]:
    busy = Refused("busy", "Too many commands are waiting.", 800)
    return {
        "welcome": frames.welcome(node="n1", server_time=1790000000.123, resumed=True, timings=TIMINGS),
        "snapshot": frames.snapshot(CURSORS, frames.encode(_announcements())),
        "synced": frames.synced(CURSORS),
        "reply": frames.reply(7, {"accumulated_ms": 10000}, server_time=1790000000.5, held_ms=3),
        "refusal": frames.refusal(
            8, busy.code, busy.message, server_time=1790000001.0, held_ms=0, retry_after_ms=busy.retry_after_ms
        ),
        "timer": frames.timer(accumulated_ms=120000, as_of=1790000000.0, counting=True, lease_expires_at=1790000030.0),
        "retry": frames.retry(RetryCode.OVERLOADED, "The server is busy.", 1500),
        "end": frames.end(EndCode.SIGNED_OUT, "Sign in to go on."),
        "drain": frames.drain(1834),
        "token": frames.token("abc.def", 30000),
    }


def _announcements() -> dict[str, Any]:
    contest, version, clarification = _contest(), _notice_version(), _clarification()
    return {
        "contest": present_contest(contest, MOMENT),
        "participation": present.present_participation(_participation()),
        "notices": [present_notice(version) | {"confirmed": False}],
        "clarifications": [present_clarification(clarification)],
    }


def _event(short: str, key: str, seq: int, name: str, data: dict[str, Any]) -> str:
    return frames.event(short, key, seq, name, frames.encode(data)).whole


def _events() -> dict[str, str]:
    contest, version, clarification = _contest(), _notice_version(), _clarification()
    record, case, run, chunk = _record(), _case(), _run(), _chunk()
    summary = present.present_record(record)
    notice = present.present_notice(version)
    told = [
        ("contest", "c5", "announcement.posted", notice),
        ("contest", "c5", "announcement.edited", notice | {"version": 2}),
        ("contest", "c5", "announcement.withdrawn", {"id": 5, "version": 3}),
        ("me", "c5.u7", "announcement.confirmed", {"notices": [{"id": 5, "version": 2}]}),
        ("me", "c5.u7", "clarification.answered", present.present_clarification(clarification)),
        ("jury", "c5.jury", "clarification.asked", present.present_asked_clarification(clarification)),
        ("contest", "c5", "contest.changed", present.present_contest(contest, MOMENT)),
        ("me", "c5.u7", "participation.changed", present.present_participation(_participation())),
        ("contest", "c5", "standings.changed", {"version": 12}),
        ("me", "c5.u7", "record.final", summary),
        ("me", "c5.u7", "record.reopened", summary),
        ("me", "c5.u7.records", "record.updated", summary),
        ("record", "r9.owner", "case.finished", present.present_case(case) | {"record": 9}),
        ("me", "c5.u7.runs", "run.queued", {"run": 3, "attempt": 0, "position": 1, "language": "cpp"}),
        ("me", "c5.u7.runs", "run.compiling", {"run": 3, "attempt": 1}),
        ("me", "c5.u7.runs", "run.output", present.present_chunk(chunk)),
        ("me", "c5.u7.runs", "run.finished", present.present_run(run)),
    ]
    events = {name: _event(short, key, 134, name, data) for short, key, name, data in told}
    left_out = frames.event("contest", "c5", 134, "announcement.posted", frames.encode(notice))
    return events | {"event after some that were left out": left_out.after(131)}


def _participation() -> Participation:
    return Participation(pk=3, contest_id=5, user_id=7, extra_time_s=600, version=2)


def _contest() -> Contest:
    ends_at = MOMENT.replace(hour=17)
    return Contest(pk=5, slug="cup", title="Cup", starts_at=MOMENT, ends_at=ends_at, version=3)


def _user() -> User:
    return User(pk=7, username="alice", display_name="Alice")


def _notice_version() -> NoticeVersion:
    notice = Notice(pk=5, contest=_contest(), posted_at=MOMENT)
    return NoticeVersion(
        notice=notice, version=1, title="Lunch", body="At *noon*.", html="<p>At <em>noon</em>.</p>", posted_at=MOMENT
    )


def _clarification() -> Clarification:
    return Clarification(
        pk=2, contest=_contest(), asker=_user(), text="Why?", asked_at=MOMENT, answer="So.", answered_at=MOMENT
    )


def _record() -> Record:
    problem = Problem(pk=1, contest=_contest(), label="A", title="Sum")
    done = {"status": "final", "verdict": "AC", "cases_done": 2, "cases_total": 2, "time_ms": 12, "memory_kb": 3400}
    return Record(
        pk=9, contest=_contest(), problem=problem, user=_user(), language="cpp", submitted_at=MOMENT, version=6, **done
    )


def _case() -> RecordCase:
    return RecordCase(record=_record(), attempt=1, index=2, verdict="AC", time_ms=12, memory_kb=3400)


def _run() -> SelfTestRun:
    return SelfTestRun(
        pk=3, contest=_contest(), user=_user(), language="cpp", status="final", verdict="AC", attempt=1, exit_status=0
    )


def _chunk() -> SelfTestOutput:
    return SelfTestOutput(run=_run(), attempt=1, stream="stdout", offset=0, text="42\n")


def _client_frames() -> dict[str, str]:
    cursor = {topic: {"epoch": each.epoch, "seq": each.seq} for topic, each in CURSORS.items()}
    told = {
        "first hello": {"type": "hello", "protocol": 1, "client": "d41d8cd98f00b204", "try": 0, "cause": "first"},
        "hello with a cursor": {
            "type": "hello",
            "protocol": 1,
            "client": "d41d8cd98f00b204",
            "try": 2,
            "cause": "close",
            "gap_ms": 900,
            "stats": {"gaps": 0, "duplicates": 0, "rtt_ms": 41},
            "cursor": cursor,
            "token": "abc.def",
        },
        "ack": _command(1, "ack", {"notices": [{"id": 5, "version": 2}]}),
        "delivered": _command(2, "delivered", {"notices": [{"id": 5, "version": 2}]}),
        "ask": _command(3, "ask", {"problem": None, "text": "Why?"}),
        "watch": _command(4, "watch", {"ids": [9, 10]}),
        "run": _command(5, "run", {"language": "cpp", "source": "int main(){}", "stdin": ""}),
        "cancel": _command(6, "cancel", {}),
        "report": _command(7, "report", {"foreground": True, "foreground_ms": 123456}),
        "seen": {"type": "seen", "frames": 132},
        "leave": {"type": "leave"},
    }
    return {name: frames.encode(frame) for name, frame in told.items()}


def _command(client_seq: int, name: str, data: dict[str, Any]) -> dict[str, Any]:
    return {"type": "command", "client_seq": client_seq, "name": name, "data": data}


def as_text() -> str:
    return json.dumps(golden(), ensure_ascii=False, indent=2) + "\n"
