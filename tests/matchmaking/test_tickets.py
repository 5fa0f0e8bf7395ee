"""What a ticket shows of itself, and the table of those who wait."""

from __future__ import annotations

import json

import pytest

import podium
from podium import Elo, Matchmaker, Policy
from podium.matchmaking.policies.terms import Latency, Needs, WinProbabilityGap
from podium.matchmaking.pool.tickets import Ticket

POLICY = Policy((WinProbabilityGap(), Needs(), Latency(90)), tolerance=1)


def lobby() -> Matchmaker:
    """A party with roles and needs, a single player without, and a running match that asks for players."""
    maker = Matchmaker(Elo(), "2v2: tank, healer", POLICY)
    maker.join(
        ["ann", "bob"],
        mu=1500,
        time=1,
        attributes={"input": "pad"},
        needs={"input": ["touch", "pad"], "mu": (1400, float("inf"))},
        latency={"eu": 20, "us": 80},
        roles=["Tank", None],
    )
    maker.join("cat", mu=1510, time=2, needs={"level": (1, 5), "map": "ice"}, latency={"eu": 30})
    maker.backfill(
        [["dan"], ["eve", "finn"]], mu=1500, time=3, latency={"eu": 10}, roles=["tank", None, None]
    )
    return maker


def test_a_ticket_shows_all_that_it_said() -> None:
    maker = lobby()
    assert maker.ticket("bob") == Ticket(
        number=0,
        players=("ann", "bob"),
        time=1.0,
        attributes={"input": "pad"},
        needs={"input": ("pad", "touch"), "mu": (1400.0, float("inf"))},
        latency={"eu": 20.0, "us": 80.0},
        roles=(("tank",), ("tank", "healer")),
    )
    cat, eve = maker.ticket("cat"), maker.ticket("eve")
    assert (cat.needs, cat.latency) == ({"level": (1.0, 5.0), "map": ("ice",)}, {"eu": 30.0})
    assert (eve.backfill, eve.side, maker.ticket("dan").side, cat.side) == (0, 1, 0, None)


def test_a_ticket_shows_the_match_proposed_to_it_and_whether_it_is_at_the_front() -> None:
    maker = Matchmaker(Elo())
    maker.join_many(["ann", "bob"], mu=1500, time=0)
    (match,) = maker.tick(time=1).matches
    ann = maker.ticket("ann")
    assert (ann.match, ann.front, ann.roles) == (match.number, False, None)
    maker.cancel(match, by="bob")
    assert (maker.ticket("ann").match, maker.ticket("ann").front) == (None, True)


def test_the_document_of_a_ticket_is_plain_data() -> None:
    found = json.loads(json.dumps(podium.document(lobby().ticket("ann")), allow_nan=False))
    assert found["needs"] == {"input": ["pad", "touch"], "mu": [1400.0, None]}
    assert (found["roles"], found["latency"]) == ([["tank"], ["tank", "healer"]], {"eu": 20.0, "us": 80.0})
    assert (found["side"], found["front"]) == (None, False)


def test_the_table_of_those_who_wait() -> None:
    """Without those of running matches; needs and roles are texts, which a page shows and a file holds."""
    frame = lobby().waiting().to_frame()
    assert frame.select("player", "ticket", "party", "roles", "needs", "newcomer").rows() == [
        ("ann", 0, 2, "tank", "input: pad or touch; mu: 1400 to inf", False),
        ("bob", 0, 2, "tank; healer", "input: pad or touch; mu: 1400 to inf", False),
        ("cat", 1, 1, "tank; healer", "level: 1 to 5; map: ice", False),
    ]
    assert Matchmaker(Elo()).waiting().to_frame().columns == frame.columns
    assert frame.write_csv()
    maker = Matchmaker(Elo())
    maker.join("ann", mu=1500)
    assert maker.waiting().to_frame().select("party", "roles", "needs").rows() == [(1, None, None)]


def test_tickets_that_are_returned_stay_as_they_were() -> None:
    """Also when the pool uses their rows again for other tickets."""
    maker = Matchmaker(Elo(), "2v2", Policy((WinProbabilityGap(), Needs())))
    joined = maker.join_many(
        [["ann", "bob"], "cat"],
        mu=[1500, 1600, 1700],
        time=0,
        attributes={"input": ["pad", None], "level": [3, 4]},
        needs={"input": [["pad", "touch"], None], "mu": [None, (1400, 1900)]},
    )
    before = [maker.ticket(name) for name in ("bob", "cat")]
    assert list(joined) == list(maker.waiting()) == before
    assert (joined[-1], joined[:1], len(joined)) == (before[1], before[:1], 2)
    frame = maker.waiting().to_frame()
    assert frame.select("player", "ticket", "mu").rows() == [
        ("ann", 0, 1500.0),
        ("bob", 0, 1600.0),
        ("cat", 1, 1700.0),
    ]
    for name in ("ann", "cat"):
        maker.leave(name)
    maker.join_many(["dan", "eve"], mu=1200, time=5, attributes={"input": ["touch"] * 2})
    assert list(joined) == before
    assert joined.to_frame().equals(frame)
    with pytest.raises(IndexError):
        joined[2]
