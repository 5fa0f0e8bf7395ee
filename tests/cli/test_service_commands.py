"""`podium serve` without a file, `podium verify` and `podium rebuild`."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import failed, podium_here, said_json, succeeded
from podium.cli.service_start import Waiting
from podium.server.settings import COMPILING, LOADING_KERNELS
from podium.server.storage.database_locks import held_database, lock_file
from server.processes import ServiceProcess
from server.recorded import executed, recorded_database
from server.service_processes import free_port

WHOLE = "chess: 20 entries rated again, 40 rows and 0 checkpoints compared: everything agrees with the log\n"
REBUILT = WHOLE.replace("0 checkpoints", "1 checkpoint")


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """A database with the ladder `chess` of 20 matches."""
    path = tmp_path / "league.db"
    recorded_database(path)
    return path


# ---------------------------------------------------------------------- the service


def test_a_service_from_its_first_word_to_its_last(tmp_path: Path) -> None:
    """A real process: what it says, what others say about it, what it leaves."""
    path = tmp_path / "league.db"
    with ServiceProcess(path, warm=True) as service:
        assert f"podium serves {path} at {service.address} (Ctrl-C stops): no ladders yet\n" in service.said
        assert "-H 'Content-Type: application/json' -d '{\"slug\": \"chess\"}'" in service.said
        service.create("chess")
        assert [service.report("chess", key, ann=1, bob=2) for key in ("a", "b", "a")] == [1, 2, 1]

        second = failed(1, "serve", "--database", path, "--port", free_port())
        who = f"in use by the server at {service.address} (process {service.process.pid})"
        assert who in second
        (tmp_path / "link.db").symlink_to(path)
        assert who in failed(1, "serve", "--database", tmp_path / "link.db", "--port", free_port())
        elsewhere = failed(1, "serve", "--database", tmp_path / "other.db", "--port", service.port)
        assert f"cannot listen on port {service.port}" in elsewhere
        assert not (tmp_path / "other.db").exists()

        assert said_json("verify", "chess", "--database", path)["clean"]
        executed(path, "UPDATE change SET mu = mu + 7 WHERE seq = 2 AND player = 0")
        answer = podium_here("verify", "--database", path)
        assert answer.returncode == 1
        rebuilt = said_json("rebuild", "chess", "--database", path)  # by the server, which has it in memory
        assert rebuilt == {**rebuilt, "kind": "rebuild", "slug": "chess", "generation": 2, "changed": 1}
        assert service.get("/api/v1/ladders/chess")["generation"] == 2
        assert service.report("chess", "c", bob=1, ann=2) == 3
        assert "did you mean 'chess'" in failed(1, "rebuild", "ches", "--database", path)

        assert service.end(signal.SIGINT) == 0
        assert service.said.endswith("stopped: all confirmed reports are stored\n")
        assert service.complained == ""
    assert not lock_file(path).exists()
    assert said_json("verify", "--database", path)["verifications"][0]["head"] == 3


@pytest.mark.parametrize(
    ("status", "arguments", "reason"),
    [
        (2, ["--workers", "2"], "SQLite allows one worker, not 2: only one process may write to its file"),
        (2, ["--workers", "0"], "--workers"),
        (2, ["--title", "x"], "--title: this option belongs to a website of results: give a FILE"),
        (2, ["results.csv", "--workers", "2"], "--workers: this option belongs to the service"),
        (2, ["results.csv", "--database", "x.db"], "--database: this option belongs to the service"),
        (2, ["--database", "mysql://somewhere/x"], "podium supports SQLite and PostgreSQL, not mysql"),
        (2, ["--database", ":memory:"], "a service needs a database file"),
        (1, ["--database", "nowhere/x.db"], "there is no folder"),
        (1, ["--database", "results.csv"], "results.csv cannot be used: file is not a database"),
        (1, ["--database", "folder"], "folder cannot be used: unable to open database file"),
        (1, ["--database", "other.db"], "other.db belongs to another program"),
        (1, ["--database", "postgresql://u:secret@127.0.0.1:1/x"], "check that PostgreSQL runs there"),
    ],
)
def test_what_a_server_refuses(tmp_path: Path, status: int, arguments: list[str], reason: str) -> None:
    (tmp_path / "results.csv").write_text("winner,loser\nann,bob\n" * 100)
    (tmp_path / "folder").mkdir()
    executed(tmp_path / "other.db", "CREATE TABLE bookmarks (name TEXT)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    said = failed(status, "serve", "--port", port, *arguments, cwd=tmp_path)
    assert reason in said
    assert "secret" not in said
    assert not list(tmp_path.glob("*.lock"))


def test_a_database_of_a_newer_podium_is_refused(league: Path) -> None:
    executed(league, "UPDATE alembic_version SET version_num = '9999'")
    for command in (["serve"], ["verify"], ["rebuild", "chess"]):
        said = failed(1, *command, "--database", league)
        assert f"{league} was upgraded by a newer podium (schema step 9999)" in said


def test_a_missing_extra_is_named(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.cli.databases.NEEDED", ("sqlalchemy", "nothing_of_this_name"))
    for command in (["serve"], ["verify"], ["rebuild", "chess"]):
        said = failed(2, *command, "--database", league)
        assert (
            "needs nothing_of_this_name, which is not installed\n  hint: pip install 'podium[server]'" in said
        )


def test_compiling_is_announced_once(capsys: pytest.CaptureFixture[str]) -> None:
    with Waiting() as waiting:
        for what, done in ((LOADING_KERNELS, 0), (LOADING_KERNELS, 1), (COMPILING, 2), (COMPILING, 3)):
            waiting.told(what, done, 3)
    assert capsys.readouterr().out.count("compiling all rating systems") == 1


def test_help_loads_nothing_of_the_service() -> None:
    code = (
        "import sys, podium.cli.main; podium.cli.main.commands(); "
        "print([m for m in ('sqlalchemy', 'fastapi', 'uvicorn', 'alembic') if m in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"


# ---------------------------------------------------------------------- verify and rebuild


def test_a_whole_database(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert succeeded("verify", "--database", league) == WHOLE
    with monkeypatch.context() as environment:
        environment.setenv("PODIUM_DATABASE", str(league))
        assert succeeded("verify", "chess") == WHOLE
    found = said_json("verify", "chess", "--database", league)
    assert (found["kind"], found["clean"], found["rows"], found["findings"]) == ("verification", True, 40, [])
    assert said_json("verify", "--database", league)["kind"] == "verifications"
    said = succeeded("rebuild", "chess", "--database", league)
    assert said == "chess: 20 entries rated again, 40 rows compared, 0 changed (generation 2)\n"
    assert succeeded("verify", "--database", league) == REBUILT
    assert not lock_file(league).exists()


def test_a_backup_on_a_medium_that_is_read_only(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.server.storage.database.os.access", lambda path, mode: mode != os.W_OK)
    assert succeeded("verify", "--database", league) == WHOLE
    assert [path.name for path in league.parent.iterdir()] == ["league.db"]


def test_a_damaged_row_is_named_and_rebuilt(league: Path) -> None:
    """By its number, its player, what is stored and what it should be."""
    cat = "seq = 3 AND player = (SELECT number FROM player WHERE name = 'cat')"
    (mu,) = executed(league, f"SELECT mu FROM change WHERE {cat}")
    executed(league, f"UPDATE change SET mu = 1234.5 WHERE {cat}")
    answer = podium_here("verify", "chess", "--database", league)
    assert (answer.returncode, answer.stderr) == (1, "")
    assert "compared: 1 damaged, 0 drifted\n" in answer.stdout
    assert f"  damage: entry 3, cat: mu is 1234.5, should be {mu}\n" in answer.stdout
    assert "podium rebuild chess computes all ratings again from the log" in answer.stdout
    executed(league, "DELETE FROM change WHERE seq = 5 AND player = 0")
    executed(league, "UPDATE change SET player = 99 WHERE seq = 6 AND player = 1")
    answer = podium_here("verify", "chess", "--database", league)
    assert "damage: entry 6, player number 99: a change is " in answer.stdout
    assert said_json("rebuild", "chess", "--database", league)["changed"] == 4
    assert succeeded("verify", "chess", "--database", league) == REBUILT


def test_a_damaged_log_cannot_be_rebuilt(league: Path) -> None:
    executed(league, "UPDATE event SET payload = replace(payload, '1', '2') WHERE seq = 4")
    answer = podium_here("verify", "chess", "--database", league)
    assert answer.returncode == 1
    assert "the log itself is damaged: restore a backup" in answer.stdout
    assert "4" in failed(1, "rebuild", "chess", "--database", league)


def test_drift_is_told_from_damage(league: Path) -> None:
    """The last digits of another engine, also where this one went on from them, fail nothing."""
    executed(league, "UPDATE change SET mu = mu + 1e-10 WHERE seq = 9 AND player = 0")
    assert podium_here("verify", "--database", league).returncode == 1
    executed(league, "INSERT INTO engine (id, description) VALUES (7, 'another')")
    executed(league, "UPDATE event SET engine = 7 WHERE seq = 8")
    said = succeeded("verify", "--database", league)
    assert "0 damaged, 1 drifted" in said
    assert "drift: entry 9, ann: mu is" in said
    assert "drift is not damage" in said
    executed(league, "UPDATE change SET mu = mu + 1 WHERE seq = 9 AND player = 0")
    assert podium_here("verify", "--database", league).returncode == 1


def test_every_ladder_is_verified(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    recorded_database(path, slugs=("chess", "go"), matches=3)
    executed(path, "UPDATE ladder SET archived = true WHERE slug = 'go'")
    said = succeeded("verify", "--database", path)
    assert [line.partition(":")[0] for line in said.splitlines()] == ["chess", "go"]
    recorded_database(tmp_path / "empty.db", slugs=())
    assert (
        succeeded("verify", "--database", tmp_path / "empty.db")
        == f"{tmp_path / 'empty.db'} has no ladders\n"
    )


def test_what_cannot_be_verified_or_rebuilt(league: Path, tmp_path: Path) -> None:
    for command in (["verify"], ["rebuild", "chess"]):
        assert "there is no database" in failed(1, *command, "--database", tmp_path / "nothing.db")
        assert not (tmp_path / "nothing.db").exists()
        executed(tmp_path / "bare.db", "SELECT 1")
        said = failed(1, *command, "--database", tmp_path / "bare.db")
        assert (
            "has no tables for this version of podium\n  hint: podium serve creates or upgrades them" in said
        )
    with held_database(league, None):
        assert "in use by a command (process" in failed(1, "rebuild", "chess", "--database", league)
        assert succeeded("verify", "--database", league) == WHOLE
    with held_database(league, "http://127.0.0.1:1"):
        said = failed(1, "rebuild", "chess", "--database", league)
        assert "the server at http://127.0.0.1:1 does not answer" in said
