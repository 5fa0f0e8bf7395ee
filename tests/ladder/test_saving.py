"""Saving: what was stopped goes on as if it had not been, and a file that is not right is refused."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.helpers import DAY, START, SYSTEMS, adjustments, content, events, label, some_season
from podium import (
    Elo,
    Glicko,
    Glicko2,
    History,
    InputError,
    Ladder,
    Luck,
    LuckFunction,
    ParameterError,
    PodiumError,
    StateError,
    TrueSkill,
)
from podium.files.checksummed import pack_names, read_container, write_container
from podium.named import temporary_registrations
from podium.systems import RatingSystem
from podium.systems.luck import FAIR_COIN, LOGISTIC, Sigmoid, coin_flip, normal

PATIENCE = 30.0
"""Seconds a helper process has to come up."""


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_a_saved_ladder_goes_on_to_the_last_bit(system: RatingSystem, tmp_path: Path) -> None:
    """The season ends in the middle of a rating period, with an anchor and a guest."""
    ladder = some_season(system)
    ladder.save(tmp_path / "saved.podium")
    loaded = Ladder.load(tmp_path / "saved.podium", system=system)
    assert loaded.system == system
    assert content(loaded) == content(ladder)
    assert loaded.ratings().equals(ladder.ratings())
    for days, event in (
        (21.5, {"ranks": {"ann": 1, "guest": 2}}),
        (60, {"ranks": {"new": 1, "cat": 2, "bob": 3}}),
    ):
        changes = ladder.record(**event, time=START + days * DAY)
        assert loaded.record(**event, time=START + days * DAY) == changes
    assert content(loaded) == content(ladder)


@settings(max_examples=20)
@given(data=st.data())
@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_stopping_anywhere_changes_nothing(
    system: RatingSystem, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "anywhere.podium"
    straight, stopped = Ladder(system), Ladder(system)
    for number in range(data.draw(st.integers(1, 8))):
        step = data.draw(events(START + 2 * number * DAY) | adjustments())
        refused = []
        for ladder in (straight, stopped):
            try:
                ladder.adjust(step) if hasattr(step, "kind") else ladder.record_event(step)
            except PodiumError as error:
                refused.append(str(error))
        assert len(set(refused)) == len(refused) / 2
        if data.draw(st.booleans()):
            stopped.save(path)
            stopped = Ladder.load(path)
    assert content(stopped) == content(straight)


def test_a_bulk_run_is_saved_too(tmp_path: Path) -> None:
    history = History.from_matches(["ann", "bob", "cat"], ["bob", "cat", "ann"], [1, 0.5, 0])
    ladder = Ladder(Glicko2())
    ladder.update(history)
    ladder.save(tmp_path / "bulk")
    assert content(Ladder.load(tmp_path / "bulk")) == content(ladder)


def test_an_empty_ladder_is_saved_too(tmp_path: Path) -> None:
    Ladder(Glicko(c=33)).save(tmp_path / "empty")
    loaded = Ladder.load(tmp_path / "empty")
    assert loaded.system == Glicko(c=33)
    assert content(loaded) == content(Ladder(Glicko(c=33)))


@pytest.mark.parametrize(
    "name",
    ["🦊👨‍👩‍👧‍👦", "x" * 10_000, 'a,b\n"c"\td', "a \u202etcefrep", "中文 नाम", "[bold]x[/bold]", "\ud800"],
    ids=["emoji", "10 KB", "quotes", "right-to-left", "scripts", "markup", "half a character"],
)
def test_every_name_survives(name: str, tmp_path: Path) -> None:
    ladder = Ladder(Elo())
    ladder.record_match(name, "bob")
    ladder.save(tmp_path / "named")
    loaded = Ladder.load(tmp_path / "named")
    assert loaded.players.to_list() == [name, "bob"]
    assert loaded.rating(name) == ladder.rating(name)


def test_saving_over_a_file_keeps_only_the_new_one(tmp_path: Path) -> None:
    ladder = some_season(Elo())
    for _ in range(3):
        ladder.record_match("ann", "bob")
        ladder.save(tmp_path / "saved.podium")
    assert [path.name for path in tmp_path.iterdir()] == ["saved.podium"]
    assert Ladder.load(tmp_path / "saved.podium").n_events == ladder.n_events
    assert stat.S_IMODE((tmp_path / "saved.podium").stat().st_mode) == 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_saving_where_it_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*No such file"):
        Ladder(Elo()).save(tmp_path / "nowhere" / "saved.podium")
    with pytest.raises(InputError, match="is a folder"):
        Ladder(Elo()).save(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_saving_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = some_season(Elo())
    ladder.save(tmp_path / "saved.podium")
    before = (tmp_path / "saved.podium").read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(os, "replace", full)
    ladder.record_match("ann", "bob")
    with pytest.raises(InputError, match="No space left"):
        ladder.save(tmp_path / "saved.podium")
    assert [path.name for path in tmp_path.iterdir()] == ["saved.podium"]
    assert (tmp_path / "saved.podium").read_bytes() == before


# ---------------------------------------------------------------------- files that are refused


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "season.podium"
    some_season(Elo(k=24)).save(path)
    return path


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(StateError) as error:
        Ladder.load(path, **options)
    assert str(path) in str(error.value)
    return str(error.value)


def test_another_system_is_refused(saved: Path) -> None:
    assert "is of elo, not of glicko2" in refused(saved, system=Glicko2())


def test_other_parameters_are_refused_by_name(saved: Path) -> None:
    assert "is of elo with k=24.0, not 32.0" in refused(saved, system=Elo())
    assert "period=event, not 7d, k=24.0, not 30.0" in refused(saved, system=Elo(k=30, period="7d"))
    assert Ladder.load(saved, system=Elo(k=24)).n_events == 4


def test_every_flipped_byte_is_noticed(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    damaged = tmp_path / "damaged.podium"
    for position in range(0, len(content), 7):
        flipped = bytearray(content)
        flipped[position] ^= 1 << position % 8
        damaged.write_bytes(flipped)
        reason = refused(damaged)
        assert "is damaged" in reason or "is not a file saved by podium" in reason


def test_every_missing_end_is_noticed(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    cut = tmp_path / "cut.podium"
    for length in [*range(0, 120), len(content) // 2, len(content) - 1]:
        cut.write_bytes(content[:length])
        reason = refused(cut)
        assert "is damaged" in reason or "is not a file saved by podium" in reason
    cut.write_bytes(content + b"\0")
    assert "is damaged" in refused(cut)


def test_what_is_no_podium_file_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "ratings.csv"
    other.write_text("player,mu\nann,1500\n")
    assert "is not a file saved by podium" in refused(other)
    assert "cannot read" in refused(tmp_path / "nowhere.podium")
    assert "cannot read" in refused(tmp_path)


def rewritten(saved: Path, target: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> Path:
    """The file with another content, and a right checksum."""
    header, arrays = read_container(saved)
    arrays = {name: np.array(array) for name, array in arrays.items()}
    change(header, arrays)
    write_container(target, header, arrays)
    return target


def test_a_newer_format_is_refused(saved: Path, tmp_path: Path) -> None:
    newer = rewritten(saved, tmp_path / "newer", lambda header, _: header.update(format=2))
    assert "saved by a newer version of podium" in refused(newer)
    assert "upgrade podium" in refused(newer)
    newer = rewritten(saved, tmp_path / "newer", lambda header, _: header.update(state_format=99))
    assert "the state of elo has format 99" in refused(newer)
    container = bytearray(saved.read_bytes())
    assert json.loads(container[16 : container.index(b"}]}") + 3])["format"] == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda header, _: header.update(kind="pool"), "is not a ladder"),
        (lambda header, _: header.update(system="elo-3000"), "there is no rating system 'elo-3000'"),
        (lambda header, _: header["parameters"].update(k=-1), "k goes from 0"),
        (lambda header, _: header["parameters"].update(luck=1), "elo has no parameter 'luck'"),
        (lambda _, arrays: arrays.pop("column:mu"), "the saved columns are"),
        (lambda _, arrays: arrays.update({"column:mu": arrays["column:mu"][:-1]}), "do not fit together"),
        (lambda _, arrays: arrays.update({"column:mu": arrays["column:mu"] > 0}), "do not fit together"),
        (
            lambda _, arrays: arrays.update({"name_ends": arrays["name_ends"][:-1]}),
            "names have another length",
        ),
        (lambda _, arrays: arrays.update(pack_names(["ann", "bob"])), "5 states for 2 players"),
        (lambda header, _: header.pop("parameters"), "'parameters' is missing"),
        (lambda header, _: header.pop("n_events"), "'n_events' is missing"),
    ],
)
def test_a_file_that_does_not_fit_together_is_refused(
    change: Callable[[Any, Any], None], reason: str, saved: Path, tmp_path: Path
) -> None:
    assert reason in refused(rewritten(saved, tmp_path / "odd.podium", change))


@dataclass(frozen=True, kw_only=True)
class House(Elo):
    """A system somebody registered where the file was saved, and nobody here."""

    name: ClassVar[str] = "house-elo"


def test_a_system_nobody_knows_here_is_refused(tmp_path: Path) -> None:
    Ladder(House()).save(tmp_path / "house")
    assert "there is no rating system 'house-elo'" in refused(tmp_path / "house")


# ---------------------------------------------------------------------- killed while saving

SAVING = """
import sys
from podium import Ladder
ladder = Ladder.load(sys.argv[1])
ladder.record_match("ann", "bob")
print("saving", flush=True)
while True:
    ladder.record_match("ann", "bob")
    ladder.save(sys.argv[1])
