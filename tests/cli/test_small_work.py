"""Small work runs without the compiler, and how much is small depends on command, systems and rows alone."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import podium
from podium import ParameterError, list_systems, make_system, rate, read_history
from podium.cli import small_work
from podium.cli.evaluate import METRICS
from podium.cli.small_work import check_system, interpret_if_small, most_rows
from podium.evaluation.metrics import find_metric, find_metrics
from podium.inventory import INVENTORY, BuiltIn, Cost, parameter_names
from podium.named import Imported
from podium.presets import PRESETS

PACKAGE = Path(podium.__file__).parent

CONTESTS = """\
event,player,rank
1,ann,1
1,bob,2
1,cat,2
2,bob,1
2,dan,2
2,ann,3
3,cat,1
3,dan,2
3,ann,3
3,bob,4
"""
MATCHES = "winner,loser\nann,bob\nann,cat\nbob,cat\ncat,ann\nann,bob\n"


def in_a_process(code: str, *arguments: object, cwd: Path) -> Any:
    """What a fresh Python process prints last, as JSON."""
    command = [sys.executable, "-c", dedent(code), *map(str, arguments)]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""
    return json.loads(answer.stdout.splitlines()[-1])


# ---------------------------------------------------------------------- how much is small


@pytest.mark.parametrize(
    "command, systems, rows",
    [
        ("rate", ["a"], 2500),  # a quarter of 10 s, at 1 ms a row
        ("explain", ["a"], 2500),
        ("what-if", ["a"], 1250),  # rated twice
        ("changes", ["a"], 1375),  # 11 s to compile, 2 ms a row
        ("evaluate", ["a"], 750),  # 12 s and 4 ms
        ("evaluate", ["a", "b"], 850),  # 34 s, of which a quarter is 8.5 s, and 4 + 6 ms
        ("evaluate", ["a", "b", "b"], 625),  # a quarter would be 14 s, and 10 s are the most; 16 ms a row
        ("match", [], 1000),  # 16 s and 4 ms: nothing is rated
        ("match", ["b"], 1000),
        ("rate", ["somebody's own"], -1),
        ("evaluate", ["a", "somebody's own"], -1),
    ],
)
def test_rows_that_are_few(
    monkeypatch: pytest.MonkeyPatch, command: str, systems: list[str], rows: int
) -> None:
    home = Imported("nowhere", "Nothing")
    entries = {"a": BuiltIn(home, Cost(10.0, 1.0)), "b": BuiltIn(home, Cost(22.0, 3.0))}
    besides = {"changes": Cost(1.0, 1.0), "evaluate": Cost(2.0, 3.0), "match": Cost(16.0, 4.0)}
    monkeypatch.setattr(small_work, "INVENTORY", entries)
    monkeypatch.setattr(small_work, "BESIDES", besides)
    chosen: list[bool] = []
    monkeypatch.setattr(small_work, "interpret_kernels", lambda: chosen.append(True))
    assert most_rows(command, systems) == rows
    assert not interpret_if_small(command, systems, rows + 1)
    assert not chosen
    assert interpret_if_small(command, systems, rows)
    assert chosen


def test_parameters_in_the_source_are_those_of_the_systems() -> None:
    """Also of inherited ones, of those that stand for others, and in the same order."""
    systems = list_systems()
    assert {name: parameter_names(name) for name in systems} == {
        name: [*cls.declared(), *cls.limits] for name, cls in systems.items()
    }


def test_metrics_that_are_checked_before_reading() -> None:
    assert all(find_metric(name) for name in METRICS)
    assert [metric.name for metric in find_metrics(None)] == list(METRICS[:-1])


def test_only_the_inventory_lists_the_systems() -> None:
    """So a new one is its own file, a line there, and its class among podium's public names."""
    naming = {}
    for path in PACKAGE.rglob("*.py"):
        texts = {one.value for one in ast.walk(ast.parse(path.read_text())) if isinstance(one, ast.Constant)}
        naming[str(path.relative_to(PACKAGE))] = len(texts & set(INVENTORY))
    assert [name for name, count in naming.items() if count > len(INVENTORY) - 3] == ["inventory.py"]


