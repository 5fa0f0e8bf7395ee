"""The rank to reach a rating, against trying every rank: for every system, with teams and deductions."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from checks.variants import DEFAULTS, SINGLE_CHOICES, label
from podium import (
    Anchor,
    Codeforces,
    Elo,
    EloMMR,
    EloR,
    Ladder,
    SetRating,
    Topcoder,
    TrueSkill,
    WengLin,
)
from podium.history import Event
from podium.ladder.needed_ranks import worst_ranks
from podium.systems import RatingSystem

FIELDS = 2
"""Random standings tried for each system, each with a target for every rank."""


def deducting(system: RatingSystem) -> list[RatingSystem]:
    """The system as it is, and showing players with few results lower, if it can."""
    if "display_k" not in system.parameters():
        return [system]
    return [system, *(replace(system, display_k=k) for k in (1.0, 3.0, 20.0))]  # type: ignore[call-arg]


def some_standings(system: RatingSystem, chance: np.random.Generator) -> tuple[Ladder, Event]:
    """A ladder and the standings of an event, with teams and ties if the system can use them."""
    can, ladder = system.supports, Ladder(system)
    mu, sigma = system.start(ladder.state)
    sides = int(chance.integers(3, 7)) if can.many else 2
    sizes = chance.integers(1, 3, sides) if can.teams else np.ones(sides, int)
    names = iter(f"player {i}" for i in range(20))
    teams = [[next(names) for _ in range(size)] for size in sizes]
    spread = (500.0 if mu[0] > 100.0 else 8.0) * float(chance.choice([0.2, 1.0]))
    for name in (name for team in teams for name in team):
        deviation = None if sigma is None else float(sigma[0] * chance.uniform(0.05, 1.0))
        ladder.adjust(
            SetRating(player=name, mu=float(mu[0] + spread * chance.standard_normal()), sigma=deviation)
        )
    order = chance.integers(1, sides + 1, sides) if can.ties else chance.permutation(sides)
    ranks = 1 + np.sum(order[:, None] > order, axis=1)
    return ladder, Event.of(teams=teams, ranks=ranks.tolist(), time="2026-05-01")


def shown_by_rank(ladder: Ladder, standings: Event, mine: int) -> dict[int, float]:
    """What the first member of a side would be displayed at with each rank between the other sides."""
    others = sorted(rank for side, rank in enumerate(standings.ranks) if side != mine)
    shown = {}
    for place in {0, *(sum(rank <= other for rank in others) for other in others)}:
        ahead = others[place - 1] if place else 0
        ranks = [2 * ahead + 1 if side == mine else 2 * rank for side, rank in enumerate(standings.ranks)]
        changes = ladder.preview(teams=list(standings.sides), ranks=ranks, time="2026-05-01")
        found = next(change for change in changes if change.player == standings.sides[mine][0])
        shown[place + 1] = found.display
    return shown


def agree(system: RatingSystem, chance: np.random.Generator) -> int:
    """Compare all targets of some standings; returns the number of ranks that a better one falls behind."""
    ladder, standings = some_standings(system, chance)
    mine = int(chance.integers(len(standings.sides)))
    shown = shown_by_rank(ladder, standings, mine)
    for target in [*shown.values(), max(shown.values()) + 1.0, min(shown.values()) - 1.0]:
        goal = target - 1e-7
        enough = [rank for rank, display in shown.items() if display >= goal]
        found = ladder.rank_to_reach(
            standings.sides[mine][0],
            goal,
            teams=list(standings.sides),
            ranks=list(standings.ranks),
            time="2026-05-01",
        )
        assert found == max(enough, default=None), (shown, goal)
    in_order = [shown[rank] for rank in sorted(shown)]
    return sum(worse > better + 1e-7 for better, worse in pairwise(in_order))


@pytest.mark.parametrize("system", [*DEFAULTS, *SINGLE_CHOICES], ids=label)
def test_every_system_finds_the_worst_rank_that_is_enough(system: RatingSystem) -> None:
    chance = np.random.default_rng(11)
    for variant in deducting(system):
        for _ in range(FIELDS):
            falls = agree(variant, chance)
            assert falls == 0 or not variant.rank_raises_display


@pytest.mark.parametrize(
    "system",
    [
        WengLin(model="bradley-terry-part"),
        WengLin(model="thurstone-mosteller-part"),
        TrueSkill(display_k=20),
        Topcoder(display_k=3),
    ],
    ids=label,
)
def test_ranks_are_out_of_order_in_some_systems(system: RatingSystem) -> None:
    """So the comparison above is one: here halving would miss ranks."""
    chance = np.random.default_rng(12)
    assert sum(agree(system, chance) for _ in range(30)) > 0


def test_a_rank_is_enough_that_a_better_one_is_not() -> None:
    """Only neighbours count: ann gains most between an equal and somebody much better, behind both others."""
    ladder = Ladder(WengLin(model="bradley-terry-part"))
    for name, mu in (("strong", 45.0), ("weak", 5.0), ("ann", 25.0), ("even", 25.0)):
        ladder.adjust(SetRating(player=name, mu=mu, sigma=4.0))
    ranks = {"weak": 1, "even": 2, "strong": 3, "ann": 4}
    shown = shown_by_rank(ladder, Event.of(ranks=ranks), mine=3)
    assert [round(shown[rank], 2) for rank in (1, 2, 3, 4)] == [25.16, 24.18, 25.82, 24.84]
    assert ladder.rank_to_reach("ann", 25.5, ranks=ranks) == 3
    assert ladder.rank_to_reach("ann", 24.5, ranks=ranks) == 4
    assert ladder.rank_to_reach("ann", 26.0, ranks=ranks) is None


@pytest.mark.parametrize("system", DEFAULTS, ids=label)
def test_all_players_have_the_ranks_of_each_alone(system: RatingSystem) -> None:
    chance = np.random.default_rng(13)
    for variant in deducting(system)[:2]:
        ladder, standings = some_standings(variant, chance)
        event = {
            "teams": list(standings.sides),
            "ranks": list(standings.ranks),
            "time": "2026-05-01",
        }
        shown = [change.display for change in ladder.preview(**event)]
        ratings = [min(shown) - 1.0, *(display + 1e-7 for display in shown), max(shown) + 1e4]
        alone = {
            player: tuple(ladder.rank_to_reach(player, rating, **event) for rating in ratings)
            for side in standings.sides
            for player in side
        }
        assert ladder.ranks_to_reach(ratings, **event) == alone


@pytest.mark.parametrize(
    "system",
    [
        EloMMR(newcomer_start="adaptive", newcomer_weights=(0.5,), drift_per_day=2.0),
        EloMMR(ties="half"),
        EloR(ties="half"),
        Codeforces(),
    ],
    ids=label,
)
@pytest.mark.parametrize("clusters", [1, 2])
def test_all_players_of_a_contest_at_once(system: RatingSystem, clusters: int) -> None:
    """Tabulated contests with ties, newcomers, guests, an anchor and a ceiling.

    Two far clusters: between them a table is flat.
    """
    chance, ladder, n = np.random.default_rng(14), Ladder(system), 40
    mu, deviation = 1500.0 + 1e5 * (chance.integers(0, clusters, n)), 80.0 if system.has_sigma else None
    for i in range(n - 5):
        skill = float(mu[i] + 300.0 * chance.standard_normal())
        ladder.adjust(SetRating(player=f"player {i}", mu=skill, sigma=deviation))
    ladder.record(ranks={f"player {i}": i + 1 for i in range(0, n - 5, 3)}, time="2026-03-01")
    ladder.adjust(Anchor(player="player 1"))
    event = {
        "ranks": {f"player {i}": int(rank) for i, rank in enumerate(chance.integers(1, 25, n))},
        "unrated": ["player 2"],
        "weight": 0.7,
        "ceiling": 1900.0 if clusters == 1 else None,
        **({"time": "2026-05-01"} if system.supports.time else {}),
    }
    ratings = [1200.0, 1500.0, 1633.3, 1900.0, 101500.0]
    found = ladder.ranks_to_reach(ratings, **event)
    assert found == {
        player: tuple(ladder.rank_to_reach(player, rating, **event) for rating in ratings)
        for player in event["ranks"]
    }
    assert len(set(found.values())) > 5


def test_a_large_contest_is_rated_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """No event is rated for single players and ratings."""
    ladder = Ladder(EloMMR())
    standings = {f"player {i}": i + 1 for i in range(1000)}
    before = ladder.preview(ranks=standings)
    monkeypatch.setattr(EloMMR, "update", None)
    ratings = [-1e9, 1450.0, 1500.0, 1600.0, 1e9]
    ranks = ladder.ranks_to_reach(ratings, ranks=standings)
    assert set(ranks.values()) == {ranks["player 0"]}  # newcomers are alike
    last, *between, never = ranks["player 0"]
    assert (last, never) == (1000, None)
    assert between == [max(c.rank for c in before if c.display >= rating) for rating in ratings[1:4]]


def test_a_large_contest_takes_few_previews() -> None:
    """1,000 players in a moment: halving needs ten ranks, and no event is built again for each."""
    ladder = Ladder(EloMMR())
    standings = {f"player {i}": i + 1 for i in range(1000)}
    found = ladder.rank_to_reach("player 999", 1500.0, ranks=standings)
    assert found is not None
    assert 400 < found < 600


def test_ranks_of_a_larger_field_are_answered_on_their_scale() -> None:
    """Published ranks of a club's members: the answer is the worst rank that keeps the order needed."""
    ranks = {"ann": 12, "bob": 57, "cat": 103}
    for system in (Elo(), EloMMR()):
        ladder = Ladder(system)
        start = ladder.preview(ranks={"ann": 1, "cat": 2, "bob": 3})
        second = next(change.display for change in start if change.player == "cat")
        assert ladder.rank_to_reach("cat", second - 1.0, ranks=ranks) == 56
        assert ladder.ranks_to_reach([second - 1.0, 0.0], ranks=ranks) == {
            "ann": (102, 104),
            "bob": (102, 104),
            "cat": (56, 103),
        }


