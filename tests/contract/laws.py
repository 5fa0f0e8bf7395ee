"""The laws every rating system keeps, each a function that raises AssertionError where it is broken.

The numbers are those of the design; what is not numbered belongs to the behaviour people rely on. A law takes
the system and what it needs of random data, so that it can be applied to a system that breaks it as well.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numba
import numpy as np

from podium.arrays import DAY, NO_TIME
from podium.errors import StateError, UnsupportedError
from podium.history import Anchor, Event, History, Names
from podium.ladder.ladder import Ladder
from podium.systems import RatingSystem, State, list_systems
from podium.systems.contract.ratings import Trace

TOLERANCE = 1e-9
PERFORMANCE_TOLERANCE = 1e-6


def rated(system: RatingSystem, history: History) -> tuple[State, Trace]:
    """A fresh state after a history."""
    state = system.new_state()
    return state, system.update(state, history)


def same_trace(one: Trace, other: Trace) -> bool:
    """Equal to the last bit."""
    return all(np.array_equal(getattr(one, n), getattr(other, n), equal_nan=True) for n in Trace.__slots__)


def law_1_pieces(system: RatingSystem, history: History, cuts: list[int]) -> None:
    """Rating at once equals rating in any pieces, bit for bit; an untraced run ends in the same state."""
    whole, trace = rated(system, history)
    pieces = system.new_state()
    edges = [0, *sorted(min(cut, len(history)) for cut in cuts), len(history)]
    for start, stop in pairwise(edges):
        if start == stop:  # an adjustment at the end belongs to the last piece only
            continue
        part = system.update(pieces, history[start:stop])
        first, last = history.offsets[start], history.offsets[stop]
        assert same_trace(part, trace.part(int(first), int(last)))
    assert pieces == whole
    untraced = system.new_state()
    system.update(untraced, history, trace=False)
    assert untraced == whole


def law_1_columns(system: RatingSystem, history: History) -> None:
    """A column that says nothing is as good as none, bit for bit: a piece of a file may have it, or not."""
    rows, events = history.rows, len(history)
    nothing = {
        "unrated": np.zeros(rows, np.bool_),
        "share": np.full(rows, np.nan),
        "play": np.ones(rows),
        "side": np.arange(rows, dtype=np.int32)
        - np.repeat(history.offsets[:-1], history.sizes).astype(np.int32),
        "weight": np.ones(events),
        "home": np.full(events, -1, np.int32),
    }
    filled = replace(history, **{n: v for n, v in nothing.items() if getattr(history, n) is None})
    bare = replace(history, **{n: None for n, v in nothing.items() if np.array_equal(getattr(history, n), v)})
    (one, one_trace), (other, other_trace) = rated(system, filled), rated(system, bare)
    assert one == other
    assert same_trace(one_trace, other_trace)


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
        np.testing.assert_allclose(there.mu[index], here.mu, rtol=0, atol=TOLERANCE)
        if here.sigma is not None and there.sigma is not None:
            np.testing.assert_allclose(there.sigma[index], here.sigma, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(shuffled_trace.mu, trace.mu[order], rtol=0, atol=TOLERANCE)


def law_3_looking(system: RatingSystem, history: History) -> None:
    """Predicting, viewing, previewing and explaining change nothing."""
    ladder = Ladder(system)
    ladder.update(history)
    before = ladder.state.copy()
    everyone = ladder.ratings()["player"].to_list()
    names = [*everyone, "a stranger", "another"]  # whoever is left after renaming and merging
    at = None if history.time[-1] == NO_TIME else int(history.time[-1]) / 1e6 + 100 * 86_400
    ladder.expected_score(names[0], names[1], at=at)
    ladder.outcomes(names[0], names[1])
    ladder.rank_probabilities(names[:2], at=at)
    ladder.preview(
        ranks={names[0]: 1, names[1]: 2, **({"somebody new": 3} if system.supports.many else {})}, time=at
    )
    ladder.rating(everyone[0], at=at)
    ladder.leaderboard()
    ladder.explain(everyone[0])
    assert ladder.state == before
    assert ladder.ratings()["player"].to_list() == everyone


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
    assert loaded.state == straight.state
    assert loaded.players == straight.players
    newer = system.state_format + 1
    try:
        system.restore_state(straight.state.to_arrays(), newer)
    except StateError:
        return
    raise AssertionError("a state of a newer format was taken")


def law_5_threads(system: RatingSystem, history: History) -> None:
    """Results do not depend on the number of threads."""
    many = numba.config.NUMBA_NUM_THREADS
    results = []
    try:
        for threads in (1, many):
            numba.set_num_threads(threads)
            results.append(rated(system, history))
    finally:
        numba.set_num_threads(many)
    assert results[0][0] == results[1][0]
    assert same_trace(results[0][1], results[1][1])


def law_6_finite(system: RatingSystem, history: History) -> None:
    """Anything finite in gives finite numbers out."""
    state, trace = rated(system, history)
    later = int(history.time[-1]) + 10_000 * DAY if history.time[-1] != NO_TIME else NO_TIME
    for at in (NO_TIME, later):
        view = system.ratings(state, at)
        assert np.all(np.isfinite(view.mu))
        assert np.all(np.isfinite(view.display))
        if view.sigma is not None:
            assert np.all(np.isfinite(view.sigma))
            assert np.all(view.sigma > 0)
    for name in Trace.__slots__:
        assert np.all(np.isfinite(getattr(trace, name)))
    everyone = np.arange(state.size)
    chances = system.predict(state, everyone, everyone[::-1].copy(), at=later)
    assert np.all((chances >= 0) & (chances <= 1))


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
        assert refused is not None, f"{system.name} took {capability} it cannot use"
        assert system.name in refused
        assert state == system.new_state()


def law_7_sums(system: RatingSystem, history: History, home: float) -> None:
    """Chances of the outcomes add up to one, and so do the expected scores of the two sides."""
    state, _ = rated(system, history)
    a, b = np.arange(state.size), np.roll(np.arange(state.size), 1)
    at = int(history.time[-1])
    outcomes = system.outcomes(state, a, b, home=home, at=at)
    expected = system.predict(state, a, b, home=home, at=at)
    np.testing.assert_allclose(outcomes.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert np.all(outcomes >= 0)
    np.testing.assert_allclose(outcomes[:, 0] + outcomes[:, 1] / 2, expected, rtol=0, atol=1e-12)
    other = system.predict(state, b, a, home=-home, at=at)
    np.testing.assert_allclose(expected + other, 1.0, rtol=0, atol=1e-12)
    mu, sigma = system.view(state, a, at)
    by_rating = system.win_probability(mu, sigma, mu[b], None if sigma is None else sigma[b], home)
    np.testing.assert_allclose(by_rating, expected, rtol=0, atol=1e-12 if system.two_numbers else 0.05)


def law_8_naive(system: Any, history: History) -> None:
    """The compiled system agrees with its naive twin."""
    twin = import_module(f"naive.{system.name.replace('-', '_')}")
    shown = system.shown | {"margin"}  # which is about scores; the laws' histories have none
    parameters = {n: v for n, v in system.describe()["parameters"].items() if n not in shown}
    if "period" in parameters and parameters["period"] != "event":
        parameters["period"] = float(parameters["period"].removesuffix("d"))
    if "periods_per_day" in parameters:
        parameters["periods_per_day"] = system.rules().periods_per_day
    state, trace = rated(system, history)
    judge = twin.rate([plain_event(event) for event in history], **parameters)
    view = system.ratings(state)
    for name, (mu, sigma) in judge.ratings.items():
        index = history.players.index_of[name]
        assert abs(view.mu[index] - mu) < TOLERANCE, name
        assert sigma is None or abs(view.sigma[index] - sigma) < TOLERANCE, name
    by_row = sorted(
        range(history.rows), key=lambda row: (history.event_of_row[row], _side(history, row), row)
    )
    for row, expected in zip(by_row, judge.trace, strict=True):
        assert history.players[history.player[row]] == expected.player
        assert abs(trace.mu_before[row] - expected.mu_before) < TOLERANCE
        assert abs(trace.mu[row] - expected.mu) < TOLERANCE
        if system.has_sigma:
            assert abs(trace.sigma_before[row] - expected.sigma_before) < TOLERANCE
            assert abs(trace.sigma[row] - expected.sigma) < TOLERANCE
        if system.has_performance:
            assert abs(trace.performance[row] - expected.performance) < PERFORMANCE_TOLERANCE


def _side(history: History, row: int) -> int:
    return 0 if history.side is None else int(history.side[row])


def plain_event(event: Event) -> object:
    """An event in the twins' own words."""
    twins = import_module("naive.events")
    home = None if event.home is None else next(i for i, s in enumerate(event.sides) if event.home in s)
    return twins.Event(
        sides=[list(side) for side in event.sides],
        ranks=list(event.ranks),
        time=None if event.time == NO_TIME else event.time / DAY,
        weight=event.weight,
        home=home,
        share=event.share,
        held=event.unrated,
        play=dict(event.play),
        ceiling=event.ceiling,
    )


