"""Smoothing: against the whole joint distribution, across adjustments, and what it must not depend on."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from checks.twins import plain_event
from conftest import COMPILED
from naive import smoothing as naive
from podium import (
    Anchor,
    EloMMR,
    EloMMX,
    Glicko,
    History,
    Merge,
    Release,
    Rename,
    Reset,
    SetRating,
    TrueSkill,
    UnsupportedError,
)
from podium.checks.random_histories import histories
from podium.history import ragged
from podium.simulation.populations import synthetic_contests
from podium.systems import Capabilities, RatingSystem

CHOICES: list[dict[str, Any]] = [
    {},
    {"drift_per_day": 20.0, "newcomer_weights": (0.4, 0.7), "ties": "half"},
    {"newcomer_start": "adaptive", "drift_per_day": 3.0},
    {"gamma": 0.0},
]
RUN = {"ann": 1, "bob": 2, "cat": 3}
BACK = {"ann": 3, "bob": 2, "cat": 1}


def smoothable(system: RatingSystem) -> Capabilities:
    """What a history may hold that is smoothed: no teams where the performances are logistic."""
    return replace(system.supports, teams=system.supports.teams and system.name not in ("elo-mmr", "elo-r"))


def twin_of(system: RatingSystem, history: History, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """What the twin says, in the order of the history's rows."""
    module = import_module(f"naive.{system.name.replace('-', '_')}")
    cls = module.EloMMX if system.name == "elo-mmx" else module.EloMMR
    parameters = {
        n: v for n, v in system.describe()["parameters"].items() if n not in {*system.shown, "calibration"}
    }
    told = np.array(naive.smooth(cls(**parameters), [plain_event(event) for event in history], rounds))
    side = np.zeros(history.rows) if history.side is None else history.side
    mine = np.empty_like(told)
    mine[np.lexsort((np.arange(history.rows), side, history.event_of_row))] = told
    return mine[:, 0], mine[:, 1]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize("cls", [EloMMX, EloMMR])
@settings(max_examples=8 if COMPILED else 2)
@given(data=st.data())
def test_against_the_joint_distribution(cls: type[Any], choice: dict[str, Any], data: st.DataObject) -> None:
    """Teams, weights, ties, ceilings, unrated rows, absence; and performances that are estimated anew."""
    system = cls(**choice)
    history = data.draw(histories(smoothable(system), adjusted=False, max_events=6))
    for rounds in (1, 3):
        smoothing = podium.smooth(history, system, rounds=rounds, tolerance=0.0)
        mu, sigma = twin_of(system, history, rounds)
        np.testing.assert_allclose(smoothing.mu_smoothed, mu, rtol=0, atol=1e-6)
        np.testing.assert_allclose(smoothing.sigma_smoothed, sigma, rtol=0, atol=1e-6)


def test_teams_with_logistic_performances_are_refused() -> None:
    history = History.from_events([{"teams": [["ann", "bob"], ["cat"]], "ranks": [1, 2]}])
    with pytest.raises(UnsupportedError, match="elo-mmr cannot smooth events with teams"):
        podium.smooth(history, "elo-mmr")


def as_of(history: History, system: RatingSystem) -> np.ndarray:
    return podium.smooth(history, system).mu_smoothed


@pytest.mark.parametrize(
    "system", [EloMMX(), EloMMR(), podium.EloR(), TrueSkill(), podium.WengLin(), Glicko(c=40)], ids=str
)
def test_later_results_say_more(system: RatingSystem) -> None:
    """Who wins ever after was better than one lost event said; and everybody is known better."""
    history = History.from_events([{"ranks": BACK}, *[{"ranks": RUN}] * 4])
    smoothing = podium.smooth(history, system)
    ann = smoothing.player("ann")
    assert ann["mu_smoothed"][0] > ann["mu"][0]
    assert (ann["sigma_smoothed"] < ann["sigma"])[:4].all()
    before = podium.smooth(history[:4], system)
    assert before.mu_smoothed[0] < smoothing.mu_smoothed[0]


@pytest.mark.parametrize("system", [EloMMX(), TrueSkill(), Glicko(), podium.WengLin()], ids=str)
def test_the_last_event_has_nothing_after_it(system: RatingSystem) -> None:
    history = History.from_events([{"ranks": RUN}, {"ranks": BACK}])
    smoothing = podium.smooth(history, system)
    np.testing.assert_array_equal(smoothing.mu_smoothed[3:], smoothing.mu[3:])
    np.testing.assert_allclose(smoothing.sigma_smoothed[3:], smoothing.sigma[3:], rtol=1e-14)


