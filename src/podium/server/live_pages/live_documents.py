"""What each page of a ladder shows, of one state of the ladder: made of a sketch and of the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from sqlalchemy import Connection

from podium.arrays import NO_TIME, SECOND
from podium.documents.arena_documents import arena_document
from podium.documents.event_page_documents import ListedEventDocument
from podium.documents.page_documents import ComparedPlayerDocument, PairDocument, SearchPageDocument
from podium.fitting.fit_result import Fit
from podium.history import Adjustment, Event
from podium.history.times import to_iso
from podium.pages.about_pages import LadderPast, about_page
from podium.pages.board_pages import board_page, board_pages, missing_to_be_ranked
from podium.pages.compare_pages import compare_page
from podium.pages.event_pages import (
    EVENTS_PER_PAGE,
    RECENT_MATCHES,
    event_list_page,
    event_list_pages,
    event_page,
    event_pages,
    listed_event,
    matches_page,
)
from podium.pages.ladder_data import PageBasis, plain_moment
from podium.pages.page_words import adjustment_title
from podium.pages.played_rows import PlayedRows
from podium.pages.player_pages import compared_player, player_page
from podium.pages.player_results import LARGE_EVENT
from podium.server import machine
from podium.server.correcting.consequences import MOST_MOVED
from podium.server.http.answers import logged_event
from podium.server.ladders.followed_ladder import Look
from podium.server.live_pages.ladder_sketches import (
    BoardSketch,
    CompareSketch,
    LadderSketch,
    PlayerSketch,
    SearchSketch,
)
from podium.server.live_pages.large_events import RememberedEvents
from podium.server.live_pages.live_links import numbers_of
from podium.server.live_pages.played_entries import (
    EntryFacts,
    LargeEvent,
    PlayedEvent,
    entry_status,
    large_event,
    latest_events,
    numbered_entries,
    played_entries,
    rated_event,
)
from podium.server.live_pages.player_rows import (
    MonthStarts,
    career_peak,
    first_time_from,
    last_event_time,
    player_results,
    player_tables,
    recent_forms,
)
from podium.server.log.log_entries import LogEntry
from podium.server.log.log_reading import AboutToRead, pairs_met, players_changed, scores_between
from podium.server.log.reports import plain_adjustment
from podium.server.problems import UnknownPageError
from podium.text import listed, shown_gain

ROWS_LOOKED_AT = 3_000
"""Rows of the latest events that the pages of matches and about the ladder look at."""


@dataclass(frozen=True, slots=True)
class LivePage:
    """What a page shows, and the players on it."""

    kind: str
    document: Mapping[str, Any]
    ladder: LadderSketch
    players: dict[str, int]
    """The numbers of players on the page, by name."""


def leaderboard_page(connection: Connection, found: BoardSketch, page: int, months: MonthStarts) -> LivePage:
    """A page of the leaderboard."""
    basis, look = basis_of_events(connection, found.ladder), found.ladder.look
    check_page(page, board_pages(found.shape.players))
    numbers = [player.number for player in found.players]
    forms = recent_forms(connection, basis, look, numbers, months)
    rows = zip(found.players, forms, strict=True)
    document = board_page(basis, found.shape, rows, page, has_trace=True)
    return LivePage("leaderboard-page", document, found.ladder, numbers_of(look, numbers))


def basis_of_events(connection: Connection, found: LadderSketch) -> PageBasis:
    """What pages know of a ladder, whose end is its last event, whatever was adjusted since."""
    return replace(found.basis, now=last_event_time(connection, found.look))


def check_page(page: int, pages: int) -> None:
    """Refuse a page behind the last one."""
    if page > pages:
        raise UnknownPageError(f"there is no page {page}", hint=f"the last one is {pages}")


def one_player_page(
    connection: Connection, found: PlayerSketch, before: int | None, remembered: RememberedEvents[EntryFacts]
) -> LivePage:
    """The page of a player, with the results before an entry of the log if one is given."""
    look, number = found.ladder.look, found.player.number
    basis = basis_of_events(connection, found.ladder)
    last = look.row.head + 1 if before is None else before
    rows = player_tables(connection, basis, look, number, before=last, remembered=remembered)
    results = player_results(basis, rows, number)
    document = player_page(basis, found.player, results, found.state, [])
    if before is not None:  # what comes after these results is not known here
        document["why"], document["streaks"] = None, []
    if document["older_results"] or before is not None:
        document["peak"] = career_peak(connection, basis, look, number)
    document["place"], document["ranked"] = found.player.place or None, found.ranked
    if missing := missing_to_be_ranked(basis, found.player, activity=True):
        document["missing"] = listed(missing)
    on_page = numbers_of(look, [number, *rows.played.shown.tolist()])
    return LivePage("player-page", document, found.ladder, on_page)


def one_event_page(
    connection: Connection,
    found: LadderSketch,
    number: int,
    page: int,
    remembered: RememberedEvents[PlayedEvent],
) -> LivePage:
    """A page of an event, by its number in the log."""
    basis, look = found.basis, found.look
    event = remembered.find(look, number)
    if event is None:
        entry = numbered_entries(connection, look, [number]).get(number) if number <= look.row.head else None
        if entry is None:
            raise UnknownPageError(f"there is no event {number}", hint=f"the last one is {look.row.head}")
        disqualified = tuple(sorted(map(int, entry.disqualified)))
        event = PlayedEvent(played_entries(connection, basis, look, [entry]), disqualified)
        if len(event.played.shown) > LARGE_EVENT:
            remembered.remember(look, number, event)
    played = event.played
    if not played.names:
        return _entry_page(connection, found, number)
    check_page(page, event_pages(played, 0))
    document = event_page(basis, played, 0, page)
    name_of = look.names_among(np.append(played.shown, np.array(event.disqualified, np.int32)))
    document["disqualified"] = [name_of(player) for player in event.disqualified]
    document["next"] = number + 1 if number < look.row.head else None
    document["amended_by"] = look.amendments.amending(number)
    document["is_late"] = number in look.amendments.late_numbers()
    return LivePage("event-page", document, found, numbers_of(look, played.shown.tolist()))


def _entry_page(connection: Connection, found: LadderSketch, number: int) -> LivePage:
    """An entry of the log that is no event which counts: an adjustment, an amendment, a void event."""
    document = logged_event(connection, found.look, number)
    digits = found.basis.digits
    document["changes"].sort(
        key=lambda change: -abs(shown_gain(change["display_before"], change["display"], digits))
    )
    moved = {change["player"] for change in document["changes"][:MOST_MOVED]}
    index = found.look.names.index_of
    return LivePage("logged-event", document, found, {name: index[name] for name in moved})


# ---------------------------------------------------------------------- lists


def events_page(
    connection: Connection, found: LadderSketch, page: int, remembered: RememberedEvents[LargeEvent]
) -> LivePage:
    """A page of the log, the latest entries first; large events are read once."""
    basis, look, head = found.basis, found.look, found.look.row.head
    check_page(page, event_list_pages(head))
    newest = head - (page - 1) * EVENTS_PER_PAGE
    numbers = list(range(newest, max(newest - EVENTS_PER_PAGE, 0), -1))
    known = {number: large for number in numbers if (large := remembered.find(look, number)) is not None}
    entries = numbered_entries(connection, look, [number for number in numbers if number not in known])
    for number, entry in entries.items():
        event = rated_event(entry)
        if event is not None and len(event.sides) > LARGE_EVENT:
            large = large_event(connection, look, entry, event)
            known[number] = remembered.remember(look, number, large)
    small = [entry for number, entry in entries.items() if number not in known]
    played = played_entries(connection, basis, look, small)
    rated = {played.number(event): event for event in range(len(played.names))}
    adjustments = [entry.number for entry in small if entry.kind == "adjustment"]
    changed = players_changed(connection, look.row, adjustments)
    rows: list[ListedEventDocument] = []
    for number in numbers:
        if number in known:
            rows.append(_noted(look, known[number].document(look, basis.decimals)))
        elif number in rated:
            rows.append(_noted(look, listed_event(basis, played, rated[number])))
        else:
            rows.append(_unrated_row(look, entries[number], changed.get(number, 0)))
    shown = [*played.shown.tolist(), *(player for large in known.values() for player in large.winners)]
    return LivePage("event-list", event_list_page(rows, head, page), found, numbers_of(look, shown))


AMENDMENT_WORDS = {
    "void": "takes back",
    "correction": "corrects",
    "disqualification": "disqualifies players in",
}
STATUS_WORDS = {"void": "taken back", "pending": "not counted yet"}
"""Notes in the list of events: what an amendment does, and what became of an entry."""


def _noted(look: Look, row: ListedEventDocument) -> ListedEventDocument:
    """A rated event in the list, with what was amended of it."""
    amended = look.amendments.amending(row["event"])
    if amended:
        row["note"] = f"changed by {listed([f'no. {number}' for number in amended])}"
    return row


def _unrated_row(look: Look, entry: LogEntry, changed: int) -> ListedEventDocument:
    """An entry of the log that is no rated event, in the list; an adjustment has changed so many players."""
    sides = entry.content.sides if isinstance(entry.content, Event) and entry.target is None else ()
    status = STATUS_WORDS.get(entry_status(look, entry.number))
    note: str = "not rated" if sides else entry.kind
    if entry.kind == "clock":
        note = f"clock repair from no. {entry.target} on"
    elif entry.target is not None:
        note = f"{AMENDMENT_WORDS[entry.kind]} no. {entry.target}"
    elif status is not None:
        note = status
    name = str(entry.number) if entry.target is not None else entry.name
    if isinstance(entry.content, Adjustment):
        name = adjustment_title({"adjustment": entry.content.kind, **plain_adjustment(entry.content)})
    return {
        "event": entry.number,
        "name": name,
        "time": plain_moment(entry.rated_time) if entry.target is None else None,
        "sides": len(sides),
        "players": sum(map(len, sides)) + changed,
        "winners": [],
        "more_winners": 0,
        "largest_gain": 0.0,
        "gainer": None,
        "result": None,
        "note": note if status in (None, note) else f"{note}, {status}",
    }


def latest_played(connection: Connection, found: LadderSketch) -> PlayedRows:
    """The latest events, oldest first: as many as a page of matches has, and no more rows than a few."""
    chosen: list[LogEntry] = []
    rows = 0
    for entry in islice(latest_events(connection, found.look), RECENT_MATCHES):
        rows += 0 if (counted := rated_event(entry)) is None else sum(map(len, counted.sides))
        if chosen and rows > ROWS_LOOKED_AT:
            break
        chosen.append(entry)
    return played_entries(connection, found.basis, found.look, chosen[::-1])


def latest_matches_page(connection: Connection, found: LadderSketch) -> LivePage:
    """The latest matches, and the least expected results among them."""
    played = latest_played(connection, found)
    is_all = len(played.names) == found.basis.n_events
    document = matches_page(found.basis, played, len(played.chances) if is_all else None)
    return LivePage("matches-page", document, found, numbers_of(found.look, played.shown.tolist()))


def arena_page(found: LadderSketch, fit: Fit) -> LivePage:
    """The page of a ladder's fit."""
    look = found.look
    numbers = [number for name in fit.players if (number := look.names.find(name)) is not None]
    return LivePage("arena", arena_document(fit), found, numbers_of(look, numbers))


