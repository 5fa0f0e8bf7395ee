"""Teams and free-for-alls in the waiting pool: how long a tick takes, and how even the matches are.

    python benchmarks/lobbies.py [speed] [quality] [steady]

`speed` lets pools of four sizes wait and matches everybody in one tick. `quality` compares the chances of the
teams with those of plainer matchmakers on the same players: blocks of neighbours in order of rating, divided
in snake order (1st, 4th, 5th, 8th … against the others) or at random; and anybody with anybody. `steady` is a
pool of fifty thousand to which a thousand tickets come between ticks, under a policy so strict that all of
them wait on. One thread; times are of the processor.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from common import console, print_machine, print_table, use_one_thread

use_one_thread()

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

import podium  # noqa: E402
from podium.matchmaking.lobbies.modes import Mode  # noqa: E402
from podium.matchmaking.lobbies.team_balance import beliefs  # noqa: E402
from podium.matchmaking.policies.terms import Needs, WaitingTime, WinProbabilityGap  # noqa: E402
from podium.systems import Sides  # noqa: E402

SIZES = (500, 5_000, 20_000, 50_000)
MODES = ("2v2", "5v5", "5v5 with parties", "2v2v2v2", "1v4", "ffa:8", "ffa:100")
SYSTEM = podium.Glicko()
REPEATS = 3

Floats = NDArray[np.float64]


def pool_of(mode: str, tickets: int, seed: int, **options: object) -> podium.Matchmaker:
    """Tickets that wait; with parties, a fifth of them are of two and a fifth of three."""
    maker = podium.Matchmaker(SYSTEM, mode=mode.split()[0], **options)
    join(maker, mode, tickets, np.random.default_rng(seed), "p", 0.0)
    return maker


def join(
    maker: podium.Matchmaker, mode: str, tickets: int, chance: np.random.Generator, name: str, now: float
) -> None:
    """Let tickets come: skills are normal, members of a party near each other."""
    sizes = chance.choice([1, 1, 1, 2, 3], tickets) if "parties" in mode else np.ones(tickets, np.int64)
    mu = np.repeat(chance.normal(1500, 300, tickets), sizes)
    if sizes.max() > 1:
        mu += chance.normal(0, 50, len(mu))
    sigma = chance.uniform(50, 150, sizes.sum())
    parties = [[f"{name}{i}.{j}" for j in range(size)] for i, size in enumerate(sizes.tolist())]
    maker.join_many(parties, mu=mu, sigma=sigma, time=now)


def speed() -> None:
    """Everybody in one tick."""
    rows = []
    for mode in MODES:
        for tickets in SIZES:
            pool_of(mode, 500, 0).tick(time=1)  # compiles
            best, tick = np.inf, None
            for seed in range(REPEATS):
                maker = pool_of(mode, tickets, seed)
                start = time.process_time()
                tick = maker.tick(time=1)
                best = min(best, time.process_time() - start)
            assert tick is not None
            players = len(tick.matches.player)
            speeds = (f"{1e3 * best:.0f}", f"{1e6 * best / tickets:.1f}")
            made = (f"{len(tick.matches):,}", f"{tick.waiting:,}", f"{players / best / 1e3:.0f}")
            rows.append((mode, f"{tickets:,}", *speeds, *made))
    columns = [">tickets", ">ms a tick", ">µs a ticket", ">matches", ">wait on", ">1,000 players/s"]
    print_table("One tick that matches everybody, Glicko, default policy", ["mode", *columns], rows)


def gaps(teams: NDArray[np.int64], mu: Floats, sigma: Floats) -> Floats:
    """|chance − ½| of matches; a row a match, the first half one team."""
    size = teams.shape[1] // 2
    halves = [teams[:, :size], teams[:, size:]]
    a, b = (Sides(half.ravel(), np.arange(0, half.size + 1, size)) for half in halves)
    return np.abs(SYSTEM.predict(beliefs(SYSTEM, mu, sigma), a, b) - 0.5)


def snake(block: NDArray[np.int64]) -> NDArray[np.int64]:
    """1st, 4th, 5th, 8th … and then the others, of blocks in order of rating."""
    places = np.arange(block.shape[1])
    mine = (places % 4 == 0) | (places % 4 == 3)
    if mine.sum() > block.shape[1] // 2:
        mine[places[mine][-1]] = False
    return block[:, np.concatenate([places[mine], places[~mine]])]


def quality() -> None:
    """The chances of the teams, beside plainer ways."""
    rows = []
    for mode in ("2v2", "5v5"):
        for tickets in (100, 1_000, 10_000):
            found: dict[str, list[float]] = {"podium": [], "snake": [], "random split": [], "anybody": []}
            waits: list[int] = []
            for seed in range(10):
                compare(mode, tickets, seed, found, waits)
            cells = [f"{np.mean(values):.5f}" for values in found.values()]
            rows.append((mode, f"{tickets:,}", *cells, f"{np.mean(waits):.1f}"))
    title = "Mean distance of a team's chance from ½, Glicko, skills of deviation 300"
    columns = [">podium", ">in order, snake", ">in order, at random", ">anybody", ">podium: wait on"]
    print_table(title, ["mode", ">tickets", *columns], rows)
    free_for_alls()


def free_for_alls() -> None:
    """How even everybody's chances are against everybody else in a free-for-all."""
    rows = []
    for tickets in (100, 1_000, 10_000):
        found: dict[str, list[float]] = {"podium": [], "in order": [], "anybody": []}
        for seed in range(10):
            chance = np.random.default_rng(seed)
            mu, sigma = chance.normal(1500, 300, tickets), chance.uniform(50, 150, tickets)
            maker = podium.Matchmaker(SYSTEM, mode="ffa:8", policy=podium.Policy(tolerance=0.5))
            maker.join_many([str(i) for i in range(tickets)], mu=mu, sigma=sigma, time=0)
            found["podium"].append(float(maker.tick(time=0).matches.cost.mean()))
            whole = tickets // 8 * 8
            lobbies = {"in order": np.argsort(mu)[:whole], "anybody": chance.permutation(tickets)[:whole]}
            for name, players in lobbies.items():
                found[name].append(float(pair_gaps(players.reshape(-1, 8), mu, sigma).mean()))
        rows.append(("ffa:8", f"{tickets:,}", *(f"{np.mean(values):.5f}" for values in found.values())))
    title = "Mean distance from ½ of the chances of all pairs in a free-for-all"
    print_table(title, ["mode", ">tickets", *(f">{name}" for name in found)], rows)