@given(histories(TrueSkill.supports, adjusted=False))
@settings(max_examples=20 if COMPILED else 3)
def test_normal_beliefs_of_other_systems(history: History) -> None:
    """Each walk as a dense joint of the beliefs that rating held, for TrueSkill with drift in days."""
    system = TrueSkill(drift_per_day=0.05, tau=0.7)
    trace = podium.rate(history, system, trace=True)
    smoothing = podium.smooth(history, system)
    frame = trace.trace
    rated = np.ones(history.rows, bool) if history.unrated is None else ~history.unrated
    before = frame["sigma_before"].to_numpy() ** 2 + np.where(rated, system.tau**2, 0.0)
    after = frame["sigma"].to_numpy() ** 2
    mu_before, mu = frame["mu_before"].to_numpy(), frame["mu"].to_numpy()
    for player in np.unique(history.player):
        rows = np.flatnonzero(history.player == player)
        added = np.diff(before[rows], prepend=before[rows[0]]) + np.concatenate(
            ([0.0], before[rows[:-1]] - after[rows[:-1]])
        )
        h = 1 / after[rows] - 1 / before[rows]
        y = mu[rows] / after[rows] - mu_before[rows] / before[rows]
        a = naive.roots(before[rows[0]], np.maximum(added, 0.0).tolist())
        mean, covariance = naive.conditioned(mu_before[rows[0]], a, h, y)
        np.testing.assert_allclose(smoothing.mu_smoothed[rows], mean, rtol=0, atol=1e-9)
        np.testing.assert_allclose(smoothing.sigma_smoothed[rows], np.sqrt(np.diag(covariance)), rtol=1e-9)


# ---------------------------------------------------------------------------------------------------------
# Adjustments


@pytest.mark.parametrize("system", [EloMMX(newcomer_weights=(0.5, 0.7)), EloMMR(), TrueSkill()], ids=str)
def test_a_rename_carries_on(system: RatingSystem) -> None:
    renamed = [{"ranks": RUN}, Rename(player="ann", into="anna"), {"ranks": {"anna": 3, "bob": 2, "cat": 1}}]
    smoothing = podium.smooth(History.from_events(renamed), system)
    plain = as_of(History.from_events([{"ranks": RUN}, {"ranks": BACK}]), system)
    np.testing.assert_array_equal(smoothing.mu_smoothed, plain)
    assert smoothing.player("anna")["player"].to_list() == ["ann", "anna"]
    assert smoothing.player("ann")["player"].to_list() == ["ann"]
    again = History.from_events([*renamed, SetRating(player="ann", mu=1400.0)])  # a new player
    with pytest.raises(podium.UnknownPlayerError, match="'ann' is in no event"):
        podium.smooth(again, system).player("ann")


@pytest.mark.parametrize("system", [EloMMX(), EloMMR(), Glicko()], ids=str)
@pytest.mark.parametrize(
    "adjustment",
    [
        SetRating(player="ann", mu=1500.0, sigma=100.0),
        Anchor(player="ann"),
        Reset(keep=0.5),
        Merge(player="bob", into="ann"),
    ],
    ids=lambda adjustment: adjustment.kind,
)
def test_what_sets_a_belief_ends_its_walk(system: RatingSystem, adjustment: podium.Adjustment) -> None:
    """Results after it say nothing of the time before it."""
    later = {"dan": 1, "eve": 2, "ann": 3}
    history = History.from_events([{"ranks": RUN}, {"ranks": RUN}, adjustment, {"ranks": later}])
    rows = [0, 3]
    np.testing.assert_array_equal(as_of(history, system)[rows], as_of(history[:2], system)[rows])


def test_anchors_stay_and_go_on_when_released() -> None:
    pair = {"ranks": {"ann": 1, "bob": 2}}
    items = [pair, Anchor(player="bob", mu=1400.0, sigma=50.0), pair, pair, Release(player="bob"), pair, pair]
    smoothing = podium.smooth(History.from_events(items), EloMMX())
    bob = smoothing.player("bob")
    assert bob["mu_smoothed"].to_list()[1:3] == [1400.0, 1400.0]
    assert bob["sigma_smoothed"].to_list()[1:3] == pytest.approx([50.0, 50.0])
    assert bob["mu_smoothed"][3] < bob["mu"][3]  # the second loss says more of the first


