"""Lobbies: legal always, and there whenever it is promised; against searches of every set of tickets."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import tries
from naive import lobbies as naive
from naive.teams import least_gap
from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.lobbies.formation import form_lobbies
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.open_places import Fills, Shape, fillable_rooms, find_fills
from podium.matchmaking.lobbies.queues import (
    FRONT,
    OVERDUE,
    REFUSED,
    USUAL,
    Formed,
    Judge,
    Lobbies,
    Queue,
    accept_all,
)
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.seating import NO_SEATING, Seating
from podium.matchmaking.lobbies.seed_searches import FAR_SEARCHES, MOST_SINGLES
from podium.matchmaking.lobbies.windows import serve_around, tile_windows

MODES = ["2v2", "3v3", "4v4", "ffa:3", "ffa:4", "2v2v2", "1v3"]


class Pool:
    """Tickets that wait, with meetings that cost what their strengths differ by, and some forbidden."""

    def __init__(
        self, strength: Floats, size: Longs, turn: Longs, forbidden: Bools, groups: Bools | None = None
    ) -> None:
        self.n = len(strength)
        self.forbidden = forbidden
        tolerance = np.where(turn == OVERDUE, math.inf, 0.2)
        joined = np.arange(self.n)[::-1].astype(float)  # the last is the oldest
        self.queue = Queue(strength, size, joined, tolerance, turn.astype(np.int8), groups)

    def meet(self, first: Longs, second: Longs) -> Floats:
        cost = np.abs(self.queue.strength[first] - self.queue.strength[second]) / 1000
        return np.where(self.forbidden[first, second], math.inf, cost)

    def allowed(self, a: int, b: int) -> bool:
        return not self.forbidden[a, b]

    def form(self, mode: Mode, judge: Judge = accept_all) -> Formed:
        return form_lobbies(self.queue, self.meet, mode, judge)


@st.composite
def pools(draw: st.DrawFn) -> tuple[Pool, Mode]:
    mode = Mode.parse(draw(st.sampled_from(MODES)))
    n = draw(st.integers(0, 9))
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spread = draw(st.sampled_from([0.0, 20.0, 200.0]))
    strength = 1500 + spread * chance.normal(size=n)
    size = chance.integers(1, mode.size + 1, n)
    if draw(st.booleans()):
        size[chance.random(n) < 0.6] = 1
    turn = chance.choice([OVERDUE, FRONT, USUAL], n)
    forbidden = np.triu(chance.random((n, n)) < draw(st.sampled_from([0.0, 0.1, 0.4])), 1)
    groups = None
    if draw(st.booleans()):
        groups = chance.random((n, 2)) < 0.7
    return Pool(strength, size, turn, forbidden | forbidden.T, groups), mode


def shares_group(pool: Pool, tickets: Longs) -> bool:
    groups = pool.queue.groups
    return groups is None or bool(groups[tickets].all(axis=0).any())


@settings(max_examples=tries(100))
@given(drawn=pools())
def test_lobbies_are_legal(drawn: tuple[Pool, Mode]) -> None:
    pool, mode = drawn
    made = pool.form(mode)
    taken = made.tickets.items.tolist()
    assert len(taken) == len(set(taken))
    for lobby, cost in zip(made.tickets, made.cost, strict=True):
        assert naive.is_lobby(lobby.tolist(), pool.queue.size, mode.sizes, pool.allowed)
        assert shares_group(pool, lobby)
        first, second = np.array(list(combinations(lobby.tolist(), 2))).T
        assert cost == pytest.approx(pool.meet(first, second).mean(), abs=1e-12)
        assert cost <= pool.queue.tolerance[lobby].max()


@settings(max_examples=tries(100))
@given(drawn=pools())
def test_who_waited_too_long_is_served_first_and_whenever_possible(drawn: tuple[Pool, Mode]) -> None:
    """So few tickets are searched for completely: the oldest gets a lobby if there is one, and so on."""
    pool, mode = drawn
    queue = pool.queue
    made = pool.form(mode).tickets.lists()
    free = set(range(pool.n))
    overdue = [t for t in np.argsort(queue.joined).tolist() if queue.turn[t] == OVERDUE]
    for seed in overdue:
        if seed not in free:
            continue
        possible = any(
            shares_group(pool, np.array(lobby))
            for lobby in naive.lobbies_with(seed, sorted(free), queue.size, mode.sizes, pool.allowed)
        )
        served = next((lobby for lobby in made if seed in lobby), None)
        assert (served is not None) == possible
        if served is not None:
            assert made.index(served) == 0, "older ones are served before"
            made.remove(served)
            free -= set(served)


@settings(max_examples=tries(100))
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(3, 14),
    text=st.sampled_from(["2v2", "ffa:3", "ffa:5", "1v2"]),
    spread=st.sampled_from([50.0, 300.0]),
)
def test_no_choice_of_windows_is_better(seed: int, n: int, text: str, spread: float) -> None:
    """Nothing forbidden, singles, nobody in a hurry: the best windows of neighbours, or more than these."""
    mode = Mode.parse(text)
    strength = np.sort(1500 + spread * np.random.default_rng(seed).normal(size=n))
    pool = Pool(strength, np.ones(n, np.int64), np.full(n, USUAL), np.zeros((n, n), np.bool_))
    made = pool.form(mode)

    def cost(a: int, b: int) -> float:
        return abs(strength[a] - strength[b]) / 1000

    best = naive.best_windows(n, mode.players, cost, 0.2)
    assert np.sum(1 / (1 + made.cost)) >= best - 1e-12
    assert (len(made.tickets) > 0) == (best > 0)


@settings(max_examples=tries(100))
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(4, 14),
    text=st.sampled_from(["2v2", "3v3"]),
    spread=st.sampled_from([20.0, 60.0, 150.0, 300.0]),
    tolerance=st.sampled_from([0.02, 0.1, 0.2]),
)
def test_no_choice_of_windows_that_divide_well_is_better(
    seed: int, n: int, text: str, spread: float, tolerance: float
) -> None:
    """The same, where a lobby is refused if its pairs and the gap of its teams together cost too much."""
    mode = Mode.parse(text)
    strength = np.sort((1500 + spread * np.random.default_rng(seed).normal(size=n)).round(-1))
    pool = Pool(strength, np.ones(n, np.int64), np.full(n, USUAL), np.zeros((n, n), np.bool_))
    pool.queue = pool.queue._replace(tolerance=np.full(n, tolerance))

    def cost(a: int, b: int) -> float:
        return abs(strength[a] - strength[b]) / 1000

    def gap(lobby: list[int]) -> float:
        """How far apart the two teams are that are nearest."""
        return least_gap([[t] for t in lobby], mode.size, [0.5] * n, won)

    def won(ours: list[int], theirs: list[int]) -> float:
        return float(0.5 + (strength[ours].sum() - strength[theirs].sum()) / 1000)

    def judge(found: Lobbies) -> Longs:
        total = found.cost + [gap(lobby.tolist()) for lobby in found.tickets]
        return np.where(total <= tolerance, np.arange(len(total)), REFUSED)

    made = pool.form(mode, judge)
    for lobby, mean in zip(made.tickets, made.cost, strict=True):
        assert mean + gap(lobby.tolist()) <= tolerance
    best = naive.best_windows(n, mode.players, cost, tolerance, gap)
    assert np.sum(1 / (1 + made.cost)) >= best - 1e-12
    assert best == 0 or len(made.tickets) > 0


def test_who_is_at_the_front_of_a_refused_lobby_waits_in_line() -> None:
    """The lobby around the one at the front is refused, and the others of it make another one."""
    strength = np.array([1500.0, 1500.0, 1500.0, 1500.0, 1580.0])
    turn = np.array([USUAL] * 4 + [FRONT])
    pool = Pool(strength, np.ones(5, np.int64), turn, np.zeros((5, 5), np.bool_))
    asked = []

    def judge(found: Lobbies) -> Longs:
        asked.extend(found.tickets.lists())
        return np.array([REFUSED if 4 in lobby else 7 for lobby in found.tickets], np.int64)

    made = pool.form(Mode.parse("2v2"), judge)
    assert 4 in asked[0]
    assert [sorted(lobby) for lobby in made.tickets.lists()] == [[0, 1, 2, 3]]
    assert made.number.tolist() == [7]


@pytest.mark.parametrize(("text", "degree"), [("5v5", 3), ("2v2v2", 8), ("ffa:20", 2), ("5v5", 27)])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("trap", [0, 20])
def test_enough_singles_always_serve(text: str, degree: int, seed: int, trap: int) -> None:
    """(m − 1)(d + 1) + 1 singles, each of whom may not meet d others: no choice leads into a dead end.

    Parties who may meet nobody else stand nearer, as a trap.
    """
    mode = Mode.parse(text)
    chance = np.random.default_rng(seed)
    others = (mode.players - 2) * (degree + 1) + 1
    assert others <= MOST_SINGLES
    singles = others + 1
    n = singles + (trap if mode.has_teams else 0)
    forbidden = np.zeros((n, n), np.bool_)
    for a, b in chance.permuted(list(combinations(range(1, singles), 2)), axis=0):
        if max(forbidden[a].sum(), forbidden[b].sum()) < degree:
            forbidden[a, b] = forbidden[b, a] = True
    forbidden[singles:, 1:singles] = forbidden[1:singles, singles:] = True
    turn = np.full(n, USUAL)
    turn[0] = OVERDUE
    strength = chance.normal(1500, 900, n)
    strength[0] = strength[singles:] = 5000.0
    size = np.ones(n, np.int64)
    size[singles:] = 2
    pool = Pool(strength, size, turn, forbidden)
    assert 0 in pool.form(mode).tickets[0]


def stuck_pool(stuck: int) -> tuple[Pool, int]:
    """Overdue tickets who may meet nobody, and a younger one who may meet only those far away."""
    crowd = 60
    n = crowd + 1 + stuck
    late = crowd
    forbidden = np.zeros((n, n), np.bool_)
    forbidden[crowd:, :] = forbidden[:, crowd:] = True
    forbidden[late, :20] = forbidden[:20, late] = False
    strength = np.concatenate([np.linspace(1000, 1500, crowd), np.full(n - crowd, 1600.0)])
    strength[late] = 1500.0
    turn = np.full(n, USUAL)
    turn[crowd:] = OVERDUE
    pool = Pool(strength, np.ones(n, np.int64), turn, forbidden)
    tolerance = np.where(np.arange(n) < crowd, -1.0, pool.queue.tolerance)  # nobody comes by chance
    pool.queue = pool.queue._replace(tolerance=tolerance)
    return pool, late


def test_everybody_gets_a_far_search_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those in front of the line cannot be served at all, and do not stand in anybody's way for ever."""
    monkeypatch.setattr("podium.matchmaking.lobbies.seed_searches.FAR_MEETINGS", 0)
    mode = Mode.parse("2v2")
    pool, late = stuck_pool(3 * FAR_SEARCHES)
    last = np.zeros(pool.n, np.int64)
    served = []
    for tick in range(1, 4):
        made = form_lobbies(pool.queue._replace(last_turn=last), pool.meet, mode)
        last[made.turns] = tick
        served.append(late in made.tickets.items)
    assert served == [False, False, True]
    oldest = pool.queue.joined.copy()
    oldest[late] = -1.0
    pool.queue = pool.queue._replace(joined=oldest, last_turn=last + 10 * (np.arange(pool.n) == late))
    assert late in pool.form(mode).tickets.items, "the oldest is every time"
    monkeypatch.undo()
    pool, late = stuck_pool(3 * FAR_SEARCHES)
    assert late in pool.form(mode).tickets.items


