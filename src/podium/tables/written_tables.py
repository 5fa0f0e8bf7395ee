"""Tables written to files: CSV, TSV, NDJSON, plain or compressed, and Parquet; whole, or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from podium.errors import InputError
from podium.files.atomic import replacing
from podium.files.kinds import WRITTEN_FORMATS, FileKind, kind_of
from podium.files.leftovers import PARTS
from podium.tables.forms.formulas import marked_frame
from podium.tables.sources.separators import BY_FORMAT


def write_frames(frames: Iterable[pl.DataFrame], path: str | os.PathLike[str]) -> None:
    """Write frames one after another into one table; only one is in memory at a time.

    The file appears when it is whole.
    """
    kind = kind_of(path)
    if kind.format not in WRITTEN_FORMATS:
        raise InputError(
            f"podium writes no {kind.format} files",
            hint="write .csv, .tsv, .ndjson (with .gz or .zst) or .parquet",
        )
    with replacing(path) as temporary:
        if kind.format == "parquet":
            _write_parquet(frames, temporary)
        else:
            _write_text(frames, temporary, kind)


def _write_text(frames: Iterable[pl.DataFrame], path: Path, kind: FileKind) -> None:
    """Compressed pieces written one after another are one compressed file, for gzip and zstd alike."""
    packed: Any = kind.compression or "uncompressed"
    with path.open("wb") as file:
        for number, frame in enumerate(frames):
            text = with_text_times(frame)
            if kind.format == "ndjson":
                text.write_ndjson(file, compression=packed)
            else:
                separator = BY_FORMAT[kind.format]
                plain = marked_frame(text)
                plain.write_csv(file, separator=separator, include_header=number == 0, compression=packed)


def _write_parquet(frames: Iterable[pl.DataFrame], path: Path) -> None:
    """Of several pieces each goes to a file of its own first, as a Parquet file cannot be appended to."""
    folder = Path(f"{path}{PARTS}")  # whoever made the path removes the folder with it
    parts: list[Path] = []
    for number, frame in enumerate(frames):
        if number == 1:
            folder.mkdir()
            shutil.copyfile(path, parts[0])
        parts.append(folder / f"{number:06}.parquet")
        frame.write_parquet(parts[-1] if number else path)
    if len(parts) > 1:
        pl.scan_parquet(parts, glob=False).sink_parquet(path, maintain_order=True)


def with_text_times(frame: pl.DataFrame) -> pl.DataFrame:
    """Replace times by ISO text in the form of `to_iso`: a date if it is midnight, else a datetime."""

    def text(name: str) -> pl.Expr:
        moment = pl.col(name)
        forms = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S%.6fZ")
        day, second, fraction = (moment.dt.to_string(form) for form in forms)
        midnight, whole = moment.dt.time() == pl.time(0), moment.dt.microsecond() == 0
        return pl.when(midnight).then(day).when(whole).then(second).otherwise(fraction).alias(name)

    timed = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Datetime)]
    return frame.with_columns(text(name) for name in timed)
