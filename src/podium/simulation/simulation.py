"""Simulations: people and a season together, streamed piece by piece, the same for the same seed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium.arrays import Floats
from podium.errors import ParameterError
from podium.history import History, Names
from podium.history.ragged import Progress
from podium.history.summary import Summary
from podium.parameters import check_whole
from podium.simulation.contest_season import Contests
from podium.simulation.match_season import Matches
from podium.simulation.people import Crowd, People
from podium.simulation.season import EventRows, Season
from podium.simulation.team_season import Teams

if TYPE_CHECKING:
    import polars as pl

SIMULATED_ROWS_AT_ONCE = 1_000_000
"""Rows held at a time."""

_GIVEN = "give People(...) first, then Contests(...), Matches(...) or Teams(...)"


class Piece(NamedTuple):
    """Some events, and what they came from."""

    history: History
    truth: dict[str, Floats]
    """What is known of each row, by name: its `skill` at the event, and what came of it."""


@dataclass(frozen=True)
class Simulation:
    """A season that can be played: each time it is looked at, from the seed on, with the same results."""

    people: People
    season: Season
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole("seed", self.seed, 0)
        for given, kind, name in ((self.people, People, "people"), (self.season, Season, "season")):
            if not isinstance(given, kind):
                raise ParameterError(f"the {name} given is a {type(given).__name__}", hint=_GIVEN)
        self.season.check(self.people)
        self.season.check_years(self.people)

    def pieces(self, rows: int = SIMULATED_ROWS_AT_ONCE, progress: Progress | None = None) -> Iterator[Piece]:
        """All events in pieces of whole events, each of up to `rows` rows or a single event.

        The pieces share their names, which grow as new people come.
        """
        if rows < 1:
            raise ParameterError(f"a piece must have at least one row, not {rows}")
        crowd = Crowd(self.people, self.seed)
        teams = self.season.team_names(self.people)
        events = 0
        for part in _cut(_told(self.season.rounds(crowd), progress), rows):
            yield Piece(_history(part, crowd.names, teams, 1 + events), part.truth)
            events += len(part.sizes)

    def chunks(self, rows: int = SIMULATED_ROWS_AT_ONCE) -> Iterator[History]:
        """The results alone, in pieces, as `podium.rate` takes them."""
        return (piece.history for piece in self.pieces(rows))

    def history(self) -> History:
        """All results as one history; the season is played once and kept."""
        return self._whole.history

    @property
    def truth(self) -> dict[str, Floats]:
        """What is known of each row of the history, by name: `skill`, and what came of it."""
        return self._whole.truth

    @cached_property
    def _whole(self) -> Piece:
        (piece,) = self.pieces(sys.maxsize)
        return piece

    def frame_of(self, piece: Piece, *, truth: bool = False) -> pl.DataFrame:
        """A piece as a table; of a match both players' columns stand side by side."""
        import polars as pl

        frame = piece.history.to_frame(self.season.shape)
        if not truth:
            return frame
        columns = {name: pl.Series(column).fill_nan(None) for name, column in piece.truth.items()}
        if self.season.shape == "matches":
            sides = {f"{name}_{side}": (name, place) for name in columns for place, side in enumerate("ab")}
            columns = {side: columns[name].gather_every(2, place) for side, (name, place) in sides.items()}
            del columns["expected_score_b"]  # one minus the other
        return frame.with_columns(**columns)

    def frames(
        self, rows: int = SIMULATED_ROWS_AT_ONCE, *, truth: bool = False, progress: Progress | None = None
    ) -> Iterator[pl.DataFrame]:
        """The table, in pieces; with `truth` it has columns more, which podium does not read."""
        for piece in self.pieces(rows, progress):
            yield self.frame_of(piece, truth=truth)

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        truth: bool = False,
        rows: int = SIMULATED_ROWS_AT_ONCE,
        progress: Progress | None = None,
    ) -> Summary:
        """Write the table as a file that `podium rate` reads, holding `rows` rows at a time.

        The file appears when it is whole. The answer says what it holds.
        """
        from podium.tables.written_tables import write_frames

        tally = Tally()
        pieces = tally.watching(self.pieces(rows, progress))
        write_frames((self.frame_of(piece, truth=truth) for piece in pieces), path)
        return tally.summary()


