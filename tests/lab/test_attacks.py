"""Attacks: farming as its slow twin does it, what strategies do when, and what reports say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from conftest import COMPILED
from naive import attacks as naive
from naive import elo as naive_elo
from naive import topcoder as naive_topcoder
from naive.events import Event, Outcome
from podium import (
    Elo,
    EloMMR,
    EloMMX,
    EloR,
    Glicko,
    Glicko2,
    History,
    InputError,
    ParameterError,
    RatingSystem,
    Topcoder,
    TrueSkill,
    UnknownPlayerError,
    UnsupportedError,
    rate,
)
from podium.lab.attacks import (
    Alternating,
    AttackRun,
    Farming,
    FreshAccount,
    Resting,
    Ring,
    Sandbagging,
    SimulatedContests,
    SimulatedMatches,
    Smurf,
    Streak,
    Tanking,
    attack,
    attack_history,
    search_patterns,
    search_policy,
    usual_systems,
)
from podium.lab.attacks.altering import with_falls
from podium.lab.attacks.strategies import Goal
from podium.lab.attacks.verdicts import Gains

Rate = Callable[[list[Event]], Outcome]
SHORT = Farming(honest=3, farming=6, after=3)


def contests(seed: int, events: int = 16, players: int = 6, size: int = 5) -> tuple[History, list[Event]]:
    """Contests with ties, in which somebody called p0 is strong, sometimes absent and once unrated."""
    chance = np.random.default_rng(seed)
    plain = []
    for number in range(events):
        names = [f"p{i}" for i in chance.permutation(players)[:size]]
        level = [round(2 * chance.random() + (name == "p0")) for name in names]
        ranks = [1 + sum(other > mine for other in level) for mine in level]
        held = frozenset({"p0"}) if number == 4 else frozenset()
        plain.append(Event([[name] for name in names], ranks, held=held & set(names)))
    return as_history(plain), plain


def matches(seed: int, events: int = 26) -> tuple[History, list[Event]]:
    chance = np.random.default_rng(seed)
    plain = []
    for _ in range(events):
        names = [f"p{i}" for i in chance.permutation(3)[:2]]
        plain.append(Event([[name] for name in names], [[1, 2], [2, 1], [1, 1]][chance.integers(3)]))
    return as_history(plain), plain


def as_history(plain: list[Event]) -> History:
    return History.from_events(
        {
            "ranks": {side[0]: rank for side, rank in zip(event.sides, event.ranks, strict=True)},
            "unrated": event.held,
        }
        for event in plain
    )


# ---------------------------------------------------------------------- one attack on one history


@pytest.mark.parametrize(
    ("made", "system", "rate"),
    [
        (contests, Topcoder(), naive_topcoder.rate),
        (matches, Elo(), naive_elo.rate),
    ],
)
@pytest.mark.parametrize("threshold", [None, 1480.0])
def test_farming_is_that_of_its_slow_twin(
    made: Callable[[int], tuple[History, list[Event]]],
    system: RatingSystem,
    rate: Rate,
    threshold: float | None,
) -> None:
    history, plain = made(3)
    strategy = Farming(honest=3, farming=6, after=3, threshold=threshold)
    run = attack_history(history, "p0", system, strategy)
    altered, thrown = naive.farm(plain, "p0", rate, 3, 6, 3, threshold)
    assert run.thrown.tolist() == thrown
    assert sum(thrown) > 0
    assert run.attacked.mu == pytest.approx(naive.curve(altered, "p0", rate), abs=1e-6)
    honest = naive.curve(plain[: len(altered)], "p0", rate)
    assert run.honest.mu == pytest.approx(honest, abs=1e-6)
    assert run.gain == run.gain_mu == pytest.approx(run.attacked.mu[-1] - honest[-1], abs=1e-6)
    assert run.last_phase_gain == pytest.approx(run.attacked.mu[11] - run.attacked.mu[8])


def test_another_systems_rating_may_decide() -> None:
    history, plain = contests(5)
    run = attack_history(history, "p0", Elo(), SHORT, watch=Topcoder())
    altered, thrown = naive.farm(plain, "p0", naive_topcoder.rate, 3, 6, 3)
    assert run.thrown.tolist() == thrown
    assert run.thrown.tolist() != attack_history(history, "p0", Elo(), SHORT).thrown.tolist()
    assert run.attacked.mu == pytest.approx(naive.curve(altered, "p0", naive_elo.rate), abs=1e-6)


def test_a_fall_takes_the_team_along_and_the_scores_away() -> None:
    event = {"teams": [["a", "boss"], ["b", "c"], ["d", "e"]], "scores": [9, 7, 7]}
    history = History.from_events([event, {"scores": {"boss": 3, "b": 1}}])
    altered = with_falls(history, np.array([1, 6]), np.array([1.0, 0.0]))
    assert altered.rank.tolist() == [3, 3, 1, 1, 1, 1, 1, 2]
    assert np.isnan(altered.score[:6]).all()
    assert altered.score[6:].tolist() == [3, 1]
    share = History.from_matches(["boss", "b"], ["b", "boss"], [0.8, 0.4])
    assert with_falls(share, np.array([0, 3]), np.ones(2)).rank.tolist() == [2, 1, 1, 2]
    assert history.rank.tolist() == [1, 1, 2, 2, 2, 2, 1, 2]


def test_whom_an_attack_refuses() -> None:
    history, _ = contests(3)
    with pytest.raises(UnknownPlayerError, match="'p00' is nobody"):
        attack_history(history, "p00", Elo(), SHORT)
    with pytest.raises(InputError, match="the attack needs 105"):
        attack_history(history, "p0", Elo(), Farming())
    with pytest.raises(ParameterError, match="farming: honest is -1"):
        Farming(honest=-1)
    with pytest.raises(ParameterError, match="did you mean 'threshold'"):
        Farming().changed(treshold="2975")
    assert Farming().changed(threshold="2975", after="3") == Farming(threshold=2975, after=3)


# ---------------------------------------------------------------------- strategies


def flags(run: AttackRun) -> str:
    return "".join("x" if thrown else "." for thrown in run.thrown)


def test_who_throws_when() -> None:
    history, _ = contests(3)
    assert flags(attack_history(history, "p0", Elo(), Alternating(2, 5, 3))) == "..x.x.x..."
    assert flags(attack_history(history, "p0", Elo(), Streak(2, 3, 4))) == "..xxx...."
    assert flags(attack_history(history, "p0", Elo(), Tanking(3, 4))) == "xxx...."
    run = attack_history(history, "p0", Elo(), Sandbagging(2, 8, 2, below=20))
    before = np.concatenate(([1500.0], run.attacked.display[:-1]))
    low = (np.arange(12) >= 2) & (np.arange(12) < 10)
    assert run.threshold == run.honest.display[1] - 20
    assert run.thrown.tolist() == (low & (before > run.threshold)).tolist()
    assert run.thrown[2]
    assert run.outcome == -run.gain == run.honest.display[9] - run.attacked.display[9] > 0


def test_who_rests_keeps_the_rating() -> None:
    history, _ = contests(3)
    run = attack_history(history, "p0", Glicko(), Resting(honest=3, after=9))
    high = run.honest.display > run.honest.display[2]
    stop = 3 + int(np.argmax(high[3:]))
    assert 3 <= stop < 11
    assert run.attacked.display[: stop + 1].tolist() == run.honest.display[: stop + 1].tolist()
    assert set(run.attacked.display[stop:]) == {run.honest.display[stop]}
    assert not run.thrown.any()


@pytest.mark.parametrize(
    ("made", "system", "rate"),
    [(contests, Topcoder(), naive_topcoder.rate), (matches, Elo(), naive_elo.rate)],
)
def test_accounts_are_traded_as_by_hand(
    made: Callable[[int], tuple[History, list[Event]]], system: RatingSystem, rate: Rate
) -> None:
    history, plain = made(7)
    run = attack_history(history, "p0", system, FreshAccount(honest=4, after=6))
    altered = naive.with_new_account(plain, "p0", 4, "new")
    assert np.isnan(run.attacked.mu[:4]).all()
    assert run.attacked.mu[4:] == pytest.approx(naive.curve(altered, "new", rate)[:6], abs=1e-6)
    smurf = attack_history(history, "p0", system, Smurf(honest=4, after=6, early=2))
    assert smurf.gain == smurf.attacked.display[5] - smurf.honest.display[5] == -smurf.outcome
    ring = Ring(honest=3, colluding=4, mules=2, after=2)
    run = attack_history(history, "p0", system, ring)
    altered = naive.with_mules(plain, "p0", 3, 4, 2)
    by_hand = naive.curve(altered, "p0", rate)
    # In matches each mule's game is one of the boss's own: those are not looked at.
    if made is matches:
        by_hand = [r for i, r in enumerate(by_hand) if not (3 <= i < 15 and (i - 3) % 3 < 2)]
    assert run.attacked.mu == pytest.approx(by_hand[:9], abs=1e-6)
    assert (ring.accounts, run.strategy.events) == (8, 9)


def test_a_new_account_may_have_the_home_advantage() -> None:
    players = ["boss", "b"] * 4
    history = History.from_matches(players[::2] * 2, players[1::2] * 2, home="a")
    run = attack_history(history, "boss", Elo(home_advantage=100), FreshAccount(honest=2, after=2))
    plain = [Event([["boss"], ["b"]], [1, 2], home=0) for _ in range(4)]
    altered = naive.with_new_account(plain, "boss", 2, "new")
    right = naive.curve(altered, "new", lambda events: naive_elo.rate(events, home_advantage=100))
    assert run.attacked.mu[2:] == pytest.approx(right)


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
    for seed in (2, 3):
        found = search_patterns(*WORLD.make(seed), Topcoder(), events=6, after=20)
        assert found.gain > 50
        assert found.pattern == "x·····"


def test_glicko2_pays_where_periods_are_long_and_volatilities_change_fast() -> None:
    """Three weeks of twenty games: as its naive twin has it too, a lost week makes the won one count more."""
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
    assert found.policy.events == 30
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
    # Student's t of six degrees of freedom, from its tables
    reach = 2.447 * gains.std(ddof=1) / 7**0.5
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
    assert gains.pays() is pays


def test_with_many_attacks_each_has_to_be_surer() -> None:
    lucky = Gains(np.array([1.0, 3, -1, 4, 2, 5, -1, 3]))
    assert lucky.pays() is True
    assert lucky.pays(1 - 0.05 / 9) is None


def test_a_real_history_and_its_best_player() -> None:
    history, _ = contests(3)
    report = attack(["elo"], [SHORT], history, jobs=1)
    ratings = rate(history, EloMMR()).ratings.filter(pl.col("events") >= 12)
    assert [one.case for one in report.runs] == [ratings["player"][0]]
    report = attack(["elo"], [SHORT], history, ["p0", "p2"], watch=Topcoder(), jobs=1)
    for one in report.runs:
        assert one.run.gain == attack_history(history, one.case, Elo(), SHORT, watch=Topcoder()).gain
    assert report.cases == "players"
    with pytest.raises(InputError, match=r"nobody has 105 rated events; the most anybody has is 1\d"):
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
