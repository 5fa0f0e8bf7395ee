"""Figures 4 to 7: a thousand players who start equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium import charts
from podium.charts import Axis
from podium.history.core import Floats
from podium.lab.populations import gaussian_skills
from podium.lab.rounds import RoundsRun, play_rounds
from podium.papers.items import Number, Result, Setting, seeds_named, spread_of
from podium.papers.printed import Printed, held, signed
from podium.papers.yuksel import published
from podium.papers.yuksel.contenders import AT_LIMIT, OURS, POPULATION, SCALED, trueskill
from podium.papers.yuksel.newcomers import win_chance
from podium.systems import RatingSystem
from podium.systems.yuksel import Yuksel

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

MARKS = (10, 100, 1_000, 2_000, 10_000)
"""Rounds after which everybody's rating is kept."""
MATCHED, LOOSE, RANDOM = 0.05, 0.3, None
"""Parts of the sorted list within which players are shuffled before neighbours meet; None: at random."""
SHOWN = (OURS, "Elo", "Glicko", "TrueSkill")


class Size(NamedTuple):
    """How much is played."""

    players: int
    rounds: int
    seeds: tuple[int, ...]

    @property
    def marks(self) -> list[int]:
        """Those that are reached."""
        return [mark for mark in MARKS if mark <= self.rounds]


def size_of(setting: Setting) -> Size:
    """Everything as in the paper, or little."""
    if setting.quick:
        return Size(100, 100, tuple(setting.seeds(1)))
    return Size(1_000, 10_000, tuple(setting.seeds(3)))


@cache
def _played(
    system: RatingSystem, players: int, rounds: int, seed: int, shuffle: float | None, drawn: bool
) -> RoundsRun:
    skill = gaussian_skills(players, even=not drawn, seed=seed)
    keep = [mark for mark in MARKS if mark <= rounds]
    return play_rounds(system, skill, rounds, shuffle=shuffle, keep=keep, seed=seed)


def runs_of(
    system: RatingSystem, size: Size, shuffle: float | None = MATCHED, *, drawn: bool = False
) -> list[RoundsRun]:
    """A run for each seed; true ratings are the quantiles of the distribution, or drawn from it."""
    return [_played(system, size.players, size.rounds, seed, shuffle, drawn) for seed in size.seeds]


def errors_after(runs: Sequence[RoundsRun], mark: int) -> list[float]:
    """Root mean square errors after a round, a run each."""
    return [float(run.rmse[mark - 1]) for run in runs]


# ---------------------------------------------------------------------- Figures 4 and 5


def figure_4(setting: Setting) -> Result:
    """Everybody's rating after a hundred, a thousand and ten thousand rounds."""
    size = size_of(setting)
    marks = [mark for mark in (100, 1_000, 10_000) if mark <= size.rounds]
    all_runs = {name: runs_of(POPULATION[name], size) for name in SHOWN}
    source = seeds_named(size.seeds)
    numbers = []
    glicko = [run.spread[-1] for run in all_runs["Glicko"]]
    numbers.append(
        published.NARROW.beside(
            f"Glicko's rating differences after {size.rounds:,} rounds, in parts of the actual ones",
            spread_of(glicko, 2),
            source,
            held(max(glicko) < 1.0),
        )
    )
    for name, runs in all_runs.items():
        if name != "Glicko":
            spreads = [run.spread[-1] for run in runs]
            what = f"the same with {name}"
            numbers.append(Number(what, spread_of(spreads, 2), source, place="Figure 4"))
    return Result(
        f"""
        {size.players:,} players start at 1500 and play round after round, matched by section 4.2 within a
        window of 5% of the list. The paper says of their ratings that they are normal, 1500 ± 600, "in the
        range of 0 to 3000", and not how they were drawn; here they are the quantiles of that distribution
        between 0 and 3000, which leaves 573 of the 600. The pictures are of seed {setting.seed}. They look
        as the paper describes them: after 100 rounds the new system has found the range, Elo and Glicko have
        not; in the end Elo and TrueSkill have spread it too far, and Glicko never fills it. TrueSkill fills
        it after 100 rounds too, which the paper denies: that hangs on the scale on which its default
        parameters are taken, here times 60, so that 25 becomes 1500.
        """,
        numbers=numbers,
        pictures={"figure-4": _dots_by_player(all_runs, marks)},
    )


