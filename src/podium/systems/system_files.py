"""Systems as files: a name and its parameters, for people to read, change and pass on.

>>> from podium import Elo
>>> print(to_toml(Elo(k=24), "best of 200 trials"))  # doctest: +ELLIPSIS
# best of 200 trials
system = "elo"
<BLANKLINE>
[parameters]
...
k = 24.0
...
"""

from __future__ import annotations

import os
from typing import Any

from podium.errors import ParameterError, PodiumError
from podium.files.atomic import replacing
from podium.files.toml import parse_toml, read_text, written
from podium.parameters import check_names, plain
from podium.systems import RatingSystem, find_preset, make_system
from podium.systems.tiers import tiers_among
from podium.text import did_you_mean

_KEYS = ("system", "parameters", "tiers")


def load_system(path: str | os.PathLike[str]) -> RatingSystem:
    """Read a system from a file: its name or a preset's, and the parameters that differ from the defaults.

    ```toml
    system = "elo-mmr"

    [parameters]
    sigma_limit = 80
    weight_limit = 0.2
    ```

    Args:
        path: The file.

    Returns:
        The system.

    Raises:
        ParameterError: The file names an unknown system or parameter, or a value that is not allowed.

    >>> import podium
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "club.toml"
    ...     podium.save_system(podium.Elo(k=20), path)
    ...     podium.load_system(path) == podium.Elo(k=20)
    True
    """
    return from_toml(read_text(path), source=os.fspath(path))


def save_system(system: RatingSystem, path: str | os.PathLike[str], *, comment: str = "") -> None:
    """Write a system to a file that every command accepts.

    Args:
        system: The system.
        path: The file, such as ``club.toml``.
        comment: Text for the top of the file.

    >>> import podium
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "club.toml"
    ...     podium.save_system(podium.Elo(k=20), path, comment="Our club's system.")
    ...     path.read_text().splitlines()[:2]
    ["# Our club's system.", 'system = "elo"']
    """
    text = to_toml(system, comment)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def to_toml(system: RatingSystem, comment: str = "") -> str:
    """A system as the text of a file: its name or its preset's, every parameter, functions by name."""
    system.check_named()
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    lines += [f"system = {written(system.preset or system.name)}", "", "[parameters]"]
    for name, value in system.parameters().items():
        lines.append(f"{name} = {written('none' if value is None else plain(value))}")
    return "\n".join(lines) + "\n"


def from_toml(text: str, *, source: str = "system") -> RatingSystem:
    """The system described by a text; `source` is named in errors.

    Tiers are for pages (`podium.systems.tiers`): here they are only checked.
    """
    given = parse_toml(text, "a system", source=source)
    for key in given:
        if key not in _KEYS:
            guess = did_you_mean(key, _KEYS) or "parameters stand below a line [parameters]"
            raise ParameterError(f"{source}: a file of a system has no {key!r}", hint=guess)
    tiers_among(given, source)
    name, parameters = given.get("system"), given.get("parameters", {})
    if not isinstance(name, str):
        raise ParameterError(
            f"{source}: no system is named" if name is None else f"{source}: system is a name, not {name!r}",
            hint='it begins with a line such as system = "elo-mmr"',
        )
    if not isinstance(parameters, dict):
        raise ParameterError(f"{source}: parameters are a table", hint="below a line [parameters]")
    return _made(name, parameters, source)


def _made(name: str, parameters: dict[str, Any], source: str) -> RatingSystem:
    try:
        cls, _ = find_preset(name)
        check_names({**cls.declared(), **cls.limits}, parameters, cls.name)
        return make_system(name, **parameters)
    except PodiumError as error:
        raise ParameterError(f"{source}: {error.reason}", hint=error.hint) from None
