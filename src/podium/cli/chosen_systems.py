"""Rating systems as options name them, with their parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import typer

from podium.cli.terminal_tables import wrapped
from podium.files.toml import SUFFIX, is_toml_name
from podium.text import did_you_mean

if TYPE_CHECKING:
    from podium.history import History
    from podium.ladder.ladder import Ladder
    from podium.presets import PresetChoice
    from podium.systems import RatingSystem


def pairs(items: Sequence[str], option: str) -> dict[str, str]:
    """Parse options written name=value into a dictionary."""
    found: dict[str, str] = {}
    for item in items:
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not name:
            raise typer.BadParameter(f"{item!r} must have the form name=value", param_hint=option)
        if name in found:
            raise typer.BadParameter(f"{name!r} is given twice", param_hint=option)
        found[name] = value
    return found


def pairs_by_owner(
    settings: Sequence[str], owners: Iterable[str], unknown: str, malformed: str | None = None
) -> dict[str, dict[str, str]]:
    """Parse --set options written owner.name=value into a dictionary for each owner.

    `unknown` is the error if there is no such owner, with {setting!r} and {owner!r} in it; `malformed` is the
    one if the owner or the name is missing, by default the same.
    """
    own: dict[str, dict[str, str]] = {owner: {} for owner in owners}
    for setting, value in pairs(settings, "--set").items():
        owner, _, name = setting.rpartition(".")
        if malformed is not None and not (owner and name):
            raise typer.BadParameter(malformed.format(setting=setting), param_hint="--set")
        if owner not in own or not name:
            hint = did_you_mean(owner, list(own)) or f"there are {', '.join(own)}"
            said = unknown.format(setting=setting, owner=owner)
            raise typer.BadParameter(f"{said}. {hint[0].upper()}{hint[1:]}", param_hint="--set")
        own[owner][name.strip()] = value
    return own


class ChosenName(NamedTuple):
    """The name of a system or of a preset, and a line for people if podium chose it."""

    name: str
    note: str | None = None

    @classmethod
    def of(cls, choice: PresetChoice) -> Self:
        """A preset, with the line that says what it is, and why it was chosen."""
        return cls(choice.preset.name, choice.sentence)

    def say(self) -> None:
        """Print the line, if there is one."""
        if self.note is not None:
            typer.echo(wrapped(f"system {self.note} (change: --system NAME)"))


def chosen_name(given: str | None, *histories: History) -> ChosenName:
    """The system that an option names; if none does, the preset for the histories together."""
    if given is not None:
        return ChosenName(given)

    from podium.presets import choose_preset

    return ChosenName.of(choose_preset(histories))


def earlier_default(given: str | None, chosen: ChosenName, earlier: Sequence[History]) -> str:
    """A sentence if podium chose a system, and would have chosen another one for earlier results; else empty.

    `earlier` are the results as they were at earlier moments.
    """
    names = {} if given is not None else dict.fromkeys(chosen_name(None, one).name for one in earlier)
    others = [name for name in names if name != chosen.name]
    if not others:
        return ""
    return (
        f" The default for these results was {others[0]}, and is now {chosen.name}. Tables made "
        f"earlier can differ. To keep one system, name it: --system {others[0]}."
    )


def system_from(name: str, settings: Sequence[str]) -> RatingSystem:
    """The system with this name or in this file, with the given parameters."""
    from podium.systems import make_system

    return system_with(name, pairs(settings, "--set"), make_system)


def system_with(name: str, given: Mapping[str, str], make: Callable[..., RatingSystem]) -> RatingSystem:
    """The system in the file of this name, or else the one that `make` makes, with the given parameters."""
    from podium.systems.system_files import load_system

    return load_system(name).changed(**given) if is_toml_name(name) else make(name, **given)


def load_ladder(path: Path, system: str | None, settings: Sequence[str]) -> Ladder:
    """A saved ladder with its own system; if `system` asks for another one, the file is refused."""
    from podium.ladder.ladder import Ladder

    if system is None and settings:
        raise typer.BadParameter(
            "--set needs --system (a saved ladder keeps its own parameters)", param_hint="--set"
        )
    return Ladder.load(path, system=None if system is None else system_from(system, settings))


def called(name: str) -> str:
    """The name of a system in tables: its own, or the file's if it is from a file."""
    return Path(name).name[: -len(SUFFIX)] if is_toml_name(name) else name


def called_with(name: str, given: Mapping[str, str]) -> str:
    """The name of a system in tables, with the parameters that options change.

    >>> called_with("elo", {}), called_with("elo-mmr", {"rho": "2", "newcomer_weights": "0.4,0.7"})
    ('elo', 'elo-mmr with rho=2 and newcomer_weights=0.4/0.7')
    """
    changes = " and ".join(f"{one}={value}" for one, value in given.items()).replace(",", "/")
    return f"{called(name)} with {changes}" if changes else called(name)


def written_value(value: Any, digits: int = 10) -> str:
    """A parameter's value in the form the command line accepts.

    >>> written_value(None), written_value(0.123456, 3), written_value((1.0, 2.5)), written_value("fide")
    ('none', '0.123', '1.0,2.5', 'fide')
    """
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return "none" if value is None else f"{value:.{digits}g}" if isinstance(value, float) else str(value)
