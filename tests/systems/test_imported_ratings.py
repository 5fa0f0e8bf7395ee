"""Ratings from elsewhere: they show the number imported, age from their date, and keep people's places."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import podium
from podium import (
    Auto,
    Elo,
    EloMMR,
    EloMMX,
    EloR,
    Glicko,
    Glicko2,
    History,
    Ladder,
    Luck,
    Merge,
    RatingSystem,
    SetRating,
    TrueSkill,
    WengLin,
    Yuksel,
    list_systems,
    make_system,
)
from podium.errors import InputError, UnsupportedError
from podium.history.times import to_micros
from podium.presets import PRESETS

SET, NEXT = "2024-01-01", "2026-01-01"
DAYS = 731
AGEING = [
    Glicko(c=5.0),
    Glicko(c=5.0, period="30d"),
    Glicko2(),
    Glicko2(period="7d"),
    EloMMR(drift_per_day=20.0),
    EloMMX(drift_per_day=20.0),
    EloR(drift_per_day=20.0),
    TrueSkill(drift_per_day=0.01),
    WengLin(drift_per_day=0.01),
    Luck(growth_per_day=2.0),
]
"""Systems whose deviations grow with the days away."""


def deviation_at_the_next_event(system: RatingSystem, ladder: Ladder) -> float:
    """The deviation with which ann begins an event in 2026."""
    history = History.from_events([{"ranks": {"ann": 1, "new": 2}, "time": NEXT}])
    trace = ladder.update(history, trace=True)
    return float(trace.sigma_before[0])


@pytest.mark.parametrize("system", AGEING, ids=lambda s: s.name)
def test_an_imported_deviation_ages_as_a_played_one(system: RatingSystem) -> None:
    played = Ladder(system)
    for opponent in ("bob", "cat", "dan"):
        played.record_match("ann", opponent, time=SET)
    ann, state = played.rating("ann"), played.state
    imported = Ladder(system)
    volatility = float(state["volatility"][0]) if system.has_volatility else None
    if system.has_volatility and getattr(system, "period", "event") != "event":
        volatility = 0.06  # of the opening of the period; tau keeps it close
    imported.adjust(SetRating(player="ann", mu=ann.mu, sigma=ann.sigma, volatility=volatility), time=SET)
    assert ann.sigma is not None
    before, exactly = imported.rating("ann").sigma, 1e-4 if isinstance(system, (Luck, Glicko2)) else 1e-12
    assert before == pytest.approx(ann.sigma, rel=exactly)
    assert imported.rating("ann", at=NEXT).sigma == pytest.approx(
        played.rating("ann", at=NEXT).sigma, rel=exactly
    )
    starts = deviation_at_the_next_event(system, imported)
    assert starts == pytest.approx(deviation_at_the_next_event(system, played), rel=exactly)
    assert starts > 1.005 * ann.sigma


def test_the_deviations_of_the_papers() -> None:
    """From a deviation of 50, by hand: Glickman's step 1 for the days away, and the drift of Elo-MMR.

    Glickman (1999) chooses c = 34.6, which leads from 50 to 350 in a hundred rating periods; these are 104.
    """
    given = SetRating(player="ann", mu=1800, sigma=50)
    for system, expected in (
        (Glicko(c=34.6, period="7d"), 350.0),
        (Glicko(c=5.0, periods_per_day=0.1), math.sqrt(50**2 + 5.0**2 * 0.1 * DAYS)),
        (EloMMR(drift_per_day=20.0), math.sqrt(50**2 + 20.0 * DAYS)),
    ):
        ladder = Ladder(system)
        ladder.adjust(given, time=SET)
        assert deviation_at_the_next_event(system, ladder) == pytest.approx(expected)
        without = Ladder(system)
        without.adjust(given)
        assert deviation_at_the_next_event(system, without) == 50.0


def test_experts_age_too() -> None:
    """A mixture shows the deviation that was set, and its experts predict by the older ones."""
    system = Auto(experts="few")
    ladder = Ladder(system)
    ladder.adjust(SetRating(player="ann", display=1800, sigma=50, events=9), time=SET)
    assert (ladder.rating("ann").display, ladder.rating("ann").sigma, ladder.rating("ann").events) == (
        1800,
        50,
        9,
    )
    parts = zip(system.experts.experts, ladder.state.parts, strict=True)
    ann = np.zeros(1, np.int64)
    for expert, part in parts:
        assert (part["last_time"][0], part["events"][0]) == (to_micros(SET), 9)
        now, later = (expert.system.view(part, ann, to_micros(at))[1] for at in (SET, NEXT))
        if isinstance(expert.system, (Glicko, Glicko2)):
            assert now is not None
            assert later is not None
            assert later[0] > 1.5 * now[0]


def test_a_mean_alone_leaves_the_clock_of_a_player() -> None:
    ladder = Ladder(EloMMR(drift_per_day=20.0))
    ladder.record_match("ann", "bob", time="2022-01-01")
    before = ladder.rating("ann", at=NEXT)
    ladder.adjust(SetRating(player="ann", mu=1900), time=SET)
    assert ladder.rating("ann").last_time == before.last_time
    assert ladder.rating("ann", at=NEXT).sigma == before.sigma
    ladder.adjust(SetRating(player="ann", mu=1900, sigma=50), time=SET)
    assert ladder.rating("ann", at=NEXT).sigma == pytest.approx(math.sqrt(50**2 + 20.0 * DAYS))


@pytest.mark.parametrize("name", ["elo", "codeforces", "elo-mmr", "glicko2", "trueskill"])
def test_a_displayed_rating_has_its_date_unless_the_deviation_of_before_goes_on(name: str) -> None:
    """Where a system keeps the deviation of a player who has played, that goes on from the last event."""
    system = make_system(name)
    ladder = Ladder(system)
    ladder.record_match("ann", "bob", time="2022-01-01")
    for player in ("ann", "new"):
        ladder.adjust(SetRating(player=player, display=1900, events=30), time=SET)
    goes_on = name in ("glicko2", "trueskill")
    moments = [ladder.rating(player).last_time for player in ("ann", "new")]
    assert [str(one)[:10] for one in moments] == ["2022-01-01" if goes_on else SET, SET]
    assert ladder.leaderboard(active_since=SET)["player"].to_list().count("ann") == (not goes_on)
    if system.has_sigma:
        ladder.adjust(SetRating(player="ann", display=1900, sigma=60), time=SET)
    ladder.adjust(SetRating(player="bob", mu=1900), time=SET)
    assert [str(ladder.rating(player).last_time)[:10] for player in ("ann", "bob")] == [SET, "2022-01-01"]


def test_a_merge_keeps_the_later_clock() -> None:
    """With rating periods too, where a player without events had no last period."""
    for system in (Glicko(c=5.0, period="30d"), Glicko(c=5.0, periods_per_day=1 / 30)):
        ladder = Ladder(system)
        ladder.adjust(SetRating(player="main", mu=1700, sigma=60))
        ladder.record_match("smurf", "bob", time=SET)
        ladder.adjust(Merge(player="smurf", into="main"), time=SET)
        merged = ladder.rating("main").sigma
        assert merged is not None
        grown = ladder.rating("main", at=NEXT).sigma
        assert grown == pytest.approx(math.sqrt(merged**2 + 25.0 * DAYS / 30), rel=0.01)


@pytest.mark.parametrize("name", sorted(list_systems()))
@pytest.mark.parametrize("sigma", [None, 60.0])
def test_every_system_shows_the_number_that_was_set(name: str, sigma: float | None) -> None:
    parameters = list_systems()[name].declared()
    system = make_system(name, **({"display_k": 2.0} if "display_k" in parameters else {}))
    ladder = Ladder(system)
    ladder.adjust(SetRating(player="ann", display=1900.0, sigma=sigma), time=SET)
    assert ladder.rating("ann").display == pytest.approx(1900.0, abs=0.01 if name == "luck" else 1e-9)
    assert ladder.leaderboard()["player"].to_list() == ["ann"]


@pytest.mark.parametrize("preset", ["contests", "races"])
def test_an_imported_player_keeps_the_rating_and_the_place(preset: str) -> None:
    """With a conservative display, a mean of 3858 would be shown as 3539 at first."""
    chosen = PRESETS[preset]
    system = make_system(chosen.system, **chosen.parameters)
    ladder = Ladder(system)
    ladder.adjust(SetRating(player="tourist", display=3858, events=250), time=SET)
    ladder.adjust(SetRating(player="newcomer", display=1400, sigma=300), time=SET)
    ladder.adjust(SetRating(player="mean", mu=3858), time=SET)
    assert ladder.rating("tourist").display == ladder.rating("tourist").mu == 3858
    assert ladder.rating("tourist").sigma == system.sigma_limit
    assert ladder.rating("newcomer").display == pytest.approx(1400)
    assert ladder.rating("mean").display < 3600
    assert ladder.leaderboard()["player"].to_list() == ["tourist", "newcomer"]
    assert ladder.leaderboard(min_events=5, active_since=SET)["player"].to_list() == ["tourist"]
    assert ladder.leaderboard(max_sigma=100)["player"].to_list() == ["tourist"]


def test_earlier_events_count_for_newcomers() -> None:
    system = Elo(k=10, newcomer_k=40, newcomer_events=30)
    ladder = Ladder(system)
    ladder.adjust(SetRating(player="veteran", mu=1500, events=30))
    ladder.adjust(SetRating(player="beginner", mu=1500, events=29))
    veteran, beginner = ladder.record_match("veteran", "beginner")
    assert (veteran.gain, beginner.gain) == (5, -20)
    assert ladder.rating("veteran").events == 31


def test_a_volatility_is_that_of_glicko2() -> None:
    given = SetRating(player="ann", display=1700, sigma=60, volatility=0.3)
    ladder = Ladder(Glicko2())
    ladder.adjust(given, time=SET)
    grown = ladder.rating("ann", at=NEXT).sigma
    missed = 0.05 * DAYS  # rating periods away: Glickman 2012, step 6 for each
    assert grown == pytest.approx(min(350.0, math.sqrt(60**2 + missed * (0.3 * 400 / math.log(10)) ** 2)))
    unused = Ladder(Glicko())
    unused.adjust(given)
    assert unused.rating("ann").sigma == 60


@pytest.mark.parametrize(
    "system", [Glicko2(period="7d"), EloMMR(display_k=1.0), Yuksel()], ids=lambda s: s.name
)
def test_what_was_set_is_undone_saved_and_logged(system: RatingSystem, tmp_path: Path) -> None:
    given = SetRating(player="ann", display=1900, sigma=60, volatility=0.05, events=12)
    ladder = podium.Ladder.open(tmp_path / "log", system=system)
    ladder.record_match("ann", "bob", time="2023-01-01")
    before = ladder.state.copy()
    ladder.adjust(given, time=SET)
    ladder.undo()
    assert ladder.state == before
    ladder.adjust(given, time=SET)
    ladder.save(tmp_path / "ladder")
    ladder.close()
    again = podium.Ladder.open(tmp_path / "log")
    assert again.state == ladder.state == Ladder.load(tmp_path / "ladder").state
    assert again.rating("ann").events == 12
    again.close()


class Squared(Elo):
    """Displays something whose inverse it does not know."""

    def display(self, mu: np.ndarray, sigma: np.ndarray | None) -> np.ndarray:
        """The square."""
        return mu**2


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="set-rating needs mu or display"):
        SetRating(player="ann")
    with pytest.raises(InputError, match="takes mu or display, not both"):
        SetRating(player="ann", mu=1500, display=1500)
    with pytest.raises(InputError, match="whole number"):
        SetRating(player="ann", mu=1500, events=2.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="volatility of set-rating"):
        SetRating(player="ann", mu=1500, volatility=0.0)
    with pytest.raises(UnsupportedError, match="cannot set a displayed rating"):
        Ladder(Squared()).adjust(SetRating(player="ann", display=1500))
