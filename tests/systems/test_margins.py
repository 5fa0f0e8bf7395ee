"""Margins of victory as evidence: what a score is worth, and where it is not used."""

from __future__ import annotations

import math

import polars as pl
import pytest

from podium import Elo, Glicko, Glicko2, History, Ladder, RatingSystem, rate
from podium.errors import UnsupportedError

SYSTEMS = [Elo, Glicko, Glicko2]


def gain(system: RatingSystem, **event: object) -> float:
    changes = {c.player: c.gain for c in Ladder(system).record(**event)}
    return changes["ann"]


@pytest.mark.parametrize("cls", SYSTEMS)
def test_a_margin_is_the_share_it_stands_for(cls: type[RatingSystem]) -> None:
    """A lead of d is worth what a player 400 d/margin points stronger expects."""
    for lead in (0.0, 1.0, 3.0, 40.0):
        share = 1 / (1 + 10 ** (-lead / 3.0))
        by_score = gain(cls(margin=3.0), scores={"ann": 2.0 + lead, "bob": 2.0})
        ranks = {"ann": 1, "bob": 1 if lead == 0 else 2}
        assert by_score == pytest.approx(gain(cls(), ranks=ranks, share=share), abs=1e-12)


@pytest.mark.parametrize("cls", SYSTEMS)
def test_close_wins_count_less(cls: type[RatingSystem]) -> None:
    gains = [gain(cls(margin=5.0), scores={"ann": lead, "bob": 0.0}) for lead in (1.0, 2.0, 10.0, 1000.0)]
    assert gains == sorted(gains)
    assert 0 < gains[0] < gains[-1] == pytest.approx(gain(cls(), ranks={"ann": 1, "bob": 2}))


def test_fewer_may_be_better_and_teams_have_scores() -> None:
    system = Elo(margin=2.0)
    assert gain(system, scores={"ann": 70.0, "bob": 72.0}, lower_is_better=True) == pytest.approx(
        gain(system, scores={"ann": 72.0, "bob": 70.0})
    )
    teams = gain(system, teams=[["cat", "dan"], ["ann", "bob"]], scores=[1.0, 3.0])
    assert teams == pytest.approx(gain(system, scores={"ann": 3.0, "bob": 1.0}))


def test_off_by_default_and_without_scores() -> None:
    assert Elo().margin is None
    assert gain(Elo(margin=2.0), ranks={"ann": 1, "bob": 2}) == gain(Elo(), ranks={"ann": 1, "bob": 2})
    assert gain(Elo(), scores={"ann": 9.0, "bob": 1.0}) == gain(Elo(), ranks={"ann": 1, "bob": 2})
    given = gain(Elo(margin=2.0), scores={"ann": 9.0, "bob": 1.0}, share=0.6)
    assert given == gain(Elo(), ranks={"ann": 1, "bob": 2}, share=0.6)


def test_margins_of_many_are_refused_by_name() -> None:
    history = History.from_events([{"scores": {"ann": 3.0, "bob": 2.0, "cat": 1.0}, "name": "race"}])
    with pytest.raises(UnsupportedError, match=r"elo cannot use the margins of more than two sides.*'race'"):
        Elo(margin=2.0).update(Elo().new_state(), history)
    ranked = History.from_events([{"ranks": {"ann": 1, "bob": 2, "cat": 3}}])
    assert math.isfinite(Elo(margin=2.0).update(Elo().new_state(), ranked).mu[0])


def test_what_scores_do_not_say_ranks_do() -> None:
    """Level on points and decided otherwise is a win; an event of many without scores is fine."""
    system = Elo(margin=2.0)
    decided = gain(system, teams=[["ann"], ["bob"]], ranks=[1, 2])
    frame = {"event": ["x", "x"], "player": ["ann", "bob"], "rank": [1, 2], "score": [3.0, 3.0]}
    history = History.from_frame(pl.DataFrame(frame))
    assert system.update(system.new_state(), history).mu[0] - 1500 == pytest.approx(decided)
    scores = [4.0, 3.0, None, None, None]
    mixed = {"event": [*"xxyyy"], "player": [*"ababc"], "rank": [1, 2, 1, 2, 3], "score": scores}
    system.update(system.new_state(), History.from_frame(pl.DataFrame(mixed)))


def test_scores_of_members_are_no_scores_of_teams() -> None:
    frame = {"event": [*"xxxx"], "player": [*"abcd"], "team": [*"1122"], "rank": [1, 1, 2, 2]}
    own = History.from_frame(pl.DataFrame(frame | {"score": [30.0, 10.0, 25.0, 5.0]}))
    with pytest.raises(UnsupportedError, match="members of a team have separate scores"):
        Elo(margin=4.0).update(Elo().new_state(), own)
    shared = History.from_frame(pl.DataFrame(frame | {"score": [30.0, 30.0, 25.0, 25.0]}))
    assert Elo(margin=4.0).update(Elo().new_state(), shared).mu[0] > 1500


def test_explaining_says_what_the_margin_was_worth() -> None:
    history = History.from_events([{"scores": {"ann": 5.0, "bob": 4.0}, "name": "match"}])
    explained = rate(history, Elo(margin=4.0), trace=True).explain("ann", event="match")
    assert explained.actual_score == pytest.approx(1 / (1 + 10 ** (-1 / 4)))
