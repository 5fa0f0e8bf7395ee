"""Predictions: sums that must be one, agreement between the ways to ask, and a simulation as the judge."""

from __future__ import annotations

import itertools
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.helpers import DAY, NAMES, START, SYSTEMS, label, some_season
from podium import Elo, EloMMR, EloMMX, Glicko, Glicko2, History, Ladder, SetRating, TrueSkill, WengLin, rate
from podium.errors import UnsupportedError
from podium.systems import RatingSystem

sides = st.permutations([*NAMES, "guest", "new", "newer"])


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
@given(names=sides, cut=st.integers(1, 3), size=st.integers(2, 6), home=st.booleans())
def test_both_sides_sum_to_one(
    system: RatingSystem, names: list[str], cut: int, size: int, home: bool
) -> None:
    ladder = some_season(system)
    a, b = names[:cut], names[cut : max(size, cut + 1)]
    host = names[0] if home else None
    ours, theirs = ladder.expected_score(a, b, home=host), ladder.expected_score(b, a, home=host)
    assert ours + theirs == pytest.approx(1, abs=1e-12)
    chances, mirrored = ladder.outcomes(a, b, home=host), ladder.outcomes(b, a, home=host)
    assert chances.win + chances.draw + chances.loss == pytest.approx(1, abs=1e-12)
    assert min(chances.win, chances.draw, chances.loss) >= 0
    assert chances.win + chances.draw / 2 == pytest.approx(ours, abs=1e-12)
    assert (mirrored.win, mirrored.loss) == pytest.approx((chances.loss, chances.win), abs=1e-12)


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_whoever_is_unknown_is_a_newcomer(system: RatingSystem) -> None:
    ladder = some_season(system)
    assert ladder.expected_score("new", "newer") == 0.5
    fresh = Ladder(system)
    fresh.adjust(SetRating(player="x", mu=ladder.rating("ann").mu, sigma=ladder.rating("ann").sigma))
    assert ladder.expected_score("ann", "new") == pytest.approx(fresh.expected_score("x", "new"), abs=1e-12)
    assert ladder.rank_probabilities(["new", "newer"]).matrix == pytest.approx(np.full((2, 2), 0.5))


def test_a_draw_rate_gives_draws() -> None:
    ladder = Ladder(Elo(draw_rate=0.3))
    chances = ladder.outcomes("ann", "bob")
    assert (chances.win, chances.draw, chances.loss) == pytest.approx((0.35, 0.3, 0.35))
    assert Ladder(Elo()).outcomes("ann", "bob").draw == 0


DRAWING = (Elo(draw_rate=0.3), Glicko(calibration="learned"), TrueSkill(draw_rate=0.2))


@pytest.mark.parametrize("system", [*DRAWING, Elo(), TrueSkill(), WengLin(), EloMMR()], ids=str)
def test_places_of_two_have_the_draws_of_a_match(system: RatingSystem) -> None:
    ladder = some_season(system)
    places, chances = ladder.rank_probabilities(["ann", "bob"]), ladder.outcomes("ann", "bob")
    assert (chances.draw > 0) == (system in DRAWING)
    assert places.tied == pytest.approx([chances.draw] * 2, abs=1e-12)
    first, second = places.matrix[:, 0] - places.tied / 2
    assert (first, second) == pytest.approx((chances.win, chances.loss), abs=1e-12)


@pytest.mark.parametrize(("count", "error"), [(3, 0.012), (4, 0.025), (8, 0.065)])
def test_ties_of_more_against_a_simulation(count: int, error: float) -> None:
    """Normal performances that tie within a margin, of equals that draw a quarter of their matches."""
    names = [f"p{i}" for i in range(count)]
    tied = Ladder(Elo(draw_rate=0.25)).rank_probabilities(names).tied
    played = np.sort(np.random.default_rng(1).normal(size=(100_000, count)), axis=1)
    close = np.diff(played, axis=1) < NormalDist(sigma=2**0.5).inv_cdf((1 + 0.25) / 2)
    shared = np.pad(close, ((0, 0), (1, 0))) | np.pad(close, ((0, 0), (0, 1)))
    assert tied == pytest.approx(np.full(count, tied[0]), abs=1e-12)
    assert 0.0 < tied[0] - shared.mean() < error


def test_deviations_pull_towards_even() -> None:
    ladder = Ladder(Glicko())
    for name, mu, sigma in (("sure", 1800, 30), ("unsure", 1800, 350), ("other", 1500, 30)):
        ladder.adjust(SetRating(player=name, mu=mu, sigma=sigma))
    assert 0.5 < ladder.expected_score("unsure", "other") < ladder.expected_score("sure", "other")


