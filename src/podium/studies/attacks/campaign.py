"""Every system against every attack, on many made-up seasons or on a real history."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from podium.cluster.spreading import spread
from podium.errors import ParameterError, UnsupportedError
from podium.evaluation.backtest import Systems, named_systems
from podium.history import History, HistoryLike, history_meant
from podium.history.ragged import Progress
from podium.parameters import ParameterInput, check_whole
from podium.presets import PRESETS
from podium.studies.attacks.altered_histories import own_events
from podium.studies.attacks.attack_report import AttackReport, Defended, ScriptedAttack, SearchedAttack
from podium.studies.attacks.attack_run import AttackRun, attack_history, honest_curve
from podium.studies.attacks.catalogue import strategies_of
from podium.studies.attacks.defences import NO_DEFENCE, Defence, defences_of
from podium.studies.attacks.patterns import PatternSearch, search_patterns
from podium.studies.attacks.policy_search import PolicySearch, search_policy
from podium.studies.attacks.strategy import Strategy, Throwing
from podium.studies.attacks.worlds import Case, SimulatedContests, World, best_players
from podium.systems import RatingSystem, System, list_systems, make_system
from podium.text import shorten

USUAL_SEEDS = 20
POINTS_OF_ONE = {"trueskill": 42.0, "weng-lin": 42.0}
"""Systems whose own scale is around 25, and how many of the others' points one of theirs is: 350/(25/3)."""
SEARCH_PLAYERS = 50
"""Of a season that policies are searched on: hundreds of them are rated."""
PATTERN_EVENTS, PATTERN_AFTER = 10, 45


def usual_systems() -> dict[str, RatingSystem]:
    """Every registered system as it comes, those of another scale on that of 1500 ± 350.

    TrueSkill and Weng–Lin are the same on any scale; so a point is about a point everywhere.

    >>> usual_systems()["trueskill"].parameters()["beta"]
    175.0
    """
    made = {}
    for name in list_systems():
        system = make_system(name)
        if (scale := POINTS_OF_ONE.get(name)) is not None:
            sizes = {key: scale * system.parameters()[key] for key in ("sigma", "beta", "tau")}
            system = system.changed(mu=1500.0, **sizes)
        made[name] = system
    return made


def usual_system(name: str, **given: ParameterInput) -> RatingSystem:
    """What a bare name stands for here: the system as in `usual_systems`, with some parameters changed."""
    system = make_system(name, **given)
    if name in PRESETS or system.name not in POINTS_OF_ONE:
        return system
    return usual_systems()[system.name].changed(**given)


