"""Players next to each other, against loops over pairs."""

from __future__ import annotations

from itertools import combinations
from statistics import NormalDist

import pytest

import podium
from podium import InputError, Ladder, ParameterError, SetRating, UnknownPlayerError, UnsupportedError

SKILLS = {"ann": (1800.0, 60.0), "bob": (1750.0, 60.0), "cat": (1600.0, 40.0), "dan": (1400.0, 150.0)}


@pytest.fixture
def ladder() -> Ladder:
    ladder = Ladder("glicko")
    for name, (mu, sigma) in SKILLS.items():
        ladder.adjust(SetRating(player=name, mu=mu, sigma=sigma))
    return ladder


@pytest.mark.parametrize("system", ["elo", "glicko2", "auto"])
def test_the_matrix_is_what_pairs_expect(system: str) -> None:
    ladder = Ladder(system)
    for winner, loser in (("ann", "bob"), ("ann", "cat"), ("cat", "bob")):
        ladder.record_match(winner, loser)
    matrix = ladder.win_matrix()
    names = ladder.leaderboard()["player"].to_list()
    assert matrix.columns == ["player", *names]
    for name, row in zip(names, matrix.iter_rows(named=True), strict=True):
        assert row["player"] == name
        assert row[name] is None
        for other in set(names) - {name}:
            assert row[other] == pytest.approx(ladder.expected_score(name, other), abs=1e-12)


def test_ranks_and_differences(ladder: Ladder) -> None:
    for level in (0.5, 0.95):
        z = NormalDist().inv_cdf(0.5 + level / 2)
        sure = {}
        found = {(a, b): rest for a, b, *rest in ladder.differences([*SKILLS], level=level).iter_rows()}
        for a, b in combinations(SKILLS, 2):
            apart = SKILLS[a][0] - SKILLS[b][0]
            spread = (SKILLS[a][1] ** 2 + SKILLS[b][1] ** 2) ** 0.5
            sure[a, b], sure[b, a] = apart > z * spread, -apart > z * spread
            difference, low, high, stronger, shown = found[a, b]
            wanted = (apart, apart - z * spread, apart + z * spread, NormalDist().cdf(apart / spread))
            assert (difference, low, high, stronger) == pytest.approx(wanted, abs=1e-9)
            assert shown == (sure[a, b] or sure[b, a])
        ranks = ladder.rank_intervals([*SKILLS][::-1], level=level)
        assert ranks["player"].to_list() == [*SKILLS]
        for row in ranks.iter_rows(named=True):
            others = [name for name in SKILLS if name != row["player"]]
            best = 1 + sum(sure[other, row["player"]] for other in others)
            worst = len(SKILLS) - sum(sure[row["player"], other] for other in others)
            assert (row["best"], row["worst"]) == (best, worst)
            assert row["ranks"] == (str(best) if best == worst else f"{best}–{worst}")
            assert row["high"] - row["mu"] == pytest.approx(z * row["sigma"])


def test_pieces_change_nothing(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ladder.rank_intervals([*SKILLS])
    monkeypatch.setattr("podium.ladder.comparing_players.COMPARED_AT_ONCE", 5)
    assert ladder.rank_intervals([*SKILLS]).equals(whole)


def test_what_cannot_be_compared(ladder: Ladder) -> None:
    with pytest.raises(UnknownPlayerError, match="'eve'"):
        ladder.win_matrix(["ann", "eve"])
    with pytest.raises(InputError, match="'ann' is among the players twice"):
        ladder.differences(["ann", "ann"])
    with pytest.raises(ParameterError, match="level is 95"):
        ladder.rank_intervals(["ann"], level=95)
    with pytest.raises(ParameterError, match="one name"):
        ladder.win_matrix("ann")
    elo = podium.rate(podium.History.from_matches(["ann"], ["bob"]), "elo").ladder
    with pytest.raises(UnsupportedError, match="elo has no sigma"):
        elo.rank_intervals()
    assert ladder.win_matrix().height == 0  # nobody was rated