def law_home(system: RatingSystem, history: History) -> None:
    """The home side is whom the data names: marks mean nothing without an advantage, and never row order."""
    if not system.supports.home:
        return
    plain = replace(system, home_advantage=0.0)
    unmarked = replace(history, home=None)
    assert rated(plain, history)[0] == rated(plain, unmarked)[0]
    advantage = replace(system, home_advantage=80.0)
    for names in (("ann", "bob"), ("bob", "ann")):
        ladder = Ladder(advantage)
        changes = ladder.record(ranks=dict.fromkeys(names, 1), home="ann", time="2026-05-01")  # a poor result
        gain = {change.player: change.gain for change in changes}
        assert gain["ann"] < 0 < gain["bob"]
    ladder = Ladder(advantage)
    at_home, neutral, away = (ladder.expected_score("ann", "bob", home=h) for h in ("ann", None, "bob"))
    assert away < neutral < at_home
    assert abs(at_home + away - 1.0) < 1e-12


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
        np.testing.assert_allclose(trace.mu_before, before[0], rtol=0, atol=TOLERANCE)
        np.testing.assert_allclose(trace.mu[rows], after[0][rows], rtol=0, atol=TOLERANCE)
        if before[1] is not None and after[1] is not None:
            if time != NO_TIME:  # without a time nobody can ask how an event would find a player
                np.testing.assert_allclose(trace.sigma_before, before[1], rtol=0, atol=TOLERANCE)
            np.testing.assert_allclose(trace.sigma[rows], after[1][rows], rtol=0, atol=TOLERANCE)
        events[part.player[rows]] += 1
        last[part.player[rows]] = np.maximum(last[part.player[rows]], time)
    assert state.column("events").tolist() == events.tolist()
    assert state.column("last_time").tolist() == last.tolist()


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
        np.testing.assert_array_equal(state.column(name)[never], before.column(name)[never])
