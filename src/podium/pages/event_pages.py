"""The pages of events, the list of them, and the page of matches."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.documents.event_page_documents import (
    EventListDocument,
    EventPageDocument,
    ListedEventDocument,
    MatchesPageDocument,
    MatchRowDocument,
    StandingDocument,
    UpsetDocument,
)
from podium.documents.plain_data import plain_number
from podium.ladder.sides_before import row_scores
from podium.pages.ladder_data import LadderData, tier_document
from podium.pages.played_rows import PlayedRows
from podium.systems.contract.played_matches import match_result
from podium.text import listed, percent, shorten

ROWS_PER_PAGE = 150
EVENTS_PER_PAGE = 100
MOST_WINNERS = 3
MOST_UPSETS = 5
"""Upsets of one event."""
LEAST_SURPRISE = 0.2
"""How far a mean score in an event of many sides is above the expected one, for an upset."""
RECENT_MATCHES = 100
ALL_TIME_UPSETS = 20


# ---------------------------------------------------------------------- one event


def event_pages(played: PlayedRows, event: int) -> int:
    """The number of pages of an event, counted from 0."""
    return max(1, math.ceil(int(played.history.sizes[event]) / ROWS_PER_PAGE))


def event_page(data: LadderData, played: PlayedRows, event: int, page: int) -> EventPageDocument:
    """A page of an event; events are counted from 0, pages from 1."""
    history = played.history
    start, stop = history.offsets[event : event + 2].tolist()
    match = int(played.match_of_event[event])
    home = -1 if history.home is None else int(history.home[event])
    at_home = played.shown[start:stop][history.player[start:stop] == home].tolist()
    first = start + (page - 1) * ROWS_PER_PAGE
    return {
        "event": event + 1,
        "name": played.names[event],
        "time": played.times[event],
        "page": page,
        "pages": event_pages(played, event),
        "sides": int(played.sides[event]),
        "players": stop - start,
        "teams": int(played.sides[event]) < stop - start,
        "match": match >= 0,
        "weight": 1.0 if history.weight is None else float(history.weight[event]),
        "home": data.names[at_home[0]] if at_home else None,
        "has_performance": len(played.performance) > 0,
        "has_score": history.score is not None and not np.isnan(history.score[start:stop]).all(),
        "chances": played.chances[match].round(4).tolist() if match >= 0 else None,
        "standings": _standings(data, played, played.by_rank[first : min(first + ROWS_PER_PAGE, stop)], home),
        "upsets": _upsets_of_event(data, played, event) if page == 1 else [],
        "tiers": [tier_document(tier) for tier in data.tiers],
    }


def _standings(data: LadderData, played: PlayedRows, rows: Longs, home: int) -> list[StandingDocument]:
    """The rows of an event as they were published: by rank, equal ranks in the order of the data."""
    history = played.history
    before, display = played.before[rows], played.display[rows]
    change = (display - before).round(data.decimals).tolist()
    tiers = np.searchsorted([tier.lower for tier in data.tiers], display, "right").tolist()
    home_side = -1
    if history.side is not None and home >= 0:
        event = int(played.event[rows[0]])
        there = slice(*history.offsets[event : event + 2].tolist())
        home_side = int(history.side[there][history.player[there] == home][0])
    found: list[StandingDocument] = []
    for number, row in enumerate(rows.tolist()):
        event_start = int(history.offsets[played.event[row]])
        side = row - event_start if history.side is None else int(history.side[row])
        team = None if history.team is None or history.team[row] < 0 else history.team_names
        found.append(
            {
                "rank": int(history.rank[row]),
                "player": data.names[played.shown[row]],
                "team": None if team is None or history.team is None else team[history.team[row]],
                "side": side,
                "score": None if history.score is None else plain_number(float(history.score[row])),
                "at_home": int(history.player[row]) == home
                or (history.side is not None and side == home_side),
                "before": float(before[number]),
                "display": float(display[number]),
                "change": change[number],
                "performance": plain_number(float(played.performance[row]))
                if len(played.performance)
                else None,
                "expected_rank": float(played.expected_rank[row]),
                "rated": bool(played.rated[row]),
                "tier": data.tiers[tiers[number] - 1].name if tiers[number] else None,
            }
        )
    return found


def _upsets_of_event(data: LadderData, played: PlayedRows, event: int) -> list[UpsetDocument]:
    """The results of an event that were least expected, the least one first."""
    start, stop = played.history.offsets[event : event + 2].tolist()
    surprise = played.score[start:stop] - played.expected[start:stop]
    if played.match_of_event[event] >= 0:
        return [_match_upset(data, played, event)] if _is_match_upset(played, np.array([event]))[0] else []
    found = np.argsort(-surprise, kind="stable")[:MOST_UPSETS]
    return [_upset(data, played, start + int(i)) for i in found if surprise[i] >= LEAST_SURPRISE]


def _upset(data: LadderData, played: PlayedRows, row: int) -> UpsetDocument:
    """Somebody who was much better than expected in an event of many sides."""
    event, name = int(played.event[row]), data.names[played.shown[row]]
    return {
        "event": event + 1,
        "name": played.names[event],
        "time": played.times[event],
        "winners": [name],
        "losers": [],
        "chance": round(float(played.expected[row]), 4),
        "words": (
            f"{shorten(name, 40)} was rank {int(played.history.rank[row]):,} where "
            f"{played.expected_rank[row]:.1f} was expected"
        ),
    }


# ---------------------------------------------------------------------- matches


def _first_rows(played: PlayedRows, events: Longs) -> tuple[Longs, Longs]:
    """A row of the first and of the second side of each match."""
    history = played.history
    start, stop = history.offsets[events], history.offsets[events + 1]
    if history.side is None:
        return start, start + 1
    first = start + np.array(
        [int(np.argmin(history.side[a:b])) for a, b in zip(start, stop, strict=True)], int
    )
    second = start + np.array(
        [int(np.argmax(history.side[a:b])) for a, b in zip(start, stop, strict=True)], int
    )
    return first, second


def _surprises(played: PlayedRows, events: Longs) -> Floats:
    """How small the expected score of each match's winner was: 1 less it; 0 for draws."""
    first, second = _first_rows(played, events)
    ahead = np.sign(played.history.rank[second] - played.history.rank[first])
    expected = played.expected[first]
    return np.where(ahead > 0, 1.0 - expected, np.where(ahead < 0, expected, 0.0))


