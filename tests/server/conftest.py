"""Databases for the tests of the service: files of SQLite, and a real PostgreSQL that they share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest

from podium.server.storage.database import Database
from podium.server.storage.migrating import migrate
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
def own_postgresql() -> Iterator[PostgreSQL]:
    """A database server that may be killed."""
    server = PostgreSQL()
    server.start()
    yield server
    server.end()


@pytest.fixture
def sqlite_address(tmp_path: Path) -> str:
    """A file of SQLite that is not there yet."""
    return str(tmp_path / "podium.db")


@contextmanager
def new_database(server: PostgreSQL, template: str = "template1") -> Iterator[str]:
    """The address of a new database of PostgreSQL, made after another one, for the time of the block."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(server.address(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    yield server.address(name)
    with psycopg.connect(server.address(), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgresql_address(postgresql_server: PostgreSQL) -> Iterator[str]:
    """An empty database of PostgreSQL."""
    with new_database(postgresql_server) as address:
        yield address


@pytest.fixture(scope="session")
def migrated_template(postgresql_server: PostgreSQL) -> str:
    """A database of PostgreSQL with podium's tables and nothing in them, of which others are copies."""
    with psycopg.connect(postgresql_server.address(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE migrated")
    database = Database(postgresql_server.address("migrated"))
    migrate(database)
    database.close()
    return "migrated"


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


@pytest.fixture(params=["sqlite", "postgresql"])
def any_caller(request: pytest.FixtureRequest) -> Iterator[Caller]:
    """Somebody who calls a service with one ladder, `chess`, on each kind of database in turn."""
    with ExitStack() as stack:
        if request.param == "sqlite":
            address = request.getfixturevalue("sqlite_address")
        else:
            server = request.getfixturevalue("postgresql_server")
            template = request.getfixturevalue("migrated_template")
            address = stack.enter_context(new_database(server, template))
        found = stack.enter_context(called_service(address))
        found.create("chess")
        yield found
