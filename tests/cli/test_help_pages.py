"""Help: every option in a group, every example one that the command takes, nothing cut off."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from cli.command import succeeded
from podium.cli.help_pages import GROUPS, HELP, MAIN, HelpfulCommand
from podium.cli.main import app


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, one in group.commands.items():
        if hasattr(one, "commands"):
            yield from commands(one, (*path, name))
        else:
            yield (*path, name), one


COMMANDS = list(commands(typer.main.get_command(app)))


def context(path: tuple[str, ...], command: Any) -> Any:
    return typer.Context(command, info_name=path[-1])


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(path) for path, _ in COMMANDS])
def test_groups_and_their_examples(path: tuple[str, ...], command: Any) -> None:
    assert isinstance(command, HelpfulCommand)
    ctx = context(path, command)
    grouped = command.option_groups(ctx)
    shown = [one for those in grouped.values() for one in those]
    parameters: list[Any] = command.get_params(ctx)
    options = [one for one in parameters if one.param_type_name == "option" and not one.hidden]
    assert sorted(one.name for one in shown) == sorted(one.name for one in options)
    page = succeeded(*path, "--help")
    assert max(map(len, page.splitlines())) <= 80
    for one in parameters:
        if one.param_type_name == "argument":
            assert f"\n  {one.metavar}  " in page
    for title, those in grouped.items():
        assert f"\n{title}:\n" in page
        example = command.example(ctx, title)
        if title == HELP or (title == MAIN and all(one.is_eager for one in those)):
            continue
        assert example, f"{title} of {path[-1]} has no example"
        assert f"Example: podium {' '.join(path)} {example}\n" in page
        words = shlex.split(example)
        names = {name for one in those for name in one.opts}
        assert names & set(words), f"the example of {title} uses none of its options"
        command.make_context(path[-1], words)  # which refuses options and values that do not exist


def test_every_group_is_used() -> None:
    used = {title for path, one in COMMANDS for title in one.option_groups(context(path, one))}
    assert used == {MAIN, HELP, *(group.title for group in GROUPS)}


def test_descriptions_are_whole() -> None:
    page = " ".join(succeeded("--help").split())
    for path, command in COMMANDS:
        if len(path) == 1:
            assert f" {path[0]} {' '.join(command.help.split(chr(10) * 2)[0].split())} " in f"{page} "
