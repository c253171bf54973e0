"""The data folder, and the secrets of the embedded shape in it: made once, readable by their owner alone."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import replace
from pathlib import Path

from config.environment import BadEnvironment, Environment


def with_secrets(environment: Environment) -> Environment:
    """`environment` with the secrets it did not name; folder and secrets are made on the first start."""
    _make_private(environment.data_dir)
    if environment.secret_key and environment.handoff_keys:
        return environment
    stored = _load_or_make(environment.data_dir)
    return replace(
        environment,
        secret_key=environment.secret_key or stored["secret_key"],
        handoff_keys=environment.handoff_keys or (("first", stored["handoff_key"]),),
    )


def _make_private(data_dir: Path) -> None:
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadEnvironment(f"FATHOM_DATA_DIR {data_dir} cannot be made: {error.strerror}.") from error


def _load_or_make(data_dir: Path) -> dict[str, str]:
    path = data_dir / "secrets.json"
    if not path.exists():
        _write_once(path)
    try:
        stored = json.loads(path.read_text())
        return {"secret_key": stored["secret_key"], "handoff_key": stored["handoff_key"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadEnvironment(f"{path} cannot be read as secrets; restore it from a backup or remove it.") from error


def _write_once(path: Path) -> None:
    """Write complete or not at all; of two processes that start together one wins and both read its file."""
    text = json.dumps({"secret_key": secrets.token_urlsafe(48), "handoff_key": secrets.token_urlsafe(48)})
    staging = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(staging, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    try:
        os.link(staging, path)
    except FileExistsError:
        pass
    except OSError as error:
        raise BadEnvironment(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        staging.unlink()
