"""Databases for the tests of the service: files of SQLite, and a real PostgreSQL that they share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest

from server.callers import Caller, called_service
from server.postgresql_servers import PostgreSQL
from server.service_processes import Nursery, open_nursery

_numbers = count(1)


@pytest.fixture(autouse=True)
def _no_warmup(monkeypatch: pytest.MonkeyPatch) -> None:
    """What all kernels cost is paid once by the tests of kernels, not by each service here."""
    monkeypatch.setattr("podium.server.service.compile_kernels", lambda told: None)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgreSQL]:
    """One database server for all tests of this process."""
    server = PostgreSQL()
    server.start()
    yield server
    server.end()


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """What starts workers as processes of their own."""
    with open_nursery() as found:
        yield found


@pytest.fixture
def sqlite_address(tmp_path: Path) -> str:
    """A file of SQLite that is not there yet."""
    return str(tmp_path / "podium.db")


@pytest.fixture
def postgresql_address(postgresql_server: PostgreSQL) -> Iterator[str]:
    """An empty database of PostgreSQL."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(postgresql_server.address(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield postgresql_server.address(name)
    with psycopg.connect(postgresql_server.address(), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_address(request: pytest.FixtureRequest) -> str:
    """An empty database, of each kind in turn."""
    address: Any = request.getfixturevalue(f"{request.param}_address")
    return str(address)


@pytest.fixture
def caller(sqlite_address: str) -> Iterator[Caller]:
    """Somebody who calls a service on SQLite with one ladder, `chess`."""
    with called_service(sqlite_address) as found:
        found.create("chess")
        yield found


@pytest.fixture
def any_caller(database_address: str) -> Iterator[Caller]:
    """Somebody who calls a service with one ladder, `chess`, on each kind of database in turn."""
    with called_service(database_address) as found:
        found.create("chess")
        yield found
