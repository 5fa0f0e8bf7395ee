"""The pages of the leaderboard, and what the search index says of each player."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from podium.arrays import DAY, NO_TIME, Longs
from podium.documents.page_documents import (
    BinsDocument,
    BoardGroup,
    BoardRowDocument,
    LeaderboardPageDocument,
)
from podium.history.times import start_of_activity, to_iso
from podium.pages.ladder_data import INACTIVE, PROVISIONAL, RANKED, LadderData, plain_moment, tier_document
from podium.pages.played_rows import PlayedRows
from podium.text import counted, listed

PLAYERS_PER_PAGE = 100
SPARK_POINTS = 20
MONTH = 30 * DAY
FEWEST_BINS, MOST_BINS = 5, 40
GROUPS: tuple[BoardGroup, ...] = ("ranked", "provisional", "inactive")


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


def board_pages(data: LadderData) -> int:
    """The number of pages of the leaderboard: one at least."""
    return max(1, math.ceil(len(data.board) / PLAYERS_PER_PAGE))


def board_page(data: LadderData, page: int) -> LeaderboardPageDocument:
    """A page of the leaderboard, counted from 1."""
    here = data.board[(page - 1) * PLAYERS_PER_PAGE : page * PLAYERS_PER_PAGE]
    groups = np.bincount(data.group[data.board], minlength=len(GROUPS)).tolist()
    ranked = data.board[: groups[RANKED]]
    in_tier = np.bincount(data.tier[ranked] + 1, minlength=len(data.tiers) + 1)[1:].tolist()
    return {
        "page": page,
        "pages": board_pages(data),
        "now": plain_moment(data.now),
        "events": data.n_events,
        "players": len(data.board),
        "ranked": groups[RANKED],
        "provisional": groups[PROVISIONAL],
        "inactive": groups[INACTIVE],
        "rule": ranking_rule(data),
        "has_sigma": data.sigma is not None,
        "has_times": data.has_times,
        "has_trace": data.played is not None,
        "tiers": [
            {**tier_document(tier), "players": count} for tier, count in zip(data.tiers, in_tier, strict=True)
        ],
        "distribution": distribution(data, ranked) if page == 1 and len(ranked) else None,
        "rows": [_row(data, player) for player in here.tolist()],
    }


def _row(data: LadderData, player: int) -> BoardRowDocument:
    place, group = int(data.place[player]), int(data.group[player])
    last = month = None
    spark: list[float] = []
    if (played := data.played) is not None:
        rows = played.rows_of(player)
        rated = rows[played.rated[rows]]
        if len(rated):
            last = round(float(played.display[rated[-1]] - played.before[rated[-1]]), data.decimals)
            month = _month_change(data, played, rated)
            chosen = np.linspace(0, len(rated) - 1, min(len(rated), SPARK_POINTS)).round().astype(np.int64)
            spark = played.display[rated[chosen]].tolist()
    return {
        "place": place or None,
        "player": data.names[player],
        "display": float(data.display[player]),
        "sigma": None if data.sigma is None else float(data.sigma[player]),
        "last_change": last,
        "month_change": month,
        "events": int(data.events[player]),
        "last_time": plain_moment(int(data.last_time[player])),
        "spark": spark,
        "tier": data.tier_name(player),
        "group": GROUPS[group],
        "missing": None if group == RANKED else listed(missing_to_be_ranked(data, player, activity=True)),
    }


def _month_change(data: LadderData, played: PlayedRows, rated: Longs) -> float | None:
    """The sum of changes by the events of the last 30 days; None if there are none."""
    if not data.has_times:
        return None
    recent = rated[played.history.time[played.event[rated]] > data.now - MONTH]
    if not len(recent):
        return None
    return round(float((played.display[recent] - played.before[recent]).sum()), data.decimals)


def ranking_rule(data: LadderData) -> str:
    """Who is ranked, as a sentence."""
    filters = data.filters
    wanted = [f"at least {counted(max(filters.get('min_events', 1), 1), 'rated event')}"]
    if filters.get("min_events", 1) <= 0:
        return "Everybody with a rating is ranked."
    if (since := _active_since(data)) is not None:
        wanted.append(f"an event since {since}")
    if (max_sigma := filters.get("max_sigma")) is not None:
        wanted.append(f"a deviation of {max_sigma:g} or less")
    return f"Ranked is who has {listed(wanted)}."


def _active_since(data: LadderData) -> str | None:
    """Since when somebody must have played to be ranked; None if it does not matter."""
    if (given := data.filters.get("active_since")) is None:
        return None
    return to_iso(start_of_activity(given, 0 if data.now == NO_TIME else data.now))


def missing_to_be_ranked(data: LadderData, player: int, *, activity: bool) -> list[str]:
    """What a player lacks to be ranked: events, certainty and, if asked for, recent activity.

    The last depends on when others have played, so that it is not on the player's own page.
    """
    filters, missing = data.filters, []
    few = filters.get("min_events", 1) - int(data.events[player])
    if few > 0:
        missing.append(f"{few:,} more {'event' if few == 1 else 'events'}")
    max_sigma = filters.get("max_sigma")
    if max_sigma is not None and data.sigma is not None and data.sigma[player] > max_sigma:
        missing.append(f"a deviation of {max_sigma:g} or less (now {data.rating_text(data.sigma[player])})")
    if activity and data.group[player] == INACTIVE:
        missing.append(f"an event since {_active_since(data)}")
    return missing


def distribution(data: LadderData, players: Longs) -> BinsDocument:
    """The displayed ratings of these players in bins whose edges are round numbers.

    There are about as many bins as the square root of the number of players.
    """
    values = data.display[players]
    low, high = float(values.min()), float(values.max())
    wanted = min(max(math.isqrt(len(values)), FEWEST_BINS), MOST_BINS)
    width = round_width((high - low) / wanted)
    first = math.floor(low / width)
    count = max(math.floor(high / width) - first + 1, 1)
    edges = [round((first + number) * width, 10) for number in range(count + 1)]
    counts = np.histogram(values, edges)[0].tolist()
    return {"edges": edges, "counts": counts}


def round_width(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`; 1 for 0.

    >>> round_width(37.0), round_width(0.03), round_width(0.0)
    (50.0, 0.05, 1.0)
    """
    if least <= 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(round(step * power, 12) for step in (1, 2, 5, 10) if step * power >= least * (1.0 - 1e-9))


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
