"""Figure 3.2: how far each match moves the two players who have played most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from podium import charts
from podium.charts import Axis
from podium.history import History
from podium.history.core import Floats, Longs
from podium.io import read_history
from podium.papers.cowan import published
from podium.papers.cowan.games import lucky_games, size_of
from podium.papers.items import Number, Result, Setting, seeds_named
from podium.systems.luck import Luck

if TYPE_CHECKING:
    import altair as alt

EXCLUDED = 100
"""Of each player, the first matches."""


@dataclass(frozen=True, eq=False)
class Changes:
    """The matches of one player after their first hundred."""

    name: str
    matches: int
    """All of them."""
    percentile: float
    """The part of all players whose final rating is lower."""
    gap: Floats
    """Rating minus the opponent's, before each match."""
    change: Floats
    sigma: Floats
    """Before each match."""
    drawn: Longs


def rating_changes(history: History, most: int = 2) -> list[Changes]:
    """Those of the players with the most matches, if they have more than those that are left out."""
    system = Luck.duelyst()
    state = system.new_state(len(history.players))
    trace = system.update(state, history)
    played = np.bincount(history.player, minlength=len(history.players))
    final = system.view(state, np.flatnonzero(played), int(history.time.max(initial=0)))[0]
    order = np.argsort(-played, kind="stable")[:most]
    order = order[played[order] > EXCLUDED]
    found = []
    other = np.arange(len(history.player)) ^ 1
    for player in order.tolist():
        rows = np.flatnonzero(history.player == player)[EXCLUDED:]
        last = trace.mu[rows[-1]]
        found.append(
            Changes(
                history.players[player],
                int(played[player]),
                float(np.mean(final < last)),
                trace.mu_before[rows] - trace.mu_before[other[rows]],
                trace.mu[rows] - trace.mu_before[rows],
                trace.sigma_before[rows],
                np.flatnonzero(history.rank[rows] == history.rank[other[rows]]),
            )
        )
    return found


def figure_3_2(setting: Setting) -> Result:
    """Dots of made-up games, and of the matches given."""
    games = lucky_games(*size_of(setting), 0.8, setting.seed)
    found = {"made-up games": rating_changes(games.history)}
    if setting.matches is not None:
        history = read_history(setting.matches)
        found[setting.matches.name] = rating_changes(history)
    seed = seeds_named(setting.seeds(1))
    numbers = _beside(found["made-up games"], seed)
    for source, players in found.items():
        if source == "made-up games":
            continue
        label = f"{source} in place of the author's matches"
        for one in players:
            numbers += [
                Number(f"matches of {one.name}", f"{one.matches}", label),
                Number(f"final rating of {one.name}", _percentile(one), label),
                Number(f"deviation of the belief about {one.name}", _deviations(one), label),
            ]
    return Result(
        f"""
        The matches of Duelyst II are not public. In their place stand {len(games.history):,} made-up games:
        {len(games.strength):,} players whose strengths are normal with the deviation that the system believes
        of newcomers (0.7 natural units, 122 points) and stay as they are; who meets whom goes by strength, as
        a matchmaker sees it that is off by 174 points; a coin decides one match out of five (β = 0.8), and as
        many matches are drawn as in the figure. P and Q are put where the paper has them, at the 95th and the
        99.95th percentile of true strengths, and play as many matches.

        The dots form the shapes of Figure 3.1: a win over somebody far above moves a rating by little, as
        does a loss to somebody far below. Q, who is stronger than nearly all opponents, is known less well
        than P, since few matches tell something about Q; so Q's dots scatter more, as in the paper.
        """
        + ("" if setting.matches else "Other matches can be given with --matches."),
        numbers=numbers,
        pictures={
            f"figure-3-2{'' if source == 'made-up games' else '-given'}": _picture(source, players)
            for source, players in found.items()
            if players
        },
    )


def _beside(players: list[Changes], source: str) -> list[Number]:
    p, q = players
    drawn = len(p.drawn) + len(q.drawn)
    return [
        published.P_MATCHES.beside("matches of P", f"{p.matches}", source, "made so"),
        published.Q_MATCHES.beside("matches of Q", f"{q.matches}", source, "made so"),
        published.P_PLACE.beside("P's final rating", _percentile(p), source, "strength made so"),
        published.Q_PLACE.beside("Q's final rating", _percentile(q), source, "strength made so"),
        published.P_DEVIATION.beside(
            "deviation of the belief about P", _deviations(p), source, "P is the better known of the two"
        ),
        published.Q_DEVIATION.beside("deviation of the belief about Q", _deviations(q), source),
        published.DRAWN.beside("draws of both", f"{drawn}", source, "by chance about as many"),
    ]


def _percentile(one: Changes) -> str:
    return f"above {100 * one.percentile:.2f}% of players"


def _deviations(one: Changes) -> str:
    low, middle, high = np.quantile(one.sigma, (0.01, 0.5, 0.99))
    return f"{low:.0f} to {high:.0f}, median {middle:.0f}"


def _picture(source: str, players: list[Changes]) -> alt.ChartType:
    import polars as pl

    frame = pl.concat(
        pl.DataFrame(
            {"player": f"{one.name} ({one.matches:,} matches)", "gap": one.gap, "change": one.change}
        )
        for one in players
    )
    return charts.dots(
        frame,
        Axis("gap", "rating minus the opponent's (points)"),
        Axis("change", "change of rating (points)"),
        colour="player",
        size=14.0,
        opacity=0.5,
        across=[0.0],
        title="How far each match moves a rating",
        subtitle=f"{source}, β = 0.8: the two most active players, their first 100 matches left out",
    )
