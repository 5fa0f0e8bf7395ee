"""The Elo-MMR paper and its draft: what is computed for them against closed forms and slow ways."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium import EloMMR, EloMMX, History, Topcoder
from podium.arrays import NO_TIME
from podium.errors import InputError
from podium.simulation.populations import synthetic_contests
from podium.studies.attacks.attack_verdicts import Gains
from podium.tables import write_history
from podium_papers import PAPERS, Setting
from podium_papers.elo_mmr.contest_data import READINGS, TOO_SMALL, Reading, synthetic
from podium_papers.elo_mmr.fewer_opponents import capped
from podium_papers.elo_mmr.figure_2_farming import CAPPED, decay, simulated
from podium_papers.elo_mmr.glicko_farming import searched
from podium_papers.elo_mmr.momentum import perform, steady_weights, weights_of
from podium_papers.elo_mmr.opponent_samples import WAYS, better_places, follow
from podium_papers.elo_mmr.performance_models import HEAVY_TAILED, LOG_CONCAVE, lemma_holds
from podium_papers.elo_mmr.properties import CLAIMED, DISTANCES, search, upset
from podium_papers.elo_mmr.protocol import (
    WHO,
    Scores,
    measure,
    ratings_before,
    true_scores,
    tune_and_test,
)
from podium_papers.elo_mmr.published import METRICS, SYSTEMS, TABLES
from podium_papers.elo_mmr.small_contests import verdict
from podium_papers.elo_mmr.table_2_accuracies import TIES_IN_WORDS, numbers_beside, ways_to_read
from podium_papers.elo_mmr.theorems import (
    MEMORYLESS_SYSTEMS,
    better_off,
    draw,
    in_order,
    one_more,
    rated,
    seasons,
    ties_broken,
)
from podium_papers.elo_mmr.theorems import SYSTEMS as THEOREMS
from podium_papers.elo_mmr_draft.lemmas import most_zeros, random_contests
from podium_papers.items import Result
from podium_papers.printed import held

QUICK = Setting(quick=True)


@cache
def made(paper: str, item: str, setting: Setting = QUICK) -> Result:
    return PAPERS[paper].items[item].make(setting)


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


PRINTED = """
Codeforces 1087 2999
Topcoder 2023 403
Reddit 1000 20
Synthetic 50 2500

Codeforces 78.3% 14.9% 78.5% 15.1% 61.7% 25.4% 78.5% 14.8% 78.6% 14.7%
Topcoder 72.6% 18.5% 72.3% 18.7% 68.7% 20.9% 73.0% 18.3% 73.1% 18.2%
Reddit 61.5% 27.3% 61.4% 27.4% 61.5% 27.2% 61.6% 27.3% 61.6% 27.3%
Synthetic 81.7% 12.9% 81.7% 12.8% 81.3% 13.1% 81.7% 12.8% 81.7% 12.8%

