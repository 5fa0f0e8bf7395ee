"""The leaderboard that a command prints and writes: who is on it, how many, with how many decimals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.terminal_tables import digits_of, show_table, wrapped
from podium.errors import InputError
from podium.text import counted, joined_sentences

if TYPE_CHECKING:
    import polars as pl

    from podium.documents import LeaderboardDocument
    from podium.history import History
    from podium.ladder.bulk import Run
    from podium.ladder.ladder import Ladder
    from podium.ladder.rating_tables import LeaderboardFilters
    from podium.systems import RatingSystem

PRINTED_PLAYERS = 20
"""Number of players that are printed unless somebody asks for another one."""
DROPPED_FIRST = ("mu", "last_time", "events", "sigma", "place", "display")
"""Columns of a leaderboard in the order in which a narrow terminal goes without them."""

Top = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help=f"Show only the best N players. Default: {PRINTED_PLAYERS} on a terminal, all in --json and "
        "files. 0: print no table.",
        min=0,
    ),
]
MinEvents = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="Rank only players with at least this many rated events.",
        min=0,
    ),
]
ActiveSince = Annotated[
    str,
    typer.Option(
        metavar="DATE",
        help="Rank only players with an event since this date (2026-01-31), or in the last days before the "
        "last event (90d). all: all players. usual: 30 days to 5 years, depending on how often people play.",
    ),
]
USUAL, EVERYONE = "usual", "all"
"""Values of --active-since: a time that follows how often people play, and no limit."""


def since_meant(active_since: str) -> str | None:
    """The value of --active-since as `Ladder.leaderboard` has it."""
    return None if active_since == EVERYONE else active_since


MaxSigma = Annotated[
    float | None,
    typer.Option(
        metavar="POINTS",
        help="Rank only players whose sigma (the uncertainty of the rating) is at most this.",
        min=0.0,
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        metavar="DATE",
        help="Show the ratings of this moment, from earlier events only. A date means the start of that day.",
    ),
]
Provisional = Annotated[
    bool,
    typer.Option("--provisional", help="Also list the players who are not ranked, below the others."),
]


def _check_option(option: str, check: Callable[[], object]) -> None:
    """Call something that refuses what is no date, and name the option then."""
    try:
        check()
    except InputError as error:
        raise typer.BadParameter(
            joined_sentences([error.reason, error.hint or ""]), param_hint=option
        ) from error


@dataclass(frozen=True)
class Board:
    """What was asked of a leaderboard on the command line."""

    filters: LeaderboardFilters
    top: int | None
    digits: int | None
    provisional: bool = False
    at: str | None = None

    def __post_init__(self) -> None:
        """Refuse a date that is none before any work begins."""
        from podium.history.times import start_of_activity, to_micros

        if (since := self.filters.get("active_since")) not in (None, USUAL):
            _check_option("--active-since", lambda: start_of_activity(since, 0))
        _check_option("--at", lambda: to_micros(self.at))

    def cut(self, history: History | Iterator[History]) -> History | Iterator[History]:
        """The results up to the date of the leaderboard, whole or in the same pieces."""
        from podium.history import History
        from podium.history.times import Moment, to_micros

        if self.at is None:
            return history
        end = Moment(to_micros(self.at) + 1)

        def cut(pieces: Iterable[History]) -> Iterator[History]:
            told = False
            for piece in pieces:
                if not told and (told := self._leaves_out_part_of_day(piece)):
                    typer.echo(
                        f"warning: events later on {self.at} are left out; --at {self.at}T23:59:59 has them",
                        err=True,
                    )
                yield piece.between(None, end)

        return next(cut([history])) if isinstance(history, History) else cut(history)

    def _leaves_out_part_of_day(self, history: History) -> bool:
        """Whether `at` is a date without a time, and events are later on that day."""
        from podium.arrays import DAY
        from podium.history.times import to_micros

        start = to_micros(self.at)
        in_day = (history.time > start) & (history.time < start + DAY)
        return start % DAY == 0 and ":" not in str(self.at) and bool(in_day.any())

    def check(self, system: RatingSystem) -> None:
        """Refuse to compare deviations that a system does not have."""
        if self.filters.get("max_sigma") is not None and not system.has_sigma:
            raise typer.BadParameter(
                f"{system.name} has no sigma (glicko, elo-mmr and others have one)", param_hint="--max-sigma"
            )

    def settled(self, ladder: Ladder) -> Board:
        """The same of a ladder that is rated, of which the usual time is known."""
        from podium.ladder.rating_tables import settled_filters

        filters, state = settled_filters(ladder, **self.filters), ladder.state
        since = filters["active_since"]
        if self.filters.get("active_since") == USUAL and since is not None:
            played = state.column("last_time")[state.column("events") > 0]
            if (played >= since).all():  # a rule that leaves out nobody needs no words
                filters["active_since"] = None
        return replace(self, filters=filters)

    @property
    def printed(self) -> int:
        """The number of players to print."""
        return PRINTED_PLAYERS if self.top is None else self.top

    def best(self, run: Run, *, in_json: bool = False) -> pl.DataFrame:
        """The players to print: as many as fit a terminal, and all of them `in_json`, unless N are wanted."""
        return self._listed(run, self.top if in_json else self.printed)

    def _listed(self, run: Run, top: int | None) -> pl.DataFrame:
        from podium.ladder.rating_tables import rounded

        board = run.leaderboard(**self.filters, provisional=self.provisional, top=top, at=self.at)
        return rounded(board, self.digits)

    def table(self, run: Run) -> pl.DataFrame:
        """The table to write: everybody, or the best of them if somebody asked for a number."""
        from podium.ladder.rating_tables import placed_ratings, rounded

        if self.top:
            return self._listed(run, self.top)
        ladder = run.ladder
        ratings = run.ratings if self.at is None else ladder.ratings(at=self.at)
        placed = placed_ratings(ratings, ladder, **self.filters)
        return rounded(placed, self.digits)

    def show(self, document: LeaderboardDocument) -> None:
        """Print the players of a document as a table."""
        import polars as pl

        from podium.ladder.rating_tables import nobody_words

        if not self.printed:
            return
        if not document["ratings"]:
            typer.echo(wrapped(nobody_words(**self.filters)))
            return
        schema = {"place": pl.Int64, "player": pl.String, "mu": pl.Float64, "sigma": pl.Float64}
        schema |= {"display": pl.Float64, "events": pl.Int64, "last_time": pl.String}
        board = pl.DataFrame(document["ratings"], schema).with_columns(pl.col("last_time").str.head(10))
        idle = [name for name in ("sigma", "last_time") if board[name].null_count() == len(board)]
        idle += ["mu"] if board["mu"].equals(board["display"]) else []
        digits = digits_of(board["display"]) if self.digits is None else self.digits
        show_table(board.drop(idle), names=["player"], digits=digits, dropped_first=DROPPED_FIRST)
        if len(board) < document["players"]:
            typer.echo(wrapped(self._which(len(board), document["players"])))

    def _which(self, shown: int, players: int) -> str:
        """Which of all players are printed, if these are not all."""
        from podium.ladder.rating_tables import wanted_words

        wanted = wanted_words(**self.filters)
        if shown < self.printed:
            return f"{shown:,} of {counted(players, 'player')} have {wanted}."
        if self.provisional or wanted == wanted_words():
            return f"The first {shown:,} of {counted(players, 'player')}."
        return f"The first {shown:,} with {wanted}. There are {counted(players, 'player')}."