def test_time_away_makes_predictions_careful() -> None:
    ladder = Ladder(Glicko(periods_per_day=1.0))
    for _ in range(10):
        ladder.record_match("ann", "bob", time=START)
    soon = ladder.expected_score("ann", "bob", at=START)
    assert 0.5 < ladder.expected_score("ann", "bob", at=START + 1000 * DAY) < soon


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
@given(names=sides, size=st.integers(2, 8))
def test_rank_probabilities_sum_to_one_both_ways(system: RatingSystem, names: list[str], size: int) -> None:
    chances = some_season(system).rank_probabilities(names[:size])
    assert chances.players == tuple(names[:size])
    assert chances.matrix.shape == (size, size)
    assert chances.matrix.min() >= 0
    assert chances.matrix.sum(axis=1) == pytest.approx(np.ones(size), abs=1e-9)
    assert chances.matrix.sum(axis=0) == pytest.approx(np.ones(size), abs=1e-9)
    assert chances.expected_rank.sum() == pytest.approx(size * (size + 1) / 2)
    assert chances.top(size) == pytest.approx(np.ones(size))
    assert np.all((chances.tied >= 0) & (chances.tied <= 1))


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_two_players_race_as_they_play(system: RatingSystem) -> None:
    ladder = some_season(system)
    for a, b in itertools.combinations(["ann", "bob", "dan", "new"], 2):
        won = ladder.expected_score(a, b, at=START + 60 * DAY)
        chances = ladder.rank_probabilities([a, b], at=START + 60 * DAY)
        assert chances.matrix.tolist() == [[won, 1 - won], [1 - won, won]]


@pytest.mark.parametrize("system", [*SYSTEMS, EloMMR(), EloMMX()], ids=repr)
def test_every_way_to_ask_about_a_free_for_all_agrees(system: RatingSystem) -> None:
    ladder = Ladder(system)
    ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3}, time=START)
    names = ["cat", "new", "ann", "bob"]
    for field in (names, names[:2]):
        chances = ladder.rank_probabilities(field, at=START + 9 * DAY)
        ranks = ladder.expected_ranks(field, at=START + 9 * DAY)
        assert ranks == pytest.approx(chances.expected_rank, abs=1e-9)
        for k in range(1, 6):
            top = ladder.top_chances(field, k, at=START + 9 * DAY)
            assert top == pytest.approx(chances.top(k), abs=1e-10)


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_teams_race(system: RatingSystem) -> None:
    ladder = some_season(system)
    teams = [["ann", "bob"], ["cat"], "dan", ["new", "newer", "newest"]]
    chances = ladder.rank_probabilities(teams)
    assert chances.players == (("ann", "bob"), "cat", "dan", ("new", "newer", "newest"))
    assert chances.matrix.sum(axis=0) == pytest.approx(np.ones(4), abs=1e-9)
    assert ladder.expected_ranks(teams) == pytest.approx(chances.expected_rank, abs=1e-9)
    assert ladder.top_chances(teams, 2) == pytest.approx(chances.top(2), abs=1e-10)
    won = ladder.expected_score(teams[0], teams[3])
    assert ladder.rank_probabilities([teams[0], teams[3]]).matrix[0].tolist() == [won, 1 - won]


def test_a_system_without_teams_refuses_them() -> None:
    ladder = Ladder("topcoder")
    for ask in (ladder.rank_probabilities, ladder.expected_ranks):
        with pytest.raises(UnsupportedError, match="topcoder cannot use teams"):
            ask([["ann", "bob"], ["cat"], ["dan"]])


def test_noise_that_depends_on_the_size_of_a_side_is_used() -> None:
    """A team of four whose noise averages out is surer to come in behind somebody better."""

    class Averaging(Elo):
        def performance_spread(self, sigma: Any, noise: Any) -> Any:
            family, scale = super().performance_spread(sigma, noise)
            return family, scale / np.sqrt(noise)

    chances = []
    for system in (Elo(), Averaging()):
        ladder = Ladder(system)
        ladder.adjust(SetRating(player="best", mu=1800))
        chances.append(ladder.top_chances([["a", "b", "c", "d"], "best", "e"], 1)[0])
    assert chances[1] < 0.7 * chances[0]


