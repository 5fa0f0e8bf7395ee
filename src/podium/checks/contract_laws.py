"""The laws every rating system keeps, each a function that raises AssertionError where it is broken.

The numbers are those of docs/adding-a-system.md; what has none belongs to the behaviour people rely on. A law
takes a system and the data it is tried on; `podium.checks.check_system` makes up such data, and a test may
give its own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numba
import numpy as np
from numpy.typing import NDArray

from podium.arrays import DAY, NO_TIME, SECOND
from podium.errors import StateError, UnsupportedError, warn_caller
from podium.history import Anchor, Event, History, Names
from podium.history.history import history_of_values
from podium.ladder.ladder import Ladder
from podium.numerics.threads import threads_from
from podium.systems import RatingSystem, State, list_systems
from podium.systems.contract.capabilities import UNTIMED
from podium.systems.contract.ratings import AdjustedRatings, Trace

TOLERANCE = 1e-9
"""Points by which two ways to the same rating may differ, where sums may be taken in another order."""
PERFORMANCE_TOLERANCE = 1e-6
"""Points by which a performance may differ from its twin's: both are found by iteration."""
SUM_TOLERANCE = 1e-12
"""By how much chances that add up to one may miss it."""
TRACED_COLUMNS = tuple(name for name in Trace.__slots__ if name != "adjusted")
"""What a trace has of each row."""


class TwinOutcome(Protocol):
    """The result of a naive twin: all players' (mu, sigma), and a trace with a row for each result.

    A row of `trace` has `player`, `mu_before`, `mu` and, where the system has them, `sigma_before`, `sigma`
    and `performance`.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Found:
    ...     ratings: dict[str, tuple[float, float | None]]
    ...     trace: list[object]
    >>> outcome: TwinOutcome = Found({"ann": (1516.0, None), "bob": (1484.0, None)}, [])
    """

    @property
    def ratings(self) -> Mapping[str, tuple[float, float | None]]:
        """Mu and sigma of each player."""

    @property
    def trace(self) -> Sequence[Any]:
        """The changes of each event."""


Twin = Callable[[Sequence[Event]], "TwinOutcome | Mapping[str, tuple[float, float | None]]"]
"""A system once more, slow and obvious: from events to all that happens, or only to everybody's rating."""


def require(holds: Any, words: str) -> None:
    """`assert`, which `python -O` does not take away."""
    if not holds:
        raise AssertionError(words)


def require_same(one: State, other: State, words: str) -> None:
    """Two states are equal to the last bit."""
    if one == other:
        return
    here, there = one.to_arrays(), other.to_arrays()
    differing = [n for n in {**here, **there} if not np.array_equal(here.get(n, ()), there.get(n, ()))]
    raise AssertionError(f"{words}: the states differ in {', '.join(differing) or 'more than their arrays'}")


def require_same_trace(one: Trace, other: Trace, words: str) -> None:
    """Two traces are equal to the last bit."""
    for name in TRACED_COLUMNS:
        here, there = getattr(one, name), getattr(other, name)
        require(np.array_equal(here, there, equal_nan=True), f"{words}: {name} of the trace differs")
    require_same_adjusted(one.adjusted, other.adjusted, words)


def require_same_adjusted(
    one: Sequence[AdjustedRatings], other: Sequence[AdjustedRatings], words: str
) -> None:
    """Adjustments moved the same players, from and to the same ratings, to the last bit."""
    require(len(one) == len(other), f"{words}: {len(one)} adjustments in place of {len(other)}")
    for here, there in zip(one, other, strict=True):
        same = np.array_equal(here.players, there.players)
        for mine, theirs in ((here.before, there.before), (here.after, there.after)):
            same &= np.array_equal(mine.mu, theirs.mu) and np.array_equal(mine.display, theirs.display)
            if mine.sigma is not None and theirs.sigma is not None:
                same &= np.array_equal(mine.sigma, theirs.sigma)
        require(same, f"{words}: the effect of an adjustment differs")


def require_near(here: Any, there: Any, tolerance: float, words: str) -> None:
    """Two columns are equal, but for so much."""
    np.testing.assert_allclose(here, there, rtol=0, atol=tolerance, err_msg=words)


def rated(system: RatingSystem, history: History) -> tuple[State, Trace]:
    """A fresh state after a history."""
    state = system.new_state()
    return state, system.update(state, history)


