"""The waiting pool: how long ticks take, and joining and starting beside them.

    python benchmarks/pool.py [PART ...]

Three pools of up to 50,000 tickets under steady arrivals, for several rating systems and four sizes:

- **flow**: everybody finds a partner; each tick the pool is filled up with new tickets, nearly all are
  paired, and the matches start;
- **standing**: five regions, three platforms, inputs that some insist on, and a tolerance so narrow that most
  wait on; a fiftieth of the pool leaves and comes anew each tick. A hundredth is overdue and may meet nobody;
- **aiming**: as flow, but everybody has played five games and is to come back to a win rate of a half.

Times are medians over several ticks, in milliseconds of one processor; the level is 100 ms a tick at 50,000
tickets.

- **worst**: pools in which everybody is overdue and may meet nobody, or few: each ticket has needs of its own
  (texts, numbers, ratings), all block each other, or running matches ask for players whom nobody can give
  them. For three sizes, the first tick and the second one, and the growth: the first tick at this size over
  that at half of it;
- **teams**: the same for teams, more than two of them, and roles. Everybody is overdue and has needs of their
  own; the first tick, the next one in which nothing has changed, and one after a hundred have joined;
- **budgets**: 20,000 tickets of teams and ticks with a budget of 50 ms: how long each of the first ticks took
  by the clock, as a multiple of the budget, how many matches it made, and how many tickets it left.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from common import below, print_machine, print_table, use_one_thread

use_one_thread()

import numpy as np  # noqa: E402

import podium  # noqa: E402
from podium.matchmaking.policies.targets import WinRateTarget  # noqa: E402
from podium.matchmaking.policies.terms import (  # noqa: E402
    BlockList,
    Latency,
    Needs,
    NoRematch,
    SameAttribute,
    WaitingTime,
    WinProbabilityGap,
)

SIZES = (6_250, 12_500, 25_000, 50_000)
SYSTEMS = ("elo", "glicko", "elo-mmr", "trueskill")
TICKS = 9
LEVEL = 100.0
REGIONS = ("eu", "us", "asia", "south", "africa")
FLOW = podium.Policy(terms=(WinProbabilityGap(), WaitingTime(), NoRematch(3), BlockList(), Needs()))
STANDING = podium.Policy(
    terms=(
        WinProbabilityGap(),
        WaitingTime(per_minute=0.0, patience=1e6),
        NoRematch(3),
        BlockList(),
        Latency(most=60),
        SameAttribute("platform"),
        Needs(),
    ),
    tolerance=1e-5,
)

Times = dict[str, list[float]]


class Crowd:
    """Players who come, with ratings on a system's scale."""

    def __init__(self, system: podium.RatingSystem, seed: int = 1) -> None:
        self.chance = np.random.default_rng(seed)
        self.unit = 1.0 if system.name == "trueskill" else 50.0
        self.middle = 30.0 * self.unit
        self.count = 0

    def names(self, count: int) -> list[str]:
        """New names."""
        self.count += count
        return [f"player {i}" for i in range(self.count - count, self.count)]

    def ratings(self, count: int) -> dict[str, np.ndarray]:
        """Their columns of ratings."""
        mu = self.chance.normal(self.middle, 6.0 * self.unit, count)
        return {"mu": mu, "sigma": self.chance.uniform(self.unit, 3.0 * self.unit, count)}

    def wishes(self, count: int) -> dict[str, dict[str, object]]:
        """Attributes, needs and latencies."""
        home = self.chance.integers(len(REGIONS), size=count)
        far = self.chance.uniform(20, 200, (len(REGIONS), count))
        far[home, np.arange(count)] = self.chance.uniform(5, 50, count)
        devices = np.array(["pad", "touch", "mouse"], object)[self.chance.integers(3, size=count)]
        picky = np.where(self.chance.random(count) < 0.2, devices, None)
        return {
            "attributes": {
                "platform": np.array(["pc", "xb", "ps"], object)[
                    self.chance.integers(3, size=count)
                ].tolist(),
                "input": devices.tolist(),
            },
            "needs": {"input": picky.tolist()},
            "latency": dict(zip(REGIONS, far, strict=True)),
        }


