"""Who would move if a report were recorded, as the page before its button shows it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from podium.arrays import NO_TIME
from podium.documents.service_documents import ChangedEventDocument, ConsequencesDocument, MovedPlayerDocument
from podium.history import Rename, Reset
from podium.pages.ladder_data import shown_digits
from podium.server.correcting import near_amendments
from podium.server.correcting.consequences import MOST_MOVED, consequences, tried
from podium.server.ladders.board import Board, Standings
from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.ladders.previewing import named_in_reports, preview_reports, trial_ladder
from podium.server.log.report_differences import shown_time
from podium.server.log.reports import Report
from podium.server.service import Service
from podium.server.storage.ladder_rows import LadderRow
from podium.text import shown_gain

NAMES_COMPARED = 100_000
"""Pairs of names that are compared, as a misspelt name would be a new player: about a second."""


class Newcomer(NamedTuple):
    """Somebody whom the ladder does not know yet."""

    name: str
    near: str | None
    """A player with nearly the same name."""


class Moves(NamedTuple):
    """What a report would change."""

    rows: Sequence[MovedPlayerDocument]
    """Largest change first; some of many."""
    moved: int
    visible: int
    """How many have another rating where it is shown, which is rounded."""
    rated_again: int
    """Entries of the log that are rated again."""
    newcomers: list[Newcomer]
    numbers: dict[str, int]
    """Those who are named and known, with their numbers."""
    held_back_to: str | None = None
    """When an event is rated that is from before the ladder's last time; None if it keeps its own time."""
    events: int = 0
    """Published events that show something else then."""
    changed_events: Sequence[ChangedEventDocument] = ()
    """The first of them."""
    output: str | None = None
    """Where the table of all who move is, if a job has made it."""
    is_board: bool = False
    """Whether the rows are the first of the new leaderboard, as a new season begins."""

    def withheld(self) -> Moves:
        """The same for somebody who may report to a private ladder, but not read it: nobody is named."""
        return Moves([], 0, 0, 0, [], {}, self.held_back_to)

    def as_shown(self, digits: int) -> dict[str, Any]:
        """The same by name, with the rows in the order of the changes that are shown."""

        def change(row: MovedPlayerDocument) -> float:
            before, after = row["display_before"], row["display"]
            return -math.inf if before is None or after is None else -abs(shown_gain(before, after, digits))

        return {**self._asdict(), "rows": self.rows if self.is_board else sorted(self.rows, key=change)}


def expected_moves(service: Service, ladder: str, report: Report) -> Moves | None:
    """Who would move; refused if the report would be.

    None if so much has to be rated again that nobody waits for it.
    """
    if report.amends:
        with service.ladders.copied(ladder, FollowedLadder.twin) as (connection, live):
            trial = tried(connection, live, report, service.clock(), most=near_amendments.NEAR_ROWS)
            if trial is None:
                return None
            return _told(consequences(connection, trial).document(), *_named(live, report))

    is_season = isinstance(report.content, Reset)

    def copy(
        live: FollowedLadder,
    ) -> tuple[LadderRow, NumberedLadder, BoardPlaces, list[Newcomer], dict[str, int]]:
        live.row.check_open()
        twin, standings = trial_ladder(live.ladder, [report]), live.standings(live.filter)
        return live.row, twin, _first_places(standings) if is_season else {}, *_named(live, report)

    with service.ladders.copied(ladder, copy) as (_, (row, twin, before, newcomers, numbers)):
        pass
    (outcome,) = preview_reports(twin, row, [report], service.clock())
    if outcome.error is not None:
        raise outcome.error
    rows: list[MovedPlayerDocument] = [
        {
            "player": name,
            "display_before": change.display_before,
            "display": change.display,
            "gain": change.display - change.display_before,
            "place_before": None,
            "place": None,
        }
        for name, change in outcome.changes
    ]
    rows.sort(key=lambda row: -abs(row["gain"] or 0.0))
    if is_season:
        numbers, board = _new_board(twin, row, before, {one["player"]: one for one in rows})
        moved = sum(1 for one in rows if one["gain"])
        return Moves(board, moved, moved, 0, [], numbers, is_board=True)
    is_held_back = NO_TIME != report.time < outcome.rated_time
    held_back_to = shown_time(outcome.rated_time) if is_held_back else None
    digits = shown_digits(row.system)
    visible = sum(
        round(change.display, digits) != round(change.display_before, digits) for _, change in outcome.changes
    )
    return Moves(rows[:MOST_MOVED], len(rows), visible, 0, newcomers, numbers, held_back_to)


BoardPlaces = dict[int, int]
"""Places of players by number."""


def _first_places(standings: Standings) -> BoardPlaces:
    """The places of the first players, and of as many again who may be among the first later."""
    first = standings.players[: 2 * MOST_MOVED].tolist()
    return {number: standings.place(position) for position, number in enumerate(first)}


def _new_board(
    ladder: NumberedLadder, row: LadderRow, before: BoardPlaces, moved: Mapping[str, MovedPlayerDocument]
) -> tuple[dict[str, int], list[MovedPlayerDocument]]:
    """The first players of a ladder that a new season begins on, with their numbers."""
    standings = Board(ladder).standings(row.filter)
    numbers, rows = {}, list[MovedPlayerDocument]()
    for position, number in enumerate(standings.players[:MOST_MOVED].tolist()):
        name, display = ladder.name_of(number), standings.display(number)
        old = moved[name]["display_before"] if name in moved else display
        numbers[name] = number
        rows.append(
            {
                "player": name,
                "display_before": old,
                "display": display,
                "gain": None if old is None else display - old,
                "place_before": before.get(number),
                "place": standings.place(position),
            }
        )
    return numbers, rows


def moves_of_job(
    service: Service, ladder: str, report: Report, found: ConsequencesDocument, output: str
) -> Moves:
    """Who would move, as a job has found out; `output` is where its table is."""
    with service.looking(ladder) as (_, live):
        return _told(found, *_named(live, report))._replace(output=output)


def _told(found: ConsequencesDocument, newcomers: list[Newcomer], numbers: dict[str, int]) -> Moves:
    return Moves(
        found["players"],
        found["moved"],
        found["visible"],
        found["rated_again"],
        newcomers,
        numbers,
        events=found["events"],
        changed_events=found["changed_events"],
    )


def _named(live: FollowedLadder, report: Report) -> tuple[list[Newcomer], dict[str, int]]:
    """Who is named in a report: those who are new on the ladder, and the numbers of the others."""
    players = live.ladder.players
    found = {name: players.find(name) for name in named_in_reports([report])}
    numbers = {name: number for name, number in found.items() if number is not None}
    unknown = [name for name, number in found.items() if number is None]
    if isinstance(report.content, Rename):  # the new name of somebody who is there
        return [], numbers
    known = list(players) if len(unknown) * len(players) <= NAMES_COMPARED else []
    near = [next(iter(get_close_matches(name, known, 1)), None) for name in unknown]
    return [Newcomer(*one) for one in zip(unknown, near, strict=True)], numbers
