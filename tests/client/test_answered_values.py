"""From documents back to values: what a client gives equals what a ladder gives, for every system."""

from __future__ import annotations

import json
from typing import Any

import pytest
from polars.testing import assert_frame_equal

import podium
from podium import Event, Ladder
from podium.client.answered_values import (
    board_frame,
    changes_value,
    distribution_value,
    event_value,
    explanation_value,
    rank_probabilities_value,
    system_value,
    value_of,
)
from podium.client.sent_words import report_document
from podium.documents import (
    change_document,
    distribution_document,
    event_document,
    explanation_document,
    leaderboard_document,
    outcomes_document,
    rank_probabilities_document,
    rating_document,
    system_document,
)
from podium.systems.contract.ratings import Outcomes, Rating

SYSTEMS = sorted(podium.list_systems())


def sent(document: Any) -> Any:
    """A document after its way through JSON."""
    return json.loads(json.dumps(document, allow_nan=False))


def played(system: str) -> Ladder:
    ladder = Ladder(system)
    many = ladder.system.supports.many
    ladder.record_match("ann", "bob", time="2026-05-01", name="final")
    for day in range(2, 16):
        ladder.record_match("bob", "cat", time=f"2026-05-{day:02}T18:30")
    if many:
        ladder.record(ranks={"cat": 1, "ann": 2, "bob": 3}, unrated=["bob"], time="2026-06-01")
    ladder.adjust(podium.SetRating(player="dan", mu=ladder.rating("ann").mu))
    return ladder


@pytest.mark.parametrize("system", SYSTEMS)
def test_everything_comes_back(system: str) -> None:
    ladder = played(system)
    for player in ("ann", "bob", "cat", "dan"):
        assert value_of(Rating, sent(rating_document(ladder.rating(player)))) == ladder.rating(player)
        explained = ladder.explain(player)
        for one in (explained, explained.shortened(3)):
            again = explanation_value(sent(explanation_document(one)))
            assert (str(again), repr(again)) == (str(one), repr(one))
            assert again == one or "nan" in repr(one.older)  # type: ignore[union-attr]
    board = ladder.leaderboard(min_events=0)
    assert_frame_equal(board_frame(sent(leaderboard_document(ladder, board)["ratings"])), board)
    changes = ladder.preview(ranks={"ann": 1, "bob": 2}, unrated=["bob"])
    assert changes_value(sent([change_document(one) for one in changes])) == changes
    outcomes = ladder.outcomes("ann", "bob")
    assert value_of(Outcomes, sent(outcomes_document(outcomes))) == outcomes
    places = ladder.rank_probabilities(["ann", "bob"])
    again_places = rank_probabilities_value(sent(rank_probabilities_document(places)))
    assert (again_places.players, again_places.matrix.tolist()) == (places.players, places.matrix.tolist())
    assert again_places.tied.tolist() == places.tied.tolist()
    if ladder.system.has_sigma:
        belief = ladder.distribution("ann")
        assert str(distribution_value(sent(distribution_document(belief)))) == str(belief)
    assert system_value(sent(system_document(ladder.system))) == ladder.system


def test_a_leaderboard_without_players_has_the_columns_of_one() -> None:
    assert_frame_equal(board_frame([]), Ladder("elo").leaderboard())


EVENTS = {
    "ranks": Event.of(ranks={"ann": 1, "bob": 2, "cat": 2}, time="2026-05-01T18:30:00.25", name="final"),
    "scores": Event.of(scores={"ann": 1, "bob": 2.5}, weight=0.5, home="bob", ceiling=2000),
    "low scores": Event.of(scores={"ann": 61.5, "bob": 59}, lower_is_better=True),
    "teams": Event.of(teams=[["ann", "bob"], ["cat"]], ranks=[2, 1], unrated=["ann"], play={"cat": 0.5}),
    "scored teams": Event.of(teams=[["ann", "bob"], ["cat"]], scores=[3, 1]),
    "a share": Event.of(ranks={"ann": 1, "bob": 2}, share=0.75),
    "a tie": Event.of(scores={"ann": 1, "bob": 1}),
}


@pytest.mark.parametrize("event", EVENTS.values(), ids=list(EVENTS))
def test_an_event_is_sent_in_the_words_of_record(event: Event) -> None:
    assert Event.of(**sent(report_document(event))) == event
    assert event_value(sent(event_document(event))) == event


def test_scores_that_do_not_say_the_ranks_are_left_out() -> None:
    broken_tie = Event((("ann",), ("bob",)), ranks=(1, 2), scores=(3.0, 3.0))
    assert report_document(broken_tie) == {"ranks": {"ann": 1, "bob": 2}}
    unknown = Event((("ann",), ("bob",)), ranks=(1, 2), scores=(3.0, float("nan")))
    assert report_document(unknown) == {"ranks": {"ann": 1, "bob": 2}}
