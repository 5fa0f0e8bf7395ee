"""Figure 3.2: how far each match moves the two players who have played most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from podium import charts
from podium.arrays import Bools, Floats
from podium.charts import Axis
from podium.errors import InputError
from podium.history import History
from podium.systems.luck.luck import Luck
from podium.tables import read_history
from podium_papers.cowan import published
from podium_papers.cowan.lucky_games import EXCLUDED_MATCHES, Games, lucky_games, size_of
from podium_papers.items import Number, Result, Setting, seeds_named
from podium_papers.printed import Printed

if TYPE_CHECKING:
    import altair as alt

MADE_UP = "made-up games"
MAX_DOTS = 700
"""Most dots of each player in the picture, not counting draws."""


@dataclass(frozen=True, eq=False)
class Changes:
    """The matches of one player after the first hundred."""

    name: str
    matches: int
    """Number of all matches, the first hundred included."""
    percentile: float
    """Share of players whose final rating is lower."""
    gap: Floats
    """Rating minus the opponent's rating, before each match."""
    change: Floats
    sigma: Floats
    """Deviation before each match."""
    drawn: Bools


def most_active(history: History, source: str) -> list[str]:
    """The two players with most matches; raises an error if they have too few to draw."""
    played = np.bincount(history.player, minlength=len(history.players))
    order = np.argsort(-played, kind="stable")[:2]
    names = [history.players[player] for player in order]
    if len(names) < 2 or played[order].min() <= EXCLUDED_MATCHES:
        told = " and ".join(f"{name} {played[player]}" for name, player in zip(names, order, strict=True))
        raise InputError(
            f"too few matches of the two who have played most: {told or 'nobody any'}",
            source=source,
            hint=f"more than {EXCLUDED_MATCHES} of each: the first {EXCLUDED_MATCHES} are left out",
        )
    return names


def rating_changes(history: History, names: Sequence[str]) -> list[Changes]:
    """The rating changes of these players, who must have more matches than are left out."""
    system = Luck.duelyst()
    state = system.new_state(len(history.players))
    trace = system.update(state, history)
    played = np.bincount(history.player, minlength=len(history.players))
    final = system.view(state, np.flatnonzero(played), int(history.time.max(initial=0)))[0]
    found = []
    other = np.arange(len(history.player)) ^ 1
    for name in names:
        player = history.players.index_of[name]
        rows = np.flatnonzero(history.player == player)[EXCLUDED_MATCHES:]
        found.append(
            Changes(
                name,
                int(played[player]),
                float(np.mean(final < trace.mu[rows[-1]])),
                trace.mu_before[rows] - trace.mu_before[other[rows]],
                trace.mu[rows] - trace.mu_before[rows],
                trace.sigma_before[rows],
                history.rank[rows] == history.rank[other[rows]],
            )
        )
    return found


def figure_3_2(setting: Setting) -> Result:
    """Draw the rating changes of the two most active players, simulated and of the given matches."""
    games = lucky_games(*size_of(setting), 0.8, setting.seed)
    made_up = rating_changes(games.history, ("P", "Q"))
    numbers = _beside(made_up, games, seeds_named(setting.seeds(1)), whole=not setting.quick)
    pictures = {"figure-3-2": _picture(MADE_UP, made_up)}
    if setting.matches is not None:
        history = read_history(setting.matches)
        given = rating_changes(history, most_active(history, setting.matches.name))
        label = f"{setting.matches.name} in place of the author's matches"
        for one in given:
            numbers += [
                Number(f"matches of {one.name}", f"{one.matches}", label),
                Number(f"final rating of {one.name}", _percentile(one), label),
                Number(f"deviation of the belief about {one.name}", _deviations(one), label),
            ]
        pictures["figure-3-2-given"] = _picture(setting.matches.name, given)
    return Result(_words(games, made_up, setting), numbers=numbers, pictures=pictures)