"""


def test_a_process_killed_while_saving_leaves_a_whole_file(tmp_path: Path) -> None:
    """Killed for real, each time with a save under way; only a stray temporary file may be left beside it."""
    path = tmp_path / "killed.podium"
    ladder = Ladder(Elo())
    ladder.update(History.from_matches([f"player {i}" for i in range(20_000)], ["bob"] * 20_000))
    ladder.save(path)
    strays = 0
    for attempt in range(5):
        before = Ladder.load(path).n_events
        command = [sys.executable, "-c", SAVING, str(path)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline() == "saving\n"
                time.sleep(0.011 * attempt)
                deadline = time.monotonic() + PATIENCE
                while not list(tmp_path.glob(".killed.podium.*.tmp")):  # until a save is under way
                    assert time.monotonic() < deadline
            finally:
                process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        loaded = Ladder.load(path)
        assert loaded.n_events >= before
        assert loaded.n_events == 20_000 or loaded.rating("ann").events == loaded.n_events - 20_000
        left = [stray for stray in tmp_path.iterdir() if stray != path]
        assert all(stray.match(".killed.podium.*.tmp") for stray in left)
        strays += len(left)
        for stray in left:
            stray.unlink()
    assert strays, "no process was killed in the middle of a save: the test shows nothing"


def test_what_is_shown_may_be_another(tmp_path: Path) -> None:
    ladder = Ladder(TrueSkill())
    ladder.record_match("ann", "bob")
    ladder.save(tmp_path / "saved.podium")
    loaded = Ladder.load(tmp_path / "saved.podium", system=TrueSkill(display_k=3))
    rating = loaded.rating("ann")
    assert rating.display == rating.mu - 3 * rating.sigma
    assert loaded.state == ladder.state
    with pytest.raises(StateError, match="draw_rate"):
        Ladder.load(tmp_path / "saved.podium", system=TrueSkill(draw_rate=0.1))


# ---------------------------------------------------------------------- functions of one's own


@pytest.fixture
def steep() -> Iterator[Sigmoid]:
    """A luck function of one's own; what the test registers is unknown to the next."""
    with temporary_registrations():
        yield Sigmoid("steep", lambda d: LOGISTIC.curve(np.multiply(2.0, d)))


