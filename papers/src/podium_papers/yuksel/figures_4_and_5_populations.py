"""Figures 4 and 5: a thousand players who start equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium import charts
from podium.arrays import Floats
from podium.charts import Axis
from podium.simulation.populations import gaussian_skills
from podium.studies.live_game.rounds import RoundsRun, play_rounds
from podium.systems import RatingSystem
from podium_papers.items import Number, Result, Setting, seeds_named, spread_of
from podium_papers.printed import Printed, compared, held, signed
from podium_papers.yuksel import published
from podium_papers.yuksel.contenders import AT_LIMIT, OURS, POPULATION, SCALED, trueskill
from podium_papers.yuksel.followed_newcomer import win_chance

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

MARKED_ROUNDS = (10, 100, 1_000, 2_000, 10_000)
"""Rounds after which everybody's rating is kept."""
MATCHED, LOOSE, RANDOM = 0.05, 0.3, None
"""Share of the sorted list within which players are shuffled before neighbours meet; None: random pairs."""
SHOWN = (OURS, "Elo", "Glicko", "TrueSkill")


class Size(NamedTuple):
    """Number of players, rounds and seeds."""

    players: int
    rounds: int
    seeds: tuple[int, ...]

    @property
    def marks(self) -> list[int]:
        """The marked rounds that are reached."""
        return [mark for mark in MARKED_ROUNDS if mark <= self.rounds]


def size_of(setting: Setting) -> Size:
    """The paper's sizes, or small ones in quick runs."""
    if setting.quick:
        return Size(100, 100, tuple(setting.seeds(1)))
    return Size(1_000, 10_000, tuple(setting.seeds(3)))


@cache
def _played(
    system: RatingSystem, players: int, rounds: int, seed: int, shuffle: float | None, drawn: bool
) -> RoundsRun:
    skill = gaussian_skills(players, even=not drawn, seed=seed)
    keep = [mark for mark in MARKED_ROUNDS if mark <= rounds]
    return play_rounds(system, skill, rounds, shuffle=shuffle, keep=keep, seed=seed)


def runs_of(
    system: RatingSystem, size: Size, shuffle: float | None = MATCHED, *, drawn: bool = False
) -> list[RoundsRun]:
    """One run per seed; true ratings are the quantiles of the distribution, or drawn from it."""
    return [_played(system, size.players, size.rounds, seed, shuffle, drawn) for seed in size.seeds]


def errors_after(runs: Sequence[RoundsRun], mark: int) -> list[float]:
    """Root mean square error after a round, one value per run."""
    return [float(run.rmse[mark - 1]) for run in runs]


def listed(numbers: Sequence[int]) -> str:
    """Numbers one after another.

    >>> listed([10, 100, 1_000])
    '10, 100 and 1,000'
    """
    *others, last = (f"{number:,}" for number in numbers)
    return f"{', '.join(others)} and {last}" if others else last


def figure_4(setting: Setting) -> Result:
    """Draw everybody's rating after a hundred, a thousand and ten thousand rounds."""
    size = size_of(setting)
    marks = [mark for mark in (100, 1_000, 10_000) if mark <= size.rounds]
    all_runs = {name: runs_of(POPULATION[name], size) for name in SHOWN}
    skill = all_runs[OURS][0].skill
    return Result(
        f"""
        {size.players:,} players start at 1500 and play round after round, matched by section 4.2 within a
        window of 5% of the list. The paper says of their ratings that they are normal, 1500 ± 600, "in the
        range of 0 to 3000", and not how they were drawn; here they are the quantiles of that distribution
        between 0 and 3000, which leaves {skill.std():.0f} of the 600. The pictures are of seed
        {setting.seed}. Whether a system matches the range is measured by the slope of its ratings over the
        actual ones: 1 is right, less is too narrow, more too wide; from 0.9 to 1.1 counts as matched.
        TrueSkill's numbers hang on the scale on which its default parameters are taken, here times 60, so
        that 25 becomes 1500.
        """,
        numbers=_ranges(all_runs, size),
        pictures={"figure-4": _dots_by_player(all_runs, marks)},
    )


