"""What the paper says of its choices: the grid, the prior, and how fast it goes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import Floats
from podium.systems.luck.luck import NATURAL_UNIT, Luck
from podium_papers.cowan import published
from podium_papers.cowan.lucky_games import Games, lucky_games, size_of
from podium_papers.cpu_time import cpu_timed
from podium_papers.items import Result, Setting, seeds_named
from podium_papers.printed import held

TOP_SHARE = 0.01
"""Share of players who count as top players."""
FIRST_MATCHES = 10
"""Number of a player's first matches in which a rating may be too high."""


def choices(setting: Setting) -> Result:
    """Compute the effects of a finer grid and a wider prior, the mass at the edge, and matches per second."""
    matches, players = size_of(setting)
    games = lucky_games(matches // 2, players, 0.8, setting.seed)
    chosen, finer, wider = (
        _rated(games, system) for system in (Luck.duelyst(), Luck(points=2001), Luck(sigma=NATURAL_UNIT))
    )
    moved = float(np.abs(finer.final - chosen.final).max())
    lucky, luckier = (_too_high(rated, games) for rated in (chosen, wider))
    source = f"{len(games.history):,} made-up games, β = 0.8, {seeds_named(setting.seeds(1))}"
    speed = len(games.history) / chosen.seconds
    return Result(
        """
        The numbers of the paper are of Duelyst II; ours are of made-up games like those of Figure 3.2. Who is
        ranked too high early can be counted in more than one way. The one here, players outside of the true
        top tenth who are above the final top hundredth at some time in their first ten matches, is the second
        that was tried.

        Speed is of the machine that made this page, in processor time, and comes with no seed: podium sums
        over the grid by Chebyshev panels instead of Fourier transforms.
        """,
        numbers=[
            published.SPEED.beside(
                "matches per second",
                f"{round(speed, -3):,.0f}",
                "processor time, measured while this was made",
                "another machine",
            ),
            published.FINER_GRID.beside(
                "n = 2000 in place of 1000 moves a rating by at most",
                f"{moved:.1e} points",
                source,
                held(moved < 0.1),
            ),
            published.MASS_AT_EDGE.beside(
                "the most that any belief has beyond ± 6.5",
                f"{chosen.edge:.0e}",
                source,
                held(chosen.edge < 1e-6),
            ),
            published.WIDER_PRIOR.beside(
                f"above the top hundredth in their first {FIRST_MATCHES} matches, of those not in the true "
                "top tenth",
                f"{lucky:.2%} with σ₀ = 0.7, {luckier:.2%} with 1",
                source,
                held(luckier > lucky),
            ),
        ],
    )


class RatedGames(NamedTuple):
    """Simulated games, rated by one system."""

    final: Floats
    """The last rating of each player."""
    after: Floats
    """The rating after each match, one per row."""
    edge: float
    """The largest mass of any belief near the edges of the grid."""
    seconds: float


def _rated(games: Games, system: Luck) -> RatedGames:
    state = system.new_state(len(games.strength))
    system.update(state, games.history[:1], trace=False)  # compiled and prepared before the clock runs
    state = system.new_state(len(games.strength))
    trace, seconds = cpu_timed(system.update, state, games.history)
    ratings = system.view(state, slice(None), int(games.history.time[-1]))[0]
    outer = round(0.5 / 7.0 * (system.points - 1) / 2.0)
    mass = state["mass"]
    edge = float((mass[:, :outer].sum(axis=1) + mass[:, -outer:].sum(axis=1)).max())
    return RatedGames(ratings, trace.mu, edge, seconds)


def _too_high(rated: RatedGames, games: Games) -> float:
    """Share of players outside the true top tenth whom their first matches put above the top hundredth."""
    player = games.history.player
    order = np.argsort(player, kind="stable")
    played = np.bincount(player, minlength=len(games.strength))
    number = np.empty(len(player), np.int64)
    number[order] = np.arange(len(player)) - np.repeat(np.cumsum(played) - played, played)
    high = rated.after > np.quantile(rated.final[played > 0], 1.0 - TOP_SHARE)
    weak = games.strength < np.quantile(games.strength, 0.9)
    flattered = np.unique(player[high & (number < FIRST_MATCHES) & weak[player]])
    return len(flattered) / int(np.sum((played > 0) & weak))