def test_windows_go_round_who_may_not_be_in_them() -> None:
    forbidden = np.zeros((5, 5), np.bool_)
    forbidden[1, 2] = forbidden[2, 1] = True
    strength = np.array([1500.0, 1510, 1520, 1530, 1540])
    pool = Pool(strength, np.ones(5, np.int64), np.full(5, USUAL), forbidden)
    (lobby,) = pool.form(Mode.parse("2v2")).tickets
    assert {0, 3, 4} < set(lobby.tolist())


def test_the_front_comes_before_everybody_else() -> None:
    strength = np.array([1500.0, 1501, 1502, 1503, 1530])
    turn = np.array([USUAL] * 4 + [FRONT])
    pool = Pool(strength, np.ones(5, np.int64), turn, np.zeros((5, 5), np.bool_))
    assert sorted(pool.form(Mode.parse("2v2")).tickets[0].tolist()) == [1, 2, 3, 4]
    pool.queue = pool.queue._replace(turn=np.full(5, USUAL, np.int8))
    assert sorted(pool.form(Mode.parse("2v2")).tickets[0].tolist()) == [0, 1, 2, 3]


def test_a_rare_group_is_not_drowned() -> None:
    """Three of a small region, who could be anywhere among a thousand of another."""
    chance = np.random.default_rng(2)
    n = 1000
    strength = chance.normal(1500, 5, n)
    rare = np.zeros(n, np.bool_)
    rare[[10, 500, 990]] = True
    groups = np.stack([~rare, rare], axis=1)
    pool = Pool(strength, np.ones(n, np.int64), np.full(n, USUAL), np.zeros((n, n), np.bool_), groups)
    made = pool.form(Mode.parse("ffa:3")).tickets
    assert any(set(lobby.tolist()) == {10, 500, 990} for lobby in made)
    assert len(made) == n // 3


