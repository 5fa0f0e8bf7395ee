"""The Elo-MMR paper and its draft: what is computed for them against closed forms and slow ways."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium import EloMMR, EloMMX, History, Topcoder
from podium.history.times import NO_TIME
from podium.io import write_history
from podium.lab.populations import synthetic_contests
from podium.papers import PAPERS, Setting
from podium.papers.elo_mmr.data import Reading, synthetic
from podium.papers.elo_mmr.farming import decay, simulated
from podium.papers.elo_mmr.momentum import perform, steady_weights, weights_of
from podium.papers.elo_mmr.properties import DISTANCES, search, upset
from podium.papers.elo_mmr.protocol import measure, ratings_before, true_scores, tune_and_test
from podium.papers.elo_mmr.published import METRICS, SYSTEMS
from podium.papers.elo_mmr.sampling import WAYS, better_places, follow
from podium.papers.elo_mmr.subsampling import capped
from podium.papers.elo_mmr_draft.lemmas import HEAVY, LOG_CONCAVE, lemma_holds, most_zeros, random_contests
from podium.papers.items import Result

QUICK = Setting(quick=True)


@cache
def made(paper: str, item: str) -> Result:
    return PAPERS[paper].items[item].make(QUICK)


# ------------------------------------------------------------------ all items


@pytest.mark.parametrize("paper", ["elo-mmr", "elo-mmr-draft"])
def test_there_is_every_table_and_figure(paper: str) -> None:
    expected = {"table-1", "table-2", "table-3", "figure-1"} | ({"figure-2"} if paper == "elo-mmr" else set())
    assert expected <= set(PAPERS[paper].items)


CHECKED = [
    ("elo-mmr", "table-1"),
    ("elo-mmr", "table-2"),
    ("elo-mmr", "momentum"),
    ("elo-mmr-draft", "table-1"),
    ("elo-mmr-draft", "bounds"),
]


@pytest.mark.parametrize(("paper", "item"), CHECKED)
def test_published_numbers_have_a_place_and_ours_a_source(paper: str, item: str) -> None:
    numbers = made(paper, item).numbers
    assert numbers
    for number in numbers:
        assert number.source
        assert number.ours
        assert bool(number.published) == bool(number.place)


def test_table_2_has_the_whole_printed_row() -> None:
    numbers = {number.place: number for number in made("elo-mmr", "table-2").numbers}
    for metric, printed in METRICS.items():
        for column, name in enumerate(SYSTEMS):
            number = numbers[f"Table 2, Synthetic, {name}, {metric}"]
            assert number.published == f"{printed['Synthetic'][column]}%"


def test_a_file_takes_the_place_of_a_site(tmp_path: Path) -> None:
    """Its name stands on each of its numbers; where nobody has enough contests to farm, that is said."""
    path = tmp_path / "club.csv"
    write_history(synthetic_contests(30, 30, 12, seed=4).history, path)
    setting = Setting(quick=True, contests=path)
    items = PAPERS["elo-mmr"].items
    for name in ("table-1", "table-2", "table-3"):
        beside = [
            number for number in items[name].make(setting).numbers if number.what.startswith("club.csv")
        ]
        assert len(beside) >= 2, name
        assert all("Codeforces" in one.place or "Section" in one.place for one in beside), name
    assert "Nobody in club.csv has 105 rated contests." in items["figure-2"].make(setting).words


# ------------------------------------------------------------------ the protocol


def test_who_is_counted() -> None:
    """Ann and bob play six times, cat and dan four; with the first tenth (two at least) left out."""
    events = [{"ranks": {"ann": 1, "bob": 2}}] * 2
    events += [{"ranks": {"ann": 1, "bob": 2, "cat": 3, "dan": 4}}] * 4
    history = History.from_events(events)
    rating = np.arange(history.rows, dtype=np.float64)  # always the wrong way round
    assert measure(history, rating, "everyone").rows == 16
    assert measure(history, rating, "five in all").rows == 8
    assert measure(history, rating, "five before").rows == 2
    assert measure(history, rating, "five in all").pair_inversion == 0.0


def test_parameters_are_chosen_on_the_first_tenth_only() -> None:
    history = synthetic(QUICK, 3).history
    scores = tune_and_test(history, "Topcoder", quick=True)
    changed = np.where(np.arange(history.rows) < history.offsets[5], history.rank, 101 - history.rank)
    later = History(history.players, history.offsets, history.player, changed.astype(np.int32), history.time)
    assert tune_and_test(later, "Topcoder", quick=True).chosen == scores.chosen
    rating = ratings_before(scores.chosen[0], history)
    expected = measure(history, rating, "five before").pair_inversion
    assert scores.pair_inversion["five before", "fair"] == expected


@pytest.mark.parametrize("name", SYSTEMS)
def test_nobody_beats_the_truth(name: str) -> None:
    history, skill = synthetic(QUICK, 1, Reading(players=2_500))
    truth, scores = true_scores(history, skill), tune_and_test(history, name, quick=True)
    for who in ("five before", "everyone"):
        assert scores.pair_inversion[who, "fair"] < truth.pair_inversion[who, "fair"]
        assert scores.rank_deviation[who, "fair"] > truth.rank_deviation[who, "fair"]
    # Players of 350 around the mean, who perform ± 200, are in order with a chance of 1/2 + atan(350/200)/π;
    # drift spreads them a little more.
    assert truth.pair_inversion["everyone", "fair"] == pytest.approx(
        100 * (0.5 + math.atan(350 / 200) / math.pi), abs=2.5
    )


# ------------------------------------------------------------------ momentum


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0, 4.0, math.inf])
def test_weights_settle_where_they_are_derived_to(rho: float) -> None:
    system = EloMMR(rho=rho)
    state, _ = perform(system, np.linspace(1000.0, 2000.0, 200))
    assert weights_of(system, state).share == pytest.approx(steady_weights(system).share, abs=1e-9)
    slow = EloMMR(rho=rho, beta=200.0, gamma=1e-4)
    assert steady_weights(slow).share == pytest.approx(1.0 / (1.0 + rho), abs=1e-5)


def test_performances_are_exactly_those_given() -> None:
    """The mode of two equal logistic factors and a weak prior is in the middle; one alone is shrunk to it."""
    system = EloMMR(rho=0.0, sigma=1e6)
    _, ratings = perform(system, [1000.0, 2000.0])
    assert ratings[0] == pytest.approx(1000.0, abs=0.1)
    assert 1500.0 < ratings[1] < 2000.0  # the older has lost some weight
    _, even = perform(EloMMR(rho=0.0, sigma=1e6, gamma=0.0), [1000.0, 2000.0])
    assert even[1] == pytest.approx(1500.0, abs=0.1)


# ------------------------------------------------------------------ subsampling

SYSTEM = EloMMR()


@cache
def standings() -> Any:
    chance = np.random.default_rng(7)
    skill = chance.normal(1500, 350, 60)
    shown = skill + chance.normal(0, 200, (6, 60))
    return np.argsort(np.argsort(-shown, axis=1), axis=1) // 2 + 1.0  # ties of two


def test_all_opponents_are_the_exact_system() -> None:
    ranks = standings()
    course = follow(SYSTEM, ranks, "all opponents", 59, 0)
    names = [str(i) for i in range(60)]
    history = History.from_events([{"ranks": dict(zip(names, map(int, row), strict=True))} for row in ranks])
    trace = SYSTEM.update(SYSTEM.new_state(60), history)
    np.testing.assert_allclose(course.performance.ravel(), trace.performance, rtol=0, atol=1e-6)
    np.testing.assert_allclose(course.rating.ravel(), trace.mu, rtol=0, atol=1e-6)


@pytest.mark.parametrize("way", ["all opponents", *WAYS])
def test_who_gains_by_finishing_lower(way: str) -> None:
    """Only where the opponents depend on one's own rating: Lemma 5.3 needs that they do not."""
    number = 59 if way == "all opponents" else 8
    course = follow(SYSTEM, standings(), way, number, 1)
    throws = better_places(SYSTEM, course, standings(), way, number, 1, 300)
    assert (throws.gained > 0) == (way in ("nearest", "buckets"))


