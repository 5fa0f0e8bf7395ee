"""Ways to pair side by side, under several rating systems: in rounds, and in a live game.

    python benchmarks/live.py                # everything: about half an hour
    python benchmarks/live.py rounds         # a part
    python benchmarks/live.py game --quick   # fewer players and days

*rounds* is section 5.3 of Yuksel (2024) with other ways to pair: win rates, streaks, errors. *game* is a live
game with everything in it: waits, gaps, streaks, errors. *accepting* is the same game where everybody is
accepted at once. *speed* says how long a day takes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping

import numpy as np
from common import console, print_machine, print_table

import podium
from matchmaking import ELO_CURVE, trueskill
from podium.simulation.populations import gaussian_skills
from podium.studies.live_game.comparison import GameComparison, compare_games
from podium.studies.live_game.game import Game, play_game
from podium.studies.live_game.matchers import MATCHERS, make_matcher
from podium.studies.live_game.rounds import RoundsRun, play_rounds
from podium.studies.live_game.streaks import Streaks, coin_streaks

SYSTEMS: dict[str, podium.RatingSystem] = {
    "elo": podium.Elo(k=24),
    "glicko": podium.Glicko(c=5),
    "yuksel": podium.Yuksel(forgetting="stable"),
    "trueskill": trueskill(ELO_CURVE),
    "elo-mmr": podium.EloMMR(),
}
"""With the parameters of the study of ratings; Yuksel's system in its stable form."""
PLAYERS, ROUNDS = 1_000, 1_000
SETTLED = 100
"""Rounds after which the paper calls win rates close to a half, and from which streaks are counted here."""
ENDS = 0.05
"""The part of the population at each end that the paper excepts."""
GAME = Game(players=3_000, days=4.0, sessions=3.0)
"""About seventy games a player, half of them measured."""
QUICK = Game(players=1_000, days=1.0, sessions=3.0)


def rounds(quick: bool) -> None:
    """A thousand players, everybody in every round."""
    skill = gaussian_skills(PLAYERS, even=True)
    total = SETTLED + 100 if quick else ROUNDS
    rows = []
    for name, system in SYSTEMS.items():
        for matcher in MATCHERS:
            run = play_rounds(
                system, skill, total, matcher=matcher, streaks_since=SETTLED + 1, keep=[SETTLED], seed=1
            )
            rows.append((name, matcher, *win_rates(run), *streaks(run), *pairs(run)))
    played = np.full(PLAYERS, total - SETTLED)
    coin = coin_streaks(played, 10)
    each = 1e3 / played.sum()
    exact = [f"{each * coin[5:].sum():.1f}", f"{each * coin[10]:.2f}"]
    rows.append(("a coin", "", *coin_rates(), *exact, *coin_longest(played), *[""] * 7))
    columns = ["system", "matcher", ">45–55%", ">40–60%", ">ends", ">5+", ">10+", ">longest", ">worst"]
    columns += [">have 10+", ">ends", ">gap %", ">again %", ">spread", f">rmse {SETTLED}", f">{total:,}"]
    title = f"{PLAYERS:,} players, {total:,} rounds: win rates after {SETTLED}, streaks since then"
    print_table(title, columns, rows)
    console.print(
        "45–55%, 40–60%: players of the middle 90% with such a win rate, in percent; ends: how far that of\n"
        "the others is from 50 on average. 5+, 10+: streaks (wins or losses) of so many games or more, in a\n"
        "thousand games of a player; longest, worst: mean and most of all players; have 10+: players of\n"
        "the middle with one of ten, and at the ends, in percent. gap: wanted and given chances.\n"
        "again: games against the opponent of the round before. spread, rmse: after 100 rounds; and at\n"
        "the end.\n"
    )


def win_rates(run: RoundsRun) -> tuple[str, ...]:
    """Who of the middle is near a half, and how far the ends are, after the settling rounds."""
    middle, ends = split(100 * np.abs(run.win_rate[0] - 0.5))
    near = (f"{100 * np.mean(middle <= most + 1e-9):.0f}" for most in (5, 10))
    return (*near, f"{ends.mean():.1f}")


