"""Whether the tournaments of a ladder are what their steps make of them, and the ladder has their results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select

from podium.errors import PodiumError
from podium.history import Event
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.log.event_names import KEY
from podium.server.log.log_entries import LogEntry, entry_of
from podium.server.log.reports import Void
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow
from podium.server.tournaments.kept_tournament import KeptTournament
from podium.server.tournaments.tournament_rows import TournamentRow, steps_after, tournaments_of_ladder
from podium.tournaments.happenings import from_plain

Difference = tuple[str, Any, Any]
"""What differs, what is stored of it, and what should be."""


def tournament_differences(
    connection: Connection, row: LadderRow, ladder: NumberedLadder, warnings: list[str]
) -> Iterator[Difference]:
    """Take all steps of a ladder's tournaments again, and compare the results with those in its log.

    Args:
        connection: Where they are stored.
        row: The ladder.
        ladder: The ladder after its whole log, with the names of now.
        warnings: Gets a sentence about each result that has another player because of a merge.
    """
    for tournament in tournaments_of_ladder(connection, row):
        kept = KeptTournament(replace(tournament, reported=0), row.fill_times)
        problem = yield from _steps(connection, tournament, kept)
        if not problem:
            yield from _results(connection, tournament, kept, ladder, warnings)


def _steps(
    connection: Connection, tournament: TournamentRow, kept: KeptTournament
) -> Iterator[Difference] | Any:
    """Take the steps again; whether one of them cannot be taken."""
    called = f"the tournament {tournament.slug!r}"
    for expected, step in enumerate(steps_after(connection, tournament.id, 0), 1):
        what = f"step {step.number} of {called}"
        if step.number != expected:
            yield f"step {expected} of {called}", None, "a step"
            return True
        try:
            if "undo" in step.payload:
                taken = [from_plain(one) for one in step.payload["happenings"]]
                if taken != kept.last_step:
                    yield what, taken, kept.last_step
                    return True
            kept.follow([step])
        except (PodiumError, LookupError, TypeError, ValueError) as error:
            yield what, getattr(error, "reason", repr(error)), "a step that can be taken"
            return True
    if kept.head != tournament.head:
        yield f"the number of steps of {called}", tournament.head, kept.head
        return True
    return False


def _results(
    connection: Connection,
    tournament: TournamentRow,
    kept: KeptTournament,
    ladder: NumberedLadder,
    warnings: list[str],
) -> Iterator[Difference]:
    """Compare what the ladder was told with the entries in its log."""
    table, prefix = tables.event, f"tournament:{tournament.slug}:"
    query = select(table).where(
        table.c.ladder == tournament.ladder, table.c.key.startswith(prefix, autoescape=True)
    )
    entries = {row.key: entry_of(row, str) for row in connection.execute(query)}
    amended = {report.get("void", report.get("correct")) for _, report in kept.due}
    for number, report in kept.due:
        if number > tournament.reported:
            continue
        entry = entries.get(report["key"])
        if entry is None:
            if tournament.problem is None:  # else the ladder could not use some results
                yield f"the result {report['key']!r} of a tournament", None, "an entry of the log"
            continue
        target = report.get("void", report.get("correct"))
        first = None if target is None else entries.get(str(target).removeprefix(KEY))
        is_same = entry.target == (None if first is None else first.number)
        if is_same and _agree(report, entry, ladder):
            continue
        what, told, due = f"the result {report['key']!r} of a tournament", _told(entry, ladder), _due(report)
        if is_same and tournament.renames and _agree(report, entry, None):
            if KEY + report["key"] in amended:
                continue
            warnings.append(
                f"{what} is {told} on the ladder and {due} in the tournament: a merge was voided in between. "
                "Take the result back in the tournament, and enter it again"
            )
        else:
            yield what, told, due


def _agree(report: Mapping[str, Any], entry: LogEntry, ladder: NumberedLadder | None) -> bool:
    """Whether an entry, whose players have their numbers as names, holds a result; None compares no names."""
    if "void" in report:
        return isinstance(entry.content, Void)
    event = entry.content
    if not isinstance(event, Event) or event.scores is None:
        return False
    left = list(zip(event.sides, event.scores, strict=True))
    for side, score in zip(report["teams"], report["scores"], strict=True):
        found = next(
            (one for one in left if one[1] == score and (ladder is None or _are(one[0], side, ladder))), None
        )
        if found is None:
            return False
        left.remove(found)
    return not left


def _are(numbers: tuple[str, ...], names: list[str], ladder: NumberedLadder) -> bool:
    """Whether accounts are called by these names, one each."""
    return sorted(names) == sorted(
        next((name for name in names if name in _names(int(number), ladder)), "") for number in numbers
    )


def _names(number: int, ladder: NumberedLadder) -> set[str]:
    """What an account is called: by its own name, or by that of the one that it is merged into."""
    found, reached = set[str](), number
    while True:
        account = ladder.merged.get(reached)
        name = ladder.players[reached] if account is None else account.former_name
        found |= set() if name is None else {name}
        if account is None or account.merged_into is None:
            return found
        reached = account.merged_into


def _told(entry: LogEntry, ladder: NumberedLadder) -> str:
    if not isinstance(entry.content, Event):
        return f"entry {entry.number}, no result"
    event = entry.content
    sides = (
        " + ".join(min(_names(int(number), ladder), default=number) for number in side)
        for side in event.sides
    )
    return f"entry {entry.number}, {' – '.join(sides)} {event.scores or event.ranks}"


def _due(report: Mapping[str, Any]) -> str:
    if "void" in report:
        return "a result taken back"
    return f"{' – '.join(' + '.join(side) for side in report['teams'])} {tuple(report['scores'])}"
