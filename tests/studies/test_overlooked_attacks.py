"""Attacks that no theorem about ranks rules out, and what organisers can do against them."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest

from conftest import COMPILED
from naive import attacks as naive
from naive import elo as naive_elo
from naive import topcoder as naive_topcoder
from naive.events import Event, Outcome
from podium import Elo, EloMMR, Glicko, History, ParameterError, RatingSystem, Topcoder, UnsupportedError
from podium.studies.attacks import (
    Accomplices,
    BestAccount,
    CountStarts,
    Defence,
    Disqualify,
    Leaving,
    MinEvents,
    RecentPlay,
    Resting,
    Ring,
    SigmaPenalty,
    SimulatedContests,
    Smurf,
    Streak,
    attack,
    attack_history,
    honest_curve,
)
from podium.studies.attacks.altered_histories import early_standings, own_events
from podium.studies.attacks.attack_documents import attack_document
from studies.cheating import contests, matches

Rate = Callable[[list[Event]], Outcome]
Made = Callable[[int], tuple[History, list[Event]]]

IN_BOTH = pytest.mark.parametrize(
    ("made", "system", "rate"),
    [(contests, Topcoder(), naive_topcoder.rate), (matches, Elo(), naive_elo.rate)],
    ids=["contests", "matches"],
)


# ---------------------------------------------------------------------- leaving


@IN_BOTH
@pytest.mark.parametrize("counted", [False, True])
def test_leaving_is_that_of_its_slow_twin(
    made: Made, system: RatingSystem, rate: Rate, counted: bool
) -> None:
    history, plain = made(3)
    defence = CountStarts() if counted else Defence()
    run = attack_history(history, "p0", system, Leaving(honest=3, after=7, blur=0), defence=defence)
    altered, left = naive.leave(plain, "p0", rate, 3, 7, counted)
    assert run.missed.tolist() == left
    assert 0 < sum(left) < 7
    own = naive.own_events(plain, "p0")[:10]
    assert run.attacked.mu == pytest.approx(naive.curve_at(altered, "p0", rate, own), abs=1e-6)
    assert not run.thrown.any()
    assert (run.gain > 0.0) is not counted


def test_another_systems_rating_may_decide_when_to_leave() -> None:
    history, plain = contests(5)
    strategy = Leaving(honest=3, after=7, blur=0)
    run = attack_history(history, "p0", Elo(), strategy, watch=Topcoder())
    altered, left = naive.leave(plain, "p0", naive_topcoder.rate, 3, 7)
    assert run.missed.tolist() == left
    own = naive.own_events(plain, "p0")[:10]
    assert run.attacked.mu == pytest.approx(naive.curve_at(altered, "p0", naive_elo.rate, own), abs=1e-6)
    held = attack_history(history, "p0", Elo(), strategy, held=True)
    assert held.missed.any()


def test_early_standings_are_off_by_their_blur() -> None:
    """A place of two is ± ln 3 · √3/π: the winner is behind where chance is above the gap between them."""
    gap, chance = 2.0 * math.log(3.0) * math.sqrt(3.0) / math.pi, 0.5 * math.sqrt(2.0)
    match = History.from_matches(["a"], ["b"])
    behind = [early_standings(match, 0.5, number).rank[0] == 2 for number in range(300)]
    # 4.3%, give or take three deviations of such a share
    assert np.mean(behind) == pytest.approx(NormalDist().cdf(-gap / chance), abs=0.035)
    assert early_standings(match, 0.0, 0) is match
    teams = {"teams": [["a", "b"], ["c", "d"], ["e", "f"]], "scores": [9, 7, 7]}
    early = early_standings(History.from_events([teams]), 5.0, 1)
    assert sorted(early.rank.tolist()) == [1, 1, 2, 2, 3, 3]
    assert early.score is None
    assert early.rank.tolist() == early_standings(History.from_events([teams]), 5.0, 1).rank.tolist()


def test_who_knows_less_gains_less() -> None:
    world = SimulatedContests(players=40 if COMPILED else 6, contests=40 if COMPILED else 8)
    honest = 20 if COMPILED else 4
    for seed in range(2):
        gains = [
            attack_history(*world.make(seed), EloMMR(), Leaving(honest, honest, blur)).gain
            for blur in (0.0, 20.0)
        ]
        assert gains[0] > max(gains[1], 0.0)


# ---------------------------------------------------------------------- accomplices


@IN_BOTH
def test_accomplices_lose_as_by_hand(made: Made, system: RatingSystem, rate: Rate) -> None:
    history, plain = made(7)
    strategy = Accomplices(honest=3, colluding=4, friends=2, after=2)
    run = attack_history(history, "p0", system, strategy)
    own = naive.own_events(plain, "p0")
    ratings = rate(plain[: own[3]]).ratings
    together = [event for event in (plain[i] for i in own[3:7]) if len(event.sides) > 2]
    able = [
        name
        for name in sorted(ratings, key=lambda name: -ratings[name][0])
        if name != "p0" and 2 * sum(name in event.players() for event in together) >= len(together)
    ]
    altered = naive.with_accomplices(plain, "p0", able[:2], 3, 4)
    by_hand = naive.curve(altered, "p0", rate)
    # In matches each accomplice's game is one of the cheat's own: those are not looked at.
    if made is matches:
        by_hand = [r for i, r in enumerate(by_hand) if not (3 <= i < 15 and (i - 3) % 3 < 2)]
    assert run.attacked.mu == pytest.approx(by_hand[:9], abs=1e-6)
    assert run.attacked.mu[6] > run.honest.mu[6]
    assert strategy.accounts == 0


def test_accomplices_take_their_scores_along() -> None:
    event = {"scores": {"p0": 5, "a": 9, "b": 7, "c": 1}}
    history = History.from_events([event] * 3)
    strategy = Accomplices(honest=1, colluding=1, friends=1, after=1)
    altered = strategy.rewrite(history, own_events(history, "p0"), Elo()).history
    assert altered.rank.tolist() == [3, 1, 2, 4, 2, 3, 1, 4, 3, 1, 2, 4]
    assert np.isnan(altered.score[4:8]).all()
    assert altered.score[:4].tolist() == altered.score[8:].tolist() == [5, 9, 7, 1]


def test_whoever_loses_for_another_may_be_taken_out() -> None:
    """By hand: the row of an accomplice who fell is gone, and an arranged match with it."""
    history, plain = contests(7)
    strategy = Accomplices(honest=3, colluding=4, friends=2)
    run = attack_history(history, "p0", Topcoder(), strategy, defence=Disqualify())
    own = naive.own_events(plain, "p0")[:7]
    ratings = naive_topcoder.rate(plain[: own[3]]).ratings
    friends = sorted((name for name in ratings if name != "p0"), key=lambda name: -ratings[name][0])
    friends = [f for f in friends if 2 * sum(f in plain[i].players() for i in own[3:]) >= 4][:2]
    altered = list(plain)
    for i in own[3:]:
        place = {side[0]: rank for side, rank in zip(plain[i].sides, plain[i].ranks, strict=True)}
        stay = [name for name in place if name not in friends or place[name] > place["p0"]]
        ranks = [1 + sum(place[other] < place[name] for other in stay) for name in stay]
        altered[i] = Event([[name] for name in stay], ranks, held=plain[i].held)
    assert altered != plain
    assert run.attacked.mu == pytest.approx(naive.curve(altered, "p0", naive_topcoder.rate)[:7], abs=1e-6)
    # In matches nothing is left of the attack; nor is it where new accounts come in last.
    for made in (matches, contests):
        for one in (strategy, Ring(honest=3, colluding=4, mules=2)):
            run = attack_history(made(7)[0], "p0", Elo(), one, defence=Disqualify())
            if made is matches or isinstance(one, Ring):
                assert run.attacked.mu == pytest.approx(run.honest.mu, abs=1e-9)


# ---------------------------------------------------------------------- the best of several accounts


@IN_BOTH
def test_the_lowest_account_plays_and_the_best_is_shown(made: Made, system: RatingSystem, rate: Rate) -> None:
    history, plain = made(7)
    run = attack_history(history, "p0", system, BestAccount(honest=3, after=7, several=3))
    names = ["p0", "second", "third"]
    altered = naive.with_lowest_account(plain, "p0", rate, 3, names)
    own = naive.own_events(plain, "p0")[:10]
    for number, i in enumerate(own):
        known = rate(altered[: i + 1]).ratings
        best = max(known[name][0] for name in names if name in known)
        assert run.attacked.mu[number] == pytest.approx(best, abs=1e-6)
    assert run.attacked.mu[:3].tolist() == run.honest.mu[:3].tolist()
    assert len({side[0] for i in own for side in altered[i].sides} & set(names)) > 1


def test_the_best_account_may_be_visited() -> None:
    history = History.from_matches(["p0"] * 12, ["b"] * 12)
    kept = attack_history(history, "p0", Elo(), BestAccount(honest=4, after=8))
    often = attack_history(history, "p0", Elo(), BestAccount(honest=4, after=8, visit=2))
    recent = RecentPlay(events=2)
    hidden = attack_history(history, "p0", Elo(), BestAccount(honest=4, after=8), defence=recent)
    shown = attack_history(history, "p0", Elo(), BestAccount(honest=4, after=8, visit=2), defence=recent)
    assert (kept.attacked.mu[4:7] == kept.attacked.mu[3]).all()
    assert hidden.attacked.mu[5] < kept.attacked.mu[5]
    assert shown.attacked.mu.tolist() == often.attacked.mu.tolist()


# ---------------------------------------------------------------------- defences


def test_a_leaderboard_may_ask_for_events_and_for_recent_play() -> None:
    history, _ = contests(3)
    plain = honest_curve(history, "p0", Elo(), 10)
    curve = honest_curve(history, "p0", Elo(), 10, MinEvents(events=4))
    assert np.isnan(curve.display[:3]).all()
    assert curve.display[3:].tolist() == plain.display[3:].tolist()
    resting = Resting(honest=3, after=7, margin=-1000)
    run = attack_history(history, "p0", Elo(), resting, defence=RecentPlay(events=2))
    # Rated in the first four events; one later is recent, two are not.
    assert np.isnan(run.attacked.display).tolist() == [False] * 5 + [True] * 5
    assert not np.isnan(run.honest.display).any()
    smurf = attack_history(history, "p0", Elo(), Smurf(4, 6, early=2), defence=MinEvents(events=30))
    assert np.isnan([smurf.gain, smurf.peak_gain, smurf.lowest]).all()


def test_uncertain_accounts_are_displayed_lower() -> None:
    history, _ = contests(3)
    run = attack_history(history, "p0", Glicko(), Streak(3, 3, 4), defence=SigmaPenalty(k=3))
    same = attack_history(history, "p0", Glicko(display_k=3.0), Streak(3, 3, 4))
    assert run.attacked.display.tolist() == same.attacked.display.tolist()
    assert run.attacked.display[0] < run.attacked.mu[0]
    with pytest.raises(UnsupportedError, match="elo has no sigma"):
        SigmaPenalty().applied(Elo())


def test_every_defence_stands_beside_the_system_alone() -> None:
    world = SimulatedContests(players=8, contests=10)
    strategies = [Leaving(honest=4, after=6), Resting(honest=4, after=6, margin=-1000)]
    rules = ["count-starts", "sigma-penalty", RecentPlay(events=2)]
    report = attack(["elo", "glicko"], strategies, world=world, seeds=2, defences=rules, jobs=1)
    assert list(report.systems) == [
        "elo",
        "elo, count-starts",
        "elo, recent-play (events=2)",
        "glicko",
        "glicko, count-starts",
        "glicko, sigma-penalty",
        "glicko, recent-play (events=2)",
    ]
    assert report.refused == {"elo, sigma-penalty": "elo has no sigma to display less of"}
    runs = [attack_history(*world.make(seed), Elo(), strategies[0], defence=CountStarts()) for seed in (0, 1)]
    row = report.summary.row(2, named=True)
    assert (row["system"], row["attack"]) == ("elo, count-starts", "leaving")
    assert row["gain"] == pytest.approx(np.mean([run.gain for run in runs]))
    assert row["missed"] == np.mean([run.missed.sum() for run in runs]) > 0
    hidden = report.summary.filter(system="elo, recent-play (events=2)", attack="resting").row(0, named=True)
    assert (hidden["runs"], hidden["gain"], hidden["pays"]) == (0, None, None)
    assert hidden["verdict"] == "not shown: the leaderboard displays no rating"
    assert set(report.verdicts) == set(report.systems)
    document = attack_document(report)
    assert document["defended"]["elo, recent-play (events=2)"] == {
        "system": "elo",
        "defence": "recent-play",
        "parameters": {"events": 2},
    }
    assert document["verdicts"]["elo, count-starts"] == report.verdicts["elo, count-starts"]
    with pytest.raises(ParameterError, match="a defence is given twice"):
        attack(["elo"], strategies, world=world, seeds=2, defences=["min-events"] * 2, jobs=1)


def test_a_rule_that_changes_nothing_leaves_every_number_as_it_is() -> None:
    history, _ = contests(5)
    for strategy in (Leaving(3, 7), Accomplices(3, 4, 2), BestAccount(3, 7)):
        plain = attack_history(history, "p0", Elo(), strategy)
        ruled = attack_history(history, "p0", Elo(), strategy, defence=MinEvents(events=1))
        assert ruled.attacked.display.tolist() == plain.attacked.display.tolist()