def about_ladder_page(connection: Connection, found: LadderSketch) -> LivePage:
    """The page about a ladder; predictions are judged by its latest events."""
    played = latest_played(connection, found)
    past = LadderPast(None, None, _first_time(connection, found.look), played if played.names else None)
    computed = to_iso(machine.now_micros() // SECOND * SECOND)
    document = about_page(basis_of_events(connection, found), found.players, past, computed)
    return LivePage("about-page", document, found, {})


def _first_time(connection: Connection, look: Look) -> str | None:
    """The time of the first event that has one, be it a late one."""
    time = first_time_from(connection, look, 1, of_events=True)
    for number in sorted(look.amendments.late_numbers(), key=look.amendments.position):
        late = numbered_entries(connection, look, [number])[number]
        if rated_event(late) is not None and late.rated_time != NO_TIME:
            time = late.rated_time if time is None else min(time, late.rated_time)
            break
    return None if time is None else plain_moment(time)


# ---------------------------------------------------------------------- comparing and searching


def compare_players_page(
    connection: Connection, found: CompareSketch, about_to_read: AboutToRead
) -> LivePage:
    """The page that compares players; two of them if they were asked for."""
    ladder, pair = found.ladder, None
    if found.pair is not None:
        (a, b), expected = found.pair
        wins, draws, losses = scores_between(pairs_met(connection, ladder.look, a, b, about_to_read))
        pair = PairDocument(
            a=ladder.look.name_of(a),
            b=ladder.look.name_of(b),
            wins=wins,
            draws=draws,
            losses=losses,
            expected_score=expected,
        )
    basis = basis_of_events(connection, ladder)
    document = compare_page(basis, ladder.players, found.ratings, found.best, teams=False, pair=pair)
    return LivePage("compare-page", document, ladder, found.players)


def compared_live(
    connection: Connection, found: PlayerSketch, remembered: RememberedEvents[EntryFacts]
) -> dict[str, ComparedPlayerDocument]:
    """What the comparison of players draws of one of them: the latest results."""
    basis, look, number = found.ladder.basis, found.ladder.look, found.player.number
    before = look.row.head + 1
    rows = player_tables(connection, basis, look, number, before=before, remembered=remembered)
    name, history = found.player.name, player_results(basis, rows, number).columns()
    return {name: compared_player(name, history)}


def search_page(found: SearchSketch, query: str) -> LivePage:
    """Players whose names have the words of a query, best first."""
    text = found.ladder.basis.rating_text
    document: SearchPageDocument = {
        "query": query,
        "rows": [
            {
                "player": player.name,
                "number": player.number,
                "rating": text(player.display),
                "place": player.place or None,
                "mu": player.mu,
                "sigma": player.sigma,
                "events": player.events,
            }
            for player in found.players
        ],
    }
    return LivePage(
        "search-page", document, found.ladder, {player.name: player.number for player in found.players}
    )
