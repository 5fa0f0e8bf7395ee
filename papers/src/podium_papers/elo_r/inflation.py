"""Section 6: whether the best get higher and higher ratings, and how long rating everything takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium.arrays import NO_TIME
from podium.history import History
from podium.simulation.populations import synthetic_contests
from podium.systems import RatingSystem
from podium.systems.codeforces.codeforces import Codeforces
from podium.systems.elo_mmr.elo_r import EloR
from podium.tables import read_history
from podium_papers.cpu_time import cpu_timed
from podium_papers.elo_r import published
from podium_papers.items import Number, Result, Setting, seeds_named
from podium_papers.printed import Printed, signed

SYSTEMS: dict[str, RatingSystem] = {"Elo-R": EloR(), "Codeforces": Codeforces()}
TOP_SHARE = 0.01


@dataclass(frozen=True)
class Halves:
    """Ratings after half of the contests, and after all of them."""

    leader: tuple[float, float]
    """Ratings of the player who led after the first half."""
    best: tuple[float, float]
    """Mean rating of the best hundredth at each time."""
    seconds: float


def halves(history: History, system: RatingSystem) -> Halves:
    """Rate a history in two halves."""
    system.update(system.new_state(len(history.players)), history[:1], trace=False)  # compiled from here on
    state = system.new_state(len(history.players))
    middle = len(history) // 2
    seconds, seen = 0.0, []
    for part in (history[:middle], history[middle:]):
        seconds += cpu_timed(system.update, state, part, trace=False)[1]
        played = np.array(state["events"][: len(history.players)]) > 0
        rating = system.view(state, np.arange(len(history.players)), NO_TIME)[0]
        seen.append(np.where(played, rating, -np.inf))
    leader = int(seen[0].argmax())
    best = [np.sort(rated[np.isfinite(rated)])[::-1] for rated in seen]
    tops = [float(rated[: max(1, round(TOP_SHARE * len(rated)))].mean()) for rated in best]
    return Halves((float(seen[0][leader]), float(seen[1][leader])), (tops[0], tops[1]), seconds)


def inflation(setting: Setting) -> Result:
    """Follow the best players, on simulated contests and on the given file."""
    sizes = (200, 20, 50) if setting.quick else (2_000, 200, 500)
    made = synthetic_contests(*sizes, drift=0.0, seed=setting.seed)
    found = {name: halves(made.history, system) for name, system in SYSTEMS.items()}
    numbers = _numbers(found, f"made-up contests, {seeds_named(setting.seeds(1))}", {})
    if setting.contests is not None:
        given = read_history(setting.contests)
        source = f"{setting.contests.name} in place of the author's Codeforces data"
        on_given = {name: halves(given, system) for name, system in SYSTEMS.items()}
        numbers += _numbers(on_given, source, published.INFLATION)
        what = f"seconds for {given.rows:,} results"
        seconds = f"{on_given['Elo-R'].seconds:.0f}"
        numbers.append(published.HALF_AN_HOUR.beside(what, seconds, source, "processor time; other data"))
    absent = "" if setting.contests else " Give contests with --contests to see it on real ones."
    skill = np.unique(made.skill)[::-1]
    truth = skill[: max(1, round(TOP_SHARE * len(skill)))].mean()
    rises = [found[name].best[1] - found[name].best[0] for name in SYSTEMS]
    ours, theirs = map(signed, rises)
    verdict = " Codeforces inflates more than Elo-R, as claimed." if rises[1] > max(0.0, rises[0]) else ""
    return Result(
        f"""
        The paper tells of Codeforces itself: toward the end of 2011 its best was rated about 2700 by both
        systems, and years later about 300 points higher by Elo-R and almost 900 by Codeforces, which it calls
        massive inflation. That history is not here. In its place stand made-up contests, {sizes[1]} with
        {sizes[2]} out of {sizes[0]:,} players each, in which skills do not change at all, so that whatever
        rises is inflation. From the first half to the end the best hundredth rises by {ours} points with
        Elo-R and by {theirs} with Codeforces; their true mean is {truth:.0f} all the time.{verdict}{absent}
        """,
        numbers=numbers,
    )


def _numbers(found: dict[str, Halves], source: str, printed_of: dict[str, Printed]) -> list[Number]:
    numbers = []
    for name, one in found.items():
        first, last = one.leader
        numbers.append(
            printed_of.get(name, Printed("", "")).beside(
                f"{name}: who led after half of the contests gained",
                f"{signed(last - first)} from {first:.0f}",
                source,
                f"the best hundredth {signed(one.best[1] - one.best[0])} from {one.best[0]:.0f}",
            )
        )
    return numbers