def _ranges(all_runs: Mapping[str, Sequence[RoundsRun]], size: Size) -> list[Number]:
    """Share of the range of true ratings that is filled, after 100 rounds and at later marks."""
    source, numbers = seeds_named(size.seeds), []
    for name, printed in published.RANGE_AFTER_100.items():
        spreads = [float(run.spread[99]) for run in all_runs[name]]
        matched = 0.9 <= float(np.mean(spreads)) <= 1.1
        what = f"slope after 100 rounds, {name}"
        remark = held(matched == (name == OURS))
        numbers.append(printed.beside(what, spread_of(spreads, 2), source, remark))
    for mark in (1_000, 10_000):
        for name, runs in all_runs.items():
            if mark > size.rounds:
                continue
            spreads = [float(run.spread[mark - 1]) for run in runs]
            what, ours = f"slope after {mark:,} rounds, {name}", spread_of(spreads, 2)
            if (name, mark) == ("Glicko", 1_000):
                numbers.append(published.NARROW.beside(what, ours, source, held(max(spreads) < 1.0)))
            else:
                numbers.append(Number(what, ours, source))
    return numbers


def _dots_by_player(all_runs: Mapping[str, Sequence[RoundsRun]], marks: Sequence[int]) -> alt.ChartType:
    import polars as pl

    parts = []
    for name, runs in all_runs.items():
        run = runs[0]
        order = np.argsort(run.skill, kind="stable")
        for mark in marks:
            row = int(np.flatnonzero(run.kept == mark)[0])
            panel, place = f"{name}, {mark:,} rounds", np.arange(1, len(order) + 1)
            for what, values, every in (("estimate", run.rating[row], 3), ("actual rating", run.skill, 10)):
                columns = {"panel": panel, "what": what, "player": place, "rating": values[order]}
                parts.append(pl.DataFrame(columns)[::every])
    return charts.dots(
        pl.concat(parts),
        Axis("player", "player, by actual rating", format="~d"),
        Axis("rating", "rating (points)", domain=(-700.0, 3700.0)),
        colour="what",
        panel="panel",
        size=5.0,
        opacity=0.7,
        columns=len(marks),
        width=210,
        height=150,
        title="A population's ratings after rounds of games",
        subtitle="5% pairing; everybody starts at 1500; every third player is shown",
    )


def figure_5(setting: Setting) -> Result:
    """Draw errors round by round, with matchmaking."""
    size = size_of(setting)
    all_runs = {name: runs_of(system, size) for name, system in POPULATION.items()}
    numbers = printed_errors(published.FIGURE_5, all_runs, size)
    numbers += _lowest(all_runs, size)
    numbers += _readings(size)
    numbers += _as_chances()
    for printed, points in ((published.SCALE, 400.0), (published.LIMIT, 350.0)):
        chance = 100.0 * win_chance(points)
        what, remark = f"win chance with {points:.0f} points more", compared(chance, printed.value)
        numbers.append(printed.beside(what, f"{chance:.1f}%", "exact", remark))
    picture = errors_chart(all_runs, "5% pairing", size)
    return Result(
        """
        Root mean square errors of all ratings after each round. Two things that the paper leaves open matter
        to its own system: how the true ratings were drawn (numbers drawn at random leave gaps at the ends of
        the list, and give errors that differ from population to population), and when D is corrected.
        Algorithm 2 sets it after every game; correcting it only where the limit has cut Δr, as Algorithm 1
        does, is another reading. It was picked among about two dozen for coming near the printed numbers, so
        its agreement proves little.

        Glicko has no time between games, as in the paper. TrueSkill's numbers hang on what its default
        parameters are taken to be: here times 60, so that 25 becomes 1500, with no draws; with the 10% chance
        of draws that the default has it stands below. Errors of win probabilities are by Elo's formula
        between equals; the paper's own conversion is in its supplement, which is not here.
        """,
        numbers=numbers,
        tables={f"Root mean square errors, {seeds_named(size.seeds)}": errors_table(all_runs, size)},
        pictures={"figure-5": picture},
    )