def test_a_merge_of_an_account_that_knows_nothing() -> None:
    """Into such an account it is a rename; from a player who is unknown it is refused."""
    plain = as_of(History.from_events([{"ranks": RUN}, {"ranks": BACK}]), EloMMX())
    into_new = [{"ranks": RUN}, Merge(player="ann", into="zoe"), {"ranks": {"zoe": 3, "bob": 2, "cat": 1}}]
    from_new = [{"ranks": RUN}, Merge(player="zoe", into="ann"), {"ranks": BACK}]
    np.testing.assert_array_equal(as_of(History.from_events(into_new), EloMMX()), plain)
    with pytest.raises(podium.UnknownPlayerError, match="there is no player 'zoe' yet"):
        podium.smooth(History.from_events(from_new), EloMMX())


SMOOTHABLE: list[RatingSystem] = [
    EloMMX(drift_per_day=5.0),
    TrueSkill(drift_per_day=0.01),
    podium.WengLin(),
    Glicko(c=40),
    EloMMR(drift_per_day=5.0),
    podium.EloR(),
]


@pytest.mark.parametrize("system", SMOOTHABLE, ids=lambda system: system.name)
@given(data=st.data())
@settings(max_examples=15 if COMPILED else 2)
def test_any_history(system: RatingSystem, data: st.DataObject) -> None:
    """Whatever was adjusted: finite numbers, as sure as rating was or surer; the last word is rating's."""
    history = data.draw(histories(smoothable(system), timed=True))
    smoothing = podium.smooth(history, system)
    assert np.isfinite(smoothing.mu_smoothed).all()
    end = "2200-01-01"
    frame = smoothing.at(end).sort("player")
    judge = podium.rate(history, system).ladder.ratings(at=end).sort("player")
    assert frame["player"].to_list() == judge["player"].to_list()
    np.testing.assert_allclose(frame["mu"], judge["mu"], rtol=1e-12)
    np.testing.assert_allclose(frame["sigma"], judge["sigma"], rtol=1e-12)
    if system.name not in ("elo-mmr", "elo-r"):  # whose rating is not the most likely walk
        assert (smoothing.sigma_smoothed <= smoothing.sigma * (1 + 1e-12)).all()
        np.testing.assert_allclose(frame["mu"], frame["mu_smoothed"], rtol=1e-12)
        np.testing.assert_allclose(frame["sigma"], frame["sigma_smoothed"], rtol=1e-12)


@pytest.mark.parametrize("system", [EloMMX(drift_per_day=5.0), EloMMR(drift_per_day=5.0)], ids=str)
def test_what_was_set_by_hand_is_seen_from_later_results(system: RatingSystem) -> None:
    """Between a seed and the next event, as somebody who takes part out of competition then."""
    first, last = {"ranks": RUN, "time": "2026-01-01"}, {"ranks": BACK, "time": "2026-03-01"}
    seed = SetRating(player="ann", mu=1900.0, sigma=200.0)
    between = {"ranks": RUN, "time": "2026-02-01", "unrated": list(RUN)}
    shown = podium.smooth(History.from_events([first, seed, last]), system).at("2026-02-01").sort("player")
    judge = podium.smooth(History.from_events([first, seed, between, last]), system)
    assert shown["mu"][0] == 1900.0 > shown["mu_smoothed"][0]
    np.testing.assert_allclose(shown["mu_smoothed"], judge.mu_smoothed[3:6], rtol=1e-12)
    np.testing.assert_allclose(shown["sigma_smoothed"], judge.sigma_smoothed[3:6], rtol=1e-12)


def test_at_a_moment_after_accounts_changed() -> None:
    """Who was merged away is not there, who was renamed is under the new name, and a reset counts."""
    items = [
        {"ranks": RUN, "time": "2026-01-01"},
        {"ranks": RUN, "time": "2026-01-02"},
        Merge(player="bob", into="ann"),
        Rename(player="cat", into="kit"),
        Reset(keep=0.5),
    ]
    history = History.from_events(items)
    smoothing = podium.smooth(history, EloMMX())
    frame = smoothing.at("2026-02-01")
    assert frame["player"].to_list() == ["ann", "kit"]
    judge = podium.rate(history, EloMMX()).ratings
    assert frame["mu_smoothed"].to_list() == judge["mu"].to_list()
    assert smoothing.at("2026-01-01").height == 3
    assert smoothing.at("2025-01-01").height == 0


# ---------------------------------------------------------------------------------------------------------
# At a moment, tables, truth, refusals


