import re
from pathlib import Path

import pytest

from config.environment import NAMES, BadEnvironment, read_environment


def test_an_empty_environment_gives_the_embedded_shape_with_the_documented_defaults() -> None:
    environment = read_environment({}, Path("/site"))
    assert (environment.database_url, environment.redis_url) == ("", "")
    assert (environment.host, environment.port, environment.data_dir) == ("127.0.0.1", 8000, Path("/site/var"))
    timings = environment.timings
    assert (timings.heartbeat_ms, timings.silence_ms, timings.probe_ms, timings.idle_kill_ms) == (
        40000,
        120000,
        10000,
        80000,
    )
    assert (timings.report_ms, timings.lease_ms, timings.handshake_ms, timings.tail_ms) == (10000, 30000, 10000, 20)


def test_every_variable_that_is_read_is_known_and_documented() -> None:
    base = Path(__file__).parents[1]
    read = set(re.findall(r'"(FATHOM_[A-Z_]+)"', (base / "environment.py").read_text()))
    documented = set(re.findall(r"`(FATHOM_[A-Z_]+)`", (base.parent / "docs/settings.md").read_text()))
    assert {name for name in read if not name.startswith("FATHOM_TEST_")} - {"FATHOM_"} == documented == set(NAMES)
    read_environment({"FATHOM_TEST_ANYTHING": "1"}, Path("/site"))


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"FATHOM_PORT": "70000"}, "FATHOM_PORT is '70000'; it must be a whole number from 1 to 65535."),
        ({"FATHOM_PROT": "80"}, "There is no setting FATHOM_PROT; did you mean FATHOM_PORT?"),
        ({"FATHOM_DEMO": "yes"}, "FATHOM_DEMO is 'yes'; it must be 0 or 1."),
        ({"FATHOM_REPORT_MS": "30000"}, "FATHOM_REPORT_MS (30000 ms) must be less than FATHOM_LEASE_MS (30000 ms)"),
        ({"FATHOM_PROBE_MS": "120000"}, "FATHOM_PROBE_MS (120000 ms) must be less than FATHOM_SILENCE_MS"),
        (
            {"FATHOM_SILENCE_MS": "600001"},
            "FATHOM_SILENCE_MS is '600001'; it must be a whole number from 100 to 600000.",
        ),
        ({"FATHOM_TRIAL_MS": "600001"}, "it must be a whole number from 1000 to 600000."),
        ({"FATHOM_HEARTBEAT_MS": "90000"}, "must be less than FATHOM_IDLE_KILL_MS (80000 ms)"),
        ({"DATABASE_URL": "mysql://x"}, "DATABASE_URL must begin with postgres://"),
        ({"DATABASE_URL": "postgres://x"}, "FATHOM_SECRET_KEY is required when DATABASE_URL is set"),
        ({"REDIS_URL": "localhost"}, "REDIS_URL must begin with redis://"),
        ({"FATHOM_SECRET_KEY": "short"}, "FATHOM_SECRET_KEY is shorter than 32 characters"),
        ({"FATHOM_HANDOFF_KEYS": "nokey"}, "FATHOM_HANDOFF_KEYS must be id:key"),
        ({"FATHOM_NODE_ID": "n" * 81}, "FATHOM_NODE_ID must be at most 80 characters that can be printed."),
        ({"FATHOM_LOG": "xml"}, "FATHOM_LOG is 'xml'; it must be text or json."),
        ({"FATHOM_USER_CONNECTIONS": "4"}, "FATHOM_USER_CONNECTIONS is '4'; it must be a whole number from 5"),
        ({"FATHOM_LOOP_LAG_MS": "-1"}, "FATHOM_LOOP_LAG_MS is '-1'; it must be a whole number from 0"),
        (
            {"FATHOM_ADDRESS_ATTEMPTS_PER_S": "9000"},
            "FATHOM_ADDRESS_ATTEMPTS_PER_S (9000) must not be over FATHOM_NODE_ATTEMPTS_PER_S (5000): one",
        ),
        ({"FATHOM_TRUSTED_PROXIES": "10.0.0.300"}, "FATHOM_TRUSTED_PROXIES names '10.0.0.300'"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_with_a_sentence(variables: dict[str, str], sentence: str) -> None:
    with pytest.raises(BadEnvironment) as refused:
        read_environment(variables, Path("/site"))
    assert sentence in str(refused.value)
