"""Settings come from environment variables only. This module reads them; it knows no Django.

A value that makes no sense, or two that contradict each other, raise `BadEnvironment` with one
sentence that says which variable and why; `manage.py` prints it and stops.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NAMES = tuple(
    "FATHOM_" + name
    for name in """
        HOST PORT DATA_DIR DEMO SECRET_KEY HANDOFF_KEYS ALLOWED_HOSTS TRUSTED_PROXIES HTTPS NODE_ID JUDGE_SLOTS
        HEARTBEAT_MS SILENCE_MS PROBE_MS IDLE_KILL_MS HANDSHAKE_MS HIDDEN_MS SLOW_MS REPORT_MS LEASE_MS TAIL_MS DRAIN_S
        METRICS_TOKEN REGISTRATION ADDRESS_ACCOUNTS_PER_H SUBMISSIONS_PER_MIN
        USER_CONNECTIONS ADDRESS_ATTEMPTS_PER_S CONTEST_ATTEMPTS_PER_S NODE_ATTEMPTS_PER_S LOOP_LAG_MS LOG
        TRIAL_MS
    """.split()  # noqa: SIM905 — a list of literals would be a line for each
)
"""Every variable of the site's own; `DATABASE_URL` and `REDIS_URL` are named as elsewhere. docs/settings.md says what
each means. Tests have `FATHOM_TEST_…` to themselves."""
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")
NODE_ID_LIMIT_CHARS = 80
"""With what judges add to it, it names a lease: a column of 120."""
LONGEST_WINDOW_MS = 600_000
"""Of those that browsers are told: they take no longer one (`static/js/realtime/timings.js`)."""


class BadEnvironment(Exception):
    """One sentence for the person who starts the site."""


@dataclass(frozen=True)
class Timings:
    """Windows of liveness and lease, in milliseconds; their inequalities are checked in `_check_timings`."""

    heartbeat_ms: int
    silence_ms: int
    probe_ms: int
    idle_kill_ms: int
    report_ms: int
    lease_ms: int
    handshake_ms: int
    hidden_ms: int
    trial_ms: int
    slow_ms: int
    tail_ms: int


@dataclass(frozen=True)
class Limits:
    """How many live connections are let in, and accounts made; 0 attempts, or 0 ms of lag: no limit."""

    user_connections: int
    address_attempts_per_s: int
    contest_attempts_per_s: int
    node_attempts_per_s: int
    loop_lag_ms: int
    address_accounts_per_h: int


@dataclass(frozen=True)
class Environment:
    host: str
    port: int
    data_dir: Path
    demo: bool
    database_url: str
    redis_url: str
    secret_key: str
    handoff_keys: tuple[tuple[str, str], ...]
    allowed_hosts: tuple[str, ...]
    trusted_proxies: tuple[str, ...]
    https: bool
    node_id: str
    judge_slots: int
    timings: Timings
    limits: Limits
    log: str
    drain_s: int
    metrics_token: str
    registration: bool
    submissions_per_min: int  # of one person in one contest; 0: no limit
    shared_data: bool  # tests only: several servers on one SQLite data folder
    beat_ms: int  # how often a node says that it lives; the same on all nodes, other than usual in tests only

    @property
    def is_loopback_only(self) -> bool:
        return _are_loopback(self.allowed_hosts)


def read_environment(environ: Mapping[str, str], base_dir: Path) -> Environment:
    """The site's settings from `environ`. Raises BadEnvironment."""
    _check_names(environ)
    database_url = environ.get("DATABASE_URL", "").strip()
    allowed_hosts = _words(environ, "FATHOM_ALLOWED_HOSTS") or LOOPBACK_HOSTS
    return Environment(
        host=environ.get("FATHOM_HOST", "").strip() or "127.0.0.1",
        port=_number(environ, "FATHOM_PORT", 8000, low=1, high=65535),
        data_dir=Path(environ.get("FATHOM_DATA_DIR", "").strip() or base_dir / "var").expanduser().absolute(),
        demo=_flag(environ, "FATHOM_DEMO", default=False),
        database_url=_database_url(database_url),
        redis_url=_redis_url(environ),
        secret_key=_secret_key(environ, required=bool(database_url)),
        handoff_keys=_handoff_keys(environ, required=bool(database_url)),
        allowed_hosts=allowed_hosts,
        trusted_proxies=_networks(environ, "FATHOM_TRUSTED_PROXIES"),
        https=_flag(environ, "FATHOM_HTTPS", default=bool(database_url) and not _are_loopback(allowed_hosts)),
        node_id=_node_id(environ),
        judge_slots=_number(environ, "FATHOM_JUDGE_SLOTS", max(1, (os.cpu_count() or 2) // 2), low=0, high=256),
        timings=_timings(environ, scaled_out=bool(database_url)),
        limits=_limits(environ),
        log=_one_of(environ, "FATHOM_LOG", ("text", "json"), default="json" if database_url else "text"),
        drain_s=_number(environ, "FATHOM_DRAIN_S", 30, low=1, high=3600),
        metrics_token=environ.get("FATHOM_METRICS_TOKEN", "").strip(),
        registration=_flag(environ, "FATHOM_REGISTRATION", default=True),
        submissions_per_min=_number(environ, "FATHOM_SUBMISSIONS_PER_MIN", 20, high=10_000),
        shared_data=_flag(environ, "FATHOM_TEST_SHARED_DATA", default=False),
        beat_ms=_number(environ, "FATHOM_TEST_BEAT_MS", 2_000, low=100),
    )


def _node_id(environ: Mapping[str, str]) -> str:
    name = environ.get("FATHOM_NODE_ID", "").strip()
    if len(name) > NODE_ID_LIMIT_CHARS or not name.isprintable():
        raise BadEnvironment(f"FATHOM_NODE_ID must be at most {NODE_ID_LIMIT_CHARS} characters that can be printed.")
    return name or f"{socket.gethostname()}-{os.getpid()}"


def _are_loopback(hosts: tuple[str, ...]) -> bool:
    return set(hosts) <= set(LOOPBACK_HOSTS)


def _check_names(environ: Mapping[str, str]) -> None:
    """A misspelt variable would be ignored, and its default would hold where somebody chose otherwise."""
    for name in sorted(environ):
        if name.startswith("FATHOM_") and not name.startswith("FATHOM_TEST_") and name not in NAMES:
            near = difflib.get_close_matches(name, NAMES, n=1, cutoff=0)[0]
            raise BadEnvironment(f"There is no setting {name}; did you mean {near}? docs/settings.md lists all.")


def _limits(environ: Mapping[str, str]) -> Limits:
    """The defaults are explained in docs/settings.md."""
    limits = Limits(
        user_connections=_number(environ, "FATHOM_USER_CONNECTIONS", 60, low=5, high=10_000),
        address_attempts_per_s=_number(environ, "FATHOM_ADDRESS_ATTEMPTS_PER_S", 500, high=1_000_000),
        contest_attempts_per_s=_number(environ, "FATHOM_CONTEST_ATTEMPTS_PER_S", 5000, high=1_000_000),
        node_attempts_per_s=_number(environ, "FATHOM_NODE_ATTEMPTS_PER_S", 5000, high=1_000_000),
        loop_lag_ms=_number(environ, "FATHOM_LOOP_LAG_MS", 2000, high=60_000),
        address_accounts_per_h=_number(environ, "FATHOM_ADDRESS_ACCOUNTS_PER_H", 100, high=1_000_000),
    )
    address, node = limits.address_attempts_per_s, limits.node_attempts_per_s
    if node and address > node:
        raise BadEnvironment(
            f"FATHOM_ADDRESS_ATTEMPTS_PER_S ({address}) must not be over FATHOM_NODE_ATTEMPTS_PER_S ({node}):"
            " one address could lock out all others."
        )
    return limits


def _timings(environ: Mapping[str, str], *, scaled_out: bool) -> Timings:
    probe_ms = _number(environ, "FATHOM_PROBE_MS", 10_000, low=50, high=LONGEST_WINDOW_MS)
    timings = Timings(
        heartbeat_ms=_number(environ, "FATHOM_HEARTBEAT_MS", 40_000, low=50, high=LONGEST_WINDOW_MS),
        silence_ms=_number(environ, "FATHOM_SILENCE_MS", 120_000, low=100, high=LONGEST_WINDOW_MS),
        probe_ms=probe_ms,
        idle_kill_ms=_number(environ, "FATHOM_IDLE_KILL_MS", 80_000, low=100),
        report_ms=_number(environ, "FATHOM_REPORT_MS", 10_000, low=50, high=LONGEST_WINDOW_MS),
        lease_ms=_number(environ, "FATHOM_LEASE_MS", 30_000, low=100, high=LONGEST_WINDOW_MS),
        handshake_ms=_number(environ, "FATHOM_HANDSHAKE_MS", probe_ms, low=50, high=LONGEST_WINDOW_MS),
        slow_ms=_number(environ, "FATHOM_SLOW_MS", 30_000, low=2_000),  # clients say `seen` every second
        hidden_ms=_number(environ, "FATHOM_HIDDEN_MS", 60_000, low=100, high=LONGEST_WINDOW_MS),
        trial_ms=_number(environ, "FATHOM_TRIAL_MS", 60_000, low=1_000, high=LONGEST_WINDOW_MS),
        tail_ms=_number(environ, "FATHOM_TAIL_MS", 1_000 if scaled_out else 20, low=5, high=60_000),
    )
    _check_timings(timings)
    return timings


def _check_timings(t: Timings) -> None:
    smaller = [
        (
            "FATHOM_REPORT_MS",
            t.report_ms,
            "FATHOM_LEASE_MS",
            t.lease_ms,
            "a report must renew the lease in time",
        ),
        (
            "FATHOM_PROBE_MS",
            t.probe_ms,
            "FATHOM_SILENCE_MS",
            t.silence_ms,
            "a probe is shorter than the silence before it",
        ),
        (
            "FATHOM_HEARTBEAT_MS",
            t.heartbeat_ms,
            "FATHOM_SILENCE_MS",
            t.silence_ms,
            "heartbeats must break the silence",
        ),
        (
            "FATHOM_HEARTBEAT_MS",
            t.heartbeat_ms,
            "FATHOM_IDLE_KILL_MS",
            t.idle_kill_ms,
            "a client must have time to answer",
        ),
    ]
    for low_name, low, high_name, high, why in smaller:
        if low >= high:
            raise BadEnvironment(f"{low_name} ({low} ms) must be less than {high_name} ({high} ms): {why}.")


def _number(environ: Mapping[str, str], name: str, default: int, *, low: int = 0, high: int = 86_400_000) -> int:
    text = environ.get(name, "").strip()
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
        raise BadEnvironment(f"{name} is {text!r}; it must be a whole number from {low} to {high}.")
    return int(text)


def _flag(environ: Mapping[str, str], name: str, *, default: bool) -> bool:
    text = environ.get(name, "").strip()
    if text not in ("", "0", "1"):
        raise BadEnvironment(f"{name} is {text!r}; it must be 0 or 1.")
    return text == "1" if text else default


def _one_of(environ: Mapping[str, str], name: str, words: tuple[str, ...], *, default: str) -> str:
    text = environ.get(name, "").strip()
    if text and text not in words:
        raise BadEnvironment(f"{name} is {text!r}; it must be {' or '.join(words)}.")
    return text or default


def _words(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in environ.get(name, "").split(",") if word.strip())


def _networks(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    for word in _words(environ, name):
        try:
            ipaddress.ip_network(word)
        except ValueError as error:
            raise BadEnvironment(f"{name} names {word!r}, which is no address or network: {error}.") from error
    return _words(environ, name)


def _database_url(url: str) -> str:
    if url and not url.startswith(("postgres://", "postgresql://")):
        raise BadEnvironment("DATABASE_URL must begin with postgres://; leave it unset for SQLite in the data folder.")
    return url


def _redis_url(environ: Mapping[str, str]) -> str:
    url = environ.get("REDIS_URL", "").strip()
    if url and not url.startswith(("redis://", "rediss://", "unix://")):
        raise BadEnvironment(
            "REDIS_URL must begin with redis://, rediss:// or unix://; leave it unset for one process."
        )
    return url


def _secret_key(environ: Mapping[str, str], *, required: bool) -> str:
    key = environ.get("FATHOM_SECRET_KEY", "").strip()
    if required and not key:
        raise BadEnvironment("FATHOM_SECRET_KEY is required when DATABASE_URL is set: all nodes must share it.")
    if key and len(key) < 32:
        raise BadEnvironment("FATHOM_SECRET_KEY is shorter than 32 characters; make a random one.")
    return key


def _handoff_keys(environ: Mapping[str, str], *, required: bool) -> tuple[tuple[str, str], ...]:
    pairs = []
    for word in _words(environ, "FATHOM_HANDOFF_KEYS"):
        key_id, colon, key = word.partition(":")
        if not colon or not key_id or len(key) < 32:
            raise BadEnvironment("FATHOM_HANDOFF_KEYS must be id:key,id:key with keys of at least 32 characters.")
        pairs.append((key_id, key))
    if required and not pairs:
        raise BadEnvironment("FATHOM_HANDOFF_KEYS is required when DATABASE_URL is set: all nodes must share them.")
    return tuple(pairs)
