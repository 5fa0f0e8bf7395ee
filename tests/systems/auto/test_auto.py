"""Auto: the bound, experts that sleep, its public rating, adjustments, and lists of experts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import podium
from naive.auto import walked
from podium import (
    Auto,
    Elo,
    EloMMR,
    Event,
    ExpertList,
    Glicko,
    History,
    Ladder,
    ParameterError,
    RatingSystem,
    UnsupportedError,
    WengLin,
    make_system,
    rate,
)
from podium.arrays import NO_TIME, Bools, Floats
from podium.checks.contract_laws import law_7_sums
from podium.checks.random_histories import random_history
from podium.history import Anchor, Merge, Release, Rename, Reset, SetRating
from podium.history.columns import event_columns
from podium.named import temporary_registrations
from podium.systems.auto import expert_ratings
from podium.systems.auto.auto import REFERENCE_RATING
from podium.systems.auto.contest_ratings import NOT_SCORED
from podium.systems.auto.mixing_kernels import mix_events
from podium.systems.auto.mixture_columns import Learned, Met, Public, Said, Told
from podium.systems.auto.mixture_state import rate_again
from podium.systems.contract.side_scores import EventSides, match_scores

FEW = Auto(experts="few")
LEAST = 1.0 / (1.0 + math.exp(10.0))
"""Chances are clipped to this and to one minus it."""


def losses(chances: Floats, scores: Floats) -> Floats:
    """−s ln p − (1 − s) ln(1 − p), as the theorem has it."""
    p = np.clip(chances, LEAST, 1.0 - LEAST)
    return -scores * np.log(p) - (1.0 - scores) * np.log(1.0 - p)


def bound(predictions: int, events: int, share: float) -> float:
    return math.log(predictions) - (events - 1) * math.log(1.0 - share)


# ---------------------------------------------------------------------- the bound


def mixed(chances: Floats, awake: Bools, scores: Floats, share: float) -> Floats:
    """The mixture's chances, where experts say these of matches; they are calibrated to nonsense.

    Matches are given to the kernel one at a time, as experts fall asleep and wake up.
    """
    k, n = chances.shape
    learned = Learned(
        **{name: Auto(experts=ExpertList("k", ["elo"] * k)).shared()[name] for name in Learned._fields}
    )
    public = Public(
        np.full(2, 1500.0),
        np.full(2, 1.0),
        np.zeros(2, np.bool_),
        np.zeros(2, np.int32),
        np.zeros(2, np.int64),
        np.zeros(2, np.bool_),
        np.zeros(2),
        np.zeros(2),
    )
    found = np.empty(n)
    match = event_columns(History.from_matches(["ann"], ["bob"]))
    for e in range(n):
        said = Said(
            awake=awake[:, e].copy(),
            raw=np.stack([chances[:, e], 1.0 - chances[:, e]], axis=1),
            calibrated=np.stack([1.0 - chances[:, e], chances[:, e]], axis=1),
            terms=np.tile([1.0, 0.0, 0.0], (2, k, 1)),
            after=np.zeros((k, 2)),
            deviation=np.ones((k, 2)),
            fresh=np.full(2, -1),
            before=np.zeros((k, 0)),
            deviation_before=np.zeros((k, 0)),
            rates=awake[:, e].copy(),
        )
        met = Met(
            np.array([0, 2]), np.array([scores[e], 1.0 - scores[e]]), np.array([float(scores[e] == 0.5)])
        )
        told = Told(np.empty(2), np.empty(2), *(np.empty(0) for _ in range(4)))
        mix_events(learned, public, said, met, NOT_SCORED, match, share, told)
        found[e] = told.expected[0]
    return found


def adversary(seed: int, n: int, k: int) -> tuple[Floats, Bools, Floats]:
    """Experts that are right for a while and then wrong, and draws."""
    chance = np.random.default_rng(seed)
    scores = chance.choice([0.0, 0.5, 1.0], n, p=[0.4, 0.2, 0.4])
    favourite = (np.arange(n) // (n // k)) % k
    sure = chance.choice([1e-9, 0.02, 0.3], (k, n))
    right = np.where(scores > 0.5, 1.0 - sure, np.where(scores < 0.5, sure, 0.5))
    chances = np.where(np.arange(k)[:, None] == favourite, right, 1.0 - right)
    awake = chance.random((k, n)) < 0.7
    awake[0] = True
    return chances, awake, scores


@pytest.mark.parametrize("share", [1e-4, 0.02])
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_against_an_adversary(seed: int, share: float) -> None:
    """From the first event on and from the middle, against each expert over the events it was awake for."""
    n, k = 120, 3
    chances, awake, scores = adversary(seed, n, k)
    lost = losses(mixed(chances, awake, scores, share), scores)
    rated = np.cumsum(awake, axis=1) - awake > 0
    for number in range(k):
        counts = awake[number] & (rated[number] | (np.arange(n) == 0))
        for said in (chances[number], 1.0 - chances[number]):
            regret = np.where(counts, lost - losses(said, scores), 0.0)
            assert regret.sum() <= bound(2 * k + 3, n, share) + 1e-9
            middle = math.log((2 * k + 3) / share) - n * math.log(1.0 - share)
            assert regret[n // 2 :].sum() <= middle + 1e-9
    assert np.abs(regret).max() > 1.0  # or there was nothing to lose


@pytest.mark.parametrize("seed", range(2))
def test_the_bound_against_systems_that_rate_alone(seed: int) -> None:
    """Raw and calibrated, each rated by itself; Elo-MMR only where there are no teams."""
    history = random_matches(Random(seed), 150)
    systems: list[RatingSystem] = [Elo(k=60), Glicko(), WengLin(mu=1500.0, sigma=500.0, beta=250.0), EloMMR()]
    share = 1e-3
    auto = Auto(experts=ExpertList("these", systems), share=share)
    scores = first_scores(history)
    trace = auto.update(auto.new_state(), history)
    lost = losses(trace.expected[EventSides.of(history).first_rows[::2]], scores)
    at_most = bound(2 * len(systems) + 3, len(history), share)
    for system in systems:
        usable = (
            np.ones(len(history), bool) if system.supports.teams else history.sides_per_event == history.sizes
        )
        alone = history.filter(usable)
        said = replace(system, calibration="learned").update(
            system.changed(calibration="learned").new_state(), alone
        )
        met = EventSides.of(alone)
        if system.supports.teams:  # an expert that slept has another calibration: experience is auto's
            calibrated = said.expected[met.first_rows[::2]]
            assert lost[usable].sum() <= losses(calibrated, scores[usable]).sum() + at_most
        mu, sigma = (
            one[met.sides.players] if len(one) else None for one in (said.mu_before, said.sigma_before)
        )
        assert mu is not None
        belief = system.joined(mu, sigma, met.sides)
        raw = match_scores(system, met, belief, np.zeros(0), np.ones(len(alone), bool))
        assert lost[usable][1:].sum() <= losses(raw, scores[usable])[1:].sum() + at_most


def random_matches(chance: Random, n: int) -> History:
    """Matches of players and teams of two, with draws; better players win more often."""
    events = []
    for number in range(n):
        names = chance.sample(range(8), 4)
        sides = [[f"p{i}" for i in names[:2]], [f"p{i}" for i in names[2:]]]
        if number % 3:
            sides = [side[:1] for side in sides]
        strength = [sum(int(name[1]) for name in side) / len(side) for side in sides]
        gap = strength[0] - strength[1] + chance.gauss(0.0, 3.0)
        ranks = [1, 1] if abs(gap) < 0.5 else [1, 2] if gap > 0.0 else [2, 1]
        events.append(Event.of(teams=sides, ranks=ranks, time=1_700_000_000 + 86_400 * number))
    return History.from_events(events)


def first_scores(history: History) -> Floats:
    first = EventSides.of(history).first_rows
    better = history.rank[first[1::2]] - history.rank[first[::2]]
    scores: Floats = 0.5 + 0.5 * np.sign(better)
    return scores


# ---------------------------------------------------------------------- predictions


@pytest.mark.parametrize("seed", range(3))
def test_predictions_are_those_of_the_twin(seed: int) -> None:
    """Of matches, teams and contests, in any mixture of them."""
    from checks.twins import plain_event

    history = random_history(Random(seed), FEW.supports, adjusted=False, timed=True)
    _, predicted, draws = walked([plain_event(event) for event in history], "few", FEW.share)
    state = FEW.new_state()
    trace = FEW.update(state, history)
    met = EventSides.of(history)
    found = np.split(trace.expected[met.first_rows], met.offsets[1:-1])
    for one, other in zip(found, predicted, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-11)
    np.testing.assert_allclose(state.shared["draws"], draws, rtol=1e-9)


def test_a_ladder_predicts_what_the_trace_will_say() -> None:
    history = random_matches(Random(3), 30)
    state = FEW.new_state(len(history.players))
    for number in range(len(history)):
        part = history[number : number + 1]
        sides = [
            part.player[part.side == side].astype(np.int64)
            if part.side is not None
            else part.player[side : side + 1]
            for side in (0, 1)
        ]
        said = FEW.predict(state, [sides[0].tolist()], [sides[1].tolist()], at=int(part.time[0]))
        trace = FEW.update(state, part)
        first = part.side == 0 if part.side is not None else np.arange(part.rows) == 0
        np.testing.assert_allclose(trace.expected[first], said[0], rtol=0, atol=1e-12)


def test_the_home_side_is_learned() -> None:
    ladder = Ladder(FEW)
    for number in range(40):
        home = f"p{number % 4}"
        ladder.record_match(home, f"p{(number + 1 + number % 3) % 4}", home=home)
    assert ladder.expected_score("p0", "p1", home="p0") > ladder.expected_score("p0", "p1") + 0.1


def test_draws_are_as_frequent_as_they_were() -> None:
    ladder = Ladder(FEW)
    for number in range(60):
        ladder.record_match("ann", "bob", draw=number % 2 == 0)
        ladder.record_match("bob", "ann", draw=number % 2 == 0)
    assert 0.4 < ladder.outcomes("ann", "bob").draw < 0.6


# ---------------------------------------------------------------------- experts


def test_an_expert_sleeps_in_events_it_cannot_use() -> None:
    ladder = Ladder(FEW)
    ladder.record_match("ann", "bob")
    before = [part.copy() for part in ladder.state.parts]
    ladder.record(teams=[["ann", "cat"], ["bob", "dan"]], ranks=[2, 1])
    changed = [
        one["mu"][:2].tolist() != other["mu"][:2].tolist()
        if "mu" in one.columns
        else one != other.take(np.arange(2))
        for one, other in zip(before, ladder.state.parts, strict=True)
    ]
    labels = [expert.label for expert in FEW.experts.experts]
    assert dict(zip(labels, changed, strict=True))["elo k=24"]
    assert ladder.state.shared["rated"].tolist() == [2, 2, 2, 1]
    mmr = ladder.state.parts[labels.index("elo-mmr")]
    assert mmr.column("events").tolist() == [1, 1, 0, 0]


def test_margins_sleep_where_there_are_no_scores() -> None:
    auto = Auto(experts=ExpertList("margins", [Elo(), Elo(margin=3.0)]))
    ladder = Ladder(auto)
    ladder.record_match("ann", "bob")
    assert ladder.state.shared["rated"].tolist() == [1, 0]
    ladder.record(scores={"ann": 3.0, "bob": 1.0})
    assert ladder.state.shared["rated"].tolist() == [2, 1]


def test_events_that_no_expert_can_use_are_refused() -> None:
    ladder = Ladder(Auto(experts=ExpertList("contests", [EloMMR()])))
    with pytest.raises(UnsupportedError, match="none of the experts 'contests' of auto can use event 'cup'"):
        ladder.record(teams=[["ann", "bob"], ["cat", "dan"]], ranks=[1, 2], name="cup")
    with pytest.raises(UnsupportedError, match="can predict matches of teams"):
        ladder.expected_score(["ann", "bob"], "cat")
    assert len(ladder) == 0


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    history = random_matches(Random(1), 40)
    alone = FEW.new_state()
    FEW.update(alone, history)
    monkeypatch.setattr(expert_ratings, "THREADS_FROM", 1)
    together = FEW.new_state()
    FEW.update(together, history)
    assert alone == together


def test_lists_of_ones_own() -> None:
    mine = ExpertList("mine", [Elo(k=20), ("glicko", {"c": 30.0}), "weng-lin"])
    assert [expert.label for expert in mine.experts] == ["elo k=20", "glicko c=30", "weng-lin"]
    with temporary_registrations():
        ExpertList.register(mine)
        assert make_system("auto", experts="mine") == Auto(experts=mine)
    with pytest.raises(ParameterError, match="there is no list of experts 'mine'"):
        make_system("auto", experts="mine")
    with pytest.raises(ParameterError, match="has no experts"):
        ExpertList("nobody", [])
    with pytest.raises(ParameterError, match="auto cannot be an expert of auto"):
        _ = ExpertList("circle", ["auto"]).experts
    with pytest.raises(ParameterError, match="that podium defines"):
        Auto(experts=ExpertList("few", [Elo()]))


def test_the_standard_list_rates_everything() -> None:
    ladder = Ladder("auto")
    ladder.record_match("ann", "bob")
    ladder.record(teams=[["ann", "bob"], ["cat", "dan"]], ranks=[1, 2])
    ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})
    ladder.record(scores={"ann": 5.0, "bob": 1.0})
    assert ladder.state.shared["rated"].min() >= 1
    assert ladder.rating("ann").mu > ladder.rating("bob").mu
    before = ladder.state.copy()
    ladder.record_match("dan", "eve")
    ladder.undo()
    assert ladder.state == before


# ---------------------------------------------------------------------- public ratings


def test_the_rating_says_what_the_mixture_says_of_the_reference_player() -> None:
    """A reference player put beside the others: 400 points are odds of ten to one."""
    auto = Auto(experts=ExpertList("certain", [Elo(k=60), Elo(k=10)]))
    ladder = Ladder(auto)
    for _ in range(12):  # nobody is a newcomer then, nearly
        ladder.record_match("ann", "bob")
    index = ladder.players.index_of["ann"]
    ladder.state["events"][index] = 10**9  # as experienced as the reference player
    rate_again(auto.experts.experts, ladder.state, np.array([index]))
    ladder.adjust(SetRating(player="reference", mu=REFERENCE_RATING, sigma=50.0))
    ladder.state["events"][ladder.players.index_of["reference"]] = 10**9
    chance = ladder.expected_score("ann", "reference")
    expected = REFERENCE_RATING + 400.0 * math.log10(chance / (1.0 - chance))
    assert ladder.rating("ann").mu == pytest.approx(expected, abs=1e-6)


def test_nobody_moves_because_others_play() -> None:
    ladder = Ladder(FEW)
    ladder.record_match("ann", "bob")
    before = ladder.rating("ann")
    for _ in range(5):
        ladder.record_match("cat", "dan")
    assert ladder.rating("ann") == before


ADJUSTMENTS: dict[str, Callable[[], object]] = {
    "set": lambda: SetRating(player="ann", mu=1800.0, sigma=60.0),
    "anchor": lambda: Anchor(player="ann"),
    "reset": lambda: Reset(keep=0.5),
    "rename": lambda: Rename(player="ann", into="anna"),
    "merge": lambda: Merge(player="ann", into="bob"),
}


@pytest.mark.parametrize("kind", ADJUSTMENTS)
def test_adjustments_reach_every_expert_and_can_be_undone(kind: str) -> None:
    ladder = Ladder(FEW)
    ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})
    before = ladder.state.copy()
    ladder.adjust(ADJUSTMENTS[kind]())  # type: ignore[arg-type]
    for part, old in zip(ladder.state.parts, before.parts, strict=True):
        assert part != old
    ladder.undo()
    assert ladder.state == before


def test_a_rating_that_was_set_counts() -> None:
    ladder = Ladder(FEW)
    ladder.record_match("ann", "bob")
    ladder.adjust(SetRating(player="ann", mu=1900.0, sigma=30.0))
    ladder.adjust(SetRating(player="bob", mu=1500.0, sigma=30.0))
    assert (ladder.rating("ann").mu, ladder.rating("ann").sigma) == (1900.0, 30.0)
    assert ladder.expected_score("ann", "bob") == pytest.approx(10 / 11, abs=0.03)


def season(kind: str) -> Ladder:
    """A ladder after some matches or small contests."""
    ladder, random = Ladder(FEW), Random(1)
    players = [f"p{one}" for one in range(8)]
    for day in range(12):
        field = sorted(random.sample(players, 2 if kind == "matches" else 5))
        ladder.record(ranks={name: place + 1 for place, name in enumerate(field)}, time=day * 86_400)
    return ladder


def believed(ladder: Ladder, player: str) -> float:
    """The public rating by what the experts believe now."""
    state, index = ladder.state.copy(), np.array([ladder.players.index_of[player]])
    rate_again(ladder.system.experts.experts, state, index)  # type: ignore[attr-defined]
    return float(state["mu"][index[0]])


@pytest.mark.parametrize("kind", ["matches", "contests"])
@pytest.mark.parametrize("player", ["p0", "newcomer"])
def test_experts_believe_a_rating_that_was_set(kind: str, player: str) -> None:
    """A set rating was left with the next event: 1800 became 1502 by a win."""
    ladder = season(kind)
    assert believed(ladder, "p1") == pytest.approx(ladder.rating("p1").mu, abs=60.0)  # as of the last event
    ladder.adjust(SetRating(player=player, display=1800.0))
    assert ladder.rating(player).display == 1800.0
    assert believed(ladder, player) == pytest.approx(1800.0, abs=1e-5)
    opponents = ["p1"] if kind == "matches" else ["p1", "p2", "p3"]
    change = ladder.record(ranks={player: 1} | {name: place + 2 for place, name in enumerate(opponents)})[0]
    assert change.mu > 1800.0


def test_experts_believe_an_anchor() -> None:
    ladder = season("contests")
    ladder.adjust(Anchor(player="p0", mu=1900.0))
    assert believed(ladder, "p0") == pytest.approx(1900.0, abs=1e-5)


@pytest.mark.parametrize("kind", ["matches", "contests"])
@pytest.mark.parametrize("toward", [1400.0, None])
def test_a_reset_shows_what_was_asked(kind: str, toward: float | None) -> None:
    """In contests all players stood at 1199 after a reset to 1400, in matches at 1404 to 1409."""
    ladder = season(kind)
    goal = ladder.preview(ranks={"newcomer": 1, "p0": 2})[0].mu_before if toward is None else toward
    players = sorted(ladder.players)
    before = {name: ladder.rating(name).mu for name in players}
    ladder.adjust(Reset(toward=toward, keep=0.5))
    for name in players:
        assert ladder.rating(name).mu == pytest.approx(goal + 0.5 * (before[name] - goal), abs=1e-9)
    ladder.adjust(Reset(toward=toward, keep=0.0))
    for name in players:
        assert ladder.rating(name).mu == pytest.approx(goal, abs=1e-9)
        assert believed(ladder, name) == pytest.approx(goal, abs=1e-5)


def test_a_rating_is_set_where_experts_are_trusted_to_be_wrong() -> None:
    """Two players who win alternately: no points of experts say 1800, so they take 1800 itself."""
    ladder = Ladder(FEW)
    for _ in range(10):
        ladder.record_match("ann", "bob")
        ladder.record_match("bob", "ann")
    ladder.adjust(SetRating(player="ann", mu=1800.0))
    assert ladder.rating("ann").mu == 1800.0
    index = ladder.players.index_of["ann"]
    assert ladder.state.parts[0]["mu"][index] == pytest.approx(1800.0, abs=1e-9)


def test_a_win_can_lower_a_rating_and_the_page_says_so() -> None:
    ladder = Ladder(FEW)
    for _ in range(40):
        ladder.record_match("ann", "bob")
        ladder.record_match("bob", "ann")
    assert ladder.record_match("ann", "bob")[0].gain < 0.0
    assert "a win can lower your rating" in " ".join(Auto.explained.split())


def test_a_reset_to_nothing_makes_equals() -> None:
    ladder = Ladder(FEW)
    for _ in range(5):
        ladder.record_match("ann", "bob")
    ladder.adjust(Reset(keep=0.0, toward=1500.0))
    assert ladder.rating("ann").mu == pytest.approx(ladder.rating("bob").mu, abs=1e-9)


def test_a_reset_leaves_who_was_never_rated_a_newcomer_to_every_expert() -> None:
    """As `view` shows it: one rating for all of whom nothing is known."""
    ladder = Ladder(FEW)
    ladder.record(ranks={"ann": 1, "bob": 2, "guest": 3}, unrated=["guest"])
    ladder.adjust(Reset(keep=0.5, toward=1000.0))
    assert ladder.expected_score("guest", "newcomer") == pytest.approx(0.5, abs=1e-12)
    before = {change.player: change.mu_before for change in ladder.record(ranks={"guest": 1, "newcomer": 2})}
    assert before["guest"] == pytest.approx(before["newcomer"], abs=1e-9)


def test_an_anchored_player_stays_for_every_expert() -> None:
    ladder = Ladder(FEW)
    ladder.adjust(Anchor(player="ann", mu=1700.0))
    ladder.record_match("bob", "ann")
    assert ladder.rating("ann").mu == 1700.0
    for part in ladder.state.parts:
        assert part.column("events").tolist() == [0, 1]
    ladder.adjust(Release(player="ann"))
    ladder.record_match("bob", "ann")
    assert ladder.rating("ann").mu != 1700.0


# ---------------------------------------------------------------------- two public ratings


def test_kept_ratings_may_be_far_from_what_experts_say_now() -> None:
    """Nothing can be promised of these; what is promised is of ratings computed now."""
    auto = Auto()
    history = random_history(Random(37), auto.supports, timed=True, adjusted=False, unrated=False)
    state = auto.new_state()
    auto.update(state, history)
    a, at = np.arange(state.size), int(history.time[-1])
    b = np.roll(a, 1)
    mu, sigma = auto.view(state, a, at)
    missed = np.abs(auto.win_probability(mu, sigma, mu[b], sigma[b]) - auto.predict(state, a, b, at=at))
    assert missed.max() > 0.7
    law_7_sums(auto, history, 0.0)


@pytest.mark.parametrize("home", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("seed", range(10))
def test_ratings_of_now_say_nearly_what_experts_say(seed: int, home: float) -> None:
    """In random histories well within the tolerance that is stated; real ones have more to learn."""
    history = random_history(Random(seed), FEW.supports, adjusted=False, timed=True)
    state = FEW.new_state()
    FEW.update(state, history)
    a, at = np.arange(state.size), int(history.time[-1])
    b = np.roll(a, 1)
    mu, sigma = FEW.current_belief(state, a, at)
    missed = FEW.win_probability(mu, sigma, mu[b], sigma[b]) - FEW.predict(state, a, b, home=home, at=at)
    assert np.abs(missed).max() < 0.1 < FEW.win_probability_error


def test_the_rating_of_a_player_who_just_played_is_that_of_now() -> None:
    ladder = Ladder(FEW)
    for number in range(9):
        ladder.record_match("ann", "bob" if number % 3 else "cat", time=1e9 + 1e5 * number)
    player = np.array([ladder.players.index_of["ann"]])
    kept, now = FEW.view(ladder.state, player, NO_TIME), FEW.current_belief(ladder.state, player, NO_TIME)
    np.testing.assert_allclose(np.stack(kept), np.stack(now), rtol=0, atol=1e-9)


def test_chances_by_ratings_have_their_inverse() -> None:
    for probability in (0.1, 0.5, 0.9):
        opponent = FEW.opponent_rating(probability, 1600.0, 120.0, 80.0)
        assert FEW.win_probability(1600.0, 120.0, opponent, 80.0) == pytest.approx(probability, abs=1e-12)


# ---------------------------------------------------------------------- explanations


def test_explanations_name_the_experts_that_count() -> None:
    ladder = Ladder(FEW)
    for _ in range(10):
        ladder.record_match("ann", "bob")
    explained = ladder.explain("ann")
    opinions = explained.opinions  # type: ignore[union-attr]
    assert sorted(one.expert for one in opinions) == sorted(one.label for one in FEW.experts.experts)
    assert sum(one.share for one in opinions) == pytest.approx(1.0, abs=1e-12)
    assert [one.share for one in opinions] == sorted((one.share for one in opinions), reverse=True)
    elo = next(one for one in opinions if one.expert == "elo k=24")
    assert elo.rating == pytest.approx(float(ladder.state.parts[0]["mu"][0]), abs=1e-9)  # on the usual scale
    assert f"What counts: {100 * opinions[0].share:.0f}% {opinions[0].expert} (rating " in str(explained)


def test_the_explanation_of_an_event_has_the_chance_of_the_mixture() -> None:
    """And not that of public ratings, which is another."""
    winners, losers = ["ann", "ann", "bob", "ann"], ["bob", "cat", "cat", "bob"]
    history = History.from_matches(winners, losers, time=[1e9, 2e9, 3e9, 4e9])
    before = rate(history[:3], FEW).ladder
    explained = rate(history, FEW, trace=True).explain("ann", 4)
    assert explained.match is not None
    assert explained.match.chance == pytest.approx(before.expected_score("ann", "bob", at=4e9), abs=1e-12)
    public = FEW.win_probability(before.rating("ann").mu, None, before.rating("bob").mu, None)
    assert abs(float(public) - explained.match.chance) > 0.01


@pytest.mark.parametrize("cut", [None, 2])
def test_the_explanation_of_an_event_names_the_experts_that_counted_then(cut: int | None) -> None:
    """As a ladder names them that has rated the events before; in a run of several histories too."""
    winners, losers = ["ann", "ann", "bob", "ann", "bob"], ["bob", "cat", "cat", "bob", "ann"]
    history = History.from_matches(winners, losers, time=[1e9, 2e9, 3e9, 4e9, 5e9])
    run = rate(history if cut is None else [history[:cut], history[cut:]], FEW, trace=True)
    explained = run.explain("ann", 4 if cut is None else "4")
    before = rate(history[:3], FEW).ladder
    ann = before.players.index_of["ann"]
    assert explained.opinions == FEW.opinions(before.state, ann, int(history.time[3]))
    assert str(explained).splitlines()[1].startswith("What counted: ")
    assert [one["share"] for one in podium.document(explained)["opinions"]] == [
        one.share for one in explained.opinions
    ]
    last = run.explain_last("ann")
    assert last is not None
    assert last.opinions != explained.opinions


def test_experts_know_adjustments_just_before_an_event() -> None:
    items = [{"ranks": {"ann": 1, "bob": 2}}, podium.Rename(player="ann", into="anna")]
    history = History.from_events([*items, {"ranks": {"anna": 1, "bob": 2}, "name": "final"}])
    before = Ladder(FEW)
    before.record(**items[0])
    before.adjust(items[1])
    assert rate(history, FEW, trace=True).explain("anna", "final").opinions == before.explain("anna").opinions


def test_experts_say_of_newcomers_where_they_start() -> None:
    history = History.from_matches(["ann", "bob"], ["bob", "cat"], time=[1e9, 2e9])
    explained = rate(history, FEW, trace=True).explain("cat", 2)
    assert [one.rating for one in explained.opinions] == pytest.approx([1500.0] * 4)


def test_a_run_that_goes_on_from_a_ladder_cannot_say_who_counted() -> None:
    history = History.from_matches(["ann", "bob"], ["bob", "cat"], time=[1e9, 2e9])
    ladder = rate(history[:1], FEW).ladder
    explained = rate(history[1:], ladder=ladder, trace=True).explain("bob", 2)
    assert explained.opinions == ()
    assert "What counted" not in str(explained)


def test_an_expert_that_never_rated_does_not_count() -> None:
    ladder = Ladder(FEW)
    ladder.record(teams=[["ann", "bob"], ["cat", "dan"]], ranks=[1, 2])
    shares = FEW.expert_shares(ladder.state)
    assert shares[3] == 0.0
    assert shares.sum() == pytest.approx(1.0, abs=1e-12)


def test_chances_of_places_agree_with_expected_ranks() -> None:
    """All three ask the experts, whatever public ratings say of players who were last rated long ago."""
    chance, ladder = Random(8), Ladder(FEW)
    names = [f"p{number}" for number in range(12)]
    for number in range(60):
        field = chance.sample(names if number > 20 else names[:8], 6)
        order = sorted(field, key=lambda name: chance.gauss(names.index(name), 4.0))
        ladder.record(ranks={name: place for place, name in enumerate(order, start=1)})
    chances, ranks = ladder.rank_probabilities(names), ladder.expected_ranks(names)
    np.testing.assert_allclose(chances.expected_rank, ranks, rtol=0, atol=0.02)
    np.testing.assert_allclose(ladder.top_chances(names, 3), chances.top(3), rtol=0, atol=1e-9)
    assert ranks.max() - ranks.min() > 3.0
