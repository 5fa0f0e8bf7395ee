"""The pages of events, the list of them, and the page of matches."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import cast

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
from podium.documents.page_documents import tier_document
from podium.history import History
from podium.ladder.sides_before import NO_SIDE, row_scores
from podium.pages.ladder_data import PageBasis, plain_list
from podium.pages.played_rows import KEPT_DECIMALS, PlayedRows, kept, kept_number
from podium.systems.contract.explained_ratings import match_result
from podium.text import chance_words, listed, rank_words, shorten

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


def event_page(data: PageBasis, played: PlayedRows, event: int, page: int) -> EventPageDocument:
    """A page of an event; events are counted from 0, pages from 1."""
    history = played.history
    there = played.rows_in(event)
    start, stop = there.start, there.stop
    match = int(played.match_of_event[event])
    at_home = (
        [] if history.home is None else played.shown[there][history.player[there] == history.home[event]]
    )
    first = start + (page - 1) * ROWS_PER_PAGE
    return {
        "event": played.number(event),
        "name": played.names[event],
        "time": played.times[event],
        "page": page,
        "pages": event_pages(played, event),
        "sides": int(played.sides[event]),
        "players": stop - start,
        "teams": int(played.sides[event]) < stop - start,
        "match": match >= 0,
        "weight": 1.0 if history.weight is None else float(history.weight[event]),
        "home": data.names[at_home[0]] if len(at_home) else None,
        "has_performance": len(played.performance) > 0,
        "has_score": history.score is not None and not np.isnan(history.score[there]).all(),
        "chances": played.chances[match].round(KEPT_DECIMALS).tolist() if match >= 0 else None,
        "result": _match_row(data, played, event) if match >= 0 else None,
        "next": played.number(event + 1) if event + 1 < len(played.names) else None,
        "standings": _standings(
            data, played, played.by_rank[first : min(first + ROWS_PER_PAGE, stop)], event
        ),
        "better_than_expected": int(np.count_nonzero(played.mean_place[there] < played.expected_rank[there])),
        "upsets": _upsets_of_event(data, played, event) if page == 1 else [],
        "tiers": [tier_document(tier) for tier in data.tiers],
        "disqualified": played.disqualified.get((played.names[event], int(history.time[event])), []),
        "amended_by": [],
        "is_late": False,
    }


def _standings(data: PageBasis, played: PlayedRows, rows: Longs, event: int) -> list[StandingDocument]:
    """Rows of an event as they were published: by rank, equal ranks in the order of the data."""
    history = played.history
    before, display, side = played.before[rows], played.display[rows], played.side[rows]
    tiers = np.searchsorted([tier.lower for tier in data.tiers], display, "right").tolist()
    nothing: list[None] = [None] * len(rows)
    columns = {
        "rank": history.rank[rows].tolist(),
        "place": played.place_in_field[rows].tolist(),
        "mean_place": played.mean_place[rows].tolist(),
        "player": [data.names[player] for player in played.shown[rows].tolist()],
        "team": nothing if history.team is None else _team_names(history, rows),
        "side": side.tolist(),
        "score": nothing if history.score is None else plain_list(history.score[rows]),
        "at_home": (side == int(played.home_side[event])).tolist(),
        "before": before.tolist(),
        "display": display.tolist(),
        "change": kept(played.gain[rows], data.decimals).tolist(),
        "performance": plain_list(played.performance[rows]) if len(played.performance) else nothing,
        "expected_rank": played.expected_rank[rows].tolist(),
        "rated": played.rated[rows].tolist(),
        "tier": [data.tiers[number - 1].name if number else None for number in tiers],
    }
    standings = zip(*columns.values(), strict=True)
    return [cast(StandingDocument, dict(zip(columns, standing, strict=True))) for standing in standings]


def _team_names(history: History, rows: Longs) -> list[str | None]:
    """The name of each row's team; None where it has none."""
    assert history.team is not None
    names = history.team_names or ()
    return [None if team < 0 else names[team] for team in history.team[rows].tolist()]


def _upsets_of_event(data: PageBasis, played: PlayedRows, event: int) -> list[UpsetDocument]:
    """The results of an event that were least expected, the least one first."""
    start, stop = played.history.offsets[event : event + 2].tolist()
    surprise = played.score[start:stop] - played.expected[start:stop]
    if played.match_of_event[event] >= 0:
        return [_match_upset(data, played, event)] if _is_match_upset(played, np.array([event]))[0] else []
    found = np.argsort(-surprise, kind="stable")[:MOST_UPSETS]
    return [_upset(data, played, start + int(i)) for i in found if surprise[i] >= LEAST_SURPRISE]


def _upset(data: PageBasis, played: PlayedRows, row: int) -> UpsetDocument:
    """Somebody who was much better than expected in an event of many sides."""
    event, name = int(played.event[row]), data.names[played.shown[row]]
    rank, place = int(played.history.rank[row]), int(played.place_in_field[row])
    placed = rank_words(rank, int(played.sides[event]), place, float(played.mean_place[row]))
    return {
        "event": played.number(event),
        "name": played.names[event],
        "time": played.times[event],
        "winners": [name],
        "losers": [],
        "chance": round(float(played.expected[row]), KEPT_DECIMALS),
        "words": f"{shorten(name, 40)} was {placed}, expected {played.expected_rank[row]:.1f}",
    }


# ---------------------------------------------------------------------- matches


def _first_rows(played: PlayedRows, events: Longs) -> tuple[Longs, Longs]:
    """A row of the first and of the second side of each match."""
    start = played.history.offsets[events]
    if played.history.side is None:
        return start, start + 1
    sides = [played.side[played.rows_in(event)] for event in events.tolist()]
    first, second = ([int(np.argmax(side == number)) for side in sides] for number in (0, 1))
    return start + np.array(first, np.int64), start + np.array(second, np.int64)