def split(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those of the middle of the population, which is in order of skill, and those of both ends."""
    end = round(ENDS * len(values))
    return values[end:-end], np.concatenate((values[:end], values[-end:]))


def coin_rates() -> tuple[str, ...]:
    """The same for coins tossed a hundred times."""
    won = np.random.default_rng(1).binomial(SETTLED, 0.5, 1_000_000) - SETTLED // 2
    off = 100 * np.abs(won) / SETTLED
    return (*(f"{100 * np.mean(off <= most):.0f}" for most in (5, 10)), f"{off.mean():.1f}")


def coin_longest(tosses: np.ndarray) -> tuple[str, str]:
    """The mean and the most of the longest streaks of coins tossed so often."""
    chance, streaks, coins = np.random.default_rng(1), Streaks(len(tosses)), np.arange(len(tosses))
    for _ in range(int(tosses.max())):
        streaks.record(coins, chance.integers(2, size=len(tosses)))
    longest = np.maximum(streaks.longest_won, streaks.longest_lost)
    return f"{longest.mean():.1f}", f"{longest.max()}"


def streaks(run: RoundsRun) -> tuple[str, ...]:
    """How many there are of five and of ten, and the longest."""
    counted = 0.5 * (run.streaks.won + run.streaks.lost)
    each = 1e3 / run.streaks.played.sum()
    longest = np.maximum(run.streaks.longest_won, run.streaks.longest_lost)
    counts = f"{each * counted[5:].sum():.1f}", f"{each * counted[10:].sum():.2f}"
    middle, ends = split(100.0 * (longest >= 10))
    return *counts, f"{longest.mean():.1f}", f"{longest.max()}", f"{middle.mean():.1f}", f"{ends.mean():.0f}"


def pairs(run: RoundsRun) -> tuple[str, ...]:
    """How well they fit, how often they are the same, and what that does to ratings."""
    since = slice(SETTLED, None)
    rmse = (f"{run.spread[SETTLED - 1]:.2f}", f"{run.rmse[SETTLED - 1]:.0f}", f"{run.rmse[-1]:.0f}")
    return f"{100 * run.gap[since].mean():.1f}", f"{100 * run.rematches[since].mean():.1f}", *rmse


def game(quick: bool) -> None:
    """A live game, by the rule that chances have to fit better the less one has waited."""
    compared = play(SYSTEMS, QUICK if quick else GAME)
    show(compared, "A live game")
    by_skill(compared)
    by_kind(compared)


def accepting(quick: bool) -> None:
    """The same where everybody is accepted: what pairing alone does, and nobody waits for better."""
    chosen = {name: SYSTEMS[name] for name in ("elo", "glicko")}
    calm = QUICK if quick else GAME
    compared = play(chosen, Game(**{**vars(calm), "tolerance": 1.0}))
    show(compared, "A live game in which everybody is accepted at once")


def play(systems: Mapping[str, podium.RatingSystem], game: Game) -> GameComparison:
    """All matchers, with one seed: tens of thousands of games are measured in each."""
    start = time.perf_counter()
    compared = compare_games(systems, list(MATCHERS), game, seeds=[1])
    games = len(systems) * len(MATCHERS)
    console.print(
        f"[dim]{games} games of {game.players:,} players and {game.days:g} days: "
        f"{time.perf_counter() - start:.0f} s[/]"
    )
    return compared


def show(compared: GameComparison, title: str) -> None:
    """What comes of it."""
    columns = ["system", "matcher", ">wait", ">95%", ">worst", ">gap %", ">true %", ">uneven %", ">near ½ %"]
    columns += [">streaks", ">again %", ">gone %", ">rmse", ">smurfs", ">throwers"]
    rows = []
    for row in compared.summary.to_dicts():
        percent = ("gap", "true_gap", "even", "near_half")
        rows.append(
            (
                row["system"],
                row["matcher"],
                *(f"{row[name]:.0f}" for name in ("wait", "wait_p95", "wait_worst")),
                *(f"{100 * row[name]:.1f}" for name in percent),
                f"{row['long_lost']:.2f}",
                *(f"{100 * row[name]:.1f}" for name in ("rematches", "churned")),
                *(f"{row[name]:.0f}" for name in ("rmse", "smurf_rmse", "thrower_rmse")),
            )
        )
    print_table(title, columns, rows)
    console.print(
        "wait, 95%, worst: seconds. gap, true: wanted and given chances, by ratings and by true ratings;\n"
        "uneven: true chances and a half. near ½: time with 4 to 6 of the last 10 games won. streaks:\n"
        "of five losses or more, as a part of a fair coin's. again: games against the last opponent. gone:\n"
        "accounts that stopped for good.\n"
    )


def by_skill(compared: GameComparison) -> None:
    """Who waits longest."""
    table = compared.waits.pivot("to", index=["system", "matcher"], values="mean")
    bands = [name for name in table.columns if name not in ("system", "matcher")]
    rows = [(*row[:2], *(f"{wait:.0f}" for wait in row[2:])) for row in table.rows()]
    columns = ["system", "matcher", *(f">to {float(band):g}%" for band in bands)]
    print_table("Seconds of waiting by percentile of true skill", columns, rows)


def by_kind(compared: GameComparison) -> None:
    """Errors of those who have played more, and of those who hide."""
    table = compared.experience.pivot("experience", index=["system", "matcher"], values="rmse")
    bands = [name for name in table.columns if name not in ("system", "matcher")]
    rows = [(*row[:2], *("" if rmse is None else f"{rmse:.0f}" for rmse in row[2:])) for row in table.rows()]
    columns = ["system", "matcher", *(f">{band}+" for band in bands)]
    print_table("RMSE by games played before", columns, rows)


def speed(quick: bool) -> None:
    """Seconds a simulated day takes."""
    rows = []
    for players in (1_000, 5_000) if quick else (1_000, 5_000, 25_000):
        game = Game(players=players, days=1.0)
        for system in ("elo", "trueskill"):
            for matcher in MATCHERS:
                play_game(SYSTEMS[system], make_matcher(matcher), Game(players=100, days=0.1))
                start = time.perf_counter()
                run = play_game(SYSTEMS[system], make_matcher(matcher), game)
                seconds = time.perf_counter() - start
                rows.append((f"{players:,}", system, matcher, f"{len(run.games):,}", f"{seconds:.1f}"))
    print_table("A day of a live game", ["players", "system", "matcher", ">games", ">seconds"], rows)


PARTS = {f.__name__: f for f in (rounds, game, accepting, speed)}


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; none means all")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, players and days")
    given = parser.parse_args()
    chosen = given.parts or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"there is no {' or '.join(sorted(unknown))}")
    print_machine()
    for part in chosen:
        start = time.perf_counter()
        PARTS[part](given.quick)
        console.print(f"[dim]{part}: {time.perf_counter() - start:.0f} s[/]\n")


if __name__ == "__main__":
    main()
