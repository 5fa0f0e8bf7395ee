"""The value: what happens, taking it back, saving it, and standings worked out by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
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


FORMATS = [
    *("evening", "evening:2v2", "evening:tables", "swiss:6", "round-robin"),
    *("knockout", "knockout:double", "groups:2x2"),
]


def step(tournament: Tournament, chance: np.random.Generator) -> None:
    """Something that organisers do, sensible or not."""
    names = [f"p{i}" for i in range(14)]
    name, other = chance.choice(names, 2, replace=False).tolist()
    match int(chance.integers(8)):
        case 0 | 1:
            tournament.join(name, float(chance.normal(1500, 200)))
        case 2 if chance.random() < 0.3:
            tournament.leave(name)
        case 3 if chance.random() < 0.1:
            tournament.forbid(name, other)
        case 4:
            tournament.pair(rematches=bool(chance.integers(2)))
        case 5 if chance.random() < 0.3:
            tournament.undo()
        case _:
            open_ = tournament.field.unfinished or tournament.field.games
            if open_:
                game = open_[int(chance.integers(len(open_)))]
                scores = chance.permutation(len(game.sides)) + float(chance.integers(3))
                tournament.result(game.number, scores.tolist(), round=game.round, correct=True)


def check_invariants(tournament: Tournament) -> None:
    field = tournament.field
    for each in field.rounds:
        named = [player for game in each.games for player in game.players] + [*each.byes, *each.resting]
        assert len(set(named)) == len(named), "nobody twice in a round"
    byes = [entrant.byes for entrant in field.here if entrant.joined == 1 and not entrant.missed]
    if tournament.format.kind == "swiss" and byes:
        assert max(byes) - min(byes) <= 1
    if tournament.format.kind == "swiss":
        sides = Counter(game.sides[0][0] for game in field.games)
        sides.subtract(game.sides[1][0] for game in field.games)
        assert max(map(abs, sides.values()), default=0) <= 3, "sides are balanced"
    for row in tournament.standings():
        assert row.points >= 0
        assert row.played == row.wins + row.draws + row.losses
    if tournament.format.kind == "double-knockout":
        assert all(row.losses <= 2 for row in tournament.standings())
    if tournament.format.kind != "knockout":
        played = sum(row.played for row in tournament.standings())
        assert played == sum(len(game.players) for game in field.games if game.points is not None)


def drive(form: str, seed: int, steps: int, folder: Path) -> int:
    """How many steps were not refused."""
    chance, done = np.random.default_rng(seed), 0
    tournament = Tournament(form, seed=seed)
    for number in range(steps):
        before = list(tournament.happenings)
        try:
            step(tournament, chance)
            done += 1
        except InputError:
            assert tournament.happenings == before
        check_invariants(tournament)
        if number % 40 == 0:
            tournament.save(folder / "t.jsonl")
            loaded = Tournament.load(folder / "t.jsonl")
            assert loaded.happenings == tournament.happenings
            assert loaded.field == tournament.field
            tournament = loaded
            if tournament.happenings:
                other = tournament.copy()
                other.undo()
                assert other.happenings == tournament.happenings[:-1]
                assert tournament.field == loaded.field
    return done


@pytest.mark.parametrize("form", FORMATS)
def test_random_tournaments_keep_their_invariants(form: str, tmp_path: Path) -> None:
    assert drive(form, 1, 250, tmp_path) > 60


@pytest.mark.long
@pytest.mark.parametrize("form", FORMATS)
def test_random_tournaments_keep_their_invariants_for_long(form: str, tmp_path: Path) -> None:
    assert sum(drive(form, seed, 1_000, tmp_path) for seed in range(10)) > 2_000


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