def law_1_pieces(system: RatingSystem, history: History, cuts: list[int]) -> None:
    """Rating at once equals rating in any pieces, bit for bit; an untraced run ends in the same state."""
    whole, trace = rated(system, history)
    pieces, adjusted = system.new_state(), list[AdjustedRatings]()
    edges = [0, *sorted(min(cut, len(history)) for cut in cuts), len(history)]
    for start, stop in pairwise(edges):
        if start == stop:  # an adjustment at the end belongs to the last piece only
            continue
        part = system.update(pieces, history[start:stop])
        first, last = history.offsets[start], history.offsets[stop]
        words = f"events {start} to {stop - 1}, rated as a piece"
        require_same_trace(replace(part, adjusted=()), trace.part(int(first), int(last)), words)
        adjusted += part.adjusted
    require_same_adjusted(adjusted, trace.adjusted, "in pieces and at once")
    require_same(pieces, whole, "in pieces and at once")
    untraced = system.new_state()
    system.update(untraced, history, trace=False)
    require_same(untraced, whole, "without a trace and with one")


def law_1_columns(system: RatingSystem, history: History) -> None:
    """A column that says nothing is as good as none, bit for bit: a piece of a file may have it, or not."""
    rows, events = history.rows, len(history)
    nothing: dict[str, Any] = {
        "unrated": np.zeros(rows, np.bool_),
        "share": np.full(rows, np.nan),
        "play": np.ones(rows),
        "side": np.arange(rows, dtype=np.int32)
        - np.repeat(history.offsets[:-1], history.sizes).astype(np.int32),
        "weight": np.ones(events),
        "home": np.full(events, -1, np.int32),
    }
    added = {n: v for n, v in nothing.items() if getattr(history, n) is None}
    removed: dict[str, Any] = {n: None for n, v in nothing.items() if np.array_equal(getattr(history, n), v)}
    filled, bare = replace(history, **added), replace(history, **removed)
    (one, one_trace), (other, other_trace) = rated(system, filled), rated(system, bare)
    words = "with columns that say nothing and without"
    require_same(one, other, words)
    require_same_trace(one_trace, other_trace, words)


def law_2_names_and_rows(system: RatingSystem, history: History, seed: int) -> None:
    """Other names and another order of rows inside events change nothing."""
    chance = np.random.default_rng(seed)
    order = np.concatenate(
        [
            chance.permutation(np.arange(a, b))
            for a, b in zip(history.offsets, history.offsets[1:], strict=False)
        ]
    )
    columns = {
        name: getattr(history, name)[order]
        for name in ("player", "rank", "score", "share", "side", "team", "unrated", "play")
        if getattr(history, name) is not None
    }
    renumbered = Names(chance.permutation(history.players.to_list()).tolist())
    shuffled = replace(history, **columns).with_players(renumbered)
    state, trace = rated(system, history)
    other, shuffled_trace = rated(system, shuffled)
    index = [renumbered.index_of[name] for name in history.players]
    for at in (NO_TIME, int(history.time[-1])):
        here, there = system.ratings(state, at), system.ratings(other, at)
        require_near(there.mu[index], here.mu, TOLERANCE, "mu, shuffled and as it was")
        if here.sigma is not None and there.sigma is not None:
            require_near(there.sigma[index], here.sigma, TOLERANCE, "sigma, shuffled and as it was")
    for name in ("mu", "expected", "draw"):
        here, there = getattr(trace, name), getattr(shuffled_trace, name)
        if len(here):
            require_near(there, here[order], TOLERANCE, f"{name} of the trace, shuffled and as it was")


def law_3_looking(system: RatingSystem, history: History) -> None:
    """Predicting, viewing, previewing and explaining change nothing."""
    ladder = Ladder(system)
    ladder.update(history)
    before = ladder.state.copy()
    everyone = ladder.ratings()["player"].to_list()
    names = [*everyone, "a stranger", "another"]  # whoever is left after renaming and merging
    at = None if history.time[-1] == NO_TIME else int(history.time[-1]) / SECOND + 100 * DAY // SECOND
    ladder.expected_score(names[0], names[1], at=at)
    ladder.outcomes(names[0], names[1])
    ladder.rank_probabilities(names[:2], at=at)
    ladder.preview(
        ranks={names[0]: 1, names[1]: 2, **({"a newcomer": 3} if system.supports.many else {})}, time=at
    )
    ladder.rating(everyone[0], at=at)
    ladder.leaderboard()
    ladder.explain(everyone[0])
    require_same(ladder.state, before, "after looking and before")
    require(ladder.ratings()["player"].to_list() == everyone, "looking made players known")


