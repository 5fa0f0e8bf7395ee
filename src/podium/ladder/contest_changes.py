"""One contest as it is published: everybody's rank, rating before and after, and the rank to be expected."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from podium.arrays import NO_TIME
from podium.errors import InputError, ParameterError
from podium.history import History, HistoryLike, history_meant
from podium.history.event_lookup import called, events_meant, is_own_time
from podium.history.ragged import Progress
from podium.history.times import time_words
from podium.ladder.bulk import rate
from podium.ladder.ladder import Ladder
from podium.ladder.predictions import ranks_before
from podium.notebooks import frame_html
from podium.systems import RatingSystem, System, system_for, system_meant
from podium.systems.contract.explained_ratings import MatchResult, match_result
from podium.systems.contract.ratings import Trace
from podium.text import chance_words, counted, rounded_gain, shorten, sum_in_words, write_number

if TYPE_CHECKING:
    import polars as pl

MOST_LINES = 20
"""Players in the text of a contest; the frame has all of them."""

SortedBy = Literal["place", "gain"]
COLUMNS = (
    *("event", "time", "rank", "player", "team", "opponent", "result", "new", "rated"),
    *("mu_before", "sigma_before", "display_before", "expected_rank", "performance"),
    *("mu", "sigma", "display", "gain", "place"),
)


@dataclass(frozen=True, repr=False)
class ContestChanges:
    """The rating changes of one contest, or of the matches of one day.

    Attributes:
        system: The system that rated it.
        contest: The events: one contest, or the matches played at one time.
        frame: A row for each player of each event, with `COLUMNS`. `opponent` and `result` are set for
            matches. `new` marks the player's first rated event, and `rated` is whether it counted. `place` is
            the place among the sides of the event, which differs from `rank` if ranks are of a larger field.
            Where `rated` is false, the ratings after the event are those right before it.
        preview: Whether it is a preview on a ladder that has not rated the contest.

    >>> import podium
    >>> cup = podium.Event.of(ranks={"ann": 1, "bob": 2, "cat": 3}, name="cup")
    >>> results = podium.History.from_events([cup])
    >>> found = podium.changes(results, "elo")
    >>> found.frame.select("player", "rank", "display").rows()
    [('ann', 1, 1516.0), ('bob', 2, 1500.0), ('cat', 3, 1484.0)]
    """

    system: RatingSystem
    contest: History
    frame: pl.DataFrame
    preview: bool = False

    @property
    def is_matches(self) -> bool:
        """Whether two sides met in each of the events."""
        return bool(np.all(self.contest.sides_per_event == 2))

    @property
    def title(self) -> str:
        """The contest's name and time."""
        if len(self.contest) == 1:
            return called(self.contest.event_name(0), int(self.contest.time[0]))
        names = {self.contest.event_name(number) for number in range(len(self.contest))}
        time = int(self.contest.time[0])
        name = names.pop() if len(names) == 1 else ""
        name = "" if not name or is_own_time(name, time) else f"{shorten(name)}, "
        return f"{name}{counted(len(self.contest), 'match')} of {time_words(time)}"

    def sorted(self, by: SortedBy = "place", top: int | None = None) -> pl.DataFrame:
        """The rows by rank, event after event, or by gain, the largest first. `top` limits their number."""
        if by not in ("place", "gain"):
            raise ParameterError(f"sort the rows by 'place' or 'gain', not {by!r}")
        frame = self.frame if by == "place" else self.frame.sort("gain", descending=True, maintain_order=True)
        return frame if top is None else frame.head(max(top, 0))

    def table(self, by: SortedBy = "place", top: int | None = None, *, digits: int = 1) -> pl.DataFrame:
        """The rows as readable text, without empty columns. Ratings have this number of decimals."""
        import polars as pl

        rows, matches = self.sorted(by, top).to_dicts(), self.is_matches
        new = [row["display"] if row["rated"] else None for row in rows]  # an unrated event sets no rating
        said = pl.DataFrame(
            {
                "place": [str(row["place"]) for row in rows],
                "rank": [str(row["rank"]) for row in rows],
                "player": [row["player"] for row in rows],
                "team": [row["team"] or "" for row in rows],
                "opponent": [row["opponent"] or "" for row in rows],
                "result": [row["result"] or "" for row in rows],
                "old": [write_number(row["display_before"], f".{digits}f") for row in rows],
                "new": [write_number(after, f".{digits}f") for after in new],
                "gain": [
                    rounded_gain(row["display_before"], after, digits)
                    for row, after in zip(rows, new, strict=True)
                ],
                "expected": [_expectation(row["expected_rank"], matches=matches) for row in rows],
                "performance": [write_number(row["performance"], f".{digits}f") for row in rows],
                "note": ["unrated" if not row["rated"] else "new" if row["new"] else "" for row in rows],
            }
        ).cast(pl.String)
        of_others = ["place", "rank"] if matches else ["opponent", "result"]
        if not matches and self.frame["rank"].equals(self.frame["place"]):
            of_others.append("rank")
        empty = [name for name in ("team", "note") if not any(said[name])]
        return said.drop(of_others, empty, [] if self.system.has_performance else ["performance"])

    @property
    def expected_words(self) -> str:
        """The meaning of the column *expected* of the table."""
        what = "the score (a win is 100%)" if self.is_matches else "the mean place"
        said = f"Expected is {what} that the ratings before the event predicted."
        if not self.is_matches and bool(self.contest.tied.any()):
            said += " A tie counts as the mean of the tied places."
        return said

    def __repr__(self) -> str:
        return f"<ContestChanges: {self._summary}>"

    def _repr_html_(self) -> str:
        return frame_html(self._summary, self.table())

    @property
    def _summary(self) -> str:
        return f"{self.title}: {counted(self.frame['player'].n_unique(), 'player')}"

    def __str__(self) -> str:
        lines = [self._summary]
        for row in self.frame.head(MOST_LINES).iter_rows(named=True):
            player = f"{shorten(row['player'])}{' (new)' if row['new'] else ''}"
            moved = sum_in_words(row["display_before"], row["display"]) if row["rated"] else "unrated"
            lines.append(f"{row['place']:5}  {player}: {moved}")
        more = self.frame.height - MOST_LINES
        return "\n".join(lines + ([f"… and {more:,} more"] if more > 0 else []))


