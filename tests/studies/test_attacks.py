"""Attacks: farming as its slow twin does it, and what strategies do when."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
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
    History,
    InputError,
    ParameterError,
    RatingSystem,
    Topcoder,
    UnknownPlayerError,
    rate,
)
from podium.studies.attacks import (
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
    make_attack,
    usual_systems,
)
from podium.studies.attacks.altered_histories import own_events, with_falls
from podium.studies.attacks.worlds import best_players
from podium.systems import list_systems
from studies.cheating import SHORT, contests, matches

Rate = Callable[[list[Event]], Outcome]


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


def test_others_may_be_held_as_if_nobody_had_cheated() -> None:
    history, _ = contests(5)
    run = attack_history(history, "p0", Elo(k=40), SHORT, held=True)
    before = rate(history, Elo(k=40), trace=True).trace
    rating, elo = 1500.0, naive_elo.Elo(k=40)
    own = own_events(history, "p0").events[:12].tolist()
    for number, event in enumerate(own):
        rows = slice(*history.offsets[event : event + 2].tolist())
        others = before["mu_before"][rows].to_numpy()
        ranks, mine = history.rank[rows], int(np.argmax(history.player[rows] == history.players.find("p0")))
        score = np.sign(ranks - ranks[mine]) / 2 + 0.5
        if run.thrown[number]:
            score[:] = 0.0
        against = [i for i in range(len(ranks)) if i != mine]
        rating += 40 * np.mean([score[i] - elo.expectancy(rating - others[i]) for i in against])
        assert run.attacked.mu[number] == pytest.approx(rating, abs=1e-8)
    assert run.gain != attack_history(history, "p0", Elo(k=40), SHORT).gain


@pytest.mark.parametrize("system", [EloMMR(), EloMMX()], ids=lambda s: s.name)
def test_with_others_held_no_season_of_falling_pays(system: RatingSystem) -> None:
    """Theorem 5.5, for a whole season; in one that is rated as a whole the others' ratings change too."""
    players, n = (15, 5) if COMPILED else (5, 1)
    world = SimulatedContests(players=players, contests=8 * n)
    for seed in range(4 if COMPILED else 1):
        for strategy in (
            Farming(3 * n, 3 * n, 2 * n),
            Alternating(3 * n, 3 * n, 2 * n),
            Streak(3 * n, n, 4 * n),
        ):
            run = attack_history(*world.make(seed), system, strategy, held=True)
            # Not only in the end: after no event is the rating higher than it had been.
            assert run.difference.max() <= 1e-6
            assert run.lowest > 1.0


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


ADAPTIVE = {f"{cls.name}, adaptive": cls(newcomer_start="adaptive") for cls in (EloMMR, EloMMX, EloR)}


@pytest.mark.parametrize("name", [*list_systems(), *ADAPTIVE])
def test_who_throws_nothing_is_who_is_honest(name: str) -> None:
    """Whatever the players share, such as what was learned about newcomers, is learned once."""
    system = ADAPTIVE.get(name) or usual_systems()[name]
    history = contests(3)[0] if system.supports.many else matches(3)[0]
    for held in (False, True):
        run = attack_history(history, "p0", system, Farming(3, 6, 3, threshold=1e9), held=held)
        assert not run.thrown.any()
        assert run.attacked.mu.tolist() == run.honest.mu.tolist()


def test_only_a_changed_result_is_thrown() -> None:
    history = History.from_matches(["p0", "b", "p0", "b"], ["b", "p0", "b", "p0"], [1.0, 1.0, 0.5, 0.5])
    for deep in (0.1, 1.0):
        run = attack_history(history, "p0", Elo(), Streak(0, 4, 0, deep=deep))
        assert flags(run) == "x.xx"
        lost = rate(History.from_matches(["b"] * 4, ["p0"] * 4), Elo()).ladder.rating("p0")
        assert run.attacked.mu[-1] == lost.mu


def test_who_rests_becomes_less_certain() -> None:
    times = [f"2020-01-{day:02}" for day in range(1, 13)]
    history = History.from_matches(["p0", "p0", "b"] * 4, ["b", "b", "p0"] * 4, time=times)
    run = attack_history(history, "p0", Glicko(), Resting(honest=2, after=10, margin=-1000))
    assert (np.diff(run.attacked.sigma[3:]) > 0.0).all()
    assert set(run.attacked.mu[2:]) == {run.honest.mu[2]}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Farming(margin=None),  # type: ignore[arg-type]
        lambda: make_attack("farming", deep="none"),
        lambda: Farming(deep=-1.0),
        lambda: Streak(deep=5.0),
        lambda: Farming(honest=999_999_999_999),
        lambda: SimulatedMatches(per_week=0),
        lambda: SimulatedMatches(quantile=2.0),
        lambda: SimulatedMatches(shuffle=np.nan),
        lambda: SimulatedMatches(players=11),
    ],
)
def test_numbers_that_are_none(wrong: Callable[[], object]) -> None:
    with pytest.raises(ParameterError):
        wrong()


def test_nobody_is_chosen_by_what_comes_later() -> None:
    world = SimulatedContests(players=30, contests=20, drift=200.0)
    for seed in range(3):
        first = SimulatedContests(players=30, contests=1, drift=200.0).make(seed)
        assert world.make(seed).player == first.player
    # Late is better in the end, and early is better after three contests.
    names = ["early", "late", "c", "d"]
    ranks = [[1, 4, 2, 3]] * 3 + [[4, 1, 2, 3]] * 9
    history = History.from_events({"ranks": dict(zip(names, one, strict=True))} for one in ranks)
    assert best_players(history, 12, known=3) == ["early"]
    assert rate(history, EloMMR()).ratings["player"][0] == "late"
    assert attack(["elo"], [SHORT], history, jobs=1).named == ("early",)
    assert str(SimulatedMatches()).endswith("Number 10 by skill cheats")
    assert SimulatedMatches().make(0).player == "p00090"


def test_whom_an_attack_refuses() -> None:
    history, _ = contests(3)
    with pytest.raises(UnknownPlayerError, match="'p00' is not a player"):
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
