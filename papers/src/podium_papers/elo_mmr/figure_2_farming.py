"""Figure 2: volatility farming, on Topcoder and with the same results on Elo-MMR(1), section 5.1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from podium import charts
from podium.arrays import Floats
from podium.charts import Axis
from podium.history import History
from podium.simulation.populations import synthetic_contests
from podium.studies.attacks import AttackRun, Farming, RatingCurve, attack_history
from podium.systems import RatingSystem
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium.systems.topcoder.topcoder import Topcoder
from podium_papers.elo_mmr.capped_volatility import CappedVolatility
from podium_papers.elo_mmr.contest_data import NO_FILE, contests_of_each, given_contests, remarked
from podium_papers.elo_mmr.published import FARMED, IMMUNE, LAST_PHASE, PENALTY, THRESHOLD
from podium_papers.items import Number, Result, Setting, seeds_named, spread_of
from podium_papers.printed import signed

if TYPE_CHECKING:
    import altair as alt

SYSTEMS: dict[str, RatingSystem] = {"Topcoder": Topcoder(), "Elo-MMR(1)": EloMMR(rho=1.0)}
"""The first system's rating decides what is thrown; the results go to both."""
CAPPED: dict[str, RatingSystem] = {"Topcoder": CappedVolatility()}
"""The same attack on a Topcoder whose cap limits volatilities too."""
STRATEGY = Farming(honest=45, farming=45, after=15)
"""The paper's strategy; in place of its threshold of 2975, the attacker's own rating at the end of the honest
phase.
"""
MARGINS = (-200.0, -100.0, 0.0, 100.0)
"""Further thresholds that are tried: points above that rating."""
PLAYERS, QUICK_PLAYERS = 400, 60
SEEDS, QUICK_SEEDS = 24, 2
PLAYERS_OF_FILE = 3
"""Number of players of a file who farm."""


class Attack(NamedTuple):
    """One player's ratings in each system, honest and with the same thrown contests."""

    label: str
    runs: dict[str, AttackRun]


def figure_2(setting: Setting) -> Result:
    """Farm with the best player of simulated contests, over seeds, and with the best players of a file."""
    history = given_contests(setting)
    seeds = setting.seeds(QUICK_SEEDS if setting.quick else SEEDS)
    made = [simulated(setting, seed) for seed in seeds]
    source = seeds_named(seeds)
    capped = [simulated(setting, seed, systems=CAPPED).runs["Topcoder"].gain for seed in seeds]
    numbers = [*_numbers(made, source, "simulated", setting), _capped(capped, source)]
    pictures = {
        "figure-2": _ratings(made[0], f"the best of {_players(setting)}, simulated, seed {seeds[0]}"),
        "figure-2-seeds": _differences(made, len(seeds)),
    }
    tables = {"By threshold (simulated contests)": _margins(setting, seeds)}
    real = [] if history is None else _in_file(history)
    if setting.contests is not None and real:
        numbers += _numbers(real, setting.contests.name, setting.contests.name, setting)
        tables[f"The best players of {setting.contests.name}"] = _each(real)
        pictures["figure-2-file"] = _ratings(real[0], f"{real[0].label} of {setting.contests.name}")
    return Result(_words(setting, made, capped, real), numbers=numbers, tables=tables, pictures=pictures)


def _players(setting: Setting) -> int:
    return QUICK_PLAYERS if setting.quick else PLAYERS


def simulated(
    setting: Setting, seed: int, margin: float = 0.0, systems: Mapping[str, RatingSystem] = SYSTEMS
) -> Attack:
    """Simulated contests, and the best player by Topcoder's rating after the honest phase."""
    players = _players(setting)
    history = synthetic_contests(players, STRATEGY.events, players, seed=seed).history
    state = systems["Topcoder"].new_state(players)
    systems["Topcoder"].update(state, history[: STRATEGY.honest], trace=False)
    best = history.players[int(np.argmax(state["mu"]))]
    return _attacked(history, best, f"seed {seed}", margin, systems)


def _attacked(
    history: History,
    player: str,
    label: str,
    margin: float = 0.0,
    systems: Mapping[str, RatingSystem] = SYSTEMS,
    honest: dict[str, RatingCurve] | None = None,
) -> Attack:
    strategy = Farming(STRATEGY.honest, STRATEGY.farming, STRATEGY.after, margin=margin)
    watch = systems["Topcoder"]
    runs = {
        name: attack_history(
            history,
            player,
            system,
            strategy,
            watch=None if system is watch else watch,
            honest=None if honest is None else honest[name],
        )
        for name, system in systems.items()
    }
    return Attack(label, runs)


