"""What a history holds, in numbers and in a line of words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from podium.history.times import to_datetime, to_iso, to_micros
from podium.text import counted, percent

if TYPE_CHECKING:
    from podium.history.history import History


@dataclass(frozen=True)
class Summary:
    """Counts that describe a history: events, players, rows, ties, teams, time span."""

    events: int
    players: int
    rows: int
    mean_participants: float
    largest_event: int
    tied_rows: int
    team_events: int
    unrated_rows: int
    adjustments: int
    start: datetime | None
    """Time of the first event; None if events have no times."""
    end: datetime | None

    @classmethod
    def of(cls, history: History) -> Summary:
        """The summary of a history."""
        sizes = history.sizes
        seen = np.zeros(len(history.players), np.bool_)
        seen[history.player] = True
        return cls(
            events=len(history),
            players=int(seen.sum()),
            rows=history.rows,
            mean_participants=float(sizes.mean()) if len(sizes) else 0.0,
            largest_event=int(sizes.max(initial=0)),
            tied_rows=int(history.tied.sum()),
            team_events=0 if history.side is None else int((history.sides_per_event < sizes).sum()),
            unrated_rows=0 if history.unrated is None else int(history.unrated.sum()),
            adjustments=len(history.adjustments),
            start=to_datetime(int(history.time[0])) if len(history) else None,
            end=to_datetime(int(history.time[-1])) if len(history) else None,
        )

    def __str__(self) -> str:
        parts = [
            counted(self.events, "event"),
            counted(self.players, "player"),
            f"{self.rows:,} rows ({self.mean_participants:.1f} an event, at most {self.largest_event:,})",
        ]
        if self.rows:
            parts.append(f"{percent(self.tied_rows / self.rows, 1)} tied")
        if self.team_events:
            parts.append(f"{self.team_events:,} with teams")
        if self.unrated_rows:
            parts.append(f"{self.unrated_rows:,} rows unrated")
        if self.adjustments:
            parts.append(counted(self.adjustments, "adjustment"))
        if self.start is not None:
            parts.append(f"{to_iso(to_micros(self.start))} to {to_iso(to_micros(self.end))}")
        return ", ".join(parts)
