"""Logs of ladders: what was acknowledged is there after any crash, and whoever is wrong is told where."""

from __future__ import annotations

import errno
import os
import pickle
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import Any

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
from podium.ladder import ladder_log, log_files
from podium.ladder.log_records import read_line, written_line
from podium.ladder.stored_events import event_of, plain_event

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


def segment(folder: Path) -> Path:
    """The last file of events."""
    return max(folder.glob("events-*.ndjson"))


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


def test_a_torn_last_record_is_dropped_wherever_it_is_torn(season: Path) -> None:
    before, path = recorded(4), segment(season)
    whole = path.read_bytes()
    begins = whole[:-1].rindex(b"\n") + 1
    for size in range(begins, len(whole)):
        path.write_bytes(whole[:size])
        assert content(Ladder.load(season)) == before
        if size % 8 == 0:
            path.write_bytes(whole[:size] + bytes(len(whole) - size))  # a file system may fill up with zeros
            assert content(Ladder.load(season)) == before
    with Ladder.open(season) as ladder:
        record_some(ladder, 1, first=4)
    assert path.read_bytes() == whole


def test_damage_before_the_last_record_is_an_error_that_says_where(season: Path) -> None:
    path = segment(season)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for place in range(0, len(whole) - len(lines[-1]), 17):
        line = whole[:place].count(b"\n") + 1
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(
            StateError, match=rf"events-000000000001.ndjson, line {line}: the record is damaged"
        ):
            Ladder.load(season)
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    with pytest.raises(StateError, match="line 3: record 2 is missing"):
        Ladder.open(season)
    path.write_bytes(b"")
    with pytest.raises(StateError, match="line 1: the record is damaged"):
        Ladder.open(season)


def test_a_crash_at_any_step_of_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before and after each call to the system the folder is copied, as a killed process would leave it.

    Checkpoints are written in a thread of their own: its calls wait while a copy is made for another's.
    """
    folder, copies = tmp_path / "season", tmp_path / "copies"
    crashes: list[tuple[Path, int]] = []
    copying = threading.Lock()
    ladder = Ladder.open(folder, system=Elo(), checkpoint_rows=6)

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def crash() -> None:
            crashes.append((copies / str(len(crashes)), ladder.n_events))
            shutil.copytree(folder, crashes[-1][0])

        def step(*args: Any, **kwargs: Any) -> Any:
            with copying:
                crash()
                answer = call(*args, **kwargs)
                crash()
            return answer

        return step

    with ladder, monkeypatch.context() as patch:
        record_some(ladder, 6)
        ladder._opened()._wait()
        for name in ("open", "fsync", "replace", "unlink"):
            patch.setattr(os, name, watched(getattr(os, name)))
        record_some(ladder, 1, first=6)
        ladder.void(2)
        ladder._opened()._wait()
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
            assert content(again) == states.get(again.n_events, recorded(6))


def test_a_full_disk_takes_nothing_and_breaks_nothing(season: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Ladder.open(season) as ladder:
        record_some(ladder, 1, first=5)
        before, size = content(ladder), segment(season).stat().st_size
        for free in (0, 1, 40):
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + free, limits[1]))
            try:
                with pytest.raises(InputError, match=r"cannot write .*events-.*: File too large"):
                    record_some(ladder, 1, first=6)
                with pytest.raises(InputError, match="cannot write"):
                    ladder.undo()
                with pytest.raises(InputError, match="cannot write"):
                    ladder.adjust(Anchor(player="ann"))
                with pytest.raises(InputError, match="cannot write"):
                    ladder.update(
                        History.from_events([{"ranks": {"ann": 1, "eve": 2}, "time": START + 9 * DAY}])
                    )
                with pytest.raises(InputError, match="cannot write"):
                    ladder.void(3)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            assert content(ladder) == content(Ladder.load(season)) == before
            assert segment(season).stat().st_size == size
        record_some(ladder, 1, first=6)
    assert content(Ladder.load(season)) == recorded(7)


def test_a_disk_that_fails_to_sync_is_trusted_no_more(season: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.EIO, "no")

    with Ladder.open(season) as ladder:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            with pytest.raises(InputError, match="Input/output error"):
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
    def fail(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "no")

    ladder = Ladder.open(tmp_path / "season", system=Elo(), sync=False, checkpoint_rows=4)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        record_some(ladder, 5)
        assert content(Ladder.load(tmp_path / "season")) == recorded(5)
        with pytest.raises(InputError, match=r"cannot write .*: No space left on device"):
            ladder.close()
    with Ladder.open(tmp_path / "season", checkpoint_rows=4) as again:
        record_some(again, 2, first=5)
        assert content(again) == recorded(7)
    assert content(Ladder.load(tmp_path / "season")) == recorded(7)


def test_a_damaged_checkpoint_is_replaced_by_an_older_one(season: Path) -> None:
    with Ladder.open(season) as ladder:
        ladder.checkpoint()
        record_some(ladder, 1, first=5)
    newest = season / "checkpoint-000000000005.podium"
    newest.write_bytes(newest.read_bytes()[:-1])
    assert content(Ladder.load(season)) == recorded(6)
    (season / "checkpoint-000000000000.podium").unlink()
    with pytest.raises(StateError, match=r"checkpoint-000000000005.podium is damaged"):
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
    "update": lambda ladder: ladder.update(History.from_events([{"ranks": {"ann": 1, "eve": 2}}])),
}


LEFT_OPEN = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""An interrupt right after a file was opened leaves closing it to Python."""


def interrupt_everywhere(season: Path, change: Callable[[Ladder], object], every: int) -> None:
    """Interrupt a change at each (or each third, …) line of the log's modules, until it comes to its end."""
    files = ("ladder_log.py", "log_files.py", "log_records.py", "log_corrections.py")
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
    interrupt_everywhere(season, CHANGES[change], every=13 if change == "void" else 3)


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

    def late(log: log_files.LogFolder) -> FileIO:
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
    Ladder.open(folder, system=Elo()).close()
    segment(folder).unlink()
    (folder / ".events-000000000001.ndjson.12ab.tmp").touch()
    with Ladder.open(folder, system=Glicko2()) as ladder:
        assert ladder.system == Glicko2()


def test_a_newer_or_foreign_format_is_refused(season: Path) -> None:
    path = segment(season)
    header, _, rest = path.read_bytes().partition(b"\n")
    plain = read_line(header)
    assert plain is not None
    path.write_bytes(written_line(plain | {"format": 2}) + rest)
    with pytest.raises(StateError, match="newer version of podium"):
        Ladder.open(season)
    path.write_bytes(written_line({"podium": "something else"}) + rest)
    with pytest.raises(StateError, match="is not a ladder's log"):
        Ladder.open(season)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "dance"},
        {"kind": "event"},
        {"number": True},
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
    with segment(season).open("ab") as file:
        file.write(written_line({"number": 6, "kind": "event"} | change))
    with pytest.raises(StateError, match="line 7: "):
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
    before = segment(season).read_bytes()
    with Ladder.open(season) as ladder:
        with pytest.raises(OrderError):
            record_some(ladder, 1)
        with pytest.raises(InputError):
            ladder.record(ranks={"ann": 1})
        with pytest.raises(InputError):
            ladder.adjust(Rename(player="ann", into="bob"))
    assert segment(season).read_bytes() == before


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
    lines = len(segment(season).read_bytes().splitlines())
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
    assert len(segment(season).read_bytes().splitlines()) == lines + 1
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
        plain = read_line(written_line(plain_event(event))[:-1])
        assert plain is not None
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
