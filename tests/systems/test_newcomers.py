"""Where newcomers start in systems of matches: at a fixed rating, or where earlier ones turned out to be."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from checks.twins import twin_of
from checks.variants import label
from podium import (
    Anchor,
    Elo,
    Glicko,
    Glicko2,
    History,
    Ladder,
    Merge,
    Release,
    Rename,
    Reset,
    SetRating,
    TrueSkill,
    WengLin,
    Yuksel,
)
from podium.checks.contract_laws import law_8_twin
from podium.systems.contract.newcomer_system import NewcomerSystem
from podium.systems.contract.state import BREAKS

SYSTEMS: list[NewcomerSystem] = [
    cls(newcomer_start="adaptive") for cls in (Elo, Glicko, Glicko2, WengLin, TrueSkill, Yuksel)
]
each = pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)


def start_of(ladder: Ladder) -> float:
    """Where a player who joins now starts."""
    return float(ladder.system.start(ladder.state)[0][0])


def season(system: NewcomerSystem, newcomers: int = 6, *, win: bool = False) -> Ladder:
    """A known player at the newcomers' rating, who beats every newcomer or loses to each."""
    ladder = Ladder(system)
    ladder.adjust(Anchor(player="known", mu=system.mu))
    for n in range(newcomers):
        pair = ("known", f"new {n}")
        ladder.record_match(*(reversed(pair) if win else pair))
    return ladder


# ------------------------------------------------------------------ what is learned


def test_of_a_lost_game_by_hand() -> None:
    """Elo: half a point short of an equal is a performance of 2 · 400/ln 10 = 347.4 points below.

    The fixed mean counts for 30 newcomers, so the mean falls by a 31st of it; a quarter of the start stays.
    """
    ladder = season(Elo(newcomer_start="adaptive"), 1)
    assert start_of(ladder) == pytest.approx(1500.0 - 0.75 * 347.4356 / 31, abs=1e-4)


def test_of_a_lost_game_by_hand_with_a_deviation() -> None:
    """Glicko's own example of information: against somebody known exactly, 1/d² = q²/4.

    From 350 the deviation falls to 1/√(1/350² + q²/4) = 246.6 and the rating by 246.6² q/2 = 175.0; so the
    result counts for 1 − 246.6²/350² = 0.5037 newcomers, 175.0/0.5037 = 347.4 points below the start.
    """
    ladder = Ladder(Glicko(newcomer_start="adaptive"))
    ladder.adjust(Anchor(player="known", mu=1500.0, sigma=1e-3))
    ladder.record_match("known", "new")
    q = math.log(10) / 400
    left = 1 / (1 / 350**2 + q * q / 4)
    counts, performance = 1 - left / 350**2, 347.4356
    assert (math.sqrt(left), counts) == pytest.approx((246.6, 0.5037), abs=0.05)
    assert start_of(ladder) == pytest.approx(1500 - 0.75 * performance * counts / (30 + counts), abs=1e-3)


@each
def test_newcomers_start_where_earlier_ones_turned_out(system: NewcomerSystem) -> None:
    for win, sign in ((True, 1), (False, -1)):
        starts = [sign * (start_of(season(system, n, win=win)) - system.mu) for n in range(4)]
        assert starts[0] == 0.0
        assert starts == sorted(set(starts))
    assert start_of(season(replace(system, newcomer_start="fixed"))) == system.mu


@each
def test_many_newcomers_as_in_the_twin(system: NewcomerSystem) -> None:
    """Most of them lose, so that the mean is far from the fixed one, which pulls at it."""
    events = [{"ranks": {f"known {n % 3}": 1, f"new {n}": 1 + (n % 4 > 0)}} for n in range(24)]
    law_8_twin(system, History.from_events(events), twin_of(system))


@each
def test_newcomers_teach_each_other_nothing(system: NewcomerSystem) -> None:
    """They perform around their own start, wherever that is. Guests and the seeded teach nothing either."""
    ladder = season(system)
    ladder.adjust(Release(player="known"))  # matches of two have kernels of their own where nobody is held
    before = ladder.state.shared["newcomers"].tolist()
    ladder.record_match("x", "y")
    if system.supports.many:
        ladder.record(ranks={"u": 1, "v": 2, "w": 3})
    if system.supports.teams:
        ladder.record(teams=[["o", "p"], ["q", "r"]], ranks=[1, 2])
    ladder.record(ranks={"known": 1, "guest": 2}, unrated=["guest"])
    ladder.adjust(SetRating(player="seeded", mu=system.mu))
    ladder.record_match("known", "seeded")
    assert ladder.state.shared["newcomers"].tolist() == before
    assert ladder.rating("guest").mu == start_of(ladder)
    ladder.record_match("known", "guest")
    assert ladder.state.shared["newcomers"].tolist() != before


LEARNERS = [*SYSTEMS, *(cls(newcomer_start="adaptive", period="7d") for cls in (Elo, Glicko, Glicko2))]


