"""A population in rounds: the same as a slow simulation, errors as defined, ratings that find the truth."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from naive import live
from naive import matchmaking as naive
from podium import Elo, Glicko, ParameterError, TrueSkill, Yuksel, register_system
from podium.matchmaking.policies.targets import WinRateTarget
from podium.named import temporary_registrations
from podium.simulation.arena import Arena, draw_scores
from podium.simulation.populations import gaussian_skills
from podium.studies.live_game.matchers import MATCHERS, PaperMatcher
from podium.studies.live_game.rounds import play_rounds

SKILL = gaussian_skills(20, deviation=300, seed=5)


@pytest.mark.parametrize("shuffle, games", [(0.2, 5), (0.0, 3), (1.0, 5)])
def test_rounds_are_those_of_a_slow_simulation(shuffle: float, games: int) -> None:
    rounds = 30
    run = play_rounds(
        Elo(k=24),
        SKILL,
        rounds,
        shuffle=shuffle,
        target=WinRateTarget(games=games),
        keep=range(1, rounds + 1),
        seed=9,
    )
    slow = list(naive.elo_rounds(SKILL.tolist(), rounds, round(20 * shuffle), games, 24.0, 9))
    assert run.rating == pytest.approx(np.array(slow), abs=1e-8)


def test_errors_are_what_they_say() -> None:
    skill = [1000.0, 1500.0, 2300.0]
    run = play_rounds(Elo(k=100), skill, 7, shuffle=None, keep=range(1, 8), seed=2)
    for i, rating in enumerate(run.rating.tolist()):
        error = [mine - true for mine, true in zip(rating, skill, strict=True)]
        mean = sum(error) / 3
        assert run.shift[i] == pytest.approx(mean)
        assert run.rmse[i] == pytest.approx((sum((e - mean) ** 2 for e in error) / 3) ** 0.5)
        assert run.raw_rmse[i] == pytest.approx((sum(e**2 for e in error) / 3) ** 0.5)
        assert run.spread[i] == pytest.approx(np.polyfit(skill, rating, 1)[0])


def test_win_rates_count_the_games_played() -> None:
    """Of three one sits out: rates are of the games a player had; who wins always has all of them."""
    run = play_rounds(Elo(), [0.0, 100_000.0, -100_000.0], 40, keep=[1], seed=4)
    assert run.kept.tolist() == [1, 40]
    assert np.isnan(run.win_rate[0]).sum() == 1
    assert run.win_rate[1][1:].tolist() == [1.0, 0.0]
    assert 0.0 < run.win_rate[1][0] < 1.0


@pytest.mark.parametrize(
    "system",
    [Elo(k=24), Glicko(c=0), TrueSkill(mu=1500, sigma=350, beta=220, tau=5), Yuksel(forgetting="stable")],
    ids=lambda s: s.name,
)
@pytest.mark.parametrize("shuffle", [0.3, None])
def test_every_system_finds_a_population(system: Elo, shuffle: float | None) -> None:
    skill = gaussian_skills(60, deviation=300, seed=1)
    run = play_rounds(system, skill, 300, shuffle=shuffle, seed=1)
    assert run.rmse[-1] < 0.5 * skill.std()
    assert np.corrcoef(run.rating[-1], skill)[0, 1] > 0.9


def test_wanted_opponents_bring_win_rates_to_a_half() -> None:
    skill = gaussian_skills(100, seed=3)
    matched = play_rounds(Elo(k=48), skill, 300, shuffle=0.05, seed=3)
    anybody = play_rounds(Elo(k=48), skill, 300, shuffle=None, seed=3)
    assert np.abs(matched.win_rate - 0.5).mean() < 0.3 * np.abs(anybody.win_rate - 0.5).mean()


def test_streaks_rematches_and_gaps_are_those_of_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are listened to as they are drawn, and counted by hand."""
    drawn: list[tuple[list[int], list[int], list[float]]] = []
    history = Arena.history

    def listening(
        arena: Arena, number: int, first: np.ndarray, second: np.ndarray, score: np.ndarray
    ) -> object:
        drawn.append((first.tolist(), second.tolist(), score.tolist()))
        return history(arena, number, first, second, score)

    monkeypatch.setattr(Arena, "history", listening)
    run = play_rounds(Elo(k=24), SKILL[:9], 60, streaks_since=11, keep=range(1, 60), seed=2)
    results: list[list[bool]] = [[] for _ in range(9)]
    scores: list[list[Fraction]] = [[] for _ in range(9)]
    last: dict[int, int] = {}
    for number, (first, second, score) in enumerate(drawn):
        meeting = dict(zip(first + second, second + first, strict=True))
        again = sum(last.get(player) == opponent for player, opponent in meeting.items())
        assert run.rematches[number] == again / len(meeting)
        last = meeting
        rating = run.rating[number - 1].tolist() if number else [1500.0] * 9
        off = [
            abs(
                float(naive.wanted_chance(scores[a], 5, Fraction(1, 2)))
                - naive.elo_chance(rating[a], rating[b])
            )
            for a, b in meeting.items()
        ]
        assert run.gap[number] == pytest.approx(sum(off) / len(off), abs=1e-9)
        for player, won in zip(first + second, score + [1 - x for x in score], strict=True):
            results[player] += [won == 1] * (number >= 10)
            scores[player].append(Fraction(int(won)))
    assert any(len(of) < 50 for of in results)  # one of nine sits out
    for won, counts, longest in (
        (True, run.streaks.won, run.streaks.longest_won),
        (False, run.streaks.lost, run.streaks.longest_lost),
    ):
        lengths = [live.streak_lengths(of)[won] for of in results]
        total = Counter(length for of in lengths for length in of)
        assert counts.tolist() == [total[length] for length in range(len(counts))]
        assert longest.tolist() == [max(of, default=0) for of in lengths]


