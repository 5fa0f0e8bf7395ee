"""A pool in the file of its ladder's log: what was answered is there after a crash, and is rated once.

The file holds the pool as it was after a tick, and the calls since then. Opening it makes these calls again.
A tick is not made again, as ratings have changed since: after a tick that changes more than the clock, the
whole pool is written. A result is a call in the transaction of its event.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.errors import InputError, PodiumError, StateError
from podium.history.times import to_datetime, to_micros
from podium.ladder.ladder import Ladder
from podium.ladder.log_store import LogWriter, Statement
from podium.matchmaking.pool.files import write_pool
from podium.matchmaking.pool.proposals import Match, Proposals, Tick
from podium.text import shorten

if TYPE_CHECKING:
    from podium.matchmaking.pool.pool import Pool

_TABLES = (
    "CREATE TABLE IF NOT EXISTS pool (name TEXT PRIMARY KEY, content BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS pool_call (pool TEXT NOT NULL, number INTEGER NOT NULL, call TEXT NOT NULL, "
    "PRIMARY KEY (pool, number))",
)
"""`content` is the pool as `Matchmaker.save` writes it, `call` a name with arguments as JSON."""
MOST_CALLS = 10_000
"""Calls that are made again in a second or so; the next tick then writes the whole pool."""
CALLS = frozenset(
    {"join", "join_many", "backfill", "leave", "block", "unblock", "forget", "start", "accept", "decline"}
    | {"pardon", "cancel", "leave_match", "finish"}
)
"""Calls that are made again as they are."""


class PoolLog:
    """Where a pool's calls are kept."""

    def __init__(self, pool: Pool, ladder: Ladder, name: str) -> None:
        self._pool, self._ladder, self.name = pool, ladder, name
        self._writer: LogWriter = ladder._opened().writer
        self._calls = 0
        self._seen = pool.source.seen

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()  # a copy of an open pool is kept nowhere

    def note(self, name: str, args: Iterable[Any], words: Mapping[str, Any], answer: object) -> None:
        """Write a call that has changed the pool; if that fails, the change is taken back."""
        is_tick = isinstance(answer, Tick)
        if self._pool.source.seen is not self._seen or (is_tick and self._is_whole(answer)):
            self.save()
            return
        if name == "result":  # written with its event
            return
        given = {"time": words.get("time", next(iter(args), None))} if is_tick else words
        self._execute([self.statement(name, () if is_tick else args, given)])
        self.wrote()

    def _is_whole(self, tick: Any) -> bool:
        """Whether a tick has changed more than the clock, or it is time to write the whole pool."""
        changed = len(tick.matches) or tick.expired or tick.ended or tick.merged or tick.lapsed
        return bool(changed) or self._calls >= MOST_CALLS

    def statement(self, name: str, args: Iterable[Any], words: Mapping[str, Any]) -> Statement:
        """What writes a call, which counts once `wrote` is told."""
        given: dict[str, Any] = {"call": name, "args": [_plain(one) for one in args]}
        given["words"] = {word: _plain(one) for word, one in words.items() if one is not None}
        text = json.dumps(given, allow_nan=False, separators=(",", ":"))
        return "INSERT INTO pool_call VALUES (?, ?, ?)", (self.name, self._calls, text)

    def wrote(self) -> None:
        """One call more is in the file."""
        self._calls += 1

    def save(self) -> None:
        """Write the whole pool, in place of its calls."""
        content = BytesIO()
        write_pool(content, self._pool)
        self._execute(
            [
                ("INSERT OR REPLACE INTO pool VALUES (?, ?)", (self.name, content.getvalue())),
                ("DELETE FROM pool_call WHERE pool = ?", (self.name,)),
            ]
        )
        self._calls, self._seen = 0, self._pool.source.seen

    def _execute(self, statements: list[Statement]) -> None:
        with self._ladder._lock:
            self._writer.execute(statements)


def saved_in(ladder: Ladder, name: str) -> tuple[bytes | None, list[str]]:
    """A pool in the file of a ladder's log, if there is one, and its calls since."""
    with ladder._lock:
        writer = ladder._opened().writer
        writer.execute([(table, ()) for table in _TABLES])
        found = writer.rows("SELECT content FROM pool WHERE name = ?", name)
        calls = writer.rows("SELECT call FROM pool_call WHERE pool = ? ORDER BY number", name)
    return (bytes(found[0][0]) if found else None), [text for (text,) in calls]


def call_again(pool: Pool, calls: Iterable[str], methods: Callable[[str], Any], where: str) -> None:
    """Make these calls of a pool again; it must let newcomers join, as the ladder may have gone on since."""
    for number, text in enumerate(calls):
        try:
            _call_again(pool, json.loads(text), methods)
        except (PodiumError, ValueError, TypeError, KeyError, AttributeError) as error:
            reason = getattr(error, "reason", str(error))
            raise StateError(f"{where}: call {number} of the pool: {reason}") from error


def _call_again(pool: Pool, given: Mapping[str, Any], methods: Callable[[str], Any]) -> None:
    args = [_value(pool, one) for one in given["args"]]
    words = {word: _value(pool, one) for word, one in given["words"].items()}
    name = given["call"]
    if name == "tick":
        pool.tell_time_alone(words.get("time"))
    elif name not in CALLS:
        raise InputError(f"{shorten(repr(name))} is not a call of a pool")
    else:
        methods(name)(*args, **words)


def _plain(value: Any) -> Any:
    """An argument as JSON has it; what JSON does not have is an object with one key."""
    if isinstance(value, Match):
        return {"match": value.number}
    if isinstance(value, Tick):
        value = value.matches
    if isinstance(value, Proposals):
        return {"proposals": [value.start, value.start + len(value)]}
    if isinstance(value, datetime):
        return {"datetime": to_micros(value)}
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {"mapping": [[_plain(key), _plain(one)] for key, one in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [_plain(one) for one in value]}
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Iterable):
        return [_plain(one) for one in value]
    raise InputError(f"{shorten(repr(value))} cannot be kept in a file")


def _value(pool: Pool, plain: Any) -> Any:
    """The argument that `_plain` wrote."""
    if isinstance(plain, list):
        return [_value(pool, one) for one in plain]
    if not isinstance(plain, dict):
        return plain
    ((kind, given),) = plain.items()
    if kind == "match":
        return _match(pool, given)
    if kind == "proposals":
        live = {int(number) for number in pool.live_matches()}
        known = [_match(pool, number) for number in range(*given) if number in live]
        return [match for match in known if match.started is None and pool.is_proposed(match.number)]
    if kind == "datetime":
        return to_datetime(given)
    if kind == "mapping":
        return {_value(pool, key): _value(pool, one) for key, one in given}
    return tuple(_value(pool, one) for one in given)


def _match(pool: Pool, number: int) -> Match:
    found = pool.matches.find(number)
    if found is None:
        raise InputError(f"match {number} is not in the pool")
    return pool.shown(found)
