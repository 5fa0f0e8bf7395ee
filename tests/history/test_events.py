"""One event: how it is said, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from inspect import signature
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.arrays import NO_TIME
from podium.errors import InputError
from podium.history import Event, History
from podium.history.events import LARGEST_RANK, LARGEST_WEIGHT, EventKeywords, ranks_of_scores
from podium.history.times import to_micros


def test_ranks_by_player() -> None:
    event = Event.of(ranks={"ann": 1, "bob": 2, 7: 2})  # type: ignore[dict-item]
    assert event.sides == (("ann",), ("bob",), ("7",))
    assert event.ranks == (1, 2, 2)
    assert event.scores is None
    assert (event.time, event.weight, event.home, event.share, event.ceiling) == (
        NO_TIME,
        1.0,
        None,
        None,
        None,
    )
    assert not event.has_teams


def test_scores_by_player_and_lower_is_better() -> None:
    scores = {"ann": -1.5, "bob": 9.0, "cat": 9.0, "dan": 0.25}
    assert Event.of(scores=scores).ranks == (4, 1, 1, 3)
    assert Event.of(scores=scores, lower_is_better=True).ranks == (1, 3, 3, 2)
    assert Event.of(scores=scores).scores == (-1.5, 9.0, 9.0, 0.25)


def test_teams() -> None:
    event = Event.of(teams=[["ann", "bob"], ["cat"], ("dan", "eve")], scores=[1, 5, 5])
    assert event.sides == (("ann", "bob"), ("cat",), ("dan", "eve"))
    assert event.ranks == (3, 1, 1)
    assert event.has_teams


def test_everything_else() -> None:
    event = Event.of(
        ranks={"ann": 1, "bob": 2},
        time="2026-05-01",
        weight=2,
        home="bob",
        share=0.75,
        unrated=["bob"],
        ceiling=2400,
        name=7,  # type: ignore[arg-type]
    )
    assert event.time == to_micros("2026-05-01")
    assert (event.weight, event.home, event.share, event.ceiling) == (2.0, "bob", 0.75, 2400.0)
    assert (event.unrated, event.name) == (frozenset({"bob"}), "7")
    assert (event.share_of(0), event.share_of(1)) == (0.75, 0.25)
    assert math.isnan(Event.of(ranks={"ann": 1, "bob": 2}).share_of(0))


def test_a_share_by_player_is_the_better_placed_ones() -> None:
    """The order of names in a mapping means nothing; that of teams does."""
    one = Event.of(ranks={"ann": 1, "bob": 2}, share=0.7)
    assert one == Event.of(ranks={"bob": 2, "ann": 1}, share=0.7)
    assert (one.sides[0], one.share_of(0)) == (("ann",), 0.7)
    golf = Event.of(scores={"ann": 72, "bob": 70}, lower_is_better=True, share=0.7)
    assert (golf.sides, golf.ranks, golf.scores) == ((("bob",), ("ann",)), (1, 2), (70.0, 72.0))
    assert Event.of(ranks={"ann": 1, "bob": 1}, share=0.5).share == 0.5
    teams = Event.of(teams=[["bob"], ["ann"]], ranks=[2, 1], share=0.3)
    assert (teams.sides, teams.share) == ((("bob",), ("ann",)), 0.3)
    assert Event.of(teams=[["bob"], ["ann"]], ranks=[1, 1], share=0.3).share == 0.3


@pytest.mark.parametrize(
    "words, reason",
    [
        ({"ranks": {"bob": 2, "ann": 1}, "share": 0.3}, "share=0.3 gives 'ann' the better rank"),
        ({"scores": {"ann": 3, "bob": 1}, "share": 0.3}, "share=0.3 gives 'ann' the better rank"),
        ({"ranks": {"ann": 1, "bob": 1}, "share": 0.6}, "both players have the same rank"),
        (
            {"teams": [["bob"], ["ann"]], "ranks": [2, 1], "share": 0.7},
            "share=0.7 gives 'ann' the better rank",
        ),
    ],
)
def test_a_share_that_contradicts_the_ranks_is_refused(words: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        Event.of(**words)


def test_small_leniencies() -> None:
    assert Event.of(ranks={"ann": 1, "bob": 2}, unrated="bob").unrated == {"bob"}
    assert Event.of(ranks={"ann": 1, "bob": 2}, name="  ").name is None
    assert Event.of(ranks={"ann": 1, "bob": 2}, ceiling=math.inf).ceiling is None
    assert Event.of(ranks={"ann": np.int64(1), "bob": 2.0}).ranks == (1, 2)  # type: ignore[dict-item]
    assert Event.of(scores={"ann": Fraction(1, 2), "bob": np.float32(2)}).ranks == (2, 1)  # type: ignore[dict-item]


def test_a_match() -> None:
    event = Event.of_match("ann", "bob", draw=False, time=0, weight=1.0, home="bob", name="final")
    assert event == Event.of(ranks={"ann": 1, "bob": 2}, time=0, home="bob", name="final")
    draw = Event.of_match("ann", "bob", draw=True, time=None, weight=1.0, home=None, name=None)
    assert draw.ranks == (1, 1)


@pytest.mark.parametrize(
    "winner, loser, reason", [("ann", "ann", "against itself"), ("", "bob", "empty"), ("ann", " ", "empty")]
)
def test_a_match_needs_two_names(winner: str, loser: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        Event.of_match(winner, loser, draw=False, time=None, weight=1.0, home=None, name="final")
    assert caught.value.event == "final"


PAIR = {"ann": 1, "bob": 2}


@pytest.mark.parametrize(
    "words, reason",
    [
        ({}, "give either ranks or scores"),
        ({"ranks": PAIR, "scores": PAIR}, "give either ranks or scores"),
        ({"ranks": [1, 2]}, "by player"),
        ({"ranks": PAIR, "teams": [["ann"], ["bob"]]}, "as a list, one for each team"),
        ({"ranks": [1], "teams": [["ann"], ["bob"]]}, "2 teams but 1 ranks"),
        ({"ranks": [1, 2], "teams": ["ann", "bob"]}, "a list of players, not one name"),
        ({"ranks": [1, 2], "teams": [["ann"], []]}, "has no members"),
        ({"ranks": [1, 2], "teams": [["ann"], ["ann"]]}, "'ann' takes part twice"),
        ({"ranks": [1, 2], "teams": [["ann", "ann"], ["bob"]]}, "'ann' takes part twice"),
        ({"ranks": {"ann": 1}}, "at least two sides"),
        ({"ranks": {}}, "at least two sides"),
        ({"ranks": {"ann": 1, "": 2}}, "name is empty"),
        ({"ranks": {"ann": 1, "\t": 2}}, "name is empty"),
        ({"ranks": {"ann": 1, "bob": 0}}, "the best rank is 1"),
        ({"ranks": {"ann": 1, "bob": -3}}, "the best rank is 1"),
        ({"ranks": {"ann": 1, "bob": 1.5}}, "not a whole number"),
        ({"ranks": {"ann": 1, "bob": "2"}}, "'2', not a whole number"),
        ({"ranks": {"ann": 1, "bob": True}}, "True, not a whole number"),
        ({"ranks": {"ann": 1, "bob": None}}, "None, not a whole number"),
        ({"ranks": {"ann": 1, "bob": math.nan}}, "not a whole number"),
        ({"ranks": {"ann": 1, "bob": math.inf}}, "not a whole number"),
        ({"ranks": {"ann": 1, "bob": LARGEST_RANK + 1}}, "not a whole number"),
        ({"scores": {"ann": 1, "bob": math.nan}}, "the score of 'bob' is nan"),
        ({"scores": {"ann": 1, "bob": -math.inf}}, "the score of 'bob' is -inf"),
        ({"scores": {"ann": 1, "bob": "2"}}, "the score of 'bob' is '2'"),
        ({"ranks": PAIR, "weight": 0}, "weight must be from 1e-09"),
        ({"ranks": PAIR, "weight": -1}, "weight must be from 1e-09"),
        ({"ranks": PAIR, "weight": math.nan}, "weight must be from 1e-09"),
        ({"ranks": PAIR, "weight": 2 * LARGEST_WEIGHT}, "to 1e[+]06"),
        ({"ranks": PAIR, "weight": "heavy"}, "not 'heavy'"),
        ({"ranks": PAIR, "home": "cat"}, "'cat' is the home side but does not take part"),
        ({"ranks": PAIR, "unrated": ["cat"]}, "'cat' is unrated but does not take part"),
        ({"ranks": PAIR, "share": 1.5}, "share must be from 0 to 1"),
        ({"ranks": PAIR, "share": math.nan}, "share must be from 0 to 1"),
        ({"ranks": {**PAIR, "cat": 3}, "share": 0.5}, "two sides"),
        ({"ranks": PAIR, "ceiling": math.nan}, "highest rating"),
        ({"ranks": PAIR, "ceiling": "2400"}, "highest rating"),
    ],
)
def test_what_is_no_event(words: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        Event.of(**words, name="round 3")
    assert caught.value.event == "round 3"
    assert str(caught.value).startswith("event 'round 3': ")


def test_scores_given_as_ranks_are_pointed_out() -> None:
    with pytest.raises(InputError) as caught:
        Event.of(ranks={"ann": 0, "bob": 1})
    assert "scores=" in (caught.value.hint or "")


def test_a_bad_time_is_refused() -> None:
    with pytest.raises(InputError, match="'soon' is not a time"):
        Event.of(ranks=PAIR, time="soon")


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=12), st.booleans())
def test_places_are_one_plus_those_better(scores: list[float], lower: bool) -> None:
    better = (lambda a, b: a < b) if lower else (lambda a, b: a > b)
    assert ranks_of_scores(scores, lower) == tuple(
        1 + sum(better(other, s) for other in scores) for s in scores
    )


def test_who_played_only_a_part() -> None:
    event = Event.of(teams=[["ann", "bob"], ["cat"]], ranks=[1, 2], play={"bob": 0.25, "cat": 1.0})
    assert event.play == (("bob", 0.25),)
    history = History.from_events([event, {"ranks": {"ann": 1, "dan": 2}}])
    assert history.play is not None
    assert history.play.tolist() == [1.0, 0.25, 1.0, 1.0, 1.0]
    assert history.event(0).play == (("bob", 0.25),)
    assert history.event(1).play == ()
    again = History.from_frame(history.to_frame())
    assert again.play is not None
    assert again.play.tolist() == history.play.tolist()


@pytest.mark.parametrize(
    ("play", "reason"),
    [
        ({"bob": 0.0}, "from 0.001 to 1"),
        ({"bob": 1.5}, "from 0.001 to 1"),
        ({"eve": 0.5}, "does not take part"),
    ],
)
def test_parts_that_cannot_be(play: dict[str, float], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        Event.of(ranks={"ann": 1, "bob": 2}, play=play)


def test_the_keywords_of_an_event_are_those_it_is_made_of() -> None:
    """Type checkers are told of every word of `preview`, and of none that is not there."""
    assert list(EventKeywords.__annotations__) == list(signature(Event.of).parameters)
