"""Logs of ladders: what was acknowledged is there after any crash, and whoever is wrong is told where."""

from __future__ import annotations

import json
import os
import pickle
import resource
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from io import FileIO
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from ladder.helpers import DAY, START, content, some_season
from podium import (
    Anchor,
    Elo,
    Event,
    Glicko2,
    History,
    InputError,
    Ladder,
    OrderError,
    ParameterError,
    Rename,
    RepeatError,
    StateError,
    rate,
)
from podium.documents import event_document
from podium.ladder import ladder_log, log_store
from podium.ladder.stored_events import event_of, json_text, plain_event

HERE = Path(__file__).parent


def record_some(ladder: Ladder, count: int, first: int = 0) -> None:
    """Matches of four players, one a day."""
    names = ["ann", "bob", "cat", "dan"]
    for number in range(first, first + count):
        a, b = names[number % 4], names[(number + 1 + number // 4 % 3) % 4]
        ladder.record_match(a, b, time=START + number * DAY)


def recorded(count: int) -> dict[str, Any]:
    """What a ladder without a log holds after the same matches."""
    ladder = Ladder(Elo())
    record_some(ladder, count)
    return content(ladder)


def changed(folder: Path, query: str, *values: object) -> None:
    """Change the database behind the log's back."""
    with closing(sqlite3.connect(folder / "ladder.db")) as database, database:
        database.execute(query, values)


def rows(folder: Path) -> list[tuple[Any, ...]]:
    """The records, as the database has them."""
    with closing(sqlite3.connect(folder / "ladder.db")) as database:
        return database.execute("SELECT * FROM record ORDER BY number").fetchall()


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """A log of five matches that somebody closed."""
    folder = tmp_path / "season"
    with Ladder.open(folder, system=Elo(), sync=False) as ladder:
        record_some(ladder, 5)
    return folder


# ---------------------------------------------------------------------- crashes


def kill_again_and_again(folder: Path, kills: int, seed: int) -> None:
    program = [sys.executable, str(HERE / "killed_recording.py"), str(folder), str(kills), str(seed)]
    answer = subprocess.run(program, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.compiled
def test_a_killed_process_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, kills=6, seed=1)


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(5))
def test_a_thousand_kills(tmp_path: Path, seed: int) -> None:
    kill_again_and_again(tmp_path, kills=200, seed=seed)


def test_a_copy_of_the_files_at_any_size_of_the_write_ahead_log_is_a_log(tmp_path: Path) -> None:
    """As after a power failure: of the last transactions only the beginning is on the disk."""
    folder, copy = tmp_path / "season", tmp_path / "copy"
    with Ladder.open(folder, system=Elo()) as ladder:
        record_some(ladder, 5)
        ladder.undo()
        whole = (folder / "ladder.db-wal").read_bytes()
        found = []
        for size in [*range(0, len(whole), 1021), len(whole)]:
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*-shm"))
            (copy / "ladder.db-wal").write_bytes(whole[:size])
            with Ladder.open(copy) as again:
                found.append(again._opened()._writer.next - 1)
                count = found[-1] if found[-1] < 6 else 4
                assert content(again) == recorded(count)
                record_some(again, 1, first=count)
                assert content(again) == recorded(count + 1)
            shutil.rmtree(copy)
    assert sorted(found) == found
    assert {*found} == {0, 1, 2, 3, 4, 5, 6}


def test_damage_is_an_error_that_says_where(season: Path) -> None:
    whole = (season / "ladder.db").read_bytes()
    changed(season, "UPDATE record SET content = replace(content, 'cat', 'dan') WHERE number = 2")
    with pytest.raises(StateError, match=r"ladder.db: record 2 is damaged"):
        Ladder.load(season)
    (season / "ladder.db").write_bytes(whole)
    changed(season, "UPDATE record SET last = 4 WHERE number = 3")
    with pytest.raises(StateError, match=r"ladder.db: record 3 is damaged"):
        Ladder.open(season)
    (season / "ladder.db").write_bytes(whole)
    changed(season, "DELETE FROM record WHERE number = 2")
    with pytest.raises(StateError, match=r"ladder.db: record 2 is missing"):
        Ladder.open(season)
    (season / "ladder.db").write_bytes(whole[:5000] + bytes(len(whole) - 5000))
    with pytest.raises(StateError, match=r"cannot read .*ladder.db|ladder.db: record"):
        Ladder.open(season)
    (season / "ladder.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(StateError, match=r"cannot read .*ladder.db: file is not a database"):
        Ladder.open(season)


def test_a_crash_while_a_checkpoint_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before and after each statement the files are copied, as a killed process would leave them.

    Checkpoints are written in a thread of their own: its statements wait while a copy is made for another's.
    """
    folder, copies = tmp_path / "season", tmp_path / "copies"
    crashes: list[tuple[Path, int]] = []
    copying = threading.Lock()
    ladder = Ladder.open(folder, system=Elo(), checkpoint_rows=6)
    connect, writer = log_store.LogFolder.connection, ladder._opened()._writer

    def crash() -> None:
        crashes.append((copies / str(len(crashes)), ladder.n_events))
        shutil.copytree(folder, crashes[-1][0], ignore=shutil.ignore_patterns("*-shm"))

    class Watched:
        """A connection."""

        def __init__(self, real: sqlite3.Connection) -> None:
            self.real = real

        def __getattr__(self, name: str) -> Any:
            return getattr(self.real, name)

        def execute(self, *args: Any) -> Any:
            with copying:
                crash()
            answer = self.real.execute(*args)
            with copying:
                crash()
            return answer

    with ladder:
        record_some(ladder, 6)
        ladder._opened()._wait()
        monkeypatch.setattr(writer, "_connection", Watched(writer._connection))
        watched = lambda *args, **words: Watched(connect(*args, **words))  # noqa: E731
        monkeypatch.setattr(log_store.LogFolder, "connection", watched)
        record_some(ladder, 1, first=6)
        ladder.void(2)
        ladder._opened()._wait()
        monkeypatch.undo()
    assert len(crashes) > 20
    states = {}
    for number, corrected in ((7, False), (7, True)):
        plain = Ladder(Elo())
        record_some(plain, 1)
        record_some(plain, number - 1 - corrected, first=1 + corrected)
        states[plain.n_events] = content(plain)
    for copy, counted in crashes:
        with Ladder.open(copy) as again:
            assert counted - 1 <= again.n_events <= counted + 1
            assert content(again) in (states.get(again.n_events), recorded(6))


def test_a_full_disk_takes_nothing_and_breaks_nothing(season: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Ladder.open(season) as ladder:
        record_some(ladder, 1, first=5)
        before = content(ladder)
        for free in (0, 1, 40):
            size = (season / "ladder.db-wal").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + free, limits[1]))
            try:
                with pytest.raises(InputError, match=r"cannot write .*ladder.db: "):
                    record_some(ladder, 1, first=6)
                with pytest.raises(InputError, match="cannot write"):
                    ladder.undo()
                with pytest.raises(InputError, match="cannot write"):
                    ladder.adjust(Anchor(player="ann"))
                with pytest.raises(InputError, match="cannot write"):
                    ladder.record_match("ann", "bob", time=START + 9 * DAY, key="match 1")
                with pytest.raises(InputError, match="cannot write"):
                    ladder.update(
                        History.from_events([{"ranks": {"ann": 1, "eve": 2}, "time": START + 9 * DAY}])
                    )
                with pytest.raises(InputError, match="cannot write"):
                    ladder.void(3)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            assert content(ladder) == content(Ladder.load(season)) == before
        record_some(ladder, 1, first=6)
    assert content(Ladder.load(season)) == recorded(7)


class Failing:
    """A connection that fails at the first statement that begins with this word."""

    def __init__(self, real: sqlite3.Connection, word: str, code: int) -> None:
        self.real, self.word, self.code = real, word, code

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def execute(self, query: str, *values: Any) -> Any:
        if query.startswith(self.word):
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = self.code
            raise error
        return self.real.execute(query, *values)


def test_a_disk_that_fails_to_sync_is_trusted_no_more(season: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ladder.open(season) as ladder:
        writer = ladder._opened()._writer
        with monkeypatch.context() as patch:
            failing = Failing(writer._connection, "INSERT", sqlite3.SQLITE_IOERR_FSYNC)
            patch.setattr(writer, "_connection", failing)
            with pytest.raises(InputError, match=r"cannot write .*ladder.db: disk I/O error"):
                record_some(ladder, 1, first=5)
        assert content(ladder) == recorded(5)
        with pytest.raises(InputError, match="open it again"):
            record_some(ladder, 1, first=5)
    with Ladder.open(season) as ladder:
        record_some(ladder, 1, first=5)
        assert content(ladder) == recorded(6)


def test_a_checkpoint_that_cannot_be_written_costs_no_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = Ladder.open(tmp_path / "season", system=Elo(), sync=False, checkpoint_rows=4)
    with monkeypatch.context() as patch:
        word, connect = "INSERT OR REPLACE INTO checkpoint", log_store.LogFolder.connection
        patch.setattr(
            log_store.LogFolder,
            "connection",
            lambda *args, **words: Failing(connect(*args, **words), word, sqlite3.SQLITE_FULL),
        )
        record_some(ladder, 5)
        assert content(Ladder.load(tmp_path / "season")) == recorded(5)
        with pytest.raises(InputError, match=r"cannot write .*ladder.db"):
            ladder.close()
    with Ladder.open(tmp_path / "season", checkpoint_rows=4) as again:
        record_some(again, 2, first=5)
        assert content(again) == recorded(7)
    assert content(Ladder.load(tmp_path / "season")) == recorded(7)


def test_a_damaged_checkpoint_is_replaced_by_an_older_one(season: Path) -> None:
    with Ladder.open(season) as ladder:
        ladder.checkpoint()
        record_some(ladder, 1, first=5)
    changed(season, "UPDATE checkpoint SET ladder = substr(ladder, 1, length(ladder) - 1) WHERE number = 5")
    assert content(Ladder.load(season)) == recorded(6)
    changed(season, "DELETE FROM checkpoint WHERE number = 0")
    with pytest.raises(StateError, match=r"ladder.db, checkpoint 5: .* damaged"):
        Ladder.load(season)


def interrupting(line: int, files: tuple[str, ...]) -> Callable[..., Any]:
    """A trace function that raises at the n-th line that runs in these files."""
    left = line

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.endswith(files):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    return trace


CHANGES: dict[str, Callable[[Ladder], object]] = {
    "record": lambda ladder: record_some(ladder, 1, first=5),
    "adjust": lambda ladder: ladder.adjust(Anchor(player="ann")),
    "undo": lambda ladder: ladder.undo(),
    "void": lambda ladder: ladder.void(2),
    "key": lambda ladder: ladder.record_match("ann", "bob", time=START + 9 * DAY, key="match 6"),
    "late": lambda ladder: ladder.record_match("ann", "bob", time=START + DAY, late="insert", key="match 6"),
    "update": lambda ladder: ladder.update(History.from_events([{"ranks": {"ann": 1, "eve": 2}}])),
}


LEFT_OPEN = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""An interrupt right after a file was opened leaves closing it to Python."""


def interrupt_everywhere(season: Path, change: Callable[[Ladder], object], every: int) -> None:
    """Interrupt a change at each (or each third, …) line of the log's modules, until it comes to its end."""
    files = ("ladder_log.py", "log_store.py", "log_events.py", "logged_ladders.py")
    backup = season.with_name("backup")
    shutil.copytree(season, backup)
    line, is_interrupted = 1 - every, True
    ladder = Ladder.open(season, sync=False)
    before = content(ladder)
    while is_interrupted:
        line += every
        sys.settrace(interrupting(line, files))
        try:
            change(ladder)
            is_interrupted = False
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
        assert content(ladder) == content(Ladder.load(season))
        if content(ladder) != before:
            ladder.close()
            shutil.rmtree(season)
            shutil.copytree(backup, season)
            ladder = Ladder.open(season, sync=False)
    ladder.close()
    assert line > 30


@LEFT_OPEN
@pytest.mark.parametrize("change", CHANGES)
def test_an_interrupt_leaves_memory_and_log_alike(season: Path, change: str) -> None:
    interrupt_everywhere(season, CHANGES[change], every=13 if change in ("void", "late") else 3)


@LEFT_OPEN
@pytest.mark.long
@pytest.mark.parametrize("change", CHANGES)
def test_an_interrupt_at_any_line_leaves_memory_and_log_alike(season: Path, change: str) -> None:
    interrupt_everywhere(season, CHANGES[change], every=1)


# ---------------------------------------------------------------------- opening


def test_only_one_may_write_and_others_may_read(season: Path) -> None:
    with Ladder.open(season) as ladder:
        with pytest.raises(
            InputError, match=rf"season is open for writing in process {os.getpid()}\n.*Ladder.load"
        ):
            Ladder.open(season)
        record_some(ladder, 1, first=5)
        reader = Ladder.load(season)
        assert content(reader) == content(ladder)
        reader.record_match("ann", "bob")  # only in memory
        assert content(Ladder.load(season)) == content(ladder)
    with pytest.raises(InputError, match="season is closed"):
        ladder.record_match("ann", "bob")
    assert content(ladder) == recorded(6)
    ladder.close()
    with Ladder.open(season) as again:
        assert content(again) == recorded(6)


def test_a_log_that_another_process_just_began_is_not_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, own = tmp_path / "season", ladder_log.owned

    def late(log: log_store.LogFolder) -> FileIO:
        monkeypatch.undo()
        with Ladder.open(folder, system=Elo(), sync=False) as other:
            record_some(other, 3)
        return own(log)

    monkeypatch.setattr(ladder_log, "owned", late)
    with Ladder.open(folder) as ladder:
        assert content(ladder) == recorded(3)


def test_a_copy_of_the_process_may_not_write(season: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ladder.open(season) as ladder:
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: -1)
            with pytest.raises(InputError, match="another process"):
                ladder.undo()
        ladder.undo()


def test_what_is_no_log_is_left_alone(tmp_path: Path, season: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "beach.jpg").touch()
    with pytest.raises(InputError, match=r"photos is not a ladder's log: it holds 'beach.jpg'"):
        Ladder.open(tmp_path / "photos")
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["beach.jpg"]
    Ladder(Elo()).save(tmp_path / "saved.podium")
    with pytest.raises(InputError, match="is a file, and a log is a folder"):
        Ladder.open(tmp_path / "saved.podium")
    with pytest.raises(StateError, match=r"cannot read .*photos"):
        Ladder.load(tmp_path / "photos")
    with pytest.raises(StateError, match="of elo, not of glicko2"):
        Ladder.open(season, system=Glicko2())
    with pytest.raises(ParameterError, match="checkpoint_rows"):
        Ladder.open(season, checkpoint_rows=0)
    with Ladder.open(season, system="elo") as ladder:  # the failed attempts hold no lock
        assert ladder.n_events == 5


def test_a_log_that_was_only_begun_begins_again(tmp_path: Path) -> None:
    folder = tmp_path / "season"
    folder.mkdir()
    (folder / ".ladder.db.12ab.tmp").touch()
    (folder / "lock").touch()
    with Ladder.open(folder, system=Glicko2()) as ladder:
        assert ladder.system == Glicko2()


def test_a_newer_or_foreign_format_is_refused(season: Path) -> None:
    changed(season, "PRAGMA user_version = 3")
    with pytest.raises(StateError, match="newer version of podium"):
        Ladder.open(season)
    changed(season, "PRAGMA application_id = 7")
    with pytest.raises(StateError, match="is not a ladder's log"):
        Ladder.open(season)


def test_a_trigger_is_refused(season: Path) -> None:
    changed(season, "CREATE TRIGGER spy AFTER INSERT ON record BEGIN DELETE FROM key; END")
    with pytest.raises(StateError, match="is not a ladder's log: it holds a trigger"):
        Ladder.open(season)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "dance"},
        {"kind": "event"},
        {"number": 7},
        {"event": {"sides": [{"players": ["ann"], "rank": -(2**40)}, {"players": ["bob"], "rank": 1}]}},
        {"event": {"sides": [{"players": ["ann"], "rank": 1}]}},
        {"event": {"sides": [{"players": ["ann"], "rank": 1}, {"players": [1.5], "rank": 1}]}},
        {"event": {"sides": [{"players": ["a"], "rank": 1, "score": "x"}, {"players": ["b"], "rank": 2}]}},
        {"event": 7},
        {"kind": "void", "targets": ["ann"]},
        {"kind": "replacement"},
        {"kind": "batch", "entries": [{"adjustment": {"kind": "anchor", "player": "ann", "mu": 1e300}}]},
        {"kind": "adjustment", "adjustment": {"player": "ann"}},
    ],
    ids=str,
)
def test_a_crafted_record_is_refused_and_reaches_no_kernel(season: Path, change: dict[str, Any]) -> None:
    plain: dict[str, Any] = {"kind": "event"} | change
    number, kind, text = plain.pop("number", 6), plain.pop("kind"), json.dumps(plain)
    values = (number, 6, kind, text, crc32(text.encode()))
    changed(season, "INSERT INTO record VALUES (?, ?, ?, ?, ?)", *values)
    with pytest.raises(StateError, match=r"ladder.db, record 6: |record 6 is missing"):
        Ladder.open(season)


