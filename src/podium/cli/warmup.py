"""`podium warmup`: compile everything ahead, so that nobody waits later."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from podium.cli.progress import progress


def warmup(
    names: Annotated[list[str] | None, typer.Argument()] = None,
) -> None:
    """Prepare podium after the installation, so that later commands start at once.

    Options:
        names (NAME): Prepare only this part: a rating system, matchmaking (for podium match) or evaluation
            (for podium evaluate and smooth). Default: all parts.
    """
    from podium.compiling import compiled_in_turn, names_to_compile
    from podium.numerics.kernel_files import LEVEL, cache_folder, shipped_folder

    start = time.perf_counter()
    total = len(names_to_compile(*(names or [])))
    compiled = compiled_in_turn(*(names or []))
    for number in range(1, total + 1):
        with progress(f"compiling, {number} of {total}", by_rows=False):
            name, seconds = next(compiled)
        typer.echo(f"{name}: {seconds:.1f} s")
    typer.echo(f"total: {time.perf_counter() - start:.1f} s (several processes work in parallel)")
    if shipped_folder() is not None:
        typer.echo(f"kernels for {LEVEL} processors came with podium")
    typer.echo(f"kept in {cache_folder()}")
