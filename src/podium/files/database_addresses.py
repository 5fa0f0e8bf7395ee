"""Addresses of tables in databases.

An address is ``duckdb:season.db`` or a URL of SQLAlchemy such as ``sqlite:///season.db``. After ``#`` comes
the table, or for reading a query: ``sqlite:///season.db#select * from matches where year > 2020``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_ADDRESS = re.compile(r"duckdb:.+|(sqlite|postgresql|mysql|mariadb|mssql|oracle)(\+\w+)?://.*", re.DOTALL)


class DatabasePath(type(Path())):  # type: ignore[misc]  # of the kind that this system has
    """The address of a database where a command expects a path, which would fold its slashes."""

    url = ""
    """The address as it is written; a path made of this one, such as its parent, has none."""

    def __new__(cls, url: str) -> DatabasePath:
        """The address as it is written."""
        made: DatabasePath = super().__new__(cls, url)
        made.url = url
        return made

    def __str__(self) -> str:
        return self.url or super().__str__()

    def __fspath__(self) -> str:
        return str(self)

    def resolve(self, strict: bool = False) -> DatabasePath:
        """The same address, as it is no path on this disk."""
        return self


def is_database(given: object) -> bool:
    """Whether this is the address of a database.

    >>> [is_database(one) for one in ("duckdb:season.db", "sqlite:///season.db#games", "season.db")]
    [True, True, False]
    """
    return isinstance(given, (str, os.PathLike)) and _ADDRESS.fullmatch(os.fspath(given)) is not None


def shown_address(given: str | os.PathLike[str]) -> str:
    """The address without its password."""
    return re.sub(r"(://[^:/@]*):[^@/]*@", r"\1:***@", os.fspath(given))


def path_or_database(text: str) -> Path:
    """What a command is given in place of a file."""
    return DatabasePath(text) if is_database(text) else Path(text)