def _in_file(history: History) -> list[Attack]:
    """The best players of the file by Topcoder's rating after the honest phase, with enough contests."""
    states = {name: system.new_state(len(history.players)) for name, system in SYSTEMS.items()}
    traces = {name: system.update(states[name], history) for name, system in SYSTEMS.items()}
    counted = np.ones(history.rows, np.bool_) if history.unrated is None else ~history.unrated
    rows = np.flatnonzero(counted & (contests_of_each(history) >= STRATEGY.events)[history.player])
    rows = rows[np.argsort(history.player[rows], kind="stable")]
    players, first = np.unique(history.player[rows], return_index=True)
    then = traces["Topcoder"].mu[rows[first + STRATEGY.honest - 1]]
    found = []
    for place, player in enumerate(players[np.argsort(-then, kind="stable")[:PLAYERS_OF_FILE]].tolist(), 1):
        own = rows[history.player[rows] == player]
        curves = {
            name: RatingCurve(trace.mu[own], trace.sigma[own], trace.mu[own])
            for name, trace in traces.items()
        }
        # No name: they never did any of this.
        found.append(_attacked(history, history.players[player], f"no. {place}", honest=curves))
    return found


def decay(difference: Floats) -> float:
    """Factor per contest by which a loss shrinks, fitted to the logarithm of the losses after farming."""
    start = STRATEGY.honest + STRATEGY.farming - 1
    left = -difference[start:]
    if not np.all(left > 0.0):
        return float("nan")
    return float(np.exp(np.polyfit(np.arange(len(left)), np.log(left), 1)[0]))


def _numbers(made: list[Attack], source: str, label: str, setting: Setting) -> list[Number]:
    attacks, numbers = [attack.runs for attack in made], []
    for name in SYSTEMS:
        runs = [attack[name] for attack in attacks]
        topcoder = name == "Topcoder"
        gains = [run.gain for run in runs]
        ahead = sum(gain > 0.0 for gain in gains)
        numbers.append(
            Number(
                f"{label}, {name}: points gained by farming, at the end",
                spread_of(gains, 0),
                source,
                *(FARMED if topcoder else IMMUNE),
                remarked(setting, f"above the honest rating in {ahead} of {len(gains)}"),
            )
        )
        numbers.append(
            Number(
                f"{label}, {name}: points gained in the last {STRATEGY.after} contests",
                spread_of([run.last_phase_gain for run in runs], 0),
                source,
                *(LAST_PHASE if topcoder else ("", "")),
                remarked(setting, "") if topcoder else "",
            )
        )
    loss = np.mean([attack["Elo-MMR(1)"].difference for attack in attacks], axis=0)
    start = STRATEGY.honest + STRATEGY.farming - 1
    factor = decay(loss)
    if np.isfinite(factor):
        straight = np.log(-loss[start:])
        line = np.polyval(np.polyfit(np.arange(len(straight)), straight, 1), np.arange(len(straight)))
        numbers.append(
            Number(
                f"{label}, Elo-MMR(1): factor a contest by which the mean loss shrinks",
                f"{factor:.3f}",
                source,
                *PENALTY,
                f"from {-loss[start]:.0f} to {-loss[-1]:.0f} points; farthest from that line "
                f"{np.abs(straight - line).max():.2f} in the logarithm",
            )
        )
    thrown = [int(attack["Topcoder"].thrown.sum()) for attack in attacks]
    numbers.append(
        Number(
            f"{label}: contests thrown, of {STRATEGY.farming}",
            spread_of(thrown, 1),
            source,
            *THRESHOLD,
            "above the own rating after the honest phase here",
        )
    )
    return numbers


def _capped(gains: list[float], source: str) -> Number:
    """What farming gains if the volatility does not see moves that were cut off."""
    return Number(
        "simulated, Topcoder whose volatility grows with the move after the cap: points gained by farming",
        spread_of(gains, 0),
        source,
        remark=f"above the honest rating in {sum(gain > 0.0 for gain in gains)} of {len(gains)}",
    )


def _margins(setting: Setting, seeds: range) -> pl.DataFrame:
    """Gains by the distance of the threshold from the rating at the end of the honest phase."""
    rows = []
    few = seeds[: 2 if setting.quick else 8]
    for margin in MARGINS[2:] if setting.quick else MARGINS:
        attacks = [simulated(setting, seed, margin) for seed in few]
        rows.append(
            {"threshold": f"own rating {margin:+.0f}", "seeds": len(few)}
            | {
                f"{name}, points gained": spread_of([attack.runs[name].gain for attack in attacks], 0)
                for name in SYSTEMS
            }
            | {"thrown": spread_of([int(attack.runs["Topcoder"].thrown.sum()) for attack in attacks], 1)}
        )
    return pl.DataFrame(rows)