def flow(system: podium.RatingSystem, size: int) -> tuple[Times, float]:
    """Fill up, tick, start; and how many of the pool play at a tick."""
    crowd, maker = Crowd(system), podium.Matchmaker(system, policy=FLOW)
    times: Times = {"join": [], "tick": [], "start": []}
    playing = []
    for number in range(TICKS):
        count = size - len(maker)
        names, ratings = crowd.names(count), crowd.ratings(count)
        measure(times["join"], maker.join_many, names, time=float(number), **ratings)
        tick = measure(times["tick"], maker.tick, time=float(number))
        measure(times["start"], maker.start, tick)
        playing.append(2 * len(tick.matches) / size)
    return times, float(np.mean(playing))


def aiming(system: podium.RatingSystem, size: int) -> tuple[Times, float]:
    """Fill up, tick, start, for a policy that brings win rates back to a half."""
    policy = podium.Policy(target=WinRateTarget(games=5))
    crowd, maker = Crowd(system), podium.Matchmaker(system, policy=policy)
    times: Times = {"join": [], "tick": [], "start": []}
    playing = []
    for number in range(TICKS):
        count = size - len(maker)
        names, ratings = crowd.names(count), crowd.ratings(count)
        recent = ["".join(games) for games in crowd.chance.choice(list("WDL"), (count, 5))]
        measure(times["join"], maker.join_many, names, time=float(number), recent=recent, **ratings)
        tick = measure(times["tick"], maker.tick, time=float(number))
        measure(times["start"], maker.start, tick)
        playing.append(2 * len(tick.matches) / size)
    return times, float(np.mean(playing))


