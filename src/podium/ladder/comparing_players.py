"""Players next to each other: who would beat whom, by how much one is ahead, and between which ranks each is.

Deviations say how sure a rating is. The difference of two ratings is normal around its mean, with the
variances of both added, as if beliefs were independent of each other. A player is surely above another if the
interval of their difference is above 0. The best rank that a player may have is one more than the number of
players surely above, the worst the number of all less those surely below: each comparison has the level
asked for, not all of them together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import InputError, ParameterError, UnsupportedError
from podium.history.times import Time, to_micros
from podium.ladder.dated import dated
from podium.ladder.looking import Looking
from podium.ladder.predictions import MOST_PLACED
from podium.systems import hinting_at_others

if TYPE_CHECKING:
    import polars as pl

COMPARED_AT_ONCE = 4_000_000
"""Pairs of players whose intervals are in memory."""


class Comparing(Looking):
    """Comparisons of the players of a ladder."""

    @dated
    def win_matrix(self, players: Sequence[str] | None = None, *, at: Time | None = None) -> pl.DataFrame:
        """The expected score of each player against each other: a row a player, a column an opponent.

        A draw counts half, so this is not the chance to win if matches can be drawn: see `outcomes`. By
        default all players on the leaderboard are compared, best first, up to 2,000.
        The diagonal is null, as players do not meet themselves.

        >>> from podium import Elo, Ladder
        >>> ladder = Ladder(Elo())
        >>> _ = ladder.record_match("ann", "bob")
        >>> ladder.win_matrix(["ann", "bob"])["bob"].round(3).to_list()
        [0.546, None]
        """
        import polars as pl

        names, index = self._compared(players)
        if "player" in names:
            raise InputError(
                "a player is called 'player', as is the first column", hint="leave the player out"
            )
        n = len(names)
        scores = np.full((n, n), np.nan)
        if n > 1:
            i, j = np.nonzero(~np.eye(n, dtype=np.bool_))
            with hinting_at_others():
                scores[i, j] = self.system.predict(self.state, index[i], index[j], at=to_micros(at))
        opponents = {name: scores[:, k] for k, name in enumerate(names)}
        return pl.DataFrame({"player": names, **opponents}).with_columns(pl.selectors.float().fill_nan(None))

    @dated
    def differences(
        self, players: Sequence[str] | None = None, *, level: float = 0.95, at: Time | None = None
    ) -> pl.DataFrame:
        """By how much each player is ahead of each one after, with an interval, in points of `mu`.

        Columns: player, other, difference, low, high, stronger (the probability that the player's skill is
        the larger one), shown (whether the interval leaves 0 out). Without `players`, all on the leaderboard.
        """
        import polars as pl

        from podium.numerics.normal import normal_win_probability

        names, index = self._compared(players)
        mu, sigma = self._believed(index, at)
        i, j = np.triu_indices(len(names), 1)
        difference, spread = mu[i] - mu[j], np.hypot(sigma[i], sigma[j])
        reach = _quantile(level) * spread
        column = pl.Series("player", names, pl.String)
        return pl.DataFrame(
            [
                column.gather(i),
                column.gather(j).alias("other"),
                pl.Series("difference", difference),
                pl.Series("low", difference - reach),
                pl.Series("high", difference + reach),
                pl.Series("stronger", normal_win_probability(difference, spread)),
                pl.Series("shown", np.abs(difference) > reach),
            ]
        )

    @dated
    def rank_intervals(
        self, players: Sequence[str] | None = None, *, level: float = 0.95, at: Time | None = None
    ) -> pl.DataFrame:
        """The ranks that each player may have among these by `mu`, such as "1–3".

        By default among all players.

        Columns: ranks, best, worst, player, mu, low, high (the interval of `mu`) and sigma. Rows are sorted
        by `mu`.

        >>> from podium import Glicko, Ladder
        >>> ladder = Ladder(Glicko())
        >>> for _ in range(4):
        ...     _ = ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})
        >>> ladder.rank_intervals().select("ranks", "player").rows()
        [('1–2', 'ann'), ('1–3', 'bob'), ('2–3', 'cat')]
        """
        import polars as pl

        names, index = self._compared(players, most=None)
        mu, sigma = self._believed(index, at)
        order = np.argsort(-mu, kind="stable")
        mu, sigma, z = mu[order], sigma[order], _quantile(level)
        above, below = np.zeros(len(mu), np.int64), np.zeros(len(mu), np.int64)
        step = max(1, COMPARED_AT_ONCE // max(len(mu), 1))
        for start in range(0, len(mu), step):
            own = slice(start, start + step)
            ahead = mu[own, None] - mu
            sure = z * np.hypot(sigma[own, None], sigma)
            above[own] = np.count_nonzero(-ahead > sure, axis=1)
            below[own] = np.count_nonzero(ahead > sure, axis=1)
        best, worst = 1 + above, len(mu) - below
        ranks = pl.Series(
            "ranks", [str(a) if a == b else f"{a}–{b}" for a, b in zip(best, worst, strict=True)]
        )
        return pl.DataFrame(
            [
                ranks.cast(pl.String),
                pl.Series("best", best),
                pl.Series("worst", worst),
                pl.Series("player", names, pl.String).gather(order),
                pl.Series("mu", mu),
                pl.Series("low", mu - z * sigma),
                pl.Series("high", mu + z * sigma),
                pl.Series("sigma", sigma),
            ]
        )

    def _compared(
        self, players: Sequence[str] | None, most: int | None = MOST_PLACED
    ) -> tuple[list[str], Longs]:
        """The names of the players to compare, and where they are."""
        if isinstance(players, str):
            raise ParameterError(f"players is {players!r}, one name", hint="a list of several")
        if players is None:
            players = self.leaderboard(active_since=None)["player"].to_list()
        index = np.array([self._known(player) for player in players], np.int64)
        names = [self.players[i] for i in index.tolist()]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{twice!r} is among the players twice")
        if most is not None and len(names) > most:
            raise InputError(
                f"all pairs are compared of up to {most:,} players, not {len(names):,}",
                hint="name those you mean",
            )
        return names, index

    def _believed(self, index: Longs, at: Time | None) -> tuple[Floats, Floats]:
        """`mu` and `sigma` of players; refused if the system has no deviations."""
        mu, sigma = self.system.view(self.state, index, to_micros(at))
        if sigma is None:
            raise UnsupportedError(
                f"{self.system.name} has no sigma, so it cannot tell how sure its ratings are",
                hint="glicko, elo-mmr and others do",
            )
        return mu, sigma


def _quantile(level: float) -> float:
    from podium.numerics.normal import normal_quantile

    if not 0.0 < level < 1.0:
        raise ParameterError(f"level is {level!r}, not between 0 and 1", hint="0.95 for 95%")
    return float(normal_quantile(0.5 + level / 2))