def _words(games: Games, made_up: Sequence[Changes], setting: Setting) -> str:
    known = [float(np.median(one.sigma)) for one in made_up]
    less = "less well" if known[1] > known[0] else "no less well"
    truly = float(np.mean(games.strength < games.strength[0]))
    higher = ""
    if made_up[0].percentile > truly + 0.01:
        higher = " P's final rating is above more players than P's strength: many have played little, and"
        higher += " ratings of those stay near 1500."
    return f"""
        The matches of Duelyst II are not public. In their place stand {len(games.history):,} made-up games:
        {len(games.strength):,} players whose strengths are normal with the deviation that the system believes
        of newcomers (0.7 natural units, 122 points) and stay as they are; who meets whom goes by strength, as
        a matchmaker sees it that is off by 174 points; a coin decides one match out of five (β = 0.8), and
        each match is a draw with the chance that the figure has. P and Q are put where the paper has them, at
        the 95th and the 99.95th percentile of true strengths.

        The dots form the shapes of Figure 3.1: a win over somebody far above moves a rating by little, as
        does a loss to somebody far below. Q, who is stronger than nearly all opponents, is known {less} than
        P: the medians of the deviations are {known[1]:.1f} and {known[0]:.1f} points. The paper explains by
        such a difference that Q's points are the noisier ones.{higher}
        {"" if setting.matches else "Other matches can be given with --matches."}
        """


def _beside(players: Sequence[Changes], games: Games, source: str, *, whole: bool) -> list[Number]:
    """Our numbers next to the published ones; counts and places only if the run is large enough."""
    p, q = players
    numbers = []
    if whole:
        for printed, one in ((published.P_MATCHES, p), (published.Q_MATCHES, q)):
            made = "made so" if f"{one.matches}" == printed.value else "not as many"
            numbers.append(printed.beside(f"matches of {one.name}", f"{one.matches}", source, made))
        for player, (printed, one) in enumerate(((published.P_PLACE, p), (published.Q_PLACE, q))):
            truly = float(np.mean(games.strength < games.strength[player]))
            remark = f"in true strength above {100 * truly:.2f}%"
            numbers.append(printed.beside(f"{one.name}'s final rating", _percentile(one), source, remark))
    for printed, one, ends in (
        (published.P_DEVIATION, p, (48.0, 52.0)),
        (published.Q_DEVIATION, q, (52.0, 62.0)),
    ):
        numbers.append(_variance(printed, one, ends, source))
    if whole:
        drawn = int(p.drawn.sum() + q.drawn.sum())
        numbers.append(published.DRAWN.beside("draws of both", f"{drawn}", source, "the same chance"))
    return numbers


def _variance(printed: Printed, one: Changes, ends: tuple[float, float], source: str) -> Number:
    within = float(np.mean((one.sigma >= ends[0]) & (one.sigma <= ends[1])))
    remark = f"{100 * within:.0f}% of matches from {ends[0]:.0f} to {ends[1]:.0f}"
    return printed.beside(f"deviation of the belief about {one.name}", _deviations(one), source, remark)


def _percentile(one: Changes) -> str:
    return f"above {100 * one.percentile:.2f}% of players"


def _deviations(one: Changes) -> str:
    low, middle, high = np.quantile(one.sigma, (0.01, 0.5, 0.99))
    return f"{low:.0f} to {high:.0f} points, median {middle:.0f}"


def _picture(source: str, players: Sequence[Changes]) -> alt.ChartType:
    import polars as pl

    parts = []
    for one in players:
        shown = np.zeros(len(one.gap), np.bool_)
        shown[:: max(1, -(-len(shown) // MAX_DOTS))] = True
        shown |= one.drawn
        name = f"{one.name} ({one.matches:,} matches)"
        parts.append(pl.DataFrame({"player": name, "gap": one.gap[shown], "change": one.change[shown]}))
    return charts.dots(
        pl.concat(parts),
        Axis("gap", "rating minus the opponent's (points)"),
        Axis("change", "change of rating (points)"),
        colour="player",
        size=14.0,
        opacity=0.5,
        across=[0.0],
        title="How far each match moves a rating",
        subtitle=[
            f"{source}, β = 0.8: the first {EXCLUDED_MATCHES} matches of each are left out",
            f"up to {MAX_DOTS} of the others, evenly spaced, and all draws",
        ],
    )