def test_a_whole_ladder_races() -> None:
    ladder = Ladder(Elo())
    for i in range(40):
        ladder.record_match(f"player {i}", f"player {(7 * i + 3) % 40}")
    everybody = ladder.leaderboard()["player"]
    ranks = ladder.expected_ranks(everybody)
    assert (np.diff(ranks) > -1e-9).all()
    assert ranks.mean() == pytest.approx(20.5)
    assert ladder.top_chances(everybody, 1).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("system", "tolerance"),
    [(Elo(), 1e-9), (Elo(scale=200), 1e-9), (Glicko(), 0.015), (Glicko2(), 0.015)],
    ids=["elo", "elo-200", "glicko", "glicko2"],
)
def test_somebody_hopeless_leaves_two_players_to_race(system: RatingSystem, tolerance: float) -> None:
    """Exactly for Elo's logistic; Gumbels of unequal width come within 1.5 percent of Glicko's curve."""
    ladder = Ladder(system)
    for name, mu, sigma in (
        ("ann", 1600, 50),
        ("bob", 1500, 300),
        ("cat", 1500, 50),
        ("hopeless", -9000, 50),
    ):
        ladder.adjust(SetRating(player=name, mu=mu, sigma=sigma))
    for a, b in itertools.permutations(["ann", "bob", "cat"], 2):
        chances = ladder.rank_probabilities([a, b, "hopeless"])
        assert chances.matrix[0, 0] == pytest.approx(ladder.expected_score(a, b), abs=tolerance)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "system", [Elo(), Glicko(), Elo(curve="linear")], ids=["gumbel", "gumbel-with-deviations", "normal"]
)
def test_rank_probabilities_against_a_simulation(system: RatingSystem) -> None:
    """400,000 races: the standard error of a frequency is below 0.0008, so five of them are 0.004."""
    ladder = Ladder(system)
    for i, name in enumerate(NAMES):
        ladder.adjust(SetRating(player=name, mu=1350 + 90.0 * i, sigma=40 + 50.0 * i))
    mu = np.array([ladder.rating(name).mu for name in NAMES])
    sigma = np.array([ladder.rating(name).sigma or 0.0 for name in NAMES])
    family, scale = system.performance_spread(
        sigma if system.has_sigma else None, np.ones(len(NAMES), np.int64)
    )
    chance = np.random.default_rng(5)
    noise = chance.gumbel if family == "gumbel" else chance.normal
    middle = -np.log(np.log(2)) if family == "gumbel" else 0.0
    races = mu + scale * (noise(size=(400_000, len(NAMES))) - middle)
    by_coin = chance.random(len(races)) < system.coin
    races[by_coin] = chance.random((by_coin.sum(), len(NAMES)))
    place = (-races).argsort(axis=1).argsort(axis=1)
    frequency = np.stack(
        [np.bincount(place[:, i], minlength=len(NAMES)) / len(races) for i in range(len(NAMES))]
    )
    found = ladder.rank_probabilities(NAMES)
    assert np.abs(found.matrix - frequency).max() < 0.004
    assert np.abs(found.expected_rank - (place.mean(axis=0) + 1)).max() < 0.01


def test_who_plays_only_a_part_counts_for_less() -> None:
    for system in (TrueSkill(draw_rate=0.1), WengLin()):
        ladder = Ladder(system)
        ladder.adjust(SetRating(player="ace", mu=40.0, sigma=1.0))
        whole, half = (ladder.expected_score(["ace"], ["bob"], play={"ace": p}) for p in (1.0, 0.5))
        assert whole == ladder.expected_score(["ace"], ["bob"])
        assert half < whole
        chances = ladder.outcomes(["ace"], ["bob"], play={"ace": 0.5})
        assert chances.win + chances.draw + chances.loss == pytest.approx(1.0)
    with pytest.raises(UnsupportedError, match="elo cannot use players who took part in less"):
        Ladder(Elo()).expected_score("ann", "bob", play={"ann": 0.5})


@pytest.mark.parametrize("system", [TrueSkill(), WengLin(), EloMMX(), EloMMX(team="sum"), Elo(), Glicko(c=0)])
def test_explaining_a_team_expects_what_the_ladder_expects(system: RatingSystem) -> None:
    teams = [["a", "b", "c"], ["d", "e", "f"]]
    before = {"teams": teams, "ranks": [1, 2], "name": "first"}
    play = {"play": {"b": 0.3}} if system.supports.play else {}
    second = {"teams": teams, "ranks": [2, 1], "name": "second"} | play
    run = rate(History.from_events([before, second]), system, trace=True)
    ladder = Ladder(system)
    ladder.record(**before)
    assert run.explain("a", event="second").expected_score == pytest.approx(
        ladder.expected_score(*teams, **play), abs=1e-12
    )


def test_somebody_who_cannot_win_changes_nothing_between_two_others() -> None:
    ladder = Ladder(WengLin())
    for name, mu, sigma in (("a", 30.0, 1.0), ("b", 25.0, 1.0), ("c", -500.0, 30.0)):
        ladder.adjust(SetRating(player=name, mu=mu, sigma=sigma))
    first = ladder.top_chances(["a", "b", "c"], 1)
    assert first[0] == pytest.approx(ladder.expected_score("a", "b"), abs=1e-5)
