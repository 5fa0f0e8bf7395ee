"""Tables in databases: what is written is read back, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import psycopg
import pytest
import sqlalchemy

import podium
from cli.command import failed, succeeded
from podium import History, InputError
from podium.files.database_addresses import DatabasePath, is_database, shown_address
from podium.tables.database_tables import read_database
from podium.tables.written_tables import write_frames
from server.postgresql_servers import PostgreSQL

MATCHES = pl.DataFrame(
    {"time": ["2026-05-01", "2026-05-02"], "winner": ["ann", "bob"], "loser": ["bob", "cat"]}
)


POSTGRESQL = "postgresql"


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSQL]:
    """A database server of its own."""
    server = PostgreSQL()
    server.start()
    yield server
    server.end()


@pytest.fixture(
    params=["duckdb:{}/season.db", "duckdb:///{}/season.db", "sqlite:///{}/season.db", POSTGRESQL]
)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param != POSTGRESQL:
        return str(request.param).format(tmp_path)
    server: PostgreSQL = request.getfixturevalue("server")
    with psycopg.connect(server.address(), autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return server.address()


def test_read_and_written(address: str) -> None:
    write_frames([MATCHES[:1], MATCHES[1:]], f"{address}#games")
    assert read_database(address).equals(MATCHES)
    history = podium.read_history(f"{address}#games")
    assert [event.sides for event in history] == [(("ann",), ("bob",)), (("bob",), ("cat",))]
    later = podium.read_history(f"{address}#select * from games where winner = 'bob'")
    assert len(later) == 1
    podium.write_history(history, address)
    assert podium.read_history(f"{address}#results").summary() == history.summary()
    run = podium.rate(f"{address}#games", "glicko", trace=f"{address}#past")
    assert read_database(f"{address}#past")["display"].len() == 4
    run_again = podium.rate(MATCHES, "glicko")
    assert run.ratings.equals(run_again.ratings)
    with pytest.raises(InputError, match=r"which table.*\n.*games, past, results"):
        podium.read_history(address)
    with pytest.raises(InputError, match=r"there is no table 'gams'\n.*did you mean 'games'"):
        podium.read_history(f"{address}#gams")


def test_a_table_is_replaced_whole_or_not_at_all(address: str) -> None:
    write_frames([MATCHES], f"{address}#games")

    def failing() -> Iterator[pl.DataFrame]:
        yield MATCHES[:1]
        raise InputError("line 2 is bad")

    with pytest.raises(InputError, match="line 2 is bad"):
        write_frames(failing(), f"{address}#games")
    assert read_database(address).equals(MATCHES)
    write_frames([MATCHES[:1]], f"{address}#games")
    assert read_database(address).height == 1


def test_on_the_command_line(address: str) -> None:
    write_frames([MATCHES], f"{address}#games")
    said = succeeded("rate", f"{address}#games", "--system", "elo", "--out", address)
    assert f"wrote {address}" in said
    assert read_database(f"{address}#ratings")["player"].to_list() == ["ann", "bob", "cat"]
    succeeded("predict", f"{address}#games", "--system", "elo", "--out", address)
    assert read_database(f"{address}#predictions").height == 2
    assert "there is no table 'none'" in failed(1, "rate", f"{address}#none")


def test_addresses() -> None:
    assert not any(map(is_database, ("season.db", "https://host/x", "c:/x.csv", 3, None)))
    url = "postgresql://ann:secret@host/db#games"
    assert shown_address(url) == "postgresql://ann:***@host/db#games"
    path = DatabasePath("sqlite:////tmp/x.db")
    assert (str(path), f"{path}") == ("sqlite:////tmp/x.db",) * 2
    with pytest.raises(InputError, match="there is no such file"):
        podium.read_history("duckdb:nowhere.db#games")


def test_results_in_queries() -> None:
    """DuckDB finds podium's tables by the names of variables."""
    ratings = podium.rate(History.from_matches(["ann"], ["bob"]), "elo").ratings
    found = duckdb.sql("SELECT player FROM ratings WHERE display > 1500").fetchall()
    assert found == [("ann",)]
    assert ratings.height == 2
    assert sqlalchemy.__version__
