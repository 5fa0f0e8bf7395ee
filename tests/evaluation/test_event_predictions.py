"""Predictions of whole histories: what a ladder says event by event, before it records them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from checks.variants import VARIANTS, label
from podium import Elo, Glicko, History, Ladder, ParameterError, RatingSystem, Rename, SetRating, TrueSkill
from podium.arrays import NO_TIME
from podium.checks.random_histories import histories
from podium.evaluation import event_predictions as predictions
from podium.evaluation.event_predictions import predict_events
from podium.evaluation.standings import experience_of_rows
from podium.history import Event
from podium.history.times import Moment
from podium.simulation.populations import synthetic_contests


def said_by(ladder: Ladder, event: Event) -> tuple[list[float], float]:
    """Expected scores of the sides of an event to come, and the chance of how two of them end it."""
    at = None if event.time == NO_TIME else Moment(event.time)
    n = len(event.sides)
    if n == 2:
        how = {"home": event.home, "at": at, "play": dict(event.play) or None}
        score = ladder.expected_score(*event.sides, **how)
        chances = ladder.outcomes(*event.sides, **how)
        a, b = event.ranks
        ended = chances.win if a < b else chances.loss if a > b else chances.draw
        return [score, 1.0 - score], ended
    plays_parts = getattr(ladder.system, "partial_play", "part") == "part"
    if event.play and plays_parts:  # a ladder's free-for-alls are of people who play all of it
        return pairwise(ladder, event), np.nan
    ranks = ladder.expected_ranks([list(side) for side in event.sides], at=at)
    return [(n - rank) / (n - 1) for rank in ranks], np.nan


def pairwise(ladder: Ladder, event: Event) -> list[float]:
    """Mean chances to be above each other side, where performances are sums of parts of players'."""
    system, play = ladder.system, dict(event.play)
    location, scale = [], []
    for side in event.sides:
        seats = system.ratings(ladder._seats(side), int(event.time))
        part = np.array([play.get(name, 1.0) for name in side])
        sigma = np.sqrt(np.sum((part * seats.sigma) ** 2))
        family, spread = system.performance_spread(np.array([sigma]), np.array([np.sum(part**2)]))
        spread = spread if ladder.calibration is None else spread / ladder.calibration.slope
        location.append(
            np.sum(part * seats.mu) + (np.log(np.log(2.0)) * spread[0] if family == "gumbel" else 0.0)
        )
        scale.append(spread[0])
    if family == "normal":

        def above(i: int, j: int) -> float:
            return 0.5 * math.erfc(
                (location[j] - location[i]) / math.hypot(scale[i], scale[j]) / math.sqrt(2.0)
            )

    else:
        z = np.linspace(-4.0, 40.0, 20_001)  # where a Gumbel density is more than 1e-17
        density = np.exp(-z - np.exp(-z)) * (z[1] - z[0])

        def above(i: int, j: int) -> float:
            other = (location[i] + scale[i] * z - location[j]) / scale[j]
            return float(np.sum(density * np.exp(-np.exp(-np.maximum(other, -700.0)))))

    n = len(scale)
    return [sum(above(i, j) for j in range(n) if j != i) / (n - 1) for i in range(n)]


def walked(system: RatingSystem, history: History) -> tuple[list[float], list[float], list[float]]:
    """Expected scores, chances of what happened and displayed ratings, event by event."""
    expected, happened, shown = [], [], []
    for number, event in enumerate(history):
        ladder = Ladder(system)
        earlier = tuple(placed for placed in history.adjustments if placed.before <= number)
        ladder.update(replace(history[:number], adjustments=earlier))
        scores, ended = said_by(ladder, event)
        expected += scores
        happened.append(ended)
        for side in event.sides:
            seats = system.ratings(ladder._seats(side), int(event.time))
            shown.append(float(seats.display.mean()))
    return expected, happened, shown


@pytest.mark.parametrize("system", VARIANTS, ids=label)
@settings(max_examples=3, phases=[Phase.generate])
@given(st.data())
def test_a_ladder_says_the_same(system: RatingSystem, data: st.DataObject) -> None:
    # Glicko's deviations grow with every event, though a ladder asked without a time has none to grow for.
    timed = (
        True if system.name in ("glicko", "auto") or getattr(system, "period", "event") != "event" else None
    )
    history = data.draw(histories(system.supports, max_events=6, timed=timed))
    expected, happened, shown = walked(system, history)
    found = predict_events(history, system)
    np.testing.assert_allclose(found.expected, expected, rtol=0, atol=2e-10)
    np.testing.assert_allclose(found.happened, happened, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.rating, shown, rtol=1e-12, atol=1e-9)