@given(st.lists(st.integers(1, 5), min_size=2, max_size=8))
def test_ranks_without_gaps_are_counted(drawn: list[int]) -> None:
    """Where ranks have no gaps, the worst rank is one behind those who are ahead."""
    ranks = np.array([1 + sum(other < one for other in drawn) for one in drawn])
    for own, rank in enumerate(ranks):
        others = sorted(np.delete(ranks, own).tolist())
        ahead = np.array([n for n in range(len(ranks)) if n == len(others) or n == others.index(others[n])])
        mine = np.full(len(ahead), rank)
        assert worst_ranks(ranks, mine, ahead).tolist() == (1 + ahead).tolist()


@given(st.lists(st.integers(1, 5), min_size=2, max_size=8))
def test_dense_ranks_stay_dense(drawn: list[int]) -> None:
    """Where ties leave no gap (1-1-2-3), the answer counts the groups ahead, as the given ranks do."""
    ranks = np.unique(drawn, return_inverse=True)[1] + 1
    assume(ranks.tolist() != [1 + sum(other < one for other in drawn) for one in drawn])
    for own, rank in enumerate(ranks):
        others = sorted(np.delete(ranks, own).tolist())
        ahead = [n for n in range(len(ranks)) if n == len(others) or n == others.index(others[n])]
        mine = np.full(len(ahead), rank)
        expected = [1 + len(set(others[:n])) for n in ahead]
        assert worst_ranks(ranks, mine, np.array(ahead)).tolist() == expected