def test_parties_that_cannot_be_divided_wait_for_others() -> None:
    def sizes(*given: int) -> int:
        n = len(given)
        pool = Pool(np.full(n, 1500.0), np.array(given), np.full(n, OVERDUE), np.zeros((n, n), np.bool_))
        return len(pool.form(Mode.parse("4v4")).tickets)

    assert sizes(3, 3, 2) == 0
    assert sizes(3, 3, 1, 1) == 1
    assert sizes(2, 2, 2, 2) == 1
    assert sizes(3, 3, 3, 3, 3, 3, 2, 2, 2, 2) == 1
    assert sizes(4, 3, 3, 3, 4) == 1


def test_rooms_decide_whom_to_take() -> None:
    """With parties of two and three alone, two twos on one team leave a place that nobody fills."""
    given = np.array([2, 2, 2, 3, 3, 2])
    strength = np.array([1500.0, 1501, 1502, 1510, 1511, 1512])
    pool = Pool(strength, given, np.full(6, USUAL), np.zeros((6, 6), np.bool_))
    made = pool.form(Mode.parse("5v5")).tickets
    assert len(made) == 1
    assert sorted(given[made[0]].tolist()) == [2, 2, 3, 3]


@settings(max_examples=tries(100))
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 8), text=st.sampled_from(MODES))
def test_all_fills_are_found_in_order(seed: int, n: int, text: str) -> None:
    mode = Mode.parse(text)
    chance = np.random.default_rng(seed)
    size = chance.integers(1, mode.size + 1, n)
    blocked = np.triu(chance.random((n, n)) < 0.2, 1)
    cost = np.where(blocked | blocked.T, math.inf, 0.0)
    found = Fills.room(300, mode.players)
    own = int(size[0])
    rooms, ends = fillable_rooms(np.unique(size).tolist(), mode.size), np.cumsum([0, *size])
    anybody = Ragged(ends, np.ones(ends[-1], np.int64))
    seating = Seating.of(mode, anybody, np.full(n, -1)) if mode.is_seated else NO_SEATING
    seating, who = seating._replace(fillable=rooms), np.arange(n)
    shape = Shape(mode.players, 1 if mode.is_seated else mode.size, rooms, seating)
    count = find_fills(cost, size, who, who[:1], 1 | 1 << own, own, shape, 10**6, found)
    fills = [tuple(found.members[i, : found.lengths[i]].tolist()) for i in range(count)]

    def allowed(a: int, b: int) -> bool:
        return bool(cost[a, b] == 0)

    expected = naive.lobbies_with(0, list(range(n)), size.tolist(), mode.sizes, allowed)
    assert fills == sorted(lobby[1:] for lobby in expected)
    first = Fills.room(1, mode.players)
    assert find_fills(cost, size, who, who[:1], 1 | 1 << own, own, shape, 3, first) <= (count > 0)


