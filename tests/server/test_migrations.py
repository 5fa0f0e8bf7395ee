"""Tables go up and down on both databases with data in them, and a newer database is left alone."""

from __future__ import annotations

from typing import cast

import pytest
from sqlalchemy import inspect, text

from podium.errors import StateError
from podium.server.access.key_rows import create_key, has_keys
from podium.server.access.rights import LOCAL
from podium.server.storage.database import Database
from podium.server.storage.migrating import check_tables, migrate
from podium.server.storage.tables import metadata
from server.callers import Caller, called_service

WIN = {"ranks": {"ann": 1, "bob": 2}}


def table_names(database: Database) -> set[str]:
    with database.reading() as connection:
        return set(inspect(connection).get_table_names())


def test_tables_go_up_and_down_with_data_in_them(database_address: str) -> None:
    for _ in range(2):
        with called_service(database_address) as caller:
            caller.create()
            caller.report(WIN)
            caller.service.checkpoints.write("chess")
            caller.verified()
        database = Database(database_address)
        check_tables(database)
        assert metadata.tables.keys() <= table_names(database)
        migrate(database)  # again, which changes nothing
        with database.reading() as connection:
            assert connection.execute(text("SELECT count(*) FROM event")).scalar_one() == 1
        migrate(database, "base")
        assert not metadata.tables.keys() & table_names(database)
        database.close()


def test_chances_of_draws_that_an_older_podium_did_not_store_come_with_a_rebuild(caller: Caller) -> None:
    caller.create("drawn", "elo", parameters={"calibration": "learned"})
    for ranks in ({"ann": 1, "bob": 1}, {"ann": 1, "bob": 2}):
        caller.report({"ranks": ranks}, ladder="drawn")

    def chances() -> list[float]:
        page = caller.client.get("/ladders/drawn/events/2?format=json").json()
        return cast(list[float], page["chances"])

    before = chances()
    assert before[1] > 0.0
    with caller.service.database.writing() as connection:
        connection.execute(text("UPDATE change SET draw = NULL"))
    caller.verified("drawn")
    assert sum(chances()) == 1.0
    assert caller.client.post("/api/v1/ladders/drawn/rebuild").json()["changed"] == 4
    assert chances() == before
    caller.verified("drawn")


def test_a_downgrade_never_opens_a_guarded_database(database_address: str) -> None:
    """A podium without keys would let everybody on the machine do everything, and show private ladders."""
    with called_service(database_address) as caller:
        caller.create(private=True)
    database = Database(database_address)
    for target in ("base", "0001"):
        with pytest.raises(StateError, match="private ladders"):
            migrate(database, target)
    with database.writing() as connection:
        connection.execute(text("UPDATE ladder SET private = false"))
        create_key(connection, {"name": "ann", "scopes": ["admin"]}, LOCAL)
    with pytest.raises(StateError, match="API keys"):
        migrate(database, "0001")
    check_tables(database)
    with database.reading() as connection:
        assert has_keys(connection)
    database.close()


def test_the_tables_are_those_that_the_code_declares(database_address: str) -> None:
    database = Database(database_address)
    migrate(database)
    with database.reading() as connection:
        found = inspect(connection)
        for name, table in metadata.tables.items():
            columns = {column["name"]: column["nullable"] for column in found.get_columns(name)}
            assert columns == {column.name: bool(column.nullable) for column in table.columns}
            assert set(found.get_pk_constraint(name)["constrained_columns"]) == set(
                table.primary_key.columns.keys()
            )
            declared = {index.name for index in table.indexes}
            assert declared <= {index["name"] for index in found.get_indexes(name)}
    database.close()


def test_a_database_of_a_newer_podium_is_left_alone(database_address: str) -> None:
    database = Database(database_address)
    migrate(database)
    with database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for step in (migrate, check_tables):
        with pytest.raises(StateError, match="newer"):
            step(database)
    database.close()
    with pytest.raises(StateError, match="newer"), called_service(database_address):
        pass


def test_a_database_without_tables_is_told_apart(database_address: str) -> None:
    database = Database(database_address)
    with database.writing() as connection:
        connection.execute(text("CREATE TABLE other (id INTEGER)"))
    with pytest.raises(StateError, match="no tables"):
        check_tables(database)
    database.close()
