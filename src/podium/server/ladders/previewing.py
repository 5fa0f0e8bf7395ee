"""What reports would do: rated on a copy of the rows of those who take part, so that nothing changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from podium.errors import PodiumError
from podium.history import Event, Names
from podium.server.ladders.live_ladder import LiveLadder
from podium.server.ladders.served_ladder import ServedLadder
from podium.server.log.appending import Outcome
from podium.server.log.log_entries import planned_entries
from podium.server.log.reports import Report
from podium.server.storage.ladder_rows import LadderRow, now_micros


def preview_reports(twin: ServedLadder, row: LadderRow, reports: Sequence[Report]) -> list[Outcome]:
    """What would become of each report if they were recorded now one after another; keys do not matter.

    `twin` has copies of all who are named in them.
    """
    head, received = row.head, now_micros()
    outcomes = []
    for report in reports:
        (entry,) = planned_entries([report], head, twin.last_time, received, row.fill_times)
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


def participants(live: LiveLadder, names: Iterable[str]) -> ServedLadder:
    """A ladder of only these players, as they are now; who is unknown is a newcomer there, too."""
    ladder = live.ladder
    known = [name for name in dict.fromkeys(names) if ladder.players.find(name) is not None]
    twin = ServedLadder(ladder.system)
    twin.players = Names(known)
    twin.state = ladder.state.take(np.array([ladder.number_of(name) for name in known], np.int64))
    twin.last_time, twin.n_events = ladder.last_time, ladder.n_events
    twin._repeats = ladder._repeats.copy()
    return twin


def named_in_reports(reports: Iterable[Report]) -> Iterator[str]:
    """The players who are named in reports."""
    for report in reports:
        if isinstance(report.content, Event):
            yield from chain.from_iterable(report.content.sides)
        else:
            yield from report.content.players