def test_who_hardly_plays_hardly_matters() -> None:
    seeds = [
        SetRating(player=name, mu=mu, sigma=1e-3)
        for name, mu in (("x", 29), ("y", 0), ("z", 25), ("w", -500))
    ]
    alone = {"teams": [["x"], ["z"], ["w"]], "ranks": [1, 2, 3]}
    helped = {"teams": [["x", "y"], ["z"], ["w"]], "ranks": [1, 2, 3], "play": {"y": 1e-3}}
    a, b = (
        predict_events(History.from_events([*seeds, event]), TrueSkill(tau=0.0)).expected
        for event in (alone, helped)
    )
    np.testing.assert_allclose(a, b, atol=1e-5)
    beaten = 0.5 * math.erfc(-4.0 / math.hypot(*[math.hypot(25 / 6, 1e-3)] * 2) / math.sqrt(2.0))
    np.testing.assert_allclose(a, [(1.0 + beaten) / 2, (2.0 - beaten) / 2, 0.0], atol=1e-9)


def test_a_part_is_predicted_from_all_that_came_before() -> None:
    history = History.from_matches(list("aabac"), list("bccbb"), [1, 0, 0.5, 1, 1])
    whole, part = predict_events(history, Elo()), predict_events(history, Elo(), 2, 4)
    assert part.expected.tolist() == whole.expected[4:8].tolist()
    assert part.rating.tolist() == whole.rating[4:8].tolist()
    assert (part.standings.first_event, len(part.standings)) == (2, 2)
    assert len(predict_events(history, Elo(), 3, 3).expected) == 0


def test_pieces_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    history, _ = synthetic_contests(players=40, contests=6, participants=20, seed=1)
    whole = predict_events(history, Glicko(), 2)
    monkeypatch.setattr(predictions, "RATED_ROWS_AT_ONCE", 30)
    pieces = predict_events(history, Glicko(), 2)
    for name in ("expected", "rating", "sigma", "happened"):
        np.testing.assert_array_equal(getattr(pieces, name), getattr(whole, name))


def test_teams_in_some_pieces_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one event is of teams, everybody is put in order by what is expected, in every piece."""
    events = [{"ranks": {"a": 1, "b": 2}}, {"teams": [["a", "b"], ["c"]], "ranks": [1, 2]}]
    history = History.from_events(events)
    whole = predict_events(history, Elo(), expected=False)
    monkeypatch.setattr(predictions, "RATED_ROWS_AT_ONCE", 1)
    pieces = predict_events(history, Elo(), expected=False)
    assert pieces.strength.tolist() == whole.strength.tolist()
    assert len(pieces.expected) == 4


def test_ratings_are_those_shown_or_mu() -> None:
    history = History.from_matches(["a", "a"], ["b", "b"])
    system = Glicko(display_k=2)
    shown, mu = (predict_events(history, system, order_by=by).rating for by in ("display", "mu"))
    np.testing.assert_allclose(shown[2:], mu[2:] - 2 * predict_events(history, system).sigma[2:])
    with pytest.raises(ParameterError, match="order_by must be 'display' or 'mu'"):
        predict_events(history, system, order_by="sigma")


def test_without_expected_scores_there_are_ratings_only() -> None:
    history = History.from_matches(["a", "a"], ["b", "b"])
    found = predict_events(history, Elo(), expected=False)
    assert (len(found.expected), len(found.rating)) == (0, 4)
    teams = History.from_events([{"teams": [["a", "b"], ["c"]], "ranks": [1, 2]}])
    assert predict_events(teams, Elo(), expected=False).strength.tolist() == [0.5, 0.5]


def test_experience_follows_a_player_who_is_renamed() -> None:
    match = {"ranks": {"ann": 1, "bob": 2}}
    again = {"ranks": {"anna": 1, "bob": 2}, "unrated": ["bob"]}
    history = History.from_events([match, Rename(player="ann", into="anna"), again, again, match])
    assert experience_of_rows(history).tolist() == [0, 0, 1, 1, 2, 1, 0, 1]


def test_a_system_that_does_not_say_what_it_expected_is_taken_at_its_two_numbers() -> None:
    class Silent(Elo):
        two_numbers = False

    history = History.from_matches(["a", "a"], ["b", "b"])
    found = predict_events(history, Silent())
    assert found.expected.tolist() == predict_events(history, Elo()).expected.tolist()