def played(**parameters: Any) -> Ladder:
    ladder = Ladder(Luck(points=101, **parameters))
    ladder.record_match("ann", "bob")
    return ladder


@pytest.mark.parametrize("parameter", ["luck", "home_luck"])
def test_a_function_that_no_name_brings_back_is_not_saved(
    steep: Sigmoid, parameter: str, tmp_path: Path
) -> None:
    path = tmp_path / "saved.podium"
    blank, coin = Sigmoid("my steep", steep.curve), coin_flip(LOGISTIC, 0.5)
    for function, way_out in ((steep, r"register\(function\)"), (blank, "name it"), (coin, "name it")):
        with pytest.raises(ParameterError, match=f"luck: {parameter}: a file cannot hold") as caught:
            played(**{parameter: function}).save(path)
        assert re.search(way_out, str(caught.value.hint))
    assert not list(tmp_path.iterdir())
    LuckFunction.register(steep)
    played(**{parameter: steep}).save(path)
    assert getattr(Ladder.load(path).system, parameter) is steep
    with pytest.raises(ParameterError, match="is registered with that name"):
        played(**{parameter: Sigmoid("steep", LOGISTIC.curve)}).save(path)


@pytest.mark.parametrize("luck", [FAIR_COIN, normal(2.0), "laplace(0.5,1,0.5,3)", "margin"], ids=str)
def test_built_in_functions_are_saved(luck: Any, tmp_path: Path) -> None:
    ladder = played(luck=luck)
    ladder.save(tmp_path / "saved.podium")
    loaded = Ladder.load(tmp_path / "saved.podium")
    assert loaded.system == ladder.system
    assert loaded.record_match("ann", "bob") == ladder.record_match("ann", "bob")


