"""Commands that other packages add to podium: entry points of the group `podium.commands`.

A package is imported when its command is used. Help lists the command with the package's summary. So podium's
own commands neither wait for such a package nor fail with it.
"""

from __future__ import annotations

from collections.abc import Collection
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from typing import Any

import typer
from typer.core import TyperCommand

from podium.cli.help_pages import HelpfulCommand
from podium.errors import ParameterError

GROUP = "podium.commands"
"""The group of entry points: each is named as its command, and leads to a function or to a `typer.Typer`."""
ELSEWHERE = {"reproduce": "podium-papers"}
"""Commands that come with another package of podium's, and which."""


class AddedCommand(TyperCommand):
    """Stands for a command of another package until it is used."""

    def __init__(self, entry: EntryPoint) -> None:
        summary = None if entry.dist is None else entry.dist.metadata["Summary"]
        super().__init__(entry.name, help=summary or f"Run {entry.value}.")
        self.entry = entry

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Begin the command itself."""
        return self.load().make_context(info_name, args, parent=parent, **extra)

    def load(self) -> Any:
        """Import the package and make its command."""
        name, holder = self.entry.name, typer.Typer(rich_markup_mode=None)
        try:
            found = self.entry.load()
            if isinstance(found, typer.Typer):
                holder.add_typer(found, name=name)
            else:
                holder.command(name, cls=HelpfulCommand)(found)
            return typer.main.get_group(holder).commands[name]
        except (Exception, SystemExit) as error:  # whatever somebody's code may raise
            from podium.cli.own_code import failure

            dist = self.entry.dist
            package = "its package" if dist is None else f"{dist.name} {dist.version}"
            raise ParameterError(
                f"{name} from {package} cannot be loaded ({self.entry.value}): {failure(error)}",
                hint=f"update or uninstall {package}",
            ) from error


class MissingCommand(TyperCommand):
    """Stands for a command whose package is not installed."""

    def __init__(self, name: str) -> None:
        super().__init__(name, hidden=True)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Refuse, and name the package."""
        package = ELSEWHERE[str(self.name)]
        raise ParameterError(
            f"podium {self.name} needs {package}, which is not installed",
            hint=f"pip install {package}, or in a clone of podium: pip install . ./papers",
        )


def added_commands(known: Collection[str]) -> dict[str, TyperCommand]:
    """The commands that other packages add to those known, or would add if they were installed."""
    entries = sorted(entry_points(group=GROUP), key=attrgetter("name"))
    missing = {name: MissingCommand(name) for name in ELSEWHERE}
    added = {**missing, **{entry.name: AddedCommand(entry) for entry in entries}}
    return {name: command for name, command in added.items() if name not in known}