def changes(
    history: HistoryLike,
    system: System | None = None,
    *,
    event: str | int | None = None,
    ladder: Ladder | None = None,
    progress: Progress | None = None,
    allow_repeat: bool = False,
) -> ContestChanges:
    """The rating changes of one contest of a history, by default the last one.

    All events before it are rated first. Matches of two sides that are played at the same time count as one
    contest.

    Args:
        history: A history, or anything that `read_history` reads.
        system: A system or its name. Default: the ladder's, else the history's preset.
        event: A name or number, "NAME, TIME" or a date. If it matches several events, the last is taken.
        ladder: The history follows this ladder's results, and the ladder does not change: a preview.
        progress: Called with the number of rows rated since the last call.
        allow_repeat: Rate events and files again that were rated already.

    Returns:
        A row for each player of the contest.

    >>> import podium
    >>> one, two = {"ann": 1, "bob": 2}, {"ann": 1, "cat": 2}
    >>> history = podium.History.from_events([{"ranks": one, "name": "one"}, {"ranks": two, "name": "two"}])
    >>> print(podium.changes(history, podium.Elo()))
    two: 2 players
        1  ann: 1516.0 + 15.3 = 1531.3
        2  cat (new): 1500.0 − 15.3 = 1484.7
    """
    import polars as pl

    from podium.ladder.rating_tables import trace_frames
    from podium.tables.export import team_column

    history = history_meant(history, "changes")
    chosen = None if system is None else system_meant(system)
    if ladder is not None and chosen is not None and ladder.system != chosen:
        raise ParameterError(f"the ladder is of {ladder.system}, not of {chosen}")
    numbers = events_of_contest(history, event)
    working = Ladder(system_for(chosen, history)) if ladder is None else ladder.copy()
    if ladder is not None:
        working._note_files(history, allow_repeat=allow_repeat)
    traces: list[Trace] = []
    known: list[_Known] = []
    for last, number in pairwise([-1, *numbers]):
        between = _events_between(history, last, number)
        if len(between) or between.adjustments:
            rate(between, ladder=working, progress=progress, allow_repeat=allow_repeat)
        one = replace(history[number : number + 1], adjustments=())
        working._check_piece(one, allow_repeat=allow_repeat)  # before anything is expected of it
        known += _known_before(working, one)
        traces.append(working._rate_piece(one, trace=True, allow_repeat=allow_repeat))
    contest = replace(history.with_rows(np.isin(history.event_of_row, numbers)), adjustments=())
    trace = Trace.joined(traces)
    types = dict(zip(_Known._fields, (pl.String, pl.String, pl.Boolean, pl.Float64, pl.Int64), strict=True))
    (frame,) = trace_frames(working.system, [(contest, trace)])
    frame = frame.hstack(pl.DataFrame(known, types, orient="row")).with_columns(
        pl.Series("rated", trace.rated),
        pl.Series(
            "team", team_column(contest) if contest.side is not None else [None] * contest.rows, pl.String
        ),
        pl.Series("number", contest.event_of_row),
        pl.col("performance").fill_nan(None),
        gain=pl.col("display") - pl.col("display_before"),
    )
    ordered = frame.sort("number", "rank", maintain_order=True).select(COLUMNS)
    return ContestChanges(working.system, contest, ordered, preview=ladder is not None)


