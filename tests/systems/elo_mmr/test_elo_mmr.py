"""Elo-MMR as a system: golden values, parameters by limits, weights, ceilings, display, newcomers."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium import (
    Anchor,
    EloMMR,
    EloMMX,
    EloR,
    Glicko,
    InputError,
    Ladder,
    Merge,
    ParameterError,
    Reset,
    SetRating,
    make_system,
)
from podium.systems.contract.ratings import Change
from podium.systems.elo_mmr.contest_system import ContestSystem, TwoNumberSystem

CONTESTS = [
    {"A": 1, "B": 2, "C": 3, "D": 4, "E": 5},
    {"E": 1, "A": 2, "B": 2, "D": 3, "C": 4},
    {"C": 1, "A": 2, "D": 3, "E": 4, "B": 5},
]
# From two other implementations, which agree to 2e-12; as in tests/naive/test_elo_mmr.py.
GOLDEN = [
    ([1799.512532, 1629.391427, 1500.0, 1370.608573, 1200.487468], 171.195444),
    ([1714.854461, 1630.002520, 1362.082061, 1354.375266, 1487.530469], 130.482991),
    ([1695.445049, 1528.665469, 1498.750685, 1395.705964, 1427.348004], 111.338743),
]

both = pytest.mark.parametrize("cls", [EloMMR, EloMMX])


def played(system: ContestSystem, **options: Any) -> Ladder:
    """The three contests."""
    ladder = Ladder(system)
    for ranks in CONTESTS:
        ladder.record(ranks=ranks, **options)
    return ladder


def beliefs(changes: list[Change]) -> list[tuple[str, float, float | None]]:
    """What an event found."""
    return [(change.player, change.mu_before, change.sigma_before) for change in changes]


def test_golden() -> None:
    ladder = Ladder(EloMMR())
    for ranks, (mu, sigma) in zip(CONTESTS, GOLDEN, strict=True):
        ladder.record(ranks=ranks)
        ratings = [ladder.rating(name) for name in "ABCDE"]
        assert [rating.mu for rating in ratings] == pytest.approx(mu, abs=1e-6)
        assert [rating.sigma for rating in ratings] == pytest.approx([sigma] * 5, abs=1e-6)
    assert make_system("elo-mmr") == EloMMR()


# ------------------------------------------------------------------ limits


@both
def test_limits(cls: type[TwoNumberSystem]) -> None:
    for sigma_limit, weight_limit, drift in ((80.0, 0.2, 0.0), (50.0, 0.05, 7.0), (120.0, 2.0, 300.0)):
        system = cls.from_limits(sigma_limit, weight_limit, drift_per_day=drift)
        assert system.sigma_limit == pytest.approx(sigma_limit)
        assert system.weight_limit == pytest.approx(weight_limit)
        assert system.gamma**2 == pytest.approx(weight_limit * sigma_limit**2)
        assert system.beta**2 == pytest.approx((1 + 1 / weight_limit) * sigma_limit**2 + drift / weight_limit)
    assert cls.from_limits() == cls()
    assert cls.from_limits(sigma_limit=90, ties="half").ties == "half"


@both
def test_the_limit_is_where_deviations_go(cls: type[TwoNumberSystem]) -> None:
    ladder = Ladder(cls.from_limits(sigma_limit=60, weight_limit=0.3))
    for n in range(80):
        ladder.record(ranks={"A": 1, "B": 2} if n % 2 else {"A": 2, "B": 1}, weight=(0.5, 2.0)[n % 2])
    assert ladder.rating("A").sigma == pytest.approx(60.0, abs=1e-6)


@both
def test_limits_as_on_the_command_line(cls: type[TwoNumberSystem]) -> None:
    made = make_system(cls.name, sigma_limit="80", weight_limit="0.2")
    assert made == make_system(cls.name, sigma_limit=80, weight_limit=0.2) == cls()
    assert make_system(cls.name, sigma_limit="60", drift_per_day="3", newcomer_weights="0.4,0.7") == (
        cls.from_limits(sigma_limit=60, drift_per_day=3, newcomer_weights=(0.4, 0.7))
    )
    assert make_system(cls.name, weight_limit="0.1") == cls.from_limits(weight_limit=0.1)


@both
@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"sigma_limit": "80", "beta": "200"}, "by beta and gamma or by its limits"),
        ({"weight_limit": 0.2, "gamma": 30}, "by beta and gamma or by its limits"),
        ({"sigma_limit": "0"}, "sigma_limit goes from"),
        ({"weight_limit": "-1"}, "weight_limit goes from"),
        ({"weight_limit": "much"}, "weight_limit is a number"),
        ({"sigma_limit": "80", "wieght_limit": "0.2"}, "no parameter 'wieght_limit'"),
        ({"sigma_limit": "80", "drift_per_day": "-1"}, "drift_per_day goes from"),
        ({"newcomer_weights": "0.4;0.7"}, "newcomer_weights must be numbers separated by commas"),
        ({"newcomer_weights": "0.4,0"}, "newcomer_weights goes from"),
    ],
)
def test_refused(cls: type[TwoNumberSystem], given: dict[str, Any], reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        make_system(cls.name, **given)


def test_elo_r_has_limits_of_its_own() -> None:
    assert make_system("elo-r", sigma_limit="80", beta="200") == EloR(sigma_limit=80, beta=200)
    with pytest.raises(ParameterError, match=r"sigma_limit .* must be below beta"):
        EloR(sigma_limit=250)


# ------------------------------------------------------------------ weights


@both
@pytest.mark.parametrize("omega", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("drift", [0.0, 5.0])
def test_weights_act_through_the_limits(cls: type[TwoNumberSystem], omega: float, drift: float) -> None:
    """An event of weight ω is one of a system whose weight limit is ω times as large."""
    usual = cls.from_limits(80.0, 0.2, drift_per_day=drift)
    other = cls.from_limits(80.0, 0.2 * omega, drift_per_day=drift)
    weighted = Ladder(usual).record(ranks=CONTESTS[0], weight=omega)
    for change, same in zip(weighted, Ladder(other).record(ranks=CONTESTS[0]), strict=True):
        assert (change.mu, change.sigma) == pytest.approx((same.mu, same.sigma), abs=1e-9)
        assert change.performance == pytest.approx(same.performance, abs=1e-9)


@pytest.mark.parametrize("cls", [EloMMR, EloMMX, EloR])
def test_newcomer_weights(cls: type[ContestSystem]) -> None:
    system = make_system(cls.name, newcomer_weights="0.4,0.7")
    assert isinstance(system, cls)
    assert system.newcomer_weights == (0.4, 0.7)
    ladder, judge = Ladder(system), Ladder(cls())
    for ranks, weight in zip(CONTESTS, (0.4, 0.7, 1.0), strict=True):
        assert ladder.record(ranks=ranks) == judge.record(ranks=ranks, weight=weight)
    assert make_system(cls.name, newcomer_weights="") == cls()


# ------------------------------------------------------------------ ceilings


@pytest.mark.parametrize("system", [EloMMR(), EloMMX(), EloR()], ids=lambda system: system.name)
def test_a_ceiling_caps_the_performance(system: ContestSystem) -> None:
    free = Ladder(system).record(ranks=CONTESTS[0])
    capped = Ladder(system).record(ranks=CONTESTS[0], ceiling=1550.0)
    for change, other in zip(free, capped, strict=True):
        assert change.performance is not None
        assert other.performance == min(change.performance, 1550.0)
        assert other.sigma == change.sigma
    assert [a.mu > b.mu for a, b in zip(free, capped, strict=True)] == [True, True, False, False, False]
    assert capped[0].mu == capped[1].mu
    assert free[2:] == capped[2:]
    assert Ladder(system).record(ranks=CONTESTS[0], ceiling=math.inf) == free


# ------------------------------------------------------------------ display


def test_display() -> None:
    """mu − k (σ − σ_limit); Glicko has no limit, Elo-R's k is 2 unless said otherwise."""
    for system, k, limit in (
        (EloMMR(), 0.0, 80.0),
        (EloMMR(display_k=2), 2.0, 80.0),
        (EloMMX(display_k=1.5), 1.5, 80.0),
        (EloMMR.from_limits(sigma_limit=50, display_k=3), 3.0, 50.0),
        (Glicko(display_k=2), 2.0, 0.0),
        (EloR(), 2.0, 100.0),
        (EloR(display_k=0), 0.0, 100.0),
    ):
        ladder = Ladder(system)
        change = ladder.record(ranks={"A": 1, "B": 2})[0]
        assert change.sigma is not None
        assert change.sigma_before is not None
        assert change.display == pytest.approx(change.mu - k * (change.sigma - limit))
        assert change.display_before == pytest.approx(change.mu_before - k * (change.sigma_before - limit))
        assert ladder.rating("A").display == change.display
        assert (change.gain > change.mu - change.mu_before) == (k > 0)