def _as_chances() -> list[Number]:
    """Errors of ratings as errors of win probabilities between equal players, by Elo's formula."""
    numbers = []
    for points, printed in published.ERRORS:
        error = 100.0 * (win_chance(points) - 0.5)
        if printed.value.startswith("less than"):
            remark = held(error < float(printed.value.removeprefix("less than ").rstrip("%")))
        else:
            remark = compared(error, printed.value)
        what = f"{points} points as an error of win probability"
        numbers.append(printed.beside(what, f"{error:.1f}%", "exact", remark))
    return numbers


def printed_errors(
    printed_of: Mapping[tuple[str, int], Printed], all_runs: Mapping[str, Sequence[RoundsRun]], size: Size
) -> list[Number]:
    """The paper's errors next to ours, for the rounds that are played."""
    numbers = []
    for (name, mark), printed in printed_of.items():
        if mark > size.rounds:
            continue
        errors, runs = errors_after(all_runs[name], mark), all_runs[name]
        if printed.value.startswith("below"):
            limit = float(printed.value.removeprefix("below "))
            first = [int(np.argmax(run.rmse < limit)) + 1 for run in runs]
            remark = f"below {limit:.0f} after {spread_of(first, 0)} rounds"
        else:
            remark = _apart(float(np.mean(errors)), printed)
        source = seeds_named(size.seeds)
        numbers.append(printed.beside(f"{name} after {mark:,} rounds", spread_of(errors, 0), source, remark))
    return numbers


def _apart(ours: float, printed: Printed) -> str:
    """In words, the distance to the printed number; within five points of "around 50" counts as printed."""
    if not printed.value:
        return ""
    said = float(printed.value.split()[-1])
    near = 5.0 if printed.value.startswith("around") else 0.5
    return "as printed" if abs(ours - said) <= near else signed(ours - said)


def _lowest(all_runs: Mapping[str, Sequence[RoundsRun]], size: Size) -> list[Number]:
    """What happens after the best round; empty if fewer rounds are played."""
    if size.rounds <= 1_000:
        return []
    source, last = seeds_named(size.seeds), size.marks[-1]
    numbers = []
    for name in ("Elo", "TrueSkill"):
        best = [int(run.rmse.argmin()) + 1 for run in all_runs[name]]
        least = np.mean([run.rmse.min() for run in all_runs[name]])
        around = held(bool(750.0 <= np.mean(best) <= 1_250.0))
        remark = f"{around}, if a quarter off is around; {least:.0f} points then"
        numbers.append(
            published.LOWEST.beside(f"{name} is best after rounds", spread_of(best, 0), source, remark)
        )
    at_last = errors_after(all_runs["Glicko"], last)
    ever = [float(run.rmse.min()) for run in all_runs["Glicko"]]
    numbers.append(
        published.NO_DIVERGENCE.beside(
            f"Glicko after {last:,} rounds",
            spread_of(at_last, 0),
            source,
            f"{held(max(np.subtract(at_last, ever)) < 1.0)}: at best {np.mean(ever):.0f}",
        )
    )
    for mark in size.marks[1:]:
        ours, scaled = (float(np.mean(errors_after(all_runs[name], mark))) for name in (OURS, SCALED))
        numbers.append(
            published.SLOWER.beside(
                f"after {mark:,} rounds with s = 1 and s = 0.95",
                f"{ours:.0f} and {scaled:.0f}",
                source,
                f"{scaled / ours:.2f} times the error",
            )
        )
    return numbers


