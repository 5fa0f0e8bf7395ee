"""What an adjustment did to ratings: whom it moved, from where to where."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium.arrays import NO_TIME, Bools, Ints, Longs
from podium.history import Adjustment, Names, Placed, Rename, Reset
from podium.systems.contract.ratings import Change, Changes, Ratings

if TYPE_CHECKING:
    from podium.systems.contract.state import State
    from podium.systems.contract.system import RatingSystem


def ratings_now(system: RatingSystem, state: State, players: Ints | Longs) -> Ratings:
    """Players' ratings as they are, without the time since their last events; they stay as they are now."""
    mu, sigma = system.view(state, players.astype(np.int64), NO_TIME)
    display = system.display(mu, sigma)
    return Ratings(mu.copy(), None if sigma is None else sigma.copy(), display.copy())


class AdjustedRatings(NamedTuple):
    """The ratings of players before and after an adjustment."""

    players: Longs
    before: Ratings
    after: Ratings

    def chosen(self, adjustment: Adjustment) -> AdjustedRatings:
        """Those whom an adjustment is about: the one who stays, or all whom a reset moved."""
        before, after = self.before, self.after
        some = np.zeros(len(self.players), np.bool_)
        if isinstance(adjustment, Reset):
            some = (before.mu != after.mu) | (before.display != after.display)
            if before.sigma is not None and after.sigma is not None:
                some |= before.sigma != after.sigma
        elif not isinstance(adjustment, Rename):
            some[-1:] = True
        return AdjustedRatings(self.players[some], _part(before, some), _part(after, some))

    def changes(self, names: Names) -> Changes:
        """The same as changes, which have no rank and no performance."""
        return Changes(self._change(row, names[player]) for row, player in enumerate(self.players.tolist()))

    def change_of(self, player: int, name: str) -> Change | None:
        """What it did to one of the players, who is called so; None if it was not about this one."""
        rows = np.flatnonzero(self.players == player)
        return self._change(int(rows[0]), name) if len(rows) else None

    def _change(self, row: int, name: str) -> Change:
        before, after = self.before, self.after
        return Change(
            player=name,
            rank=None,
            mu_before=float(before.mu[row]),
            sigma_before=None if before.sigma is None else float(before.sigma[row]),
            display_before=float(before.display[row]),
            performance=None,
            mu=float(after.mu[row]),
            sigma=None if after.sigma is None else float(after.sigma[row]),
            display=float(after.display[row]),
        )


def adjusted_ratings(system: RatingSystem, state: State, placed: Placed, names: Names) -> AdjustedRatings:
    """Apply an adjustment to a state, in place; whom it moved."""
    adjustment = placed.adjustment
    touched = np.array([names.index_of[name] for name in adjustment.players], np.int64)
    if isinstance(adjustment, Reset):
        touched = np.arange(state.size)
    before = ratings_now(system, state, touched)
    system.adjust(state, adjustment, names, placed.time)
    return AdjustedRatings(touched, before, ratings_now(system, state, touched)).chosen(adjustment)


def _part(ratings: Ratings, some: Bools) -> Ratings:
    sigma = None if ratings.sigma is None else ratings.sigma[some]
    return Ratings(ratings.mu[some], sigma, ratings.display[some])
