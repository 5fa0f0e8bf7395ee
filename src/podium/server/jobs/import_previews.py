"""What an import would do to a ladder: its board afterwards, of which nothing is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypedDict

from podium.arrays import NO_TIME
from podium.server.jobs.import_runs import Source
from podium.server.jobs.job_kinds import JobContext
from podium.server.ladders.board import EVERYBODY
from podium.server.ladders.followed_ladder import FollowedLadder, load_ladder
from podium.server.storage.ladder_rows import LadderRow, ladder_of_number

BOARD_ROWS = 20
"""Players of the board that are shown."""
ROWS_AT_ONCE = 200_000
"""Rows that are rated together."""


class BoardRow(TypedDict):
    """A player on the board as it would be."""

    place: int | None
    player: str
    display: float
    events: int


class ImportPreview(NamedTuple):
    """A ladder as it would be."""

    system: str
    """By what it would be rated, in words."""
    players: int
    board: list[BoardRow]
    """The best of them."""
    rated_at: int
    """The time up to which it is rated already; `NO_TIME` if it is empty."""


def import_preview(
    context: JobContext, source: Source, adopted: Callable[[LadderRow], LadderRow]
) -> ImportPreview:
    """Rate everything of a file on a copy of the ladder; refused is what the import would be refused for.

    `adopted` makes of an empty ladder what the import would make of it.
    """
    assert context.job.ladder is not None
    with context.database.reading() as connection:
        row = ladder_of_number(connection, context.job.ladder)
        live = load_ladder(connection, row if row.head else adopted(row))
        done = source.begin(connection, live)
    rated_at, head = live.ladder.last_time, live.head
    while done < source.total:
        piece = source.rate(live, done, head, ROWS_AT_ONCE)
        head += piece.done - done
        done = piece.done
        context.progress(done, source.total)
    return ImportPreview(
        live.ladder.system.label, len(live.standings(EVERYBODY)), _board(live), rated_at or NO_TIME
    )


def _board(live: FollowedLadder) -> list[BoardRow]:
    """The best of the ranked, and behind them the best of the others."""
    ladder, ranked = live.ladder, live.standings(live.row.filter)
    numbers = ranked.players[:BOARD_ROWS].tolist()
    places: list[int | None] = [ranked.place(position) for position in range(len(numbers))]
    if len(numbers) < BOARD_ROWS:
        everybody = live.standings(EVERYBODY).players[: BOARD_ROWS + len(numbers)].tolist()
        rest = [number for number in everybody if number not in set(numbers)][: BOARD_ROWS - len(numbers)]
        numbers += rest
        places += [None] * len(rest)
    events, display = ladder.state["events"], live.standings(EVERYBODY).display
    return [
        {
            "place": place,
            "player": ladder.name_of(number),
            "display": display(number),
            "events": int(events[number]),
        }
        for number, place in zip(numbers, places, strict=True)
    ]