def _dots_by_player(all_runs: Mapping[str, Sequence[RoundsRun]], marks: Sequence[int]) -> alt.ChartType:
    import polars as pl

    parts = []
    for name, runs in all_runs.items():
        run = runs[0]
        order = np.argsort(run.skill, kind="stable")
        for mark in marks:
            row = int(np.flatnonzero(run.kept == mark)[0])
            panel, place = f"{name}, {mark:,} rounds", np.arange(1, len(order) + 1)
            for what, values, every in (("estimate", run.rating[row], 2), ("actual rating", run.skill, 5)):
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
        subtitle="5% pairing; everybody starts at 1500; every second player is shown",
    )


def figure_5(setting: Setting) -> Result:
    """Errors round by round, with matchmaking."""
    size = size_of(setting)
    all_runs = {name: runs_of(system, size) for name, system in POPULATION.items()}
    numbers = _printed_errors(published.FIGURE_5, all_runs, size)
    numbers += _lowest(all_runs, size)
    numbers += _readings(size)
    numbers += _as_chances()
    numbers += [
        published.SCALE.beside(
            "win chance with 400 points more", f"{100 * win_chance(400.0):.1f}%", "exact", "as printed"
        ),
        published.LIMIT.beside(
            "win chance with 350 points more", f"{100 * win_chance(350.0):.1f}%", "exact", "as printed"
        ),
    ]
    picture = _errors_chart(all_runs, "5% pairing", size)
    return Result(
        """
        Root mean square errors of all ratings after each round. The new system as printed is some points
        worse than in the paper after a thousand and after ten thousand rounds. Two things that the paper
        leaves open matter: how the true ratings were drawn (numbers drawn at random leave gaps at the ends of
        the list, and give errors that differ from population to population), and when D is corrected.
        Algorithm 2 sets it after every game; correcting it only where the limit has cut Δr, as Algorithm 1
        does, gives the paper's 20 and 7. That reading was picked among about two dozen, so its agreement
        proves little.

        Elo is within a few points of the paper. Elo and TrueSkill get better for about a thousand rounds
        and then worse, as printed; Glicko, with no time between games, does not. TrueSkill's numbers hang on
        what its default parameters are taken to be: times 60, so that 25 becomes 1500, with no draws, it is
        better than in the paper; with the 10% chance of draws that the default has it is nearer to the 125
        after 2,000 rounds, and further from the 46 after 1,000. The new system with s = 0.95 is somewhat
        slower, as said. Errors of win probabilities are by Elo's formula between equals; the paper's own
        conversion is in its supplement, and differs by a point where ours is more.
        """,
        numbers=numbers,
        tables={f"Root mean square errors, {seeds_named(size.seeds)}": _errors_table(all_runs, size)},
        pictures={"figure-5": picture},
    )


def _as_chances() -> list[Number]:
    """Errors of ratings as errors of win probabilities, between equals and by Elo's formula."""
    numbers = []
    for points, printed in published.ERRORS.items():
        error = 100.0 * (win_chance(points) - 0.5)
        said = float(printed.value.removeprefix("less than ").rstrip("%"))
        holds = error < said if printed.value.startswith("less") else round(error) == said
        remark = "as printed" if holds else "more than printed"
        what = f"{points} points as an error of win probability"
        numbers.append(printed.beside(what, f"{error:.1f}%", "exact", remark))
    return numbers


def _printed_errors(
    printed_of: Mapping[tuple[str, int], Printed], all_runs: Mapping[str, Sequence[RoundsRun]], size: Size
) -> list[Number]:
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
    """By how many points from the printed number; five are around it."""
    said = float(printed.value.removeprefix("around ")) if printed.value else ours
    near = 5.0 if printed.value.startswith("around") else 0.5
    return "as printed" if abs(ours - said) <= near else signed(ours - said)


