"""What reports would do: rated on a copy of the rows of those whom they may move, so that nothing changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from podium.errors import PodiumError
from podium.history import Adjustment, Event, Names, Reset
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.log.log_entries import planned_entries
from podium.server.log.reports import Report
from podium.server.log.server_clock import ServerClock
from podium.server.log.submissions import Outcome
from podium.server.problems import AmendmentPreviewError
from podium.server.storage.ladder_rows import LadderRow


def preview_reports(
    twin: NumberedLadder, row: LadderRow, reports: Sequence[Report], clock: ServerClock
) -> list[Outcome]:
    """What would become of each report if they were recorded now one after another; keys do not matter.

    `twin` is the copy that `trial_ladder` makes for them.
    """
    head = row.head
    outcomes = []
    for report in reports:
        key = report.key if report.has_own_key else None
        try:
            (entry,) = planned_entries([report], head, twin.last_time, clock, row.fill_times)
            rated = twin.rate([entry])
        except PodiumError as error:
            outcomes.append(Outcome("refused", key, error=error))
            continue
        changes = [(twin.name_of(row.player), row) for rows in rated for row in rows.change_rows()]
        outcomes.append(Outcome("preview", key, None, entry.rated, entry.rated_time, changes=changes))
        head += 1
    return outcomes


def check_amends_nothing(reports: Iterable[Report]) -> None:
    """Refuse amendments in a bulk that is previewed, as a trial rates nothing again."""
    if any(report.amends for report in reports):
        raise AmendmentPreviewError(
            "amendments are previewed one at a time, because later events are rated again",
            hint="send each one separately to POST …/events?dry_run=true",
        )


def trial_ladder(ladder: NumberedLadder, reports: Sequence[Report]) -> NumberedLadder:
    """A copy of a ladder to try reports on: of those whom they name, or of everybody if they name none."""
    if not any(isinstance(report.content, Reset) for report in reports):
        return ladder.participants(named_in_reports(reports))
    twin = ladder.nameless()
    twin.players = Names(ladder.players)
    return twin


def named_in_reports(reports: Iterable[Report]) -> Iterator[str]:
    """The players who are named in reports."""
    for report in reports:
        if isinstance(report.content, Event):
            yield from chain.from_iterable(report.content.sides)
        elif isinstance(report.content, Adjustment):
            yield from report.content.players
