"""How well Yuksel's system predicts real matches of two, beside Elo and Glicko-2; and when it runs away.

    python benchmarks/yuksel.py ../shared/data
    python benchmarks/yuksel.py --stability

Each match is predicted before it is rated; printed is the log loss of the expected score over the second half
of each file (0.693 is a coin). Lines that are marked as tuned take the parameters that are best on the first.

`--stability`: players of constant skill against known opponents so many points above and below, and a
population of which anybody meets anybody. The memory is the sum W of Eq. (9), in games.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from common import REPOSITORY, console, print_machine, print_table
from numpy.typing import NDArray

import podium
from podium.numerics.yuksel import MU, W

DATA = REPOSITORY / "../shared/data"
FILES = {
    "tennis": "tennis_atp.matches.csv.gz",
    "football": "intl_football.matches.csv.gz",
    "Smash": "smash_ultimate.matches.csv.gz",
}
DISTANCES = (0, 100, 200, 250, 300, 320, 340, 360, 400, 600)
GAMES, PLAYERS = 40_000, 100
ROUNDS, POPULATION, DEVIATION = (100, 1_000, 10_000), 1_000, 600.0
FORMS: tuple[str, ...] = ("zero-sum", "independent", "zero-sum-exact")


def tuned() -> Iterator[tuple[str, list[podium.RatingSystem]]]:
    """Lines whose parameters are chosen on the first half."""
    yield "elo, tuned", [podium.Elo(k=float(k)) for k in (16, 24, 32, 48, 64, 96)]
    yield (
        "independent, published, tuned",
        [
            podium.Yuksel(form="independent", alpha=a, step=s)
            for a, s in product((1.0, 1.5, 2.0), (0.5, 0.8, 1.0))
        ],
    )
    for forgetting in ("published", "stable"):
        yield (
            f"independent, {forgetting}, by information, tuned",
            [
                podium.Yuksel(
                    form="independent",
                    forgetting=forgetting,
                    deviation="information",
                    sigma=d,
                    alpha=a,
                    step=s,
                )
                for d, a, s in product((150.0, 250.0, 350.0), (1.5, 2.0, 2.3), (0.8, 1.0))
            ],
        )


def lines() -> Iterator[tuple[str, list[podium.RatingSystem]]]:
    """What is compared: a name, and the systems to choose from."""
    yield "elo, K 32", [podium.Elo()]
    yield "glicko2", [podium.Glicko2()]
    for form, step in product(FORMS, (1.0, 0.9)):
        yield f"{form}, published, step {step:g}", [podium.Yuksel(form=form, step=step)]
    yield "zero-sum as in riix", [podium.Yuksel(step=0.9, first_weight=0.01)]
    yield "batch, published", [podium.Yuksel(form="batch")]
    for form in FORMS:
        yield f"{form}, stable", [podium.Yuksel(form=form, forgetting="stable")]
    for form, sigma in product(FORMS[:2], (350.0, 250.0)):
        yield (
            f"{form}, stable, sigma {sigma:g}",
            [podium.Yuksel(form=form, forgetting="stable", sigma=sigma)],
        )
        yield (
            f"{form}, stable, sigma {sigma:g}, by information",
            [podium.Yuksel(form=form, forgetting="stable", sigma=sigma, deviation="information")],
        )
    yield from tuned()


def read(path: Path) -> podium.History:
    """Matches in order, with ids as text."""
    frame = pl.read_csv(path, schema_overrides={"player_a": pl.String, "player_b": pl.String})
    return podium.History.from_matches(
        frame["player_a"].to_list(),
        frame["player_b"].to_list(),
        frame["score_a"].to_numpy(),
        time=frame["time"].to_list(),
    )


def losses(history: podium.History, system: podium.RatingSystem) -> NDArray[np.float64]:
    """The log loss of each match."""
    trace = podium.rate(history, system, trace=True).trace
    mu = trace["mu_before"].to_numpy().reshape(-1, 2)
    sigma = trace["sigma_before"].to_numpy().reshape(-1, 2) if system.has_sigma else np.zeros(mu.shape)
    expected = system.win_probability(mu[:, 0], sigma[:, 0], mu[:, 1], sigma[:, 1])
    expected = np.clip(expected, 1e-12, 1.0 - 1e-12)
    first, second = history.rank.reshape(-1, 2).T
    score = 0.5 * (1.0 + (first < second) - (first > second))
    loss: NDArray[np.float64] = -score * np.log(expected) - (1.0 - score) * np.log(1.0 - expected)
    return loss


def best_line(history: podium.History, systems: Sequence[podium.RatingSystem]) -> str:
    """The loss on the second half, of the system that is best on the first."""
    found = [losses(history, system) for system in systems]
    half = len(history) // 2
    chosen = min(range(len(found)), key=lambda i: found[i][:half].mean())
    return f"{found[chosen][half:].mean():.4f}" + _chosen(systems, chosen)


def _chosen(systems: Sequence[podium.RatingSystem], chosen: int) -> str:
    """What was chosen, where there was a choice."""
    if len(systems) == 1:
        return ""
    every = [system.parameters() for system in systems]
    varied = [name for name in every[0] if len({str(one[name]) for one in every}) > 1]
    return " (" + ", ".join(f"{name} {every[chosen][name]:g}" for name in varied) + ")"


# ---------------------------------------------------------------------------------------------------------
# Stability


def gain(system: podium.Yuksel, information: float) -> float:
    """3 α² s² / (4 π² (1 + s) v): what a memory forgets of itself."""
    return 3.0 * (system.alpha * system.step) ** 2 / (4.0 * np.pi**2 * (1.0 + system.step) * information)


def against_known(system: podium.Yuksel, distance: float) -> tuple[float, float]:
    """The growth of the memory, in games a game, and the RMSE of players of skill 1500."""
    rng = np.random.default_rng(1)
    player = np.tile(np.arange(2, PLAYERS + 2), GAMES)
    above = rng.integers(0, 2, len(player))
    chance = 1.0 / (1.0 + 10.0 ** (distance * (2 * above - 1) / 400.0))
    score = (rng.random(len(player)) < chance).astype(np.float64)
    history = podium.History.from_matches(player, above, score)
    state = system.new_state(len(history.players))
    for name, mu in (("0", 1500.0 - distance), ("1", 1500.0 + distance)):
        system.adjust(state, podium.Anchor(player=name, mu=mu), history.players)
    system.update(state, history, trace=False)
    rated = [history.players.index_of[str(name)] for name in range(2, PLAYERS + 2)]
    memory, mu = state["belief"][rated, W], state["belief"][rated, MU]
    return float(np.exp(np.log(memory).mean())) / GAMES, float(np.sqrt(np.mean((mu - 1500.0) ** 2)))


def at_random(system: podium.Yuksel) -> list[float]:
    """The RMSE of a population paired at random, after some numbers of rounds."""
    rng = np.random.default_rng(1)
    skill = rng.normal(0.0, DEVIATION, 2 * POPULATION)
    skill = skill[np.abs(skill) < 1500.0][:POPULATION]  # as in the paper, nobody below 0 or above 3000
    state = system.new_state(POPULATION)
    errors, done = [], 0
    for rounds in ROUNDS:
        pairs = np.concatenate([rng.permutation(POPULATION) for _ in range(rounds - done)]).reshape(-1, 2)
        chance = 1.0 / (1.0 + 10.0 ** ((skill[pairs[:, 1]] - skill[pairs[:, 0]]) / 400.0))
        score = (rng.random(len(pairs)) < chance).astype(np.float64)
        history = podium.History.from_matches(pairs[:, 0], pairs[:, 1], score)
        names = podium.History.from_matches(np.arange(0, POPULATION, 2), np.arange(1, POPULATION, 2), 1.0)
        system.update(state, history.with_players(names.players), trace=False)
        mu = state["belief"][[names.players.index_of[str(i)] for i in range(POPULATION)], MU]
        errors.append(float(np.std(mu - skill)))
        done = rounds
    return errors


def measure_stability() -> None:
    """When it runs away."""
    systems = {
        "s = 1": podium.Yuksel(form="independent"),
        "s = 0.95": podium.Yuksel(form="independent", step=0.95),
        "s = 0.9": podium.Yuksel(form="independent", step=0.9),
        "stable": podium.Yuksel(form="independent", forgetting="stable"),
    }
    rows = []
    for distance in DISTANCES:
        expected = 1.0 / (1.0 + 10.0 ** (-distance / 400.0))
        information = expected * (1.0 - expected)
        cells = [f"{distance}", f"{information:.3f}"]
        for system in systems.values():
            growth, error = against_known(system, float(distance))
            weighed = information if system.forgetting == "published" else 0.25
            cells += [f"{gain(system, weighed):.2f}", f"{growth:.3f}", f"{error:.1f}"]
        rows.append(cells)
    columns = [">d", ">v", *(f">{what}" for name in systems for what in (f"{name}: gain", "growth", "RMSE"))]
    print_table(f"{PLAYERS} players against known opponents, {GAMES:,} games each", columns, rows)
    rows = [
        [name, *(f"{error:.1f}" for error in at_random(system))]
        for name, system in {
            "zero-sum": podium.Yuksel(),
            "zero-sum, s = 0.95": podium.Yuksel(step=0.95),
            "zero-sum, alpha 1.5": podium.Yuksel(alpha=1.5),
            "independent": podium.Yuksel(form="independent"),
            "zero-sum, stable": podium.Yuksel(forgetting="stable"),
            "independent, stable": podium.Yuksel(form="independent", forgetting="stable"),
        }.items()
    ]
    print_table(
        f"{POPULATION:,} players of deviation {DEVIATION:g}, paired at random: RMSE after so many rounds",
        ["system", *(f">{rounds:,}" for rounds in ROUNDS)],
        rows,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", default=DATA)
    parser.add_argument("--stability", action="store_true", help="when it runs away, instead of matches")
    arguments = parser.parse_args()
    print_machine()
    if arguments.stability:
        measure_stability()
        return
    histories = {
        name: read(arguments.data / file) for name, file in FILES.items() if (arguments.data / file).exists()
    }
    for name in FILES.keys() - histories.keys():
        console.print(f"skipped: {arguments.data / FILES[name]} does not exist")
    rows = [
        (name, *(best_line(history, systems) for history in histories.values())) for name, systems in lines()
    ]
    columns = ["system", *(f">{name}, {len(history):,}" for name, history in histories.items())]
    print_table("Log loss over the second half", columns, rows)


if __name__ == "__main__":
    main()
