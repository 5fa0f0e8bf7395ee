"""Rating systems as options name them, with their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from podium.ladder.ladder import Ladder
    from podium.systems import RatingSystem


def pairs(items: Sequence[str], option: str) -> dict[str, str]:
    """Parse options written name=value into a dictionary."""
    found: dict[str, str] = {}
    for item in items:
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not name:
            raise typer.BadParameter(f"{item!r} is not name=value", param_hint=option)
        if name in found:
            raise typer.BadParameter(f"{name!r} is given twice", param_hint=option)
        found[name] = value
    return found


def system_from(name: str, settings: Sequence[str]) -> RatingSystem:
    """The system with this name or in this file, with the given parameters."""
    from podium.systems import make_system
    from podium.systems.system_files import is_file_name, load_system

    given = pairs(settings, "--set")
    return load_system(name).changed(**given) if is_file_name(name) else make_system(name, **given)


def load_ladder(path: Path, system: str | None, settings: Sequence[str]) -> Ladder:
    """A saved ladder with its own system; if `system` asks for another one, the file is refused."""
    from podium.ladder.ladder import Ladder

    if system is None and settings:
        raise typer.BadParameter(
            "--set belongs to --system, and a saved ladder has its parameters", param_hint="--set"
        )
    return Ladder.load(path, system=None if system is None else system_from(system, settings))


def called(name: str) -> str:
    """The name of a system in tables: its own, or the file's if it is from a file."""
    from podium.systems.system_files import SUFFIX, is_file_name

    return Path(name).name[: -len(SUFFIX)] if is_file_name(name) else name


def written_value(value: Any, digits: int = 10) -> str:
    """A parameter's value in the form the command line accepts.

    >>> written_value(None), written_value(0.123456, 3), written_value((1.0, 2.5)), written_value("fide")
    ('none', '0.123', '1.0,2.5', 'fide')
    """
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return "none" if value is None else f"{value:.{digits}g}" if isinstance(value, float) else str(value)
