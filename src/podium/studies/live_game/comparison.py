"""Live games side by side: the same people, served by other matchers and rated by other systems.

>>> import podium
>>> game = Game(players=100, days=1, sessions=4)
>>> compared = compare_games({"elo": podium.Elo(k=24)}, ["nearest", "random"], game, seeds=[1, 2])
>>> compared.summary.select("system", "matcher").rows()
[('elo', 'nearest'), ('elo', 'random')]
>>> near, far = compared.summary["even"]
>>> near < far
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podium.cluster.spreading import spread
from podium.errors import ParameterError
from podium.history.ragged import Progress
from podium.parameters import check_whole
from podium.presets import labelled
from podium.studies.live_game.game import Game, play_game
from podium.studies.live_game.game_run import GameRun
from podium.studies.live_game.matchers import make_matcher
from podium.studies.live_game.waiting_players import Matcher
from podium.systems import RatingSystem, system_meant

if TYPE_CHECKING:
    import polars as pl

_WORST = {"worst", "wait_worst", "worst_lost"}
"""Columns of which the highest of all seeds counts, and not the mean."""


@dataclass(frozen=True, eq=False)
class GameComparison:
    """What was measured, system by system and matcher by matcher: means of all seeds.

    Each table begins with the columns system and matcher; the others are those of the run's method of the
    same name.
    """

    summary: pl.DataFrame
    deviations: pl.DataFrame
    """Standard deviations of the summary's columns over the seeds; null where there is one seed."""
    waits: pl.DataFrame
    win_rates: pl.DataFrame
    streaks: pl.DataFrame
    errors: pl.DataFrame
    """By parts of a day, from the first on."""
    experience: pl.DataFrame
    """Errors by games played."""
    kinds: pl.DataFrame
    """Errors by kinds of accounts."""


@dataclass(frozen=True)
class _Job:
    """One game to play: a system, a matcher and a seed."""

    system_name: str
    system: RatingSystem
    matcher_name: str
    matcher: Matcher
    game: Game
    seed: int
    since: float

    def measure(self, progress: Progress | None = None) -> dict[str, pl.DataFrame]:
        """Play one game and keep its measures only; the log of games is large."""
        import polars as pl

        run = play_game(self.system, self.matcher, self.game, seed=self.seed, progress=progress)
        named = [pl.lit(self.system_name).alias("system"), pl.lit(self.matcher_name).alias("matcher")]
        measures: dict[str, Callable[[GameRun], pl.DataFrame]] = {
            "summary": lambda run: pl.DataFrame([run.summary(self.since)]),
            "waits": lambda run: run.waits(self.since),
            "win_rates": lambda run: run.win_rates(self.since),
            "streaks": lambda run: run.streaks(self.since),
            "errors": lambda run: run.errors("day"),
            "experience": lambda run: run.errors("experience", self.since),
            "kinds": lambda run: run.errors("kind", self.since),
        }
        return {name: measure(run).select(*named, pl.all()) for name, measure in measures.items()}


def compare_games(
    systems: Mapping[str, RatingSystem] | Sequence[str | RatingSystem],
    matchers: Mapping[str, Matcher] | Sequence[str],
    game: Game | None = None,
    *,
    seeds: Iterable[int] = (0,),
    since: float | None = None,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> GameComparison:
    """Play a game with each system and each matcher, once with each seed, and measure from day `since` on.

    Systems and matchers are given by name, or with names of your own.

    `since` is half of the days where nothing is said: by then ratings have settled somewhat. Games are played
    one after another, `jobs` at once in so many processes, or by an `executor` such as a process pool's; its
    processes have to be spawned, as Polars survives no fork. `progress` is called with the number of ticks
    done since the last call; there are ``game.ticks`` in each game.
    """
    game = Game() if game is None else game
    rated = systems if isinstance(systems, Mapping) else labelled([system_meant(one) for one in systems])
    pairs = matchers if isinstance(matchers, Mapping) else {name: make_matcher(name) for name in matchers}
    start = 0.5 * game.days if since is None else since
    seeds = tuple(seeds)
    games = [
        _Job(*system, *matcher, game, seed, start)
        for system in rated.items()
        for matcher in pairs.items()
        for seed in seeds
    ]
    if not games:
        raise ParameterError("nothing to compare", hint="at least one system, one matcher and one seed")
    if not 0.0 <= start < game.days:
        raise ParameterError(f"from day {start} on, of {game.days}", hint="days are counted from 0")
    if executor is None and jobs in (None, 1):
        measured = [one.measure(progress) for one in games]
    else:
        measured = _spread(games, jobs, executor, progress)
    tables = {name: _averaged([one[name] for one in measured]) for name in measured[0]}
    return GameComparison(deviations=_deviations([one["summary"] for one in measured]), **tables)


def _spread(
    games: Sequence[_Job], jobs: int | None, executor: Executor | None, progress: Progress | None
) -> list[dict[str, pl.DataFrame]]:
    measured: dict[int, dict[str, pl.DataFrame]] = {}
    processes = None if jobs is None else min(check_whole("jobs", jobs, 1), len(games))
    with spread(jobs=processes, executor=executor) as workers:
        for number, one in workers.results(_Job.measure, [(game,) for game in games]):
            measured[number] = one
            if progress is not None:
                progress(games[number].game.ticks)
    return [measured[number] for number in range(len(games))]


def _averaged(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Rows of the same group, which follow the names, put together over all seeds."""
    import polars as pl

    frame = pl.concat([one for one in frames if len(one)] or frames[:1])  # a short game may have no streaks
    first = frame.columns[2]
    keys = ["system", "matcher", *([first] if first in _GROUPS else [])]
    values: list[Any] = [
        pl.col(name).max() if name in _WORST else pl.col(name).mean()
        for name in frame.columns
        if name not in keys
    ]
    averaged = frame.group_by(keys, maintain_order=True).agg(values)
    return averaged.select(frame.columns)


def _deviations(summaries: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """How far the seeds are apart, system by system and matcher by matcher."""
    import polars as pl

    keys = ["system", "matcher"]
    return pl.concat(summaries).group_by(keys, maintain_order=True).agg(pl.exclude(keys).std())


_GROUPS = {"from", "wins", "length", "day", "experience", "kind"}
"""Columns that say what a row is about."""