def test_a_log_goes_on_from_a_ladder(tmp_path: Path) -> None:
    ladder = some_season(Glicko2())
    with Ladder.open(tmp_path / "season", start=ladder) as logged:
        assert content(logged) == content(ladder)
        logged.record_match("ann", "bob", time=START + 40 * DAY)
        ladder.record_match("ann", "bob", time=START + 40 * DAY)
        assert content(logged) == content(ladder)
        logged.undo()
        with pytest.raises(InputError, match="nothing to undo"):
            logged.undo()
    with pytest.raises(InputError, match="already exists"):
        Ladder.open(tmp_path / "season", start=ladder)


def test_copies_of_an_open_ladder_have_no_log(season: Path) -> None:
    with Ladder.open(season) as ladder:
        for twin in (ladder.copy(), pickle.loads(pickle.dumps(ladder)), Ladder.from_bytes(ladder.to_bytes())):
            assert content(twin) == content(ladder)
            twin.record_match("ann", "eve")
            assert "eve" not in ladder
            with pytest.raises(InputError, match="this ladder has no log"):
                twin.void(1)
        with pytest.raises(ParameterError, match="the ladder has a log"):
            rate(History.from_events([{"ranks": {"ann": 1, "bob": 2}}]), ladder=ladder)


@pytest.mark.parametrize(
    "call",
    [
        lambda ladder: ladder.void("cup"),
        lambda ladder: ladder.replace("cup", ranks={"ann": 1, "bob": 2}),
        lambda ladder: ladder.record_match("ann", "bob", late="insert"),
        lambda ladder: ladder.numbered_events(),
        lambda ladder: ladder.checkpoint(),
    ],
)
def test_a_ladder_without_a_log_says_so(call: Callable[[Ladder], object]) -> None:
    with Ladder(Elo()) as ladder, pytest.raises(InputError, match="this ladder has no log"):
        call(ladder)