Codeforces 212.9 72.5 67.2 31.4 35.4
Topcoder 9.60 4.25 16.8 7.00 7.52
Reddit 1.19 1.14 0.44 1.14 1.42
Synthetic 3.26 1.00 2.93 0.81 0.85
"""
"""Tables 1 to 3, line by line as they stand in the paper."""


def test_tables_are_typed_as_they_are_printed() -> None:
    first, second, third = (part.split("\n") for part in PRINTED.strip().split("\n\n"))
    assert [" ".join(map(str, row)) for row in TABLES["Table 1"].rows()] == first
    by_set = TABLES["Table 2"].partition_by("set", maintain_order=True)
    for part, line in zip(by_set, second, strict=True):
        pairs, ranks = (part.filter(metric=metric).select(SYSTEMS).row(0) for metric in METRICS)
        both = (value for pair in zip(pairs, ranks, strict=True) for value in pair)
        assert " ".join([part["set"][0], *both]) == line
    for row, line in zip(TABLES["Table 3"].rows(), third, strict=True):
        assert " ".join(row).replace(" s", "") == line


def test_labels_are_of_what_was_made() -> None:
    for reading in READINGS:
        history = synthetic(QUICK, 0, reading).history
        label = str(reading.sized(quick=True))
        every = f"all {history.sizes[0]}" if len(history.players) == history.sizes[0] else ""
        some = f"{history.sizes[0]} of {len(history.players)}"
        assert (every or some) in label
    names = {row["set"] for row in made("elo-mmr", "table-2").tables[BY_READING].to_dicts()}
    assert names == {str(reading.sized(quick=True)) for reading in READINGS}
    assert not any("2,500" in number.what for number in made("elo-mmr", "table-2").numbers)


BY_READING = "On the synthetic set, in percent, by how it is read and whom the metrics count (mean of seeds)"


@pytest.mark.parametrize("item", ["table-1", "table-2", "table-3", "rho", "trueskill-small", "figure-2"])
def test_a_quick_run_says_that_it_answers_nothing(item: str) -> None:
    for number in made("elo-mmr", item).numbers:
        if number.published and "decays" not in number.published and "2975" not in number.published:
            exact = number.what in ("Synthetic: contests", "Synthetic: deviation of skills")
            assert exact or number.remark == TOO_SMALL, number.what


def _scores(pairs: float, ranks: float) -> Scores:
    keys = [(who, ties) for who in WHO for ties in TIES_IN_WORDS]
    return Scores(dict.fromkeys(keys, pairs), dict.fromkeys(keys, ranks), ())


def test_remarks_follow_from_numbers() -> None:
    found = {name: [_scores(81.72, 12.6)] for name in SYSTEMS}
    numbers = {n.what: n for n in numbers_beside(found, "Synthetic", "seed 0", "here", Setting())}
    assert numbers["here: Codeforces, pairs right"].remark == "as printed"
    assert numbers["here: Codeforces, rank deviation"].remark == "−0.3"
    assert numbers["here: TrueSkill, pairs right"].remark == "+0.4"
    quick = numbers_beside(found, "Synthetic", "seed 0", "here", QUICK)
    assert {number.remark for number in quick} == {TOO_SMALL}
    file = numbers_beside(found, "Codeforces", "club.csv", "club.csv", Setting())
    assert {number.remark for number in file} == {"in place of the authors' Codeforces data"}


def test_ways_that_give_the_same_are_one() -> None:
    """A reading whose six ways agree counts once, and the nearest is first."""
    same = {name: [_scores(81.7, 12.8)] for name in SYSTEMS}
    one = _scores(84.0, 11.0)
    other = one._replace(pairs_right={**one.pairs_right, ("everyone", "fair"): 83.0})
    ways = ways_to_read({READINGS[0]: {name: [other] for name in SYSTEMS}, READINGS[1]: same})
    assert [(way.reading, way.who) for way in ways] == [
        (READINGS[1], "five before"),
        (READINGS[0], "everyone"),
        (READINGS[0], "five before"),
    ]
    assert ways[0].distance == pytest.approx(0.1 / 8)  # only Codeforces' rank deviation is 12.9


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([-0.5, -0.4, -0.6, -0.5, -0.45, -0.55], "TrueSkill ahead"),
        ([0.5, 0.4, 0.6, 0.5, 0.45, 0.55], "Elo-MMR ahead"),
        ([-0.03, -0.02, -0.04, -0.03, -0.02, -0.04], "TrueSkill ahead"),
        ([-0.5, 0.4, -0.3, 0.5, 0.2, -0.1], "not told apart"),
        ([-2.0, -2.1], "too few seeds to tell"),
    ],
)
def test_who_is_ahead_is_a_matter_of_chance(values: list[float], said: str) -> None:
    assert verdict(Gains(np.array(values))) == said


# ------------------------------------------------------------------ files

READING = [name for name, item in PAPERS["elo-mmr"].items.items() if "contests" in item.reads]


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    path = tmp_path_factory.mktemp("contests") / "club.csv"
    write_history(synthetic_contests(8, 112, 8, seed=4).history, path)
    return Setting(quick=True, contests=path)


def test_which_items_read_contests() -> None:
    assert READING == ["figure-2", "table-1", "table-2", "rho", "table-3"]


@pytest.mark.parametrize("item", READING)
def test_a_file_takes_the_place_of_a_site(club: Setting, item: str) -> None:
    """Its name stands on each of its numbers, and what is said of it has no gaps."""
    result = made("elo-mmr", item, club)
    beside = [number for number in result.numbers if number.what.startswith("club.csv")]
    assert len(beside) >= 2
    assert {number.source for number in beside} <= {"club.csv", "the times above"}
    assert not any("nan" in number.ours + number.remark for number in beside)
    assert "No file" not in result.words


def test_what_is_said_of_a_file_is_counted(club: Setting) -> None:
    """The first and the last system in the words are those of the table."""
    result = made("elo-mmr", "table-2", club)
    table = result.tables["club.csv, in percent"].filter(metric="pairs right")
    for row in table.to_dicts():
        order = sorted(SYSTEMS, key=lambda name: -row[name])
        assert f"counting {row['counted']}, {order[0]} is first and {order[-1]} last" in result.words


@pytest.mark.parametrize("item", READING)
@pytest.mark.parametrize("contests", [1, 19, 40])
def test_files_too_short_are_refused(tmp_path: Path, item: str, contests: int) -> None:
    """Forty contests that nobody takes part in twice are too short as well."""
    path = tmp_path / "short.csv"
    events = [
        {"ranks": {f"a{i * (contests > 30)}": 1, f"b{i * (contests > 30)}": 2}} for i in range(contests)
    ]
    write_history(History.from_events(events), path)
    with pytest.raises(InputError, match=r"short\.csv: too short: there (is|are) \d+ event"):
        PAPERS["elo-mmr"].items[item].make(Setting(quick=True, contests=path))


def test_nobody_may_have_enough_contests_to_farm(tmp_path: Path) -> None:
    path = tmp_path / "club.csv"
    write_history(synthetic_contests(12, 30, 10, seed=4).history, path)
    result = PAPERS["elo-mmr"].items["figure-2"].make(Setting(quick=True, contests=path))
    assert "Nobody in club.csv has 105 rated contests." in result.words


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
    assert measure(history, rating, "five in all").pairs_right == 0.0


def test_parameters_are_chosen_on_the_first_tenth_only() -> None:
    history = synthetic(QUICK, 3).history
    scores = tune_and_test(history, "Topcoder", quick=True)
    changed = np.where(np.arange(history.rows) < history.offsets[5], history.rank, 101 - history.rank)
    later = History(history.players, history.offsets, history.player, changed.astype(np.int32), history.time)
    assert tune_and_test(later, "Topcoder", quick=True).chosen == scores.chosen
    rating = ratings_before(scores.chosen[0], history)
    expected = measure(history, rating, "five before").pairs_right
    assert scores.pairs_right["five before", "fair"] == expected


@pytest.mark.parametrize("name", SYSTEMS)
def test_nobody_beats_the_truth(name: str) -> None:
    history, skill = synthetic(QUICK, 1, Reading(players=2_500))
    truth, scores = true_scores(history, skill), tune_and_test(history, name, quick=True)
    for who in ("five before", "everyone"):
        assert scores.pairs_right[who, "fair"] < truth.pairs_right[who, "fair"]
        assert scores.rank_deviation[who, "fair"] > truth.rank_deviation[who, "fair"]
    # Players of 350 around the mean, who perform ± 200, are in order with a chance of 1/2 + atan(350/200)/π;
    # drift spreads them a little more.
    assert truth.pairs_right["everyone", "fair"] == pytest.approx(
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


def test_a_property_is_said_of_what_was_measured() -> None:
    numbers = {number.what.split(" (")[0]: number for number in made("elo-mmr", "properties").numbers}
    assert "Elo-MMR(0): massive" not in numbers  # its time is not measured
    assert numbers["Elo-MMχ: robust"].published == "lacks the R for robustness"
    for name, (_, _, robust) in CLAIMED.items():
        number = numbers[f"{name}: robust"]
        assert bool(number.published) == (robust is not None)
        if robust is not None:
            assert number.remark == held(number.ours.startswith("yes") == robust.holds)


# ------------------------------------------------------------------ theorems


@pytest.mark.parametrize("name", THEOREMS)
def test_theorems_of_section_5(name: str) -> None:
    system, drawn = THEOREMS[name], draw(60, 1)
    assert in_order(system, drawn).number > 1_000
    assert ties_broken(system, drawn).number > 500
    tried = [one_more(system, drawn, 1), in_order(system, drawn), better_off(system, drawn, 1)]
    tried.append(ties_broken(system, drawn))
    assert [one.failed for one in tried] == [0, 0, 0, 0]
    if name in MEMORYLESS_SYSTEMS:
        assert [one.failed for one in seasons(system, 3, 1)] == [0, 0, 0]


def test_a_memory_breaks_theorem_5_6() -> None:
    assert seasons(EloMMR(rho=0.0), 20, 0)[2].failed > 0


def test_violations_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """With performances upside down every comparison of them fails."""
    drawn = draw(30, 2)
    monkeypatch.setattr(  # the module's own, as those imported above stay what they are
        "podium_papers.elo_mmr.theorems.rated",
        lambda system, drawn: rated(system, drawn)._replace(performance=-rated(system, drawn).performance),
    )
    tried = in_order(SYSTEM, drawn)
    assert tried.failed == tried.number
    assert better_off(SYSTEM, drawn, 2).failed > 30
    assert one_more(SYSTEM, drawn, 2).failed > 300
    tried = ties_broken(SYSTEM, drawn)
    assert tried.failed > 0.9 * tried.number


# ------------------------------------------------------------------ farming


def test_glicko_2_is_farmed_in_long_periods_with_a_large_tau() -> None:
    assert searched(0, 0.5)[1] == 0.0
    pattern, gain = searched(0, 1.2)
    assert "x" in pattern
    assert gain > 500.0


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
    capped = simulated(QUICK, 1, systems=CAPPED).runs["Topcoder"]
    assert capped.thrown.any()
    assert capped.gain < 0.5 * runs["Topcoder"].gain


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
    assert lemma_holds(HEAVY_TAILED, np.linspace(-6.0, 6.0, 241)) < 1.0
    assert max(most_zeros(HEAVY_TAILED, contest) for contest in random_contests(20, 0)) > 1
