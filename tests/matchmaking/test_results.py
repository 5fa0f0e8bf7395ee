"""`Matchmaker.result`: a match is rated and ended in one step, and once."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from podium import InputError, KeyConflictError, Ladder, Match, Matchmaker


def started(ladder: Ladder, mode: str = "1v1") -> tuple[Matchmaker, list[Match]]:
    maker = Matchmaker(ladder, mode, unknown="newcomer")
    for name in "abcd":
        maker.join(name)
    tick = maker.tick()
    maker.start(tick)
    return maker, list(tick.matches)


@pytest.fixture(params=["memory", "log"])
def ladder(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "memory":
        yield Ladder("glicko2")
    else:
        with Ladder.open(tmp_path / "season", system="glicko2", sync=False) as opened:
            yield opened


def test_a_result_is_what_recording_it_gives_and_ends_the_match(ladder: Ladder) -> None:
    maker, (one, other) = started(ladder)
    same = Ladder("glicko2")
    for match, ranks in ((one, [2, 1]), (other, [1, 1])):
        assert maker.result(match, ranks=ranks) == same.record(teams=match.sides, ranks=ranks)
        with pytest.raises(InputError, match="neither proposed nor played"):
            maker.match(match.number)
    assert ladder.ratings().equals(same.ratings())
    maker.join("a")


def test_the_same_result_again_counts_once_and_another_is_refused(ladder: Ladder) -> None:
    maker, (one, _) = started(ladder)
    winner = one.sides[1][0]
    first = maker.result(one, winner=winner)
    for _ in range(2):
        assert maker.result(one, ranks=[2, 1]) == first
        maker = Matchmaker.from_bytes(maker.to_bytes(), ladder)
    with pytest.raises(KeyConflictError, match="sides"):
        maker.result(one, winner=one.sides[0][0])
    assert ladder.n_events == 1


def test_teams_with_parts_and_scores(ladder: Ladder) -> None:
    maker, (match,) = started(ladder, "2v2")
    ann = match.sides[0][0]
    changes = maker.result(match, scores=[3, 10], weight=0.5)
    assert [change.rank for change in changes] == [2, 2, 1, 1]
    assert maker.result(match, scores=[3, 10], weight=0.5) == changes
    with pytest.raises(KeyConflictError):
        maker.result(match, scores=[3, 10], weight=0.5, play={ann: 0.5})


def test_a_refused_result_changes_nothing(ladder: Ladder) -> None:
    maker, (one, other) = started(ladder)
    before = maker.to_bytes(), ladder.to_bytes()
    wrong: list[dict[str, Any]] = [
        {},
        {"winner": "zoe"},
        {"ranks": [1]},
        {"ranks": [0, 1]},
        {"winner": one.sides[0][0], "ranks": [1, 2]},
        {"ranks": [1, 2], "play": {"zoe": 0.5}},
        {"ranks": [1, 2], "weight": -1.0},
    ]
    for words in wrong:
        with pytest.raises(InputError):
            maker.result(one, **words)
        assert (maker.to_bytes(), ladder.to_bytes()) == before
    maker.finish(other, void=True)
    with pytest.raises(InputError, match="is not being played"):
        maker.result(other, ranks=[1, 2])
    assert ladder.n_events == 0


def test_the_time_is_the_pools_and_two_pools_share_a_ladder(ladder: Ladder) -> None:
    late, early = (Matchmaker(ladder, unknown="newcomer") for _ in range(2))
    found = []
    for maker, day in ((late, 9), (early, 2)):
        for name in ("ann", "bob"):
            maker.join(f"{name} {day}", time=datetime(2026, 5, day, tzinfo=UTC))
        (match,) = maker.tick().matches
        maker.start(match)
        found.append(match)
    late.result(found[0], winner="ann 9")
    early.result(found[1], winner="ann 2")  # at the time of the last event
    for player in ("ann 2", "ann 9"):
        assert ladder.rating(player).last_time == datetime(2026, 5, 9, tzinfo=UTC)
    with pytest.raises(InputError, match="another pool"):
        early.result(found[0], winner="ann 9")


def test_a_pool_without_a_ladder_rates_nothing() -> None:
    maker = Matchmaker("elo")
    for name in ("ann", "bob"):
        maker.join(name, mu=1500.0)
    (match,) = maker.tick().matches
    maker.start(match)
    with pytest.raises(InputError, match="has no ladder to rate"):
        maker.result(match, winner="ann")


@pytest.mark.parametrize("is_proposed", [False, True])
def test_a_match_that_has_ended_is_not_filled(ladder: Ladder, is_proposed: bool) -> None:
    maker, (match,) = started(ladder, "2v2")
    maker.leave_match(match, "a", reason="excused")
    maker.backfill(match)
    maker.join("e")
    if is_proposed:
        assert [one.continues for one in maker.tick().matches] == [match.number]
    maker.result(match, ranks=[1, 2])
    assert len(maker) == 1
    assert len(maker.tick().matches) == 0
    assert [ticket.players for ticket in maker.waiting()] == [("e",)]


def test_a_saved_request_of_a_match_that_has_ended_is_dropped(ladder: Ladder) -> None:
    """An older version kept it: its players were matched once more, and the result was refused."""
    maker, (match,) = started(ladder, "2v2")
    maker.leave_match(match, "a", reason="excused")
    maker.backfill(match)
    maker.join("e")
    for is_proposed in (False, True):
        if is_proposed:
            assert len(maker.tick().matches) == 1
        kept = Matchmaker.from_bytes(maker.to_bytes(), ladder)
        assert len(kept) == 4
        older = Matchmaker.from_bytes(maker.to_bytes(), ladder)
        playing = older._pool.store.people["playing"]
        playing[playing == match.number] = -1
        opened = Matchmaker.from_bytes(older.to_bytes(), ladder)
        assert (len(opened), [ticket.players for ticket in opened.waiting()]) == (1, [("e",)])
        assert len(opened.tick().matches) == 0


def test_matches_are_given_by_their_numbers(tmp_path: Path) -> None:
    """A server that had crashed could not repeat a result: it had only the number of an ended match."""
    with Ladder.open(tmp_path, system="weng-lin", sync=False) as ladder:
        maker = Matchmaker.open(tmp_path, ladder, "2v2", unknown="newcomer")
        for name in "abcdef":
            maker.join(name, time=0)
        (match,) = maker.tick(time=1).matches
        number, first = match.number, match.players[0]
        maker.decline(number, first)
        assert first not in maker
        (match,) = maker.tick(time=2).matches
        for name in match.players:
            assert maker.accept(match.number, name).number == match.number
        number, gone = match.number, match.players[0]
        assert maker.leave_match(number, gone, reason="excused").left == {gone: "excused"}
        request = maker.backfill(number, time=3)
        assert maker.backfill(number, time=3) == request
        second = match.players[1]
        maker.leave_match(number, second, reason="excused")
        assert maker.backfill(number).number == request.number
        assert sum(map(len, maker.backfill(number).sides)) == 2
        maker.join("g", time=4)
        (fill,) = maker.tick(time=5).matches
        assert fill.continues == number
        maker.start(fill.number)
        winner = maker.match(number).players[0]
        changes = maker.result(number, winner=winner, play={winner: 0.5})
        with pytest.raises(InputError, match="neither proposed nor played"):
            maker.result(99, winner=winner)
    with Ladder.open(tmp_path) as ladder:
        maker = Matchmaker.open(tmp_path, ladder, "2v2")
        assert maker.result(number, winner=winner, play={winner: 0.5}) == changes
        with pytest.raises(KeyConflictError):
            maker.result(number, winner=next(name for name in fill.players if name not in fill.sides[0]))
        with pytest.raises(InputError, match="neither proposed nor played"):
            maker.finish(number, void=True)
        for wrong in (True, None, "0"):
            with pytest.raises(InputError, match="is not a match"):
                maker.cancel(wrong)  # type: ignore[arg-type]
        assert ladder.n_events == 1
