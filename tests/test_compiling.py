"""`podium.warmup`: what it compiles, by name, in Python as on the command line."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import podium
from podium import compiling
from podium.arrays import Floats, Longs
from podium.compiling import Helpers, Part, help_compiling, names_to_compile
from podium.numerics.compiler_choice import announce
from podium.systems import find_system
from podium.systems.contract import calibration, history_rating
from podium.systems.elo_mmr import remembering_system


def test_everything_is_every_system_and_what_is_beside_them() -> None:
    assert names_to_compile() == [*podium.list_systems(), "matchmaking", "evaluation", "gumbel-min"]


def test_chosen_systems_by_name_or_value() -> None:
    assert names_to_compile("bar", podium.Glicko(), "matchmaking") == ["weng-lin", "glicko", "matchmaking"]
    seconds = podium.warmup("elo", podium.Glicko(c=10))
    assert list(seconds) == ["elo", "glicko"]
    assert min(seconds.values()) > 0.0


def test_an_unknown_name_is_refused_before_anything_is_compiled() -> None:
    with pytest.raises(podium.ParameterError, match="there is no rating system 'elo2'"):
        podium.warmup("glicko", "elo2")


def test_explaining_waits_for_no_rating(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some kernels of Elo-MMR are compiled by this part while another process compiles those that rate."""
    limits: list[float] = []

    def rating_limits(player: int, days: float, *columns: object) -> tuple[float, ...]:
        limits.append(days)
        return 1.0, 1.0, 1.0, 1.0

    monkeypatch.setattr(remembering_system, "rating_limits", rating_limits)
    monkeypatch.delattr(podium.EloMMR, "rate_events")
    (explaining,) = (part for part in compiling._parts(("elo-mmr",)) if part.step == "explaining")
    explaining.run()
    assert limits == [0.0]


