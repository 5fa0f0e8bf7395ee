"""Simulated seasons: the draws of slow twins, rates as asked for, and pieces that do not matter."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from naive import simulating as naive
from podium import History, ParameterError, PodiumError, WinCurve, read_history
from podium.history.times import to_micros
from podium.simulation import (
    Contests,
    Matches,
    People,
    Scatter,
    Simulation,
    Teams,
    simulate_contests,
    simulate_matches,
    simulate_teams,
)
from podium.simulation.match_season import round_robin
from podium.simulation.people import Crowd, practised
from podium.simulation.populations import synthetic_contests
from podium.simulation.season import FIRST_DAY
from podium.systems.luck import LuckFunction

STILL = People(players=60, drift=0.0)
MANY = replace(STILL, players=2_000)
LIVELY = People(players=90, growth=100, churn=0.1, newcomers=0.01, activity=1.0)
"""Everything that can happen to people does."""
GROWING = replace(STILL, newcomers=0.01)
ROUND_ROBIN = Matches(pairing="round-robin")
SEASONS = {
    "contests": Simulation(LIVELY, Contests(contests=30, participants=20, uneven=0.5, unfinished=0.1), 3),
    "matches": Simulation(LIVELY, Matches(matches=400, draw_rate=0.3, home_advantage=30.0), 3),
    "teams": Simulation(LIVELY, Teams(matches=60, teams=3, size=4, smallest=1, rounding=300), 3),
    "fixed": Simulation(People(players=60), Teams(matches=40, size=3, lineups="fixed"), 3),
}


def assert_share(hits: Any, chance: float) -> None:
    """So many of them, within five standard errors of what chance allows."""
    hits = np.asarray(hits)
    assert abs(hits.mean() - chance) < 5.0 * math.sqrt(max(chance * (1 - chance), 1e-6) / len(hits))


# ------------------------------------------------------------------ twins


@pytest.mark.parametrize(("sizes", "drift", "seed"), [((20, 6, 9), 35.0, 0), ((7, 9, 7), 120.0, 5)])
def test_contests_are_the_twins(sizes: tuple[int, int, int], drift: float, seed: int) -> None:
    twin = [row for contest in naive.contests(*sizes, drift, seed) for row in contest]
    history, skill = synthetic_contests(*sizes, drift=drift, seed=seed)
    assert list(zip(history.player.tolist(), history.rank.tolist(), skill.tolist(), strict=True)) == twin


@pytest.mark.parametrize(("beta", "draw_rate", "home"), [(1.0, 0.0, 0.0), (0.7, 0.25, 80.0)])
def test_matches_are_the_twins(beta: float, draw_rate: float, home: float) -> None:
    given: dict[str, Any] = {"beta": beta, "draw_rate": draw_rate, "home_advantage": home}
    twin = naive.matches(30, 500, 9, drift=20.0, seed=2, **given)
    simulation = simulate_matches(
        People(players=30, drift=20), Matches(matches=500, turnout=0.6, **given), seed=2
    )
    history = simulation.history()
    score = (1.0 + np.sign(history.rank[1::2] - history.rank[::2])) / 2.0
    found = list(
        zip(history.player[::2].tolist(), history.player[1::2].tolist(), score.tolist(), strict=True)
    )
    assert found == [row[:3] for row in twin]
    assert simulation.truth["expected_score"][::2] == pytest.approx([row[3] for row in twin], abs=1e-12)
    assert history.home is None if not home else history.home.tolist() == history.player[::2].tolist()


def test_practice_is_the_twins() -> None:
    for talent, to_learn, played in ((1500.0, 200.0, 7), (1700.0, -50.0, 0), (900.0, 80.0, 300)):
        found = practised(np.array([talent]), np.array([to_learn]), np.array([played]), 50.0)
        assert found[0] == pytest.approx(naive.practised(talent, to_learn, played, 50.0))


def test_places_teams_and_ties_are_the_twins() -> None:
    """Performances say everything: what a team is worth, its place, and who ties within a step."""
    for lineups, strength, step in (("random", "sum", 200.0), ("balanced", "mean", 0.0)):
        season = Teams(matches=40, teams=3, size=4, strength=strength, lineups=lineups, rounding=step)
        simulation = simulate_teams(STILL, season, seed=1)
        history, performance = simulation.history(), simulation.truth["performance"].reshape(40, 3, 4)
        assert history.side is not None
        assert history.side.reshape(40, 3, 4)[0].tolist() == [[0] * 4, [1] * 4, [2] * 4]
        for worth, rank in zip(performance - 1500.0, history.rank.reshape(40, 3, 4), strict=True):
            result = worth.sum(axis=1) if strength == "sum" else worth.mean(axis=1)
            result = np.round(result / step) if step else result
            assert rank[:, 0].tolist() == naive.places(result.tolist())
            assert (rank == rank[:, :1]).all()
        assert history.tied.any() == (step > 0)
    for skills in simulation.truth["skill"].reshape(40, 3, 4):
        assert sorted(skills.tolist()) == sorted(naive.balanced(skills.ravel().tolist(), 3))


@pytest.mark.parametrize("teams", [2, 3])
def test_balanced_teams_win_alike_on_every_side(teams: int) -> None:
    """Who chooses first is better off: of two such teams it wins 82 of 100 matches."""
    season = Teams(matches=9_000, teams=teams, lineups="balanced", performance_deviation=50)
    won = (
        simulate_teams(replace(MANY, players=500), season, seed=1).history().rank[::5].reshape(-1, teams) == 1
    )
    for side in range(teams):
        assert_share(won[:, side], 1.0 / teams)


def test_teams_of_different_sizes() -> None:
    for strength in ("sum", "mean"):
        season = Teams(matches=200, size=5, smallest=2, strength=strength)
        simulation = simulate_teams(People(players=100), season, seed=4)
        history, performance = simulation.history(), simulation.truth["performance"]
        sizes = Counter()
        for event, start, stop in zip(history, history.offsets[:-1], history.offsets[1:], strict=True):
            ends = np.cumsum([len(side) for side in event.sides])[:-1]
            parts = np.split(performance[start:stop] - 1500.0, ends)
            results = [part.sum() if strength == "sum" else part.mean() for part in parts]
            assert list(event.ranks) == naive.places(results)
            sizes.update(len(part) for part in parts)
        assert set(sizes) == {2, 3, 4, 5}
        assert min(sizes.values()) > 60  # of 400 teams, a quarter each


def test_fixed_teams_stay_together() -> None:
    history = SEASONS["fixed"].history()
    members: dict[int, set[str]] = {}
    assert history.team is not None
    assert history.team_names is not None
    for number in range(len(history)):
        rows = slice(*history.offsets[number : number + 2])
        for side, team in zip(history.event(number).sides, history.team[rows][::3].tolist(), strict=True):
            assert members.setdefault(team, set(side)) == set(side)
    assert len(history.team_names) == 20
    assert len(members) > 15


# ------------------------------------------------------------------ distributions


@pytest.mark.parametrize(
    ("name", "beyond_two", "skewness"),
    [
        ("normal", math.erfc(math.sqrt(2.0)), 0.0),
        ("logistic", 2.0 / (1.0 + math.exp(2.0 * math.pi / math.sqrt(3.0))), 0.0),
        ("laplace", math.exp(-2.0 * math.sqrt(2.0)), 0.0),
        ("uniform", 0.0, 0.0),
        # P(X > x) = 1 − exp(−e^(−(x π/√6 + γ))), and below −2 there is nearly nothing.
        (
            "gumbel",
            1 - math.exp(-math.exp(-2 * math.pi / 6**0.5 - 0.5772156649))
            + math.exp(-math.exp(2 * math.pi / 6**0.5 - 0.5772156649)),
            1.1395,
        ),
        # t = 2 √(5/3) deviations of five degrees of freedom, from the closed form of its distribution.
        ("student(5)", None, 0.0),
        ("two-groups(4)", None, 0.0),
    ],
)  # fmt: skip
def test_scatters_have_the_deviation_one(name: str, beyond_two: float | None, skewness: float) -> None:
    drawn = Scatter.find(name).draw(np.random.default_rng(1), 400_000)
    kurtosis = {"student(5)": 9.0, "laplace": 6.0, "gumbel": 5.4}.get(name, 4.2)
    assert abs(drawn.mean()) < 5.0 / math.sqrt(len(drawn))
    assert abs(drawn.var() - 1.0) < 5.0 * math.sqrt((kurtosis - 1.0) / len(drawn))
    if name == "student(5)":
        theta = math.atan(2.0 / math.sqrt(3.0))
        sine, cosine = math.sin(theta), math.cos(theta)
        beyond_two = 1.0 - 2.0 / math.pi * (theta + sine * (cosine + 2.0 / 3.0 * cosine**3))
    if name == "two-groups(4)":  # each of width 1/√5, around ± 2/√5
        root = math.sqrt(5.0)
        beyond_two = 0.5 * (
            math.erfc((2 * root - 2) / math.sqrt(2)) + math.erfc((2 * root + 2) / math.sqrt(2))
        )
    else:
        assert (drawn**3).mean() == pytest.approx(skewness, abs=0.25)
    assert beyond_two is not None
    assert_share(np.abs(drawn) > 2.0, beyond_two)


def test_skills_have_the_deviation_asked_for() -> None:
    people = People(players=100_000, skills="two-groups(6)", skill_mean=1000, skill_deviation=200)
    skill = Crowd(people, 0).skill(np.arange(100_000))
    assert skill.mean() == pytest.approx(1000, abs=5 * 200 / 316)
    assert skill.std() == pytest.approx(200, rel=0.02)
    assert People(skills=Scatter.find("laplace")) == People(skills="laplace")


@pytest.mark.parametrize(
    "drawn", [np.full(60, np.nan), np.zeros(59), np.zeros((60, 1)), 0.0, np.full(60, "a"), [None] * 60]
)
def test_a_scatter_that_draws_nonsense_is_named(drawn: Any) -> None:
    broken = Scatter("broken", lambda chance, size: drawn)
    season = Contests(contests=1, participants=60)
    for people, contests in (
        (replace(STILL, skills=broken), season),
        (STILL, replace(season, performances=broken)),
    ):
        with pytest.raises(ParameterError, match="'broken' does not draw 60 finite numbers"):
            simulate_contests(people, contests).history()


# ------------------------------------------------------------------ people


def test_skills_drift_by_rounds_and_by_days() -> None:
    people = People(players=20_000, drift=30, daily_drift=20)
    crowd = Crowd(people, 1)
    before = crowd.skill(np.arange(20_000))
    for _ in range(4):
        crowd.pass_time(4.0)
    moved = crowd.skill(np.arange(20_000)) - before
    assert moved.std() == pytest.approx(math.sqrt(4 * (30**2 + 4 * 20**2)), rel=0.03)
    assert abs(moved.mean()) < 5 * 100 / math.sqrt(20_000)


def test_people_get_better_with_practice() -> None:
    people = People(players=4_000, drift=0, growth=300, growth_events=8)
    simulation = simulate_contests(people, Contests(contests=25, participants=4_000), seed=2)
    player, skill = simulation.history().player.reshape(25, -1), simulation.truth["skill"].reshape(25, -1)
    ordered = np.take_along_axis(skill, np.argsort(player, axis=1), axis=1)
    to_learn = (ordered[-1] - ordered[0]) / (1.0 - math.exp(-24 / 8))
    assert to_learn.min() >= 0.0  # a part of 300, any part
    assert to_learn.max() <= 300.0 + 1e-9
    assert to_learn.mean() == pytest.approx(150, abs=5 * 87 / math.sqrt(4_000))
    for number in (1, 7, 20):
        done = (ordered[number] - ordered[0]) / to_learn
        assert done == pytest.approx(1.0 - math.exp(-number / 8))


def test_people_stop_and_others_come() -> None:
    people = People(players=2_000, churn=0.1, growth=100.0)
    season = Contests(contests=80, participants=2_000)
    history = simulate_contests(people, season, seed=1).history()
    came = len(history.players) - 2_000
    assert_share(np.arange(history.rows) < came, 0.1)  # one for each who stopped
    # Whoever came early enough plays 1/0.1 times on average, and without a break.
    events = np.bincount(history.player)[2_000:3_000]
    assert events.mean() == pytest.approx(10, abs=5 * 9.5 / math.sqrt(1_000))
    for player in (2_000, 2_500, 2_999):
        assert set(np.diff(np.flatnonzero(history.player == player) // 2_000)) <= {1}
    crowd = Crowd(replace(people, skill_deviation=0.0), 1)
    crowd.play(np.arange(2_000))
    new = np.flatnonzero(crowd.player >= 2_000)
    assert len(crowd) == 2_000
    assert_share(crowd.player >= 2_000, 0.1)
    assert (crowd.skill(new) == 1400.0).all()  # with everything to learn


def test_people_stop_and_nobody_comes() -> None:
    people = replace(STILL, churn=0.5, replaced=0.0)
    simulation = simulate_contests(people, Contests(contests=1_000, participants=60), seed=3)
    sizes = simulation.history().sizes
    assert sizes[0] == 60
    assert (np.diff(sizes) <= 0).all()
    assert 2 <= len(sizes) < 30  # it ends when nobody is left to play
    assert next(len(piece) for piece in simulation.chunks(rows=70)) == 1


def test_newcomers_arrive() -> None:
    people = People(players=1_000, newcomers=0.02, growth=50.0, activity=0.5)
    crowd = Crowd(people, 1)
    for _ in range(100):
        crowd.pass_time(7.0)
    assert len(crowd) == len(crowd.names) == crowd.player.max() + 1
    assert len(crowd) - 1_000 == pytest.approx(2_000, abs=5 * math.sqrt(2_000))
    assert crowd.names[2_500] == "p02500"


def test_some_play_more_often() -> None:
    """Drawn one after another by weight: the first draw is proportional to it."""
    crowd = Crowd(People(players=5, activity=1.0), 4)
    assert crowd._weight is not None
    drawn = np.array([crowd.draw(2) for _ in range(20_000)])
    p = crowd._weight / crowd._weight.sum()
    for one in range(5):
        others = [other for other in range(5) if other != one]
        assert_share((drawn == one).any(axis=1), p[one] + sum(p[k] * p[one] / (1 - p[k]) for k in others))
        assert_share(drawn[(drawn == one).any(axis=1)][:, 0] == one, 0.5)  # in no order
    events = np.bincount(
        simulate_contests(
            People(players=1_000, activity=2.0), Contests(contests=100, participants=200)
        ).history().player
    )  # fmt: skip
    assert events.max() == 100  # somebody plays always
    assert np.median(events) < 15  # and most rarely


# ------------------------------------------------------------------ contests and matches


def test_contests_vary_tie_and_stay_unfinished() -> None:
    season = Contests(contests=3_000, participants=50, uneven=0.4, at_once=10, unfinished=0.2, rounding=50)
    simulation = simulate_contests(People(players=2_000), season, seed=1)
    history, performance = simulation.history(), simulation.truth["performance"]
    assert history.sizes.mean() == pytest.approx(50, abs=5 * 21 / math.sqrt(3_000))
    assert np.log(history.sizes).std() == pytest.approx(0.4, rel=0.05)
    out = np.isnan(performance)
    assert_share(out, 0.2)
    for number in range(0, 3_000, 200):
        rows = slice(*history.offsets[number : number + 2])
        result = np.where(out[rows], -np.inf, np.round(performance[rows] / 50.0))
        assert history.rank[rows].tolist() == naive.places(result.tolist())
        assert len(set(history.player[rows])) == history.sizes[number]
    # Ten contests a week, spread over it, and nobody in two of them.
    first = history[:10]
    assert len(set(first.player.tolist())) == first.rows
    assert np.diff(history.time[[0, 1, 10]]).tolist() == [60_480 * 10**6, 9 * 60_480 * 10**6]


def test_a_coin_decides_the_rest() -> None:
    """Whoever is better wins, but for a part 1 − β of coins: the better of the two wins (1 + β)/2."""
    for beta in (0.8, 0.5):
        simulation = simulate_matches(MANY, Matches(matches=40_000, luck="heaviside", beta=beta), seed=2)
        better = simulation.truth["skill"][::2] > simulation.truth["skill"][1::2]
        won = simulation.history().rank[::2] == 1
        assert_share(better == won, (1.0 + beta) / 2.0)


def test_equals_draw_and_the_home_side_wins_more() -> None:
    equals = replace(MANY, skill_deviation=0.0)
    history = simulate_matches(equals, Matches(matches=40_000, draw_rate=0.3)).history()
    assert_share(history.tied[::2], 0.3)
    simulation = simulate_matches(equals, Matches(matches=40_000, home_advantage=100, scale=200))
    assert_share(simulation.history().rank[::2] == 1, 1.0 / (1.0 + 10.0**-0.5))


def test_luck_is_any_function() -> None:
    people, flat = replace(MANY, skill_mean=0.0), LuckFunction("flat", lambda x, y: 0.9)
    won = simulate_matches(people, Matches(matches=20_000, luck=flat)).history().rank[::2] == 1
    assert_share(won, 0.9)
    curve = WinCurve.find("normal(1)")
    expected = Matches(luck=curve, scale=math.log(10)).expected_scores(np.ones(1), np.zeros(1), 0.0)
    assert expected[0] == pytest.approx(0.5 * math.erfc(-math.sqrt(0.5)))
    assert Matches(luck="normal(1)", scale=math.log(10)).expected_scores(
        np.ones(1), np.zeros(1), 0.0
    ) == pytest.approx(expected)
    broken = LuckFunction("broken", lambda x, y: x - y)
    with pytest.raises(ParameterError, match="not between 0 and 1"):
        simulate_matches(people, Matches(luck=broken)).history()


def test_neighbours_meet() -> None:
    gaps = {}
    for nearness in (0.0, 100.0, 1e5):
        season = Matches(matches=20_000, pairing="near", nearness=nearness, turnout=1.0)
        simulation = simulate_matches(replace(STILL, players=400), season, seed=1)
        first, second = (simulation.truth["skill"][side::2] for side in (0, 1))
        gaps[nearness] = np.abs(first - second).mean()
        assert_share(first > second, 0.5)  # nobody is at home for being better
    assert gaps[0.0] < 15.0
    # Two skills given that blurred ones are equal differ by a normal variable of variance 2 s² b²/(s² + b²).
    skills = np.unique(simulation.truth["skill"])
    expected = 2.0 / math.sqrt(math.pi) * 100 * skills.std() / math.hypot(100, skills.std())
    assert gaps[100.0] == pytest.approx(expected, rel=0.1)
    anybody = np.abs(skills[:, np.newaxis] - skills).sum() / (400 * 399)
    assert gaps[1e5] == pytest.approx(anybody, rel=0.03)


@pytest.mark.parametrize("players", [2, 7, 10])
def test_everybody_meets_everybody(players: int) -> None:
    rounds = players - 1 + players % 2
    met: Counter[tuple[int, int]] = Counter()
    for number in range(2 * rounds):
        first, second = round_robin(players, number)
        assert len({*first.tolist(), *second.tolist()}) == 2 * (players // 2)
        met.update(zip(first.tolist(), second.tolist(), strict=True))
    assert met == Counter(itertools.permutations(range(players), 2))  # once at home and once away
    at_home = Counter(p for number in range(rounds) for p in round_robin(players, number)[0].tolist())
    assert max(at_home.values()) - min(at_home[p] for p in range(players)) <= 1


# ------------------------------------------------------------------ pieces and files


@pytest.mark.parametrize("name", SEASONS)
def test_pieces_do_not_matter(name: str) -> None:
    simulation = SEASONS[name]
    whole, truth = simulation.history(), simulation.truth
    assert len(whole) == simulation.season.total
    for rows in (1, 37, 10_000):
        pieces = list(simulation.pieces(rows))
        assert all(piece.history.rows <= rows or len(piece.history) == 1 for piece in pieces)
        assert [piece.history.first_number for piece in pieces] == [
            1 + sum(len(before.history) for before in pieces[:i]) for i in range(len(pieces))
        ]
        joined = History.concat(piece.history for piece in pieces)
        assert joined.to_frame().equals(whole.to_frame())
        for column, values in truth.items():
            parts = np.concatenate([piece.truth[column] for piece in pieces])
            assert np.array_equal(parts, values, equal_nan=True)
    assert replace(simulation, seed=4).history().player.tolist() != whole.player.tolist()


@pytest.mark.parametrize("name", SEASONS)
@pytest.mark.parametrize("kind", ["csv", "ndjson.gz", "parquet"])
def test_files_are_read_back(name: str, kind: str, tmp_path: Path) -> None:
    simulation, path = SEASONS[name], tmp_path / f"season.{kind}"
    steps: list[int] = []
    summary = simulation.write(path, truth=True, rows=100, progress=steps.append)
    whole = simulation.history()
    assert summary == whole.summary()
    assert sum(steps) == len(whole)
    read = read_history(path)
    shape = simulation.season.shape
    assert read.to_frame(shape).equals(whole.to_frame(shape))
    if kind == "parquet":
        frame = pl.read_parquet(path)
        skill = "skill_a" if shape == "matches" else "skill"
        expected = simulation.truth["skill"][:: 2 if shape == "matches" else 1]
        assert frame[skill].to_list() == expected.tolist()
        simulation.write(path)
        assert not {"skill", "skill_a"} & set(pl.read_parquet(path).columns)


def test_an_interrupted_file_is_not_there(tmp_path: Path) -> None:
    def stop(events: int) -> None:
        raise KeyboardInterrupt

    for kind in ("csv.zst", "parquet"):
        with pytest.raises(KeyboardInterrupt):
            SEASONS["matches"].write(tmp_path / f"season.{kind}", rows=50, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_times_of_a_very_long_interval_rise() -> None:
    """An interval in microseconds, 300 times over, is beyond 64 bits."""
    season = Matches(matches=500, turnout=1.0, interval="1000000d")
    time = simulate_matches(replace(STILL, players=600), season).history().time
    steps = [to_micros(FIRST_DAY) + (10**6 * 86_400 * i // 300) * 10**6 for i in range(300)]
    assert time[:300].tolist() == steps
    assert (np.diff(time) > 0).all()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: People(players=1), "two or more"),
        (lambda: People(players=10.5), "a whole number"),
        (lambda: People(drift=math.nan), "drift is nan"),
        (lambda: People(churn=2), "a part, from 0 to 1"),
        (lambda: People(skills="student(2)"), "has no deviation"),
        (
            lambda: People(skills="normall"),
            "people: skills: there is no Scatter 'normall'\n  hint: did you mean 'normal'? there are",
        ),
        (lambda: People(skills=3), "one of normal, logistic"),
        (lambda: Contests(interval="soon"), "interval: 'soon' is not a duration"),
        (lambda: Contests(interval=f"1{'0' * 400}d"), "is not a duration"),
        (lambda: Contests(interval=7), "contests: interval is text, not 7"),
        (lambda: Contests(start="soon"), "start: 'soon' is not a time"),
        (lambda: Contests(start=None), "contests: start is text, not None"),
        (lambda: Contests(performances="student(x)"), "is not a number"),
        (lambda: simulate_contests(STILL), "contests of 2500 among 60"),
        (lambda: Matches(pairing="nearest"), "did you mean 'near'"),
        (
            lambda: Matches(luck="logistik"),
            "luck: there is no LuckFunction 'logistik'\n  hint: did you mean 'logistic'",
        ),
        (lambda: simulate_contests(STILL, Contests(participants=30, at_once=3)), "3 contests at once of 30"),
        *(
            (
                lambda more=more: simulate_matches(replace(STILL, **more), ROUND_ROBIN),
                "a round-robin of players",
            )
            for more in ({"activity": 1.0}, {"newcomers": 0.1}, {"churn": 0.1, "replaced": 0.9})
        ),
        (lambda: simulate_matches(Matches()), "the people given is a Matches"),
        (lambda: simulate_matches(None, Contests()), "a season of Matches is asked for, and a Contests"),
        (lambda: Simulation(STILL, None), "the season given is a NoneType"),
        (lambda: Teams(smallest=6), "at most size"),
        (lambda: Teams(smallest=2, lineups="balanced"), "random lineups"),
        (lambda: simulate_teams(People(players=9)), "2 teams of 5 among 9"),
        (lambda: simulate_teams(LIVELY, Teams(lineups="fixed")), "who come and go"),
        (lambda: Simulation(STILL, Matches(), -1), "seed is -1"),
        (lambda: simulate_matches(None, Matches(interval="300000d")), "after 9 rounds of 300000d each"),
        (lambda: simulate_contests(STILL, Contests(participants=9, interval="90000d")), "after 31 rounds of"),
        (lambda: simulate_matches(GROWING, Matches(interval="300000d")).history(), "no more years"),
        (lambda: next(simulate_matches().pieces(0)), "at least one row"),
    ],
)
def test_refusals(make: Any, why: str) -> None:
    with pytest.raises(PodiumError) as caught:
        make()
    assert why in str(caught.value)
