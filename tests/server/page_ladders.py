"""Histories of the website's tests as ladders of a service: what both show must be the same."""

from __future__ import annotations

from typing import Any

import podium
from pages.small_sites import contest_history, match_history
from podium.history.times import to_iso
from podium.pages.ladder_pages import LadderPages, ladder_pages
from podium.systems.tiers import tiers_from
from server.callers import Caller

FILTERS: dict[str, Any] = {"min_events": 2, "active_since": "2024-06-01"}
TIERS = [
    {"name": "Gold <i>& more</i>", "lower": 1550},
    {"name": "Bronze", "colour": "#cd7f32"},
    {"name": "Silver", "lower": 1450.5},
]


def plain_events(history: podium.History) -> list[dict[str, Any]]:
    """The events of a history as a service takes them."""
    sent = []
    for number in range(len(history)):
        event = history.event(number)
        names = [side[0] for side in event.sides]
        report: dict[str, Any] = {
            "time": to_iso(event.time),
            "ranks": dict(zip(names, event.ranks, strict=True)),
        }
        if event.scores is not None:
            report["scores"] = dict(zip(names, event.scores, strict=True))
            del report["ranks"]
        if event.name is not None:
            report["name"] = event.name
        if event.home is not None:
            report["home"] = event.home
        sent.append(report)
    return sent


def fill_ladders(caller: Caller) -> None:
    """The ladders `contests` and `matches`, in which every name is hostile."""
    caller.create("contests", "elo-mmr", title="Contests <i>& more</i>", tiers=TIERS, **FILTERS)
    caller.create("matches", "elo", title="", min_events=3)
    for slug, history in (("contests", contest_history()), ("matches", match_history())):
        assert caller.bulk(plain_events(history), ladder=slug)["refused"] == 0


def website(slug: str) -> LadderPages:
    """The same ladder as the pages of a website, rated from the history at once."""
    if slug == "contests":
        run = podium.rate(contest_history(), "elo-mmr", trace=True)
        return ladder_pages(run, tiers=tiers_from(TIERS), **FILTERS)
    return ladder_pages(podium.rate(match_history(), "elo", trace=True), min_events=3)
