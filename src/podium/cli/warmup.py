"""`podium warmup`: compile everything ahead, so that nobody waits later."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.shared import progress

if TYPE_CHECKING:
    from podium.systems import RatingSystem


def warmup(
    systems: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Only these systems.")] = None,
) -> None:
    """Compile the rating systems ahead of their first use."""
    from podium.numerics.jit import cache_folder, set_warm
    from podium.systems import find_system, list_systems

    chosen = [find_system(name) for name in systems] if systems else list_systems().values()
    for cls in chosen:
        name, start = cls.name, time.perf_counter()
        with progress(f"compiling {name}", by_rows=False):
            _use(cls)
        set_warm(name)
        typer.echo(f"{name}: {time.perf_counter() - start:.1f} s")
    typer.echo(f"kept in {cache_folder()}")


def _use(cls: type[RatingSystem]) -> None:
    """Run every kernel of a system once."""
    from podium.ladder import Ladder

    ladder = Ladder(cls())
    ladder.record_match("a", "b")
    ladder.rating("a")
    ladder.expected_score("a", "b")
    ladder.rank_probabilities(["a", "b", "c"])
    ladder.expected_ranks(["a", "b", "c"])
    ladder.top_chances(["a", "b", "c"], 1)
    if cls.supports.many:
        ladder.record(ranks={"a": 1, "b": 2, "c": 3})
    ladder.explain("a")
