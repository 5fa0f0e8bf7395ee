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
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from common import below, print_machine, print_table, use_one_thread

use_one_thread()

import numpy as np  # noqa: E402

import podium  # noqa: E402
from podium.matchmaking.policy_terms import (  # noqa: E402
    BlockList,
    Latency,
    Needs,
    NoRematch,
    SameAttribute,
    WaitingTime,
    WinProbabilityGap,
)
from podium.matchmaking.targets import WinRateTarget  # noqa: E402

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
            frame = maker.waiting().slice(lonely, size // 50)
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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; none means all")
    parser.add_argument("--systems", nargs="*", default=SYSTEMS)
    arguments = parser.parse_args()
    print_machine()
    for part in arguments.parts or PARTS:
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
