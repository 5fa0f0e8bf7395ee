"""The latest results of players on live pages: late ones stand where they count, void ones nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

import pytest

import podium
from podium.pages.ladder_pages import ladder_pages
from podium.server.live_pages import player_rows
from server.callers import Caller
from server.test_live_pages import number_of, page, twin

Reports = list[dict[str, Any]]


def days_from(first: str, count: int) -> list[str]:
    """The days from a day on."""
    start = date.fromisoformat(first)
    return [(start + timedelta(days=day)).isoformat() for day in range(count)]


def wins(winner: str, loser: str, days: Iterable[str]) -> Reports:
    """A match that one player wins on each of some days."""
    return [{"ranks": {winner: 1, loser: 2}, "time": day} for day in days]


def late(events: Reports) -> Reports:
    """The same events, reported late."""
    return [{**event, "late": True} for event in events]


JANUARY = wins("bob", "ann", days_from("2026-01-10", 13))
SPRING = wins("ann", "bob", days_from("2026-03-01", 40))
AUTUMN = wins("ann", "bob", days_from("2026-10-20", 3))
LOST = wins("bob", "ann", days_from("2025-01-01", 20))
IDLE = wins("ann", "bob", ["2026-01-10", "2026-01-11"]) + wins("cat", "dan", ["2026-10-20"])
THREE = wins("ann", "bob", ["2026-09-01", "2026-10-10"]) + wins("ann", "cat", ["2026-10-20"])
WON = wins("ann", "bob", days_from("2026-10-01", 14))
BOBBY = wins("ann", "bob", ["2026-05-01"]) + wins("bobby", "cat", ["2026-09-15"])
MERGE = {"player": "bobby", "into": "bob"}
STORIES: dict[str, tuple[Reports, list[Any]]] = {
    "late-of-another-month": ([*AUTUMN, *late(JANUARY)], [*JANUARY, *AUTUMN]),
    "late-before-many": ([*SPRING, *late(LOST)], [*LOST, *SPRING]),
    "late-of-an-idle-player": ([IDLE[0], IDLE[2], *late(IDLE[1:2])], IDLE),
    "late-of-this-month": ([THREE[0], THREE[2], *late(THREE[1:2])], THREE),
    "void-first-of-the-month": ([*THREE, {"void": 2}], [THREE[0], THREE[2]]),
    "void-latest": ([*WON, *({"void": number} for number in range(3, 15))], WON[:2]),
    "merged-account": (
        [*BOBBY, {"adjustment": "merge", "time": "2026-09-16", **MERGE}],
        [*BOBBY, podium.Merge(**MERGE)],
    ),
}
"""What a service is told, and the history that it means."""


def test_the_leaderboard_tells_the_latest_changes_that_count(any_caller: Caller) -> None:
    """They are those of a website of the same history."""
    for slug, (said, meant) in STORIES.items():
        any_caller.create(slug)
        assert any_caller.bulk(said, ladder=slug)["refused"] == 0
        run = podium.rate(podium.History.from_events(meant), "elo", trace=True)
        wanted = ladder_pages(run, min_events=1).leaderboard()["rows"]
        assert twin(any_caller, f"/ladders/{slug}/about")["start"] == meant[0]["time"], slug
        live = twin(any_caller, f"/ladders/{slug}/")["rows"]
        for row, site in zip(live, wanted, strict=True):
            where = slug, row["player"]
            assert row["player"] == site["player"], where
            assert row["last_time"] == site["last_time"], where
            assert row["last_change"] == pytest.approx(site["last_change"], abs=1e-9), where
            assert row["month_change"] == pytest.approx(site["month_change"], abs=1e-9), where
            assert row["spark"][-1] == row["display"], where


def test_the_change_of_a_month_is_that_of_its_rated_events(any_caller: Caller) -> None:
    """A rating that is set between the events is none of it, nor is an event as a guest."""
    guest = {"ranks": {"bob": 1, "cat": 2}, "unrated": ["bob"], "time": "2026-06-01"}
    moved = {"adjustment": "set-rating", "player": "ann", "mu": 2_000, "time": "2026-05-19"}
    many = wins("ann", "cat", days_from("2026-05-06", 26))
    said = [*wins("ann", "bob", ["2026-01-01"]), *many[:14], moved, *many[14:], guest]
    answer = any_caller.bulk(said)
    assert answer["refused"] == 0
    events = [entry for entry, sent in zip(answer["outcomes"], said, strict=True) if sent in many]
    gains = [one["gain"] for entry in events for one in entry["changes"] if one["player"] == "ann"]
    rows = {row["player"]: row["month_change"] for row in twin(any_caller, "/ladders/chess/")["rows"]}
    assert rows["ann"] == pytest.approx(sum(gains), abs=0.01)
    assert rows["bob"] is None


@pytest.mark.parametrize(
    ("said", "older"),
    [
        ([*SPRING[:15], {"void": 14}], 4),
        ([*SPRING[:10], *late(LOST[:2])], 2),
    ],
    ids=["void", "late"],
)
def test_no_result_is_out_of_reach(
    any_caller: Caller, said: Reports, older: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player_rows, "RESULTS_AT_ONCE", 10)
    any_caller.bulk(said)
    path = f"/ladders/chess/players/{number_of(any_caller, 'chess', 'ann')}"
    latest = twin(any_caller, path)
    assert (len(latest["history"]["event"]), latest["older_results"]) == (10, older)
    (path,) = re.findall(r'href="([^"]+\?before=\d+)"', page(any_caller, path))
    earlier = twin(any_caller, path)
    assert (len(earlier["history"]["event"]), earlier["older_results"]) == (older, 0)
    void = [report["void"] - 1 for report in said if "void" in report]
    days = [report["time"] for place, report in enumerate(said) if "time" in report and place not in void]
    assert earlier["history"]["time"] + latest["history"]["time"] == sorted(days)


def test_late_results_are_not_the_latest_matches(any_caller: Caller) -> None:
    """Nor do amendments at the end of the log take the places of matches."""
    said = [*AUTUMN, *late(JANUARY[:2]), *late(wins("bob", "ann", ["2026-10-21"])), {"void": 1}]
    assert any_caller.bulk(said)["refused"] == 0
    shown = twin(any_caller, "/ladders/chess/matches")["recent"]
    days = ["2026-10-22", "2026-10-21", "2026-10-21", "2026-01-11", "2026-01-10"]
    assert [match["time"] for match in shown] == days
    assert [match["event"] for match in shown] == [3, 6, 2, 5, 4]


def test_pages_begin_and_end_with_events_not_with_adjustments(any_caller: Caller) -> None:
    reset = {"adjustment": "reset", "keep": 0.5}
    given = {"adjustment": "set-rating", "player": "ann", "mu": 1700, "time": "2025-06-01"}
    said = [given, *wins("ann", "bob", ["2026-02-01", "2026-02-03"]), {**reset, "time": "2026-09-01"}]
    assert any_caller.bulk(said)["refused"] == 0
    about = twin(any_caller, "/ladders/chess/about")
    assert (about["start"], about["now"]) == ("2026-02-01", "2026-02-03")
    assert twin(any_caller, "/ladders/chess/compare")["now"] == "2026-02-03"
    (card,) = twin(any_caller, "/")["ladders"]
    assert card["now"] == "2026-02-03"


def test_the_last_event_shows_the_change_that_its_page_shows(caller: Caller) -> None:
    """The rating has moved since by an adjustment, so that other roundings meet."""
    caller.bulk(wins("ann", "bob", ["2026-02-01"] * 3))
    for mu in (1700.3, 1700.7):
        caller.report({"adjustment": "set-rating", "player": "ann", "mu": mu, "time": "2026-02-02"})
        row = next(row for row in twin(caller, "/ladders/chess/")["rows"] if row["player"] == "ann")
        (there,) = [
            row for row in twin(caller, "/ladders/chess/events/3")["standings"] if row["player"] == "ann"
        ]
        assert (row["last_display"], row["last_change"]) == (there["display"], there["change"])
        cells = re.findall(r'<span class="gain">[^<]+', page(caller, "/ladders/chess/"))
        assert cells[0] in page(caller, "/ladders/chess/events/3")


def test_the_highest_rating_is_that_of_the_whole_career(
    any_caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it was long before the results on the page, and after an event was voided."""
    monkeypatch.setattr(player_rows, "RESULTS_AT_ONCE", 5)
    rise, fall = SPRING[:10], wins("bob", "ann", days_from("2026-05-01", 10))
    caller = any_caller
    assert caller.bulk([*rise, *fall])["refused"] == 0
    site = ladder_pages(podium.rate(podium.History.from_events([*rise, *fall]), "elo", trace=True))
    path = f"/ladders/chess/players/{number_of(caller, 'chess', 'ann')}"
    wanted = site.player(site.names.index("ann"))["peak"]
    assert wanted is not None
    assert wanted["event"] == 10
    for shown in (twin(caller, path), twin(caller, f"{path}?before=12")):
        assert shown["peak"] == {**wanted, "place": None}
    caller.report({"void": 10})
    peak = twin(caller, path)["peak"]
    assert (peak["event"], peak["time"]) == (9, rise[8]["time"])
    assert "<dt>Highest</dt>" in page(caller, path)