@pytest.mark.parametrize(
    ("name", "setting", "reason"),
    [
        ("elo", "kk=1", "elo has no parameter 'kk'\n  hint: did you mean 'k'"),
        ("bar", "rho=1", "weng-lin has no parameter 'rho'"),
        ("matches", "rho=1", "glicko2 has no parameter 'rho'"),
        ("mine.toml", "rho=1", "weng-lin has no parameter 'rho'"),
        (None, "kappas=1", "podium chooses has a parameter 'kappas'\n  hint: did you mean 'kappa'"),
    ],
)
def test_parameters_are_checked_without_a_system(
    name: str | None, setting: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("no system is made before the choice of the compiler")

    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text('system = "bar"\n')
    monkeypatch.setattr(small_work, "are_kernels_loaded", lambda: False)
    monkeypatch.setattr(small_work, "system_from", never)
    check_system(name, ["sigma=1"] if name != "elo" else ["k=1"])
    with pytest.raises(ParameterError) as caught:
        check_system(name, [setting])
    assert reason in str(caught.value)


def test_at_least_two_thousand_rows_are_few() -> None:
    for name in (*list_systems(), *PRESETS):
        commands = ("rate", "explain", "changes", "what-if", "site")
        assert min(most_rows(command, [name]) for command in commands) >= 2000
    assert most_rows("evaluate", list(list_systems())) >= 500


def test_the_documentation_names_the_limits() -> None:
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text()
    for name in (*list_systems(), *PRESETS):
        limits = [most_rows(command, [name]) for command in ("rate", "what-if", "changes", "evaluate")]
        assert f"| {name} | {' | '.join(f'{limit:,}' for limit in limits)} |" in page
    assert f"all systems does it up to {most_rows('evaluate', list(list_systems())):,} rows" in page
    assert f"`podium match` up to {most_rows('match', []):,} players" in page
    assert f"`podium serve` of elo-mmr up to {most_rows('site', ['elo-mmr']):,} rows" in page


def test_a_file_of_a_system_and_another_name_are_that_system(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('system = "bar"\n')
    (tmp_path / "broken.toml").write_text("system = ")
    assert most_rows("rate", [str(tmp_path / "mine.toml")]) == most_rows("rate", ["weng-lin"])
    assert most_rows("rate", [str(tmp_path / "broken.toml")]) == -1
    (tmp_path / "ours.toml").write_text('system = "races"\n')
    assert most_rows("rate", [str(tmp_path / "ours.toml")]) == most_rows("rate", ["races"])
    with pytest.raises(ParameterError, match="broken"):
        check_system(str(tmp_path / "broken.toml"))
    with pytest.raises(ParameterError, match="no rating system 'eloo'"):
        check_system("eloo")


# ---------------------------------------------------------------------- without the compiler

WHICH_COMPILE = """
    import contextlib, io, json, os, sys
    from unittest import mock

    import podium.charts  # whose file names are checked before the choice
    import podium.cli.main, podium.tables.history_files, podium.tables.table_reader
    from podium.cli import program, small_work

    podium.cli.main.commands()
    assert "podium.numerics.jit" not in sys.modules
    INTERPRETED, COMPILED, was_imported = 40, 41, False

    def compiles(*arguments, limit=None):
        child = os.fork()  # where kernels are not made yet, and all else is imported
        if not child:
            os._exit(run(arguments, limit))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (INTERPRETED, COMPILED), arguments
        return status == COMPILED

    def run(arguments, limit):
        if limit is not None:
            small_work.INVENTORY["elo"] = small_work.INVENTORY["elo"]._replace(
                cost=small_work.Cost(0.004 * limit, 1.0)
            )
        argv = mock.patch.object(sys, "argv", ["podium", *arguments])
        with argv, contextlib.redirect_stdout(io.StringIO()):
            try:
                program.main()
            except SystemExit as end:
                if end.code:
                    return 1
        interpreted = sys.modules["podium.numerics.compiler_choice"].is_interpreted()
        if interpreted and "numba" in sys.modules and not was_imported:
            return 2
        return INTERPRETED if interpreted else COMPILED

    few = [
        ["rate", "contests.csv", "--active-since", "90d"],
        ["rate", "matches.csv", "--chunk-rows", "2", "--system", "luck"],
        ["rate", "ladders.csv", "--by", "game"],
        ["explain", "contests.csv", "ann"],
        ["changes", "contests.csv"],
        ["what-if", "contests.csv", "--without", "2"],
        ["chart", "contests.csv", "--json"],
        ["site", "contests.csv", "matches.csv"],
        ["match", "waiting.csv"],
        ["match", "waiting.csv", "--system", "glicko"],
        ["evaluate", "matches.csv", "--systems", "elo,elo-mmr", "--set", "elo.k=9", "--metrics", "brier"],
        ["systems"],
    ]
    found = [command for command in few if compiles(*command)]
    elo = ["rate", "matches.csv", "--system", "elo"]
    assert not compiles(*elo, limit=10), "as many rows as the limit"
    assert not compiles(*elo, "--chunk-rows", "4", limit=10), "the same in pieces"
    replacing = ["what-if", "contests.csv", "--system", "elo", "--replace", "contests.csv"]
    rows = len(open("contests.csv").readlines()) - 1
    assert not compiles(*replacing, limit=4 * rows), "both files count, and both times"
    assert compiles(*elo, limit=9), "one row more than the limit"
    import numba  # once for the rest, and not by each

    was_imported = True
    assert compiles(*replacing, limit=4 * rows - 1), "one row more"
    assert compiles(*elo, "--save", "saved.podium"), "what goes on later"
    assert not compiles("explain", "saved.podium", "ann"), "what does not"
    assert compiles("evaluate", "matches.csv", "--systems", "elo", "--jobs", "1"), "in processes"
    print(json.dumps(found))
"""


@pytest.mark.compiled
def test_small_commands_load_no_compiler(tmp_path: Path) -> None:
    """Nor do as many rows as the limit; one more does, and so does whatever goes on later or elsewhere."""
    (tmp_path / "contests.csv").write_text(CONTESTS)
    (tmp_path / "matches.csv").write_text(MATCHES)
    (tmp_path / "ladders.csv").write_text("game,winner,loser\nchess,ann,bob\ngo,bob,ann\n")
    (tmp_path / "waiting.csv").write_text("player,mu,sigma\nann,1500,80\nbob,1520,70\ncat,1400,90\n")
    assert in_a_process(WHICH_COMPILE, cwd=tmp_path) == []


RATED = """
    import json, sys
    from podium.numerics.compiler_choice import interpret_kernels

    interpret_kernels()
    from podium import make_system, predict, rate, read_history

    rated = []
    for file, name, settings in json.loads(sys.argv[1]):
        system, history = make_system(name, **settings), read_history(file)
        table = rate(history, system).ratings.sort("player")
        expected = predict(history, system)["expected"]
        rated.append([table["mu"].to_list(), table["sigma"].to_list(), expected.to_list()])
    assert "numba" not in sys.modules
    print(json.dumps(rated))
"""


@pytest.mark.compiled
def test_ratings_without_the_compiler_are_the_same(tmp_path: Path) -> None:
    """To 2e-13 of their size: sums are added in another order, and products are rounded once more."""
    (tmp_path / "contests.csv").write_text(CONTESTS)
    (tmp_path / "matches.csv").write_text(MATCHES)
    tasks: list[tuple[str, str, dict[str, str]]] = []
    for name, cls in list_systems().items():
        files = ["matches.csv", "contests.csv"] if cls.supports.many else ["matches.csv"]
        tasks += [(file, name, {}) for file in files]
    ways = [{"luck": "fide"}, {"luck": "laplace(1.0)"}, {"algorithm": "naive"}, {"algorithm": "fft"}]
    tasks += [("matches.csv", "luck", way) for way in ways]
    found = in_a_process(RATED, json.dumps(tasks), cwd=tmp_path)
    for (file, name, settings), (mu, sigma, expected) in zip(tasks, found, strict=True):
        system, history = make_system(name, **settings), read_history(tmp_path / file)
        table = rate(history, system).ratings.sort("player")
        same = podium.predict(history, system)["expected"].to_list()
        assert expected == pytest.approx(same, rel=2e-13, abs=0.0), name
        assert mu == pytest.approx(table["mu"].to_list(), rel=2e-13, abs=0.0), name
        if system.has_sigma:
            assert sigma == pytest.approx(table["sigma"].to_list(), rel=2e-13, abs=0.0), name
