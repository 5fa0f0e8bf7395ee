"""Help: every option in a group, every example one that the command takes, nothing cut off."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest
import typer

from cli.command import podium_here, succeeded
from podium import History
from podium.cli import simulate
from podium.cli.added_commands import AddedCommand
from podium.cli.help_examples import RARE
from podium.cli.help_pages import GROUPS, HELP, HELP_ALL, MAIN, HelpfulCommand
from podium.cli.main import Commands, app
from podium.cluster.executors import Workers
from podium.server.processes.service_processes import Surroundings
from podium.server.settings import ServerSettings
from podium.studies.attacks import Farming
from podium.tournaments.tournament import Tournament
from podium_papers import find_items
from server.callers import called_service
from server.recorded import recorded_database


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    ctx = typer.Context(group)
    for name in group.list_commands(ctx):
        one = group.get_command(ctx, name)
        if isinstance(one, AddedCommand):
            one = one.load()
        if hasattr(one, "commands"):
            yield from commands(one, (*path, name))
        else:
            yield (*path, name), one


EXAMPLE = re.compile(r"^  Example: (podium .*)$", re.MULTILINE)
COMMANDS = list(commands(typer.main.get_command(app)))


def context(path: tuple[str, ...], command: Any) -> Any:
    return typer.Context(command, info_name=path[-1])


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(path) for path, _ in COMMANDS])
def test_groups_and_their_examples(path: tuple[str, ...], command: Any) -> None:
    assert isinstance(command, HelpfulCommand)
    ctx = context(path, command)
    ctx.meta[HELP_ALL] = True
    grouped = command.option_groups(ctx)
    shown = [one for those in grouped.values() for one in those]
    parameters: list[Any] = command.get_params(ctx)
    options = [one for one in parameters if one.param_type_name == "option" and not one.hidden]
    assert sorted(one.name for one in shown) == sorted(one.name for one in options)
    short, page = succeeded(*path, "--help"), succeeded(*path, HELP_ALL if command.rare else "--help")
    left_out = [one.opts[0] for one in command.rare]
    assert all(f"  {name} " in page and f"  {name} " not in short for name in left_out)
    assert not left_out or f"Also describe the rare options: {', '.join(left_out)}." in " ".join(
        short.split()
    )
    assert max(map(len, page.splitlines())) <= 80
    for one in parameters:
        if one.param_type_name == "argument":
            assert f"\n  {one.metavar}  " in page
    for title, those in grouped.items():
        assert f"\n{title}:\n" in page
        section = page.partition(f"\n{title}:\n")[2]
        if title == HELP or (title == MAIN and all(one.is_eager for one in those)):
            continue
        example = EXAMPLE.findall(section)[0]
        names = {name for one in those for name in one.opts}
        assert names & set(shlex.split(example)), f"the example of {title} uses none of its options"


# ---------------------------------------------------------------------- the examples are run


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    chance = np.random.default_rng(1)
    players = np.array(["ann", "bob", "cat", "dan", "eve", "fay"])
    lines = ["event,time,handle,rank,division"]
    for number in range(1, 13):
        event = f"{'final' if number == 12 else f'round {number}'},2026-{number:02}-01"
        lines += [
            f"{event},{player},{rank},{number % 2}"
            for rank, player in enumerate(chance.permutation(players), 1)
        ]
    (folder / "results.csv").write_text("\n".join([*lines, ""]))
    (folder / "june.csv").write_text("event,time,player,rank\nnext,2027-06-01,ann,1\nnext,2027-06-01,bob,2\n")
    waiting = [f"{player},{player},{1500 + 10 * number}" for number, player in enumerate(players)]
    votes = ["a,b,a", "b,c,b", "c,a,a", "a,c,c", "c,b,c", "b,a,tie"] * 5
    rows = [f"{vote},tie,{number % 7}" for number, vote in enumerate(votes)]
    (folder / "votes.csv").write_text("\n".join(["model_a,model_b,winner,preference,user", *rows, ""]))
    (folder / "waiting.csv").write_text("\n".join(["player,handle,mu", *waiting, ""]))
    assert podium_here("rate", "results.csv", "--save", "season.podium", cwd=folder).returncode == 0
    for form in ("evening", "knockout"):
        tournament = Tournament(form)
        for name in ("ann", "bob", "cat", "dan"):
            tournament.join(name)
        tournament.pair()
        tournament.save(folder / f"{form}.jsonl")
    for name in ("podium.db", "league.db"):
        recorded_database(folder / name)
        with called_service(str(folder / name), clock_tolerance=3e9) as caller:
            caller.report({"ranks": {"ann": 1, "bob": 2}, "time": "2100-01-01"})  # a clock to repair
        with mock.patch("podium.server.machine.token_hex", return_value="3fa9c1d2"):
            create = ["keys", "create", "--name", "bob", "--scopes", "read", "--database", name]
            assert podium_here(*create, cwd=folder).returncode == 0
    assert podium_here("backup", "podium.backup", "--database", "podium.db", cwd=folder).returncode == 0
    return folder


class InThisProcess(Workers):
    """Stands for several processes, which `tests/cluster` starts."""

    def __init__(self, count: int, source: Any, history: History | None, *, takes_part: bool) -> None:
        super().__init__(history)

    def stop(self) -> None:
        """Nothing to stop."""


@pytest.fixture
def _nothing_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are not started, studies are small, and servers end as soon as they answer."""

    @contextmanager
    def serving(out: Path, port: int | None, first: int) -> Iterator[SimpleNamespace]:
        assert (out / "index.html").exists()
        yield SimpleNamespace(address=f"http://127.0.0.1:{port or first}/", version=0)

    def interrupted(watched: object) -> None:
        raise KeyboardInterrupt

    def ready(settings: ServerSettings, surroundings: Surroundings) -> None:
        surroundings.ready(f"http://127.0.0.1:{settings.port}", 1, None)

    monkeypatch.setattr("podium.cluster.spreading.Pool", InThisProcess)
    monkeypatch.setattr("podium.cluster.spreading.refuse_unguarded_script", lambda: None)
    figure = find_items("elo-mmr", "figure-1")
    monkeypatch.setattr("podium_papers.find_items", lambda *asked: figure)
    monkeypatch.setattr("podium.studies.attacks.make_attack", lambda name, **own: Farming(4, 4, 2))
    monkeypatch.setattr("podium.studies.attacks.campaign.USUAL_SEEDS", 2)
    game = simulate._game
    small = {"players": 40, "days": 0.5, "sessions": 6.0, "tick": 300.0}
    monkeypatch.setattr(simulate, "_game", lambda *asked: replace(game(*asked), **small))
    monkeypatch.setattr("podium.pages.site_server.serving", serving)
    monkeypatch.setattr("podium.cli.watched_files.WatchedFiles.wait_for_change", interrupted)
    monkeypatch.setattr("podium.server.processes.service_processes.serve", ready)


