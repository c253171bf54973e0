"""Reading the site's database from outside: what is said to be stored must be visible to somebody else."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg


class Rows:
    """Takes a `postgres://` address or the file of an SQLite database."""

    def __init__(self, database: str | Path) -> None:
        self._connection: psycopg.Connection[Any] | sqlite3.Connection
        if isinstance(database, Path):
            self._connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        else:
            parts = urlsplit(database)
            self._connection = psycopg.connect(
                host=unquote(parts.hostname or ""), user=parts.username, dbname=parts.path[1:], autocommit=True
            )

    def __enter__(self) -> Rows:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a statement without parameters."""
        return list(self._connection.execute(sql).fetchall())
