"""The highest ratings ever of a service's ladder, from its table of changes."""

from __future__ import annotations

import numpy as np
from sqlalchemy import Connection, select

from podium.arrays import Ints
from podium.documents.event_page_documents import AllTimePageDocument, PeakDocument
from podium.pages.all_time_page import LISTED_PEAKS, PROVEN_EVENTS
from podium.pages.ladder_data import usual_min_events
from podium.pages.played_rows import kept_number
from podium.server.correcting.generations import REMOVED
from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.live_pages.ladder_sketches import LadderSketch
from podium.server.live_pages.live_documents import LivePage
from podium.server.live_pages.live_links import numbers_of
from podium.server.live_pages.played_entries import entry_facts, numbered_entries
from podium.server.log.log_reading import current_rows
from podium.server.problems import UnknownPageError
from podium.server.storage import tables
from podium.server.storage.ladder_rows import MOST_LISTED_RESULTS


def highest_sketch(live: FollowedLadder) -> tuple[LadderSketch, int, Ints]:
    """The ladder, after how many events a rating may be a record, and the events of each player; refused if
    there are too many results to look at.
    """
    if live.results > MOST_LISTED_RESULTS:
        raise UnknownPageError(
            f"a ladder with more than {MOST_LISTED_RESULTS:,} results has no list of the highest ratings",
            hint="a player's page has the player's highest",
        )
    events = live.ladder.state.column("events")
    least = max(usual_min_events(events, PROVEN_EVENTS), live.filter.min_events, 1)
    return LadderSketch.of(live), least, events.copy()


def highest_page(connection: Connection, found: LadderSketch, min_events: int, events: Ints) -> LivePage:
    """The highest rating of each player, the highest first.

    `events` are those of the board: some may have been played elsewhere, before a rating was set, or by an
    account that was merged since. The former count for `min_events`.
    """
    look, table = found.look, tables.change
    query = select(table.c.player, table.c.seq, table.c.display).where(
        table.c.ladder == look.row.id,
        table.c.seq <= look.row.head,
        table.c.rated,
        table.c.rank > REMOVED,
        *current_rows(look.row),
    )
    read = connection.execute(query.order_by(table.c.player, table.c.seq)).all()
    player = np.array([row.player for row in read], np.int64)
    whose = np.array([look.survivor(number) for number in player.tolist()], np.int64)
    elsewhere = np.maximum(events - np.bincount(whose, minlength=len(events))[: len(events)], 0)
    number = 1 + np.arange(len(player)) - np.searchsorted(player, player) + elsewhere[player]
    able = np.flatnonzero((whose == player) & (number >= min_events))
    reached, seq = np.array([row.display for row in read], np.float64), np.array([row.seq for row in read])
    best_first = able[np.lexsort((player[able], seq[able], -reached[able]))]
    firsts = best_first[np.sort(np.unique(player[best_first], return_index=True)[1])]
    players, rows = len(firsts), [read[one] for one in firsts[:LISTED_PEAKS].tolist()]
    entries = numbered_entries(connection, look, [row.seq for row in rows])
    shown = [kept_number(row.display, found.basis.decimals) for row in rows]
    places = (1 + np.searchsorted(-np.array(shown), -np.array(shown))).tolist()
    peaks: list[PeakDocument] = []
    for row, display, place in zip(rows, shown, places, strict=True):
        facts = entry_facts(entries[row.seq])
        peaks.append(
            {
                "place": place,
                "player": look.name_of(row.player),
                "display": display,
                "time": facts.time,
                "event": facts.name,
                "events": int(events[row.player]),
            }
        )
    document: AllTimePageDocument = {
        "min_events": min_events,
        "players": players,
        "peaks": peaks,
    }
    return LivePage("all-time-page", document, found, numbers_of(look, [row.player for row in rows]))