def test_nobody_waits() -> None:
    none = np.zeros(0)
    empty = Pool(none, np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 0), np.bool_))
    assert len(empty.form(Mode.parse("5v5")).tickets) == 0


@pytest.mark.compiled
def test_kernels_compile_once() -> None:
    """Far and near, with groups and without, teams and free-for-alls: nobody waits for the compiler twice."""
    none, groups = np.zeros((30, 30), np.bool_), np.ones((30, 2), np.bool_)
    for text, some in (("2v2", None), ("ffa:3", groups), ("1v2", None)):
        for turn in (OVERDUE, FRONT, USUAL):
            strength = np.linspace(1000, 2000, 30)
            Pool(strength, np.ones(30, np.int64), np.full(30, turn), none, some).form(Mode.parse(text))
    alone = np.zeros((40, 40), np.bool_)
    alone[0, 1:30] = alone[1:30, 0] = True
    turn = np.full(40, USUAL)
    turn[0] = OVERDUE
    strength = np.linspace(1000, 2000, 40)
    far = Pool(strength, np.ones(40, np.int64), turn, alone).form(Mode.parse("2v2"))
    assert 0 in far.tickets[0]
    for kernel in (find_fills, serve_around, tile_windows):
        assert len(kernel.signatures) == 1


@pytest.mark.parametrize("text", ["2v2", "5v5", "ffa:8"])
@pytest.mark.parametrize("late", [0.0, 0.05, 1.0])
def test_hundreds_of_tickets_make_legal_lobbies(text: str, late: float) -> None:
    """Parties, groups and forbidden pairs at once; nearly everybody is served where all will take anybody."""
    mode, n, chance = Mode.parse(text), 600, np.random.default_rng(7)
    size = chance.choice([1, 1, 1, 2, 3], n) if mode.size > 2 else np.ones(n, np.int64)
    forbidden = np.triu(chance.random((n, n)) < 0.03, 1)
    groups = chance.random((n, 3)) < 0.6
    turn = np.where(chance.random(n) < late, OVERDUE, chance.choice([FRONT, USUAL], n, p=[0.1, 0.9]))
    pool = Pool(chance.normal(1500, 100, n), size, turn, forbidden | forbidden.T, groups)
    made = pool.form(mode)
    taken = made.tickets.items
    assert len(taken) == len(set(taken.tolist()))
    for lobby, cost in zip(made.tickets, made.cost, strict=True):
        assert naive.is_lobby(lobby.tolist(), size, mode.sizes, pool.allowed)
        assert shares_group(pool, lobby)
        assert cost <= pool.queue.tolerance[lobby].max()
    able = groups.any(axis=1)
    assert size[taken].sum() > 0.9 * size[able].sum()