def pair_gaps(lobbies: NDArray[np.int64], mu: Floats, sigma: Floats) -> Floats:
    """|chance − ½| of all pairs of all lobbies."""
    one, other = np.triu_indices(lobbies.shape[1], 1)
    a, b = lobbies[:, one].ravel(), lobbies[:, other].ravel()
    return np.abs(SYSTEM.win_probability(mu[a], sigma[a], mu[b], sigma[b]) - 0.5)


def compare(mode: str, tickets: int, seed: int, found: dict[str, list[float]], waits: list[int]) -> None:
    """One pool, four ways."""
    chance = np.random.default_rng(seed)
    mu, sigma = chance.normal(1500, 300, tickets), chance.uniform(50, 150, tickets)
    maker = podium.Matchmaker(SYSTEM, mode=mode, policy=podium.Policy(tolerance=0.5))
    maker.join_many([str(i) for i in range(tickets)], mu=mu, sigma=sigma, time=0)
    tick = maker.tick(time=0)
    players = Mode.parse(mode).players
    found["podium"].append(float(np.abs(tick.matches.chance - 0.5).mean()))
    waits.append(tick.waiting)
    whole = tickets // players * players
    block = np.argsort(mu)[:whole].reshape(-1, players)
    anybody = chance.permutation(tickets)[:whole].reshape(-1, players)
    found["snake"].append(float(gaps(snake(block), mu, sigma).mean()))
    found["random split"].append(float(gaps(chance.permuted(block, axis=1), mu, sigma).mean()))
    found["anybody"].append(float(gaps(anybody, mu, sigma).mean()))


def steady() -> None:
    """A pool that stays full, as nobody accepts the others yet: what a tick costs that proposes nothing."""
    rows = []
    policy = podium.Policy(
        terms=(WinProbabilityGap(), WaitingTime(per_minute=0, patience=600), Needs()), tolerance=0
    )
    for mode in MODES:
        chance = np.random.default_rng(1)
        maker = pool_of(mode, 50_000, 1, policy=policy)
        maker.tick(time=0)
        times = []
        for number in range(1, 11):
            join(maker, mode, 1_000, chance, f"{number}-", float(number))
            start = time.process_time()
            tick = maker.tick(time=number)
            times.append(time.process_time() - start)
            maker.start(tick)
        rows.append((mode, f"{tick.waiting:,}", f"{1e3 * np.median(times):.0f}", f"{1e3 * max(times):.0f}"))
    title = "A tick of a pool in which nobody is good enough for anybody yet"
    print_table(title, ["mode", ">tickets", ">ms, median", ">ms, most"], rows)


PARTS: dict[str, Callable[[], None]] = {part.__name__: part for part in (speed, quality, steady)}


def main() -> None:
    """Measure and print."""
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