def standing(system: podium.RatingSystem, size: int) -> tuple[Times, float]:
    """The same, for a pool that changes by a fiftieth."""
    crowd, maker = Crowd(system), podium.Matchmaker(system, policy=STANDING)
    lonely = size // 100
    wishes = crowd.wishes(lonely)
    wishes["needs"] = {"input": ["a device that nobody has"] * lonely}
    maker.join_many(crowd.names(lonely), time=0.0, **crowd.ratings(lonely), **wishes)
    times: Times = {"join": [], "tick": [], "start": []}
    playing = []
    for number in range(TICKS):
        now = 1e6 + number
        if number:
            frame = maker.waiting().to_frame().slice(lonely, size // 50)
            for name in frame["player"].to_list():
                maker.leave(name)
        count = size - len(maker)
        names, ratings, wishes = crowd.names(count), crowd.ratings(count), crowd.wishes(count)
        measure(times["join"], maker.join_many, names, time=now, **ratings, **wishes)
        tick = measure(times["tick"], maker.tick, time=now)
        measure(times["start"], maker.start, tick)
        playing.append(2 * len(tick.matches) / size)
    return {name: values[2:] for name, values in times.items()}, float(np.mean(playing[2:]))


def measure(times: list[float], call: Callable[..., Any], *given: Any, **columns: Any) -> Any:
    """Do it, and note the milliseconds."""
    start = time.process_time()
    answer = call(*given, **columns)
    times.append(1e3 * (time.process_time() - start))
    return answer


PARTS = {part.__name__: part for part in (flow, standing, aiming)}


# ---------------------------------------------------------------------------------------------------------
# The worst cases

Pool = podium.Matchmaker
Wishes = Callable[[Crowd, np.ndarray], dict[str, Any]]


def needy(count: int, needs: Wishes, mode: str = "1v1") -> Pool:
    """A pool of people with needs of their own."""
    crowd, maker = Crowd(podium.Elo()), podium.Matchmaker(podium.Elo(), mode)
    join_needy(maker, crowd, count, needs, 0.0)
    return maker


def join_needy(maker: Pool, crowd: Crowd, count: int, needs: Wishes, now: float) -> None:
    """Let people join a pool; where it has roles, each plays one, and a fifth each plays the rare ones."""
    mu = crowd.chance.normal(1500.0, 300.0, count)
    wishes = needs(crowd, mu)
    if maker.mode.roles:
        wishes["roles"] = crowd.chance.choice(maker.mode.role_names, count, p=[0.2, 0.2, 0.6]).tolist()
    maker.join_many(crowd.names(count), mu=mu, time=now, **wishes)


def named(texts: list[Any], needs: list[Any]) -> dict[str, Any]:
    """A text that each says, and those that it needs."""
    return {"attributes": {"name": texts}, "needs": {"name": needs}}


def nothing(crowd: Crowd, mu: np.ndarray) -> dict[str, Any]:
    """Everybody may meet everybody."""
    return {}


def strangers(crowd: Crowd, mu: np.ndarray) -> dict[str, Any]:
    """Everybody needs a text that nobody says."""
    return named([f"n{i}" for i in range(len(mu))], [f"x{i}" for i in range(len(mu))])


def partners(crowd: Crowd, mu: np.ndarray) -> dict[str, Any]:
    """Everybody needs one other, anywhere in the pool."""
    clan = [f"c{i}" for i in crowd.chance.permutation(len(mu) // 2 * 2) // 2]
    return named(clan, clan)


def friends(crowd: Crowd, mu: np.ndarray) -> dict[str, Any]:
    """Everybody needs one of three others, hardly any of whom needs them."""
    asked = crowd.chance.integers(len(mu), size=(len(mu), 3))
    return named([f"n{i}" for i in range(len(mu))], [[f"n{i}" for i in row] for row in asked])


def climbers(crowd: Crowd, mu: np.ndarray) -> dict[str, Any]:
    """Everybody needs somebody of a slightly higher level, who needs the same."""
    level = np.arange(len(mu)) / len(mu)
    ranges = [(v + 0.2 / len(mu), v + 0.01) for v in level.tolist()]
    return {"attributes": {"level": level}, "needs": {"level": ranges}}


def levels(crowd: Crowd, mu: np.ndarray) -> dict[str, Any]:
    """Levels, and ranges of levels that have nothing to do with them."""
    low = crowd.chance.random(len(mu)).tolist()
    level = crowd.chance.random(len(mu))
    return {"attributes": {"level": level}, "needs": {"level": [(v, v + 0.01) for v in low]}}


def stronger(crowd: Crowd, mu: np.ndarray) -> dict[str, Any]:
    """Everybody needs somebody stronger."""
    return {"needs": {"mu": [(m + 100.0, m + 200.0) for m in mu.tolist()]}}


def anywhere(crowd: Crowd, mu: np.ndarray) -> dict[str, Any]:
    """Everybody needs ratings in a range of two hundred points, anywhere."""
    low = crowd.chance.normal(1400.0, 300.0, len(mu)).tolist()
    return {"needs": {"mu": [(m, m + 200.0) for m in low]}}


def blocking(count: int) -> Pool:
    """People who all block each other."""
    crowd, maker = Crowd(podium.Elo()), podium.Matchmaker(podium.Elo())
    names = crowd.names(count)
    for number, name in enumerate(names):
        for other in names[:number]:
            maker.block(name, other)
    maker.join_many(names, mu=crowd.chance.normal(1500.0, 300.0, count), time=0.0)
    return maker


def running(requests: int, **given: Any) -> Pool:
    """Running matches of five against four; 4,000 others wait who are too weak to join them."""
    crowd, maker = Crowd(podium.Elo()), podium.Matchmaker(podium.Elo(), "5v5")
    maker.join_many(crowd.names(4_000), mu=crowd.chance.normal(1100.0, 20.0, 4_000), time=LATE - 1.0)
    for _ in range(requests):
        maker.backfill([crowd.names(4), crowd.names(5)], mu=1500.0, time=LATE - 1.0, **given)
    return maker


LATE = 1_000.0
"""When everybody is overdue but those who joined a second before."""
NEEDY = (strangers, partners, friends, climbers, levels, stronger, anywhere)
WORST: dict[str, tuple[Callable[[int], Pool], tuple[int, ...], float]] = {
    **{needs.__name__: (partial(needy, needs=needs), (5_000, 10_000, 20_000), 200.0) for needs in NEEDY},
    "blocking": (blocking, (500, 1_000, 2_000), 50.0),
    "running, too weak": (running, (0, 100, 200), 50.0),
    "running, needs": (
        partial(running, attributes={"seat": "a"}, needs={"seat": "b"}),
        (0, 100, 200),
        50.0,
    ),
}


def worst() -> None:
    """Print the first two ticks of each of the worst cases."""
    rows, largest = [], {}
    for name, (make, sizes, level) in WORST.items():
        make(400 if sizes[0] else 1).tick(time=LATE)  # compiled before it counts
        before = np.nan
        for size in sizes:
            first: list[float] = []
            for _ in range(3):
                maker, second = make(size), []
                measure(first, maker.tick, time=LATE)
                measure(second, maker.tick, time=LATE + 1.0)
            tick = float(np.median(first))
            growth = "" if np.isnan(before) or not sizes[0] else f"{tick / before:.1f}"
            rows.append((name, f"{size:,}", f"{tick:.1f}", f"{second[0]:.1f}", growth))
            before = tick
        largest.setdefault(level, {})[name] = tick
    print_table("worst cases", ["pool", ">tickets", ">first tick, ms", ">next, ms", ">growth"], rows)
    for level, times in largest.items():
        print_table("", ["level", "met"], [(f"tick below {level:.0f} ms", below(level, times))])


BUDGET = 0.05
"""Seconds."""
MODES = ("2v2", "5v5", "2v2v2v2", "5v5: tank, healer, 3 damage")


def teams() -> None:
    """Print ticks of teams in which everybody is overdue and has needs of their own."""
    rows, steady = [], {}
    for mode in MODES:
        for needs in (strangers, partners, levels, anywhere):
            needy(400, needs, mode).tick(time=LATE)  # compiled before it counts
            before = np.nan
            for size in (10_000, 20_000):
                maker, times = needy(size, needs, mode), []
                maker.start(measure(times, maker.tick, time=LATE))
                maker.start(measure(times, maker.tick, time=LATE + 1.0))
                newcomers = Crowd(podium.Elo(), seed=2)
                newcomers.count = size
                join_needy(maker, newcomers, 100, needs, LATE + 1.0)
                measure(times, maker.tick, time=LATE + 2.0)
                growth = "" if np.isnan(before) else f"{times[0] / before:.1f}"
                rows.append((mode, needs.__name__, f"{size:,}", *(f"{one:.1f}" for one in times), growth))
                before = times[0]
            steady[f"{mode}, {needs.__name__}"] = max(times[1:])
    columns = ["mode", "pool", ">tickets", ">first tick, ms", ">next, ms", ">after 100 joined, ms", ">growth"]
    print_table("teams whose tickets are overdue", columns, rows)
    print_table("", ["level", "met"], [("ticks but the first below 200 ms", below(200.0, steady))])


def budgets() -> None:
    """Print how long ticks with a budget take."""
    rows, longest = [], {}
    for mode in MODES:
        for needs, when in ((nothing, 1.0), (nothing, LATE), (strangers, LATE), (anywhere, LATE)):
            needy(600, needs, mode).tick(time=when, budget=60.0)  # compiled before it counts
            maker, label = needy(20_000, needs, mode), needs.__name__ + (", overdue" if when == LATE else "")
            ratios, matches, left = [], [], []
            for number in range(5):
                start = time.perf_counter()
                tick = maker.tick(time=when + number, budget=BUDGET)
                ratios.append((time.perf_counter() - start) / BUDGET)
                matches.append(len(tick.matches))
                left.append(tick.left)
                maker.start(tick)
            cells = " ".join(f"{one:.2f}" for one in ratios)
            rows.append((mode, label, cells, " ".join(map(str, matches)), " ".join(map(str, left))))
            longest[f"{mode}, {label}"] = max(ratios)
    columns = ["mode", "pool", "time over budget", "matches", "left"]
    print_table("five ticks with a budget of 50 ms", columns, rows)
    print_table("", ["level", "met"], [("time below 1.5 × the budget", below(1.5, longest))])


TABLES = {part.__name__: part for part in (worst, teams, budgets)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [*PARTS, *TABLES]
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(names)}; none means all")
    parser.add_argument("--systems", nargs="*", default=SYSTEMS)
    arguments = parser.parse_args()
    print_machine()
    for part in arguments.parts or names:
        if part in TABLES:
            TABLES[part]()
            continue
        rows, largest = [], {}
        for name in arguments.systems:
            system = podium.make_system(name)
            PARTS[part](system, 500)  # compiled before it counts
            for size in SIZES:
                times, playing = PARTS[part](system, size)
                median = {what: float(np.median(values)) for what, values in times.items()}
                cells = (f"{median[what]:.1f}" for what in ("tick", "join", "start"))
                rows.append(
                    (name, f"{size:,}", *cells, f"{100 * playing:.1f}", f"{1e3 * median['tick'] / size:.2f}")
                )
            largest[name] = median["tick"]
        columns = ["system", ">tickets", ">tick, ms", ">join", ">start", ">playing, %", ">µs a ticket"]
        print_table(f"{part}: medians of {TICKS} ticks", columns, rows)
        print_table("", ["level", "met"], [(f"{part}: tick below {LEVEL:.0f} ms", below(LEVEL, largest))])


if __name__ == "__main__":
    main()