def _each(attacks: list[Attack]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "player": attack.label,
                "system": name,
                "threshold": round(run.threshold or 0.0, 1),
                "thrown": int(run.thrown.sum()),
                "points gained": round(run.gain, 1),
                "in the last contests": round(run.last_phase_gain, 1),
                "most below": round(run.lowest, 1),
            }
            for attack in attacks
            for name, run in attack.runs.items()
        ]
    )


def _ratings(attack: Attack, who: str) -> alt.ChartType:
    """Figure 2 as in the paper: ratings of one player, honest and farming, in both systems."""
    shown = []
    for name, run in attack.runs.items():
        told = run.to_frame()
        for called, rating in (("honest", told["honest"]), ("cheating", told["attacked"])):
            thrown = told["thrown"].cast(pl.Float64) * float(called == "cheating")
            columns = {"number": told["number"], "phase": told["phase"], "who": called, "thrown": thrown}
            columns |= dict.fromkeys(("mean", "low", "high"), rating)
            shown.append(pl.DataFrame({"system": name, "attack": f"supposed farming: {who}", **columns}))
    return charts.attack_curves(pl.concat(shown))


def _differences(attacks: list[Attack], seeds: int) -> alt.ChartType:
    frames = []
    for name in SYSTEMS:
        all_of = np.array([attack.runs[name].difference for attack in attacks])
        low, mean, high = np.quantile(all_of, [0.1, 0.5, 0.9], axis=0)
        number = np.arange(1, STRATEGY.events + 1)
        frames.append(
            pl.DataFrame({"system": name, "contest": number, "points": mean, "low": low, "high": high})
        )
    return charts.curves(
        pl.concat(frames),
        Axis("contest", "contest of the player", format="d"),
        Axis("points", "points above the honest rating"),
        colour="system",
        band=("low", "high"),
        across=[0.0],
        title="What farming gains and costs",
        subtitle=[
            f"median of {seeds} simulated histories, band: the middle 80% · the same results in both systems",
            f"falling from contest {STRATEGY.honest + 1} to {STRATEGY.honest + STRATEGY.farming}",
        ],
    )


def _words(setting: Setting, made: list[Attack], capped: list[float], real: list[Attack]) -> str:
    gained = np.mean([attack.runs["Topcoder"].gain for attack in made])
    file = NO_FILE
    if setting.contests is not None:
        file = "" if real else f"Nobody in {setting.contests.name} has {STRATEGY.events} rated contests."
    return f"""
    The best player of simulated contests (section 6.1's model, {_players(setting)} players, all in all
    rounds) takes the place of the paper's tourist: best by Topcoder's rating after {STRATEGY.honest}
    contests, which are played as they were. In the next {STRATEGY.farming} the player comes in last whenever
    the Topcoder rating is above what it was then. (The paper has 2975, without saying where tourist stood;
    the table has other thresholds.) The last {STRATEGY.after} are honest again. Everybody else's results
    stay, and everybody is rated anew. The same thrown contests are then rated by Elo-MMR(1), with the default
    parameters, as the paper does not name its own. Of a file the {PLAYERS_OF_FILE} players are taken who are
    best by the same rating after their {STRATEGY.honest} contests, of those who have {STRATEGY.events}.

    On Topcoder the farmed volatility makes each of the last contests count for more. Who does not come above
    the threshold throws nothing. {_paid(made, "the simulated histories")}
    {_paid(real, "the players of the file") if real else ""}

    This gain depends on one detail. Topcoder caps what a contest may change a rating by, but its
    volatility grows with the move before the cap, in the authors' program as in podium's. If it grew with the
    move that was made, the same strategy would gain {signed(float(np.mean(capped)))} points on average in the
    simulated histories instead of {signed(float(gained))}.

    How fast the loss on Elo-MMR(1) fades is fitted to its logarithm: a straight line, and so an exponential
    decay, as far as the largest distance from it is small. A rating can end above the honest one without a
    contradiction to Theorem 5.5: it holds the others' ratings fixed, which thrown contests raise here.

    {file}
    """


def _paid(attacks: list[Attack], where: str) -> str:
    """In words: for how many players farming paid, and who threw nothing."""
    ahead = {name: sum(attack.runs[name].gain > 0.0 for attack in attacks) for name in SYSTEMS}
    idle = sum(not attack.runs["Topcoder"].thrown.any() for attack in attacks)
    said = " and ".join(f"in {number} on {name}" for name, number in ahead.items())
    return (
        f"In {idle} of {len(attacks)} of {where} nothing was thrown; farming ended above honest play {said}."
    )
