"""What this process counts. Names begin with `fathom_`; read at `/metrics`."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

from realtime.wire.protocol import OTHER_CAUSE, Hello

HOUR_S = 3600

connections = Gauge("fathom_connections", "Open live connections", ["stream"])
event_streams = Gauge("fathom_event_streams", "Pages that run over the fallback, each by one response")
closes = Counter("fathom_closes", "Closed live connections; 4102 is the heartbeat's", ["stream", "code"])
causes = Counter("fathom_reconnects", "Connections by the cause that their client states", ["stream", "cause"])
attempts = Histogram(
    "fathom_attempts_until_success", "Tries that a client needed", ["stream"], buckets=(0, 1, 2, 3, 5, 8, 13, 21)
)
durations = Histogram(
    "fathom_connection_seconds",
    "How long connections lived",
    ["stream"],
    buckets=(1, 10, 60, 600, HOUR_S, 3 * HOUR_S, 6 * HOUR_S, 12 * HOUR_S, 24 * HOUR_S),
)
attached = Counter("fathom_attached", "Attached connections", ["stream", "how"])
stale_bases = Counter(
    "fathom_stale_bases",
    "Clients whose cursor the log did not serve any more: what they had was no base for events",
    ["stream"],
)
replayed = Counter("fathom_events_replayed", "Events read out of the log for connections that were behind", ["topic"])
gaps = Counter("fathom_client_gaps", "Gaps that clients saw", ["stream"])
duplicates = Counter("fathom_client_duplicates", "Duplicates that clients dropped", ["stream"])
round_trips = Histogram(
    "fathom_client_rtt_seconds", "Round trips that clients measured", buckets=(0.005, 0.02, 0.05, 0.1, 0.3, 1, 3)
)
latency = Histogram(
    "fathom_publish_to_socket_seconds",
    "From an event's row to handing it to the first connection",
    ["topic"],
    buckets=(0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5),
)
reads = Counter("fathom_hub_reads", "Reads of the log by the hub")
encodes = Counter("fathom_hub_encodes", "Events encoded by the hub, each once for all connections", ["topic"])
pings = Counter("fathom_pings", "Pings sent by the heartbeat")
tail_catches = Counter("fathom_tail_catches", "Topics that the tail found and no hint had told")
lost_hints = Counter("fathom_heartbeat_catches", "Topics that only the heartbeat's comparison found")
merged = Counter("fathom_hints_merged", "Hints for a topic that was about to be read anyway")
outstanding = Histogram(
    "fathom_outstanding_frames",
    "Frames on their way to a client, of each connection at each heartbeat; there is no other outgoing queue",
    buckets=(0, 1, 4, 16, 64, 128, 255),
)
ledger_lag = Histogram(
    "fathom_ledger_lag_seconds",
    "From a notice's being sent, shown or confirmed to its being in the ledger",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2, 5, 30),
)
left_out = Counter("fathom_events_left_out", "Events that were replaced or not asked for")
loop_lag = Histogram(
    "fathom_event_loop_lag_seconds",
    "How late the event loop is with what is due, measured 20 times a second",
    buckets=(0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5),
)
loop_lag_now = Gauge("fathom_event_loop_lag_now_seconds", "The newest of these measurements")
loop_failures = Counter("fathom_loop_failures", "Failures of a loop that this node lives by", ["loop"])
loops_failed = Gauge("fathom_loops_failed", "Loops of this node that failed and have not run for a while since")
turned_away = Counter("fathom_turned_away", "Newcomers told to come back later, by the limit that was met", ["limit"])
clock_steps = Counter("fathom_clock_steps", "Steps of the database's clock that this node saw first")
reports = Counter("fathom_timer_reports", "Settled timer reports", ["outcome"])
fenced = Counter("fathom_timer_fenced", "Timer reports dropped because another connection has taken over")
report_hold = Histogram(
    "fathom_timer_hold_seconds",
    "From a report's arrival to its being durable",
    buckets=(0.1, 0.3, 0.6, 1, 2, 5, 10, 30, 100),
)
busy = Counter("fathom_commands_busy", "Commands refused because too many were waiting", ["stream"])


def known_cause(cause: str) -> str:
    """Of a hello, for a label: never empty."""
    return cause or OTHER_CAUSE


def observe_loop_lag(lag_s: float) -> None:
    loop_lag.observe(lag_s)
    loop_lag_now.set(lag_s)


def count_attached(stream: str, hello: Hello, *, resumed: bool) -> None:
    """A client has got through: after how many tries, and how its state was brought up to date."""
    attempts.labels(stream).observe(hello.attempt)
    attached.labels(stream, "resumed" if resumed else "snapshot").inc()
    if hello.cursor is not None and not resumed:
        stale_bases.labels(stream).inc()


def count_hello(stream: str, hello: Hello) -> None:
    """What a client says about how it got here."""
    causes.labels(stream, known_cause(hello.cause)).inc()
    gaps.labels(stream).inc(hello.stats["gaps"])
    duplicates.labels(stream).inc(hello.stats["duplicates"])
    if hello.stats["rtt_ms"]:
        round_trips.observe(hello.stats["rtt_ms"] / 1000)