def test_display_does_not_move_ratings() -> None:
    plain, shown = played(EloMMR()), played(EloMMR(display_k=3))
    for name in "ABCDE":
        assert plain.rating(name).mu == shown.rating(name).mu > shown.rating(name).display


# ------------------------------------------------------------------ newcomers

ADAPTIVE = [
    EloMMR(newcomer_start="adaptive"),
    EloMMX(newcomer_start="adaptive"),
    EloR(newcomer_start="adaptive"),
    EloMMR(newcomer_start="adaptive", rho=0.0, ties="half"),
]
each_adaptive = pytest.mark.parametrize(
    "system", ADAPTIVE, ids=["elo-mmr", "elo-mmx", "elo-r", "elo-mmr with half ties"]
)


def season(system: ContestSystem, place: int, *, contests: int = 4) -> tuple[Ladder, list[list[Change]]]:
    """Known players, then contests with newcomers; the first of them comes in at this place."""
    ladder = Ladder(system)
    for name, mu in (("ann", 1700.0), ("bob", 1600.0), ("cat", 1500.0)):
        ladder.adjust(SetRating(player=name, mu=mu, sigma=90.0))
    changes = []
    for n in range(contests):
        order = ["ann", "bob", "cat", f"second {n}"]
        order.insert(place - 1 if n == 0 else 4, f"first {n}")
        changes.append(ladder.record(ranks={name: i + 1 for i, name in enumerate(order)}))
    return ladder, changes


