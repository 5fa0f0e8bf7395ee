"""When Yuksel's system runs away, and when it does not.

    python benchmarks/yuksel.py

Players of constant skill against known opponents so many points above and below, a population of which
anybody meets anybody, and newcomers among veterans. The memory is the sum W of Eq. (9), in games.
"""

from __future__ import annotations

import numpy as np
from common import print_machine, print_table

import podium
from podium.numerics.win_chances import LN10
from podium.simulation.arena import Arena, draw_scores
from podium.simulation.populations import gaussian_skills
from podium.studies.live_game.rounds import play_rounds
from podium.systems.yuksel.kernels import MATCHED_INFORMATION, MU, W

DISTANCES = (0, 100, 200, 250, 300, 320, 340, 360, 400, 600)
GAMES, PLAYERS = 40_000, 100
VETERANS, NEWCOMERS, AFTER = (10, 100, 500), 1_000, (10, 20, 50, 100)
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


def among_veterans(system: podium.Yuksel, remembered: int) -> str:
    """The RMSE of newcomers of skill 2000; opponents of their own rating remember so many even games."""
    rng = np.random.default_rng(1)
    newcomers, veterans = np.arange(NEWCOMERS), NEWCOMERS + np.arange(NEWCOMERS)
    state, arena = system.new_state(2 * NEWCOMERS), Arena(2 * NEWCOMERS)
    known = np.full(NEWCOMERS, 2.0 / np.sqrt(remembered) * system.scale / LN10)
    skill = np.full(NEWCOMERS, 2000.0)
    errors = []
    for game in range(AFTER[-1]):
        mu = state["belief"][newcomers, MU].copy()
        system.set_belief(state, veterans, mu, known)
        score = draw_scores(skill, mu, rng)
        system.update(state, arena.history(game, newcomers, veterans, score), trace=False)
        errors.append(np.sqrt(np.mean((state["belief"][newcomers, MU] - skill) ** 2)))
    return ", ".join(f"{errors[games - 1]:.0f}" for games in AFTER)


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
            weighed = (
                information
                if system.forgetting == "published"
                else max(information, 0.25 * MATCHED_INFORMATION)
            )
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
    forms = {form: podium.Yuksel(form=form) for form in ("zero-sum", "zero-sum-exact", "independent")}
    print_table(
        f"Newcomers 500 points off among veterans: RMSE after {', '.join(map(str, AFTER))} games",
        ["veterans remember", *(f">{form}" for form in forms)],
        [[f"{n} games", *(among_veterans(system, n) for system in forms.values())] for n in VETERANS],
    )
    rounds = ", ".join(f"{count:,}" for count in ROUNDS)
    print_table(
        f"A thousand players paired at random: RMSE after {rounds} rounds, by the deviation of their skill",
        ["system", *(f">{deviation}" for deviation in DEVIATIONS)],
        [[name, *(at_random(system, d) for d in DEVIATIONS)] for name, system in paired.items()],
    )


if __name__ == "__main__":
    main()