@pytest.mark.parametrize("name", ["elo-mmr", "elo", "luck"])
def test_calibrating_waits_for_no_rating(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels that calibrate are compiled by this part; for events of two sides, and of more."""
    entered: list[str] = []

    def calibrate_matches(learned: Floats, rows: Longs, *columns: object) -> None:
        entered.append(f"{len(rows) - 1} match")

    def calibrate_events(learned: Floats, rows: Longs, *columns: object) -> int:
        entered.append(f"{len(rows) - 1} contests")
        return len(rows) - 1

    monkeypatch.setattr(calibration, "calibrate_matches", calibrate_matches)
    monkeypatch.setattr(calibration, "calibrate_events", calibrate_events)
    monkeypatch.setattr(find_system(name), "rate_events", None)
    (calibrating,) = (part for part in compiling._parts((name,)) if part.step == "calibrating")
    calibrating.run()
    assert entered == (["1 match"] if name == "luck" else ["1 match", "2 contests"])


def test_recording_waits_for_no_calibrating(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both together run last, when other parts have compiled what they need."""
    calibrated: list[str] = []
    monkeypatch.setattr(history_rating, "calibrate", lambda system, *_: calibrated.append(system.name))
    parts = compiling._parts(("elo",))
    parts[0].run()
    assert (parts[0].step, calibrated) == ("recording", [])
    parts[-1].run()
    assert set(calibrated) == {"elo"}


# ---------------------------------------------------------------------- helping processes


def test_what_runs_at_once_needs_different_kernels() -> None:
    """Of parts that share kernels one runs at a time, as long as there is anything else to do."""

    def nothing() -> None:
        pass

    named = [("a", "x"), ("a", "x"), ("b", "y"), ("c", "x")]
    parts = [Part(name, str(i), nothing, family, True) for i, (name, family) in enumerate(named)]
    helpers = Helpers(parts)
    begun = [helpers.begin_part() for _ in range(2)]
    assert begun == [parts[0], parts[2]]
    helpers.end_part(parts[2])
    assert helpers.begin_part() == parts[1], "nothing else is left"
    assert helpers.begin_part() == parts[3]
    assert helpers.begin_part() is None


def test_systems_of_one_paper_share_kernels() -> None:
    families = {part.name: part.family for part in compiling._parts(()) if part.step == "recording"}
    assert families["glicko"] == families["glicko2"] != families["elo"] != families["elo-mmr"]
    assert families["elo-mmr"] == families["elo-mmx"] == families["elo-r"] == families["gumbel-min"]


class OneHelper:
    """Parts of a system `a`, and of one that no helper knows; each of them needs the compiler."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, helper: str) -> None:
        self.ran: list[str] = []
        program = folder / "python"
        program.write_text(f"#!{sys.executable} -S\n{helper}")
        program.chmod(0o755)
        monkeypatch.setattr(sys, "executable", os.fspath(program))
        monkeypatch.setattr(compiling, "cores", lambda: 2)
        monkeypatch.setattr(compiling, "_parts", lambda systems: self.parts)
        names = [("a", "one"), ("mine", "one"), ("a", "two"), ("a", "three")]
        self.parts: list[Part] = [
            Part(name, step, partial(self.run, f"{name} {step}"), name, name == "a") for name, step in names
        ]

    def run(self, part: str) -> None:
        announce()
        self.ran.append(part)


ALL_PARTS = ["a one", "a three", "a two", "mine one"]
ANSWER = """
import sys
for line in sys.stdin:
    with open(__file__ + ".log", "a") as log:
        log.write(line)
    print(100.0, flush=True)
"""


@pytest.fixture
def helpers(monkeypatch: pytest.MonkeyPatch) -> list[Helpers]:
    """Filled when helpers start."""
    started: list[Helpers] = []
    start = Helpers.start

    def noted_start(self: Helpers) -> None:
        if self not in started:
            started.append(self)
        start(self)

    monkeypatch.setattr(Helpers, "start", noted_start)
    return started


def test_a_helper_compiles_what_it_knows_and_this_process_loads_it(
    helpers: list[Helpers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = OneHelper(monkeypatch, tmp_path, ANSWER)

    def wait_for_helper() -> None:
        one.run("a one")
        helpers[0].wait()

    one.parts[0] = Part("a", "one", wait_for_helper, "a", True)
    seconds = podium.warmup()
    assert sorted(one.ran) == ALL_PARTS
    assert (tmp_path / "python.log").read_text() == '["a", "two"]\n["a", "three"]\n'
    assert seconds["a"] > 200.0
    assert seconds["mine"] < 100.0
    assert [process.returncode for process in helpers[0].processes] == [0]


@pytest.mark.parametrize("helper", ["raise SystemExit(1)", "print('no number')", "import os; os.abort()"])
def test_without_helpers_nothing_is_missing(
    helper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = OneHelper(monkeypatch, tmp_path, helper)
    assert sorted(podium.warmup()) == ["a", "mine"]
    assert sorted(one.ran) == ALL_PARTS


def test_another_program_with_python_inside_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = OneHelper(monkeypatch, tmp_path, ANSWER)
    monkeypatch.setattr(sys, "executable", os.fspath(tmp_path / "uwsgi"))
    podium.warmup()
    assert one.ran == ["a one", "a two", "a three", "mine one"]
    assert not (tmp_path / "python.log").exists()


def test_helpers_end_with_an_error(
    helpers: list[Helpers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever stops half-way leaves no process behind."""
    one = OneHelper(monkeypatch, tmp_path, "import sys, time; sys.stdin.readline(); time.sleep(600)")

    def fail() -> None:
        announce()
        while len(helpers[0].waiting) == 2:
            time.sleep(0.01)
        raise ZeroDivisionError

    one.parts[0] = Part("a", "one", fail, "a", True)
    with pytest.raises(ZeroDivisionError):
        podium.warmup()
    assert [process.returncode for process in helpers[0].processes] == [-signal.SIGKILL]


def test_what_a_helper_does(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('["elo", "recording"]\n["glicko", "predicting"]\n'))
    help_compiling()
    assert [float(line) > 0.0 for line in capsys.readouterr().out.splitlines()] == [True, True]
