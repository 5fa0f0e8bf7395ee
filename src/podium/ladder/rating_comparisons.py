"""What would be if results were corrected: both histories rated from the start, and who moves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from podium.errors import ParameterError
from podium.history import History, HistoryLike, history_meant
from podium.history.corrections import with_replaced, without_event, without_result
from podium.history.ragged import Progress
from podium.ladder.bulk import Run, rate
from podium.notebooks import expect_work, frame_html, with_bar
from podium.systems import System, system_for
from podium.text import counted, rounded_gain, shorten, write_number

if TYPE_CHECKING:
    import polars as pl

MOST_LINES = 20
"""Players in the text of a what-if; the frame has all of them."""
LEAST_MOVE = 1e-6
"""Ratings that differ by less have not moved: the change came through many others and is nothing by now."""


@dataclass(frozen=True, repr=False)
class WhatIf:
    """Ratings as they are and as they would be.

    Attributes:
        corrections: The corrections in words.
        history: The corrected history.
        before: The history as it was, rated.
        after: The corrected history, rated.
        frame: All players by new place, with place_before, place, player, display_before, display, gain, mu,
            sigma, events_before and events. A player on only one of the two leaderboards has nulls for the
            other. Players only on the old one come last.

    >>> import podium
    >>> events = [podium.Event.of(ranks={"ann": 1, "bob": 2}, name=name) for name in ("first", "second")]
    >>> found = podium.what_if(podium.History.from_events(events), "elo", without=["second"])
    >>> [(row["player"], round(row["gain"], 1)) for row in found.moved.iter_rows(named=True)]
    [('ann', -14.5), ('bob', 14.5)]
    """

    corrections: tuple[str, ...]
    history: History
    before: Run
    after: Run

    frame: pl.DataFrame

    @cached_property
    def moved(self) -> pl.DataFrame:
        """The rows of `frame` whose rating changes by a millionth of a point or more, largest change first.

        Players who leave or join the leaderboard come before them.
        """
        import polars as pl

        change = pl.col("gain").abs()
        moved = self.frame.filter(change.is_null() | (change >= LEAST_MOVE))
        return moved.sort(change, descending=True, nulls_last=False, maintain_order=True)

    @property
    def title(self) -> str:
        """All corrections in one line."""
        return "; ".join(self.corrections)

    @property
    def summary(self) -> str:
        """How many players move, and how far at most, as `table` shows it."""
        return self.summary_with(digits=1)

    def summary_with(self, *, digits: int) -> str:
        """The summary for a table whose ratings have this number of decimals."""
        players = f"{self.moved.height:,} of {counted(self.frame.height, 'player')}"
        verb = "moves" if self.moved.height == 1 else "move"
        both = self.moved.drop_nulls("gain").select("display_before", "display").iter_rows()
        gains = [abs(round(after, digits) - round(before, digits)) for before, after in both]
        said = f"{players} {verb}" + (f", by {max(gains):.{digits}f} at most" if gains else "")
        old, new = (run.ladder.system.label for run in (self.before, self.after))
        return (
            said
            if old == new
            else f"{said}. By default, {old} rates the results and {new} rates the corrected results"
        )

    def table(self, top: int | None = None, *, digits: int = 1) -> pl.DataFrame:
        """The first rows of `moved` as readable text. Ratings have this number of decimals."""
        import polars as pl

        rows = (self.moved if top is None else self.moved.head(max(top, 0))).to_dicts()
        said = {
            "old place": [write_number(row["place_before"], "d") for row in rows],
            "new place": [write_number(row["place"], "d") for row in rows],
            "player": [row["player"] for row in rows],
            "old": [write_number(row["display_before"], f".{digits}f") for row in rows],
            "new": [write_number(row["display"], f".{digits}f") for row in rows],
            "gain": [rounded_gain(row["display_before"], row["display"], digits) for row in rows],
        }
        return pl.DataFrame(said).cast(pl.String)

    def __repr__(self) -> str:
        return f"<WhatIf: {self.title}: {self.summary}>"

    def _repr_html_(self) -> str:
        return frame_html(f"{self.title}: {self.summary}", self.table())

    def __str__(self) -> str:
        lines = [f"{self.title}: {self.summary}"]
        for _, place, player, old, new, gain in self.table(MOST_LINES).iter_rows():
            lines.append(f"{place:>5}  {shorten(player)}: {old} → {new} ({gain})")
        more = self.moved.height - MOST_LINES
        return "\n".join(lines + ([f"… and {more:,} more"] if more > 0 else []))


@with_bar("rating twice")
def what_if(
    history: HistoryLike,
    system: System | None = None,
    *,
    without: str | int | Iterable[str | int] = (),
    disqualified: Iterable[tuple[str, str | int]] = (),
    replaced: History | Iterable[History] = (),
    progress: Progress | None = None,
    allow_repeat: bool = False,
) -> WhatIf:
    """Rate a history as it is and corrected, both from the start, and compare.

    Replacements come first, so that a player can be disqualified from an event that is replaced. Events are
    named as in `changes`.

    Args:
        history: A history, or anything that `read_history` reads.
        system: A system or its name. Default: the preset of each version's own rows.
        without: Events to leave out.
        disqualified: Pairs of a player and an event whose result is left out.
        replaced: Histories whose events replace those of the same name.
        progress: Called with the number of rows rated since the last call.
        allow_repeat: Rate events and files again that were rated already.

    Returns:
        Both leaderboards, and the players who move.

    >>> import podium
    >>> rounds = [{"ranks": {"ann": 1, "bob": 2}, "name": str(number)} for number in ("one", "two")]
    >>> print(podium.what_if(podium.History.from_events(rounds), podium.Elo(), without="two"))
    without two: 2 of 2 players move, by 14.5 at most
        1  ann: 1530.5 → 1516.0 (−14.5)
        2  bob: 1469.5 → 1484.0 (+14.5)
    """
    history = history_meant(history, "what_if")
    expect_work(2 * history.rows)
    events = [without] if isinstance(without, (str, int)) else list(without)
    others = [replaced] if isinstance(replaced, History) else list(replaced)
    corrected, words = history, []
    for other in others:
        corrected, said = with_replaced(corrected, other)
        words.append(said)
    for pair in disqualified:
        if isinstance(pair, str) or len(pair) != 2:
            hint = 'disqualified=[("ann", "round 7")]'
            raise ParameterError(f"{pair!r} must be a player and an event", hint=hint)
        player, event = pair
        corrected, said = without_result(corrected, player, event)
        words.append(said)
    for event in dict.fromkeys(events):
        corrected, said = without_event(corrected, event)
        words.append(said)
    if not words:
        raise ParameterError("nothing is corrected", hint="give without=, disqualified= or replaced=")
    before, after = (
        rate(version, system_for(system, version), progress=progress, allow_repeat=allow_repeat)
        for version in (history, corrected)
    )
    return WhatIf(tuple(words), corrected, before, after, _compared(before, after))


def _compared(before: Run, after: Run) -> pl.DataFrame:
    """Both leaderboards side by side."""
    import polars as pl

    old = before.leaderboard(active_since=None).select("player", "place", "display", "events")
    new = after.leaderboard(active_since=None).select("player", "place", "display", "events", "mu", "sigma")
    both = new.join(old, on="player", how="full", coalesce=True, suffix="_before")
    both = both.with_columns(gain=pl.col("display") - pl.col("display_before"))
    columns = ("place_before", "place", "player", "display_before", "display", "gain", "mu", "sigma")
    ordered = both.sort("place", "place_before", "player", nulls_last=True)
    return ordered.select(*columns, "events_before", "events")
