"""pytest plugin: gives the test run a shape before Django's settings are read.

`FATHOM_TEST_SHAPE=scaled` starts PostgreSQL and Redis for this run; otherwise SQLite in a temporary
data folder. Named in `addopts`, because pytest-django reads the settings before any conftest.

`make test` runs both. A test runs in both, unless it is marked with the only one that it is for, or is the same
in both: such a test is left out (not skipped) of the scaled-out one. The summary says how many were.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from typing import Any

import pytest

from tools.services import Services

NEEDS_A_SHAPE = frozenset({"db", "transactional_db", "services", "own_services"})
"""The fixtures by which tests come to the database and the servers, be it by way of other fixtures."""

_services: Services | None = None
_data_dir: str | None = None
_left_out: Counter[str] = Counter()
"""Why, and how many; of all workers the same."""


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    global _services, _data_dir
    if "PYTEST_XDIST_WORKER" in os.environ:
        return  # the controller's environment came along
    for name in [name for name in os.environ if name.startswith("FATHOM_") and not name.startswith("FATHOM_TEST_")]:
        del os.environ[name]  # a developer's own settings must not change what is tested
    _data_dir = tempfile.mkdtemp(prefix="fathom-data-", dir="/tmp")
    os.environ["FATHOM_DATA_DIR"] = _data_dir
    os.environ.pop("DATABASE_URL", None)
    os.environ.pop("REDIS_URL", None)
    if _shape() == "scaled":
        _services = Services()
        _services.__enter__()
        os.environ.update(_services.environment())


def pytest_unconfigure(config: pytest.Config) -> None:
    global _services, _data_dir
    if _services is not None:
        _services.close()
        _services = None
    if _data_dir is not None:
        shutil.rmtree(_data_dir, ignore_errors=True)
        _data_dir = None


def pytest_report_header(config: pytest.Config) -> str:
    return f"shape: {_shape()}"


def _shape() -> str:
    return os.environ.get("FATHOM_TEST_SHAPE", "embedded")


# --- What is left to the other shape --------------------------------------------------------------


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    reasons = [_why_left_out(item) for item in items]
    _left_out.clear()
    _left_out.update(reason for reason in reasons if reason)
    if _left_out:
        config.hook.pytest_deselected(items=[item for item, why in zip(items, reasons, strict=True) if why])
        items[:] = [item for item, why in zip(items, reasons, strict=True) if not why]


def _why_left_out(item: pytest.Item) -> str:
    """Empty: it runs."""
    if item.get_closest_marker("embedded" if _shape() == "scaled" else "scaled"):
        return "marked as its own"
    if _shape() == "scaled" and _is_the_same_in_both(item):
        return "the same in both"
    return ""


def _is_the_same_in_both(item: pytest.Item) -> bool:
    """It uses neither the database, which pytest-django keeps from it, nor a server of the run.

    The mark `both_shapes` is for one that asks for the shape by another way: it starts a process that does,
    or reads the settings.
    """
    if any(item.get_closest_marker(name) for name in ("scaled", "both_shapes", "django_db")):
        return False
    return NEEDS_A_SHAPE.isdisjoint(getattr(item, "fixturenames", ()))


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(_left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _left_out.update({} if _left_out else getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for why, number in sorted(_left_out.items()):
        terminalreporter.write_line(f"left to the other shape: {number} ({why})")


# --- The servers of this run ----------------------------------------------------------------------


@pytest.fixture(scope="session")
def services() -> Services:
    """The servers of this run, for tests that stop and start them. Only in the scaled-out shape."""
    if _services is None:
        pytest.fail("this test needs the scaled-out shape: mark it with pytest.mark.scaled")
    return _services