def simulate_contests(
    people: People | None = None, contests: Contests | None = None, *, seed: int = 0
) -> Simulation:
    """Contests of many; the defaults are those of the Elo-MMR paper.

    >>> simulation = simulate_contests(People(players=100), Contests(contests=3, participants=20), seed=7)
    >>> print(simulation.history().summary())
    3 events, 47 players, 60 rows (20.0 an event, at most 20), 0.0% tied, 2020-01-06 to 2020-01-20
    """
    return _simulation(Contests, people, contests, seed)


def simulate_matches(
    people: People | None = None, matches: Matches | None = None, *, seed: int = 0
) -> Simulation:
    """Matches of two.

    >>> simulation = simulate_matches(People(players=50), Matches(matches=100, draw_rate=0.3), seed=1)
    >>> [name for name in simulation.truth], len(simulation.history())
    (['skill', 'expected_score'], 100)
    """
    return _simulation(Matches, people, matches, seed)


def simulate_teams(people: People | None = None, teams: Teams | None = None, *, seed: int = 0) -> Simulation:
    """Matches of teams.

    >>> history = simulate_teams(People(players=50), Teams(matches=10, size=3), seed=1).history()
    >>> [len(side) for side in history.event(0).sides]
    [3, 3]
    """
    return _simulation(Teams, people, teams, seed)


def _simulation(kind: type[Season], people: People | None, season: Season | None, seed: int) -> Simulation:
    """A season of this kind, with its usual people where nobody is given."""
    if season is not None and not isinstance(season, kind):
        raise ParameterError(
            f"a season of {kind.__name__} is asked for, and a {type(season).__name__} given", hint=_GIVEN
        )
    return Simulation(
        kind.usual_people if people is None else people, kind() if season is None else season, seed
    )


class Tally:
    """What has gone by, for a summary at the end without the whole in memory."""

    def __init__(self) -> None:
        self._parts: list[Summary] = []
        self._seen = np.zeros(0, np.bool_)

    def watching(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """The same pieces; what goes by is counted for the summary."""
        for piece in pieces:
            history = piece.history
            fresh = len(history.players) - len(self._seen)
            self._seen = np.concatenate((self._seen, np.zeros(fresh, np.bool_)))
            self._seen[history.player] = True
            self._parts.append(history.summary())
            yield piece

    def summary(self) -> Summary:
        """The summary of all pieces that were watched."""
        parts = self._parts
        events, rows = sum(part.events for part in parts), sum(part.rows for part in parts)
        return Summary(
            events=events,
            players=int(self._seen.sum()),
            rows=rows,
            mean_participants=rows / events if events else 0.0,
            largest_event=max((part.largest_event for part in parts), default=0),
            tied_rows=sum(part.tied_rows for part in parts),
            team_events=sum(part.team_events for part in parts),
            unrated_rows=0,
            adjustments=0,
            start=parts[0].start if parts else None,
            end=parts[-1].end if parts else None,
        )


def _told(rounds: Iterator[EventRows], progress: Progress | None) -> Iterator[EventRows]:
    """The same rounds; `progress` is called with the number of events of each."""
    for one in rounds:
        yield one
        if progress is not None:
            progress(len(one.sizes))


def _cut(rounds: Iterator[EventRows], rows: int) -> Iterator[EventRows]:
    """The same events in pieces of up to so many rows."""
    held: list[EventRows] = []
    count = 0
    for one in rounds:
        held.append(one)
        count += len(one.player)
        if count <= rows:
            continue
        whole = EventRows.joined(held)
        ends = np.cumsum(whole.sizes)
        start = done = 0
        while ends[-1] - done > rows:
            stop = max(int(np.searchsorted(ends, done + rows, "right")), start + 1)
            end = int(ends[stop - 1])
            yield whole.part(slice(start, stop), slice(done, end))
            start, done = stop, end
        held, count = [whole.part(slice(start, None), slice(done, None))], int(ends[-1]) - done
    if count:
        yield EventRows.joined(held)


def _history(rows: EventRows, names: Names, team_names: tuple[str, ...] | None, first_number: int) -> History:
    return History(
        players=names,
        offsets=np.concatenate(([0], np.cumsum(rows.sizes))),
        player=rows.player,
        rank=rows.rank,
        time=rows.time,
        side=rows.side,
        team=rows.team,
        team_names=team_names,
        home=rows.home,
        first_number=first_number,
    )
