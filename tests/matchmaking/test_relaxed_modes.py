"""Sizes of matches that relax while tickets wait."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from podium import Elo, Matchmaker, ParameterError, Policy
from podium.matchmaking import Mode
from podium.matchmaking.policies.terms import NoRematch, WinProbabilityGap

ANY = Policy((WinProbabilityGap(), NoRematch(1, 0.1)), tolerance=1)


def pool(mode: str, players: int, **options: float) -> Matchmaker:
    maker = Matchmaker(Elo(), mode, ANY, **options)  # type: ignore[arg-type]
    chance = np.random.default_rng(players)
    maker.join_many([f"p{i}" for i in range(players)], mu=chance.normal(1500, 50, players), time=0)
    return maker


@pytest.mark.parametrize(
    ("text", "written", "variants"),
    [
        ("6v6, 5v5 after 60 s", "6v6, 5v5 after 60 s", [(12, 0), (10, 60)]),
        ("6 v 6 , 5 vs 5 after 1 minute,4V4 AFTER 90s", "6v6, 5v5 after 60 s, 4v4 after 90 s", None),
        ("ffa:4-8", "ffa:4-8", [(8, 0), (7, 0), (6, 0), (5, 0), (4, 0)]),
        (
            "FFA 8, ffa:4-7 after 30 s",
            "ffa:8, ffa:4-7 after 30 s",
            [(8, 0), *((n, 30) for n in (7, 6, 5, 4))],
        ),
        ("2v2, 1v1 after 1.5 min", "2v2, 1v1 after 90 s", [(4, 0), (2, 90)]),
        ("3v3: tank, 2 dps, 2v2: tank, dps after 9 s", "3v3: tank, 2 dps, 2v2: tank, dps after 9 s", None),
    ],
)
def test_modes_are_written_and_read(
    text: str, written: str, variants: list[tuple[int, float]] | None
) -> None:
    mode = Mode.parse(text)
    assert str(mode) == written
    assert Mode.parse(written) == mode
    if variants is not None:
        assert [(one.players, after) for one, after in mode.variants] == variants


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("5v5, 6v6 after 60 s", "6v6 must be smaller than 5v5"),
        ("6v6, 5v5 after 60 s, 4v4 after 30 s", "4v4 after 30 s comes before a larger match"),
        ("6v6 after 3 s", "the first mode is for all tickets"),
        ("2v2: tank, dps, 1v1 after 3 s", "1v1 has other roles than 2v2"),
        ("ffa:8-4", "is not a mode"),
        ("ffa:2-4", "is not a mode"),
        ("6v6, 5v5 later", "is not a mode"),
    ],
)
def test_modes_that_make_no_sense(text: str, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        Mode.parse(text)


def test_smaller_teams_after_a_while() -> None:
    maker = pool("6v6, 5v5 after 60 s", 11)
    assert len(maker.tick(59).matches) == 0
    (match,) = maker.tick(60).matches
    assert [len(side) for side in match.sides] == [5, 5]
    maker = pool("6v6, 5v5 after 60 s", 34)
    sizes = sorted(len(match.players) for match in maker.tick(60).matches)
    assert sizes == [10, 12, 12]
    assert maker.tick(60).waiting == 0


def test_every_ticket_of_a_smaller_match_has_waited_long_enough() -> None:
    maker = pool("2v2, 1v1 after 60 s", 1)
    maker.join("late", mu=1500, time=30)
    assert [len(maker.tick(time).matches) for time in (60, 89, 90)] == [0, 0, 1]


@pytest.mark.parametrize("players", range(3, 17))
def test_free_for_alls_of_several_sizes(players: int) -> None:
    maker = pool("ffa:4-8", players)
    tick = maker.tick(1)
    sizes = [len(match.players) for match in tick.matches]
    assert sizes == sorted(sizes, reverse=True)
    rest = players
    for size in sizes:
        assert size == min(8, rest)
        rest -= size
    assert rest < 4
    assert tick.waiting == rest
    frame = tick.matches.to_frame()
    assert frame.height == sum(sizes)
    maker.start(tick)
    for match in maker.running():
        maker.finish(match, winner=match.players[0])
    assert maker.running() == []


def test_parties_stay_out_of_teams_that_are_too_small() -> None:
    maker = Matchmaker(Elo(), "3v3, 2v2 after 10 s", ANY)
    maker.join(["a", "b", "c"], mu=[1500.0] * 3, time=0)
    maker.join_many(list("defg"), mu=1500.0)
    maker.leave("g")
    assert [sorted(match.players) for match in maker.tick(10).matches] == [list("abcdef")]
    maker = Matchmaker(Elo(), "3v3, 2v2 after 10 s", ANY)
    maker.join(["a", "b", "c"], mu=[1500.0] * 3, time=0)
    maker.join(["d", "e"], mu=[1500.0] * 2)
    maker.join(["f", "g"], mu=[1500.0] * 2)
    assert [sorted(match.players) for match in maker.tick(10).matches] == [list("defg")]


def test_roles_of_smaller_teams() -> None:
    maker = Matchmaker(Elo(), "3v3: tank, 2 dps, 2v2: tank, dps after 9 s", ANY)
    maker.join_many(list("abcd"), mu=1500.0, roles=["tank", "tank", "dps", None], time=0)
    (match,) = maker.tick(9).matches
    assert match.roles is not None
    assert sorted(map(sorted, match.roles)) == [["dps", "tank"]] * 2


def test_a_small_match_is_filled_up_to_its_own_size(tmp_path: Path) -> None:
    maker = pool("3v3, 2v2 after 10 s", 4)
    maker.start(maker.tick(10))
    (match,) = maker.running()
    left = maker.leave_match(match, match.players[0], reason="excused")
    maker.backfill(left)
    maker.save(tmp_path / "pool.podium")
    maker = Matchmaker.load(tmp_path / "pool.podium")
    assert str(maker.mode) == "3v3, 2v2 after 10 s"
    maker.join_many(["x", "y"], mu=1500.0, time=20)
    assert len(maker.tick(29).matches) == 0
    (fill,) = maker.tick(30).matches
    assert (fill.continues, len(fill.players)) == (match.number, 4)
    maker.start(fill)
    assert [len(one.players) for one in maker.running()] == [4]


def test_reasons_are_about_the_match_that_is_nearest() -> None:
    maker = pool("6v6, 5v5 after 60 s", 9)
    assert maker.why("p0", 30).open_places == 11
    why = maker.why("p0", 60)
    assert (why.open_places, why.available) == (9, 8)
    maker.join("last", mu=1500, time=0)
    match = maker.tick(60).matches[0]
    assert maker.why(match).cost == pytest.approx(match.cost)


def test_budgets_and_the_same_calls_give_the_same_matches() -> None:
    def played() -> list[tuple[tuple[str, ...], ...]]:
        maker = pool("6v6, 5v5 after 20 s, 3v3 after 40 s", 400, seed=3)
        found = []
        for time in (0, 20, 40):
            tick = maker.tick(time)
            found += [match.sides for match in tick.matches]
            maker.start(tick)
            maker.join_many([f"{time}/{i}" for i in range(7)], mu=1500.0)
        assert maker.tick(50, budget=0.001).waiting <= 400
        return found

    assert played() == played()
