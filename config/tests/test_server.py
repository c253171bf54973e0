"""How the server program is set up."""

from __future__ import annotations

from django.conf import settings

from config.server import make_config


def test_the_server_program_has_no_heartbeat_of_its_own() -> None:
    """uvicorn's would cut whoever has not answered a ping of every 20 s for 20 s, and a pong may lie unread for so
    long behind a busy consumer: a healthy connection, cut at 40.0 s."""
    config = make_config(settings.FATHOM)
    assert config.ws_ping_interval is None
    assert config.ws_ping_timeout is None
