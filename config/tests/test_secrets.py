import stat
from pathlib import Path

import pytest

from config.environment import BadEnvironment, read_environment
from config.secrets import with_secrets


def test_secrets_are_made_once_and_private_to_their_owner(tmp_path: Path) -> None:
    environment = read_environment({"FATHOM_DATA_DIR": str(tmp_path / "data")}, tmp_path)
    first, second = with_secrets(environment), with_secrets(environment)
    assert first.secret_key == second.secret_key != ""
    assert first.handoff_keys == second.handoff_keys != ()
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "data" / "secrets.json").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["secrets.json"]


def test_given_secrets_are_used_and_none_are_written(tmp_path: Path) -> None:
    given = {"FATHOM_SECRET_KEY": "s" * 40, "FATHOM_HANDOFF_KEYS": f"a:{'h' * 40}"}
    environment = read_environment({"FATHOM_DATA_DIR": str(tmp_path / "data"), **given}, tmp_path)
    assert with_secrets(environment).secret_key == "s" * 40
    assert list((tmp_path / "data").iterdir()) == []


def test_a_broken_secrets_file_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "secrets.json").write_text("{")
    with pytest.raises(BadEnvironment, match=r"secrets\.json cannot be read as secrets"):
        with_secrets(read_environment({"FATHOM_DATA_DIR": str(tmp_path)}, tmp_path))
    assert (tmp_path / "secrets.json").read_text() == "{"
