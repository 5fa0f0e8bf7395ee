"""Whom a pool remembers: players leave, and a pool that runs for years does not grow."""

from __future__ import annotations

import numpy as np
import pytest

from podium import Elo, InputError, Matchmaker, ParameterError, Policy
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.terms import BlockList, Needs, NoRematch, WinProbabilityGap
from podium.matchmaking.pool import ticket_columns

POLICY = Policy((WinProbabilityGap(), NoRematch(1), BlockList(), Needs()), tolerance=1)


def play(maker: Matchmaker, *players: str, end: bool = True) -> None:
    maker.join_many(players, mu=1500)
    (match,) = maker.tick().matches
    maker.start(match)
    if end:
        maker.finish(match, draw=True)


def test_a_forgotten_player_comes_back_as_somebody_new() -> None:
    maker = Matchmaker(Elo(), policy=Policy(POLICY.terms, tolerance=1, target=WinRateTarget(games=2)))
    play(maker, "ann", "bob")
    maker.block("ann", "cat")
    for name, said in (("ann", None), ("ann", "has no player 'ann'"), ("zoe", "has no player 'zoe'")):
        if said is None:
            maker.forget(name)
        else:
            with pytest.raises(InputError, match=said):
                maker.forget(name)
    assert "ann" not in maker._pool.store.names
    with pytest.raises(InputError, match="has not blocked"):
        maker.unblock("ann", "cat")
    maker.join_many(["ann", "bob"], mu=1500)
    with pytest.raises(InputError, match="'ann' has a ticket\n  hint: leave first"):
        maker.forget(["cat", "ann"])
    assert "cat" in maker._pool.store.names
    assert len(maker.tick().matches) == 1  # nobody knows that they met


def test_a_match_goes_on_without_those_who_are_forgotten() -> None:
    maker = Matchmaker(Elo(), "2v2", Policy(POLICY.terms, tolerance=1, target=WinRateTarget(games=2)))
    play(maker, *"abcd", end=False)
    (match,) = maker.running()
    gone = match.sides[0][0]
    maker.forget(gone)
    (left,) = maker.running()
    assert left.sides == (match.sides[0][1:], match.sides[1])
    maker.join(gone, mu=1500)  # a newcomer, who is in no match
    with pytest.raises(InputError, match=f"'{gone}' is not in match 0\n  hint: .* side with side="):
        maker.finish(left, winner=gone)
    maker.finish(left, winner=match.sides[0][1])
    assert maker.running() == []


def test_a_forgotten_player_can_have_won_by_the_value_of_the_match() -> None:
    maker = Matchmaker(Elo(), "2v2", Policy(POLICY.terms, tolerance=1, target=WinRateTarget(games=2)))
    play(maker, *"abcd", end=False)
    (match,) = maker.running()
    gone = match.sides[1][0]
    maker.forget(gone)
    maker.finish(match, winner=gone)
    names = maker._pool.store.names.to_list()
    wins, games = maker._pool.memory.wins(np.arange(len(names)))
    assert gone not in names
    assert dict(zip(names, wins, strict=True)) == {match.sides[1][1]: 1.0} | dict.fromkeys(
        match.sides[0], 0.0
    )
    assert games.tolist() == [1, 1, 1]


def test_other_players_keep_what_they_have_when_numbers_change() -> None:
    maker = Matchmaker(Elo(), "2v2", POLICY)
    play(maker, *"abcd")
    play(maker, *"efgh", end=False)
    maker.join(["x", "y"], mu=1500, attributes={"input": "pad"})
    maker.block("g", "x")
    maker.join(["a", "b"], mu=1400)
    before = maker.ticket("x"), maker.ticket("b"), maker.running()
    maker.forget(["c", "d"])
    assert (maker.ticket("x"), maker.ticket("b"), maker.running()) == before
    assert maker._pool.store.names.to_list() == list("abefghxy")
    maker.unblock("g", "x")


def test_those_who_left_longest_ago_are_forgotten_and_blocks_are_not() -> None:
    maker = Matchmaker(Elo(), policy=POLICY, remembered=3)
    maker.block("p0", "p1")
    for i in range(6):
        maker.join(f"p{i}", mu=1500)
    for i in (2, 0, 5, 1, 3, 4):
        maker.leave(f"p{i}")
    assert sorted(maker._pool.store.names) == ["p0", "p1", "p3", "p4"]
    maker.join_many(["p0", "p1"], mu=1500)
    assert not maker.tick().matches


def test_a_thousand_times_more_players_than_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names, rows and texts stay as many as they were; each comes with an own text, and plays once."""
    monkeypatch.setattr(ticket_columns, "OLD_TEXTS", 100)
    maker = Matchmaker(Elo(), policy=POLICY, remembered=20, effort="quick")
    sizes = []
    for start in range(0, 20_000, 200):
        names = [f"p{start + i}" for i in range(200)]
        said = [f"s{start + i // 2}" for i in range(200)]
        maker.join_many(names, mu=1500, attributes={"session": said}, needs={"session": said})
        tick = maker.tick()
        assert len(tick.matches) == 100
        maker.cancel(tick.matches[0], by=tick.matches[0].players[0])
        maker.start(tick)
        maker.leave(tick.matches[0].players[1])
        store, texts = maker._pool.store, maker._pool.store.attributes.texts["session"]
        assert texts is not None
        sizes.append(
            (
                len(store.names),
                store.people.room,
                store.table.room,
                len(maker._pool.memory.opponents.met),
                len(maker._pool.matches),
                len(texts) + len(store.attributes._choices),
            )
        )
    assert max(names for names, *_ in sizes) <= 20
    for column in zip(*sizes, strict=True):
        assert max(column[50:]) <= max(column[:50])


def test_texts_keep_their_meaning_when_others_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticket_columns, "OLD_TEXTS", 3)
    maker = Matchmaker(Elo(), policy=POLICY)
    for text in "qrstu":
        maker.join(text, mu=1500, attributes={"input": text}, needs={"input": [text, "none"]})
    maker.join("ann", mu=1500, attributes={"input": "pad"}, needs={"input": ["touch", "u"]})
    for text in "qrst":
        maker.leave(text)
    texts = maker._pool.store.attributes.texts["input"]
    assert texts is not None
    assert {"none", "u", "pad", "touch"} < set(texts)
    assert "q" not in texts
    assert (maker.ticket("ann").attributes, maker.ticket("u").attributes) == (
        {"input": "pad"},
        {"input": "u"},
    )
    assert not maker.tick().matches  # ann would play u, who does not want a pad
    maker.join("bob", mu=1500, attributes={"input": "touch"}, needs={"input": "pad"})
    assert maker.tick().matches[0].players == ("ann", "bob")


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "many"])
def test_a_bound_is_a_number(wrong: object) -> None:
    with pytest.raises(ParameterError, match="remembered is"):
        Matchmaker(Elo(), remembered=wrong)  # type: ignore[arg-type]
