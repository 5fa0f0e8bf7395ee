"""The experiments of Yuksel (2024), section 5, with podium's systems, beside what the paper says.

    python benchmarks/matchmaking.py                     # everything: about a quarter of an hour
    python benchmarks/matchmaking.py newcomer readings   # some of it

*newcomer* is section 5.2: one player in a settled pool, a true rating that stands, rises, jumps or is hidden.
*population* is 5.3 and 5.4: a thousand players who start equal. *win-rates* is Figure 6. *readings* plays the
population under other readings of what the paper leaves open, and *sizes* plays larger populations.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
from common import console, print_machine, print_table

import podium
from podium.simulation.populations import gaussian_skills
from podium.studies.live_game.newcomer_scenarios import SCENARIOS, NewcomerRun, follow_newcomer
from podium.studies.live_game.rounds import RoundsRun, play_rounds
from podium_papers.yuksel.contenders import ELO_CURVE, trueskill

REPETITIONS = 200
SEEDS = 3
ROUNDS = 10_000
MARKS = (10, 100, 1_000, 2_000, 10_000)
FORMS = ("zero-sum", "zero-sum-at-limit", "independent")
STEPS = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6)
PAIRINGS: dict[str, float | None] = {"5%": 0.05, "30%": 0.30, "random": None}
SAID = {
    "5%": {"yuksel": "< 200, , 20, , 7", "elo, K 24": ", , 54, 79", "trueskill × 60": ", , 46, 125"},
    "30%": {"yuksel": "stable"},
    "random": {
        "yuksel": "unstable",
        "yuksel, step 0.95": "best",
        "elo, K 24": ", , 50, 50, 50",
    },
}
"""What the paper says, in the order of the columns."""


OTHERS: dict[str, podium.RatingSystem] = {
    "elo, K 24": podium.Elo(k=24),
    "elo, K 10": podium.Elo(k=10),
    "elo, K 48": podium.Elo(k=48),
    "glicko, no growth": podium.Glicko(c=0),
    "glicko, c 5": podium.Glicko(c=5),
    "trueskill × 60": trueskill(60),
    "trueskill × 60, τ 0": trueskill(60, tau=0.0),
    "trueskill × 60, 10% draws": trueskill(60, draw_rate=0.1),
    f"trueskill × {ELO_CURVE:.1f}": trueskill(ELO_CURVE),
}
NEWCOMER: dict[str, podium.RatingSystem] = {
    "yuksel": podium.Yuksel(form="independent"),
    "yuksel, step 0.95": podium.Yuksel(form="independent", step=0.95),
    "yuksel, stable": podium.Yuksel(form="independent", forgetting="stable"),
    **OTHERS,
}
POPULATION: dict[str, podium.RatingSystem] = {
    "yuksel": podium.Yuksel(),
    "yuksel, step 0.95": podium.Yuksel(step=0.95),
    "yuksel, at limit": podium.Yuksel(form="zero-sum-at-limit"),
    "yuksel, at limit, 0.95": podium.Yuksel(form="zero-sum-at-limit", step=0.95),
    "yuksel, stable": podium.Yuksel(forgetting="stable"),
    "yuksel, stable, at limit": podium.Yuksel(forgetting="stable", form="zero-sum-at-limit"),
    "yuksel, independent": podium.Yuksel(form="independent"),
    "yuksel, stable, independent": podium.Yuksel(forgetting="stable", form="independent"),
    **OTHERS,
}


def newcomer() -> None:
    """Section 5.2: errors, win rates and streaks, and how soon a change is found."""
    runs: dict[str, dict[str, NewcomerRun]] = {}
    for name, system in NEWCOMER.items():
        follow = partial(follow_newcomer, system, repetitions=REPETITIONS)
        runs[name] = {one.name: follow(one) for one in SCENARIOS.values()}
        runs[name]["near"] = follow(SCENARIOS["fixed"], opponents="near")
    columns = ["fixed", "near", "rising", "rising-then-flat", "jump", "thrown"]
    table("RMSE over games 101 to 1,000", columns, runs, lambda r: f"{r.rmse(101):.0f}")
    table("Mean error over the same games", columns, runs, lambda r: f"{r.mean_error(101):+.0f}")
    changing = [name for name in columns if name in SCENARIOS and SCENARIOS[name].change]
    table("RMSE in the 200 games after the change", changing, runs, rmse_after_change)
    won = "Games won from game 101 on, in percent"
    table(won, columns, runs, lambda r: f"{100 * r.score[100:].mean():.1f}")
    uneven = "Percent of games from 101 on after which two or fewer of the last ten were won, or lost"
    table(uneven, columns, runs, lambda r: f"{100 * np.mean(np.abs(r.win_rates(10)[91:] - 0.5) > 0.25):.1f}")
    table("Longest streaks of wins / losses in a thousand games, mean", columns[:2], runs, streaks)
    rows = []
    for name, of in runs.items():
        jump, thrown = of["jump"], of["thrown"]
        waits = (
            jump.games_until(2000, rising=True, since=501),
            thrown.games_until(1500, rising=False, since=501),
            thrown.games_until(2000, rising=True, since=601),
        )
        rows.append((name, *map(between, waits), f"{thrown.rating[599].mean():.0f}"))
    rows.append(("the paper, one example", "trueskill > 200", "26, 43, ours > 60", "ours 12, elo 266", ""))
    titles = ["system", ">jump found", ">below 1500", ">back at 2000", ">lowest"]
    title = "Games until a change is found: median (5% to 95% of repetitions; — where it never is)"
    print_table(title, titles, rows)


def rmse_after_change(run: NewcomerRun) -> str:
    """How far off a rating is while it should follow."""
    first = run.scenario.change + 1
    return f"{run.rmse(first, first + 199):.0f}"


def streaks(run: NewcomerRun) -> str:
    """The longest ones, averaged over repetitions."""
    return f"{run.longest_streak(True).mean():.1f} / {run.longest_streak(False).mean():.1f}"


def between(games: np.ndarray) -> str:
    """The median and the range of most; those who never get there count as last."""
    found = np.quantile(np.where(np.isnan(games), np.inf, games), (0.05, 0.5, 0.95), method="nearest")
    low, middle, high = ("—" if np.isinf(x) else f"{x:.0f}" for x in found)
    return f"{middle} ({low}–{high})" if low != "—" else "—"


def table(
    title: str,
    columns: list[str],
    runs: dict[str, dict[str, NewcomerRun]],
    cell: Callable[[NewcomerRun], str],
) -> None:
    """One row a system, one column a scenario."""
    rows = [(name, *(cell(of[column]) for column in columns)) for name, of in runs.items()]
    print_table(title, ["system", *(f">{column}" for column in columns)], rows)


def population() -> None:
    """Sections 5.3 and 5.4: RMSE after rounds, averaged over seeds."""
    skill = gaussian_skills(even=True)
    for pairing, shuffle in PAIRINGS.items():
        rows = []
        for name, system in POPULATION.items():
            runs = [play_rounds(system, skill, ROUNDS, shuffle=shuffle, seed=seed) for seed in range(SEEDS)]
            rmse = np.mean([[run.rmse[mark - 1] for mark in MARKS] for run in runs], axis=0)
            spread = np.mean([run.spread[-1] for run in runs])
            shift = np.mean([run.shift[-1] for run in runs])
            best = np.mean([run.rmse.min() for run in runs])
            after = np.median([run.rmse.argmin() + 1 for run in runs])
            cells = (
                *(f"{x:.0f}" for x in rmse),
                f"{best:.0f} at {after:,.0f}",
                f"{spread:.2f}",
                f"{shift:+.0f}",
            )
            rows.append((name, *cells, SAID[pairing].get(name, "")))
        columns = [*(f">{mark:,}" for mark in MARKS), ">lowest", ">spread", ">shift", "the paper"]
        print_table(f"RMSE after rounds, {pairing} pairing, 1,000 players", ["system", *columns], rows)


def win_rates() -> None:
    """Figure 6: how far win rates are from a half, among the weakest, the others and the strongest."""
    skill = gaussian_skills(even=True)
    bands = {"weakest 5%": slice(0, 50), "middle 90%": slice(50, 950), "strongest 5%": slice(950, 1000)}
    rows = []
    for name in ("yuksel", "elo, K 24", "glicko, no growth", "trueskill × 60"):
        for pairing, shuffle in PAIRINGS.items():
            run = play_rounds(POPULATION[name], skill, 1_000, shuffle=shuffle, keep=(10, 100), seed=1)
            for band, players in bands.items():
                rates = 100 * run.win_rate[:, players]
                cells = (f"{one.mean():.1f} (± {np.abs(one - 50).mean():.1f})" for one in rates)
                rows.append((f"{name}, {pairing}", band, *cells))
    columns = ["system and pairing", "players", ">10 rounds", ">100", ">1,000"]
    print_table("Win rates in percent, mean (and mean distance from 50)", columns, rows)


def readings() -> None:
    """What the paper leaves open, for its own system: 5% pairing, 1,000 and 10,000 rounds."""
    even, drawn = gaussian_skills(even=True), [gaussian_skills(seed=seed) for seed in range(SEEDS)]
    normal = np.random.default_rng(1).standard_normal((SEEDS, 1_000))
    clipped = [np.clip(1500 + 600 * (one - one.mean()), 0, 3000) for one in normal]
    printed, at_limit = podium.Yuksel(), podium.Yuksel(form="zero-sum-at-limit")
    cases: list[tuple[str, podium.RatingSystem, list[np.ndarray], dict[str, object]]] = [
        ("as printed, even true ratings", printed, [even] * SEEDS, {}),
        ("drawn true ratings", printed, drawn, {}),
        ("drawn, clipped at 0 and 3000", printed, clipped, {}),
        ("window ahead", printed, [even] * SEEDS, {"reach": "ahead"}),
        ("window ± 50", printed, [even] * SEEDS, {"shuffle": 0.1}),
        ("R starts at the rating", podium.Yuksel(first_mean="rating"), [even] * SEEDS, {}),
        ("W starts at 0.001", podium.Yuksel(first_weight=1e-3), [even] * SEEDS, {}),
        ("W starts at 1", podium.Yuksel(first_weight=1.0), [even] * SEEDS, {}),
        ("F kept (Eq. 14)", podium.Yuksel(form="zero-sum-exact"), [even] * SEEDS, {}),
        ("α 1.6 instead of 2", podium.Yuksel(alpha=1.6), [even] * SEEDS, {}),
        ("no limit of Δr", podium.Yuksel(limit=1e6), [even] * SEEDS, {}),
        ("D corrected at the limit only", at_limit, [even] * SEEDS, {}),
        ("the same, drawn true ratings", at_limit, drawn, {}),
        ("the same, window ahead", at_limit, [even] * SEEDS, {"reach": "ahead"}),
    ]
    rows = []
    for name, system, skills, how in cases:
        runs = [play_rounds(system, skill, ROUNDS, seed=seed, **how) for seed, skill in enumerate(skills)]
        rows.append((name, *(across(runs, mark) for mark in MARKS)))
    rows.append(("the paper", "", "", "20", "", "7"))
    print_table(
        "Yuksel's system, 5% pairing: RMSE (each population)", ["reading", *(f">{m:,}" for m in MARKS)], rows
    )
    smaller = {
        f"{form}, step {step:g}": podium.Yuksel(form=form, step=step) for form, step in product(FORMS, STEPS)
    }
    smaller |= {f"zero-sum, α 1.6, step {step:g}": podium.Yuksel(alpha=1.6, step=step) for step in STEPS[:2]}
    rows = []
    for name, system in smaller.items():
        runs = [play_rounds(system, even, ROUNDS, shuffle=None, seed=seed) for seed in range(SEEDS)]
        rows.append((name, *(across(runs, mark) for mark in MARKS)))
    title = "Yuksel's system, random pairing: RMSE (lowest to highest)"
    print_table(title, ["form and step", *(f">{mark:,}" for mark in MARKS)], rows)


def across(runs: list[RoundsRun], mark: int) -> str:
    """The mean after a round, and the lowest and highest."""
    rmse = [run.rmse[mark - 1] for run in runs]
    return f"{np.mean(rmse):.0f} ({min(rmse):.0f}–{max(rmse):.0f})"


def sizes() -> None:
    """More players: the same RMSE, and the time it takes."""
    rows = []
    for players, rounds in ((1_000, 1_000), (10_000, 1_000), (100_000, 1_000), (1_000_000, 100)):
        for name in ("yuksel", "elo, K 24"):
            start = time.perf_counter()
            run = play_rounds(POPULATION[name], gaussian_skills(players, even=True), rounds, seed=1)
            seconds = time.perf_counter() - start
            marks = (f"{run.rmse[mark - 1]:.0f}" if mark <= rounds else "" for mark in (10, 100, 1_000))
            rows.append((f"{players:,}", name, *marks, f"{1e3 * seconds / rounds:.1f}"))
    print_table(
        "Larger populations, 5% pairing: RMSE",
        ["players", "system", ">10", ">100", ">1,000", ">ms a round"],
        rows,
    )


PARTS = {f.__name__.replace("_", "-"): f for f in (newcomer, population, win_rates, readings, sizes)}


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; none means all")
    chosen = parser.parse_args().parts or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"there is no {' or '.join(sorted(unknown))}")
    print_machine()
    for part in chosen:
        start = time.perf_counter()
        PARTS[part]()
        console.print(f"[dim]{part}: {time.perf_counter() - start:.0f} s[/]\n")


if __name__ == "__main__":
    main()
