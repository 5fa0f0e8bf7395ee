"""What a command writes: its outputs are checked before the work, tables and documents go out after it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from podium.errors import InputError
from podium.files.atomic import is_stream
from podium.files.database_addresses import is_database

if TYPE_CHECKING:
    import polars as pl

PICTURE_SUFFIXES = (".png", ".svg", ".html")
PUBLISHED_SUFFIXES = (".html", ".md", ".json")
"""What is published may be a page, Markdown or the document, beside tables of all kinds."""


def check_outputs(
    outputs: Mapping[str, Path | None],
    files: Iterable[Path],
    *,
    any_name: Collection[str] = (),
    pictures: Collection[str] = (),
    published: Collection[str] = (),
) -> None:
    """Before the work begins, refuse outputs that cannot or should not be written.

    Outputs, by the name of their option, are tables; those of options in `pictures` may be pictures too,
    those of `published` a page, Markdown or JSON, and those of `any_name` anything.
    """
    taken = {file.resolve() for file in files}
    for option, path in outputs.items():
        if path is None or is_database(path):
            continue
        if path.is_dir():
            raise InputError(f"{path} is a folder", hint=f"give {option} a file name")
        stream = is_stream(path)
        if not stream and not path.resolve().parent.is_dir():
            raise InputError(f"there is no folder {path.parent}", hint=f"{option} writes files, not folders")
        if option in pictures and is_picture(path):
            check_picture(path)
        elif option in published and path.suffix.lower() in PUBLISHED_SUFFIXES:
            pass
        elif option not in any_name and not _is_table(path):
            known = ".csv, .tsv, .ndjson (each also with .gz or .zst) and .parquet"
            known += ", and for pictures .png, .svg and .html" if option in pictures else ""
            known += ", .html, .md and .json" if option in published else ""
            raise typer.BadParameter(
                f"podium cannot write {path.name!r} (it writes {known})", param_hint=option
            )
        if stream:  # nothing there is overwritten
            continue
        if path.resolve() in taken:
            raise typer.BadParameter(
                f"{path} would be overwritten: this command already uses it", param_hint=option
            )
        taken.add(path.resolve())


def check_report(path: Path | None) -> None:
    """Refuse a report whose file name is not that of an HTML page."""
    if path is not None and path.suffix.lower() != ".html":
        raise typer.BadParameter(
            f"the name of the report {path.name!r} must end in .html", param_hint="--report"
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


def write_table(frame: pl.DataFrame, path: Path | None, table: str = "results") -> None:
    """Write a table to a file, or to a database under this name; does nothing without a path."""
    if path is not None:
        from podium.tables.written_tables import write_frames

        write_frames([frame], path, table)


def write_published(
    path: Path | None,
    *,
    title: str,
    about: str,
    table: pl.DataFrame,
    rows: pl.DataFrame,
    kind: str,
    document: Callable[[], Mapping[str, Any]],
    web_page: Callable[[], str] | None = None,
) -> None:
    """Write a result by the suffix of the file: `table` as a page or Markdown, `rows` as a table of data, or
    the document as JSON. Does nothing without a path. `web_page` makes a better page where Jinja2 is there.
    """
    suffix = "" if path is None else path.suffix.lower()
    if path is None or suffix not in PUBLISHED_SUFFIXES:
        write_table(rows, path)
        return
    from podium.files.atomic import replacing

    if suffix == ".json":
        from podium.documents import json_text

        text = f"{json_text(kind, document())}\n"
    elif suffix == ".html" and web_page is not None and find_spec("jinja2") is not None:
        text = web_page()
    elif suffix == ".html":
        from podium.charts import page

        text = page(title, [("", about, table)])
    else:
        from podium.tables.written_tables import markdown_table, plain_markdown

        text = f"# {plain_markdown(title)}\n\n{plain_markdown(about)}\n\n"
        text += f"{markdown_table(table, plain=table.columns)}\n"
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def say_written(*paths: Path | None) -> None:
    """Print the names of the files that were written."""
    if written := [str(path) for path in paths if path is not None]:
        typer.echo(f"wrote {', '.join(written)}")


def print_document(kind: str, document: Mapping[str, Any]) -> None:
    """Print a document as JSON, with its schema version and kind on top."""
    from podium.documents import json_text

    typer.echo(json_text(kind, document))
