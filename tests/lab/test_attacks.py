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
    make_attack,
    plan,
    search_patterns,
    search_policy,
    usual_systems,
)
from podium.lab.attacks.altering import own_events, with_falls
from podium.lab.attacks.patterns import PatternSearch, fix_pattern
from podium.lab.attacks.strategies import Goal
from podium.lab.attacks.verdicts import Gains, level_of, student_quantile
from podium.lab.attacks.worlds import best_players
from podium.systems import list_systems

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
    history = matches(3)[0] if name in ("luck", "yuksel") else contests(3)[0]
    system = ADAPTIVE.get(name) or usual_systems()[name]
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
    assert str(SimulatedMatches()).endswith("number 10 of whom by skill cheats")
    assert SimulatedMatches().make(0).player == "p00090"


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
    campaign = plan(["trueskill", "elo"], [SHORT], world=WORLD, seeds=1)
    assert campaign.systems == {"trueskill": usual["trueskill"], "elo": Elo()}
    campaign = plan({"one": "weng-lin", "two": TrueSkill()}, [SHORT], world=WORLD, seeds=1)
    assert campaign.systems == {"one": usual["weng-lin"], "two": TrueSkill()}