def law_4_saving(system: RatingSystem, history: History, cut: int) -> None:
    """A ladder saved and loaded goes on as if it had never stopped; another system's is refused."""
    cut = min(cut, len(history) - 1)
    straight, stopped = Ladder(system), Ladder(system)
    straight.update(history[:cut])
    straight.update(history[cut:])
    stopped.update(history[:cut])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved.podium"
        stopped.save(path)
        loaded = Ladder.load(path, system=system)
        others = list(list_systems().values())
        for cls in (type(system), others[(cut + len(history)) % len(others)]):  # all, over the examples
            if not cls().same_beliefs(system):
                try:
                    Ladder.load(path, system=cls())
                except StateError:
                    continue
                raise AssertionError(f"a file of {system} was taken for one of {cls()}")
    loaded.update(history[cut:])
    require_same(loaded.state, straight.state, "continuing from a file and without a stop")
    require(loaded.players == straight.players, "players differ after continuing from a file")
    newer = system.state_format + 1
    try:
        system.restore_state(straight.state.to_arrays(), newer)
    except StateError:
        return
    raise AssertionError("a state of a newer format was taken")


def law_4_crafted(system: RatingSystem, history: History) -> None:
    """A state with numbers that no rating leads to is refused: files may come from anybody.

    Counts and times are; of other numbers, those that would show in a rating.
    """
    arrays = rated(system, history)[0].to_arrays()
    for name, array in arrays.items():
        for value in _impossible(array):
            try:
                state = system.restore_state(
                    {**arrays, name: np.full_like(array, value)}, system.state_format
                )
            except StateError:
                continue
            words = f"a state with {value} in {name} was taken"
            require(name not in ("column:events", "column:last_time"), words)
            require(np.all(np.isfinite(system.ratings(state).mu)), words)


def _impossible(array: NDArray[Any]) -> tuple[float, ...]:
    """Numbers that no rating leads to, of the type of an array; none where there is no place for one."""
    if not array.size or array.dtype.kind not in "fi":
        return ()
    if array.dtype.kind == "f":
        return np.nan, np.inf
    limits = np.iinfo(array.dtype)
    return limits.min + 1, limits.max  # the least of all is a time that is not known


def law_5_threads(system: RatingSystem, history: History) -> None:
    """Results do not depend on the number of threads.

    Threads that begin at a size (`podium.numerics.threads.worth_threads`) begin at two rows here. On a
    machine of one core there is nothing to compare, which a warning says.
    """
    config: Any = numba.config
    many = config.NUMBA_NUM_THREADS
    if many == 1:
        warn_caller("law 5 was not tried: set NUMBA_NUM_THREADS=2 before importing podium", UserWarning)
    before = numba.get_num_threads()
    results = []
    try:
        for threads in (1, many):
            numba.set_num_threads(threads)
            with threads_from(rows=2):
                results.append(rated(system, history))
    finally:
        numba.set_num_threads(before)
    (one, one_trace), (other, other_trace) = results
    words = f"with one thread and with {many}"
    require_same(one, other, words)
    require_same_trace(one_trace, other_trace, words)


def law_6_finite(system: RatingSystem, history: History) -> None:
    """Anything finite in gives finite numbers out."""
    state, trace = rated(system, history)
    later = int(history.time[-1]) + 10_000 * DAY if history.time[-1] != NO_TIME else NO_TIME
    for at in (NO_TIME, later):
        view = system.ratings(state, at)
        require(np.all(np.isfinite(view.mu)), f"a rating is not finite: mu is {view.mu}")
        require(np.all(np.isfinite(view.display)), f"a rating is not finite: display is {view.display}")
        if view.sigma is not None:
            good = np.isfinite(view.sigma) & (view.sigma > 0)
            require(np.all(good), f"a deviation is not finite and above zero: sigma is {view.sigma}")
    for name in TRACED_COLUMNS:
        require(np.all(np.isfinite(getattr(trace, name))), f"{name} of the trace is not finite")
    everyone = np.arange(state.size)
    chances = system.predict(state, everyone, everyone[::-1].copy(), at=later)
    require(np.all((chances >= 0) & (chances <= 1)), f"expected scores from 0 to 1, not {chances}")


def law_6_refusal(system: RatingSystem) -> None:
    """What a system cannot use is refused by name, and nothing has changed then."""
    can = system.supports
    unusable = {
        "ties": Event.of(ranks={"ann": 1, "bob": 1}),
        "many": Event.of(ranks={"ann": 1, "bob": 2, "cat": 3}),
        "teams": Event.of(teams=[["ann", "bob"], ["cat", "dan"]], ranks=[1, 2]),
        "weights": Event.of(ranks={"ann": 1, "bob": 2}, weight=2.0),
        "shares": Event.of(ranks={"ann": 1, "bob": 2}, share=0.7),
        "play": Event.of(ranks={"ann": 1, "bob": 2}, play={"ann": 0.5}),
    }
    for capability, event in unusable.items():
        if getattr(can, capability):
            continue
        state = system.new_state()
        refused = None
        try:
            system.update(state, History.from_events([event]))
        except UnsupportedError as error:
            refused = str(error)
        require(refused is not None, f"{system.name} accepted {capability}, which its capabilities exclude")
        require(system.name in str(refused), f"the refusal of {capability} does not name {system.name}")
        require_same(state, system.new_state(), f"after refusing {capability} and before")


