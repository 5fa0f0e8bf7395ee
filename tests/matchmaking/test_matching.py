"""Matchings: valid for every effort, the best there is where that is promised, and bounds that hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import COMPILED
from naive.matching import best_weight
from podium import InputError, ParameterError
from podium.matchmaking.graphs.matching import EFFORTS, Matching, best_matching

SEEDS = st.integers(0, 2**32 - 1)


class Graph(NamedTuple):
    players: int
    first: np.ndarray
    second: np.ndarray
    weight: np.ndarray

    def naive(self) -> float:
        edges = zip(self.first.tolist(), self.second.tolist(), self.weight.tolist(), strict=True)
        return best_weight(self.players, list(edges))


def random_graph(players: int, density: float, top: int, offset: int, seed: int) -> Graph:
    """Edges between some of the pairs, whole weights from a fifth of −top to top above the offset."""
    chance = np.random.default_rng(seed)
    a, b = np.triu_indices(players, 1)
    some = chance.random(len(a)) < density
    name = chance.permutation(players)
    a, b = name[a[some]], name[b[some]]
    return Graph(players, a, b, (chance.integers(-(top // 5), top + 1, len(a)) + offset).astype(float))


def weigh(graph: Graph, matching: Matching) -> float:
    """Add up the pairs, once it is known that they are pairs, each along an edge that weighs something."""
    partner = matching.partner
    assert len(partner) == graph.players
    paired = np.flatnonzero(partner >= 0)
    assert np.array_equal(partner[partner[paired]], paired)
    edges = {}
    for i, j, w in zip(graph.first.tolist(), graph.second.tolist(), graph.weight.tolist(), strict=True):
        edges[min(i, j), max(i, j)] = max(w, edges.get((min(i, j), max(i, j)), 0.0))
    used = [edges[i, int(partner[i])] for i in paired.tolist() if i < partner[i]]
    assert all(w > 0.0 for w in used)
    return sum(used)


GRAPHS = st.builds(
    random_graph,
    st.integers(0, 11),
    st.sampled_from([0.2, 0.4, 0.7, 1.0]),
    st.sampled_from([1, 3, 20, 10_000]),
    st.sampled_from([0, 0, 50, 20_000]),
    SEEDS,
)


@given(GRAPHS)
def test_exact_is_the_best_there_is_and_its_bound_says_so(graph: Graph) -> None:
    matching = best_matching(*graph, effort="exact")
    assert weigh(graph, matching) == matching.weight == matching.bound == graph.naive()


def test_exact_on_thousands_of_graphs() -> None:
    """Sparse, dense, tied and apart: as many as there is time for."""
    chance = np.random.default_rng(1)
    for _ in range(3_000):
        size, top = int(chance.integers(2, 9)), int(chance.choice([2, 5, 1_000]))
        offset = int(chance.choice([0, 4 * top]))
        graph = random_graph(size, float(chance.random()), top, offset, int(chance.integers(2**32)))
        assert weigh(graph, best_matching(*graph, effort="exact")) == graph.naive()


@pytest.mark.parametrize(
    "players, density",
    [(60, 0.1), (60, 1.0), (150, 0.05), (300, 0.03), *([(300, 1.0)] if COMPILED else [])],
)
@pytest.mark.parametrize("top, offset", [(3, 0), (3, 10), (10_000, 0), (10_000, 40_000)])
def test_larger_graphs_are_proved_by_their_prices(
    players: int, density: float, top: int, offset: int
) -> None:
    """Where the bound is reached nothing can weigh more, blossoms in blossoms or not."""
    for seed in range(5):
        graph = random_graph(players, density, top, offset, seed)
        matching = best_matching(*graph, effort="exact")
        assert weigh(graph, matching) == matching.weight == matching.bound


def triangles(count: int, seed: int) -> Graph:
    """Triangles in triangles, joined in a ring by light edges: blossoms that hold blossoms."""
    chance = np.random.default_rng(seed)
    edges = []
    for t in range(0, 9 * count, 9):
        for s in range(0, 9, 3):
            edges += [(t + s, t + s + 1, 100), (t + s + 1, t + s + 2, 100), (t + s, t + s + 2, 100)]
        edges += [(t + 2, t + 3, 80), (t + 5, t + 6, 80), (t + 8, t, 80)]
        edges += [(t + int(chance.integers(9)), (t + 9 + int(chance.integers(9))) % (9 * count), 60)]
    a, b, w = np.array(edges).T
    name = chance.permutation(9 * count)
    return Graph(9 * count, name[a], name[b], w + chance.integers(0, 30, len(w)).astype(float))


@given(st.integers(2, 40), SEEDS)
def test_blossoms_in_blossoms(count: int, seed: int) -> None:
    graph = triangles(count, seed)
    matching = best_matching(*graph, effort="exact")
    assert weigh(graph, matching) == matching.weight == matching.bound


def test_blossoms_in_blossoms_are_the_naive_ones() -> None:
    """Two rings of three triangles each are still few enough to try everything."""
    for seed in range(200):
        graph = triangles(2, seed)
        assert weigh(graph, best_matching(*graph, effort="exact")) == graph.naive()


@given(SEEDS)
def test_a_bound_is_one_for_matchings_that_others_find(seed: int) -> None:
    """On a graph too large to try everything: the exact weight is within every effort's bound."""
    graph = random_graph(80, 0.1, 1_000, 0, seed)
    best = best_matching(*graph, effort="exact").weight
    for effort in EFFORTS:
        matching = best_matching(*graph, effort=effort)
        assert weigh(graph, matching) == pytest.approx(matching.weight, rel=1e-12)
        assert matching.weight <= best <= matching.bound * (1 + 1e-12)


