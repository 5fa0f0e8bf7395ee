"""What a pool remembers and says of running matches that ask for more players."""

from __future__ import annotations

from podium import Elo, Matchmaker, Policy
from podium.matchmaking.policies.terms import NoRematch, WinProbabilityGap


def ffa(**options: float) -> Matchmaker:
    policy = Policy(terms=(WinProbabilityGap(), NoRematch(2)), tolerance=1.0)
    return Matchmaker(Elo(), "ffa:3", policy, **options)  # type: ignore[arg-type]


def play(maker: Matchmaker, players: str) -> None:
    maker.join_many(list(players), mu=1500, playing=True)
    (match,) = maker.tick().matches
    assert set(match.players) == set(players)
    maker.start(match)


def met(maker: Matchmaker, player: str) -> list[set[str]]:
    """Whom somebody met, game by game, the last one first."""
    memory, names = maker._pool.memory.opponents, maker._pool.store.names
    number = names.index_of[player]
    last = int(memory.played[number])
    rows = [memory.met[number, game % memory.games] for game in range(last - 1, last - 3, -1)]
    return [{names[i] for i in row[row >= 0].tolist()} for row in rows]


def test_a_match_that_is_filled_up_is_no_other_game_of_those_in_it() -> None:
    """No rematch within two games: after the second one, filled up twice, the first still counts."""
    maker = ffa()
    play(maker, "abc")
    play(maker, "ade")
    for newcomer in "fg":
        maker.backfill(["a", "d"], mu=1500)
        maker.join(newcomer, mu=1500)
        (match,) = maker.tick().matches
        maker.start(match)
    assert met(maker, "a") == [{"d", "e", "f", "g"}, {"b", "c"}]
    assert met(maker, "f") == [{"a", "d"}, set()]
    maker.finish(match, side=0)
    maker.join_many(["a", "b", "h"], mu=1500, playing=True)
    assert not maker.tick().matches  # a and b met in the last game but one
    maker.leave("b")
    maker.join("g", mu=1500)
    assert not maker.tick().matches  # a and g in the last one
    maker.leave("g")
    maker.join("i", mu=1500)
    assert len(maker.tick().matches) == 1


def test_a_match_that_the_pool_did_not_start_is_a_game() -> None:
    maker = ffa()
    maker.backfill(["a", "b"], mu=1500)
    maker.join("c", mu=1500)
    maker.start(maker.tick())
    assert [met(maker, player)[0] for player in "abc"] == [{"b", "c"}, {"a", "c"}, {"a", "b"}]


def test_a_tick_says_which_requests_ended() -> None:
    maker = ffa(timeout=10)
    request = maker.backfill(["x"], mu=1500, time=0)
    maker.join("y", mu=1500, time=0)
    later = maker.backfill(["z"], mu=1500, time=5)
    assert maker.tick(time=9).ended == []
    tick = maker.tick(time=10)
    assert (tick.ended, sorted(tick.expired)) == ([request.number], [("x",), ("y",)])
    assert maker.tick(time=15).ended == [later.number]