@pytest.mark.parametrize("way", ["matched", "pull"])
def test_a_memory_that_forgets_nothing_is_exact(way: str) -> None:
    shown = np.random.default_rng(2).normal(1500, 300, 40)
    _, exact = perform(EloMMR(rho=0.5), shown)
    np.testing.assert_allclose(capped(EloMMR(rho=0.5), shown, 40, way), exact, rtol=0, atol=1e-7)
    assert np.abs(capped(EloMMR(rho=0.0), shown, 3, way) - perform(EloMMR(rho=0.0), shown)[1]).max() > 1.0


# ------------------------------------------------------------------ properties


def test_monotonic_and_robust() -> None:
    for system in (EloMMR(rho=1.0), EloMMX()):
        assert search(system, 150, 0)[0] == 0
    assert search(Topcoder(), 300, 0)[0] > 0
    gained = upset(EloMMX())
    assert gained[-1] == pytest.approx(gained[-2] * DISTANCES[-1] / DISTANCES[-2], rel=0.02)
    state, _ = perform(EloMMR(), [1500.0] * 40)  # in the middle of the field, again and again
    limit = EloMMR().shares(state, 0, NO_TIME)
    assert upset(EloMMR())[-1] == pytest.approx(limit.rise, abs=0.05)


# ------------------------------------------------------------------ farming


def test_decay_of_an_exponential_loss() -> None:
    difference = np.concatenate((np.zeros(89), -300.0 * 0.8 ** np.arange(16)))
    assert decay(difference) == pytest.approx(0.8)
    assert math.isnan(decay(-difference))


def test_farming_pays_on_topcoder_only() -> None:
    runs = simulated(QUICK, 1).runs
    assert runs["Topcoder"].gain > 100.0
    assert runs["Elo-MMR(1)"].gain < 0.0
    assert runs["Topcoder"].thrown.tolist() == runs["Elo-MMR(1)"].thrown.tolist()
    assert not runs["Topcoder"].thrown[:45].any()
    assert not runs["Topcoder"].thrown[90:].any()


# ------------------------------------------------------------------ the draft


@pytest.mark.parametrize("name", LOG_CONCAVE)
def test_lemma_3_1_and_theorem_3_2(name: str) -> None:
    kind = LOG_CONCAVE[name]
    assert lemma_holds(kind, np.linspace(-6.0, 6.0, 241)) == 1.0
    assert all(most_zeros(kind, contest) == 1 for contest in random_contests(10, 0))
    # d is the derivative of ln f, and f that of F: v F = −l (1 − F) = f.
    z = np.linspace(-2.0, 2.0, 801)
    lost, won = kind.loss(z), kind.victory(z)
    below = -lost / (won - lost)
    density = won * below
    np.testing.assert_allclose(np.gradient(below, z)[1:-1], density[1:-1], rtol=0, atol=1e-4)
    np.testing.assert_allclose(np.gradient(np.log(density), z)[1:-1], kind.draw(z)[1:-1], rtol=0, atol=1e-4)


def test_the_lemma_needs_log_concave_performances() -> None:
    assert lemma_holds(HEAVY, np.linspace(-6.0, 6.0, 241)) < 1.0
    assert max(most_zeros(HEAVY, contest) for contest in random_contests(20, 0)) > 1
