"""The leaderboard's pages: who is on them, in which group, and what changed."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import podium
from pages.page_histories import CUP, MATCHES, elo_gain, elo_run
from podium import Elo, History, Ladder, SetRating
from podium.errors import ParameterError
from podium.history import Placed
from podium.history.times import to_micros
from podium.pages.board_pages import PLAYERS_PER_PAGE, SPARK_POINTS
from podium.pages.ladder_data import round_width
from podium.pages.ladder_pages import LadderPages, ladder_pages
from podium.systems.tiers import Tier

FIRST = elo_gain(1500, 1500, 1)
SECOND = elo_gain(1500 - FIRST, 1500, 1)
THIRD = elo_gain(1500 + FIRST, 1500 - SECOND, 0.5)


@pytest.fixture(scope="module")
def matches() -> LadderPages:
    tiers = (Tier("low", float("-inf"), "#808080"), Tier("high", 1500.0, "#c9342f"))
    return ladder_pages(elo_run(*MATCHES), tiers=tiers, min_events=2, active_since="25d")


def test_groups_places_and_changes(matches: LadderPages) -> None:
    """bob's last match was 19 days before the last one of all; nobody else was away."""
    board = matches.leaderboard()
    ann, bob, cat = board["rows"]
    assert [row["player"] for row in board["rows"]] == ["ann", "bob", "cat"]
    assert [row["place"] for row in board["rows"]] == [1, 2, 3]
    assert ann["display"] == pytest.approx(1500 + FIRST + THIRD, abs=0.005)
    assert ann["last_change"] == pytest.approx(THIRD, abs=0.0051)
    assert bob["last_change"] == pytest.approx(SECOND, abs=0.0051)
    assert ann["month_change"] == pytest.approx(THIRD, abs=0.0051)  # the first match was 50 days before
    assert cat["month_change"] == pytest.approx(-SECOND - THIRD, abs=0.0051)
    assert cat["spark"] == pytest.approx([1500 - SECOND, 1500 - SECOND - THIRD], abs=0.005)
    assert (ann["tier"], cat["tier"]) == ("high", "low")
    assert [(tier["name"], tier["lower"], tier["players"]) for tier in board["tiers"]] == [
        ("low", None, 1),
        ("high", 1500.0, 2),
    ]
    assert (board["now"], board["events"], board["players"]) == ("2026-02-20", 3, 3)
    assert not board["has_sigma"]
    assert ann["sigma"] is None


def test_results_of_a_merged_account_are_among_the_latest() -> None:
    """bob's only match of the month was won as bobby, whose rating was another one."""
    lost = {"ranks": {"ann": 1, "bob": 2}, "time": "2026-05-01"}
    won = {"ranks": {"bobby": 1, "cat": 2}, "time": "2026-09-15"}
    pages = ladder_pages(elo_run(lost, won, podium.Merge(player="bobby", into="bob")))
    (bob,) = (row for row in pages.leaderboard()["rows"] if row["player"] == "bob")
    assert (bob["last_change"], bob["month_change"], bob["last_time"]) == (FIRST, FIRST, "2026-09-15")
    assert bob["spark"] == [1500 - FIRST]


def test_who_is_not_ranked_is_told_why() -> None:
    run = podium.rate(History.from_events(CUP), podium.EloMMR(), trace=True)
    pages = ladder_pages(run, min_events=3, active_since="2026-07-01", max_sigma=120)
    board = pages.leaderboard()
    told = {row["player"]: (row["group"], row["missing"]) for row in board["rows"]}
    sigma = {row["player"]: row["sigma"] for row in board["rows"]}
    assert told["ann"] == told["bob"] == ("ranked", None)
    assert (board["ranked"], board["provisional"], board["inactive"]) == (2, 2, 1)
    assert told["dan"] == (
        "inactive",
        f"1 more event, a deviation of 120 or less (now {sigma['dan']:.0f}) and an event since 1 Jul 2026",
    )
    assert told["eve"][0] == "provisional"
    assert told["eve"][1].startswith("1 more event and a deviation of 120 or less")
    assert board["rule"] == (
        "To be ranked, a player needs at least 3 rated events, an event since "
        "1 Jul 2026 and a deviation of 120 or less."
    )
    assert [row["group"] for row in board["rows"]] == ["ranked"] * 2 + ["provisional"] * 2 + ["inactive"]


def test_newcomers_are_not_ranked_unless_somebody_wants_it() -> None:
    """ann and bob have 9 events, a quarter of which are 2; cat, who won the only one, needs another one."""
    run = elo_run(*[{"ranks": {"ann": 1, "bob": 2}}] * 8, {"ranks": {"cat": 1, "ann": 2, "bob": 3}})
    told = {row["player"]: row["missing"] for row in ladder_pages(run).leaderboard()["rows"]}
    assert told == {"ann": None, "bob": None, "cat": "1 more event"}
    assert ladder_pages(run).leaderboard()["rule"] == "To be ranked, a player needs at least 2 rated events."
    everybody = ladder_pages(run, min_events=1).leaderboard()["rows"]
    assert {row["group"] for row in everybody} == {"ranked"}