def _readings(size: Size) -> list[Number]:
    """Other readings of what the paper leaves open for its system; other pairings and sizes."""
    few = size._replace(seeds=size.seeds[:2])
    drawn, limit = runs_of(POPULATION[OURS], few, drawn=True), runs_of(AT_LIMIT, few)
    marks = [mark for mark in (1_000, 10_000) if mark <= size.rounds] or size.marks[-1:]
    source = seeds_named(few.seeds)
    numbers = []
    for mark in marks:
        printed = published.FIGURE_5.get((OURS, mark), Printed("", ""))
        for what, runs in (("drawn true ratings", drawn), ("D corrected at the limit only", limit)):
            errors = errors_after(runs, mark)
            numbers.append(
                printed.beside(
                    f"Yuksel after {mark:,} rounds, {what}",
                    spread_of(errors, 0),
                    source,
                    _apart(float(np.mean(errors)), printed),
                )
            )
    draws = runs_of(trueskill(60.0, draw_rate=0.1), few._replace(rounds=min(size.rounds, 2_000)))
    for mark in (1_000, 2_000):
        if mark <= size.rounds:
            printed, errors = published.FIGURE_5["TrueSkill", mark], errors_after(draws, mark)
            what = f"TrueSkill after {mark:,} rounds, with a 10% chance of draws"
            remark = _apart(float(np.mean(errors)), printed)
            numbers.append(printed.beside(what, spread_of(errors, 0), source, remark))
    short = size._replace(rounds=min(size.rounds, 1_000), seeds=size.seeds[:1])
    larger = short._replace(players=10 * size.players)
    after = short.rounds
    one, ten = (errors_after(runs_of(POPULATION[OURS], s), after)[0] for s in (short, larger))
    numbers.append(
        published.LARGER.beside(
            f"Yuksel after {after:,} rounds, {short.players:,} and {larger.players:,} players",
            f"{one:.0f} and {ten:.0f}",
            seeds_named(short.seeds),
            f"{signed(ten - one)} points",
        )
    )
    loose = runs_of(POPULATION[OURS], few._replace(rounds=min(size.rounds, 2_000)), LOOSE)
    reached = [mark for mark in (100, 1_000, 2_000) if mark <= size.rounds]
    what = f"Yuksel in 30% pairing after {listed(reached)} rounds"
    ours = ", ".join(f"{np.mean(errors_after(loose, mark)):.0f}" for mark in reached)
    if len(reached) == 1:
        return [*numbers, Number(what, ours, source)]
    stays = held(all(run.rmse[reached[-1] - 1] <= run.rmse[reached[0] - 1] for run in loose))
    return [*numbers, published.STABLE.beside(what, ours, source, stays)]


def errors_table(all_runs: Mapping[str, Sequence[RoundsRun]], size: Size) -> pl.DataFrame:
    """Errors of every system after each marked round."""
    import polars as pl

    columns: dict[str, list[str]] = {"system": list(all_runs)}
    for mark in size.marks:
        columns[f"{mark:,}"] = [spread_of(errors_after(runs, mark), 0) for runs in all_runs.values()]
    return pl.DataFrame(columns)


def errors_chart(all_runs: Mapping[str, Sequence[RoundsRun]], pairing: str, size: Size) -> alt.ChartType:
    """Draw the errors of every system, round by round."""
    import polars as pl

    rounds = np.unique(np.geomspace(1, size.rounds, 250).round().astype(np.int64))
    parts = []
    for name, runs in all_runs.items():
        errors: Floats = np.stack([run.rmse[rounds - 1] for run in runs])
        low, high = errors.min(axis=0), errors.max(axis=0)
        columns = {"system": name, "round": rounds, "rmse": errors.mean(axis=0), "low": low, "high": high}
        parts.append(pl.DataFrame(columns))
    return charts.curves(
        pl.concat(parts),
        Axis("round", "rounds", log=True, format="~s"),
        Axis("rmse", "root mean square error (points)", log=True),
        colour="system",
        band=("low", "high"),
        dashed=[SCALED],
        title="How far ratings are off, round by round",
        subtitle=f"{pairing}, {size.players:,} players · line: mean of {len(size.seeds)} seeds, area: all",
    )