def law_7_sums(system: RatingSystem, history: History, home: float) -> None:
    """Chances of the outcomes add up to one, and so do the expected scores of the two sides."""
    state, _ = rated(system, history)
    a, b = np.arange(state.size), np.roll(np.arange(state.size), 1)
    at = int(history.time[-1])
    outcomes = system.outcomes(state, a, b, home=home, at=at)
    expected = system.predict(state, a, b, home=home, at=at)
    require_near(outcomes.sum(axis=1), 1.0, SUM_TOLERANCE, "win, draw and loss together")
    require(np.all(outcomes >= 0), f"a chance is below zero: {outcomes}")
    wins, draws = outcomes[:, 0], outcomes[:, 1]
    require_near(wins + draws / 2, expected, SUM_TOLERANCE, "wins and half the draws, and predict")
    other = system.predict(state, b, a, home=-home, at=at)
    require_near(expected + other, 1.0, SUM_TOLERANCE, "expected scores of both sides together")
    mu, sigma = system.current_belief(state, a, at)
    by_rating = system.win_probability(mu, sigma, mu[b], None if sigma is None else sigma[b], home)
    near = SUM_TOLERANCE + system.win_probability_error
    plain = replace(system, calibration="off").predict(state, a, b, home=home, at=at)
    require_near(by_rating, plain, near, "win_probability and predict without calibration")


def law_8_twin(system: RatingSystem, history: History, twin: Twin) -> None:
    """The system agrees with a naive twin of it, written from the paper and sharing no code with it."""
    state, trace = rated(system, history)
    judge = twin(list(history))
    view = system.ratings(state)
    ratings = judge if isinstance(judge, Mapping) else judge.ratings
    for name, (mu, sigma) in ratings.items():
        index = history.players.index_of[name]
        require(abs(view.mu[index] - mu) < TOLERANCE, f"mu of {name} is {view.mu[index]}, its twin's {mu}")
        if sigma is not None:
            found = np.nan if view.sigma is None else view.sigma[index]
            require(abs(found - sigma) < TOLERANCE, f"sigma of {name} is {found}, its twin's {sigma}")
    if isinstance(judge, Mapping):
        return
    columns = {"mu_before": TOLERANCE, "mu": TOLERANCE}
    if system.has_sigma:
        columns |= {"sigma_before": TOLERANCE, "sigma": TOLERANCE}
    if system.has_performance:
        columns |= {"performance": PERFORMANCE_TOLERANCE}
    by_side = sorted(
        range(history.rows), key=lambda row: (history.event_of_row[row], _side(history, row), row)
    )
    for row, expected in zip(by_side, judge.trace, strict=True):
        name = history.players[int(history.player[row])]
        require(name == expected.player, f"the twin has {expected.player} where {name} stands")
        for column, tolerance in columns.items():
            found, wanted = getattr(trace, column)[row], getattr(expected, column)
            words = f"{column} of {name} in event {history.event_of_row[row]} is {found}, its twin's {wanted}"
            require(abs(found - wanted) < tolerance, words)


def _side(history: History, row: int) -> int:
    return 0 if history.side is None else int(history.side[row])


def law_home(system: RatingSystem, history: History) -> None:
    """The home side is whom the data names: marks mean nothing without an advantage, and never row order."""
    if not system.supports.home:
        return
    given: Any = system  # a system that uses the home side has this parameter
    plain = replace(given, home_advantage=0.0, calibration="off")
    unmarked = replace(history, home=None)
    words = "without an advantage, with marks of the home side and without"
    require_same(rated(plain, history)[0], rated(plain, unmarked)[0], words)
    advantage = replace(given, home_advantage=80.0)
    for names in (("ann", "bob"), ("bob", "ann")):
        ladder = Ladder(advantage)
        changes = ladder.record(ranks=dict.fromkeys(names, 1), home="ann", time="2026-05-01")  # a poor result
        gain = {change.player: change.gain for change in changes}
        plain = Ladder(advantage).record(ranks=dict.fromkeys(names, 1), time="2026-05-01")
        nowhere = plain[0].gain
        words = f"a draw at home is worse than one anywhere ({nowhere}) and better away, not one of {gain}"
        require(gain["ann"] < nowhere < gain["bob"], words)
    ladder = Ladder(advantage)
    at_home, neutral, away = (ladder.expected_score("ann", "bob", home=h) for h in ("ann", None, "bob"))
    require(away < neutral < at_home, f"expected scores {away} away, {neutral} and {at_home} at home")
    require(
        abs(at_home + away - 1.0) < SUM_TOLERANCE, "expected scores at home and away are not one together"
    )


