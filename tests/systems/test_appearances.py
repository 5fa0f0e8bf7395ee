"""What states count of their players' matches."""

from __future__ import annotations

from random import Random

from podium import Ladder, Merge
from podium.systems.contract.appearances import match_record


def test_states_count_matches_of_players_and_teams() -> None:
    """As a reader would count them: contests and unrated players do not count."""
    ladder = Ladder("glicko2")
    counted: dict[str, list[float]] = {player: [] for player in "abcd"}
    random = Random(5)
    for _ in range(40):
        players = random.sample("abcd", random.choice([2, 2, 2, 3, 4]))
        ranks = [random.choice([1, 2]) for _ in players]
        unrated = [players[0]] if random.random() < 0.2 else []
        ladder.record(ranks=dict(zip(players, ranks, strict=True)), unrated=unrated)
        if len(players) == 2:
            for player, own, other in zip(players, ranks, ranks[::-1], strict=True):
                if player not in unrated:
                    counted[player].append(1.0 if own < other else 0.5 if own == other else 0.0)
    for player, results in counted.items():
        record = match_record(ladder.state, ladder.players.index_of[player])
        wins, draws = results.count(1.0), results.count(0.5)
        assert record == (wins, draws, len(results) - wins - draws, tuple(results[-5:]))


def test_a_merged_account_brings_its_matches() -> None:
    ladder = Ladder("trueskill")
    ladder.record(teams=[["ann", "bob"], ["cat", "dan"]], ranks=[1, 2], time="2026-05-01")
    ladder.record(teams=[["ann", "cat"], ["anna", "dan"]], ranks=[2, 2], time="2026-05-02")
    ladder.adjust(Merge(player="anna", into="ann"))
    record = match_record(ladder.state, ladder.players.index_of["ann"])
    assert record is not None
    assert (record.won, record.drawn, record.lost, record.form) == (1, 2, 0, ())  # in which order?
    ladder.undo()
    assert match_record(ladder.state, ladder.players.index_of["ann"]) == (1, 1, 0, (1.0, 0.5))


def test_the_latest_matches_are_in_order_after_a_merge() -> None:
    """Two spellings of a name played in turn: the latest five of one of them were shown as the player's."""
    ladder = Ladder("elo")
    for day, (winner, loser) in enumerate(
        [("ann", "bob"), ("anna", "bob"), ("bob", "ann"), ("anna", "bob")], 1
    ):
        ladder.record_match(winner, loser, time=f"2026-05-0{day}")
    ladder.adjust(Merge(player="anna", into="ann"))
    ladder.record_match("bob", "ann", time="2026-05-06")
    assert match_record(ladder.state, ladder.players.index_of["ann"]) == (3, 0, 2, (0.0,))


def test_states_of_an_older_podium_have_no_records_of_their_players() -> None:
    ladder = Ladder("elo")
    ladder.record_match("ann", "bob")
    arrays = ladder.state.to_arrays()
    del arrays["column:matches"]
    ladder.state.load(arrays)
    ladder.record_match("ann", "cat")
    assert [match_record(ladder.state, player) is None for player in range(3)] == [True, True, False]