def test_at_a_moment_is_an_unrated_start_then() -> None:
    """Somebody who took part out of competition at that moment is judged from the same results."""
    system = EloMMX(drift_per_day=30.0)
    first, last = {"ranks": RUN, "time": "2026-01-01"}, {"ranks": BACK, "time": "2026-03-01"}
    between = {"ranks": RUN, "time": "2026-02-01", "unrated": ["ann", "bob", "cat"]}
    smoothing = podium.smooth(History.from_events([first, last]), system)
    shown = smoothing.at("2026-02-01").sort("player")
    judge = podium.smooth(History.from_events([first, between, last]), system)
    np.testing.assert_allclose(shown["mu_smoothed"], judge.mu_smoothed[3:6], rtol=1e-12)
    np.testing.assert_allclose(shown["sigma_smoothed"], judge.sigma_smoothed[3:6], rtol=1e-12)
    np.testing.assert_allclose(shown["sigma"], judge.sigma[3:6], rtol=1e-12)
    assert smoothing.at("2025-01-01").height == 0
    on_the_day = smoothing.at("2026-01-01").sort("player")
    np.testing.assert_array_equal(on_the_day["mu_smoothed"], smoothing.mu_smoothed[:3])


@pytest.mark.parametrize("system", [EloMMX(), EloMMR()], ids=["normal", "logistic"])
def test_walks_may_be_smoothed_a_few_at_a_time(system: RatingSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row is rated once and smoothed once in each round; where work is cut changes nothing."""
    history, _ = synthetic_contests(players=30, contests=20, participants=8, seed=3)
    whole = podium.smooth(history, system, rounds=3, tolerance=0.0)
    monkeypatch.setattr(ragged, "FIRST_ROWS", 25)
    monkeypatch.setattr(ragged, "PIECE_SECONDS", 0.0)
    done: list[int] = []
    pieces = podium.smooth(history, system, rounds=3, tolerance=0.0, progress=done.append)
    np.testing.assert_array_equal(pieces.mu_smoothed, whole.mu_smoothed)
    np.testing.assert_array_equal(pieces.sigma_smoothed, whole.sigma_smoothed)
    assert sum(done) == (1 + 3) * history.rows
    assert len(done) > 80


def test_tables_and_rounds() -> None:
    history, skill = synthetic_contests(players=60, contests=40, participants=12, seed=2)
    system = EloMMX(beta=200, gamma=0, drift_per_day=175)
    smoothing = podium.smooth(history, system)
    assert smoothing.frame.columns == [
        "event",
        "time",
        "player",
        "mu",
        "sigma",
        "mu_smoothed",
        "sigma_smoothed",
    ]
    assert smoothing.frame.height == history.rows
    assert repr(smoothing) == "<Smoothing: 480 rows, elo-mmx with 3 changed parameters>"
    again = podium.smooth(history, system, rounds=100, tolerance=3.0)
    assert 2 < again.rounds < 30
    assert 0.0 < again.change <= 3.0
    rmse = [
        float(np.sqrt(np.mean((mu - skill) ** 2)))
        for mu in (smoothing.mu, smoothing.mu_smoothed, again.mu_smoothed)
    ]
    assert rmse[0] > 1.15 * rmse[1]
    assert rmse[1] > rmse[2]


def test_refusals() -> None:
    history = History.from_events([{"ranks": RUN}])
    for system, why in (
        (podium.Elo(), "elo cannot be smoothed"),
        (podium.Glicko2(), "glicko2 cannot be smoothed"),
        (Glicko(period="7d"), "rating periods"),
        (EloMMR(performance="hyperbolic-secant"), "hyperbolic-secant"),
    ):
        with pytest.raises(podium.UnsupportedError, match=why):
            podium.smooth(history, system)
    with pytest.raises(podium.UnsupportedError, match="no performances"):
        podium.smooth(history, TrueSkill(), rounds=2)
    with pytest.raises(podium.ParameterError, match="smooth takes a history, not int"):
        podium.smooth(7)  # type: ignore[arg-type]
    with pytest.raises(podium.ParameterError, match="0 rounds"):
        podium.smooth(history, EloMMX(), rounds=0)
    smoothing = podium.smooth(history, "elo-mmx")
    with pytest.raises(podium.InputError, match="no times"):
        smoothing.at("2026-01-01")
    with pytest.raises(podium.UnknownPlayerError, match="did you mean 'bob'"):
        smoothing.player("bop")


def test_extremes() -> None:
    """Certain skills, endless drift, hopeless results: finite."""
    items = [{"ranks": RUN if i % 2 else BACK} for i in range(30)]
    history = History.from_events([SetRating(player="ann", mu=1e8, sigma=1e-3), *items])
    for system in (EloMMX(), EloMMR(), EloMMR(gamma=0.0), EloMMX(sigma=1e5, gamma=1e5)):
        for rounds in (1, 3):
            smoothing = podium.smooth(history, system, rounds=rounds)
            assert np.isfinite(smoothing.mu_smoothed).all()
            assert (smoothing.sigma_smoothed > 0).all()