# ---------------------------------------------------------------------- recording


def test_what_is_refused_is_not_in_the_log(season: Path) -> None:
    before = rows(season)
    with Ladder.open(season) as ladder:
        with pytest.raises(OrderError):
            record_some(ladder, 1)
        with pytest.raises(InputError):
            ladder.record(ranks={"ann": 1})
        with pytest.raises(InputError):
            ladder.adjust(Rename(player="ann", into="bob"))
    assert rows(season) == before


def test_an_event_is_known_again_after_a_restart(season: Path) -> None:
    cup: dict[str, Any] = {"ranks": {"ann": 1, "bob": 2}, "name": "cup", "time": START + 9 * DAY}
    with Ladder.open(season) as ladder:
        assert ladder.record(**cup).number == 6
    with Ladder.open(season) as ladder:
        with pytest.raises(RepeatError):
            ladder.record(**cup)
        assert ladder.record(**cup, allow_repeat=True).number == 7
        before = content(ladder)
    with Ladder.open(season) as ladder:
        assert content(ladder) == before
        ladder.undo()
        with pytest.raises(RepeatError):
            ladder.record(**cup)
        ladder.undo()
        ladder.record(**cup)


def test_a_whole_history_is_one_record(season: Path, tmp_path: Path) -> None:
    file = tmp_path / "more.csv"
    file.write_text(
        "event,time,player,rank\ncup,2030-01-01,eve,1\ncup,2030-01-01,ann,2\nlast,2030-01-02,ann,1\nlast,2030-01-02,bob,1\n"
    )
    count = len(rows(season))
    plain = Ladder(Elo())
    record_some(plain, 5)
    plain.update(file)
    with Ladder.open(season) as ladder:
        ladder.update(file)
        assert content(ladder) == content(plain)
        with pytest.raises(InputError, match="cannot return a trace"):
            ladder.update(file, trace=True)
        with pytest.raises(OrderError):
            ladder.update(History.from_events([{"ranks": {"ann": 1, "bob": 2}, "time": START}]))
    assert len(rows(season)) == count + 1
    with Ladder.open(season) as ladder:
        assert content(ladder) == content(plain)
        with pytest.raises(RepeatError, match=r"more.csv: a file with this content"):
            ladder.update(file)
        ladder.undo()
        ladder.undo()
        assert content(ladder) == recorded(5)


