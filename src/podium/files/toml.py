"""TOML, as policies and systems are written down for people to read and change."""

from __future__ import annotations

import json
import math
import os
import tomllib
from pathlib import Path
from typing import Any

from podium.errors import InputError, ParameterError

SUFFIX = ".toml"


def is_toml_name(name: str) -> bool:
    """Whether a text is the name of a TOML file; names of systems never look like one."""
    return name.lower().endswith(SUFFIX)


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a UTF-8 file; a missing or unreadable file raises podium's own errors."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError("there is no such file", source=os.fspath(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError(f"{os.fspath(path)}: {error}") from None


def parse_toml(text: str, what: str, *, source: str) -> dict[str, Any]:
    """Parse TOML; errors name `source` and say `what` the text should be."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(f"{source}: {error}", hint=f"{what} is written as TOML") from None


def written(value: Any) -> str:
    """A value in TOML's notation.

    >>> print(written([0.5, math.inf]), written("a \\"b\\""), written(True))
    [0.5, inf] "a \\"b\\"" true
    """
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return json.dumps(value, ensure_ascii=False)
