"""The highest ratings ever of a service's ladder, from its table of changes."""

from __future__ import annotations

import numpy as np
from sqlalchemy import Connection, func, select

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


def highest_sketch(live: FollowedLadder) -> tuple[LadderSketch, int]:
    """The ladder, and after how many events a rating may be a record; refused if there are too many results
    to look at.
    """
    if live.results > MOST_LISTED_RESULTS:
        raise UnknownPageError(
            f"a ladder with more than {MOST_LISTED_RESULTS:,} results has no list of the highest ratings",
            hint="a player's page has the player's highest",
        )
    events = live.ladder.state.column("events")
    least = max(usual_min_events(events, PROVEN_EVENTS), live.filter.min_events, 1)
    return LadderSketch.of(live), least


def highest_page(connection: Connection, found: LadderSketch, min_events: int) -> LivePage:
    """The highest rating of each player, the highest first."""
    look, table = found.look, tables.change
    played = (
        select(
            table.c.player,
            table.c.seq,
            table.c.display,
            func.row_number().over(partition_by=table.c.player, order_by=table.c.seq).label("number"),
            func.count().over(partition_by=table.c.player).label("events"),
        )
        .where(
            table.c.ladder == look.row.id,
            table.c.seq <= look.row.head,
            table.c.rated,
            table.c.rank > REMOVED,
            table.c.player.not_in(list(look.merged)),
            *current_rows(look.row),
        )
        .subquery()
    )
    order = (played.c.display.desc(), played.c.seq)
    best = func.row_number().over(partition_by=played.c.player, order_by=order).label("best")
    ordered = select(played, best).where(played.c.number >= min_events).subquery()
    rows = connection.execute(
        select(ordered, func.count().over().label("players"))
        .where(ordered.c.best == 1)
        .order_by(ordered.c.display.desc(), ordered.c.seq, ordered.c.player)
        .limit(LISTED_PEAKS)
    ).all()
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
                "events": row.events,
            }
        )
    document: AllTimePageDocument = {
        "min_events": min_events,
        "players": rows[0].players if rows else 0,
        "peaks": peaks,
    }
    return LivePage("all-time-page", document, found, numbers_of(look, [row.player for row in rows]))