@given(GRAPHS)
def test_quick_weighs_at_least_half(graph: Graph) -> None:
    """As the heaviest edge first does: each edge taken keeps away two that are no heavier."""
    assert weigh(graph, best_matching(*graph, effort="quick")) >= graph.naive() / 2


@given(st.lists(st.floats(1e-3, 1e3), min_size=3, max_size=3), st.integers(-1_000, 1_000))
def test_weights_of_any_size(weights: list[float], power: int) -> None:
    scaled = np.array(weights) * 2.0**power
    matching = best_matching(4, [0, 1, 2], [1, 2, 3], scaled, effort="exact")
    best = max(scaled[0] + scaled[2], scaled[1])
    assert matching.weight == pytest.approx(best, rel=1e-9)
    assert best <= matching.bound * (1 + 1e-15) <= best * (1 + 1e-9)


def test_near_gives_up_in_time_and_still_has_a_bound() -> None:
    """A long path on which every search has to go to the other end."""
    players = 6_001
    ends = np.arange(players - 1)
    graph = Graph(players, ends, ends + 1, 1_000.0 + np.random.default_rng(0).random(players - 1))
    best, near = (best_matching(*graph, effort=effort) for effort in ("exact", "near"))
    assert weigh(graph, best) == pytest.approx(best.bound, rel=1e-9)
    assert 0.99 * best.weight <= weigh(graph, near) <= best.weight * (1 + 1e-12) <= near.bound * (1 + 1e-9)


@pytest.mark.parametrize("effort", EFFORTS)
def test_nobody_and_nothing(effort: str) -> None:
    none = np.zeros(0, np.int64)
    assert best_matching(0, none, none, [], effort=effort) == (pytest.approx([]), 0.0, 0.0)
    assert best_matching(3, none, none, [], effort=effort).partner.tolist() == [-1, -1, -1]
    worthless = best_matching(4, [0, 2], [1, 3], [0.0, -5.0], effort=effort)
    assert worthless.partner.tolist() == [-1] * 4
    assert worthless.weight == worthless.bound == 0.0


@pytest.mark.parametrize("effort", EFFORTS)
def test_of_two_edges_the_heavier_counts(effort: str) -> None:
    matching = best_matching(2, [0, 1, 0], [1, 0, 1], [1.0, 3.0, 2.0], effort=effort)
    assert matching.partner.tolist() == [1, 0]
    assert matching.weight == 3.0


@pytest.mark.parametrize("effort", EFFORTS)
def test_the_same_graph_has_the_same_matching(effort: str) -> None:
    graph = random_graph(200, 0.05, 3, 0, 4)
    one, again = (best_matching(*graph, effort=effort).partner.tolist() for _ in range(2))
    assert one == again


def test_refusals() -> None:
    for first, second, weight in (([0], [2], [1.0]), ([-1], [1], [1.0]), ([1], [1], [1.0])):
        with pytest.raises(InputError):
            best_matching(2, first, second, weight)
    with pytest.raises(InputError):
        best_matching(2, [0], [1], [float("nan")])
    with pytest.raises(InputError):
        best_matching(2, [0], [1, 0], [1.0])
    with pytest.raises(ParameterError):
        best_matching(2, [0], [1], [1.0], effort="heroic")
