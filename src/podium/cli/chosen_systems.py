"""Rating systems as options name them, with their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from podium.systems import RatingSystem


def pairs(items: Sequence[str], option: str) -> dict[str, str]:
    """Options written name=value, as a mapping."""
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
    """The system an option names or the file it is in, with its parameters."""
    from podium.systems import make_system
    from podium.systems.system_files import is_file_name, load_system

    given = pairs(settings, "--set")
    return load_system(name).changed(**given) if is_file_name(name) else make_system(name, **given)


def called(name: str) -> str:
    """What a system is called beside others: by its name, one from a file by the file's."""
    from podium.systems.system_files import SUFFIX, is_file_name

    return Path(name).name[: -len(SUFFIX)] if is_file_name(name) else name
