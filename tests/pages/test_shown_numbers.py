"""Numbers, chances, dates and scores as pages show them: rounded, they still say what is so."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import podium
from pages.site_links import SITE
from podium import History
from podium.pages.ladder_pages import LadderPages, ladder_pages
from podium.pages.rendering import (
    render_all_time,
    render_event,
    render_events,
    render_leaderboard,
    render_matches,
    render_player,
)


def pages_of(*events: Any, system: str = "elo", **parameters: Any) -> LadderPages:
    run = podium.rate(
        History.from_events(events), podium.make_system(system, **parameters), trace=True, allow_repeat=True
    )
    return ladder_pages(run)


def texts(html: str) -> list[str]:
    """What stands in each cell of tables."""
    cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", html, re.DOTALL)
    return [re.sub(r"<[^>]*>", "", cell).strip() for cell in cells]


def test_a_change_is_the_difference_of_the_ratings_beside_it() -> None:
    pages = pages_of({"ranks": {"ann": 1, "bob": 2}, "name": "cup", "time": "2026-05-01"})
    event, player, board = pages.event(1), pages.player(0), pages.leaderboard()
    event["standings"][0] |= {"before": 2626.4, "display": 2626.6, "change": 0.2}
    assert texts(render_event(event, SITE))[5:8] == ["2626", "+1", "2627"]
    player["results"][0] |= {"before": 2626.4, "display": 2626.6, "change": 0.2}
    assert texts(render_player(player, SITE))[-2:] == ["+1", "2627"]
    page = pages.matches()
    assert page is not None
    page["recent"][0] |= {"first_before": 1484.37, "first_display": 1505.65, "first_change": 21.28}
    assert "+21" in texts(render_matches(page, SITE))  # neither rating is beside it
    board["rows"][0] |= {"last_change": 21.28, "month_change": 21.28}
    assert texts(render_leaderboard(board, SITE)).count("+21") == 2


def test_the_zone_of_times_is_named() -> None:
    """Half past midnight in Berlin is still the day before in UTC."""
    pages = pages_of({"ranks": {"ann": 1, "bob": 2}, "time": "2026-06-11T00:30:00+02:00"})
    for html in (render_player(pages.player(0), SITE), render_event(pages.event(1), SITE)):
        assert "10 Jun 2026" in html
        assert "Dates and times are in UTC." in html


def test_one_day_of_events_is_named_once() -> None:
    match = {"ranks": {"ann": 1, "bob": 2}}
    one = pages_of({**match, "time": "2026-06-11T18:00:00Z"}, {**match, "time": "2026-06-11T19:00:00Z"})
    assert '<span class="note"><time datetime="2026-06-11T19:00:00Z">' in render_player(one.player(0), SITE)
    two = pages_of({**match, "time": "2026-06-11"}, {**match, "time": "2026-06-12"})
    assert "</time> to <time" in render_player(two.player(0), SITE)


def test_a_highest_rating_that_was_set_is_told_from_the_list_of_all_time() -> None:
    """The page of ann began with "set-rating player=ann, …", and the list had a lower number."""
    items = [podium.SetRating(player="ann", display=1850.0, events=40), {"ranks": {"bob": 1, "ann": 2}}]
    pages = pages_of(*items)
    page = render_player(pages.player(0), SITE)
    assert 'Highest</dt><dd>1850 <span class="note">adjusted</span>' in page
    peaks = pages.all_time()
    assert peaks is not None
    assert max(row["display"] for row in peaks["peaks"]) < 1850
    assert "Ratings set by hand do not count" in render_all_time(peaks, SITE)


def test_one_match_has_one_change_wherever_its_ratings_are_not_shown() -> None:
    """k = 38.6 gives the winner 19.3 points, from 1500.4 to 1519.7: a difference of 20 as these are shown."""
    wins = [{"ranks": {"ann": 1, other: 2}, "time": "2026-05-01"} for other in ("bob", "cat", "dan")]
    pages = pages_of(*wins, mu=1500.4, k=38.6)
    page = pages.player(0)
    assert page["why"] is not None
    assert page["why"]["words"][1] == "Most up: 2026-05-01: beat bob (+19.3)."
    best = page["highlights"][0]
    assert (best["what"], best["words"]) == ("gain", "+19")
    assert "+20" in texts(render_player(page, SITE))  # beside both ratings


def test_the_sentence_about_a_rating_adds_up() -> None:
    """From 1500.4 by 0.3 points."""
    why = pages_of({"ranks": {"ann": 1, "bob": 2}}, mu=1500.4, k=0.6).player(0)["why"]
    assert why is not None
    assert why["words"][0] == "The rating 1501 is the starting rating 1500 and +1 from 1 event."


def test_a_match_is_told_from_the_winners_side() -> None:
    scored = {"scores": {"ann": 2, "bob": 3}, "home": "ann", "time": "2026-05-01"}
    pages = pages_of(scored, {"ranks": {"ann": 1, "bob": 1}, "time": "2026-05-02"})
    page = pages.matches()
    assert page is not None
    cells = texts(render_matches(page, SITE))
    assert "bob – ann home" in cells
    assert "won 3:2" in cells
    assert not [cell for cell in cells if "loss" in cell]
    lost = next(row for row in pages.player(0)["results"] if row["match"] and row["match"]["score"])
    assert lost["words"] == "lost to bob 2:3 at home"
    html = render_player(pages.player(0), SITE)
    assert "lost against <bdi>bob</bdi>, 2:3" in html
    assert "won against <bdi>ann</bdi>, 3:2" in render_player(pages.player(1), SITE)


def test_no_chance_is_certain() -> None:
    matches: list[Any] = [podium.SetRating(player="ann", mu=9000.0)]
    matches += [{"ranks": {"ann": 1, "bob": 2}, "name": "final", "time": "2026-05-01"}]
    pages = pages_of(*matches)
    shown = render_event(pages.event(1), SITE)
    assert "win &gt;99%, loss &lt;1%" in shown
    assert 'aria-label="win &gt;99%, loss &lt;1%"' in shown
    page = pages.matches()
    assert page is not None
    assert "&gt;99%" in render_matches(page, SITE)


def test_an_event_that_is_called_by_its_time_has_a_date_for_a_title() -> None:
    when = "2022-08-27T13:40:00Z"
    pages = pages_of({"ranks": {"ann": 1, "bob": 2, "cat": 3}, "name": when, "time": when})
    event, listed, player = pages.event(1), pages.events(), pages.player(0)
    shown = render_event(event, SITE)
    assert "<h1><bdi>27 Aug 2022, 13:40</bdi></h1>" in shown
    assert "27 Aug 2022, 13:40" in texts(render_events(listed, SITE))
    for html in (shown, render_events(listed, SITE), render_player(player, SITE)):
        assert when not in re.sub(r'(datetime|data-value)="[^"]*"', "", html)


def test_a_board_says_how_many_of_its_players_are_ranked() -> None:
    matches = [{"ranks": {"ann": 1, f"player {n}": 2}, "time": f"2026-05-{n:02}"} for n in range(1, 13)]
    run = podium.rate(History.from_events(matches), "elo", trace=True)
    board = ladder_pages(run, min_events=5).leaderboard()
    assert "13 players (1 ranked), 12 events" in render_leaderboard(board, SITE)


def test_a_game_without_draws_shows_none() -> None:
    matches = [
        {"ranks": {"ann": 1 + n % 2, "bob": 2 - n % 2}, "time": f"2026-05-{n:02}"} for n in range(1, 29)
    ]
    pages = pages_of(*matches, calibration="learned")
    chances = pages.event(28)["chances"]
    assert chances is not None
    assert (chances[1], chances[0] + chances[2]) == (0.0, 1.0)
    page = pages_of(*matches, {"ranks": {"ann": 1, "bob": 1}, "time": "2026-06-01"}, calibration="learned")
    drawn = page.event(29)["chances"]
    assert drawn is not None
    assert 0.0 < drawn[1] < 0.03


def test_draws_that_have_no_chance_are_said_to_have_none() -> None:
    """Where a draw happened; without one there is nothing to say, nor if draws have a chance."""
    drawn = {"ranks": {"ann": 1, "bob": 1}, "time": "2026-05-01"}
    won = {"ranks": {"ann": 1, "cat": 2}, "time": "2026-05-02"}
    words = "The rating system gives draws no chance"
    for events, draw_rate, said in (([drawn, won], 0.0, True), ([drawn], 0.3, False), ([won], 0.0, False)):
        pages = pages_of(*events, draw_rate=draw_rate)
        page = pages.matches()
        assert page is not None
        assert (words in render_matches(page, SITE)) == said
        assert (words in render_event(pages.event(1), SITE)) == said


@pytest.mark.parametrize("start", [1499.4962, 1500.5038, 1499.9962])
def test_ratings_are_rounded_once(start: float) -> None:
    """1499.4962 is 1499.50 with the decimals of a document, and 1499 as `podium rate` prints it."""
    pages = pages_of({"ranks": {"ann": 1, "bob": 1, "cat": 1}, "name": "cup"}, mu=start)
    shown = f"{start:.0f}"
    cells = texts(render_leaderboard(pages.leaderboard(), SITE))
    assert cells.count(shown) == 3
    assert texts(render_event(pages.event(1), SITE)).count(shown) == 6  # before and after
    assert f">{shown}<" in render_player(pages.player(0), SITE)


def test_expected_ranks_are_rounded_once() -> None:
    """With 11 sides, 5.049 is 5.05 with two decimals: the page and the command line round what it is."""
    history = History.from_events([{"ranks": {f"p{i}": i + 1 for i in range(11)}}] * 2)
    run = podium.rate(history, podium.Elo(k=7.3), trace=True, allow_repeat=True)
    page = ladder_pages(run).event(2)
    for row in page["standings"]:
        exact = run.explain(row["player"], event=2).expected_rank
        assert row["expected_rank"] == pytest.approx(exact, abs=1e-5)


def test_changes_are_rounded_once_and_sums_of_them_too() -> None:
    """A hundred small changes of a month: differences of rounded ratings would be off by more in all."""
    chance = Random(3)
    pairs = [chance.sample(["ann", "bob", "cat"], 2) for _ in range(100)]
    history = History.from_events(
        {"ranks": {winner: 1, loser: 2}, "time": f"2026-05-{1 + n // 4:02}T{n % 4:02}:00"}
        for n, (winner, loser) in enumerate(pairs)
    )
    run = podium.rate(history, podium.Elo(k=13.7, mu=1499.4962), trace=True)
    pages = ladder_pages(run)
    trace = run.trace.with_columns(change=pl.col("display") - pl.col("display_before"))
    for row in pages.leaderboard()["rows"]:
        mine = trace.filter(pl.col("player") == row["player"])["change"]
        assert row["month_change"] == rounded_once(mine.sum())
        assert row["last_change"] == rounded_once(mine[-1])
        results = next(pages.player(n) for n in range(3) if pages.names[n] == row["player"])["results"]
        for told, change in zip(results, mine.reverse(), strict=False):
            assert told["change"] == rounded_once(change)
    page = pages.matches()
    assert page is not None
    for match in page["recent"]:
        of_match = trace.filter(pl.col("event") == str(match["event"]))
        of = dict(zip(of_match["player"], of_match["change"], strict=True))
        assert match["first_change"] == rounded_once(of[match["first"][0]])
        assert match["second_change"] == rounded_once(of[match["second"][0]])
        listed = pages.event(match["event"])
        assert [row["change"] for row in listed["standings"]] == [
            rounded_once(of[row["player"]]) for row in listed["standings"]
        ]
    for row in pages.events()["rows"]:
        most = trace.filter(pl.col("event") == str(row["event"]))["change"].max()
        assert row["largest_gain"] == rounded_once(most)


def test_a_rating_that_is_set_is_no_event() -> None:
    """It dates the deviation, so it is the time of the leaderboard; the player's events end before it."""
    match = {"ranks": {"ann": 1, "bob": 2}, "time": "2026-02-01"}
    run = podium.rate(
        History.from_events([match]).with_adjustments(
            [("2026-08-01", podium.SetRating(player="ann", mu=1600, sigma=60))]
        ),
        "glicko",
        trace=True,
    )
    pages = ladder_pages(run)
    board, player = pages.leaderboard(), pages.player(0)
    assert {row["player"]: row["last_time"] for row in board["rows"]} == {
        "ann": "2026-08-01",
        "bob": "2026-02-01",
    }
    assert "Last rated" in texts(render_leaderboard(board, SITE))
    assert (player["player"], player["first_time"], player["last_time"]) == (
        "ann",
        "2026-02-01",
        "2026-02-01",
    )


