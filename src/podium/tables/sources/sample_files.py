"""Real results that come with podium, by names such as `sample:formula-1`."""

from __future__ import annotations

import os
from pathlib import Path

from podium.errors import InputError
from podium.files.kinds import PathLike
from podium.text import known_names

PREFIX = "sample:"
"""What the name of a sample begins with where a file is expected."""
FOLDER = Path(__file__).parent / "samples"
"""Beside each table there is a text with its source and its licence."""
SAMPLES = {"formula-1": FOLDER / "formula-1.parquet", "football": FOLDER / "football.parquet"}


def sample_path(given: PathLike) -> Path | None:
    """The file of a sample, if a sample is given; a name that no sample has is refused."""
    text = os.fspath(given)
    if not text.startswith(PREFIX):
        return None
    name = text.removeprefix(PREFIX)
    if name not in SAMPLES:
        raise InputError(f"there is no sample {name!r}", hint=known_names(name, SAMPLES))
    return SAMPLES[name]