def _is_match_upset(played: PlayedRows, events: Longs) -> Bools:
    """Whether the side won of which less than half a point was expected."""
    return _surprises(played, events) > 0.5


def _side_names(data: LadderData, played: PlayedRows, event: int) -> tuple[list[str], list[str]]:
    """The players of the two sides of a match."""
    history = played.history
    start, stop = history.offsets[event : event + 2].tolist()
    side = np.arange(stop - start) if history.side is None else history.side[start:stop]
    shown = played.shown[start:stop]
    first, second = ([data.names[player] for player in shown[side == number]] for number in (0, 1))
    return first, second


def _match_upset(data: LadderData, played: PlayedRows, event: int) -> UpsetDocument:
    """A match that the weaker side won."""
    (first, second), (a, b) = _side_names(data, played, event), _first_rows(played, np.array([event]))
    won = played.history.rank[a[0]] < played.history.rank[b[0]]
    winners, losers = (first, second) if won else (second, first)
    chance = float(played.expected[a[0] if won else b[0]])
    called = [listed([shorten(name, 40) for name in names]) for names in (winners, losers)]
    return {
        "event": event + 1,
        "name": played.names[event],
        "time": played.times[event],
        "winners": winners,
        "losers": losers,
        "chance": round(chance, 4),
        "words": f"{called[0]} beat {called[1]}, chance {percent(chance)}",
    }


def has_matches(played: PlayedRows) -> bool:
    """Whether most events have two sides."""
    return 2 * len(played.chances) > len(played.names)


def matches_page(data: LadderData, played: PlayedRows) -> MatchesPageDocument:
    """The latest matches and the biggest upsets."""
    events = np.flatnonzero(played.match_of_event >= 0)
    surprise = _surprises(played, events)
    biggest = np.argsort(-surprise, kind="stable")[:ALL_TIME_UPSETS]
    biggest = biggest[surprise[biggest] > 0.5]
    return {
        "matches": len(events),
        "recent": [_match_row(data, played, event) for event in events[: -RECENT_MATCHES - 1 : -1].tolist()],
        "upsets": [_match_upset(data, played, event) for event in events[biggest].tolist()],
    }


def _match_row(data: LadderData, played: PlayedRows, event: int) -> MatchRowDocument:
    history = played.history
    (first, second), (a, b) = _side_names(data, played, event), _first_rows(played, np.array([event]))
    one, other = int(a[0]), int(b[0])
    scores = row_scores(history, one, other)
    start, stop = history.offsets[event : event + 2].tolist()
    side = np.arange(stop - start) if history.side is None else history.side[start:stop]
    change = played.display[start:stop] - played.before[start:stop]
    home: Literal["first", "second"] | None = None
    if history.home is not None and history.home[event] >= 0:
        at_home = side[history.player[start:stop] == history.home[event]]
        home = None if not len(at_home) else "first" if at_home[0] == 0 else "second"
    win, draw, loss = played.chances[played.match_of_event[event]].round(4).tolist()
    return {
        "event": event + 1,
        "name": played.names[event],
        "time": played.times[event],
        "first": first,
        "second": second,
        "result": match_result(int(history.rank[one]), int(history.rank[other])),
        "first_score": scores[0],
        "second_score": scores[1],
        "home": home,
        "win": win,
        "draw": draw,
        "loss": loss,
        "first_change": round(float(change[side == 0].mean()), data.decimals),
        "second_change": round(float(change[side == 1].mean()), data.decimals),
    }


# ---------------------------------------------------------------------- all events


def event_list_pages(played: PlayedRows) -> int:
    """The number of pages of the list of events."""
    return max(1, math.ceil(len(played.names) / EVENTS_PER_PAGE))


def event_list_page(data: LadderData, played: PlayedRows, page: int) -> EventListDocument:
    """A page of the list of events, the latest first; pages are counted from 1."""
    newest = len(played.names) - (page - 1) * EVENTS_PER_PAGE
    return {
        "page": page,
        "pages": event_list_pages(played),
        "events": len(played.names),
        "rows": [
            _listed(data, played, event)
            for event in range(newest - 1, max(newest - EVENTS_PER_PAGE, 0) - 1, -1)
        ],
    }


def _listed(data: LadderData, played: PlayedRows, event: int) -> ListedEventDocument:
    history = played.history
    start, stop = history.offsets[event : event + 2].tolist()
    ranks = history.rank[start:stop]
    winners = start + np.flatnonzero(ranks == ranks.min())
    change = played.display[start:stop] - played.before[start:stop]
    most = int(change.argmax())
    gained = bool(change[most] > 0.0)
    return {
        "event": event + 1,
        "name": played.names[event],
        "time": played.times[event],
        "sides": int(played.sides[event]),
        "players": stop - start,
        "winners": [data.names[player] for player in played.shown[winners[:MOST_WINNERS]]],
        "more_winners": max(len(winners) - MOST_WINNERS, 0),
        "largest_gain": round(float(change[most]), data.decimals) if gained else 0.0,
        "gainer": data.names[played.shown[start + most]] if gained else None,
    }
