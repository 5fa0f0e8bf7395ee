"""Advice: told by histories whose answer is known."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import numpy as np
import pytest

import podium
from podium.evaluation.advice import PUBLISHED, Advice, Candidate, Estimate, _is_beaten, _recommended, advise
from podium.evaluation.advice_page import write_advice
from podium.evaluation.block_bootstrap import Resampling
from podium.presets import PRESETS
from podium.systems.auto.expert_lists import ExpertList
from podium.systems.auto.expert_losses import expert_losses

MATCHES = 900


def season(seed: int, *, spread: float, home: float = 0.0, players: int = 12) -> podium.History:
    """Matches at home of players whose skills are `spread` apart on the scale of log odds."""
    chance = Random(seed)
    pairs = [chance.sample(range(players), 2) for _ in range(MATCHES)]
    lead = [spread * (a - b) + home for a, b in pairs]
    won = [float(chance.random() < 1.0 / (1.0 + math.exp(-z))) for z in lead]
    first, second = zip(*pairs, strict=True)
    return podium.History.from_matches(first, second, won, home="a")


@pytest.fixture(scope="module")
def at_home() -> Advice:
    return advise(season(1, spread=0.3, home=1.0))


def answer(advice: Advice, name: str) -> str:
    return next(factor.answer for factor in advice.factors if factor.name == name)


def test_a_home_side_that_matters_is_told_and_the_rest_not_invented(at_home: Advice) -> None:
    assert at_home.predictable
    assert answer(at_home, "home side") == "matters"
    assert answer(at_home, "margins") == "not in this data"
    assert answer(at_home, "absence") == "not in this data"  # there are no times
    assert any(sentence.startswith("Home side: matters") for sentence in at_home.sentences)


def test_a_home_side_that_does_not_matter_is_not_told_to() -> None:
    advice = advise(season(2, spread=0.3))
    assert answer(advice, "home side") in ("no difference shown", "misleads")


def test_pure_luck_is_called_a_coin() -> None:
    advice = advise(season(3, spread=0.0))
    assert not advice.predictable
    assert "significantly better than a coin flip" in advice.sentences[0]
    assert advice.recommended == podium.make_system("matches")
    assert advice.options == ()


def test_candidates_are_in_order_and_the_best_is_never_behind(at_home: Advice) -> None:
    losses = [one.log_loss.value for one in at_home.candidates]
    assert losses == sorted(losses)
    best, *others = at_home.candidates
    assert best.standing == "best"
    assert (best.behind.value, best.behind.low, best.behind.high) == (0.0, 0.0, 0.0)
    for one in others:
        assert one.behind.value == pytest.approx(one.log_loss.value - best.log_loss.value, abs=1e-12)
        assert one.standing == ("worse" if one.behind.low > 0.0 else "level")


def test_the_preset_is_compared_with_every_candidate() -> None:
    """Level with the best, whose losses vary more, and yet worse than the next by a little in every event."""
    chance, preset = np.random.default_rng(1), PRESETS["matches"]
    steady = np.full(400, 0.6) + chance.normal(0.0, 0.001, 400)
    loss = {"auto": steady - 0.002 + chance.normal(0.0, 0.3, 400), "next": steady - 0.001, "matches": steady}
    loss["auto"] += steady.mean() - 0.002 - loss["auto"].mean()
    resampling = Resampling(400)
    assert _is_beaten(resampling, loss, ["matches"])
    assert not _is_beaten(resampling, {"auto": loss["auto"], "matches": steady}, ["matches"])
    same = Estimate(0.0, 0.0, 0.0)
    systems = {"auto": podium.Auto(), "next": podium.Elo(), "matches": podium.make_system("matches")}
    candidates = [Candidate(name, system, same, 0.5, same, "level") for name, system in systems.items()]
    for beaten, predictable, name in (
        (True, True, "next"),
        (False, True, "matches"),
        (True, False, "matches"),
    ):
        chosen = _recommended(candidates, preset, predictable=predictable, beaten=beaten)
        assert chosen == systems[name]


def test_the_page_says_why_experts_are_not_tried(at_home: Advice, tmp_path: Path) -> None:
    assert "races" in at_home.left_out
    podium.make_system("races").check(season(1, spread=0.3, home=1.0))
    write_advice(at_home, tmp_path / "a.html", title="a", command="podium rate a.csv")
    said = (tmp_path / "a.html").read_text()
    assert "Not tried here, because auto uses some experts only for contests" in said
    assert "Cannot use" not in said


def test_calibration_is_named(at_home: Advice) -> None:
    assert "with calibration=learned. " in at_home.sentences[1]


def test_losses_are_those_of_a_backtest_of_the_same_expert() -> None:
    history = season(4, spread=0.3, home=0.5)
    expert = podium.Glicko(sigma=150.0)
    losses = expert_losses(history, ExpertList("two", [expert, "elo"]))
    for row, system in (
        (losses.raw[0], expert),
        (losses.calibrated[0], podium.Glicko(sigma=150.0, calibration="learned")),
        (losses.raw[1], podium.Elo()),
    ):
        judged = podium.evaluate(history, {"own": system}, metrics=["log-loss"], scopes="everyone")
        assert row.mean() == pytest.approx(judged.summary["log_loss"][0], abs=1e-9)
    mixed = podium.evaluate(
        history, {"own": podium.Auto(experts=ExpertList("two", [expert, "elo"]))}, metrics=["log-loss"]
    )
    assert losses.mixture.mean() == pytest.approx(mixed.summary["log_loss"][0], abs=1e-9)


def test_too_little_to_tell_gets_the_preset() -> None:
    history = podium.History.from_events([{"ranks": {"ann": 1, "bob": 2, "cat": 3}}])
    advice = advise(history)
    assert advice.sentences[0].startswith("Too few events: of 1 event")
    assert advice.recommended == podium.make_system("races")
    assert advice.candidates == ()
    assert podium.document(advice)["gain"] is None


def test_contests_are_advised_on_too() -> None:
    chance = np.random.default_rng(5)
    skill = np.linspace(-2.0, 2.0, 10)
    events = []
    for _ in range(130):
        played = chance.choice(10, 6, replace=False)
        order = played[np.argsort(-(skill[played] + chance.normal(size=6)))]
        events.append({"ranks": {f"p{who}": place + 1 for place, who in enumerate(order)}})
    advice = advise(podium.History.from_events(events))
    assert advice.predictable
    assert all(math.isnan(one.right) for one in advice.candidates)
    assert answer(advice, "home side") == "not in this data"
    assert answer(advice, "newcomers") != "not in this data"


@pytest.mark.parametrize("scored", [0, 60])
def test_what_cannot_rate_a_file_is_no_candidate_and_no_cost(scored: int) -> None:
    played = season(8, spread=0.3)[:130]
    history = podium.History.from_events(
        {"teams": event.sides, "scores": [3 - rank for rank in event.ranks]}
        if number < scored
        else {"teams": event.sides, "ranks": event.ranks}
        for number, event in enumerate(played)
    )
    advice = advise(history)
    assert sum("margin=" in label for label in advice.left_out) == 2
    assert not any("margin=" in one.label for one in advice.candidates)
    assert answer(advice, "margins") == ("in too few events" if scored else "not in this data")
    assert not any("margin=" in sentence for sentence in advice.sentences)
    for one in advice.candidates:
        one.system.check(history)


def test_what_cannot_use_an_event_is_left_out() -> None:
    chance = Random(6)
    teams = []
    for _ in range(120):
        names = chance.sample("abcdefgh", 4)
        teams.append({"teams": [names[:2], names[2:]], "ranks": [1, 1 if chance.random() < 0.1 else 2]})
    advice = advise(podium.History.from_events(teams))
    assert {one.system.name for one in advice.candidates} >= {"auto", "weng-lin"}


def test_matches_that_rate_nobody_are_not_judged() -> None:
    history = season(7, spread=0.3)
    fixed = [podium.Anchor(player=name, mu=1500.0) for name in ("0", "1")]
    losses = expert_losses(podium.History.from_events([*fixed, *history]), ExpertList("one", ["elo"]))
    nobody = np.array([{side[0] for side in event.sides} == {"0", "1"} for event in history])
    assert nobody.any()
    for row in (losses.mixture, losses.raw[0]):
        assert np.isnan(row).tolist() == nobody.tolist()


def test_the_recommended_system_is_made_by_its_options(at_home: Advice) -> None:
    words = list(at_home.options)
    if not words:
        assert at_home.recommended == podium.make_system(at_home.preset.name)
        return
    settings = dict(word.split("=", 1) for word in words[3::2])
    assert podium.make_system(words[1], **settings) == at_home.recommended


def fit_named(advice: Advice) -> bool:
    return any("podium arena" in sentence for sentence in advice.sentences)


def test_a_fit_is_named_where_strengths_stay_the_same() -> None:
    advice = advise(season(4, spread=0.5, players=6))
    assert advice.drift is not None
    assert not advice.drift.is_change
    assert fit_named(advice)
    assert not fit_named(advise(season(3, spread=0.0)))  # pure luck


def test_no_fit_is_named_where_strengths_change_or_little_is_known() -> None:
    chance, pairs, won = Random(5), [], []
    for match in range(MATCHES):
        a, b = chance.sample(range(12), 2)
        lead = 0.3 * (a - b) * (1.0 - 2.0 * match / MATCHES)  # the best become the worst
        pairs.append((a, b))
        won.append(float(chance.random() < 1.0 / (1.0 + math.exp(-lead))))
    changing = advise(podium.History.from_matches(*zip(*pairs, strict=True), won))
    assert changing.drift is not None
    assert changing.drift.is_change
    assert not fit_named(changing)
    assert not fit_named(advise(season(4, spread=0.05, players=60)))


def test_federations_are_candidates_with_the_losses_of_a_backtest(at_home: Advice) -> None:
    found = {candidate.label: candidate for candidate in at_home.candidates}
    assert set(PUBLISHED) <= found.keys()
    fide = podium.make_system("fide", calibration="learned")
    assert found["fide"].system == fide
    report = podium.evaluate(
        season(1, spread=0.3, home=1.0), {"own": fide}, since=0.1, metrics=["log-loss"], scopes="everyone"
    )
    assert report.summary["log_loss"][0] == pytest.approx(found["fide"].log_loss.value, abs=1e-9)


def test_federations_that_cannot_rate_are_no_candidates() -> None:
    chance = Random(5)
    races = [{"ranks": {name: chance.randint(1, 9) for name in "abcde"}} for _ in range(150)]
    labels = {candidate.label for candidate in advise(podium.History.from_events(races)).candidates}
    assert labels & set(PUBLISHED) == {"lichess", "atcoder"}