def test_a_matcher_by_name_or_as_it_is() -> None:
    usual = play_rounds(Glicko(), SKILL, 15, shuffle=0.05, seed=1)
    anybody = play_rounds(Glicko(), SKILL, 15, shuffle=None, seed=1)
    for matcher, same in (
        ("paper", usual),
        (PaperMatcher(), usual),
        ("random", anybody),
    ):
        run = play_rounds(Glicko(), SKILL, 15, matcher=matcher, shuffle=0.4, seed=1)
        assert np.array_equal(run.rating, same.rating)
        assert run.matcher == same.matcher
    names = [play_rounds(Elo(), SKILL, 3, matcher=name).matcher.name for name in MATCHERS]
    assert names == list(MATCHERS)


def test_nearest_meet_again_and_again() -> None:
    """Without a shuffle, neighbours whose ratings hardly move any more stay neighbours."""
    again = {
        matcher: play_rounds(Glicko(c=0), SKILL, 300, matcher=matcher, seed=1).rematches[200:].mean()
        for matcher in ("nearest", "paper", "random")
    }
    assert again["nearest"] > 0.8
    assert again["paper"] < 0.5
    assert again["random"] == pytest.approx(1 / 19, abs=0.03)


def test_a_seed_gives_the_same_rounds() -> None:
    one, same, other = (play_rounds(Glicko(), SKILL, 20, seed=s) for s in (1, 1, 2))
    assert np.array_equal(one.rating, same.rating)
    assert np.array_equal(one.rmse, same.rmse)
    assert not np.array_equal(one.rating, other.rating)


def test_time_between_rounds_widens_beliefs() -> None:
    """Each event is a period for Glicko; with 50 more of them a day ratings move further in a game."""
    system = Glicko(c=10.0, periods_per_day=50.0)
    still, moving = (play_rounds(system, SKILL, 200, interval=i, keep=[199], seed=1) for i in (None, "1d"))
    assert np.abs(np.diff(moving.rating, axis=0)).mean() > 2 * np.abs(np.diff(still.rating, axis=0)).mean()


def test_progress_counts_rows() -> None:
    seen: list[int] = []
    play_rounds(Elo(), SKILL[:5], 3, progress=seen.append)
    assert seen == [4, 4, 4]


