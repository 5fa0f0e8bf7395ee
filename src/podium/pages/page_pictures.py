"""From the documents of pages to their pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress
from typing import Any, cast

from podium.charts.svg_pictures import (
    RatingLine,
    calibration_dots,
    change_bars,
    expected_ranks,
    place_history,
    pull_bars,
    rating_history,
    ratings_distribution,
)
from podium.charts.svg_plot import BEYOND
from podium.documents.event_page_documents import EventPageDocument, PredictionQualityDocument
from podium.documents.page_documents import (
    BinsDocument,
    HistoryColumnsDocument,
    PlayerPageDocument,
    TierDocument,
    WhyDocument,
)
from podium.pages.page_words import day, event_title, moment_words
from podium.systems.tiers import Tier
from podium.text import rank_words, shorten, write_number


def tiers_drawn(tiers: Sequence[TierDocument]) -> list[Tier]:
    """Tiers as pictures take them."""
    return [
        Tier(tier["name"], -math.inf if tier["lower"] is None else tier["lower"], tier["colour"])
        for tier in tiers
    ]


def history_picture(document: PlayerPageDocument, digits: int) -> str:
    """How a player's rating went; empty without results."""
    history = _rated(document["history"])
    if not history["display"]:
        return ""
    low, high = history["low"], history["high"]
    line = RatingLine(
        times=_drawn_times(history),
        ratings=history["display"],
        band=None if low is None or high is None else (low, high),
        performances=history["performance"] or [None] * len(history["display"]),
        words=_rating_words(history, digits),
        events=history["adjustment"].count(None),
    )
    title = f"Rating of {shorten(document['player'])} over time"
    return rating_history(line, tiers_drawn(document["tiers"]), title=title)


def history_caption(document: PlayerPageDocument, picture: str) -> str:
    """What is seen in the picture of a player's rating."""
    history = document["history"]
    adjusted = " and adjustment" if any(history["adjustment"]) else ""
    seen = [f"Line: the rating after each event{adjusted}."]
    if history["low"]:
        seen.append("Band: the true skill is in it with a chance of about 95%.")
    if history["performance"]:
        seen.append("Dots: the performance in each event.")
    if BEYOND in picture:
        seen.append("Arrows at the edge: performances beyond the scale.")
    return " ".join(seen)


def place_picture(document: PlayerPageDocument) -> str:
    """A player's places after each event; empty if fewer than two are known."""
    history = document["history"]
    if sum(place is not None for place in history["place"]) < 2:
        return ""
    words = [
        f"{_event_words(history, number)} · place {place:,}" if place is not None else ""
        for number, place in enumerate(history["place"])
    ]
    title = f"Place of {shorten(document['player'])} over time"
    return place_history(_drawn_times(history), history["place"], words, title=title)


def why_picture(why: WhyDocument, player: str, digits: int) -> str:
    """The parts of a rating as bars; empty if there are none."""
    lines = [(line["words"], line["points"]) for line in why["lines"]]
    title = f"Why {shorten(player)} has this rating"
    if not lines:
        return ""
    # Pulls and changes are small: one more decimal than a rating has.
    if why["form"] == "performances":
        return pull_bars(lines, digits + 1, title=title)
    return change_bars(lines[0], lines[1:], digits + 1, title=title)


def distribution_picture(bins: BinsDocument, tiers: Sequence[TierDocument]) -> str:
    """Distribution of ratings."""
    title = "Distribution of ratings"
    return ratings_distribution(bins["edges"], bins["counts"], tiers_drawn(tiers), title=title)


def standings_picture(document: EventPageDocument) -> str:
    """Ranks against expected ranks; empty for a match, in which there is nothing to see."""
    rows = document["standings"]
    if document["match"] or len(rows) < 3:
        return ""
    better, players = document["better_than_expected"], document["players"]
    said = f"{better:,} of {players:,} players did better than expected."
    if len(rows) < players:
        said += f" The picture shows the {len(rows):,} players of this page."
    words = [
        f"{shorten(row['player'], 40)}: "
        f"{rank_words(row['rank'], document['sides'], row['place'], row['mean_place'])}, "
        f"expected {row['expected_rank']:,.1f}"
        for row in rows
    ]
    return expected_ranks(
        [row["expected_rank"] for row in rows],
        [row["mean_place"] for row in rows],
        words,
        title="Rank against expected rank",
        said=said,
    )


def calibration_picture(quality: PredictionQualityDocument) -> str:
    """Predicted scores against what happened."""
    bins = quality["bins"]
    return calibration_dots(
        [one["predicted"] for one in bins],
        [one["happened"] for one in bins],
        [one["count"] for one in bins],
        title="Calibration of the predictions",
    )


def _rated(history: HistoryColumnsDocument) -> HistoryColumnsDocument:
    """The history without events that did not count, which set no rating."""
    kept = {
        name: None if column is None else list(compress(cast(list[Any], column), history["rated"]))
        for name, column in history.items()
    }
    return cast(HistoryColumnsDocument, kept)


def _drawn_times(history: HistoryColumnsDocument) -> list[str | None]:
    """When each entry is drawn; an adjustment without a time is so where the event before it is."""
    drawn: list[str | None] = []
    known = [time for time in history["time"] if time is not None]
    for time, adjustment in zip(history["time"], history["adjustment"], strict=True):
        if time is None and adjustment is not None:
            time = drawn[-1] if drawn else next(iter(known), None)
        drawn.append(time)
    return drawn


def _event_words(history: HistoryColumnsDocument, number: int) -> str:
    name, time = history["name"][number], history["time"][number]
    if time is not None and name.isdecimal():  # a number alone tells nothing, and may lead nowhere
        return moment_words(time)
    title = shorten(event_title(name, time), 40)
    return title if time is None or title == moment_words(time) else f"{title} · {day(time)}"


def _rating_words(history: HistoryColumnsDocument, digits: int) -> list[str]:
    """What the picture says about each event when it is pointed at."""
    performances, low, high = history["performance"], history["low"], history["high"]
    form, words = f".{digits}f", []
    for number, display in enumerate(history["display"]):
        rank, sides = history["rank"][number], history["sides"][number]
        said = _event_words(history, number)
        said += "" if rank is None else f" · {rank_words(rank, sides)}"
        said += f" · rating {write_number(display, form)}"
        if low is not None and high is not None:
            said += f", skill {write_number(low[number], form)} to {write_number(high[number], form)}"
        if performances is not None and performances[number] is not None:
            said += f" · performance {write_number(performances[number], form)}"
        words.append(said)
    return words
