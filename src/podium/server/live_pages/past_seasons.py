"""The final boards of a ladder's past seasons, read from the entries that started the next ones.

A reset moves all players, and the table of changes has the rating of each before it: the final board.
"""

from __future__ import annotations

import numpy as np
from sqlalchemy import Connection, func, select

from podium.documents.event_page_documents import PastSeasonDocument, SeasonPlaceDocument, SeasonsPageDocument
from podium.history import Reset
from podium.pages.ladder_data import PageBasis, plain_moment
from podium.pages.played_rows import kept_number
from podium.server.correcting.generations import REMOVED
from podium.server.ladders.followed_ladder import FollowedLadder, Look
from podium.server.live_pages.ladder_sketches import LadderSketch
from podium.server.live_pages.live_documents import LivePage
from podium.server.live_pages.live_links import numbers_of
from podium.server.live_pages.played_entries import numbered_entries
from podium.server.log.log_entries import LogEntry
from podium.server.log.log_reading import current_rows
from podium.server.storage import tables

WITNESSES = 3
"""Players whose adjustments are looked at for resets: a reset is one of all players."""
FINAL_PLACES = 10
CANDIDATES = 100
"""The best players at the end of a season, of whom those who played in it are on its board."""
MOST_SEASONS = 50


def season_sketch(live: FollowedLadder) -> tuple[LadderSketch, list[int]]:
    """The ladder, and the players who have been there longest."""
    state = live.ladder.state
    there = np.flatnonzero(state.column("known") & ~state.column("anchored"))
    return LadderSketch.of(live), there[:WITNESSES].tolist()


def seasons_page(connection: Connection, found: LadderSketch, witnesses: list[int]) -> LivePage:
    """The past seasons of a ladder, the latest first."""
    look = found.look
    resets = _resets(connection, look, witnesses)
    seasons: list[PastSeasonDocument] = []
    shown: list[int] = []
    for number, entry in enumerate(resets, start=1):
        before = resets[number - 2] if number > 1 else None
        first = 1 if before is None else before.number + 1
        board, players = _final_board(connection, found.basis, look, first, entry.number)
        shown += players
        seasons.append(
            {
                "season": number,
                "start": None if before is None else plain_moment(before.rated_time),
                "end": plain_moment(entry.rated_time),
                "entry": entry.number,
                "board": board,
            }
        )
    document: SeasonsPageDocument = {"current": len(resets) + 1, "seasons": seasons[::-1][:MOST_SEASONS]}
    return LivePage("seasons-page", document, found, numbers_of(look, shown))


def _resets(connection: Connection, look: Look, witnesses: list[int]) -> list[LogEntry]:
    """The resets that count, in order."""
    table = tables.change
    query = select(table.c.seq).where(
        table.c.ladder == look.row.id,
        table.c.player.in_(witnesses),
        table.c.rank < REMOVED,
        table.c.seq <= look.row.head,
        *current_rows(look.row),
    )
    entries = numbered_entries(connection, look, sorted(set(connection.execute(query).scalars())))
    return [entry for _, entry in sorted(entries.items()) if isinstance(entry.content, Reset)]


def _final_board(
    connection: Connection, basis: PageBasis, look: Look, first: int, reset: int
) -> tuple[list[SeasonPlaceDocument], list[int]]:
    """The board before a reset, of players with a result since the `first` entry, and their numbers."""
    table = tables.change
    here = (table.c.ladder == look.row.id, *current_rows(look.row))
    best = connection.execute(
        select(table.c.player, table.c.display_before)
        .where(*here, table.c.seq == reset)
        .order_by(table.c.display_before.desc(), table.c.player)
        .limit(CANDIDATES)
    ).all()
    played = select(table.c.player, func.count().label("events")).where(
        *here,
        table.c.player.in_([row.player for row in best]),
        table.c.seq.between(first, reset - 1),
        table.c.rated,
        table.c.rank > REMOVED,
    )
    events = {row.player: row.events for row in connection.execute(played.group_by(table.c.player))}
    board: list[SeasonPlaceDocument] = []
    numbers: list[int] = []
    for player, display in (row for row in best if row.player in events):
        shown = kept_number(display, basis.decimals)
        same = bool(board) and board[-1]["display"] == shown
        place = board[-1]["place"] if same else len(board) + 1
        name = look.name_of(player)
        board.append({"place": place, "player": name, "display": shown, "events": events[player]})
        numbers.append(player)
        if len(board) == FINAL_PLACES:
            break
    return board, numbers