def test_a_given_system_brings_its_functions(steep: Sigmoid, tmp_path: Path) -> None:
    """Where nothing is registered, the function comes from the system; another function is refused."""
    path = tmp_path / "saved.podium"
    with temporary_registrations():
        LuckFunction.register(steep)
        ladder = played(luck=steep)
        ladder.save(path)
    loaded = Ladder.load(path, system=ladder.system)
    assert loaded.system.parameters()["luck"] is steep
    assert loaded.record_match("ann", "bob") == ladder.record_match("ann", "bob")
    with pytest.raises(StateError, match="luck: there is no LuckFunction 'steep'"):
        Ladder.load(path)
    with pytest.raises(StateError, match="luck: there is no LuckFunction 'steep'"):
        Ladder.load(path, system=Luck(points=101))
    with pytest.raises(StateError, match=r"beta=0\.8, not 0\.9"):
        Ladder.load(path, system=Luck(points=101, luck=steep, beta=0.9))


# ---------------------------------------------------------------------- open files and bytes


def test_open_files_and_bytes_hold_what_a_saved_file_holds(tmp_path: Path) -> None:
    ladder = some_season(Glicko2())
    ladder.save(tmp_path / "saved.podium")
    stream = io.BytesIO()
    ladder.save(stream)
    assert stream.getvalue() == ladder.to_bytes() == (tmp_path / "saved.podium").read_bytes()
    with (tmp_path / "open.podium").open("wb") as file:
        ladder.save(file)
    with (tmp_path / "open.podium").open("rb") as file:
        assert content(Ladder.load(file)) == content(ladder)
    assert content(Ladder.from_bytes(ladder.to_bytes(), system=Glicko2())) == content(ladder)


def test_bytes_are_checked_as_files_are() -> None:
    saved = some_season(Elo()).to_bytes()
    with pytest.raises(StateError, match="stream is damaged"):
        Ladder.from_bytes(saved[:200] + bytes([saved[200] ^ 1]) + saved[201:])
    with pytest.raises(StateError, match="is not a file saved by podium"):
        Ladder.from_bytes(b"")
    with pytest.raises(StateError, match="is of elo, not of glicko"):
        Ladder.from_bytes(saved, system="glicko")


def test_what_is_no_file_of_bytes_is_refused(tmp_path: Path) -> None:
    wrong: Any = io.StringIO()
    with pytest.raises(ParameterError, match="stream is open for text") as caught:
        some_season(Elo()).save(wrong)
    assert "open(path, 'wb')" in str(caught.value.hint)
    (tmp_path / "x").write_text("x")
    with (tmp_path / "x").open() as text, pytest.raises(ParameterError, match="x is open for text"):
        Ladder.load(text)  # type: ignore[arg-type]
    for call in (Ladder(Elo()).save, Ladder.load):
        with pytest.raises(ParameterError, match="int is not a file to"):
            call(7)  # type: ignore[operator]
    with pytest.raises(ParameterError, match="read from bytes, not from str"):
        Ladder.from_bytes("podium")  # type: ignore[arg-type]
