"""Systems in ordinary Python: a class of twenty lines is rated, evaluated, tuned, explained and saved."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import pytest

import podium
from podium.checks import Law, laws
from podium.errors import InputError, ParameterError, UnsupportedError
from podium.named import temporary_registrations
from podium.systems import Capabilities, RatingSystem, parameter

with temporary_registrations():

    @podium.simple_system
    class TinyElo:
        """One number a player, moved by K times each surprise."""

        k: float = 20.0

        def rate(self, event: Any) -> list[float]:
            a, b = event.players
            gain = self.k * (a.score(b) - self.predict(a.rating, b.rating))
            return [a.rating.mu + gain, b.rating.mu - gain]

        def predict(self, a: Any, b: Any) -> float:
            return 1.0 / (1.0 + 10.0 ** ((b.mu - a.mu) / 400.0))

    @podium.simple_system
    class Kalman:
        """A normal belief that widens with time; teams and contests as all their pairs.

        Everything a class may have is here.
        """

        name = "kalman"
        supports = Capabilities(many=True, teams=True, ties=True, shares=True, weights=True, home=True)
        sigma: float = parameter(300.0, "deviation of a newcomer", low=1.0, search=(50.0, 500.0))
        drift: float = 20.0
        home_advantage: float = parameter(0.0, "points of the home side", low=-500.0)

        def start(self) -> dict[str, float]:
            return {"mu": 1500.0, "sigma": self.sigma, "games": 0.0}

        def aged(self, rating: Any, days: float) -> dict[str, float]:
            return {"sigma": math.sqrt(rating.sigma**2 + self.drift * days)}

        def rate(self, event: Any) -> list[dict[str, float]]:
            after = []
            for player in event.players:
                others = [other for other in event.players if other.side != player.side]
                info = surprise = 0.0
                for other in others:
                    lead = self.home_advantage * (player.home - other.home)
                    chance = self.predict(player.rating._replace(mu=player.rating.mu + lead), other.rating)
                    scale = event.weight / len(others)
                    surprise += scale * (player.score(other) - chance) * math.log(10.0) / 400.0
                    info += scale * chance * (1.0 - chance) * (math.log(10.0) / 400.0) ** 2
                variance = 1.0 / (1.0 / player.rating.sigma**2 + info)
                after.append(
                    {
                        "mu": player.rating.mu + variance * surprise,
                        "sigma": math.sqrt(variance),
                        "games": player.rating.games + 1.0,
                    }
                )
            return after

        def predict(self, a: Any, b: Any) -> float:
            scale = math.sqrt(400.0**2 + a.sigma**2 + b.sigma**2)
            return float(1.0 / (1.0 + 10.0 ** ((b.mu - a.mu) / scale)))

    TINY, KALMAN = podium.make_system("tiny-elo"), podium.make_system("kalman")


@pytest.fixture(autouse=True)
def registered() -> Any:
    with temporary_registrations():
        podium.register_system(type(TINY))
        podium.register_system(type(KALMAN))
        yield


@pytest.mark.parametrize("system", [TINY, KALMAN], ids=lambda system: str(system.name))
@pytest.mark.parametrize("law", laws(), ids=str)
def test_law(system: RatingSystem, law: Law) -> None:
    law.check(system, examples=6)


def season() -> podium.History:
    """A season of sixty days among eight players of known strength."""
    chance, events = Random(1), []
    for day in range(120):
        a, b = chance.sample(range(8), 2)
        first = chance.random() < 1.0 / (1.0 + 10.0 ** ((b - a) / 4.0))
        ranks = {f"p{a}": 1 if first else 2, f"p{b}": 2 if first else 1}
        events.append(podium.Event.of(ranks=ranks, time=1_700_000_000 + 43_200 * day))
    return podium.History.from_events(events)


def test_it_rates_as_the_kernels_of_elo_do() -> None:
    history = season()
    mine, theirs = podium.rate(history, TINY), podium.rate(history, podium.Elo(k=20))
    assert mine.ratings["player"].to_list() == theirs.ratings["player"].to_list()
    assert mine.ratings["mu"].to_list() == pytest.approx(theirs.ratings["mu"].to_list(), abs=1e-9)


def test_it_is_evaluated_tuned_explained_and_saved_like_any_other(tmp_path: Path) -> None:
    history = season()
    report = podium.evaluate(history, {"tiny": TINY, "elo": podium.Elo(k=20)})
    assert "log-loss" in str(report)
    tuned = podium.tune(history, "tiny-elo", trials=3, jobs=1)
    assert tuned.system.name == "tiny-elo"
    run = podium.rate(history, KALMAN, trace=True)
    assert "p7" in str(run.explain("p7"))
    run.ladder.save(tmp_path / "saved.podium")
    loaded = podium.Ladder.load(tmp_path / "saved.podium")
    assert loaded.system == KALMAN
    assert loaded.rating("p7") == run.ladder.rating("p7")


def test_parameters_and_names() -> None:
    assert podium.make_system("tiny-elo", k="40").label == "tiny-elo with k=40"
    assert TINY.summary == "One number a player, moved by K times each surprise"
    assert type(TINY).declared()["k"].search == (5.0, 80.0)
    with pytest.raises(ParameterError, match="'q'"):
        podium.make_system("tiny-elo", q=3)
    with pytest.raises(UnsupportedError, match="tiny-elo cannot use teams"):
        podium.Ladder(TINY).record(teams=[["a", "b"], ["c"]], ranks=[1, 2])


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ([1500.0], "rate returned 1 ratings for 2 players"),
        ([math.nan, 1500.0], "mu became nan"),
        ([{"mu": 1500.0, "sigma": 3.0}, 1500.0], "a rating has no number 'sigma'"),
    ],
)
def test_what_cannot_be_ratings_is_refused(returned: Any, words: str) -> None:
    @podium.simple_system
    class Odd:
        """Returns what it should not."""

        def rate(self, event: Any) -> Any:
            return returned

        def predict(self, a: Any, b: Any) -> float:
            return 0.5

    with pytest.raises(InputError, match=words):
        podium.Ladder(podium.make_system("odd")).record_match("ann", "bob")


def test_a_class_without_its_methods_is_refused() -> None:
    with pytest.raises(ParameterError, match="Empty has no method rate"):
        podium.simple_system(type("Empty", (), {}))