def test_undo_goes_on_behind_the_checkpoint(season: Path) -> None:
    with Ladder.open(season, checkpoint_rows=4) as ladder:
        record_some(ladder, 4, first=5)
    for left in range(8, -1, -1):
        with Ladder.open(season) as ladder:
            ladder.undo()
            assert content(ladder) == recorded(left)
    with Ladder.open(season) as ladder, pytest.raises(InputError, match="nothing to undo"):
        ladder.undo()


def test_threads_record_into_one_log(tmp_path: Path) -> None:
    folder = tmp_path / "season"
    numbers: list[int | None] = []

    def work(name: str) -> None:
        numbers.extend(ladder.record_match(name, "ann").number for _ in range(25))

    with Ladder.open(folder, system=Elo(), sync=False, checkpoint_rows=20) as ladder:
        threads = [threading.Thread(target=work, args=(f"player {i}",)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(number or 0 for number in numbers) == list(range(1, 101))
    assert content(Ladder.load(folder)) == content(ladder)
    assert ladder.n_events == 100


def test_an_event_without_a_name_is_told_by_its_number(season: Path) -> None:
    with Ladder.open(season) as ladder:
        ladder.adjust(Anchor(player="eve"))
        assert ladder.record_match("fay", "eve", time=START + 9 * DAY).number == 7
        assert "7" in [part.event for part in ladder._recorded_changes("fay")]


def test_an_event_of_the_log_is_its_document() -> None:
    """The words are those of `podium.document`; what has its usual value is left out."""
    events = [
        Event.of(ranks={"ann": 1, "bob\n\u2028": 2, "c\ud800t": 2}),
        Event.of(
            teams=[["ann", "bob"], ["cat"]],
            scores=[-0.1, 1e300],
            time="2026-05-01T10:00:00.000001Z",
            weight=1 / 3,
            home="bob",
            share=0.1,
            unrated=["cat", "ann"],
            play={"ann": 0.7},
            ceiling=2000,
            name="final",
        ),
        Event(sides=(("bob",), ("ann",)), ranks=(2, 1), share=0.7),  # older versions took such a share
    ]
    for event in events:
        plain = json.loads(json_text(plain_event(event)))
        assert event_of(plain) == event
        document: dict[str, Any] = dict(event_document(event))
        sides = document.pop("sides")
        assert [{"score": None, **side} for side in plain.pop("sides")] == sides
        usual = {
            "name": None,
            "time": None,
            "weight": 1.0,
            "home": None,
            "share": None,
            "unrated": [],
            "play": {},
            "ceiling": None,
        }
        assert usual | plain == document
