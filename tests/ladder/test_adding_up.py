"""Wherever the changes of a rating are listed, they add up, and each adjustment has its own line."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import podium
from podium import Anchor, History, Merge, Release, Rename, Reset, Run, SetRating, charts, rate
from podium.charts.season_page import season_page
from podium.documents import rating_histories_document
from podium.pages.ladder_data import LadderData
from podium.pages.player_results import played_results
from podium.systems.contract.explained_ratings import Explanation


def contest(day: int, *players: str, unrated: tuple[str, ...] = ()) -> dict[str, Any]:
    ranks = {name: rank for rank, name in enumerate(players, start=1)}
    return {"ranks": ranks, "time": f"2026-{1 + day // 28:02}-{1 + day % 28:02}", "unrated": list(unrated)}


def moved(day: int, adjustment: podium.Adjustment) -> tuple[str, podium.Adjustment]:
    return f"2026-{1 + day // 28:02}-{1 + day % 28:02}T12:00Z", adjustment


EVENTS = [
    contest(1, "ann", "bob", "cat", "dan"),
    contest(2, "bob", "ann", "guest", unrated=("guest",)),
    contest(40, "cat", "ann", "bob", "eve"),
    contest(41, "ann", "cat", "dan"),
    contest(130, "anna", "bob", "cat", unrated=("cat",)),
    contest(131, "bob", "anna", "dan", "cat"),
]
PLACED = [
    moved(0, SetRating(player="ann", mu=1650.0)),
    moved(0, SetRating(player="idle", display=1700.0)),
    moved(3, SetRating(player="bob", display=1800.0, sigma=60.0)),
    moved(3, SetRating(player="bob", display=1400.0)),
    moved(4, Reset(keep=0.5)),
    moved(40, Merge(player="eve", into="bob")),
    moved(40, Anchor(player="cat", mu=1500.0)),
    moved(42, Release(player="cat")),
    moved(43, Rename(player="ann", into="anna")),
    moved(44, SetRating(player="anna", mu=1900.0)),
    moved(132, SetRating(player="dan", mu=1450.0)),
    moved(133, Reset(keep=0.8)),
]
OWN = {
    "anna": [PLACED[0], PLACED[4], PLACED[9], PLACED[11]],
    "bob": [PLACED[2], PLACED[3], PLACED[4], PLACED[5], PLACED[11]],
    "cat": [PLACED[4], PLACED[6], PLACED[7], PLACED[11]],
    "dan": [PLACED[4], PLACED[10], PLACED[11]],
    "idle": [PLACED[1], PLACED[4], PLACED[11]],
}
"""The adjustments of each player, in order."""

Line = tuple[str | None, float, float]
"""What was adjusted, None for an event; the displayed rating before it and after it."""


def lines_of(run: Run, player: str) -> list[Line]:
    return run.history(player).select("adjustment", "display_before", "display").rows()


def lines_of_document(run: Run, player: str) -> list[Line]:
    found = rating_histories_document(run, [player])["players"][0]["events"]
    return [(one["adjustment"], one["display_before"], one["display"]) for one in found]


def lines_of_page(run: Run, player: str) -> list[Line]:
    data = LadderData.of(run)
    assert data.played is not None
    shown = played_results(data, data.played, data.names.index(player))
    own = [i for i, account in enumerate(shown.account) if account is None]
    return [(shown.adjustment[i], shown.before[i], shown.display[i]) for i in own]


def lines_of_explanation(run: Run, player: str) -> list[Line]:
    explained = run.explain(player)
    assert isinstance(explained, Explanation)
    return [
        (one.event if one.rank is None else None, one.before, one.after) for one in explained.contributions
    ]


def drawn_adjustments(run: Run, player: str) -> list[str]:
    """Those of a picture, which has two rows for each: before and after it."""
    rows = max(charts.rating_history(run, player).to_dict()["datasets"].values(), key=len)
    words = [row["event"] for row in rows if row["place"] is None]
    assert words[::2] == words[1::2]
    return words[::2]


DOORS: dict[str, tuple[Callable[[Run, str], list[Line]], float]] = {
    "history": (lines_of, 1e-9),
    "document": (lines_of_document, 1e-9),
    "page": (lines_of_page, 0.006),
}


@pytest.fixture(scope="module")
def history() -> History:
    return History.from_events(EVENTS).with_adjustments(PLACED)


@pytest.mark.parametrize("name", ["elo", "glicko2", "elo-mmr", "trueskill", "weng-lin"])
def test_listed_changes_add_up_and_each_adjustment_has_its_own_line(name: str, history: History) -> None:
    system = podium.make_system(name)
    run = rate([history[:3], history[3:]], system, trace=True)
    for player, placed in OWN.items():
        words = [adjustment.describe() for _, adjustment in placed]
        newcomer = float(system.display(*system.start(system.new_state()))[0])
        final = run.ladder.rating(player).display
        lists = {door: (ask(run, player), exact) for door, (ask, exact) in DOORS.items()}
        if isinstance(run.explain(player), Explanation):
            lists["explanation"] = lines_of_explanation(run, player), 1e-9
        assert (player, drawn_adjustments(run, player)) == (player, words)
        for door, (lines, exact) in lists.items():
            told = (door, player)
            assert (told, [one for one, _, _ in lines if one is not None]) == (told, words)
            assert lines[0][1] == pytest.approx(newcomer, abs=exact), told
            assert lines[-1][2] == pytest.approx(final, abs=exact), told
            for earlier, later in pairwise(lines):
                away = later[1] - earlier[2]  # less certain: of a displayed rating with a deviation
                assert away == pytest.approx(0.0, abs=exact) or (system.has_sigma and away < 0.0), told


def test_the_report_of_a_season_draws_each_adjustment(history: History) -> None:
    run = rate(history, podium.Elo(), trace=True)
    page = season_page(run, title="Season", about="All of it.", min_events=2)
    for player in ("anna", "bob", "dan"):
        for _, adjustment in OWN[player]:
            assert adjustment.describe() in page


def test_a_run_whose_ladder_has_changed_tells_so_in_every_answer(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was rated in bulk since, or is forgotten by the ladder, was booked as time away."""
    run = rate(history, podium.Elo(), trace=True)
    assert run.ratings.equals(run.ladder.ratings())
    at_end = run.explain("anna")
    run.ladder.update(History.from_events([contest(140, "anna", "bob"), contest(141, "anna", "bob")]))
    between = run.ladder.rating("anna").display
    run.ladder.record_match("anna", "bob", time="2026-07-01", name="later")
    explained = run.explain("anna")
    assert isinstance(at_end, Explanation)
    assert isinstance(explained, Explanation)
    assert explained.contributions[:-2] == at_end.contributions
    unlisted, recorded = explained.contributions[-2:]
    assert unlisted.event == "all later changes that the run does not list"
    assert unlisted.change == pytest.approx(between - at_end.rating.display)
    assert (recorded.event, recorded.before, explained.absence) == ("later", between, 0.0)
    assert run.ratings.equals(run.ladder.ratings())  # not those of the first time that it was asked
    run.ladder.undo()
    run.ladder.record_match("bob", "anna", time="2026-07-01", name="other")
    assert run.leaderboard().equals(run.ladder.leaderboard())
    for show in (LadderData.of, lambda run: season_page(run, title="Season", about="All of it.")):
        with pytest.raises(podium.ParameterError, match="the ladder has changed since this run"):
            show(run)
    # A guest of the run whose first rated event the run has not seen, and a ladder that forgets.
    run = rate(history, podium.Elo(), trace=True)
    monkeypatch.setattr("podium.ladder.journal.MOST_EVENTS", 1)
    for day in (140, 141):
        run.ladder.record(**contest(day, "guest", "anna"))
    for player in ("guest", "anna"):
        told = run.explain(player)
        assert isinstance(told, Explanation)
        assert (player, told.absence, told.newcomer) == (player, 0.0, 1500.0)
        assert sum(points for _, points in told.lines) == pytest.approx(told.rating.display)
    # Performances have the names of their own events, also if the count of events began anew.
    run = rate(history, podium.EloMMR(), trace=True)
    begun = SetRating(player="bob", mu=1500.0, events=2)
    run.ladder.update(History.from_events([begun, contest(140, "bob", "dan")]))
    assert run.explain("bob") == run.ladder.explain("bob")