def law_books(system: RatingSystem, history: History) -> None:
    """Rated events are counted, the last time is kept, and the trace tells what the ratings say."""
    state = system.new_state(len(history.players))
    events = np.zeros(len(history.players), int)
    last = np.full(len(history.players), NO_TIME)
    for number in range(len(history)):
        part = history[number : number + 1]
        time = int(part.time[0])
        before = system.view(state, part.player.astype(np.int64), time)
        trace = system.update(state, part)
        after = system.view(state, part.player.astype(np.int64), NO_TIME)
        rows = np.ones(part.rows, bool) if part.unrated is None else ~part.unrated
        require_near(trace.mu_before, before[0], TOLERANCE, "mu_before of the trace, and as viewed before")
        require_near(trace.mu[rows], after[0][rows], TOLERANCE, "mu of the trace, and as viewed after")
        if before[1] is not None and after[1] is not None:
            require_near(trace.sigma_before, before[1], TOLERANCE, "sigma_before, and as viewed before")
            require_near(trace.sigma[rows], after[1][rows], TOLERANCE, "sigma, and as viewed after")
            that_day = system.view(state, part.player.astype(np.int64), time)[1]
            assert that_day is not None
            require_near(that_day[rows], after[1][rows], TOLERANCE, "sigma that day, and as viewed after")
        events[part.player[rows]] += 1
        last[part.player[rows]] = np.maximum(last[part.player[rows]], time)
    counted, noted = state.column("events").tolist(), state.column("last_time").tolist()
    require(counted == events.tolist(), f"the state counts {counted} events, not {events.tolist()}")
    require(noted == last.tolist(), f"the state has the last times {noted}, not {last.tolist()}")
    indices = np.arange(state.size)
    for at in (NO_TIME, int(last.max())):
        for mine, theirs in zip(
            system.view(state, slice(0, state.size), at), system.view(state, indices, at), strict=True
        ):
            if mine is not None and theirs is not None:
                require_near(mine, theirs, 0.0, "players viewed as a slice, and by their indices")
    untimed = replace(history, time=np.full(len(history), NO_TIME))
    if UNTIMED not in system.unusable_evidence:
        system.update(state, untimed)
        noted = state.column("last_time").tolist()
        require(
            noted == last.tolist(),
            f"after events without times the last times are {noted}, not {last.tolist()}",
        )


def law_ranks(system: RatingSystem, history: History) -> None:
    """Where a system says so, a better rank never lowers the displayed rating."""
    if not system.rank_raises_display:
        return
    state, _ = rated(system, history)
    (last,) = history[len(history) - 1 :]
    for mine, members in enumerate(last.sides):
        others = sorted({2 * rank for side, rank in enumerate(last.ranks) if side != mine})
        shown = []
        for here in [*(rank - 1 for rank in others), others[-1] + 1]:
            ranks = tuple(here if side == mine else 2 * rank for side, rank in enumerate(last.ranks))
            event = replace(last, ranks=ranks, scores=None, share=None)
            part = history_of_values((event,), history.players)
            trace = system.update(state.copy(), part)
            display = system.display(trace.mu, trace.sigma if system.has_sigma else None)
            shown.append(float(display[part.player == history.players.index_of[members[0]]][0]))
        allowed = TOLERANCE * max(1.0, *map(abs, shown))
        words = f"{members[0]} would be displayed at {shown}, from the first rank to the last"
        require(all(worse <= better + allowed for better, worse in pairwise(shown)), words)


def law_held(system: RatingSystem, history: History) -> None:
    """Unrated rows and anchored players are opponents whose own state stays as it is."""
    anchored = history.players[int(history.player[0])]
    state = system.new_state(len(history.players))
    system.adjust(state, Anchor(player=anchored), history.players)
    before = state.copy()
    system.update(state, history)
    held = history.players.index_of[anchored]
    never = np.ones(len(history.players), bool)  # rated in no event at all
    rows = np.ones(history.rows, bool) if history.unrated is None else ~history.unrated
    never[history.player[rows]] = False
    never[held] = True
    for name in set(state.columns) - {"known"}:
        np.testing.assert_array_equal(state.column(name)[never], before.column(name)[never], name)