@pytest.mark.parametrize("system", LEARNERS, ids=label)
def test_a_guest_who_is_new_leaves_as_they_came(system: NewcomerSystem) -> None:
    """After the event, too, a newcomer who is not rated is where newcomers start by now, not at `mu`."""
    events = [
        {"ranks": {"ann": 1, "bob": 2}, "time": "2026-05-04"},
        {"ranks": {"ann": 1, "new": 2}, "time": "2026-05-11"},  # which teaches that newcomers are weaker
        {"ranks": {"ann": 1, "guest": 2}, "time": "2026-05-18", "unrated": ["guest"]},
    ]
    history = History.from_events(events)
    trace = system.update(system.new_state(), history)
    guest = int(np.flatnonzero(history.player == history.players.index_of["guest"])[0])
    assert trace.mu[guest] == trace.mu_before[guest] < system.mu
    law_8_twin(system, history, twin_of(system))


@each
def test_a_start_is_bounded(system: NewcomerSystem) -> None:
    """However many newcomers lose, of whom nobody could have expected it, by however heavy a match."""
    ladder = Ladder(system)
    ladder.adjust(Anchor(player="weak", mu=-1e6))
    spread = getattr(system, "sigma", None) or 350.0
    for n in range(200):
        ladder.record_match("weak", f"new {n}", weight=1e6)
    # The mean falls no further than where a quarter of its way is 4 deviations, the farthest performance
    # below a start (347 points in Elo): 16 deviations, of which the start goes three quarters.
    assert system.mu - 12 * spread - 1e-9 <= start_of(ladder) < system.mu - 0.5 * spread


@each
def test_a_fixed_start_keeps_nothing(system: NewcomerSystem) -> None:
    """States of a fixed start have nothing of newcomers; every system counts breaks between events."""
    state = season(replace(system, newcomer_start="fixed")).state
    assert state.shared.keys() == {BREAKS}
    assert "unknown" not in state.columns


# ------------------------------------------------------------------ rating periods


@pytest.mark.parametrize("cls", [Elo, Glicko, Glicko2])
def test_a_period_teaches_when_it_is_over(cls: type[Elo | Glicko | Glicko2]) -> None:
    """Inside a period all newcomers start alike; the next one learns, also from those who never come back."""
    ladder = Ladder(cls(period="7d", newcomer_start="adaptive"))
    ladder.adjust(Anchor(player="known", mu=1500.0))
    starts = []
    for day in ("04", "05", "06", "12", "13"):  # of two weeks; the 4th and the 11th are Mondays
        change = ladder.record_match("known", f"new {day}", time=f"2026-05-{day}")[1]
        starts.append(change.mu_before)
    assert starts[:3] == [1500.0] * 3
    assert starts[3] == starts[4] < 1500.0
    this_week, later = (ladder.expected_score("known", "x", at=f"2026-05-{day}") for day in ("14", "18"))
    assert later > this_week


# ------------------------------------------------------------------ ladders


@each
def test_what_was_learned_is_saved_and_undone(system: NewcomerSystem, tmp_path: Path) -> None:
    ladder = season(system)
    ladder.save(tmp_path / "ladder.podium")
    loaded = Ladder.load(tmp_path / "ladder.podium")
    learned = start_of(ladder)
    assert start_of(loaded) == learned
    assert loaded.record_match("known", "zoe") == ladder.record_match("known", "zoe")
    assert start_of(loaded) == start_of(ladder) < learned
    ladder.undo()
    assert start_of(ladder) == learned


@each
def test_predictions_and_explanations_begin_at_the_start(system: NewcomerSystem) -> None:
    ladder = season(system)
    start, known = start_of(ladder), ladder.rating("known")
    _, sigma = system.start(ladder.state)
    expected = system.win_probability(known.mu, known.sigma, start, sigma)
    assert ladder.expected_score("known", "zoe") == pytest.approx(float(np.squeeze(expected)), abs=1e-12)
    assert ladder.expected_score("known", "zoe") > 0.5
    ladder.record_match("known", "zoe")
    why = ladder.explain("zoe")
    assert why.newcomer == pytest.approx(start)


@each
def test_an_anchored_newcomer_stays(system: NewcomerSystem) -> None:
    ladder = season(system)
    ladder.adjust(Anchor(player="bot"))
    before = ladder.rating("bot")
    assert before.mu == start_of(ladder)
    for n in range(5):
        ladder.record_match("known", f"later {n}")
        ladder.record_match("bot", f"latest {n}")
    assert ladder.rating("bot") == before


@each
def test_adjustments_start_where_newcomers_do(system: NewcomerSystem) -> None:
    ladder = season(system)
    ladder.record(ranks={"known": 1, "guest": 2}, unrated=["guest"])
    start = start_of(ladder)
    ladder.adjust(Rename(player="guest", into="visitor"))
    assert ladder.rating("visitor").mu == start
    rated = ladder.rating("new 1")
    ladder.adjust(Merge(player="visitor", into="new 1"))  # the visitor has no evidence to add
    assert (ladder.rating("new 1").mu, ladder.rating("new 1").sigma) == (rated.mu, rated.sigma)
    ladder.record(ranks={"known": 1, "guest": 2}, unrated=["guest"])
    ladder.adjust(Merge(player="new 1", into="guest"))
    assert ladder.rating("guest").mu == rated.mu
    ladder.adjust(Reset(keep=0.0))
    assert ladder.rating("new 2").mu == pytest.approx(start)
    ladder.record(ranks={"known": 1, "last": 2}, unrated=["last"])
    assert ladder.rating("last").mu == start_of(ladder)
