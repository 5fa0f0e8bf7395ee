"""The value: what happens, taking it back, saving it, and standings worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import podium
from podium.errors import InputError
from podium.tournaments.happenings import plain
from podium.tournaments.tournament import Tournament


def results(form: str, names: str, scores: dict[str, str]) -> Tournament:
    """A round robin of one-letter names; scores by pair."""
    tournament = Tournament(form)
    for name in names:
        tournament.join(name)
    while not tournament.finished:
        for game in tournament.pair().games:
            a, b = sorted(game.players)
            tournament.result(a, scores[a + b])
    return tournament


def test_tie_breaks_of_a_small_round_robin() -> None:
    """Worked out by hand: a, b and c have two points each, as each beat one of the others and d."""
    tournament = results(
        "round-robin", "abcd", {"ab": "3:0", "bc": "2:0", "ac": "0:1", "ad": "1:0", "bd": "1:0", "cd": "1:0"}
    )
    rows = {row.player: row for row in tournament.standings()}
    assert [rows[name].points for name in "abcd"] == [2, 2, 2, 0]
    assert [rows[name].sonneborn_berger for name in "abcd"] == [2, 2, 2, 0]
    assert [rows[name].buchholz for name in "abcd"] == [4, 4, 4, 6]
    assert [rows[name].direct for name in "abcd"] == [1, 1, 1, 0]
    assert [rows[name].difference for name in "abcd"] == [3, 0, 0, -3]
    assert [(row.place, row.player) for row in tournament.standings()] == [
        (1, "a"),
        (2, "b"),
        (2, "c"),
        (4, "d"),
    ]


def test_draws_and_byes_count_as_the_docs_say() -> None:
    tournament = Tournament("swiss:2")
    for name in "abc":
        tournament.join(name)
    paired = tournament.pair()
    (bye,) = paired.byes
    tournament.result(1, "½:½")
    rows = {row.player: row for row in tournament.standings()}
    assert rows[bye].points == 1
    assert rows[bye].byes == 1
    assert rows[bye].buchholz == 1
    assert rows[bye].wins == 0
    for player in paired.games[0].players:
        assert (rows[player].points, rows[player].draws) == (0.5, 1)
        assert rows[player].sonneborn_berger == 0.25


def test_a_table_shares_points_by_rank() -> None:
    tournament = Tournament("evening:tables")
    for name in "abcd":
        tournament.join(name)
    tournament.pair()
    seats = [side[0] for side in tournament.field.games[0].sides]
    tournament.result(1, [10, 7, 7, 2])
    points = {row.player: row.points for row in tournament.standings()}
    assert [points[name] for name in seats] == pytest.approx([1, 0.5, 0.5, 0])


def test_a_result_is_read_from_the_side_of_the_entrant_named() -> None:
    tournament = Tournament("round-robin")
    for name in ("ann", "bob"):
        tournament.join(name)
    tournament.pair()
    tournament.result("bob", "3-1")
    game = tournament.field.games[0]
    assert dict(zip(game.players, game.points or (), strict=True)) == {"ann": 1.0, "bob": 3.0}
    assert game.winner == ("bob",)
    assert sorted(game.ranks) == [1, 2]
    tournament.result("ann", "1:3")  # the same result
    assert len(tournament.happenings) == 4
    with pytest.raises(InputError, match=r"already"):
        tournament.result("ann", "3:1")
    tournament.result("ann", "3:1", correct=True)
    assert tournament.field.games[0].winner == ("ann",)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (lambda t: t.join("ann"), "joined already"),
        (lambda t: t.join(" "), "needs a name"),
        (lambda t: t.join("eve", float("nan")), "rating of 'eve'"),
        (lambda t: t.leave("amn"), "not an entrant(?s:.*)ann"),
        (lambda t: t.forbid("ann", "ann"), "against themselves"),
        (lambda t: t.result(9, "1:0"), "no match 9"),
        (lambda t: t.result(1, "1:0", round=4), "no round 4"),
        (lambda t: t.result("ann", "1:0:2"), "3 scores"),
        (lambda t: t.result("ann", "won"), "not a score"),
        (lambda t: t.result("ann", [float("inf"), 0]), "finite"),
        (lambda t: t.pair(), "no result yet"),
        (lambda t: t.pair(places=3), "only an evening"),
    ],
)
def test_what_cannot_happen_is_refused_and_changes_nothing(wrong, reason: str) -> None:  # type: ignore[no-untyped-def]
    tournament = Tournament("swiss:3")
    for name in ("ann", "bob", "cat"):
        tournament.join(name)
    tournament.pair()
    before = list(map(plain, tournament.happenings)), repr(tournament.field)
    with pytest.raises(InputError, match=reason):
        wrong(tournament)
    assert (list(map(plain, tournament.happenings)), repr(tournament.field)) == before


def test_ratings_come_from_the_ladder() -> None:
    ladder = podium.Ladder()
    ladder.record_match("ann", "bob")
    tournament = Tournament("evening", ladder=ladder)
    for name in ("ann", "zoe"):
        tournament.join(name)
    assert tournament.field.entrants["ann"].mu == ladder.rating("ann").mu
    assert tournament.field.entrants["ann"].sigma == ladder.rating("ann").sigma
    assert tournament.field.entrants["zoe"].mu < ladder.rating("ann").mu
    assert (tournament.field.entrants["zoe"].sigma or 0) > (ladder.rating("ann").sigma or 0)
    assert tournament.system == ladder.system


def test_taking_back_everything_leaves_nothing() -> None:
    tournament = Tournament("evening")
    for name in ("ann", "bob"):
        tournament.join(name)
    tournament.pair()
    tournament.result("ann", "1:0")
    while tournament.happenings:
        tournament.undo()
    assert tournament.field == Tournament("evening").field
    with pytest.raises(InputError, match="nothing has happened"):
        tournament.undo()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "empty file"),
        ("{}\n", "not a tournament"),
        ("not json\n", "line 1 is not a JSON object"),
        ('{"podium_tournament": 99, "name": "t"}\n', "version"),
        ('HEAD{"happening": "danced"}\n', "line 2: .*not a happening"),
        ('HEAD{"happening": "left", "player": "bob"}\n', "line 2: 'bob' is not an entrant"),
        ('HEAD{"happening": "left", "players": "bob"}\n', "line 2: .*not a happening"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(content: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    Tournament("evening").save(path)
    path.write_text(content.replace("HEAD", path.read_text()))
    with pytest.raises(InputError, match=reason) as error:
        Tournament.load(path)
    assert error.value.source == str(path)


def test_a_closed_tournament_takes_corrections_and_no_rounds() -> None:
    evening = Tournament("evening")
    for name in ("ann", "bob"):
        evening.join(name)
    evening.pair()
    evening.result("ann", "2:1")
    assert not evening.finished
    evening.close()
    assert evening.finished
    evening.result("ann", "1:2", correct=True)
    assert evening.standings()[0].player == "bob"
    for refused in (evening.pair, evening.close):
        with pytest.raises(InputError, match="has ended"):
            refused()
    evening.undo()
    evening.undo()
    assert not evening.finished
    assert evening.pair().number == 2
