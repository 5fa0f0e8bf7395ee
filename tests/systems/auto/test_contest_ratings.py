"""Public ratings of players of contests: whose they are, when they move, and that they order well."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import podium
from podium import Auto, Elo, EloMMR, Event, ExpertList, Glicko, History, Ladder, StateError
from podium.arrays import Floats
from podium.evaluation.order_accuracy import accuracy
from podium.history import Merge, Reset, SetRating
from podium.systems.auto.contest_ratings import ABSENCE, CONTESTS, contest_start, leading
from podium.systems.auto.pair_regression import LEVEL

FEW = Auto(experts="few")
DAY = 86_400
START = 1_700_000_000


def contests(seed: int, n: int) -> History:
    """Contests of eight of twelve regulars and four newcomers, who are worse and never come again."""
    chance = Random(seed)
    events = []
    for number in range(n):
        skill = {f"p{one}": 0.3 * one for one in chance.sample(range(12), 8)}
        skill |= {f"new {number} {one}": 4.0 for one in range(4)}
        order = sorted(skill, key=lambda name: skill[name] + chance.gauss(0.0, 1.0))
        ranks = {name: 1 + place for place, name in enumerate(order)}
        events.append(Event.of(ranks=ranks, time=START + number * DAY))
    return History.from_events(events)


def ladder_after(history: History) -> Ladder:
    return podium.rate(history, FEW).ladder


def weights(ladder: Ladder) -> Floats:
    learned: Floats = ladder.state.shared[CONTESTS][0]
    return learned


def test_scores_start_from_the_experts_made_for_contests() -> None:
    experts = ExpertList("some", [Elo(), EloMMR(), Glicko(), EloMMR(beta=100.0)]).experts
    assert leading(experts).tolist() == [False, True, False, True]
    assert contest_start(experts).tolist() == [0.0, 0.5, 0.0, 0.5, *[0.0] * 6]
    assert contest_start(ExpertList("two", [Elo(), Glicko()]).experts)[:2].tolist() == [0.5, 0.5]


def test_a_score_orders_better_than_each_expert() -> None:
    """That newcomers are worse than most is learned, and told before they have played."""
    history = contests(1, 60)
    systems = [FEW, *(expert.system for expert in FEW.experts.experts)]
    right = [
        accuracy(history, system.update(system.new_state(), history).mu_before, first_event=20).pairs_right
        for system in systems
    ]
    assert right[0] > max(right[1:]) + 0.5


def test_nobody_moves_because_others_play_contests() -> None:
    ladder = ladder_after(contests(2, 30))
    ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3}, time=START + 31 * DAY)
    before, learned = ladder.rating("ann"), weights(ladder).copy()
    for number in range(5):
        names = [f"p{one}" for one in range(10)]
        ladder.record(ranks={name: 1 + k for k, name in enumerate(names)}, time=START + (32 + number) * DAY)
    assert not np.array_equal(weights(ladder), learned)
    assert ladder.rating("ann") == before


def test_absence_counts_by_the_weight_it_had() -> None:
    ladder = ladder_after(contests(3, 40))
    ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3}, time=START + 41 * DAY)
    now, later = (ladder.rating("ann", at=START + (41 + days) * DAY).mu for days in (0, 90))
    expected = 400.0 / np.log(10.0) * weights(ladder)[ABSENCE] * np.log(4.0)  # three months: ln(1 + 3)
    assert expected != 0.0
    assert later - now == pytest.approx(expected, abs=1e-9)
    assert ladder.rating("ann").mu == now


def test_what_is_viewed_is_what_the_trace_says() -> None:
    """Before contests and matches in any mixture, also of newcomers."""
    ladder = ladder_after(contests(4, 20))
    events = [
        Event.of(ranks={"p0": 1, "p1": 2, "new": 3}, time=START + 60 * DAY),
        Event.of(ranks={"p2": 1, "newer": 2}, time=START + 80 * DAY),
        Event.of(ranks={"p0": 1, "p2": 1, "newest": 3, "p3": 3}, time=START + 85 * DAY),
    ]
    for event in events:
        here = [name for side in event.sides for name in side]
        state, names = ladder.state.copy(), ladder.players.index_of
        state.grow(len(names) + 1)
        players = np.array([names.get(name, len(names)) for name in here])
        viewed, _ = FEW.view(state, players, event.time)
        changes = {change.player: change.mu_before for change in ladder.record_event(event)}
        np.testing.assert_allclose([changes[name] for name in here], viewed, rtol=0, atol=1e-9)


def test_a_match_rates_by_the_mixture_and_a_contest_by_the_score() -> None:
    ladder = ladder_after(contests(5, 20))
    ladder.record_match("p0", "p1", time=START + 30 * DAY)
    many = ladder.state["many"]
    index = ladder.players.index_of
    assert [bool(many[index[name]]) for name in ("p0", "p1", "p2")] == [False, False, True]
    players = np.array([index["p0"]])
    mixture, _ = FEW.current_belief(ladder.state, players, -(2**63))
    assert ladder.rating("p0").mu == pytest.approx(float(mixture[0]), abs=1e-9)
    ladder.undo()
    assert bool(ladder.state["many"][index["p0"]])


def test_adjustments_reach_scores() -> None:
    ladder = ladder_after(contests(6, 20))
    ladder.adjust(SetRating(player="p3", mu=1900.0))
    assert ladder.rating("p3", at=START + 400 * DAY).mu == 1900.0
    ladder.adjust(Merge(player="p4", into="p5"))
    assert bool(ladder.state["many"][ladder.players.index_of["p5"]])
    ladder.adjust(Reset(keep=0.0))
    shown = {ladder.rating(f"p{one}").mu for one in (0, 1)}
    assert max(shown) - min(shown) < 60.0  # alike but for experience


def test_opinions_of_players_of_contests_are_by_the_weights_of_scores() -> None:
    ladder = ladder_after(contests(7, 20))
    opinions = ladder.explain("p0").opinions  # type: ignore[union-attr]
    sizes = np.abs(weights(ladder)[:4])
    assert opinions[0].expert == "elo-mmr"
    assert opinions[0].share == pytest.approx(sizes[3] / sizes.sum(), abs=1e-12)
    assert sum(one.share for one in opinions) == pytest.approx(1.0, abs=1e-12)


def test_saved_weights_are_checked() -> None:
    state = FEW.new_state(1)
    state.shared[CONTESTS][0, LEVEL] = 500.0
    FEW.check_state(state)
    state.shared[CONTESTS][0, 0] = 11.0
    with pytest.raises(StateError, match="contests"):
        FEW.check_state(state)
    state.shared[CONTESTS][0, 0] = 0.0
    state.shared[CONTESTS][1, 1] = 3.0
    with pytest.raises(StateError, match="covariance"):
        FEW.check_state(state)


def mixed_events(seed: int) -> list[Event]:
    """Matches, contests, teams and guests among eight players, who so come late to some of the experts."""
    chance = Random(seed)
    events = []
    for day in range(14):
        names = chance.sample("abcdefgh", chance.choice([2, 2, 3, 4, 5]))
        time = START + 3 * DAY * day if seed % 2 else None
        if chance.random() < 0.2:
            teams = [names[:1], names[1:]]
            events.append(Event.of(teams=teams, ranks=[1, chance.choice([1, 2])], time=time))
            continue
        ranks = {name: chance.randint(1, 3) for name in names}
        guests = names[:1] if chance.random() < 0.15 else []
        events.append(Event.of(ranks=ranks, unrated=guests, time=time))
    return events


@pytest.mark.parametrize("seed", range(8))
def test_matches_and_contests_mixed_are_rated_alike_at_once_and_in_pieces(seed: int) -> None:
    """An expert for contests meets players of matches late, when it has learned more of newcomers."""
    events = mixed_events(seed)
    one_by_one, in_two, at_once = Ladder("auto"), Ladder("auto"), Ladder("auto")
    for event in events:
        one_by_one.record_event(event)
    cut = 1 + seed
    for part in (events[:cut], events[cut:]):
        in_two.update(History.from_events(part))
    at_once.update(History.from_events(events))
    assert one_by_one.state == at_once.state
    assert in_two.state == at_once.state


def test_who_comes_late_to_an_expert_is_met_as_the_newcomer_of_that_time() -> None:
    events = [
        Event.of(ranks=ranks)
        for ranks in ({"a": 1, "b": 2}, {"c": 1, "d": 2, "e": 3}, {"b": 1, "c": 2, "d": 3})
    ]
    one_by_one, at_once = Ladder("auto"), Ladder("auto")
    for event in events:
        one_by_one.record_event(event)
    at_once.update(History.from_events(events))
    assert one_by_one.state == at_once.state
