"""How a player's rating went in a run: a row for each event, and one for each adjustment between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from podium.history.adjustments import rows_called
from podium.history.times import to_datetime
from podium.ladder.event_explanations import adjustments_of

if TYPE_CHECKING:
    from podium.ladder.bulk import Run


def player_history(run: Run, player: str) -> pl.DataFrame:
    """The rows of `Run.history`; none if the run has nothing of this player."""
    names, trace = run._names(player), run.trace
    schema = {**trace.schema, "adjustment": pl.String(), "sides": pl.Int64(), "rated": pl.Boolean()}
    found: list[pl.DataFrame] = []
    first_event, first_row = 0, 0
    for part, (history, traced) in enumerate(run._traced()):
        own = names[run._span(part)]
        rows = rows_called(history, own)
        number = history.event_of_row[rows]
        sides = pl.Series("sides", history.sides_per_event[number], pl.Int64())
        found.append(
            trace[first_row + rows].with_columns(
                pl.lit(None, pl.String()).alias("adjustment"),
                sides,
                pl.Series("rated", traced.rated[rows]),
                pl.Series("order", 2 * (first_event + number) + 1, pl.Int64()),
            )
        )
        moves = [
            {
                "adjustment": placed.adjustment.describe(),
                "rated": True,
                "time": to_datetime(placed.time),
                "order": 2 * (first_event + placed.before),
                **{name: getattr(change, name) for name in trace.columns if hasattr(change, name)},
            }
            for placed, change in adjustments_of(history, traced, own, run.ladder.players)
        ]
        found.append(pl.DataFrame(moves, {**schema, "order": pl.Int64()}))
        first_event, first_row = first_event + len(history), first_row + history.rows
    frame = pl.concat(found, how="diagonal").sort("order", maintain_order=True)
    shown = ["event", "adjustment", *(name for name in trace.columns if name != "event"), "sides", "rated"]
    return frame.select(shown).with_columns(player=pl.lit(player))