def test_tables() -> None:
    run = play_rounds(Elo(), SKILL, 6, keep=[2])
    frame, players = run.to_frame(), run.players_frame()
    assert frame["round"].to_list() == [1, 2, 3, 4, 5, 6]
    assert frame["rmse"].to_list() == run.rmse.tolist()
    assert frame["rematches"].to_list() == run.rematches.tolist()
    assert players.height == 40
    second = players.filter(round=6)
    assert second["rating"].to_list() == run.rating[1].tolist()
    assert second["skill"].to_list() == SKILL.tolist()


def test_a_system_of_ones_own_can_play() -> None:
    class Doubled(Elo):
        name = "doubled"

        def win_probability(self, *given: object, **named: object) -> np.ndarray:
            return super().win_probability(*given, **named)

    with temporary_registrations():
        register_system(Doubled)
        mine, elo = play_rounds(Doubled(k=20), SKILL, 5, seed=1), play_rounds(Elo(k=20), SKILL, 5, seed=1)
    assert np.array_equal(mine.rating, elo.rating)


def test_results_follow_elos_formula() -> None:
    n = 200_000
    score = draw_scores(np.full(n, 1700.0), np.full(n, 1500.0), np.random.default_rng(1))
    assert set(score.tolist()) == {0.0, 1.0}
    assert score.mean() == pytest.approx(naive.elo_chance(1700, 1500), abs=4 * 0.5 / np.sqrt(n))


def test_a_round_as_a_history() -> None:
    arena = Arena(4, "2d")
    history = arena.history(3, np.array([0, 2]), np.array([1, 3]), np.array([0.0, 0.5]), second_is_known=True)
    assert [history.event(e).ranks for e in (0, 1)] == [(2, 1), (1, 1)]
    assert history.event(0).unrated == {"1"}
    assert [history.event_name(e) for e in (0, 1)] == ["7", "8"]
    assert history.summary().start == history.summary().end == datetime(2020, 1, 12, tzinfo=UTC)


def test_true_ratings_are_in_the_papers_range() -> None:
    skill = gaussian_skills(100_000, seed=2)
    assert skill.mean() == pytest.approx(1500, abs=1e-6)
    assert np.abs(skill - 1500).max() < 1510  # cut off at 1500, then shifted by a few points
    # A normal distribution cut off at 2.5 deviations: 1 − 2·2.5 φ(2.5)/(2Φ(2.5) − 1) of the variance is left.
    phi, inside = np.exp(-(2.5**2) / 2) / np.sqrt(2 * np.pi), 0.987580669348448
    assert skill.std() == pytest.approx(600 * np.sqrt(1 - 5 * phi / inside), rel=0.01)
    assert np.array_equal(gaussian_skills(50, seed=2), gaussian_skills(50, seed=2))


def test_even_ratings_are_the_quantiles_of_the_distribution() -> None:
    """Between two of a thousand lies a thousandth of a normal distribution cut off at 2.5 deviations."""
    skill = gaussian_skills(1_000, even=True)
    normal = NormalDist(1500, 600)
    tail = normal.cdf(0)
    share = (np.array([normal.cdf(x) for x in skill]) - tail) / (1 - 2 * tail)
    assert share == pytest.approx((np.arange(1_000) + 0.5) / 1_000, abs=1e-9)
    assert skill == pytest.approx(3000 - skill[::-1])


@pytest.mark.parametrize(
    "wrong",
    [
        {"skill": [1500.0]},
        {"skill": [1500.0, float("nan")]},
        {"skill": [[1.0, 2.0]]},
        {"rounds": 0},
        {"shuffle": -0.1},
        {"shuffle": 1.1},
        {"keep": [0]},
        {"keep": [9]},
        {"interval": "0d"},
        {"reach": "behind"},
        {"streaks_since": 0},
        {"matcher": "closest"},
    ],
)
def test_refusals(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        play_rounds(Elo(), **{"skill": SKILL, "rounds": 8, **wrong})
    with pytest.raises(ParameterError):
        gaussian_skills(0)
