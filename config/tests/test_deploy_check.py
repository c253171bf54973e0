"""`manage.py check --deploy` has nothing to say about the scaled-out shape, and cookies are kept to TLS there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
SCALED_OUT = {
    "DATABASE_URL": "postgres://fathom@127.0.0.1:1/fathom",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "FATHOM_SECRET_KEY": "k3Wq8-ZtP2vLx9" * 5,
    "FATHOM_HANDOFF_KEYS": "a:" + "k" * 40,
    "FATHOM_ALLOWED_HOSTS": "contest.example.org",
    "FATHOM_TRUSTED_PROXIES": "192.0.2.1",
}
ASK = """
from django.conf import settings as s
print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_SSL_REDIRECT, s.SECURE_HSTS_SECONDS > 0, s.DEBUG)
"""


def manage(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**kept, **SCALED_OUT, "FATHOM_DATA_DIR": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_deploy_check_is_clean(tmp_path: Path) -> None:
    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING")
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_cookies_travel_by_tls_only(tmp_path: Path) -> None:
    done = manage(tmp_path, "shell", "--verbosity", "0", "-c", ASK)
    assert done.stdout.split() == ["True", "True", "True", "True", "False"], done.stderr
