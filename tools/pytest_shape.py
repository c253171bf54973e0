"""pytest plugin: gives the test run a shape before Django's settings are read.

`FATHOM_TEST_SHAPE=scaled` starts PostgreSQL and Redis for this run; otherwise SQLite in a temporary
data folder. Named in `addopts`, because pytest-django reads the settings before any conftest.
"""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest

from tools.services import Services

_services: Services | None = None
_data_dir: str | None = None


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
    if os.environ.get("FATHOM_TEST_SHAPE") == "scaled":
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
    return f"shape: {os.environ.get('FATHOM_TEST_SHAPE', 'embedded')}"


@pytest.fixture(scope="session")
def services() -> Services:
    """The servers of this run, for tests that stop and start them. Only in the scaled-out shape."""
    if _services is None:
        pytest.fail("this test needs the scaled-out shape: mark it with pytest.mark.scaled")
    return _services
