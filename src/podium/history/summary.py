"""What a history holds, in numbers and in a line of words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from podium.history.times import to_iso, to_micros


@dataclass(frozen=True)
class Summary:
    """What a history holds, in numbers."""

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
    """When its first event was; None where events have no times."""
    end: datetime | None

    def __str__(self) -> str:
        parts = [
            f"{self.events:,} events",
            f"{self.players:,} players",
            f"{self.rows:,} rows ({self.mean_participants:.1f} an event, at most {self.largest_event:,})",
        ]
        if self.rows:
            parts.append(f"{100 * self.tied_rows / self.rows:.1f}% tied")
        if self.team_events:
            parts.append(f"{self.team_events:,} with teams")
        if self.unrated_rows:
            parts.append(f"{self.unrated_rows:,} rows unrated")
        if self.adjustments:
            parts.append(f"{self.adjustments:,} adjustments")
        if self.start is not None:
            parts.append(f"{to_iso(to_micros(self.start))} to {to_iso(to_micros(self.end))}")
        return ", ".join(parts)