def _lowest(all_runs: Mapping[str, Sequence[RoundsRun]], size: Size) -> list[Number]:
    numbers = []
    for name in ("Elo", "TrueSkill"):
        best = [int(run.rmse.argmin()) + 1 for run in all_runs[name]]
        least = np.mean([run.rmse.min() for run in all_runs[name]])
        numbers.append(
            published.LOWEST.beside(
                f"{name} is best after rounds",
                spread_of(best, 0),
                seeds_named(size.seeds),
                f"{least:.0f} off",
            )
        )
    last = size.marks[-1]
    ours, scaled = (errors_after(all_runs[name], last) for name in (OURS, SCALED))
    numbers.append(
        published.SLOWER.beside(
            f"after {last:,} rounds with s = 1 and s = 0.95",
            f"{np.mean(ours):.0f} and {np.mean(scaled):.0f}",
            seeds_named(size.seeds),
        )
    )
    return numbers


def _readings(size: Size) -> list[Number]:
    """What the paper leaves open, for its own system; and what it says of other pairings and sizes."""
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
            "tried up to ten thousand",
        )
    )
    loose = runs_of(POPULATION[OURS], few._replace(rounds=min(size.rounds, 2_000)), LOOSE)
    reached = [mark for mark in (100, 1_000, 2_000) if mark <= size.rounds]
    numbers.append(
        published.STABLE.beside(
            f"Yuksel in 30% pairing after {', '.join(f'{mark:,}' for mark in reached)} rounds",
            ", ".join(f"{np.mean(errors_after(loose, mark)):.0f}" for mark in reached),
            source,
            held(errors_after(loose, reached[-1])[0] <= errors_after(loose, reached[0])[0]),
        )
    )
    return numbers


def _errors_table(all_runs: Mapping[str, Sequence[RoundsRun]], size: Size) -> pl.DataFrame:
    import polars as pl

    columns: dict[str, list[str]] = {"system": list(all_runs)}
    for mark in size.marks:
        columns[f"{mark:,}"] = [spread_of(errors_after(runs, mark), 0) for runs in all_runs.values()]
    return pl.DataFrame(columns)


def _errors_chart(all_runs: Mapping[str, Sequence[RoundsRun]], pairing: str, size: Size) -> alt.ChartType:
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


# ---------------------------------------------------------------------- Figure 6


def figure_6(setting: Setting) -> Result:
    """Win rates with and without matchmaking."""
    size = size_of(setting)
    size = size._replace(rounds=min(size.rounds, 1_000))
    marks = [mark for mark in (10, 100, 1_000) if mark <= size.rounds]
    halves = {"with matchmaking": MATCHED, "without": RANDOM}
    found = {half: runs_of(POPULATION[OURS], size, shuffle) for half, shuffle in halves.items()}
    source = seeds_named(size.seeds)
    numbers = []
    for half, runs in found.items():
        for mark in marks:
            within, ends = zip(*(_near_half(run, mark) for run in runs), strict=True)
            what = f"players who won 40% to 60% of {mark:,} games, {half}: middle 90% and ends"
            ours = f"{spread_of(100 * np.array(within), 0, '%')} and {100 * np.mean(ends):.0f}%"
            if half == "with matchmaking":
                numbers.append(published.MOST.beside(what, ours, source, held(np.mean(within) > 0.9)))
            else:
                numbers.append(Number(what, ours, source))
    return Result(
        """
        Win rates of the new system's players after 10, 100 and 1,000 rounds, sorted by actual rating. With
        matchmaking nearly everybody wins about half of the games, but for the twentieth at each end, where
        nobody is strong or weak enough; after ten games some of the middle are still off, as ratings are.
        Without it win rates follow strength, from nearly none to nearly all.
        """,
        numbers=numbers,
        pictures={"figure-6": _win_rate_dots(found, marks)},
    )


def _near_half(run: RoundsRun, mark: int) -> tuple[float, float]:
    """The part of the middle 90% by actual rating, and of the others, who won 40% to 60%."""
    rate = run.win_rate[int(np.flatnonzero(run.kept == mark)[0])][np.argsort(run.skill, kind="stable")]
    near = np.abs(rate - 0.5) <= 0.1 + 1e-9
    end = len(rate) // 20
    return float(near[end:-end].mean()), float(np.concatenate((near[:end], near[-end:])).mean())