def events_of_contest(history: History, event: str | int | None) -> list[int]:
    """The numbers of the events: the last one that is meant, and of matches all that were at its time."""
    if not len(history):
        raise InputError("there are no events")
    meant = np.arange(len(history)) if event is None else np.array(events_meant(history, str(event)))
    last, sides = int(meant[-1]), history.sides_per_event
    if sides[last] != 2 or history.time[last] == NO_TIME:
        return [last]
    together = (history.time[meant] == history.time[last]) & (sides[meant] == 2)
    return [int(number) for number in meant[together]]


def _events_between(history: History, last: int, number: int) -> History:
    """The events after number `last` and before `number`, with all adjustments up to there."""
    adjustments = tuple(
        placed.moved(-last - 1) for placed in history.adjustments if last < placed.before <= number
    )
    return replace(history[last + 1 : number], adjustments=adjustments)


def _expectation(rank: float, *, matches: bool) -> str:
    return chance_words(2.0 - rank) if matches else f"{rank:.1f}"


class _Known(NamedTuple):
    """What is known of a player of an event beside the ratings."""

    opponent: str | None
    result: MatchResult | None
    new: bool
    expected_rank: float
    place: int


def _known_before(ladder: Ladder, one: History) -> list[_Known]:
    """What is known of each row of a single event before it is rated."""
    event = one.event(0)
    side_of = {name: number for number, side in enumerate(event.sides) for name in side}
    expected = ranks_before(ladder, event).tolist()
    opponents: list[str | None] = [None] * len(event.sides)
    results: list[MatchResult | None] = [None] * len(event.sides)
    if len(event.sides) == 2:
        opponents = [" + ".join(side) for side in reversed(event.sides)]
        ranks = event.ranks
        results = [match_result(ranks[0], ranks[1]), match_result(ranks[1], ranks[0])]
    ordered, found = sorted(event.ranks), []
    for player in one.player.tolist():
        name = one.players[player]
        side = side_of[name]
        place = 1 + bisect_left(ordered, event.ranks[side])
        found.append(_Known(opponents[side], results[side], _is_new(ladder, name), expected[side], place))
    return found


def _is_new(ladder: Ladder, player: str) -> bool:
    """Whether the player has no rated event yet."""
    index, events = ladder.players.find(player), ladder.state.column("events")
    return index is None or index >= len(events) or not events[index]