def attack(
    systems: Systems | None = None,
    attacks: Iterable[str | Strategy] | None = None,
    history: HistoryLike | None = None,
    player: str | Sequence[str] | int | None = None,
    *,
    seeds: int | Sequence[int] = USUAL_SEEDS,
    world: World | None = None,
    watch: System | None = None,
    held: bool = False,
    defences: Iterable[str | Defence] = (),
    search: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> AttackReport:
    """Let a player cheat in every given way, under every given system, and measure the gain.

    Without a `history` the attacks take place in a made-up `world`. Systems that cannot rate such events are
    left out, and the report gives the reason.

    Args:
        systems: Systems or names. A name means that of `usual_systems`. Default: all of them.
        attacks: Names of attacks, or strategies. Default: all that fit.
        history: Real results to change instead of a made-up world.
        player: With a history: the attacker or several names. A number takes so many of the best players who
            have as many events before the attack as it waits for.
        seeds: Seeds of made-up worlds, or their number.
        world: The made-up world.
        watch: Players decide by the ratings of this system whether to throw an event. Default: the system
            that is tried.
        held: Rate all other players as if there had been no attack (see `attack_history`).
        defences: Rules of the organisers. Each is tried with every system, and compared with the system
            without it.
        search: Also look for the best attack. It tries all patterns of a short horizon. In made-up worlds it
            finds the best policy of farming for a whole season, and judges it on other seasons.
        jobs: Number of processes. Default: one for each core.
        progress: Called with the number of jobs done.

    Returns:
        The gain of each attack under each system, with intervals.

    >>> from podium.studies.attacks import Farming, SimulatedContests
    >>> short = Farming(honest=12, farming=12, after=6)
    >>> world = SimulatedContests(players=30, contests=30)
    >>> report = attack(["topcoder", "elo-mmr"], [short], seeds=8, world=world, jobs=1)
    >>> for row in report.summary.iter_rows(named=True):
    ...     print(row["system"], row["verdict"])
    topcoder cheating pays: +139 points (95% +38 to +241 over 8 seeds)
    elo-mmr does not pay: −21 points (95% −40 to −2.8 over 8 seeds)
    """
    campaign = plan(
        systems,
        attacks,
        history,
        player,
        seeds=seeds,
        world=world,
        watch=watch,
        held=held,
        defences=defences,
        search=search,
    )
    return campaign.run(jobs, progress)


@dataclass(frozen=True, eq=False)
class Campaign:
    """A plan: every system, attack and case, as jobs that processes can share."""

    systems: Mapping[str, RatingSystem]
    """Each of them, and each of them under each defence."""
    defended: Mapping[str, Defended]
    """Which of these are under a defence."""
    refused: Mapping[str, str]
    strategies: tuple[Strategy, ...]
    history: History | None
    world: World | None
    cases: tuple[str, ...]
    """Seeds or players."""
    jobs: tuple[Job, ...]

    def run(self, jobs: int | None = None, progress: Progress | None = None) -> AttackReport:
        """Run all jobs in `jobs` processes and report. Default: one process per core."""
        runs: dict[int, list[ScriptedAttack]] = {}
        found: dict[int, SearchedAttack] = {}
        with spread(self.history, jobs=jobs) as workers:
            function = _do if self.history is None else _do_in
            for number, result in workers.results(function, [(job,) for job in self.jobs]):
                job = self.jobs[number]
                if isinstance(result, list):
                    runs[number] = [ScriptedAttack(job.name, str(job.case), run) for run in result]
                else:
                    found[number] = SearchedAttack(job.name, str(job.case), result)
                if progress is not None:
                    progress(1)
        return AttackReport(
            systems=self.systems,
            defended=self.defended,
            refused=self.refused,
            strategies=self.strategies,
            runs=tuple(run for number in sorted(runs) for run in runs[number]),
            found=tuple(found[number] for number in sorted(found)),
            where=str(self.world if self.history is None else self.history.summary()),
            cases="seeds" if self.history is None else "players",
            named=self.cases,
        )


def plan(
    systems: Systems | None = None,
    attacks: Iterable[str | Strategy] | None = None,
    history: HistoryLike | None = None,
    player: str | Sequence[str] | int | None = None,
    *,
    seeds: int | Sequence[int] = USUAL_SEEDS,
    world: World | None = None,
    watch: System | None = None,
    held: bool = False,
    defences: Iterable[str | Defence] = (),
    search: bool = False,
) -> Campaign:
    """What `attack` would do, refused before any work where it makes no sense."""
    chosen = usual_systems() if systems is None else named_systems(_usual(systems))
    strategies = tuple(strategies_of(attacks))
    if held:
        thrown = tuple(strategy for strategy in strategies if isinstance(strategy, Throwing))
        if attacks is not None and len(thrown) < len(strategies):
            raise ParameterError("others are held where events are thrown", hint="leave other attacks out")
        strategies = thrown
    events = max(strategy.events for strategy in strategies)
    cases: list[Any]
    history = None if history is None else history_meant(history, "attack")
    if history is None:
        if player is not None:
            raise ParameterError("a player without a history", hint="made-up worlds have their own attacker")
        world = SimulatedContests(contests=events) if world is None else world
        cases = _seeds(seeds)
        first = world.make(cases[0])
        own_events(*first, events)  # refused before any work, where there are too few
        sample = first.history
    else:
        if world is not None:
            raise ParameterError("both a history and a world", hint="give one of them")
        known = min(strategy.phases[0].events for strategy in strategies)
        cases = _players(history, player, events, max(known, 1))
        for name in cases:
            own_events(history, name, events)
        sample = history
    watch = usual_system(watch) if isinstance(watch, str) else watch
    if watch is not None:
        watch.check(sample)
    if search and bool(np.any(sample.sides_per_event < sample.sizes)):
        raise UnsupportedError(
            "attacks are searched in events of single players", hint="leave search out", evidence="teams"
        )
    refused = {name: why for name, system in chosen.items() if (why := _refusal(system, sample))}
    if len(refused) == len(chosen):
        raise UnsupportedError("none of these systems can rate such events", hint="; ".join(refused.values()))
    able: dict[str, RatingSystem] = {}
    defended: dict[str, Defended] = {}
    rules = defences_of(defences)
    for name in [name for name in chosen if name not in refused]:
        able[name] = chosen[name]
        for rule in rules:
            label = f"{name}, {rule.label}"
            try:
                able[label] = rule.applied(chosen[name])
                defended[label] = Defended(name, rule)
            except UnsupportedError as error:
                refused[label] = error.reason
    planned: list[Job] = []
    for name, system in able.items():
        rule = defended[name].defence if name in defended else NO_DEFENCE
        planned += [Scripted(name, system, world, case, strategies, watch, held, rule) for case in cases]
        if search and name not in defended:
            planned += [Patterns(name, system, world, case, events) for case in cases]
            if world is not None:
                planned.append(Policies(name, system, world, cases[0], events, len(cases)))
    return Campaign(
        able, defended, refused, strategies, history, world, tuple(map(str, cases)), tuple(planned)
    )


def _usual(systems: Systems) -> Systems:
    """The systems, with usual ones instead of names."""
    if isinstance(systems, Mapping):
        return {name: usual_system(one) if isinstance(one, str) else one for name, one in systems.items()}
    given = [systems] if isinstance(systems, (str, RatingSystem)) else list(systems)
    if all(isinstance(one, str) for one in given):
        return {str(one): usual_system(str(one)) for one in given}
    return [usual_system(one) if isinstance(one, str) else one for one in given]


def _seeds(seeds: int | Sequence[int]) -> list[int]:
    given = list(range(check_whole("seeds", seeds, 1))) if isinstance(seeds, int) else list(seeds)
    if not given or len(set(given)) < len(given):
        raise ParameterError("seeds are some different whole numbers", hint="seeds=20 means 0 to 19")
    return [check_whole("a seed", seed, 0) for seed in given]


def _players(
    history: History, player: str | Sequence[str] | int | None, events: int, known: int
) -> list[str]:
    """Who cheats in a history: those named, or so many of the best."""
    if isinstance(player, str):
        return [player]
    if player is None or isinstance(player, int):
        number = 1 if player is None else check_whole("player", player, 1)
        return best_players(history, events, number, known)
    return list(player)


def _refusal(system: RatingSystem, history: History) -> str | None:
    """Why a system cannot take part; None where it can."""
    try:
        system.check(history)
    except UnsupportedError as error:
        return shorten(error.reason, 200)
    return None


# ---------------------------------------------------------------------- jobs


@dataclass(frozen=True)
class Job(ABC):
    """Something to be done with one system, in a made-up world or a real history."""

    name: str
    """What the system is called here."""
    system: RatingSystem
    world: World | None
    case: Any
    """A seed of the world, or a player of the history."""

    @abstractmethod
    def do(self, history: History | None) -> list[AttackRun] | PatternSearch | PolicySearch:
        """Run the job; `history` is given where the attacks are on a real one."""

    def place(self, history: History | None) -> Case:
        """The history, and who in it cheats."""
        if self.world is not None:
            return self.world.make(self.case)
        assert history is not None
        return Case(history, self.case)


@dataclass(frozen=True)
class Scripted(Job):
    """All scripted attacks, beside one honest curve."""

    strategies: tuple[Strategy, ...]
    watch: RatingSystem | None
    held: bool
    defence: Defence

    def do(self, history: History | None) -> list[AttackRun]:
        """Rate each attack beside the one honest curve."""
        where = self.place(history)
        events = max(strategy.events for strategy in self.strategies)
        honest = honest_curve(*where, self.system, events, self.defence)
        return [
            attack_history(
                *where,
                self.system,
                strategy,
                watch=self.watch if isinstance(strategy, Throwing) else None,
                held=self.held,
                honest=honest,
                defence=self.defence,
            )
            for strategy in self.strategies
        ]


@dataclass(frozen=True)
class Patterns(Job):
    """A search through all patterns of a short horizon."""

    events: int

    def do(self, history: History | None) -> PatternSearch:
        """Try all patterns, after honest events where there are enough."""
        after = max(min(PATTERN_AFTER, self.events - PATTERN_EVENTS), 0)
        events, seed = min(PATTERN_EVENTS, self.events - after), self.case if self.world is not None else 0
        return search_patterns(*self.place(history), self.system, events=events, after=after, seed=seed)


@dataclass(frozen=True)
class Policies(Job):
    """Policies for a whole season, in a world that is small enough."""

    events: int
    test: int

    def do(self, history: History | None) -> PolicySearch:
        """Search on a smaller world, and judge on as many seeds as there are cases."""
        assert self.world is not None
        small = replace(self.world, players=min(self.world.players, SEARCH_PLAYERS))
        return search_policy(self.system, small, events=self.events, test=self.test, seed=self.case)


def _do(job: Job) -> list[AttackRun] | PatternSearch | PolicySearch:
    return job.do(None)


def _do_in(history: History, job: Job) -> list[AttackRun] | PatternSearch | PolicySearch:
    return job.do(history)
