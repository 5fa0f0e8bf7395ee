"""Tables of ratings from elsewhere: each row sets a player's displayed rating, by the names people use."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import podium
from podium import EloMMR, Glicko2, History, ReadingWarning, SetRating, rate
from podium.errors import InputError
from podium.history.times import to_micros
from tables.messy import Messy


@pytest.fixture
def messy(tmp_path: Path) -> Messy:
    return Messy(tmp_path)


def given(history: History) -> list[SetRating]:
    found = [placed.adjustment for placed in history.adjustments]
    assert all(isinstance(one, SetRating) for one in found)
    return found  # type: ignore[return-value]


@pytest.mark.parametrize(
    "head",
    [
        "name,rating,RD,volatility,games,last played",
        "Handle,Elo,Deviation,vol,Contests,date",
        "player,display,sigma,volatility,events,time",
        "Spieler,Wertungszahl,Abweichung,Volatilität,Partien,Stand",
    ],
)
def test_names_of_columns(messy: Messy, head: str) -> None:
    history = messy.read(f"{head}\nann,1850.5,60,0.05,120,2024-01-01\nbob,1600,,,,2023-05-06\n")
    ann = SetRating(player="ann", display=1850.5, sigma=60.0, volatility=0.05, events=120)
    assert given(history) == [SetRating(player="bob", display=1600.0), ann]  # in order of time
    assert [placed.time for placed in history.adjustments] == list(
        map(to_micros, ("2023-05-06", "2024-01-01"))
    )
    assert history.readings[0].guesses == ("each row sets one rating",)


def test_what_is_a_list_of_ratings(messy: Messy) -> None:
    """A rank or an event beside a rating makes a result, unless the column is called `display`."""
    assert given(messy.read("player,mu\nann,1800\n")) == [SetRating(player="ann", mu=1800.0)]
    listed = "rank,name,rating\n1,ann,1850\n2,bob,1700\n"
    with pytest.warns(ReadingWarning, match="--column display=rating"):
        assert len(messy.read(listed)) == 1
    assert [one.display for one in given(messy.read(listed, columns={"display": "rating"}))] == [1850, 1700]
    results = messy.read("event,player,score,rating\na,ann,3,1850\na,bob,2,1700\n")
    assert (len(results), results.adjustments) == (1, ())
    assert len(messy.read("white,black,result,rating\nann,bob,1-0,1850\n")) == 1
    with pytest.raises(InputError, match="needs mu or display"):
        messy.read("player,rating\nann,\n")


def test_ratings_go_before_the_results_in_any_order_of_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("date,winner,loser\n2026-01-10,bob,ann\n")
    (tmp_path / "b.csv").write_text(
        "name,elo,RD,games,last played\nann,1850,60,120,2024-01-01\nbob,1600,80,,\n"
    )
    trace = rate(podium.read_history(tmp_path), Glicko2(), trace=True).trace.sort("player")
    assert trace["mu_before"].to_list() == [1850, 1600]
    periods = 0.05 * 740  # rating periods of Glicko-2 that ann missed; bob's rating has no date
    assert trace["sigma_before"].to_list() == pytest.approx(
        [math.sqrt(60**2 + periods * (0.06 * 400 / math.log(10)) ** 2), 80]
    )


def test_a_table_of_ratings_and_a_history_are_read_back(tmp_path: Path) -> None:
    """What podium wrote shows the same numbers once more, under a conservative display too."""
    system = EloMMR(display_k=2.0, drift_per_day=10.0)
    events = [{"ranks": {"ann": 1, "bob": 2, "cat": 3}, "time": f"2026-01-0{day}"} for day in (1, 2, 3)]
    ratings = rate(History.from_events(events), system).leaderboard()
    ratings.write_csv(tmp_path / "ratings.csv")
    history = podium.read_history(tmp_path / "ratings.csv")
    again = rate(history, system).leaderboard()
    for name in ("player", "events", "last_time"):
        assert again[name].to_list() == ratings[name].to_list()
    for name in ("display", "mu", "sigma"):
        assert again[name].to_list() == pytest.approx(ratings[name].to_list())
    frame = history.to_frame()
    assert frame.columns[-2:] == ["display", "events"]
    assert given(podium.read_history(frame)) == given(history)
