"""Running one's own code on one's own input, with its output while it runs."""

from __future__ import annotations

from contest.models import User
from contest.presenters import present_run
from contest.services import selftests
from realtime import database, streams
from realtime.consumers.base import StreamConsumer
from realtime.consumers.commands import Arrived, Data, Handler
from realtime.wire.protocol import SELFTEST_FRAME_LIMIT_BYTES, free_text, integer, string


def _read_run(data: Data) -> tuple[str, str, str]:
    limit = SELFTEST_FRAME_LIMIT_BYTES
    return string(data, "language", 16), free_text(data, "source", limit), free_text(data, "stdin", limit)


def _read_cancel(data: Data) -> int | None:
    """The run that is meant; None: whichever is going."""
    return integer(data, "run") if "run" in data else None


class SelfTest(StreamConsumer):
    stream = streams.SELFTEST

    async def _run(self, arrived: Arrived) -> Data:
        language, source, stdin = arrived.data

        def start(user: User) -> Data:
            run = selftests.start_run(
                self.contest, user, language=language, source=source, stdin=stdin, command_key=arrived.key
            )
            return {"run": present_run(run)}

        return await database.run(database.commands, start, self.user)

    async def _cancel(self, arrived: Arrived) -> Data:
        is_cancelled = await database.run(
            database.commands, selftests.cancel_run, self.contest, self.user, arrived.data
        )
        return {"cancelled": is_cancelled}

    commands = {"run": Handler(_read_run, _run), "cancel": Handler(_read_cancel, _cancel)}
