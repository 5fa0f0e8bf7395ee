"""The page about a ladder, and the table of chances that the comparison of players uses."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np
import pytest

import podium
from pages.page_histories import CUP, MATCHES, elo_run
from podium import History
from podium.documents.page_documents import ChancesDocument
from podium.pages.about_pages import system_words
from podium.pages.ladder_pages import ladder_pages


def test_how_well_it_predicted() -> None:
    """The first match was open; of the second 0.477 was expected of its winner, and the third was a draw."""
    about = ladder_pages(elo_run(*MATCHES), computed=datetime(2026, 5, 1, tzinfo=UTC)).about()
    quality = about["quality"]
    assert quality is not None
    chances = [0.5, 1 / (1 + 10 ** (16 / 400)), None]
    draw = 1 / (1 + 10 ** (-(16 + 32 * (1 - chances[1])) / 400))  # type: ignore[operator]
    loss = (-math.log(0.5) - math.log(chances[1]) - 0.5 * math.log(draw) - 0.5 * math.log(1 - draw)) / 3  # type: ignore[arg-type]
    assert quality["log_loss"] == pytest.approx(loss, abs=1e-4)
    assert quality["coin_log_loss"] == pytest.approx(math.log(2), abs=1e-4)
    assert quality["right"] == 0.25  # of two decided: an open one counts half, the other one was wrong
    assert (
        sum(one["count"] for one in quality["bins"]) == 5
    )  # of the match at home, only the home side counts
    assert (
        quality["words"][0]
        == "For each of 3 matches, podium made a prediction from the ratings just before it."
    )
    assert (about["computed"], about["start"], about["now"]) == ("2026-05-01", "2026-01-01", "2026-02-20")
    assert next(row for row in about["parameters"] if row["name"] == "k")["value"] == 32.0


def test_quality_is_that_of_evaluate() -> None:
    history = History.from_events(CUP)
    pages = ladder_pages(podium.rate(history, podium.Elo(), trace=True))
    quality = pages.about()["quality"]
    assert quality is not None
    told = podium.evaluate(
        history, podium.Elo(), metrics=["log-loss", "accuracy"], scopes="everyone", resamples=2
    )
    assert quality["log_loss"] == pytest.approx(told.summary["log_loss"][0], abs=1e-4)
    assert 100 * quality["right"] == pytest.approx(told.summary["accuracy"][0], abs=0.01)  # type: ignore[operator]


@pytest.mark.parametrize("name", podium.list_systems())
def test_every_system_is_told_to_players(name: str) -> None:
    words = system_words(podium.make_system(name))
    assert len(" ".join(words)) > 150
    assert "{" not in " ".join(words)


def test_single_days_are_told_as_the_distribution_has_them() -> None:
    """How far an unusual day moves a rating, per point of its performance, agrees with the words."""
    for performance, good_counts_more in (("logistic", False), ("gumbel-min", True)):
        ladder = podium.Ladder(podium.EloMMR(performance=performance))
        parts = {}
        for far in (100.0, 800.0):
            ladder.adjust(podium.SetRating(player="me", mu=1500, sigma=80))
            ladder.adjust(podium.Anchor(player="them", mu=1500 + far, sigma=10))
            change = next(one for one in ladder.preview(ranks={"me": 1, "them": 1}) if one.player == "me")
            assert change.performance is not None
            parts[far] = (change.mu - 1500) / (change.performance - 1500)
        assert (parts[800.0] > parts[100.0]) == good_counts_more
        words = " ".join(system_words(ladder.system))
        assert ("A very good day counts more" in words) == good_counts_more
        assert ("very good or very bad day counts less" in words) != good_counts_more


def chance(table: ChancesDocument, one: tuple[float, float, int], other: tuple[float, float, int]) -> float:
    """What the script of the comparison computes: (mu, sigma, events) of both players."""
    if one[0] < other[0]:
        return 1.0 - chance(table, other, one)
    odds = np.array(table["log_odds"])
    for axis, value in (
        (table["differences"], one[0] - other[0]),
        (table["sigmas"], one[1]),
        (table["sigmas"], other[1]),
    ):
        at = float(np.interp(value, axis, np.arange(len(axis))))
        low = min(int(at), len(axis) - 1)
        high = min(low + 1, len(axis) - 1)
        odds = odds[low] + (at - low) * (odds[high] - odds[low])
    lack = [1.0 / (1.0 + events / table["experienced_events"]) for events in (one[2], other[2])]
    logit = table["slope"] * float(odds) + table["experience"] * (lack[0] - lack[1])
    return 1.0 / (1.0 + math.exp(-logit))


@pytest.mark.parametrize(
    "system",
    [
        podium.Elo(),
        podium.Elo(calibration="learned"),
        podium.EloMMR(),
        podium.Glicko2(calibration="learned"),
        podium.TrueSkill(),
    ],
    ids=lambda system: f"{system.name} {system.calibration}",
)
def test_chances_between_players_are_the_ladders(system: podium.systems.RatingSystem) -> None:
    rng = np.random.default_rng(3)
    skill = rng.normal(0, 3, 12)
    games = [rng.choice(12, 2, replace=False) for _ in range(60)]
    won = [int(rng.random() < 1 / (1 + math.exp(skill[b] - skill[a]))) for a, b in games]
    run = podium.rate(History.from_matches(*zip(*games, strict=True), won), system, trace=True)
    pages = ladder_pages(run)
    table = pages.compare()["chances"]
    assert table is not None
    assert table["error"] < 0.01
    rows = [(row.name, (row.mu, row.sigma or 0.0, row.events)) for row in pages.search_rows()]
    for name, one in rows:
        for rival, other in rows:
            if name != rival:
                assert chance(table, one, other) == pytest.approx(
                    run.ladder.expected_score(name, rival), abs=table["error"]
                )


def test_neighbours_are_suggested() -> None:
    pages = ladder_pages(elo_run(*CUP))
    board = [row["player"] for row in pages.leaderboard()["rows"]]
    assert pages.compare()["suggested"][0] == board[:2]
    assert pages.card("cups")["leaders"] == board[:3]
