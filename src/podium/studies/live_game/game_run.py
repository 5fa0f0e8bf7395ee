"""What became of a live game: who waited how long, for which chances, and how well they were rated.

Everything is measured from the log of games. `since` leaves out the days before, in which ratings settle.
Errors are in points of true rating, 400 for odds of ten to one, the mean error taken off: only differences of
ratings mean anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, comb
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import DAY, SECOND, Bools, Floats, Longs
from podium.errors import ParameterError
from podium.numerics.win_chances import LOGISTIC, expected_scores
from podium.simulation.arena import POINTS_FOR_TEN_TO_ONE
from podium.studies.live_game.streaks import Streaks, coin_streaks
from podium.studies.live_game.waiting_players import Matcher
from podium.systems.contract.system import RatingSystem

if TYPE_CHECKING:
    import polars as pl

DAY_SECONDS = DAY / SECOND
ACCOUNT_KINDS = ("regular", "newcomer", "smurf", "thrower")
"""What accounts are: people of the first day, new ones, strong ones on a new account, who throws games."""
PERCENTILES = (0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 100)
EXPERIENCE_GROUPS = (0, 5, 10, 20, 40, 80, 160)
"""Games played before, where a group of like experience begins."""
LONG_STREAK_GAMES = 5
"""A streak of so many games is called long: as many as count for the opponent wanted next."""
WIN_RATE_GAMES = 10
"""The games whose win rate the paper's figures show."""

_WAITS: dict[str, Any] = {"from": float, "to": float, "percentile": float, "tickets": int}
_WAITS |= {"mean": float, "p95": float, "worst": float, "gave_up": int}
_EACH = {"wait": "f4", "wanted": "f4", "rating": "f8", "skill": "f8", "thrown": "?"}
GAME_COLUMNS = np.dtype(
    [("first", "i4"), ("second", "i4"), ("start", "f8"), ("end", "f8"), ("chance", "f8"), ("score", "f8")]
    + [(f"{name}_{side}", kind) for name, kind in _EACH.items() for side in ("first", "second")]
)
"""One game: who, when (seconds), the first's chance to win as estimated, the score; what each side waited and
wanted, how it was rated, its true rating, and whether it loses on purpose."""
TICKET_COLUMNS = np.dtype([("player", "i4"), ("joined", "f8"), ("left", "f8"), ("skill", "f8")])
"""One who waited in vain."""


class GrowingRows:
    """Rows that come in portions, in one array."""

    def __init__(self, columns: np.dtype[Any]) -> None:
        self._room, self._used = np.zeros(1024, columns), 0

    def add(self, columns: Mapping[str, ArrayLike]) -> Longs:
        """Append rows; returns their numbers."""
        new = np.broadcast(*(np.asarray(values) for values in columns.values())).size
        stop = self._used + new
        while stop > len(self._room):
            self._room = np.concatenate((self._room, np.zeros_like(self._room)))
        for name, values in columns.items():
            self._room[name][self._used : stop] = values
        numbers = np.arange(self._used, stop)
        self._used = stop
        return numbers

    @property
    def rows(self) -> NDArray[Any]:
        """All rows so far."""
        return self._room[: self._used]


class Accounts(NamedTuple):
    """Everybody who ever came, by column."""

    kind: Longs
    """A number into `ACCOUNT_KINDS`."""
    came: Floats
    """Seconds after the start."""
    left: Floats
    """When they stopped for good; infinite where they did not."""
    played: Longs
    """Games that have ended."""
    rating: Floats
    """At the end, on the scale of true ratings."""
    skill: Floats
    """The true one."""


class GameSides(NamedTuple):
    """The two sides of each game as rows, by player and then in the order in which they played."""

    player: Longs
    opponent: Longs
    game: Longs
    start: Floats
    number: Longs
    """How many games the player had played before."""
    score: Floats
    """NaN where the game goes on."""
    wait: Floats
    wanted: Floats
    chance: Floats
    """To win, as estimated."""
    true_chance: Floats
    """By the true ratings, as if nobody threw."""
    error: Floats
    """Of the rating, before the mean is taken off."""
    skill: Floats
    thrown: Bools
    """Whether one of the two loses on purpose."""


