"""The past of a run as lists: peaks, seasons and leaders, against loops over the trace."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import podium
from podium import History, InputError, ParameterError, Run

START = np.datetime64("2024-11-20T00:00", "us")


@pytest.fixture(scope="module")
def run() -> Run:
    rng = np.random.default_rng(5)
    n = 400
    a = rng.integers(0, 12, n)
    b = (a + 1 + rng.integers(0, 11, n)) % 12
    time = START + np.sort(rng.integers(0, 500, n)) * np.timedelta64(1, "D")
    history = History.from_matches(
        [f"p{i}" for i in a], [f"p{i}" for i in b], rng.choice([0.0, 0.5, 1.0], n), time=time
    )
    return podium.rate(history, "glicko", trace=True)


def told(run: Run) -> list[dict[str, Any]]:
    """The rows of the trace with how many events each player had then."""
    played: dict[str, int] = {}
    rows = run.trace.to_dicts()
    for row in rows:
        played[row["player"]] = row["played"] = played.get(row["player"], 0) + 1
    return rows


@pytest.mark.parametrize("least", [1, 20])
def test_peaks(run: Run, least: int) -> None:
    best: dict[str, dict[str, Any]] = {}
    for row in told(run):
        name = row["player"]
        if row["played"] >= least and (name not in best or row["display"] > best[name]["display"]):
            best[name] = row
    found = run.peaks(min_events=least)
    assert found["place"].to_list() == list(range(1, len(best) + 1))
    assert found["display"].is_sorted(descending=True)
    for row in found.iter_rows(named=True):
        same = ("display", "mu", "sigma", "time", "event", "played")
        assert {name: row[name] for name in same} == {name: best[row["player"]][name] for name in same}
    totals = dict(run.ratings.select("player", "events").iter_rows())
    assert dict(found.select("player", "events").iter_rows()) == {name: totals[name] for name in best}


def test_seasons(run: Run) -> None:
    last: dict[tuple[int, str], dict[str, Any]] = {}
    counts: dict[tuple[int, str], int] = {}
    for row in told(run):
        key = row["time"].year, row["player"]
        counts[key] = counts.get(key, 0) + 1
        last[key] = row | {"first": last[key]["first"] if key in last else row["display_before"]}
    found = run.seasons("year", min_events=3)
    wanted = {key for key, count in counts.items() if count >= 3}
    assert {(row["season"].year, row["player"]) for row in found.iter_rows(named=True)} == wanted
    for row in found.iter_rows(named=True):
        own = last[row["season"].year, row["player"]]
        assert (row["display"], row["mu"]) == (own["display"], own["mu"])
        assert row["gain"] == own["display"] - own["first"]
        assert row["events"] == counts[row["season"].year, row["player"]]
        better = [r for (y, p), r in last.items() if y == row["season"].year and (y, p) in wanted]
        assert row["place"] == 1 + sum(r["display"] > row["display"] for r in better)
    assert run.seasons("90d")["season"].n_unique() == 6
    assert run.seasons("month")["season"].dt.day().unique().to_list() == [1]


@pytest.mark.parametrize("window", [None, 30])
def test_leaders(run: Run, window: int | None) -> None:
    now: dict[str, float] = {}
    seen: dict[str, Any] = {}
    leader, spells = None, []
    rows = told(run)
    for start in range(0, len(rows), 2):
        for row in rows[start : start + 2]:
            seen[row["player"]] = row["time"]
            if row["played"] >= 5:
                now[row["player"]] = row["display"]
        time = rows[start]["time"]
        able = {name for name in now if window is None or (time - seen[name]).days <= window}
        if able:
            best = max(now[name] for name in able)
            if leader not in able or now[leader] < best:
                leader = next(name for name in now if name in able and now[name] == best)
                spells.append((leader, time, rows[start]["event"]))
    found = run.leaders(min_events=5, active_within=None if window is None else f"{window}d")
    assert found.select("player", "since", "event").rows() == spells
    assert found["until"].to_list() == [*found["since"].to_list()[1:], None]


@pytest.mark.parametrize("chunk", [1, 1000])
@pytest.mark.parametrize("least", [1, 4])
def test_leaders_after_adjustments_are_those_of_the_leaderboard(least: int, chunk: int) -> None:
    """A new season moved everybody, and the leader of before kept the lead with a rating of before."""
    rng = np.random.default_rng(8)
    items: list[Any] = [podium.SetRating(player="p9", display=1560.0, events=3)]
    for day in range(60):
        a, b = rng.choice(10, 2, replace=False)
        items.append(
            {"ranks": {f"p{a}": 1, f"p{b}": 2}, "time": f"2026-{day // 28 + 1:02}-{day % 28 + 1:02}"}
        )
        if day % 12 == 11:
            items.append(podium.Reset(keep=0.5))
        if day % 25 == 20:
            items.append(podium.SetRating(player=f"p{day % 10}", display=1580.0))
    items += [podium.Rename(player="p1", into="q1"), podium.Merge(player="p2", into="p3")]
    run = podium.rate(History.from_events(items).chunks(chunk), "elo", trace=True)
    ladder, leader, spells = podium.Ladder("elo"), None, list[str]()
    for item in items:
        if isinstance(item, dict):
            ladder.record(**item)
        else:
            ladder.adjust(item)
        board = ladder.leaderboard(min_events=least, active_since=None)
        board = board.filter(pl.col("player") != "p2")  # merged in the end: its ratings are in no list
        best = board.filter(pl.col("display") == pl.col("display").max())["player"].to_list()
        best = ["q1" if name == "p1" else name for name in best]
        if best and leader not in best:
            leader = best[0]
            spells.append(leader)
    found = run.leaders(min_events=least)
    assert found["player"].to_list() == spells
    assert found["event"].str.starts_with("set-rating").any()


def test_a_renamed_player_is_one() -> None:
    events = [{"ranks": {"ann": 1, "bob": 2}}, podium.Rename(player="ann", into="eve")]
    events += [{"ranks": {"eve": 1, "bob": 2}}, {"ranks": {"ann": 1, "bob": 2}}]
    run = podium.rate(History.from_events(events), "elo", trace=True)
    assert dict(run.peaks().select("player", "events").iter_rows()) == {"eve": 2, "bob": 3, "ann": 1}
    assert run.leaders()["player"].to_list() == ["eve"]
    run.ladder.adjust(podium.Rename(player="eve", into="eva"))
    assert set(run.peaks()["player"]) == {"eva", "bob", "ann"}


def test_ratings_of_a_merged_account_are_no_ratings_of_the_player() -> None:
    """ann2 reached 1577 and was merged into ann, whose rating was 1516: the list had 1577 for ann."""
    matches = [{"ranks": {"ann2": 1, "bob": 2}, "time": f"2026-01-{day:02}"} for day in range(1, 7)]
    events = [*matches, {"ranks": {"ann": 1, "cat": 2}, "time": "2026-01-10"}]
    events += [podium.Merge(player="ann2", into="ann"), {"ranks": {"ann": 2, "bob": 1}, "time": "2026-01-12"}]
    run = podium.rate(History.from_events(events), "elo", trace=True)
    board = run.leaderboard()
    (best,) = run.peaks().filter(player="ann").iter_rows(named=True)
    assert best["display"] == board.filter(player="ann")["display"].item()
    assert (best["played"], best["events"]) == (8, 8)
    assert run.peaks().sort("player")["events"].to_list() == board.sort("player")["events"].to_list()
    assert run.leaders()["player"].to_list() == ["bob", "ann"]
    assert run.seasons().filter(player="ann")["gain"].item() == pytest.approx(best["display"] - 1500.0)


@pytest.mark.parametrize(("counted", "played"), [({"events": 20}, 26), ({}, 7)])
def test_events_played_elsewhere_count(counted: dict[str, int], played: int) -> None:
    """ann comes with a rating: the list counted only the events of the history."""
    events: list[Any] = [podium.SetRating(player="ann", display=1700.0, **counted)]
    events += [{"ranks": {"ann": 1, "bob": 2}, "time": f"2026-01-{day:02}"} for day in range(1, 7)]
    run = podium.rate(History.from_events(events), "elo", trace=True)
    assert run.peaks(7).select("player", "played", "events").rows() == [("ann", played, played)]
    assert run.leaderboard().filter(player="ann")["events"].item() == played


@pytest.mark.parametrize("chunk", [1, 100])
def test_events_are_counted_as_the_ladder_does(chunk: int) -> None:
    """Events set on an account that was merged later, or after the last event, were left out."""
    events: list[Any] = [podium.SetRating(player="ann2", mu=1600.0, events=20)]
    events += [{"ranks": {"ann2": 1, "bob": 2}}, {"ranks": {"ann": 1, "bob": 2}}]
    events += [podium.Rename(player="bob", into="rob"), podium.Merge(player="ann2", into="ann")]
    events += [{"ranks": {"ann": 1, "rob": 2}}, {"ranks": {"bob": 1, "rob": 2}}]
    events += [podium.SetRating(player="rob", display=1500.0, events=40)]
    history = History.from_events(events)
    run = podium.rate(history.chunks(chunk), "elo", trace=True)
    found = dict(run.peaks().select("player", "events").iter_rows())
    assert found == {"ann": 23, "rob": 40, "bob": 1}
    assert found == dict(run.leaderboard().select("player", "events").iter_rows())
    assert run.peaks().filter(player="ann")["played"].item() == 23
    run.ladder.adjust(podium.Merge(player="bob", into="ann"))
    assert dict(run.peaks().select("player", "events").iter_rows()) == {"ann": 24, "rob": 40}


def test_what_there_is_no_list_of(run: Run) -> None:
    untimed = podium.rate(History.from_matches(["ann"], ["bob"]), "elo", trace=True)
    for ask in (untimed.seasons, lambda: untimed.leaders(active_within="90d")):
        with pytest.raises(InputError, match="the events have no times"):
            ask()
    with pytest.raises(ParameterError, match="'term' is not a season"):
        run.seasons("term")
    with pytest.raises(ParameterError, match="min_events is 0"):
        run.peaks(0)
    with pytest.raises(ParameterError, match="has no trace"):
        podium.rate(History.from_matches(["ann"], ["bob"]), "elo").peaks()
    assert isinstance(untimed.leaders(), pl.DataFrame)
