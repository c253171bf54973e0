"""How the server program is set up."""

from __future__ import annotations

import logging
import sys
from asyncio import CancelledError

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

from config import settings as of_the_site
from config.server import make_config, without_traceback_of_others_faults
from contest.hashing import BoundedPBKDF2PasswordHasher


def test_the_server_program_has_no_heartbeat_of_its_own() -> None:
    """uvicorn's would cut whoever has not answered a ping of every 20 s for 20 s, and a pong may lie unread for so
    long behind a busy consumer: a healthy connection, cut at 40.0 s."""
    config = make_config(settings.FATHOM)
    assert config.ws_ping_interval is None
    assert config.ws_ping_timeout is None


def test_whatever_hashes_a_password_on_the_site_waits_for_its_turn() -> None:
    """Not as in tests, where passwords are hashed cheaply."""
    assert [import_string(name) for name in of_the_site.PASSWORD_HASHERS] == [BoundedPBKDF2PasswordHasher]
    assert "contest.hashing.HashingInTurn" in of_the_site.MIDDLEWARE


@pytest.mark.parametrize(
    ("error", "has_traceback"),
    [
        (CancelledError("Task cancelled, timeout graceful shutdown exceeded"), False),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), False),
        (ValueError("a fault of ours"), True),
    ],
)
def test_what_a_client_owes_or_garbles_leaves_no_traceback(error: BaseException, has_traceback: bool) -> None:
    try:
        raise error
    except BaseException:
        said = logging.LogRecord("uvicorn.error", logging.ERROR, "", 0, "Exception", (), sys.exc_info())
    assert without_traceback_of_others_faults(said)
    assert bool(said.exc_info) is has_traceback