def _surprises(played: PlayedRows, events: Longs) -> Floats:
    """How small the expected score of each match's winner was: 1 less it; 0 for draws."""
    first, second = _first_rows(played, events)
    ahead = np.sign(played.history.rank[second] - played.history.rank[first])
    expected = played.expected[first]
    return np.where(ahead > 0, 1.0 - expected, np.where(ahead < 0, expected, 0.0))


def _is_match_upset(played: PlayedRows, events: Longs) -> Bools:
    """Whether the side won of which less than half a point was expected."""
    return _surprises(played, events) > 0.5


def _side_names(data: PageBasis, played: PlayedRows, event: int) -> tuple[list[str], list[str]]:
    """The players of the two sides of a match."""
    there = played.rows_in(event)
    shown, side = played.shown[there], played.side[there]
    first, second = ([data.names[player] for player in shown[side == number]] for number in (0, 1))
    return first, second


def _match_upset(data: PageBasis, played: PlayedRows, event: int) -> UpsetDocument:
    """A match that the weaker side won."""
    (first, second), (a, b) = _side_names(data, played, event), _first_rows(played, np.array([event]))
    won = played.history.rank[a[0]] < played.history.rank[b[0]]
    winners, losers = (first, second) if won else (second, first)
    chance = float(played.expected[a[0] if won else b[0]])
    called = [listed([shorten(name, 40) for name in names]) for names in (winners, losers)]
    return {
        "event": played.number(event),
        "name": played.names[event],
        "time": played.times[event],
        "winners": winners,
        "losers": losers,
        "chance": round(chance, KEPT_DECIMALS),
        "words": f"{called[0]} beat {called[1]}, chance {chance_words(chance)}",
    }


def has_matches(played: PlayedRows) -> bool:
    """Whether most events have two sides."""
    return 2 * len(played.chances) > len(played.names)


def matches_page(data: PageBasis, played: PlayedRows, matches: int | None) -> MatchesPageDocument:
    """The latest matches and the biggest upsets; there are so many `matches`, if that is known."""
    events = np.flatnonzero(played.match_of_event >= 0)
    surprise = _surprises(played, events)
    biggest = np.argsort(-surprise, kind="stable")[:ALL_TIME_UPSETS]
    biggest = biggest[surprise[biggest] > 0.5]
    return {
        "matches": matches,
        "seen": len(events),
        "recent": [_match_row(data, played, event) for event in events[: -RECENT_MATCHES - 1 : -1].tolist()],
        "upsets": [_match_upset(data, played, event) for event in events[biggest].tolist()],
    }


def _match_row(data: PageBasis, played: PlayedRows, event: int) -> MatchRowDocument:
    history, there, home = played.history, played.rows_in(event), int(played.home_side[event])
    (first, second), (a, b) = _side_names(data, played, event), _first_rows(played, np.array([event]))
    one, other = int(a[0]), int(b[0])
    scores, side = row_scores(history, one, other), played.side[there]
    (before, second_before), (after, second_after) = (
        [round(float(values[there][side == number].mean()), data.decimals) for number in (0, 1)]
        for values in (played.before, played.display)
    )
    first_change, second_change = (
        kept_number(float(played.gain[there][side == number].mean()), data.decimals) for number in (0, 1)
    )
    win, draw, loss = played.chances[played.match_of_event[event]].round(KEPT_DECIMALS).tolist()
    return {
        "event": played.number(event),
        "name": played.names[event],
        "time": played.times[event],
        "first": first,
        "second": second,
        "result": match_result(int(history.rank[one]), int(history.rank[other])),
        "first_score": scores[0],
        "second_score": scores[1],
        "home": None if home == NO_SIDE else "first" if home == 0 else "second",
        "win": win,
        "draw": draw,
        "loss": loss,
        "first_before": before,
        "first_display": after,
        "first_change": first_change,
        "second_before": second_before,
        "second_display": second_after,
        "second_change": second_change,
    }


# ---------------------------------------------------------------------- all events


def event_list_pages(events: int) -> int:
    """The number of pages of a list of so many events."""
    return max(1, math.ceil(events / EVENTS_PER_PAGE))


def event_list_page(rows: Iterable[ListedEventDocument], events: int, page: int) -> EventListDocument:
    """A page of the list of events, the latest first; pages are counted from 1."""
    return {"page": page, "pages": event_list_pages(events), "events": events, "rows": list(rows)}


def listed_event(data: PageBasis, played: PlayedRows, event: int) -> ListedEventDocument:
    """An event in the list, counted from 0."""
    history = played.history
    start, stop = history.offsets[event : event + 2].tolist()
    ranks = history.rank[start:stop]
    winners = start + np.flatnonzero(ranks == ranks.min())
    change = played.gain[start:stop]
    most = int(change.argmax())
    gained = bool(change[most] > 0.0)
    return {
        "event": played.number(event),
        "name": played.names[event],
        "time": played.times[event],
        "sides": int(played.sides[event]),
        "players": stop - start,
        "winners": [data.names[player] for player in played.shown[winners[:MOST_WINNERS]]],
        "more_winners": max(len(winners) - MOST_WINNERS, 0),
        "largest_gain": kept_number(float(change[most]), data.decimals) if gained else 0.0,
        "gainer": data.names[played.shown[start + most]] if gained else None,
        "result": _match_row(data, played, event) if played.match_of_event[event] >= 0 else None,
        "note": None,
    }