@pytest.mark.usefixtures("_nothing_lasts")
@pytest.mark.parametrize("path", [path for path, _ in COMMANDS if path != ("demo",)], ids=" ".join)
def test_examples_run_as_printed(path: tuple[str, ...], files: Path, tmp_path: Path) -> None:
    """That of `demo` is run in `test_others`."""
    rare = dict(COMMANDS)[path].rare
    for number, example in enumerate(EXAMPLE.findall(succeeded(*path, HELP_ALL if rare else "--help"))):
        folder = shutil.copytree(files, tmp_path / str(number))
        answer = podium_here(*shlex.split(example)[1:], cwd=folder)
        ends = 130 if path == ("serve",) and "--database" not in example else 0
        assert answer.returncode == ends, f"{example}: {answer.stderr}"
        assert answer.stdout, example


def test_every_group_is_used() -> None:
    contexts = [(one, context(path, one)) for path, one in COMMANDS]
    for _, ctx in contexts:
        ctx.meta[HELP_ALL] = True
    used = {title for one, ctx in contexts for title in one.option_groups(ctx)}
    assert used == {MAIN, HELP, *(group.title for group in GROUPS)}


def test_descriptions_are_whole() -> None:
    page = " ".join(succeeded("--help").split())
    for path, command in COMMANDS:
        if len(path) == 1:
            assert f" {path[0]} {' '.join(command.help.split(chr(10) * 2)[0].split())} " in f"{page} "


def test_help_names_no_rare_option_that_no_command_has() -> None:
    names = {
        " ".join(path[-1:]): {own for one in command.params for own in one.opts} for path, command in COMMANDS
    }
    assert not [
        (name, rare)
        for name, those in RARE.items()
        for rare in those.split()
        if f"--{rare}" not in names[name]
    ]


def test_every_command_has_a_section() -> None:
    listed = " ".join(Commands.sections.values()).split()
    assert sorted(listed) == sorted({path[0] for path, _ in COMMANDS})


def test_ranges_and_options_are_readable() -> None:
    page = succeeded("rate", "--help")
    assert "at least 0]" in page
    assert "[0 to 12]" in page
    assert "x>=" not in page
    assert not re.search(r"--\w+-$", succeeded("site", "--help"), re.MULTILINE)


def test_options_are_described_below_the_words_of_a_command() -> None:
    alone = typer.Typer(add_completion=False)

    @alone.command(cls=HelpfulCommand)
    def weigh(pieces: list[str], at_most: int = 3) -> None:
        """Weigh pieces.

        Options:
            pieces (PIECE): The pieces: one, or
                several.
            at_most: Their number.
        """

    made: Any = typer.main.get_command(alone)
    assert made.help == "Weigh pieces."
    described = [(one.name, one.metavar, one.help) for one in made.params]
    assert described == [
        ("pieces", "PIECE", "The pieces: one, or several."),
        ("at_most", None, "Their number."),
    ]


def test_an_option_that_no_parameter_has_is_not_described() -> None:
    with pytest.raises(KeyError, match="weight"):
        HelpfulCommand("weigh", help="Weigh.\n\nOptions:\n    weight (N): How heavy.")
