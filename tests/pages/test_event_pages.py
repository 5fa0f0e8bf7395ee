"""Pages of events, the list of them, and the page of matches."""

from __future__ import annotations

import pytest

import podium
from pages.page_histories import CUP, MATCHES, TEAMS, elo_gain, elo_run
from podium import History
from podium.pages.event_pages import ROWS_PER_PAGE
from podium.pages.ladder_pages import ladder_pages
from podium.pages.page_pictures import standings_picture

FIRST = elo_gain(1500, 1500, 1)


def test_a_contest() -> None:
    pages = ladder_pages(podium.rate(History.from_events(CUP), podium.EloMMR(), trace=True))
    page = pages.event(2)
    assert [(row["player"], row["rank"]) for row in page["standings"]] == [
        ("bob", 1),
        ("ann", 2),
        ("dan", 2),
        ("eve", 4),
    ]
    assert (page["name"], page["time"], page["sides"], page["match"]) == ("summer", "2026-06-01", 4, False)
    assert page["has_performance"]
    expected = [row["expected_rank"] for row in page["standings"]]
    assert sum(expected) == pytest.approx(10.0, abs=0.03)  # 1 + 2 + 3 + 4, whatever the ratings
    assert [row["expected_rank"] for row in pages.event(1)["standings"]] == [2.5] * 4
    for row in page["standings"]:
        assert row["change"] == pytest.approx(row["display"] - row["before"], abs=0.011)
    assert pages.event(1)["upsets"][0]["words"] == "ann was rank 1 of 4, expected 2.5"


def test_a_tie_is_compared_by_its_mean_place() -> None:
    """All first together is as expected of equals, and no success of anybody."""
    level = {"ranks": dict.fromkeys("abcdef", 1), "name": "level"}
    page = ladder_pages(elo_run(level, {"ranks": {"a": 1, "b": 2, "c": 3, "d": 3, "e": 3, "f": 3}})).event(1)
    assert {(row["rank"], row["place"], row["mean_place"]) for row in page["standings"]} == {(1, 1, 3.5)}
    assert (page["better_than_expected"], page["upsets"]) == (0, [])
    picture = standings_picture(page)
    assert "0 of 6 players did better than expected." in picture
    assert "a: rank 1 of 6 (tied, 3.5 on average), expected 3.5" in picture


def test_ranks_of_a_larger_field_are_compared_by_their_place() -> None:
    page = ladder_pages(elo_run({"ranks": {"ann": 12, "bob": 57, "cat": 103}})).event(1)
    assert [(row["rank"], row["place"]) for row in page["standings"]] == [(12, 1), (57, 2), (103, 3)]
    assert page["better_than_expected"] == 1
    assert page["upsets"][0]["words"] == "ann was rank 1 of 3 (reported as 12), expected 2.0"
    assert "cat: rank 3 of 3 (reported as 103), expected 2.0" in standings_picture(page)


def test_a_picture_of_one_page_names_its_part() -> None:
    ranks = {f"p{i}": i + 1 for i in range(2 * ROWS_PER_PAGE + 4)}
    pages = ladder_pages(elo_run({"ranks": ranks}))
    for number in (1, 3):
        page = pages.event(1, number)
        assert page["better_than_expected"] == ROWS_PER_PAGE + 2
        assert "152 of 304 players did better than expected." in standings_picture(page)
        assert f"shows the {150 if number == 1 else 4} players of this page" in standings_picture(page)


def test_a_match() -> None:
    page = ladder_pages(elo_run(*MATCHES)).event(1)
    assert (page["match"], page["home"], page["has_score"]) == (True, "bob", True)
    assert page["chances"] == [0.5, 0.0, 0.5]  # without home advantage
    assert [row["at_home"] for row in page["standings"]] == [False, True]
    assert [row["change"] for row in page["standings"]] == pytest.approx([FIRST, -FIRST], abs=0.005)
    assert page["upsets"] == []


def test_teams_have_sides() -> None:
    pages = ladder_pages(podium.rate(History.from_events(TEAMS), podium.TrueSkill(), trace=True))
    page = pages.event(2)
    assert (page["teams"], page["players"], page["sides"]) == (True, 4, 2)
    assert [(row["player"], row["side"]) for row in page["standings"]] == [
        ("bob", 1),
        ("dan", 1),
        ("ann", 0),
        ("cat", 0),
    ]
    matches = pages.matches()
    assert matches is not None
    assert (matches["recent"][0]["first"], matches["recent"][0]["second"]) == (["ann", "cat"], ["bob", "dan"])
    assert matches["recent"][0]["result"] == "loss"


def test_a_large_event_is_paged() -> None:
    ranks = {f"player {number:03}": number for number in range(1, ROWS_PER_PAGE + 11)}
    pages = ladder_pages(elo_run({"ranks": ranks}))
    assert pages.event_pages(1) == 2
    last = pages.event(1, 2)
    assert (last["page"], last["pages"], len(last["standings"])) == (2, 2, 10)
    assert last["standings"][0]["rank"] == ROWS_PER_PAGE + 1
    assert last["upsets"] == []


def test_the_list_of_events_begins_with_the_latest() -> None:
    pages = ladder_pages(elo_run(*CUP))
    listed = pages.events()
    assert [row["name"] for row in listed["rows"]] == ["autumn", "summer", "spring"]
    assert listed["rows"][2]["winners"] == ["ann"]
    gains = {row["player"]: row["change"] for row in pages.event(2)["standings"]}
    assert listed["rows"][1]["gainer"] == max(gains, key=gains.__getitem__)
    assert listed["rows"][1]["largest_gain"] == pytest.approx(max(gains.values()), abs=0.011)
    assert pages.matches() is None


def test_matches_with_the_chances_before_them() -> None:
    """cat, who lost to bob by 16 points more, then draws with ann; bob, rated lower, had beaten cat."""
    page = ladder_pages(elo_run(*MATCHES)).matches()
    assert page is not None
    last, second, first = page["recent"]
    assert page["matches"] == 3
    assert (last["first"], last["second"], last["result"]) == (["ann"], ["cat"], "draw")
    expected = 1 / (1 + 10 ** (-FIRST / 400))
    assert second["win"] == pytest.approx(1 - expected, abs=1e-4)  # bob at 1484 against a newcomer
    assert second["win"] + second["draw"] + second["loss"] == pytest.approx(1.0, abs=1e-3)
    assert (first["home"], first["first_score"], first["second_score"]) == ("second", 2.0, 1.0)
    assert first["first_change"] == pytest.approx(FIRST, abs=0.005)
    (upset,) = page["upsets"]
    assert (upset["winners"], upset["losers"], upset["event"]) == (["bob"], ["cat"], 2)
    assert upset["words"] == "bob beat cat, chance 48%"


def test_several_pieces_are_one_history() -> None:
    """Rated in two pieces, events have the same numbers and pages as in one."""
    whole = History.from_events(CUP)
    one = ladder_pages(podium.rate(whole, podium.EloMMR(), trace=True))
    two = ladder_pages(podium.rate([whole[:1], whole[1:]], podium.EloMMR(), trace=True))
    assert [two.event(number) for number in (1, 2, 3)] == [one.event(number) for number in (1, 2, 3)]
    assert two.player(0) == one.player(0)
