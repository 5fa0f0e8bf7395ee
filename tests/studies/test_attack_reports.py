"""Attacks searched for, and what reports say of them and of those written down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from conftest import COMPILED
from naive import attacks as naive
from naive import topcoder as naive_topcoder
from podium import (
    Elo,
    EloMMR,
    EloMMX,
    EloR,
    Glicko2,
    History,
    InputError,
    ParameterError,
    RatingSystem,
    Topcoder,
    TrueSkill,
    UnsupportedError,
    rate,
)
from podium.studies.attacks import (
    Alternating,
    SimulatedContests,
    SimulatedMatches,
    Smurf,
    Streak,
    attack,
    attack_history,
    plan,
    search_patterns,
    search_policy,
    usual_systems,
)
from podium.studies.attacks.attack_verdicts import Gains, level_of, student_quantile
from podium.studies.attacks.patterns import PatternSearch, fix_pattern
from podium.studies.attacks.strategy import Goal
from podium.studies.attacks.worlds import best_players
from studies.cheating import SHORT, contests

# ---------------------------------------------------------------------- searched attackers


def test_patterns_are_what_each_of_them_is_by_hand() -> None:
    history, plain = contests(11)
    found = search_patterns(history, "p0", Topcoder(), events=4, after=5)
    own = [i for i, event in enumerate(plain) if naive.counts(event, "p0")]
    warm, chosen = plain[: own[5]], own[5:9]
    assert found.throwable.tolist() == [naive.moved_last(plain[i], "p0") != plain[i] for i in chosen]
    ratings = []
    for pattern in range(len(found.gains)):
        bits = iter(range(4))
        played = list(warm)
        for i, throwable in zip(chosen, found.throwable, strict=True):
            thrown = throwable and pattern >> next(bits) & 1
            event = naive.moved_last(plain[i], "p0") if thrown else plain[i]
            played.append(replace(event, held=frozenset(set(event.players()) - {"p0"})))
        ratings.append(naive.rating_of("p0", played, naive_topcoder.rate))
    assert found.gains == pytest.approx([rating - ratings[0] for rating in ratings], abs=1e-6)
    assert found.gain == max(0.0, found.gains.max())


def test_a_fixed_pattern_is_judged_where_it_was_not_chosen() -> None:
    """Three runs of two events: in the second run the first event is lost anyway."""

    def run(throwable: list[bool], gains: list[float]) -> PatternSearch:
        return PatternSearch(Elo(), "p0", np.array(throwable), np.array(gains))

    runs = [run([True, True], [0, 9, 1, -5]), run([False, True], [0, 7]), run([True, True], [0, 1, 2, 4])]
    runs += [run([True, True], [0, -3, -4, -5])]
    fixed = fix_pattern(runs)
    assert fixed is not None
    # Means on the first two runs: x· 4.5, ·x 4, xx 1.
    assert (fixed.pattern, fixed.chosen_on, fixed.trained) == ("x·", 2, 4.5)
    assert fixed.gains.tolist() == [1, -3]
    honest = fix_pattern(runs[3:] * 2)
    assert honest is not None
    assert (honest.pattern, honest.number, honest.gains.tolist()) == ("··", 0, [0])
    assert fix_pattern(runs[:1]) is None


WORLD = SimulatedContests(players=25, contests=34)


@pytest.mark.parametrize("system", [EloMMR(), EloMMR(rho=0.2), EloMMX(), EloR()], ids=lambda s: s.name)
def test_no_pattern_of_throwing_pays_where_theorem_5_5_holds(system: RatingSystem) -> None:
    for seed in range(3 if COMPILED else 1):
        events = 8 if COMPILED else 3
        found = search_patterns(*WORLD.make(seed), system, events=events, after=20, field=12, seed=seed)
        assert len(found.gains) == 2**events
        assert not found.pays
        assert found.next_best < -1e-3
        assert found.pattern == "·" * events


def test_a_pattern_pays_where_volatility_is_tracked() -> None:
    """Two seeds chosen because the gain shows in them: that it can pay, not how often."""
    for seed in (2, 3):
        found = search_patterns(*WORLD.make(seed), Topcoder(), events=6, after=20)
        assert found.gain > 50
        assert found.pattern == "x·····"


def test_glicko2_pays_where_periods_are_long_and_volatilities_change_fast() -> None:
    """Three weeks of twenty games: as its naive twin has it too, a lost week makes the won one count more.

    The setting was chosen, after others, because it shows: that Glicko-2 can be farmed, not how often.
    """
    weeks = SimulatedMatches(players=20, rounds=220, per_week=20, quantile=1.0, shuffle=300.0)
    for seed in range(3 if COMPILED else 1):
        case = weeks.make(seed)
        fast = search_patterns(*case, Glicko2(period="7d", tau=1.2), events=3, block=20, after=160)
        assert fast.gain > 300
        assert fast.pattern in ("xx·", "·x·")
        assert not search_patterns(*case, Elo(), events=3, block=20, after=160).pays


def test_a_policy_is_judged_where_it_was_not_found() -> None:
    world = SimulatedContests(players=12, contests=30)
    found = search_policy(Topcoder(), world, events=30, train=2, test=2, population=4, generations=2, seed=5)
    assert found.tried == 8
    assert found.policy is not None
    assert found.policy.events == 30
    assert (found.seeds, found.held_out) == (range(5, 7), range(7, 9))
    for number, run in enumerate(found.runs):
        fresh = attack_history(*world.make(7 + number), Topcoder(), found.policy)
        assert run.gain == fresh.gain
    trained = [attack_history(*world.make(5 + number), Topcoder(), found.policy).gain for number in range(2)]
    assert found.trained == pytest.approx(np.mean(trained))
    assert found.trained > 0
    again = search_policy(Topcoder(), world, events=30, train=2, test=1, population=4, generations=2, seed=5)
    assert again.policy == found.policy


# ---------------------------------------------------------------------- reports


def test_a_report_is_made_of_its_runs() -> None:
    world = SimulatedContests(players=12, contests=12)
    strategies = [SHORT, Smurf(honest=4, after=6, early=2)]
    report = attack(["elo", "topcoder", "luck"], strategies, seeds=7, world=world, jobs=1)
    assert report.refused == {"luck": "luck cannot use events of more than two sides, as in event '1'"}
    assert report.summary.select("system", "attack").rows() == [
        (system, name) for system in ("elo", "topcoder") for name in ("farming", "smurf")
    ]
    runs = [attack_history(*world.make(seed), Topcoder(), SHORT) for seed in range(7)]
    row = report.summary.row(2, named=True)
    gains = np.array([run.gain for run in runs])
    assert row["gain"] == pytest.approx(gains.mean())
    assert row["spread"] == pytest.approx(gains.std(ddof=1))
    # Student's t of six degrees of freedom at 97.5%, as there are two attacks, from Bonferroni's tables
    reach = 2.969 * gains.std(ddof=1) / 7**0.5
    assert (row["high"] - row["low"]) / 2 == pytest.approx(reach, rel=2e-3)
    assert (row["high"] + row["low"]) / 2 == pytest.approx(gains.mean())
    assert row["share"] == np.mean(gains > 0.05)
    assert row["thrown"] == np.mean([run.thrown.sum() for run in runs])
    curve = report.curves.filter(system="topcoder", attack="farming", who="cheating")
    assert curve["mean"].to_list() == pytest.approx(np.mean([run.attacked.display for run in runs], axis=0))
    assert set(report.verdicts) == {"elo", "topcoder"}


@pytest.mark.parametrize(
    ("values", "goal", "said", "pays"),
    [
        (
            [9.0, 10, 11, 9, 10, 11],
            "higher",
            "cheating pays: +10 points (95% +9.1 to +11 over 6 seeds)",
            True,
        ),
        ([-9.0, -10, -11, -9, -10, -11], "higher", "does not pay: −10 points", False),
        ([-9.0, -10, -11, -9, -10, -11], "lower", "works: −10 points", True),
        ([-9.0, 10, -11, 9, -10, 12], "higher", "not shown: +0.2 points", None),
        ([0.0] * 6, "higher", "does not pay: 0 points", False),
        ([9.0, 10, 11, 9, 10], "higher", "not shown: +9.8 points over 5 seeds, too few", None),
        ([523.0], "higher", "not shown: +523 points in one run", None),
    ],
)
def test_verdicts_never_say_more_than_the_runs(
    values: list[float], goal: Goal, said: str, pays: bool | None
) -> None:
    gains = Gains(np.array(values), goal)
    assert gains.verdict("seeds").startswith(said)
    assert gains.pays is pays


def test_with_many_attacks_each_has_to_be_surer() -> None:
    lucky = np.array([1.0, 3, -1, 4, 2, 5, -1, 3])
    assert Gains(lucky).pays is True
    assert Gains(lucky, level=level_of(9)).pays is None
    world = SimulatedContests(players=12, contests=12)
    several = [SHORT, Streak(3, 3, 6), Alternating(3, 6, 3)]
    report = attack(["topcoder", "elo"], several, seeds=7, world=world, jobs=1)
    assert set(report.summary["level"]) == {1 - 0.05 / 3}
    for system, words in report.verdicts.items():
        starred = report.summary.filter(pl.col("pays"), system=system)["attack"].to_list()
        assert ("pays:" in words and "not pay" not in words) == bool(starred)
        assert all(name in words for name in starred)


@pytest.mark.parametrize(
    ("probability", "freedom", "quantile"),
    [(0.975, 5, 2.571), (0.975, 19, 2.093), (0.995, 7, 3.499), (0.9995, 5, 6.869), (0.9995, 30, 3.646)],
)
def test_students_t_is_that_of_its_tables(probability: float, freedom: int, quantile: float) -> None:
    assert student_quantile(probability, freedom) == pytest.approx(quantile, abs=6e-4)


def test_a_real_history_and_its_best_player() -> None:
    history, _ = contests(3)
    report = attack(["elo"], [SHORT], history, jobs=1)
    ratings = rate(history, EloMMR()).ratings.filter(pl.col("events") >= 12)
    assert [one.case for one in report.runs] == best_players(history, 12, known=3)
    assert report.runs[0].case in ratings["player"].to_list()
    report = attack(["elo"], [SHORT], history, ["p0", "p2"], watch=Topcoder(), jobs=1)
    for one in report.runs:
        assert one.run.gain == attack_history(history, one.case, Elo(), SHORT, watch=Topcoder()).gain
    assert report.cases == "players"
    held = attack(["elo"], [SHORT], history, "p0", held=True, jobs=1).runs[0].run
    assert held.gain == attack_history(history, "p0", Elo(), SHORT, held=True).gain
    with pytest.raises(ParameterError, match="where events are thrown"):
        attack(["elo"], ["ring"], history, "p0", held=True, jobs=1)
    with pytest.raises(InputError, match=r"no player has 105 rated events \(the largest number is 1\d"):
        attack(["elo"], ["farming"], history, jobs=1)
    with pytest.raises(InputError, match="'p1' has 11 rated events, and the attack needs 12"):
        attack(["elo"], [SHORT], history, "p1", jobs=1)
    teams = History.from_events([{"teams": [["p0", "p1"], ["p2", "p3"]], "ranks": [1, 2]}] * 12)
    with pytest.raises(UnsupportedError, match="single players"):
        attack(["elo"], [SHORT], teams, search=True, jobs=1)
    with pytest.raises(UnsupportedError, match="none of these systems"):
        attack(["luck", "yuksel"], [SHORT], history, jobs=1)
    for wrong in ({"player": "p0"}, {"attacks": []}, {"attacks": ["farming"] * 2}, {"seeds": []}):
        with pytest.raises(ParameterError):
            attack(**{"systems": ["elo"], "jobs": 1, **wrong})


def test_systems_of_another_scale_are_put_on_the_usual_one() -> None:
    case, usual = WORLD.make(1), usual_systems()
    small = attack_history(*case, TrueSkill(), Streak(5, 5, 5))
    large = attack_history(*case, usual["trueskill"], Streak(5, 5, 5))
    assert large.gain == pytest.approx(42 * small.gain, rel=1e-6)
    assert usual["elo"] == Elo()
    campaign = plan(["trueskill", "elo"], [SHORT], world=WORLD, seeds=1)
    assert campaign.systems == {"trueskill": usual["trueskill"], "elo": Elo()}
    campaign = plan({"one": "weng-lin", "two": TrueSkill()}, [SHORT], world=WORLD, seeds=1)
    assert campaign.systems == {"one": usual["weng-lin"], "two": TrueSkill()}
