"""Backups: taken while a service runs, restored into either kind of database, whole or not at all."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import MetaData, select

from cli.command import podium_here
from podium.server.correcting.rerating import begin_building, finish_building
from podium.server.jobs.job_leases import claim_job, renew_lease
from podium.server.jobs.job_rows import JobCancelledError
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.problems import SupersededError
from podium.server.storage.backup_files import BackupWriter
from podium.server.storage.backups import _kind, back_up, restore
from podium.server.storage.database import Database
from podium.server.storage.migrating import check_tables, migrate
from server.callers import Caller, called_service
from server.recorded import emptied
from server.report_load import Load
from server.service_processes import Nursery
from server.test_imports import EVERYTHING, ratings


@pytest.fixture
def addresses(sqlite_address: str, postgresql_address: str) -> dict[str, str]:
    """An empty database of each kind."""
    return {"sqlite": sqlite_address, "postgresql": postgresql_address}


def filled(caller: Caller) -> None:
    """Let a service have a bit of everything."""
    caller.create("old", "weng-lin", title="Old, but gold")
    for report in EVERYTHING:
        caller.report(report, ladder="old")
    caller.create("empty")
    caller.service.checkpoints.write("old")
    caller.client.post("/api/v1/ladders/old/exports", json={})


def succeeded(*command: Any) -> str:
    """What a command says that must not fail."""
    done = podium_here(*command)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


@pytest.mark.parametrize("source", ["sqlite", "postgresql"])
@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_a_backup_is_restored_into_either_kind(
    source: str, target: str, addresses: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "podium.backup"
    with called_service(addresses[source]) as caller:
        filled(caller)
        said = succeeded("backup", file, "--database", addresses[source])
        assert said.startswith(f"{file}: 2 ladders, {len(EVERYTHING)} entries, ")
        assert file.stat().st_mode & 0o777 == 0o600
        assert "replaced" not in said
        assert "replaced" in succeeded("backup", file, "--database", addresses[source])
        log, board = caller.log("old"), ratings(caller, "old")
        ladders = caller.client.get("/api/v1/ladders").json()
    where = str(tmp_path / "other.db") if target == "sqlite" else addresses[target]
    if source == target == "postgresql":
        back = Database(where)
        migrate(back, "base")
        with back.writing() as connection:
            connection.exec_driver_sql("DROP TABLE alembic_version")
        back.close()
    succeeded("restore", file, "--database", where)
    if target == "sqlite":
        assert Path(where).stat().st_mode & 0o777 == 0o600
    with called_service(where) as caller:
        assert caller.log("old") == log
        assert ratings(caller, "old") == board
        assert caller.client.get("/api/v1/ladders").json() == ladders
        assert caller.verified("old")["checkpoints"] == 1
        assert [one["task"] for one in caller.client.get("/api/v1/jobs").json()["jobs"]] == ["export"]
        caller.create("new")
        caller.report({"ranks": {"dan": 1, "bob": 2}}, ladder="old")
        caller.verified("old")
    refused = podium_here("restore", file, "--database", where)
    assert refused.returncode == 1
    assert "is not empty" in refused.stderr


def test_a_backup_under_load_has_every_event_acknowledged_before(
    database_address: str, nursery: Nursery, tmp_path: Path
) -> None:
    worker = nursery.worker(database_address)
    worker.api("POST", "/ladders", {"slug": "chess", "system": "elo"})
    load = Load([worker], threads=3, seed=5)
    while len(load.acknowledged) < 60:
        assert not load.wrong
        time.sleep(0.01)
    before = dict(load.acknowledged)
    file = tmp_path / "podium.backup"
    succeeded("backup", file, "--database", database_address)
    load.stop()
    worker.kill()
    assert not load.wrong
    where = str(tmp_path / "other.db")
    succeeded("restore", file, "--database", where)
    assert "everything agrees with the log" in succeeded("verify", "--database", where)
    with called_service(where) as caller:
        logged = {entry["key"]: entry["number"] for entry in caller.log()}
    assert logged.items() >= before.items()
    assert logged.items() <= load.acknowledged.items()


def test_a_backup_of_an_older_version_is_upgraded(sqlite_address: str, tmp_path: Path) -> None:
    with called_service(sqlite_address) as caller:
        caller.create("chess")
        caller.report({"ranks": {"ann": 1, "bob": 2}})
    old = Database(sqlite_address)
    migrate(old, "0001")
    there = MetaData()
    file = tmp_path / "old.backup"
    with old.reading() as connection, file.open("wb") as opened:
        there.reflect(connection)
        found = [table for table in there.sorted_tables if table.name != "alembic_version"]
        writer = BackupWriter(opened)
        writer.describe({"podium": "0", "revision": "0001", "tables": [table.name for table in found]})
        for table in found:
            rows = [tuple(row) for row in connection.execute(select(table))]
            if rows:
                writer.add(table.name, {column.name: _kind(column.type) for column in table.columns}, rows)
        writer.close()
    old.close()
    where = str(tmp_path / "new.db")
    succeeded("restore", file, "--database", where)
    with called_service(where) as caller:
        caller.verified()
        assert len(caller.log()) == 1


def test_what_is_damaged_or_no_backup_is_refused(sqlite_address: str, tmp_path: Path) -> None:
    with called_service(sqlite_address) as caller:
        filled(caller)
    file, where = tmp_path / "podium.backup", tmp_path / "other.db"
    succeeded("backup", file, "--database", sqlite_address)
    whole = file.read_bytes()
    middle = len(whole) // 2
    for damaged in (
        whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        whole[:-1],
        whole + b"\0",
        b"not a backup",
        b"",
    ):
        file.write_bytes(damaged)
        refused = podium_here("restore", file, "--database", where)
        assert refused.returncode == 1
        assert "damaged" in refused.stderr or "no backup" in refused.stderr
        assert not where.exists()


def test_an_interrupt_leaves_nothing_half_written(sqlite_address: str, tmp_path: Path) -> None:
    with called_service(sqlite_address) as caller:
        filled(caller)
    database = Database(sqlite_address)
    whole = tmp_path / "whole.backup"
    back_up(database, whole)
    there = {path.name for path in tmp_path.iterdir()}

    def interrupt(rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        back_up(database, tmp_path / "other.backup", interrupt)
    assert {path.name for path in tmp_path.iterdir()} == there
    target = Database(str(tmp_path / "new.db"))
    with pytest.raises(KeyboardInterrupt):
        restore(whole, target, interrupt)
    restore(whole, target)  # into what is as empty as it was
    check_tables(target)
    target.close()
    database.close()


def test_a_ladder_is_not_saved_into_a_log_that_was_restored_meanwhile(
    any_caller: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ladder has entries that this log never had."""
    caller, backup = any_caller, tmp_path / "older.backup"
    caller.create()
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    back_up(caller.service.database, backup)
    for _ in range(3):
        caller.report({"ranks": {"ann": 1, "bob": 2}})
    to_bytes = NumberedLadder.to_bytes

    def restored(ladder: NumberedLadder) -> bytes:
        emptied(caller.service.database)
        restore(backup, caller.service.database)
        return to_bytes(ladder)

    with monkeypatch.context() as patch:
        patch.setattr(NumberedLadder, "to_bytes", restored)
        caller.service.checkpoints.write("chess")
    for _ in range(6):
        caller.report({"ranks": {"ann": 2, "bob": 1}})
    served = ratings(caller)
    assert served["ann"][0] < 1500
    caller.service.ladders.drop("chess")
    assert ratings(caller) == served
    assert caller.verified()["checkpoints"] == 0


def test_nobody_goes_on_with_work_that_was_under_way_in_a_backup(any_caller: Caller, tmp_path: Path) -> None:
    """What the process did after the backup is missing there, and it may still run."""
    caller, backup = any_caller, tmp_path / "running.backup"
    service = caller.service
    caller.create()
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    caller.client.post("/api/v1/ladders/chess/exports", json={})
    plan = begin_building(service, "chess", True, None)
    taken = claim_job(service, "keeper", "keeper/1")
    assert plan is not None
    assert taken is not None
    renew_lease(service, taken.id, "keeper/1")
    back_up(service.database, backup)
    emptied(service.database)
    restore(backup, service.database)
    with pytest.raises(JobCancelledError):
        renew_lease(service, taken.id, "keeper/1")
    with pytest.raises(SupersededError):
        finish_building(service, plan, 1)
    assert claim_job(service, "other", "other/1") == replace(taken, attempts=2)