@dataclass(frozen=True, eq=False)
class GameRun:
    """The logs of a game that lived for some days, and its measures."""

    system: RatingSystem
    matcher: Matcher
    days: float
    seed: int
    accounts: Accounts
    games: NDArray[Any]
    """All games that were begun, as rows of `GAME_COLUMNS`; the score is NaN while they go on."""
    gave_up: NDArray[Any]
    """Who waited in vain, as rows of `TICKET_COLUMNS`."""
    waiting: Longs
    """Who still waited at the end."""

    def __str__(self) -> str:
        said = self.summary()
        return (
            f"{self.system.name}, {self.matcher.name}: {len(self.games):,} games of {said['accounts']:,} "
            f"accounts, {said['wait']:.0f} s of waiting, chances {100 * said['gap']:.1f}% off, "
            f"ratings {said['rmse']:.0f} points"
        )

    @cached_property
    def sides(self) -> GameSides:
        """Each game twice, seen by both."""
        games = self.games

        def both(name: str) -> NDArray[Any]:
            return np.concatenate((games[f"{name}_first"], games[f"{name}_second"]))

        player = np.concatenate((games["first"], games["second"])).astype(np.int64)
        game, opponent = np.tile(np.arange(len(games)), 2), np.roll(player, len(games))
        order = np.lexsort((game, player))
        player = player[order]
        new = np.flatnonzero(np.diff(player, prepend=-1))
        number = np.arange(len(player)) - np.repeat(new, np.diff(new, append=len(player)))
        true = expected_scores(LOGISTIC, games["skill_first"] - games["skill_second"], POINTS_FOR_TEN_TO_ONE)
        return GameSides(
            player=player,
            opponent=opponent[order],
            game=game[order],
            start=np.tile(games["start"], 2)[order],
            number=number,
            score=np.concatenate((games["score"], 1.0 - games["score"]))[order],
            wait=both("wait")[order].astype(np.float64),
            wanted=both("wanted")[order].astype(np.float64),
            chance=np.concatenate((games["chance"], 1.0 - games["chance"]))[order],
            true_chance=np.concatenate((true, 1.0 - true))[order],
            error=(both("rating") - both("skill"))[order],
            skill=both("skill")[order],
            thrown=np.tile(games["thrown_first"] | games["thrown_second"], 2)[order],
        )

    def _since(self, since: float) -> Bools:
        if not 0.0 <= since < self.days:
            raise ParameterError(f"from day {since} on, of {self.days}", hint="days are counted from 0")
        late: Bools = self.sides.start >= since * DAY_SECONDS
        return late

    @cached_property
    def _honest(self) -> Bools:
        """Sides of players who lose no games on purpose."""
        honest: Bools = self.accounts.kind[self.sides.player] != ACCOUNT_KINDS.index("thrower")
        return honest

    # ------------------------------------------------------------------ measures

    def waits(self, since: float = 0.0, edges: Sequence[float] = PERCENTILES) -> pl.DataFrame:
        """Seconds of waiting by skill: from, to, percentile, tickets, mean, p95, worst, gave_up.

        Percentiles are of the true ratings of those who wait, each time they do, whether they found a game or
        gave up; who gave up has waited so long, too. `percentile` is the middle of the group.
        """
        import polars as pl

        late, given_up = self._since(since), self.gave_up[self.gave_up["left"] >= since * DAY_SECONDS]
        skill = np.concatenate((self.sides.skill[late], given_up["skill"]))
        wait = np.concatenate((self.sides.wait[late], given_up["left"] - given_up["joined"]))
        vain = np.repeat([False, True], [int(late.sum()), len(given_up)])
        rank = np.empty(len(skill))
        rank[np.argsort(skill, kind="stable")] = 100.0 * (np.arange(len(skill)) + 0.5) / max(len(skill), 1)
        rows = []
        for low, high in pairwise(edges):
            inside = (rank >= low) & (rank < high)
            if inside.any():
                rows.append(
                    {
                        "from": float(low),
                        "to": float(high),
                        "percentile": 0.5 * (low + high),
                        "tickets": int(inside.sum()),
                        "mean": float(wait[inside].mean()),
                        "p95": float(np.quantile(wait[inside], 0.95)),
                        "worst": float(wait[inside].max()),
                        "gave_up": int((inside & vain).sum()),
                    }
                )
        return pl.DataFrame(rows, schema=_WAITS)

    def win_rates(self, since: float = 0.0, window: int = WIN_RATE_GAMES) -> pl.DataFrame:
        """How often so many of a player's last `window` games were won: wins, share, coin.

        Looked at after each game from day `since` on, of players who have played that many and throw none;
        `coin` is what fair coins give.
        """
        import polars as pl

        if window < 1:
            raise ParameterError(f"a window of {window} games", hint="at least one")
        won = self._windows(since, window)
        counts = np.bincount(won, minlength=window + 1)
        return pl.DataFrame(
            {
                "wins": np.arange(window + 1),
                "share": counts / max(len(won), 1),
                "coin": [comb(window, k) / 2.0**window for k in range(window + 1)],
            }
        )

    def _windows(self, since: float, window: int) -> Longs:
        """Games won among the last ones, after each game that is over, of players who throw none."""
        sides = self.sides
        over = self._honest & ~np.isnan(sides.score)
        score, number, late = sides.score[over], sides.number[over], self._since(since)[over]
        total = np.concatenate(([0.0], np.cumsum(score)))
        full = np.flatnonzero(late & (number >= window - 1)) + 1
        return (total[full] - total[full - window]).astype(np.int64)

    def streaks(self, since: float = 0.0, longest: int = 15) -> pl.DataFrame:
        """Streaks of so many games or more, in a thousand games of a player: length, won, lost, coin.

        They are of players who throw no games; `coin` is what fair coins give those who play as many games.
        """
        import polars as pl

        streaks = self._streaks(since, longest)
        part = 1_000.0 / max(int(streaks.played.sum()), 1)
        counts = {"won": streaks.won, "lost": streaks.lost, "coin": coin_streaks(streaks.played, longest)}
        or_more = {name: part * count[:0:-1].cumsum()[::-1] for name, count in counts.items()}
        return pl.DataFrame({"length": np.arange(1, longest + 1), **or_more})

    def _streaks(self, since: float, longest: int) -> Streaks:
        sides = self.sides
        counted = self._since(since) & self._honest & ~np.isnan(sides.score)
        streaks = Streaks(len(self.accounts.kind), longest)
        streaks.record(sides.player[counted], sides.score[counted])
        return streaks

    def errors(
        self, by: Literal["day", "experience", "kind"] = "day", since: float = 0.0, step: float = 0.25
    ) -> pl.DataFrame:
        """How far ratings are from the truth when a game begins: group, games, rmse, mean.

        Groups are parts of a day (`step`), games played before, or kinds of accounts. From each error the
        mean of all in the same part of a day is subtracted, because ratings float as a whole. `mean` is that
        mean for parts of a day, and what is left of it for other groups.
        """
        import polars as pl

        part, error = self._errors(step)
        late = self._since(since)
        sides = self.sides
        if by == "day":
            group, names = part, step * np.arange(part.max(initial=0) + 1)
        elif by == "experience":
            group, names = (
                np.searchsorted(EXPERIENCE_GROUPS, sides.number, "right") - 1,
                np.array(EXPERIENCE_GROUPS),
            )
        elif by == "kind":
            group, names = self.accounts.kind[sides.player], np.array(ACCOUNT_KINDS)
        else:
            raise ParameterError(f"errors by {by!r}", hint="day, experience or kind")
        rows = []
        for number in np.unique(group[late]).tolist():
            chosen = late & (group == number)
            one = error[chosen]
            rows.append(
                {
                    by: names[number].item(),
                    "games": len(one),
                    "rmse": float(np.sqrt(np.mean(one**2))),
                    "mean": float((sides.error[chosen] if by == "day" else one).mean()),
                }
            )
        kind = {"day": float, "experience": int, "kind": str}[by]
        return pl.DataFrame(rows, schema={by: kind, "games": int, "rmse": float, "mean": float})

    def _errors(self, step: float) -> tuple[Longs, Floats]:
        """The part of a day each side belongs to, and its error without the mean of that part."""
        sides = self.sides
        last = max(ceil(self.days / step) - 1, 0)
        part = np.minimum((sides.start / (step * DAY_SECONDS)).astype(np.int64), last)
        games = np.maximum(np.bincount(part), 1)
        return part, sides.error - (np.bincount(part, sides.error) / games)[part]

    def summary(self, since: float = 0.0) -> dict[str, Any]:
        """The game in a few numbers, from day `since` on.

        games; accounts that ever came, and churned, the part of them that left for good, both over the whole
        game; gave_up, the part of tickets that went away; wait, wait_p95, wait_worst (seconds until a game,
        of those who got one), ends_wait (of all the weakest and strongest hundredth's tickets); gap (how
        far chances are from the wanted ones, as estimated), true_gap (by true ratings, thrown games left
        out), even (how far true chances are from a half); near_half (part of the time that 4 to 6 of a
        player's last 10 games are won), long_won and long_lost (streaks of 5 games or more, in parts of what
        fair coins give), worst_lost (the longest streak); rematches (part of games against the last
        opponent); rmse, smurf_rmse, thrower_rmse (points, errors as in `errors`). Throwers are left out of
        near_half and of streaks, and thrown games of true_gap and even.
        """
        late, sides = self._since(since), self.sides
        waits = self.waits(since)
        ends = waits.filter((waits["to"] <= 1.0) | (waits["from"] >= 99.0))
        tickets = int(waits["tickets"].sum())
        wait = sides.wait[late]
        honest = late & ~sides.thrown
        streaks = self._streaks(since, LONG_STREAK_GAMES)
        coin = float(coin_streaks(streaks.played, LONG_STREAK_GAMES)[LONG_STREAK_GAMES])
        windows = self._windows(since, WIN_RATE_GAMES)
        kinds = self.errors("kind", since)
        of_kind = dict(zip(kinds["kind"], kinds["rmse"], strict=True))
        again = (np.diff(sides.player) == 0) & (np.diff(sides.opponent) == 0)
        rematch = np.concatenate(([False], again))[: len(late)]
        return {
            "games": int(late.sum()) // 2,
            "accounts": len(self.accounts.kind),
            "churned": float(np.mean(self.accounts.left < np.inf)),
            "gave_up": float(waits["gave_up"].sum() / tickets) if tickets else np.nan,
            "wait": _mean(wait),
            "wait_p95": float(np.quantile(wait, 0.95)) if len(wait) else np.nan,
            "wait_worst": float(wait.max()) if len(wait) else np.nan,
            "ends_wait": float(np.average(ends["mean"], weights=ends["tickets"])) if len(ends) else np.nan,
            "gap": _mean(np.abs(sides.wanted - sides.chance)[late]),
            "true_gap": _mean(np.abs(sides.wanted - sides.true_chance)[honest]),
            "even": _mean(np.abs(sides.true_chance - 0.5)[honest]),
            "near_half": _mean(
                (np.abs(windows - 0.5 * WIN_RATE_GAMES) <= 0.1 * WIN_RATE_GAMES).astype(np.float64)
            ),
            "long_won": float(streaks.won[LONG_STREAK_GAMES] / coin) if coin else np.nan,
            "long_lost": float(streaks.lost[LONG_STREAK_GAMES] / coin) if coin else np.nan,
            "worst_lost": int(streaks.longest_lost.max()),
            "rematches": _mean(rematch[late].astype(np.float64)),
            "rmse": float(np.sqrt(_mean(self._errors(0.25)[1][late] ** 2))),
            "smurf_rmse": of_kind.get("smurf", np.nan),
            "thrower_rmse": of_kind.get("thrower", np.nan),
        }

    # ------------------------------------------------------------------ tables

    def games_frame(self) -> pl.DataFrame:
        """One row a game, with the columns of the log; times are seconds after the start."""
        import polars as pl

        return pl.DataFrame({name: self.games[name] for name in GAME_COLUMNS.names or ()})

    def accounts_frame(self) -> pl.DataFrame:
        """One row an account: account, kind, came, left (null where it did not), played, rating, skill."""
        import polars as pl

        of = self.accounts
        kind = np.array(ACCOUNT_KINDS)[of.kind]
        columns = {"account": np.arange(len(kind)), "kind": kind, "came": of.came, "left": of.left}
        columns |= {"played": of.played, "rating": of.rating, "skill": of.skill}
        frame = pl.DataFrame(columns)
        return frame.with_columns(pl.when(pl.col("left").is_finite()).then(pl.col("left")).alias("left"))


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else np.nan
