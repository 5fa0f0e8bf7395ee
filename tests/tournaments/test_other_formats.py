"""Round robins, knockouts and evenings: published tables, brute force, and who meets whom."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

import podium
from naive.rounds import title_chances
from podium.errors import InputError, ParameterError
from podium.tournaments.chances import bracket_chances
from podium.tournaments.formats import Format
from podium.tournaments.knockouts import seed_order
from podium.tournaments.round_robins import berger_round
from podium.tournaments.tournament import Tournament

BERGER = {  # FIDE Handbook C.05, annex 1: tables for 3 or 4, and 5 or 6 players
    4: ["1-4 2-3", "4-3 1-2", "2-4 3-1"],
    6: ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"],
}


def started(form: str, players: int, **options: object) -> Tournament:
    tournament = Tournament(form, **options)  # type: ignore[arg-type]
    for i in range(players):
        tournament.join(f"p{i}", 1500 + 20 * i)
    return tournament


def first_sides_win(tournament: Tournament) -> None:
    for game in tournament.field.unfinished:
        tournament.result(game.number, range(len(game.sides), 0, -1))


@pytest.mark.parametrize("size", BERGER)
def test_rounds_are_those_of_the_published_tables(size: int) -> None:
    for number, published in enumerate(BERGER[size], 1):
        assert [f"{a}-{b}" for a, b in berger_round(size, number)] == published.split()


@pytest.mark.parametrize("players", [2, 3, 6, 9, 12])
@pytest.mark.parametrize("laps", ["", ":double"])
def test_a_round_robin_lets_all_meet_equally_often(players: int, laps: str) -> None:
    tournament = started(f"round-robin{laps}", players)
    while not tournament.finished:
        tournament.pair()
        first_sides_win(tournament)
    times = 2 if laps else 1
    assert len(tournament.field.met) == players * (players - 1) // 2
    assert set(tournament.field.met.values()) == {times}
    for name in tournament.field.entrants:
        firsts = sum(game.sides[0] == (name,) for game in tournament.field.games)
        assert abs(2 * firsts - times * (players - 1)) <= (0 if laps else 1)
    with pytest.raises(InputError, match="all rounds"):
        tournament.pair()


def test_who_leaves_a_round_robin_is_not_paired_and_nobody_joins_late() -> None:
    tournament = started("round-robin", 4)
    tournament.pair()
    first_sides_win(tournament)
    tournament.leave("p1")
    paired = tournament.pair()
    assert "p1" not in {player for game in paired.games for player in game.players}
    assert len(paired.resting) == 1
    with pytest.raises(InputError, match="too late"):
        tournament.join("zoe")


def test_the_best_two_seeds_can_only_meet_in_the_final() -> None:
    assert seed_order(4) == [1, 4, 2, 3]  # the usual bracket: 1-4 and 2-3
    for size in (8, 16, 64):
        order = seed_order(size)
        assert sorted(order) == list(range(1, size + 1))
        for width in (2, 4, 8):  # each part of the bracket has one of the best seeds
            parts = [order[i : i + size // width] for i in range(0, size, size // width)]
            assert all(sum(seed <= width for seed in part) == 1 for part in parts)


def test_a_knockout_of_thirteen() -> None:
    tournament = started("knockout", 13)
    byes = tournament.pair().byes
    assert set(byes) == {"p12", "p11", "p10"}  # the highest ratings
    first_sides_win(tournament)
    for games in (4, 2, 1):
        assert len(tournament.pair().games) == games
        first_sides_win(tournament)
    assert tournament.finished
    assert [row.place for row in tournament.standings()[:6]] == [1, 2, 3, 3, 5, 5]
    with pytest.raises(InputError, match="all rounds"):
        tournament.pair()


def test_a_knockout_needs_winners_and_keeps_its_bracket() -> None:
    tournament = started("knockout", 4)
    tournament.pair()
    with pytest.raises(InputError, match="needs a winner"):
        tournament.result(1, "1:1")
    first_sides_win(tournament)
    winner = tournament.field.rounds[0].games[0].winner
    tournament.result(1, "0:3", correct=True)
    assert tournament.field.rounds[0].games[0].winner != winner
    tournament.pair()
    with pytest.raises(InputError, match="undo back"):
        tournament.result(1, "3:0", round=1, correct=True)
    tournament.result(
        1, "1:3", round=1, correct=True
    )  # another score with the same winner changes nothing else


def test_the_opponent_of_an_entrant_who_left_goes_through() -> None:
    tournament = started("knockout", 4)
    tournament.pair()
    first_sides_win(tournament)
    (ann,), (bob,) = (game.winner for game in tournament.field.games if game.winner)
    tournament.leave(ann)
    assert tournament.pair().byes == (bob,)
    assert tournament.finished
    assert tournament.standings()[0].player == bob


@pytest.mark.parametrize("players", [2, 3, 5, 8])
def test_title_chances_are_those_of_all_courses(players: int) -> None:
    chance = np.random.default_rng(players)
    slots: list[int | None] = [i if i < players else None for i in range(1 << (players - 1).bit_length())]
    slots = [slots[seed - 1] for seed in seed_order(len(slots))]
    drawn = np.triu(chance.random((8, 8)), 1)
    win = drawn + np.tril(1 - drawn.T, -1)
    numbers = [0 if slot is None else slot for slot in slots]
    reached = bracket_chances([None if s is None else str(s) for s in slots], win[np.ix_(numbers, numbers)])
    expected = title_chances(slots, win.tolist())
    for slot, shares in zip(slots, reached, strict=True):
        assert shares[-1] == pytest.approx(0.0 if slot is None else expected[slot])


def test_chances_count_what_is_played() -> None:
    tournament = started("knockout", 4)
    before = tournament.chances()
    assert sum(before.title.values()) == pytest.approx(1)
    np.testing.assert_allclose(before.places.sum(axis=1), 1)
    tournament.pair()
    tournament.result("p0", "2:0")
    assert 0 < before.title["p0"] < tournament.chances().title["p0"]
    tournament.result("p1", "2:0")
    tournament.pair()
    tournament.result("p0", "0:2")
    after = tournament.chances()
    assert after.title == {"p1": 1.0, "p0": 0.0, "p2": 0.0, "p3": 0.0}
    assert after.within(2)["p0"] == 1.0


def test_simulated_chances_of_one_match_are_those_of_the_system() -> None:
    tournament = Tournament("round-robin")
    tournament.join("ann", 1600)
    tournament.join("bob", 1500)
    chances = tournament.chances(simulations=4_000)
    expected = podium.Elo().win_probability(1600.0, None, 1500.0, None)
    assert chances.title["ann"] == pytest.approx(float(expected), abs=4 * 0.008)  # four standard errors
    assert (
        tournament.chances(simulations=50, seed=3).title == tournament.chances(simulations=50, seed=3).title
    )


def test_chances_of_a_bracket_agree_with_those_of_a_tournament() -> None:
    ladder = podium.Ladder("elo")
    for name, rating in {"ann": 1700, "bob": 1600, "cat": 1500}.items():
        ladder.adjust(podium.SetRating(player=name, mu=rating))
    tournament = Tournament("knockout", ladder=ladder)
    for name in ("ann", "bob", "cat"):
        tournament.join(name)
    expected = podium.simulate_bracket(ladder, ["ann", None, "bob", "cat"]).title
    assert tournament.chances().title == pytest.approx(expected)
    with pytest.raises(podium.UnknownPlayerError):
        podium.simulate_bracket(ladder, ["ann", "zoe"])
    with pytest.raises(InputError, match="a bracket of 3 slots"):
        podium.simulate_bracket(ladder, ["ann", "bob", "cat"])


def test_an_evening_has_no_rematch_while_another_pairing_is_possible() -> None:
    tournament = started("evening", 6)
    for _ in range(3):  # any two rounds of six leave a third; not any three a fourth
        tournament.pair()
    assert set(tournament.field.met.values()) == {1}


def test_of_pairs_that_have_not_met_equal_ones_come_first() -> None:
    tournament = started("evening", 4)
    assert {frozenset(game.players) for game in tournament.pair().games} == {
        frozenset(("p0", "p1")),
        frozenset(("p2", "p3")),
    }


def test_rests_rotate_and_chance_decides_between_equals() -> None:
    resting = set()
    for seed in range(12):
        tournament = started("evening", 7, seed=seed)
        resting.add(tournament.pair().resting[0])
        for _ in range(6):
            tournament.pair()
        assert {entrant.rests for entrant in tournament.field.entrants.values()} == {1}
    assert len(resting) > 2


def test_courts_limit_the_matches_of_an_evening() -> None:
    tournament = started("evening", 9)
    paired = tournament.pair(places=2)
    assert len(paired.games) == 2
    assert len(paired.resting) == 5
    again = tournament.pair(places=2)
    assert set(again.resting) <= {player for game in paired.games for player in game.players} | set(
        paired.resting
    )
    assert not set(again.resting) >= set(paired.resting)
    with pytest.raises(InputError, match="0 places"):
        tournament.pair(places=0)


def test_doubles_change_partners_and_are_even() -> None:
    tournament = started("evening:2v2", 8)
    strengths = {name: entrant.mu for name, entrant in tournament.field.entrants.items()}
    first = tournament.pair()
    sums = {sum(strengths[player] for player in side) for game in first.games for side in game.sides}
    assert len(sums) == 1  # 1500 and 1640, 1520 and 1620 …
    for _ in range(3):
        tournament.pair()
    assert set(tournament.field.partnered.values()) == {1}


def least_repeats(tournament: Tournament) -> tuple[int, int]:
    """The fewest repeated partners, then opponents, of all rounds on two courts."""
    field, players = tournament.field, list(tournament.field.entrants)

    def repeats(order: tuple[str, ...]) -> tuple[int, int]:
        sides = [order[i : i + 2] for i in (0, 2, 4, 6)]
        meetings = [frozenset((a, b)) for i in (0, 2) for a in sides[i] for b in sides[i + 1]]
        return (
            sum(field.partnered.get(frozenset(side), 0) ** 2 for side in sides),
            sum(field.met.get(pair, 0) ** 2 for pair in meetings),
        )

    first, *rest = players
    return min(
        repeats((first, *order))
        for order in permutations(rest)
        if order[1] < order[2] and order[3] < order[4] and order[5] < order[6] and order[3] < order[5]
    )


@pytest.mark.parametrize("seed", range(4))
def test_doubles_repeat_no_opponents_that_brute_force_avoids(seed: int) -> None:
    tournament = started("evening:2v2", 8, seed=seed)
    for _ in range(5):
        partners, opponents = least_repeats(tournament)
        met, together = dict(tournament.field.met), dict(tournament.field.partnered)
        paired = tournament.pair()
        sides = [frozenset(side) for game in paired.games for side in game.sides]
        meetings = [frozenset((a, b)) for game in paired.games for a in game.sides[0] for b in game.sides[1]]
        assert sum(together.get(side, 0) ** 2 for side in sides) == partners
        assert sum(met.get(pair, 0) ** 2 for pair in meetings) == opponents
        for game in paired.games:
            (first, _), (second, _) = game.sides
            times = met.get(frozenset((first, second)), 0)
            words = {
                0: "they have not met in this tournament",
                1: "they have met once before: with new partners, ",
            }
            assert words.get(times, f"they have met {times} times before") in str(
                tournament.explain(game.number)
            )


def test_entrants_come_late_and_leave_between_rounds_of_an_evening() -> None:
    tournament = started("evening:2v2", 11)
    assert len(tournament.pair().resting) == 3
    tournament.join("late", 1600)
    paired = tournament.pair()
    assert not paired.resting
    assert "late" in {player for game in paired.games for player in game.players}
    tournament.leave("p3")
    assert "p3" not in {player for game in tournament.pair().games for player in game.players}
    tournament.join("p3")
    assert not tournament.pair().resting
    assert tournament.field.entrants["p3"].mu == 1560


@pytest.mark.parametrize("players", [3, 5, 7, 11, 16, 25])
def test_tables_have_three_to_six_seats_and_new_faces(players: int) -> None:
    tournament = started("evening:tables", players)
    for _ in range(2):
        games = tournament.pair().games
        assert all(3 <= len(game.sides) <= 6 for game in games)
        assert sum(len(game.sides) for game in games) == players
    if players >= 16:  # the entrants of a table find enough other tables
        assert set(tournament.field.met.values()) == {1}


def test_pairs_that_are_forbidden_sit_at_different_tables() -> None:
    tournament = started("evening:tables", 8)
    for a, b in combinations(["p0", "p1"], 2):
        tournament.forbid(a, b)
    for _ in range(4):
        for game in tournament.pair().games:
            assert not {"p0", "p1"} <= set(game.players)
    few = started("evening:tables", 4)
    few.forbid("p0", "p1")
    with pytest.raises(InputError, match="no tables keep"):
        few.pair()


@pytest.mark.parametrize("text", ["swiss", "swiss:0", "swiss:x", "evening:3v3", "league", ""])
def test_unknown_formats_are_refused_with_those_there_are(text: str) -> None:
    with pytest.raises(ParameterError, match="round-robin"):
        Format.parse(text)


@pytest.mark.parametrize(
    "text", ["evening", "evening:2v2", "evening:tables", "swiss:7", "round-robin:double"]
)
def test_formats_are_written_as_they_are_read(text: str) -> None:
    assert str(Format.parse(text)) == text


def test_an_evening_with_clubs_plays_as_many_matches_as_the_rules_leave() -> None:
    """Who has no opponent left sits out; partners of one club make doubles possible."""
    evening = Tournament("evening")
    for name, club in {"ann": "n", "bob": "n", "cat": "n", "dan": "s"}.items():
        evening.join(name, club=club)
    for _ in range(3):
        paired = evening.pair()
        assert (len(paired.games), len(paired.resting)) == (1, 2)
        assert "dan" in paired.games[0].players
    assert {entrant.rests for entrant in evening.field.here if entrant.club == "n"} == {2}
    evening.leave("dan")
    with pytest.raises(InputError, match="ann, bob and cat must not meet"):
        evening.pair()
    doubles = Tournament("evening:2v2")
    for name, (club, rating) in {
        "ann": ("n", 1900),
        "bob": ("n", 1100),
        "cat": ("s", 1900),
        "dan": ("s", 1100),
    }.items():
        doubles.join(name, rating, club=club)
    assert {frozenset(side) for side in doubles.pair().games[0].sides} == {
        frozenset(("ann", "bob")),
        frozenset(("cat", "dan")),
    }


def test_an_evening_gives_both_sides_in_turn() -> None:
    evening = Tournament("evening")
    for name in ("ann", "bob"):
        evening.join(name)
    firsts = []
    for _ in range(4):
        firsts.append(evening.pair().games[0].sides[0][0])
        evening.result(1, "1:0")
    assert firsts[:2] == firsts[2:]
    assert sorted(firsts[:2]) == ["ann", "bob"]


def test_chances_of_a_tournament_that_ended_early_or_cannot_go_on() -> None:
    """What is left to happen is nothing: the standings are final."""
    for form in ("swiss:3", "round-robin", "knockout"):
        tournament = Tournament(form)
        for name in ("ann", "bob", "cat", "dan"):
            tournament.join(name)
        for game in tournament.pair().games:
            tournament.result(game.number, "1:0")
        tournament.close()
        first = [row.player for row in tournament.standings() if row.place == 1]
        assert {name for name, chance in tournament.chances(simulations=3).title.items() if chance == 1} == {
            *first
        }
    swiss = Tournament("swiss:3")
    for name in ("ann", "bob"):
        swiss.join(name)
    swiss.pair()
    swiss.forbid("ann", "bob")
    assert swiss.chances(simulations=5).places.sum() == pytest.approx(2)