def test_disqualified_players_of_a_file_are_named(tmp_path: Path) -> None:
    """Those of each event; a row in last place is a result."""
    (tmp_path / "cup.csv").write_text(
        "event,time,player,rank\n"
        "cup,2026-05-01,ann,1\ncup,2026-05-01,bob,2\ncup,2026-05-01,cat,DSQ\ncup,2026-05-01,eve,DNS\n"
        "final,2026-05-08,ann,1\nfinal,2026-05-08,cat,2\nfinal,2026-05-08,dan,DNF\nfinal,2026-05-08,bob,DSQ\n"
        "final,2026-05-08,new,DSQ\n"
    )
    named: list[list[str]] = [["cat"], ["bob", "new"]]
    for how, wanted in (("drop", named), ("last", [[], []])):
        history = podium.read_history(tmp_path / "cup.csv", disqualified=how)
        pages = ladder_pages(podium.rate(history, "elo", trace=True))
        found = [pages.event(number) for number in (1, 2)]
        assert [page["disqualified"] for page in found] == wanted
        shown = render_event(found[1], SITE)
        assert ("<s><bdi>new</bdi></s>" in shown) == (how == "drop")
        assert ("Ranks without disqualified players" in shown) == (how == "drop")


def rounded_once(exact: Any) -> float:
    """Two decimals, or the next number with two that is the same without decimals."""
    near = round(exact, 2)
    if f"{near:.0f}" != f"{exact:.0f}":
        near += 0.01 if near < exact else -0.01
    return round(near, 2)
