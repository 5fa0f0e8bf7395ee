"""What a command writes: its outputs are checked before the work, tables and documents go out after it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from podium.errors import InputError

if TYPE_CHECKING:
    import polars as pl

PICTURE_SUFFIXES = (".png", ".svg", ".html")


def check_outputs(
    outputs: Mapping[str, Path | None],
    files: Iterable[Path],
    *,
    any_name: Collection[str] = (),
    pictures: Collection[str] = (),
) -> None:
    """Before the work begins, refuse outputs that cannot or should not be written.

    Outputs, by the name of their option, are tables; those of options in `pictures` may be pictures too, and
    those of `any_name` anything.
    """
    taken = {file.resolve() for file in files}
    for option, path in outputs.items():
        if path is None:
            continue
        if path.is_dir():
            raise InputError(f"{path} is a folder", hint=f"give {option} the name of a file")
        if not path.resolve().parent.is_dir():
            raise InputError(f"there is no folder {path.parent}", hint=f"{option} makes files, not folders")
        if option in pictures and is_picture(path):
            check_picture(path)
        elif option not in any_name and not _is_table(path):
            known = ".csv, .tsv, .ndjson (each also with .gz or .zst) and .parquet"
            known += ", and for pictures .png, .svg and .html" if option in pictures else ""
            raise typer.BadParameter(
                f"podium cannot write {path.name!r}; it knows {known}", param_hint=option
            )
        if path.resolve() in taken:
            raise typer.BadParameter(f"{path} would be overwritten: it is used already", param_hint=option)
        taken.add(path.resolve())


def check_report(path: Path | None) -> None:
    """Refuse a report whose file name is not that of an HTML page."""
    if path is not None and path.suffix.lower() != ".html":
        raise typer.BadParameter(
            f"{path.name!r} is not called .html, which is what a report is", param_hint="--report"
        )


def check_picture(path: Path | None) -> None:
    """Refuse a picture in an unknown format, or if podium[charts] is not installed."""
    if path is not None:
        from podium.charts import check_path

        check_path(path)


def is_picture(path: Path) -> bool:
    """Whether the file's name is that of a picture."""
    return path.suffix.lower() in PICTURE_SUFFIXES


def _is_table(path: Path) -> bool:
    from podium.files.kinds import WRITTEN_FORMATS, kind_of

    try:
        return kind_of(path).format in WRITTEN_FORMATS
    except InputError:
        return False


def write_table(frame: pl.DataFrame, path: Path | None) -> None:
    """Write a table to a file; does nothing without a path."""
    if path is not None:
        from podium.tables.sources.table_files import write_frames

        write_frames([frame], path)


def say_written(*paths: Path | None) -> None:
    """Print the names of the files that were written."""
    if written := [str(path) for path in paths if path is not None]:
        typer.echo(f"wrote {', '.join(written)}")


def print_document(kind: str, document: Mapping[str, Any]) -> None:
    """Print a document as JSON, with its schema version and kind on top."""
    from podium.documents import json_text

    typer.echo(json_text(kind, document))