def test_a_large_ladder_is_paged() -> None:
    ranks = {f"player {number:03}": number for number in range(1, PLAYERS_PER_PAGE + 6)}
    history = History.from_events([{"ranks": ranks}] * 25)
    pages = ladder_pages(podium.rate(history, podium.Elo(), trace=True))
    assert pages.leaderboard_pages() == 2
    last = pages.leaderboard(2)
    assert (last["page"], last["pages"], len(last["rows"])) == (2, 2, 5)
    assert last["rows"][0]["place"] == PLAYERS_PER_PAGE + 1
    assert last["distribution"] is None
    spark = pages.leaderboard()["rows"][0]["spark"]
    assert len(spark) == SPARK_POINTS
    assert spark == sorted(spark)  # who always wins only rises
    bins = pages.leaderboard()["distribution"]
    assert bins is not None
    assert sum(bins["counts"]) == len(ranks)
    assert len(bins["edges"]) == len(bins["counts"]) + 1
    assert len({round(b - a, 6) for a, b in pairwise(bins["edges"])}) == 1
    rows = list(pages.search_rows())
    assert (rows[100].name, rows[100].place, rows[100].events) == ("player 101", 101, 25)


@pytest.mark.parametrize(("least", "width"), [(37.0, 50.0), (50.0, 50.0), (0.11, 0.2), (0.0, 1.0)])
def test_bins_are_of_round_width(least: float, width: float) -> None:
    assert round_width(least) == width


def test_a_saved_ladder_shows_what_it_remembers(tmp_path: Path) -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob", time="2026-01-01")
    ladder.save(tmp_path / "season.podium")
    pages = ladder_pages(Ladder.load(tmp_path / "season.podium"))
    board = pages.leaderboard()
    assert not board["has_trace"]
    assert [(row["player"], row["place"], row["last_change"]) for row in board["rows"]] == [
        ("ann", 1, None),
        ("bob", 2, None),
    ]
    assert (pages.event_names, pages.matches(), pages.events_pages()) == ([], None, 0)
    with pytest.raises(podium.errors.InputError, match="no pages of events"):
        pages.event(1)
    player = pages.player(0)
    assert player["history"]["event"] == []
    assert player["why"] is not None
    assert sum(line["points"] for line in player["why"]["lines"]) == pytest.approx(1516)
    assert pages.about()["quality"] is None


def test_one_player_and_nobody() -> None:
    ladder = Ladder(Elo())
    nobody = ladder_pages(ladder).leaderboard()
    assert (nobody["rows"], nobody["pages"], nobody["distribution"], nobody["now"]) == ([], 1, None, None)
    assert ladder_pages(ladder).compare()["chances"] is None
    ladder.adjust(SetRating(player="ann", mu=1700))
    (row,) = ladder_pages(ladder).leaderboard()["rows"]
    assert (row["group"], row["missing"]) == ("provisional", "1 more event")
    (row,) = ladder_pages(ladder, min_events=0).leaderboard()["rows"]
    assert row["place"] == 1


def test_pages_can_be_sent_to_another_process(matches: LadderPages) -> None:
    there = pickle.loads(pickle.dumps(matches))
    assert there.player(1) == matches.player(1)
    assert there.event(1) == matches.event(1)


def test_only_a_run_or_a_ladder_has_pages() -> None:
    with pytest.raises(ParameterError, match="a run or a ladder"):
        ladder_pages(History.from_events(CUP))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no trace"):
        ladder_pages(podium.rate(History.from_events(CUP), podium.Elo()))


def test_a_rating_set_after_the_last_event_is_not_the_last_event() -> None:
    """Pages end with the last match. Its players are active, and its changes are of the last 30 days."""
    history = History.from_events([{"ranks": {"ann": 1, "bob": 2}, "time": "2026-03-01"}])
    later = Placed(1, to_micros("2026-09-01"), SetRating(player="ann", mu=1700.0))
    run = podium.rate(replace(history, adjustments=(later,)), "elo", trace=True)
    pages = ladder_pages(run, active_since="30d")
    board = pages.leaderboard()
    assert (board["now"], board["ranked"], board["inactive"]) == ("2026-03-01", 2, 0)
    assert "30 Jan 2026" in board["rule"]
    assert {row["player"]: row["month_change"] for row in board["rows"]} == {"ann": FIRST, "bob": -FIRST}
