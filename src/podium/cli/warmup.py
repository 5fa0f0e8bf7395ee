"""`podium warmup`: compile everything ahead, so that nobody waits later."""

from __future__ import annotations

from typing import Annotated

import typer

from podium.cli.progress import progress


def warmup(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Compile only this: a rating system, matchmaking (for podium match) or evaluation (for "
            "podium evaluate and smooth). Default: everything.",
        ),
    ] = None,
) -> None:
    """Compile everything now, so that nobody waits for it later."""
    from podium.compiling import names_to_compile
    from podium.compiling import warmup as compile_now
    from podium.numerics.kernel_files import cache_folder

    for name in names_to_compile(*(names or [])):
        with progress(f"compiling {name}", by_rows=False):
            seconds = compile_now(name)[name]
        typer.echo(f"{name}: {seconds:.1f} s")
    typer.echo(f"kept in {cache_folder()}")
