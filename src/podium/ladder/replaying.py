"""Rating what a log holds: in bulk, and the latest events one by one, so that `undo` can take them back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from podium.errors import InputError, PodiumError
from podium.history import Event, Names
from podium.history.history import history_of_values
from podium.history.pacing import Progress
from podium.ladder.journal import MOST_EVENTS
from podium.ladder.log_records import Numbered
from podium.systems.contract.ratings import Changes

if TYPE_CHECKING:
    from podium.ladder.ladder import Ladder


def replay(
    ladder: Ladder, events: Sequence[Numbered], progress: Progress | None = None, *, again: bool = True
) -> None:
    """Rate events and adjustments after what the ladder has rated.

    Those that were accepted before are rated `again`: if one is refused now, the error says which.
    """
    start = max(len(events) - MOST_EVENTS, 0)
    for is_event, group in groupby(events[:start], key=lambda one: isinstance(one.content, Event)):
        if is_event:
            _rate_in_bulk(ladder, list(group), progress)
        else:
            for one in group:
                rate_one(ladder, one, again=again)
    for one in events[start:]:
        rate_one(ladder, one, again=again)
        if progress is not None:
            progress(one.rows)


def rate_one(ladder: Ladder, one: Numbered, *, again: bool = True) -> Changes:
    """Rate one event and return the changes, or adjust."""
    ladder._repeats.add_hashes(one.files)
    try:
        if isinstance(one.content, Event):
            return ladder._rate_event(one.event, allow_repeat=one.allow_repeat)
        ladder._apply_adjustment(one.content, one.time)
        return Changes()
    except PodiumError as error:
        if not again:
            raise
        reason = f"{one.describe()} cannot be rated any more: {error.reason}"
        raise InputError(reason, hint=error.hint) from error


def _rate_in_bulk(ladder: Ladder, run: Sequence[Numbered], progress: Progress | None) -> None:
    for one in run:
        ladder._repeats.add_hashes(one.files)
    history = history_of_values([one.event for one in run], Names())
    # Each was recorded on its own, or in a history that said so: a name that some share is still their own.
    named = np.array([one.event.named and one.event.name is not None for one in run])
    ladder._rate_piece(replace(history, named=named), trace=False, allow_repeat=True, progress=progress)