@each_adaptive
def test_nobody_moves_their_own_prior(system: ContestSystem) -> None:
    """A newcomer's rank in the first contest changes what later newcomers start from, and nothing before."""
    seasons = [season(system, place)[1] for place in (1, 3, 5)]
    first = [sorted(beliefs(changes[0])) for changes in seasons]
    assert first[0] == first[1] == first[2]
    assert {(mu, sigma) for name, mu, sigma in first[0] if name.startswith(("first", "second"))} == {
        (system.mu, system.sigma)
    }
    starts = []
    for changes in seasons:
        start = {c.player: (c.mu_before, c.sigma_before) for c in changes[1]}
        assert start["first 1"] == start["second 1"]
        starts.append(start["first 1"])
    assert starts[0][0] > starts[1][0] > starts[2][0]


@each_adaptive
def test_newcomers_start_where_earlier_ones_turned_out(system: ContestSystem) -> None:
    """These all come in last: the next ones start lower and lower."""
    ladder, changes = season(system, 5, contests=12)
    starts = [{c.player: c.mu_before for c in contest}[f"first {n}"] for n, contest in enumerate(changes)]
    assert starts[0] == 1500.0
    assert starts == sorted(starts, reverse=True)
    assert len(set(starts)) == len(starts)
    least = 0.5 * system.sigma
    for contest in changes:
        assert all(c.sigma_before is not None and c.sigma_before >= least for c in contest[-2:])
    again = ladder.preview(ranks={"ann": 1, "zoe": 2})[1]
    assert again.mu_before < starts[-1]


@each_adaptive
def test_a_fixed_start_stays(system: ContestSystem) -> None:
    _, changes = season(replace(system, newcomer_start="fixed"), 5, contests=12)
    for n, contest in enumerate(changes):
        start = {c.player: (c.mu_before, c.sigma_before) for c in contest}
        assert start[f"first {n}"] == start[f"second {n}"] == (1500.0, 350.0)


@each_adaptive
def test_guests_and_the_seeded_teach_nothing(system: ContestSystem) -> None:
    """Only first rated performances of newcomers count."""
    ladder = Ladder(system)
    for name in ("ann", "bob"):
        ladder.adjust(SetRating(player=name, mu=1700.0, sigma=90.0))
    before = ladder.state.shared["newcomers"].copy()
    ladder.record(ranks={"ann": 1, "bob": 2, "guest": 3}, unrated=["guest"])
    assert ladder.state.shared["newcomers"].tolist() == before.tolist()
    ladder.record(ranks={"ann": 1, "bob": 2, "guest": 3})
    assert ladder.state.shared["newcomers"].tolist() != before.tolist()


@each_adaptive
def test_predictions_of_newcomers_use_what_was_learned(system: ContestSystem) -> None:
    ladder, _ = season(system, 5, contests=12)
    learned = ladder.preview(ranks={"ann": 1, "zoe": 2})[1]
    ann = ladder.rating("ann")
    expected = system.win_probability(ann.mu, ann.sigma, learned.mu_before, learned.sigma_before)
    assert ladder.expected_score("ann", "zoe") == pytest.approx(float(expected), abs=1e-12)
    fixed = season(replace(system, newcomer_start="fixed"), 5, contests=12)[0]
    assert ladder.expected_score("cat", "zoe") > fixed.expected_score("cat", "zoe")
    assert ladder.expected_score("yan", "zoe") == pytest.approx(0.5)


@each_adaptive
def test_what_was_learned_is_saved(system: ContestSystem, tmp_path: Path) -> None:
    ladder, _ = season(system, 5, contests=6)
    ladder.save(tmp_path / "ladder.podium")
    loaded = Ladder.load(tmp_path / "ladder.podium")
    ranks = {"ann": 1, "yan": 2, "zoe": 3}
    assert beliefs(loaded.preview(ranks=ranks)) == beliefs(ladder.preview(ranks=ranks))
    assert loaded.record(ranks=ranks) == ladder.record(ranks=ranks)
    ranks = {"xia": 1, "ann": 2}
    assert loaded.record(ranks=ranks) == ladder.record(ranks=ranks)


