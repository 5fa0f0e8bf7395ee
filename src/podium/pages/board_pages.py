"""The pages of the leaderboard, and what the search index says of each player."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import numpy as np

from podium.arrays import DAY, Longs
from podium.documents.page_documents import (
    BoardRowDocument,
    LeaderboardPageDocument,
    MatchRecordDocument,
    tier_document,
)
from podium.history.times import start_of_activity, to_iso
from podium.pages.ladder_data import (
    GROUPS,
    INACTIVE,
    PROVISIONAL,
    RANKED,
    BoardShape,
    LadderData,
    PageBasis,
    PlayerNow,
    plain_moment,
)
from podium.pages.page_words import day
from podium.pages.played_rows import PlayedRows, kept_number
from podium.systems.contract.appearances import MatchRecord
from podium.text import counted, listed

PLAYERS_PER_PAGE = 100
_RESULTS: dict[float, Literal["win", "draw", "loss"]] = {1.0: "win", 0.5: "draw", 0.0: "loss"}
"""The result of a match by its score."""
SPARK_POINTS = 20
MONTH = 30 * DAY


class SearchRow(NamedTuple):
    """A player in the search index, and what the comparison of players needs to know of each now."""

    number: int
    name: str
    rating: str
    """As pages write it."""
    place: int | None
    mu: float
    sigma: float | None
    events: int


def board_pages(players: int) -> int:
    """The number of pages of the leaderboard: one at least."""
    return max(1, math.ceil(players / PLAYERS_PER_PAGE))


class RecentForm(NamedTuple):
    """What a player's latest events did."""

    last_change: float | None
    """What the last rated event changed; None if it is not known. Likewise below."""
    last_display: float | None
    """The displayed rating right after that event."""
    month_change: float | None
    spark: list[float]
    """Displayed ratings from an earlier event to the last one."""


NO_FORM = RecentForm(None, None, None, [])


def board_page(
    data: PageBasis,
    shape: BoardShape,
    rows: Iterable[tuple[PlayerNow, RecentForm]],
    page: int,
    *,
    has_trace: bool,
) -> LeaderboardPageDocument:
    """A page of the leaderboard, counted from 1, on which these players are."""
    return {
        "page": page,
        "pages": board_pages(shape.players),
        "now": plain_moment(data.now),
        "events": data.n_events,
        "players": shape.players,
        "ranked": shape.groups[RANKED],
        "provisional": shape.groups[PROVISIONAL],
        "inactive": shape.groups[INACTIVE],
        "rule": ranking_rule(data),
        "has_sigma": data.has_sigma,
        "has_times": data.has_times,
        "has_trace": has_trace,
        "tiers": [
            {**tier_document(tier), "players": count}
            for tier, count in zip(data.tiers, shape.in_tier, strict=True)
        ],
        "distribution": shape.distribution if page == 1 else None,
        "rows": [_row(data, player, form) for player, form in rows],
    }


def _row(data: PageBasis, player: PlayerNow, form: RecentForm) -> BoardRowDocument:
    ranked = player.group == RANKED
    return {
        "place": player.place or None,
        "player": player.name,
        "display": player.display,
        "sigma": player.sigma,
        "last_change": form.last_change,
        "last_display": form.last_display,
        "month_change": form.month_change,
        "events": player.events,
        "last_time": plain_moment(player.last_time),
        "spark": form.spark,
        "record": record_document(player.record),
        "tier": None if player.tier < 0 else data.tiers[player.tier].name,
        "group": GROUPS[player.group],
        "missing": None if ranked else listed(missing_to_be_ranked(data, player, activity=True)),
    }


def recent_form(data: PageBasis, played: PlayedRows | None, player: int) -> RecentForm:
    """What a player's latest events did, from all rows of a history."""
    if played is None:
        return NO_FORM
    rows, accounts = played.results_of(player)
    counts = played.rated[rows]
    if not counts.any():
        return NO_FORM
    rated = rows[counts]
    display = float(played.display[rated[-1]])
    last = kept_number(float(played.gain[rated[-1]]), data.decimals)
    # A merged account had a rating of its own, which is not on the line of the player's.
    own = rows[counts & np.array([account is None for account in accounts])]
    chosen = np.linspace(0, len(own) - 1, min(len(own), SPARK_POINTS)).round().astype(np.int64)
    month = _month_change(data, played, rated)
    spark = played.display[own[chosen]].tolist()
    return RecentForm(last, display, month, spark)


def record_document(record: MatchRecord | None) -> MatchRecordDocument | None:
    """A player's matches as a document."""
    if record is None:
        return None
    form = [_RESULTS[score] for score in record.form]
    return {"wins": record.won, "draws": record.drawn, "losses": record.lost, "form": form}


def _month_change(data: PageBasis, played: PlayedRows, rated: Longs) -> float | None:
    """The sum of changes by the events of the last 30 days; None if there are none."""
    if not data.has_times:
        return None
    recent = rated[played.history.time[played.event[rated]] > data.now - MONTH]
    if not len(recent):
        return None
    return kept_number(float(played.gain[recent].sum()), data.decimals)


def ranking_rule(data: PageBasis) -> str:
    """Who is ranked, as a sentence."""
    filters = data.filters
    wanted = [f"at least {counted(max(filters.get('min_events', 1), 1), 'rated event')}"]
    if filters.get("min_events", 1) <= 0:
        return "Every player with a rating is ranked."
    if (since := _active_since(data)) is not None:
        wanted.append(f"an event since {since}")
    if (max_sigma := filters.get("max_sigma")) is not None:
        wanted.append(f"a deviation of {max_sigma:g} or less")
    return f"To be ranked, a player needs {listed(wanted)}."


def _active_since(data: PageBasis) -> str | None:
    """Since when somebody must have played to be ranked; None if it does not matter."""
    if (given := data.filters.get("active_since")) is None:
        return None
    return day(to_iso(start_of_activity(given, data.now)))


def missing_to_be_ranked(data: PageBasis, player: PlayerNow, *, activity: bool) -> list[str]:
    """What a player lacks to be ranked: events, certainty and, if asked for, recent activity.

    The last depends on when others have played, so that a website, whose pages are written again only if they
    change, does not have it on the player's own page.
    """
    filters, missing = data.filters, []
    few = filters.get("min_events", 1) - player.events
    if few > 0:
        missing.append(f"{few:,} more {'event' if few == 1 else 'events'}")
    max_sigma = filters.get("max_sigma")
    if max_sigma is not None and player.sigma is not None and player.sigma > max_sigma:
        missing.append(f"a deviation of {max_sigma:g} or less (now {data.rating_text(player.sigma)})")
    if activity and player.group == INACTIVE:
        missing.append(f"an event since {_active_since(data)}")
    return missing


def search_rows(data: LadderData) -> Iterator[SearchRow]:
    """Every player, in the order of the leaderboard."""
    for player in data.board.tolist():
        yield SearchRow(
            number=player,
            name=data.names[player],
            rating=data.rating_text(data.display[player]),
            place=int(data.place[player]) or None,
            mu=float(data.mu[player]),
            sigma=None if data.sigma is None else float(data.sigma[player]),
            events=int(data.events[player]),
        )
