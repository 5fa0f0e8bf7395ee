"""Systems whose events of a rating period count as simultaneous."""

from __future__ import annotations

import numpy as np

from podium.arrays import NO_TIME
from podium.errors import ParameterError, UnsupportedError
from podium.history import History
from podium.history.times import to_duration
from podium.systems.contract.capabilities import UNTIMED
from podium.systems.contract.system import RatingSystem


class PeriodicSystem(RatingSystem):
    """A system with a parameter `period`: "event", or a duration."""

    period: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.period != "event":
            try:
                to_duration(self.period)
            except ParameterError as error:
                raise ParameterError(f"{self.name}: period is {error.reason}", hint=error.hint) from None

    @property
    def period_length(self) -> int:
        """Length of a rating period in microseconds; 0 if each event is a period."""
        return 0 if self.period == "event" else to_duration(self.period)

    def check(self, history: History) -> None:
        """As in the base class. Events without times are refused if periods have a length."""
        super().check(history)
        if self.period != "event" and len(history) and np.any(history.time == NO_TIME):
            raise UnsupportedError(
                f"{self.name} with period {self.period!r} needs the time of every event",
                hint="add a column time, or use period event",
            )

    @property
    def unusable_evidence(self) -> frozenset[str]:
        """With periods that have a length also events without a time."""
        return super().unusable_evidence | (frozenset() if self.period == "event" else {UNTIMED})
