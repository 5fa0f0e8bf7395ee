"""When Yuksel's system runs away, and when it does not.

    python benchmarks/yuksel.py

Players of constant skill against known opponents so many points above and below, and a population of which
anybody meets anybody. The memory is the sum W of Eq. (9), in games.
"""

from __future__ import annotations

import numpy as np
from common import print_machine, print_table

import podium
from podium.lab.populations import gaussian_skills
from podium.lab.rounds import play_rounds
from podium.numerics.yuksel import MU, W

DISTANCES = (0, 100, 200, 250, 300, 320, 340, 360, 400, 600)
GAMES, PLAYERS = 40_000, 100
ROUNDS, DEVIATIONS = (100, 1_000, 10_000), (250, 300, 600)


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


def at_random(system: podium.Yuksel, deviation: float) -> str:
    """The RMSE of a thousand players paired at random, after some numbers of rounds."""
    skill = gaussian_skills(deviation=deviation, even=True)
    run = play_rounds(system, skill, ROUNDS[-1], shuffle=None, seed=1)
    return ", ".join(f"{run.rmse[rounds - 1]:.0f}" for rounds in ROUNDS)


def main() -> None:
    """Measure and print."""
    print_machine()
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
    paired = {
        "zero-sum": podium.Yuksel(),
        "zero-sum, s = 0.95": podium.Yuksel(step=0.95),
        "zero-sum, alpha 1.5": podium.Yuksel(alpha=1.5),
        "independent": podium.Yuksel(form="independent"),
        "zero-sum, stable": podium.Yuksel(forgetting="stable"),
        "independent, stable": podium.Yuksel(form="independent", forgetting="stable"),
    }
    rounds = ", ".join(f"{count:,}" for count in ROUNDS)
    print_table(
        f"A thousand players paired at random: RMSE after {rounds} rounds, by the deviation of their skill",
        ["system", *(f">{deviation}" for deviation in DEVIATIONS)],
        [[name, *(at_random(system, d) for d in DEVIATIONS)] for name, system in paired.items()],
    )


if __name__ == "__main__":
    main()
