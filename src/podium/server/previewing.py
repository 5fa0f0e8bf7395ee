"""What reports would do: rated on a copy of the rows of those who take part, so that nothing changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from podium.errors import PodiumError
from podium.history import Event, Names
from podium.server.appending import Outcome
from podium.server.ladder_rows import now_micros
from podium.server.live_ladder import LiveLadder
from podium.server.log_entries import planned_entries
from podium.server.reports import Report
from podium.server.served_ladder import ServedLadder


def preview_reports(live: LiveLadder, reports: Sequence[Report]) -> list[Outcome]:
    """What would become of each report if they were recorded now one after another; keys do not matter."""
    twin, head, received = _participants(live, reports), live.head, now_micros()
    outcomes = []
    for report in reports:
        (entry,) = planned_entries([report], head, twin.last_time, received, live.row.fill_times)
        key = report.key if report.has_own_key else None
        try:
            rated = twin.rate([entry])
        except PodiumError as error:
            outcomes.append(Outcome("refused", key, error=error))
            continue
        changes = [(twin.name_of(row.player), row) for rows in rated for row in rows.change_rows()]
        outcomes.append(Outcome("preview", key, None, entry.rated, entry.rated_time, changes))
        head += 1
    return outcomes


def _participants(live: LiveLadder, reports: Sequence[Report]) -> ServedLadder:
    """A ladder of only those who are named in some reports, as they are now."""
    ladder = live.ladder
    named = dict.fromkeys(name for report in reports for name in _names(report))
    known = [name for name in named if ladder.players.find(name) is not None]
    twin = ServedLadder(ladder.system)
    twin.players = Names(known)
    twin.state = ladder.state.take(np.array([ladder.number_of(name) for name in known], np.int64))
    twin.last_time, twin.n_events = ladder.last_time, ladder.n_events
    twin._repeats = ladder._repeats.copy()
    return twin


def _names(report: Report) -> list[str]:
    if isinstance(report.content, Event):
        return [name for side in report.content.sides for name in side]
    return list(report.content.players)
