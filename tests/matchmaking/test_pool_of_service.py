"""A pool made of a client follows the ratings of a service."""

from __future__ import annotations

from pathlib import Path

import pytest

import podium
from client.real_service import running_service
from podium import Client, Matchmaker


def test_a_pool_follows_the_ratings_of_a_service(tmp_path: Path) -> None:
    with running_service(tmp_path) as address, Client(address, ladder="chess", system="glicko2") as client:
        for winner, loser in (("ann", "bob"), ("ann", "bob"), ("cat", "dan"), ("cat", "dan")):
            client.record_match(winner, loser, allow_repeat=True)
        maker = Matchmaker(client)
        with pytest.raises(podium.UnknownPlayerError, match="'eve'"):
            maker.join_many(["ann", "eve"], time=0)
        with pytest.raises(podium.InputError, match="come from the ladder"):
            maker.join("ann", mu=1500)
        maker.join_many(["ann", "bob", "cat", "dan"], time=0)
        assert ratings(maker) == ratings_of(client)

        # A result that is reported while they wait, by another client, counts at the next tick.
        with Client(address, ladder="chess") as other:
            number = other.record(ranks={"bob": 1, "cat": 1, "eve": 3}).number
        assert ratings(maker) == ratings_of(client)
        client.void(number)
        client.rebuild()
        assert ratings(maker) == ratings_of(client)

        saved = maker.to_bytes()
        with pytest.raises(podium.StateError, match="belongs to a ladder"):
            Matchmaker.from_bytes(saved, "glicko2")
        assert ratings(Matchmaker.from_bytes(saved, client)) == ratings_of(client)
        assert {frozenset(match.players) for match in maker.tick(time=1).matches} == {
            frozenset({"ann", "cat"}),
            frozenset({"bob", "dan"}),
        }


def test_newcomers_and_players_who_are_renamed_on_the_service(tmp_path: Path) -> None:
    with running_service(tmp_path) as address, Client(address, ladder="chess", system="elo") as client:
        maker = Matchmaker(client, unknown="newcomer")
        maker.join_many(["ann", "bob"], time=0)
        assert maker.waiting().to_frame()["newcomer"].to_list() == [True, True]
        client.record_match("ann", "bob")
        assert maker.waiting().to_frame()["newcomer"].to_list() == [False, False]
        client.adjust(podium.Rename(player="bob", into="rob"))
        assert ratings(maker) == {"ann": 1516.0, "rob": 1484.0}


def test_a_pool_follows_players_who_are_renamed_and_merged_on_the_service(tmp_path: Path) -> None:
    """A match named a player who had another name by then: reporting it made a second player."""
    with running_service(tmp_path) as address, Client(address, ladder="chess", system="elo") as client:
        for winner, loser in (("ann", "bob"), ("cat", "dan"), ("eve", "ann"), ("old", "cat")):
            client.record_match(winner, loser)
        client.record(ranks={"one": 1, "two": 1})  # a draw of two newcomers, who are alike
        client.adjust(podium.SetRating(player="set", mu=1700.0))
        maker = Matchmaker(client, policy=podium.Policy(tolerance=1.0))
        waiting = ["ann", "bob", "cat", "dan", "one", "two", "set", "old", "eve"]
        times = {name: maker.join(name, time=place).time for place, name in enumerate(waiting)}
        with Client(address, ladder="chess") as other:
            for player, into in (
                ("ann", "tmp"),
                ("bob", "ann"),
                ("tmp", "bob"),
                ("two", "deux"),
                ("set", "fix"),
            ):
                other.adjust(podium.Rename(player=player, into=into))
            other.record_match("deux", "fix")
            other.adjust(podium.Merge(player="old", into="eve"))
        now = {ticket.players[0]: ticket.time for ticket in maker.waiting()}
        names = {"ann": "bob", "bob": "ann", "two": "deux", "set": "fix"}
        same = {names.get(name, name): time for name, time in times.items() if name != "eve"}
        assert now == {name if name != "old" else "eve": time for name, time in same.items()}
        assert ratings(maker) == dict(client.ratings([*now]).select("player", "mu").rows())
        client.adjust(podium.Rename(player="cat", into="kat"))
        tick = maker.tick(time=20)
        assert list(tick.merged) == [("eve",)]
        assert "kat" in {name for match in tick.matches for name in match.players}


def test_a_service_that_does_not_answer_changes_nothing(tmp_path: Path) -> None:
    with running_service(tmp_path) as address:
        client = Client(address, ladder="chess", system="elo", retries=0)
        maker = Matchmaker(client, unknown="newcomer")
        maker.join_many(["ann", "bob"], time=0)
    with client:
        for call in (lambda: maker.tick(time=1), lambda: maker.join("cat", time=1)):
            with pytest.raises(podium.UnreachableError):
                call()
        assert (len(maker), maker.clock) == (2, 0.0)


def ratings(maker: Matchmaker) -> dict[str, float]:
    return dict(maker.waiting().to_frame().select("player", "mu").rows())


def ratings_of(client: Client) -> dict[str, float]:
    return dict(client.ratings(["ann", "bob", "cat", "dan"]).select("player", "mu").rows())
