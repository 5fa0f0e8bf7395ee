"""When a request is sent again, and after how long.

A request that can be repeated is sent again if no answer came, or one that says "not now". The pauses double,
and each is cut by chance, so that many clients of one service do not come back together. A service that says
how long to wait is believed, unless that is longer than anybody would wait.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from podium.client.effects import Lost, Reply, Request

NOT_NOW = frozenset({408, 429, 502, 503, 504})
"""Statuses of services and of what stands before them that say: try again."""
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
LONGEST_ASKED_SECONDS = 30.0
"""A service may ask for a pause of up to this; if it asks for more, the caller is told at once."""


@dataclass(frozen=True)
class Retries:
    """How often a request is sent again: at most `most` times."""

    most: int = 4

    def pause_after(self, attempt: int, request: Request, outcome: Reply | Lost) -> float | None:
        """Seconds until the request is sent again, after attempt number `attempt`, from 0; None if not."""
        if attempt >= self.most:
            return None
        if isinstance(outcome, Lost):
            if outcome.was_sent and not request.repeatable:
                return None
            return self.pause(attempt)
        if outcome.status not in NOT_NOW or not request.repeatable:
            return None
        asked = asked_seconds(outcome)
        if asked is None:
            return self.pause(attempt)
        return None if asked > LONGEST_ASKED_SECONDS else asked + self.pause(0)

    def pause(self, attempt: int) -> float:
        """Seconds to wait after attempt number `attempt`: doubled each time, then cut by chance."""
        whole = min(FIRST_PAUSE_SECONDS * 2.0 ** min(attempt, 30), LONGEST_PAUSE_SECONDS)
        return whole * random.uniform(0.5, 1.0)


def asked_seconds(reply: Reply) -> float | None:
    """The seconds to wait that an answer asks for; None if it does not say.

    >>> asked_seconds(Reply(503, {"retry-after": "2"})), asked_seconds(Reply(503))
    (2.0, None)
    """
    said = reply.headers.get("retry-after", "").strip()
    return float(said) if said.isdecimal() else None
