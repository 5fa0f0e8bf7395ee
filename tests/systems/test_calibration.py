"""Calibrated predictions: what is learned of them, and what never changes by it."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import numpy as np
import pytest

from naive import calibration as naive
from podium import (
    Anchor,
    Elo,
    EloMMX,
    Glicko,
    History,
    Ladder,
    Merge,
    RatingSystem,
    Rename,
    Reset,
    SetRating,
    StateError,
    TrueSkill,
    make_system,
    rate,
)
from podium.checks.random_histories import random_history
from podium.evaluation.event_predictions import predict_events
from podium.history import Event
from podium.history.times import Moment
from podium.numerics.draws import mean_draw_room
from podium.numerics.free_for_all.mean_places import expected_ranks
from podium.presets import PRESETS
from podium.systems.contract.calibration import Calibration
from podium.systems.contract.side_scores import performances
from podium.systems.contract.sides import Sides

LEARNED = Elo(calibration="learned")


def learned(ladder: Ladder) -> Calibration:
    assert ladder.calibration is not None
    return ladder.calibration


def matches(n: int, chance: Random, wins: float, draws: float = 0.0, players: int = 8) -> History:
    """Matches at home of people who are all alike."""
    pairs = [chance.sample("abcdefgh"[:players], 2) for _ in range(n)]
    scores = [0.5 if chance.random() < draws else float(chance.random() < wins) for _ in range(n)]
    return History.from_matches(
        [a for a, _ in pairs], [b for _, b in pairs], scores, time=list(range(n)), home="a"
    )


# ---------------------------------------------------------------------- the naive twin


def fields_expected(system: RatingSystem, ladder: Ladder, event: Event, slope: float) -> list[float]:
    """Mean expected scores in an event of many sides, with scales divided by the slope."""
    names, n = [name for side in event.sides for name in side], len(event.sides)
    play = dict(event.play)
    sides = Sides(
        np.arange(len(names)),
        np.cumsum([0, *map(len, event.sides)]),
        np.array([play.get(name, 1.0) for name in names]),
    )
    belief = system.side_belief(ladder._seats(names), sides, int(event.time))
    ranks = expected_ranks(*performances(system, *belief, sides.noise, slope))
    return [(n - rank) / (n - 1) for rank in ranks.tolist()]


@pytest.mark.parametrize("system", [Elo(), TrueSkill(), EloMMX()], ids=lambda system: system.name)
def test_the_naive_twin_learns_the_same(system: RatingSystem) -> None:
    for seed in range(3):
        history = random_history(Random(seed), system.supports, adjusted=False, timed=True, max_events=25)
        state, twin = system.changed(calibration="learned").new_state(), naive.Calibration()
        trace = system.changed(calibration="learned").update(state, history)
        ladder, played, row = Ladder(system), Counter[str](), 0
        for event in history:
            n = len(event.sides)
            lacking = [np.mean([1.0 / (1.0 + played[name] / 5.0) for name in side]) for side in event.sides]
            scores = [np.mean([(o > r) + 0.5 * (o == r) for j, o in enumerate(event.ranks) if j != i])
                      for i, r in enumerate(event.ranks)]  # fmt: skip
            if event.share is not None:
                scores = [event.share, 1.0 - event.share]
            counts = {name for side in event.sides for name in side} - set(event.unrated)
            if n == 2:
                how = {"home": event.home, "at": Moment(event.time), "play": dict(event.play) or None}
                raw = ladder.expected_score(*event.sides, **how)
                home = 0.0 if event.home is None else 1.0 if event.home in event.sides[0] else -1.0
                inputs = raw, home, float(lacking[0] - lacking[1])
                p, draw = twin.predict(*inputs)
                expected = [p, 1.0 - p]
                if counts:
                    twin.learn(*inputs, scores[0], event.ranks[0] == event.ranks[1])
            else:
                expected, draw = fields_expected(system, ladder, event, float(twin.theta[0])), 0.0
                if counts:
                    twin.learn_field(expected, scores)
                    twin.learn_ties(expected, list(event.ranks))
            told = np.repeat(expected, [len(side) for side in event.sides])
            np.testing.assert_allclose(trace.expected[row : row + len(told)], told, rtol=0, atol=1e-9)
            np.testing.assert_allclose(trace.draw[row : row + len(told)], draw, rtol=0, atol=1e-9)
            row += len(told)
            ladder.record_event(event)
            played.update(counts)
        array = state.shared["calibration"]
        np.testing.assert_allclose(array[0], twin.theta, rtol=0, atol=1e-8)
        np.testing.assert_allclose(array[1:4], twin.covariance, rtol=0, atol=1e-9)
        np.testing.assert_allclose(array[4, :2], [twin.draws, twin.room], rtol=1e-9)


def test_one_match_by_hand() -> None:
    """Odds of 3 to 1 and an upset, between two who have never played.

    x = ln 3 = 1.098612, p = 3/4, w = 3/16, P = 1/4: v = x²/4 = 0.301737, and the slope falls by
    (x/4) · (3/4) / (1 + w v) = 0.205990/1.056576 = 0.194960; a part of 5e-6 of that comes back.
    """
    ladder = Ladder(LEARNED)
    ladder.adjust(SetRating(player="ann", mu=1500.0 + 400.0 * math.log10(3.0)))
    assert ladder.expected_score("ann", "bob") == pytest.approx(0.75)
    ladder.record_match("bob", "ann")
    assert learned(ladder).slope == pytest.approx(1.0 - 0.194960 * (1.0 - 5e-6), abs=1e-6)
    assert (learned(ladder).home, learned(ladder).experience, learned(ladder).events) == (0.0, 0.0, 1)


# ---------------------------------------------------------------------- what is learned


def test_ratings_stay_as_they_are() -> None:
    history = matches(60, Random(1), 0.6, draws=0.2)
    for system in (Elo(), Glicko()):
        plain, corrected = rate(history, system), rate(history, system.changed(calibration="learned"))
        assert corrected.ratings.equals(plain.ratings)
        assert plain.ladder.calibration is None
        assert "calibration" not in plain.ladder.state.shared


def test_luck_makes_the_slope_small_and_nobody_worse_than_a_coin() -> None:
    history = matches(3000, Random(2), 0.5)
    bold = Glicko(home_advantage=30.0)
    losses = []
    for system in (bold, bold.changed(calibration="learned")):
        found = predict_events(history, system)
        score = found.standings.score
        losses.append(
            -float(np.mean(score * np.log(found.expected) + (1 - score) * np.log(1 - found.expected)))
        )
    assert losses[0] > math.log(2.0) + 0.01
    assert losses[1] < math.log(2.0) + 0.004
    assert learned(rate(history, bold.changed(calibration="learned")).ladder).slope < 0.3


def test_the_home_side_is_learned() -> None:
    ladder = rate(matches(600, Random(3), 0.7), LEARNED).ladder
    assert learned(ladder).home == pytest.approx(math.log(0.7 / 0.3), abs=0.25)
    at_home, away = (ladder.expected_score("a", "b", home=host) for host in "ab")
    assert at_home - away > 0.25
    assert at_home + ladder.expected_score("b", "a", home="a") == pytest.approx(1.0, abs=1e-12)


def test_newcomers_who_lose_are_expected_to() -> None:
    chance, ladder = Random(4), Ladder(LEARNED)
    old, won = list("abcd"), 0
    for number in range(150):
        ladder.record_match(*chance.sample(old, 2))
        new = f"new {number}"
        won += (wins := chance.random() < 0.25)
        ladder.record_match(*((new, old[number % 4]) if wins else (old[number % 4], new)))
    assert learned(ladder).experience < -0.4
    mean = np.mean([ladder.expected_score("nobody yet", name) for name in old])
    assert mean == pytest.approx(won / 150, abs=0.08)


def test_draws_are_as_frequent_as_they_were() -> None:
    ladder = rate(matches(600, Random(5), 0.5, draws=0.3), LEARNED).ladder
    assert learned(ladder).draw_rate == pytest.approx(0.3, abs=0.05)
    found = ladder.outcomes("a", "b")
    assert found.win + found.draw + found.loss == pytest.approx(1.0, abs=1e-12)
    assert found.win + found.draw / 2 == pytest.approx(ladder.expected_score("a", "b"), abs=1e-12)


def test_without_draws_next_to_nothing_is_lost() -> None:
    history = matches(1000, Random(6), 0.5)
    trace = LEARNED.update(LEARNED.new_state(), history)
    assert -np.log(1.0 - trace.draw[::2]).sum() < 0.3
    assert 0.0 < trace.draw[-1] < 1e-5


def test_weights_do_not_enter() -> None:
    def after(weight: float) -> Calibration:
        ladder = Ladder(LEARNED)
        ladder.adjust(SetRating(player="ann", mu=1700.0))
        ladder.record_match("bob", "ann", weight=weight)
        return learned(ladder)

    assert after(1.0) == after(5.0)


def test_events_in_which_nobody_is_rated_teach_nothing() -> None:
    ladder = Ladder(LEARNED)
    ladder.adjust(Anchor(player="ann", mu=1700.0))
    both = {"ranks": {"ann": 2, "bob": 1}}
    ladder.record(**both, unrated=["bob"])
    assert learned(ladder).events == 0
    ladder.record(**both)  # bob is rated
    assert learned(ladder).events == 1


def test_undoing_and_adjusting() -> None:
    ladder = Ladder(LEARNED)
    ladder.record_match("ann", "bob", home="ann")
    before = learned(ladder)
    ladder.record_match("bob", "cat", home="bob", draw=True)
    assert learned(ladder) != before
    ladder.undo()
    assert learned(ladder) == before
    for adjustment in (Reset(keep=0.5), Rename(player="ann", into="anna"), Merge(player="bob", into="anna")):
        ladder.adjust(adjustment)
    assert learned(ladder) == before


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_learn_the_same_at_once_and_event_by_event(preset: str) -> None:
    system = make_system(preset)
    history = random_history(Random(3), system.supports, timed=True, max_events=25)
    whole, single = Ladder(system), Ladder(system)
    whole.update(history)
    for number in range(len(history)):
        single.update(history[number : number + 1])
    assert np.array_equal(whole.state.shared["calibration"], single.state.shared["calibration"])


# ---------------------------------------------------------------------- free-for-alls


def test_free_for_alls_agree_with_themselves_and_with_the_trace() -> None:
    system = EloMMX(calibration="learned")
    items: list[object] = [SetRating(player=name, mu=1500.0 + 60.0 * i) for i, name in enumerate("abcd")]
    items += [{"ranks": {"a": 1, "b": 2, "c": 3, "d": 4}}]  # an upset
    ladder = Ladder(system)
    ladder.update(History.from_events(items))
    assert learned(ladder).slope < 0.95
    names = ["a", "b", "c", "d"]
    chances, ranks = ladder.rank_probabilities(names), ladder.expected_ranks(names)
    assert chances.expected_rank == pytest.approx(ranks, abs=0.05)
    assert ladder.top_chances(names, 1) == pytest.approx(chances.top(1), abs=1e-9)
    assert all(
        chances.top(1)[i] <= ladder.expected_score(one, other) + 1e-9
        for i, one in enumerate(names)
        for other in names
        if other != one
    )
    run = rate(History.from_events([*items, {"ranks": {"d": 1, "c": 2, "b": 3, "a": 4}}]), system, trace=True)
    assert run.explain("a", event="2").expected_rank == pytest.approx(ranks[0], abs=1e-9)


def test_ratings_far_apart_take_another_method() -> None:
    system = EloMMX(calibration="learned")
    items = [SetRating(player="a", mu=1e7), {"ranks": {"a": 1, "b": 2, "c": 3}}, {"ranks": {"b": 1, "c": 2}}]
    whole = rate(History.from_events(items), system, trace=True)
    trace = whole._parts[0][1]
    np.testing.assert_allclose(trace.expected[:3], [1.0, 0.25, 0.25], atol=1e-9)
    assert learned(whole.ladder).events == 2


# ---------------------------------------------------------------------- files


def test_a_covariance_that_is_none_is_refused() -> None:
    state = LEARNED.new_state(1)
    arrays = state.to_arrays()
    name = "shared:calibration"
    for row, column, value in ((1, 1, 0.05), (1, 0, 0.0), (0, 0, 0.01), (4, 1, 0.0)):
        crafted = arrays[name].copy()
        crafted[row, column] = value
        with pytest.raises(StateError, match="calibration"):
            LEARNED.restore_state({**arrays, name: crafted}, 1)
    assert LEARNED.restore_state(arrays, 1) == state


def test_a_ladder_of_the_other_kind_is_refused(tmp_path: object) -> None:
    path = f"{tmp_path}/ladder"
    Ladder(Elo()).save(path)
    with pytest.raises(StateError, match="calibration=off, not learned"):
        Ladder.load(path, system=LEARNED)
    assert Ladder.load(path).calibration is None


# ---------------------------------------------------------------------- draws that are rare, and ties


@pytest.mark.parametrize("system", [Elo(calibration="learned"), make_system("auto", experts="few")])
def test_draws_of_a_game_without_any_are_hardly_expected_and_never_excluded(system: RatingSystem) -> None:
    ladder = Ladder(system)
    assert ladder.outcomes("ann", "bob").draw > 0.01  # nothing is known of the game yet
    for _ in range(30):
        ladder.record_match("ann", "bob")
        ladder.record_match("bob", "ann")
    told = ladder.outcomes("ann", "bob")
    assert 0.0 < told.draw < 0.001
    ladder.record_match("ann", "bob", draw=True)
    told = ladder.outcomes("ann", "bob")
    assert told.draw > 0.01
    assert told.win + told.draw + told.loss == pytest.approx(1.0)


@pytest.mark.parametrize("system", [Elo(calibration="learned"), make_system("auto", experts="few")])
def test_what_is_scored_is_what_a_ladder_says(system: RatingSystem) -> None:
    """The first draw comes late; a ladder says before it what the backtest scores."""
    history, ladder, said = matches(60, Random(7), 0.5), Ladder(system), []
    drawn = History.from_matches(["a"], ["b"], [0.5], time=[60], home="a")
    for event in [*history, *drawn]:
        chances = ladder.outcomes(*event.sides, home=event.home, at=Moment(event.time))
        first, second = event.ranks
        said.append((chances.win, chances.draw, chances.loss)[1 + (first > second) - (first < second)])
        ladder.record_event(event)
    found = predict_events(History.from_events([*history, *drawn]), system)
    np.testing.assert_allclose(found.happened, said, rtol=1e-9)
    assert 0.0 < said[-1] < 0.001


def ties(n: int, sides: int, width: float, players: int = 30) -> tuple[History, float]:
    """Races of people whose skills differ, timed in units of `width`, and the share of pairs that tied."""
    chance = np.random.default_rng(sides)
    skill, events, tied = chance.normal(0.0, 1.0, players), [], 0
    for _ in range(n):
        who = chance.choice(players, sides, replace=False)
        performance = skill[who] + chance.gumbel(0.0, 1.0, sides)
        time = np.floor(performance / width) if width else performance
        ranks = [1 + int(np.sum(time > own)) for own in time]
        rows = sorted(zip(ranks, who.tolist(), strict=True))  # as files often are
        events.append({"ranks": {f"p{name}": rank for rank, name in rows}})
        tied += sum(ranks[i] == ranks[j] for i in range(sides) for j in range(i))
    return History.from_events(events), tied / (n * sides * (sides - 1) / 2)


@pytest.mark.parametrize("system", [None, "auto"])
@pytest.mark.parametrize(("sides", "width"), [(5, 1.2), (12, 0.0)])
def test_contests_teach_how_often_sides_tie(system: str | None, sides: int, width: float) -> None:
    history, tied = ties(150, sides, width)
    ladder = rate(history, None if system is None else make_system(system, experts="few")).ladder
    names = ladder.leaderboard()["player"].to_list()
    drawn = np.mean([ladder.outcomes(a, b).draw for a in names[::3] for b in names[1::3]])
    assert drawn == pytest.approx(tied, rel=0.2, abs=1e-4)
    shared = ladder.rank_probabilities(names[:sides]).tied
    if tied:
        assert tied > 0.2
        assert shared.min() > 0.4
    else:
        assert shared.max() < 0.001


def test_the_order_of_rows_teaches_nothing() -> None:
    history, _ = ties(20, 12, 0.7)
    shuffled = []
    for event in history:
        rows = [(side[0], rank) for side, rank in zip(event.sides, event.ranks, strict=True)]
        shuffled.append({"ranks": dict(Random(3).sample(rows, len(rows)))})
    states = [rate(one, LEARNED).ladder.state for one in (history, History.from_events(shuffled))]
    found = [state.shared["calibration"] for state in states]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


@pytest.mark.parametrize(("sides", "deviation", "off"), [(5, 1.0, 0.01), (20, 1.0, 0.01), (70, 2.0, 0.02)])
def test_the_room_for_ties_is_that_of_all_pairs(sides: int, deviation: float, off: float) -> None:
    """Strengths drawn from a normal distribution; every pair by Davidson's formula, solved by halving."""
    nu, chance = 0.4, np.random.default_rng(1)
    z = chance.normal(0.0, deviation, sides)
    won = 1.0 / (1.0 + np.exp(z[None, :] - z[:, None]))
    pairs = [float(won[i, j]) for i in range(sides) for j in range(i)]
    room = np.mean([naive.chance_of_draw(p, nu) for p in pairs]) / nu
    expected = (won.sum(axis=1) - 0.5) / (sides - 1)
    assert mean_draw_room(expected, nu) == pytest.approx(room, rel=off)


def test_only_what_was_learned_is_told() -> None:
    ladder = Ladder(make_system("contests"))
    assert str(ladder.calibration) == (
        "after 0 events: not learned yet: the slope, the home side, newcomers and draws"
    )
    for ranks in ((1, 2, 3), (2, 1, 3)):
        ladder.record(ranks=dict(zip("abc", ranks, strict=True)))
    assert str(ladder.calibration).endswith("are draws; not learned yet: the home side and newcomers")
    assert "at home" not in str(ladder.calibration)
    ladder.record_match("a", "new")
    assert learned(ladder).unlearned == ("the home side",)
    ladder.record_match("a", "b", home="b")
    assert learned(ladder).unlearned == ()