def _win_rate_dots(found: Mapping[str, Sequence[RoundsRun]], marks: Sequence[int]) -> alt.ChartType:
    import polars as pl

    parts = []
    for half, runs in found.items():
        run = runs[0]
        order = np.argsort(run.skill, kind="stable")
        for mark in marks:
            rate = run.win_rate[int(np.flatnonzero(run.kept == mark)[0])][order]
            place = np.arange(1, len(order) + 1)
            columns = {"panel": f"{half}, {mark:,} rounds", "player": place, "rate": rate}
            parts.append(pl.DataFrame(columns))
    return charts.dots(
        pl.concat(parts),
        Axis("player", "player, by actual rating", format="~d"),
        Axis("rate", "games won", domain=(0.0, 1.0), format=".0%"),
        panel="panel",
        across=[0.5],
        columns=len(marks),
        width=210,
        height=160,
        title="Win rates with and without matchmaking",
        subtitle="Yuksel's system; a dot is a player",
    )


# ---------------------------------------------------------------------- Figure 7


def figure_7(setting: Setting) -> Result:
    """Errors round by round, with random pairs."""
    size = size_of(setting)
    all_runs = {name: runs_of(system, size, RANDOM) for name, system in POPULATION.items()}
    source = seeds_named(size.seeds)
    best = [int(run.rmse.argmin()) + 1 for run in all_runs[OURS]]
    last = size.marks[-1]
    numbers = _printed_errors(published.FIGURE_7, all_runs, size)
    numbers += [
        published.UNSTABLE.beside(
            "Yuksel gets better for so many rounds",
            spread_of(best, 0),
            source,
            f"to {np.mean([run.rmse.min() for run in all_runs[OURS]]):.0f} points",
        ),
        published.WORSE.beside(
            f"Yuksel after {last:,} rounds",
            spread_of(errors_after(all_runs[OURS], last), 0),
            source,
            held(all(run.rmse[last - 1] > 2.0 * run.rmse.min() for run in all_runs[OURS])),
        ),
        published.OUTPERFORMS.beside(
            f"Yuksel with s = 0.95 after {last:,} rounds",
            spread_of(errors_after(all_runs[SCALED], last), 0),
            source,
            _verdict(all_runs, last),
        ),
    ]
    alone = size._replace(seeds=size.seeds[:1])
    for what, system in {
        "s = 0.7": Yuksel(step=0.7),
        "s = 0.95, α = 1.6": Yuksel(step=0.95, alpha=1.6),
    }.items():
        ours = spread_of(errors_after(runs_of(system, alone, RANDOM), last), 0)
        numbers.append(Number(f"Yuksel with {what} after {last:,} rounds", ours, seeds_named(alone.seeds)))
    return Result(
        """
        The same without matchmaking: anybody meets anybody. As printed, the new system gets better for some
        time and then much worse, and Elo settles at about 50 (after a thousand rounds it is not there yet).
        What does not come out is the remedy. With s = 0.95 it gets worse somewhat later and stays nearly as
        bad, in every reading of the algorithm that was tried (podium's study of matchmaking lists them). It
        takes about s = 0.7; or a smaller α, with which s = 0.95 is stable as the paper describes, but then
        errors with matchmaking are far from Figure 5. Nor do all other systems do better here than with
        matchmaking after a thousand rounds: Elo and TrueSkill are better at random in the long run only.
        """,
        numbers=numbers,
        tables={f"Root mean square errors, {source}": _errors_table(all_runs, size)},
        pictures={"figure-7": _errors_chart(all_runs, "random pairing", size)},
    )


def _verdict(all_runs: Mapping[str, Sequence[RoundsRun]], mark: int) -> str:
    errors = {name: float(np.mean(errors_after(runs, mark))) for name, runs in all_runs.items()}
    best = min(errors, key=lambda name: errors[name])
    return "so it is" if best == SCALED else f"it is not: {best} is best, {errors[best]:.0f} off"