@each_adaptive
def test_what_was_learned_is_undone(system: ContestSystem) -> None:
    ladder, _ = season(system, 5)
    ranks = {"ann": 1, "zoe": 2}
    before = beliefs(ladder.preview(ranks=ranks))
    ladder.record(ranks={"ann": 1, "yan": 2})
    assert beliefs(ladder.preview(ranks=ranks)) != before
    ladder.undo()
    assert beliefs(ladder.preview(ranks=ranks)) == before


def test_an_anchored_newcomer_stays() -> None:
    """Also where newcomers' start moves, and also in what is said of them."""
    ladder = Ladder(EloMMR(newcomer_start="adaptive"))
    ladder.adjust(Anchor(player="bot"))
    ladder.adjust(SetRating(player="somebody", mu=1400.0))
    before = ladder.rating("bot")
    for number in range(20):
        ladder.record(ranks={"bot": 1, f"new {number}": 2})
    assert ladder.rating("bot") == before
    ladder.record(ranks={"bot": 1, "guest": 2}, unrated=["guest"])
    guest = ladder.explain("guest")
    assert guest.rating.mu < 1499.0
    assert (guest.start, guest.start_share) == (guest.rating.mu, 1.0)


def learned(system: ContestSystem) -> Ladder:
    """A ladder whose newcomers have turned out to be weak."""
    ladder = Ladder(system)
    ladder.adjust(Anchor(player="strong", mu=1700.0, sigma=80.0))
    for number in range(200):
        ladder.record(ranks={"strong": 1, f"new {number}": 2, f"newer {number}": 3})
    return ladder


@pytest.mark.parametrize("system", [EloMMR(newcomer_start="adaptive"), EloMMX(newcomer_start="adaptive")])
def test_resets_and_merges_start_where_newcomers_do(system: ContestSystem) -> None:
    ladder = learned(system)
    ladder.record(ranks={"strong": 1, "guest": 2}, unrated=["guest"])
    start = ladder.rating("guest")
    assert start.mu < 1490.0
    before = [ladder.rating(name) for name in ("new 198", "new 199")]
    ladder.adjust(Merge(player="new 198", into="new 199"))
    merged = ladder.rating("new 199")
    # Evidence adds up, and the start counts once: 1/σ² − 1/σ₀² of each.
    extra = [1 / rating.sigma**2 - 1 / start.sigma**2 for rating in before]
    assert merged.sigma == pytest.approx((1 / start.sigma**2 + sum(extra)) ** -0.5)
    ladder.undo()
    ladder.adjust(Reset(keep=0.0))
    for name in ("new 7", "newer 11"):
        assert ladder.rating(name).mu == pytest.approx(start.mu)
        assert ladder.rating(name).sigma == pytest.approx(start.sigma)
    ladder.record(ranks={"strong": 1, "newest": 2})
    assert ladder.rating("guest").mu != start.mu  # still a newcomer, wherever newcomers start


@pytest.mark.parametrize("system", [EloMMR(), EloR(), EloMMX()])
def test_adjustments_that_change_nothing(system: ContestSystem) -> None:
    """Keeping everything, or merging somebody who never played, leaves performances where they are."""
    ladders = []
    for adjustment in (
        None,
        Reset(keep=1.0),
        Merge(player="nobody", into="ann"),
        Merge(player="ann", into="nobody"),
    ):
        ladder = Ladder(system)
        ladder.record(ranks={"ann": 1, "bob": 2, "nobody": 3}, unrated=["nobody"])
        ladder.record(ranks={"bob": 1, "ann": 2})
        name = "ann"
        if adjustment is not None:
            ladder.adjust(adjustment)
            name = "nobody" if "ann" in adjustment.players[:1] else "ann"
        ladder.record(ranks={name: 1, "bob": 2})
        ladders.append(ladder.rating(name).mu)
    assert len(set(ladders)) == 1


def test_constructors_refuse_alike() -> None:
    with pytest.raises(ParameterError, match="not by both"):
        EloMMR.from_limits(80, 0.2, beta=3)
    with pytest.raises(ParameterError, match="did you mean 'rho'"):
        EloMMR.from_limits(80, 0.2, rh=3)
    assert EloMMR(beta=np.int64(200), newcomer_weights=np.array([0.5])).newcomer_weights == (0.5,)


def test_light_events_are_refused() -> None:
    with pytest.raises(InputError, match="weight must be from 1e-09"):
        Ladder(EloMMX()).record(ranks={"a": 1, "b": 2}, weight=1e-305)
