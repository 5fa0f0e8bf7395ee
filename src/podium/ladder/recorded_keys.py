"""What a ladder recorded under each idempotency key, so that a report that is sent twice counts once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError, KeyConflictError, ParameterError, PodiumError, StateError
from podium.history import Adjustment, Event
from podium.history.differences import adjustment_words, differences, event_words
from podium.ladder.stored_events import content_of, json_text, plain_content
from podium.systems.contract.ratings import Change, Changes
from podium.text import shorten

LONGEST_KEY = 200
"""Characters of an idempotency key."""


def check_key(key: str) -> None:
    """Refuse what is no key."""
    if not isinstance(key, str):
        raise ParameterError(f"a key is a text, not {shorten(repr(key))}", hint="such as key='match 7'")
    if not 1 <= len(key) <= LONGEST_KEY:
        raise InputError(f"a key has 1 to {LONGEST_KEY} characters, not {len(key)}")
    if not key.isascii() and any("\ud800" <= letter <= "\udfff" for letter in key):
        raise InputError(f"the key {shorten(repr(key))} has an unpaired surrogate")


class Recorded(NamedTuple):
    """What was recorded under a key, and what the call returned."""

    content: Event | Adjustment
    time: int
    answer: Changes

    def text(self) -> str:
        """All of it as JSON, in which every number keeps its last bit."""
        plain = plain_content(self.content, self.time)
        plain |= {"number": self.answer.number, "changes": [astuple(change) for change in self.answer]}
        return json_text(plain)

    @classmethod
    def of(cls, key: str, text: str) -> Recorded:
        """What `text` wrote."""
        try:
            plain: dict[str, Any] = json.loads(text)
            answer = Changes(Change(*values) for values in plain["changes"])
            answer.number = plain["number"]
            return cls(*content_of(plain), answer)
        except (PodiumError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise StateError(f"the record of the key {shorten(key)!r} is damaged: {error}") from error

    def answer_to(self, key: str, content: Event | Adjustment, time: int) -> Changes:
        """The answer to the same call; a call with other content is refused."""
        told = differences(_words(self.content, self.time), _words(content, time))
        if not told:
            return self.answer
        first = "; ".join(
            f"{field} was {shorten(old)} and is {shorten(new)} now" for field, old, new in told[:3]
        )
        number = self.answer.number
        before = "another report" if number is None else f"report {number}, which is different"
        raise KeyConflictError(
            f"the idempotency key {shorten(key)!r} was used for {before}: {first}",
            hint="use a new key for each event, such as the number of the match",
            differences=told,
            number=number,
        )


def _words(content: Event | Adjustment, time: int) -> Mapping[str, Any]:
    return event_words(content) if isinstance(content, Event) else adjustment_words(content, time)


class Keys:
    """What was recorded under keys, as text: a match takes some 300 bytes."""

    def __init__(self, kept: Mapping[str, str] | None = None) -> None:
        self._kept = dict(kept or {})

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, key: str) -> Recorded | None:
        """What was recorded under a key; None if it is free."""
        text = self._kept.get(key)
        return None if text is None else Recorded.of(key, text)

    def add(self, key: str, recorded: Recorded) -> None:
        """Keep what was recorded under a key."""
        self._kept[key] = recorded.text()

    def free(self, key: str) -> None:
        """Forget a key."""
        self._kept.pop(key, None)

    def texts(self) -> dict[str, str]:
        """What was recorded, as text, by key."""
        return dict(self._kept)

    def copy(self) -> Keys:
        """Independent keys of the same."""
        return Keys(self._kept)

    def to_array(self) -> NDArray[np.uint8]:
        """All keys as bytes for a saved file."""
        text = json.dumps(self._kept, ensure_ascii=False, separators=(",", ":"))
        return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)

    @classmethod
    def of_array(cls, array: NDArray[Any]) -> Keys:
        """What `to_array` wrote."""
        if array.dtype != np.uint8 or array.ndim != 1:
            raise StateError(f"the idempotency keys are {array.dtype} of shape {array.shape}")
        try:
            kept = json.loads(array.tobytes().decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError) as error:
            raise StateError(f"the idempotency keys are damaged: {error}") from error
        if not isinstance(kept, dict) or not all(isinstance(text, str) for text in kept.values()):
            raise StateError("the idempotency keys are not texts by key")
        return cls(kept)
