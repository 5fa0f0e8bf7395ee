"""Contests as JSON, in the format of the Elo-MMR program.

A document is one contest: `name`, `time_seconds` (when it ended) and `standings`, a list of entries
`[player, low, high]`. Positions count from 0, and players who tie share the range of positions they occupy:
two winners are `["ann", 0, 1]` and `["bob", 0, 1]`, and the next player is `["cat", 2, 2]`. `weight` and
`perf_ceiling` may be there; other keys are ignored.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import polars as pl

from podium.arrays import SECOND
from podium.errors import InputError
from podium.text import shorten

CONTEST_SCHEMA = pl.Schema(
    {
        "event": pl.String,
        "time": pl.Int64,  # microseconds since 1970 UTC
        "weight": pl.Float64,
        "ceiling": pl.Float64,  # null: the contest measures any performance
        "player": pl.String,
        "rank": pl.Int64,
        "position": pl.UInt64,  # index in the file's list: where to look when a row is refused later
    }
)

LAST_SECOND = 250_000_000_000  # in the year 9892; larger numbers are milliseconds

_NO_CEILING = sys.float_info.max  # how Elo-MMR itself writes "none"


def is_contest(document: object) -> bool:
    """Whether a JSON document looks like a contest of this format (it may still have faults)."""
    return isinstance(document, dict) and "standings" in document


def contest_table(document: object, source: str) -> pl.DataFrame:
    """The contest as a table with the columns of `CONTEST_SCHEMA`, a row for each entry of the standings.

    >>> standings = [["ann", 0, 1], ["bob", 0, 1], ["cat", 2, 2]]
    >>> table = contest_table({"name": "May", "time_seconds": 1, "standings": standings}, "may.json")
    >>> table["rank"].to_list()
    [1, 1, 3]
    """
    if not isinstance(document, dict):
        raise InputError(
            f"a contest is a JSON object, not {json_words(document)}",
            source=source,
            hint='write {"name": ..., "time_seconds": ..., "standings": [[player, low, high], ...]}',
        )
    name = _name(document, source)
    time = _time(document, source, name)
    weight = _weight(document, source, name)
    ceiling = _ceiling(document, source, name)
    players, lows = _standings(document, source, name)
    return pl.DataFrame(
        {"player": players, "rank": lows}, schema={"player": pl.String, "rank": pl.Int64}
    ).select(
        pl.lit(name, pl.String).alias("event"),
        pl.lit(time, pl.Int64).alias("time"),
        pl.lit(weight, pl.Float64).alias("weight"),
        pl.lit(ceiling, pl.Float64).alias("ceiling"),
        "player",
        pl.col("rank") + 1,
        pl.int_range(pl.len(), dtype=pl.UInt64).alias("position"),
    )


# What is said about the contest as a whole --------------------------------------------------------


def _name(document: dict[str, Any], source: str) -> str:
    name = document.get("name")
    if not isinstance(name, str) or not name.strip():
        raise _refused(document, "name", source, None, "give the contest a name, as a string")
    return name


def _time(document: dict[str, Any], source: str, name: str) -> int:
    seconds = document.get("time_seconds")
    if type(seconds) is not int or abs(seconds) > LAST_SECOND:
        hint = "give the end of the contest in whole seconds (not milliseconds) since 1970 UTC"
        raise _refused(document, "time_seconds", source, name, hint)
    return seconds * SECOND


def _weight(document: dict[str, Any], source: str, name: str) -> float:
    weight = document.get("weight", 1.0)
    if type(weight) not in (int, float) or not 0 < weight <= sys.float_info.max:
        hint = "a weight is a positive finite number. The default is 1"
        raise _refused(document, "weight", source, name, hint)
    return float(weight)


def _ceiling(document: dict[str, Any], source: str, name: str) -> float | None:
    ceiling = document.get("perf_ceiling", _NO_CEILING)
    if type(ceiling) not in (int, float) or not -_NO_CEILING <= ceiling <= math.inf:
        hint = (
            "a ceiling is the highest rating the contest can show, as a number. Without it there is no limit"
        )
        raise _refused(document, "perf_ceiling", source, name, hint)
    return None if ceiling >= _NO_CEILING else float(ceiling)


def _refused(document: dict[str, Any], key: str, source: str, event: str | None, hint: str) -> InputError:
    said = json_words(document[key]) if key in document else "missing"
    return InputError(f'"{key}" is {said}', source=source, event=event, hint=hint)


# The standings ------------------------------------------------------------------------------------


def _standings(document: dict[str, Any], source: str, name: str) -> tuple[Sequence[str], Sequence[int]]:
    """The players and the first positions of their tie groups."""
    standings = document.get("standings")
    if not isinstance(standings, list) or not standings:
        hint = "standings are a list of entries [player, low, high], one for each participant"
        raise _refused(document, "standings", source, name, hint)
    # Contests have thousands of entries, nearly always sound ones: check by column, and look for the
    # offending entry only once it is known that there is one.
    try:
        players, lows, highs = zip(*standings, strict=True)
        sound = _is_sound(players, lows, highs)
    except (TypeError, ValueError):  # an entry that is no list, or of another length
        sound = False
    if not sound:
        position, reason, hint = _first_fault(standings)
        raise InputError(f"standings[{position}]: {reason}", source=source, event=name, hint=hint)
    return players, lows


def _is_sound(players: Sequence[Any], lows: Sequence[Any], highs: Sequence[Any]) -> bool:
    """Whether the columns have the right types, and the tie groups fill the positions from 0 exactly."""
    if set(map(type, players)) != {str} or set(map(type, lows)) != {int} or set(map(type, highs)) != {int}:
        return False
    size = Counter(lows)
    low = 0
    while low in size:  # each group has to start where the one before it ends
        low += size[low]
    filled = low == len(lows)
    return filled and all(high - low + 1 == size[low] for low, high in zip(lows, highs, strict=True))


def _first_fault(standings: list[Any]) -> tuple[int, str, str]:
    """The position of the first faulty entry of unsound standings, what is wrong with it, and what to do."""
    for position, entry in enumerate(standings):
        if reason := _entry_fault(entry, len(standings)):
            return position, reason, "an entry is [player, low, high]: a string and two positions, from 0 on"
    position, reason = _group_fault(standings)
    hint = (
        "positions count from 0. If k players tie from position p on, all have low = p and high = p + k - 1"
    )
    return position, reason, hint


def _entry_fault(entry: Any, entries: int) -> str | None:
    """What is wrong with an entry by itself."""
    if not isinstance(entry, list | tuple):
        return f"the entry is {json_words(entry)}, not a list"
    if len(entry) != 3:
        return f"the entry has {len(entry)} parts, not 3"
    player, low, high = entry
    if type(player) is not str:
        return f"the player is {json_words(player)}, not a string"
    for label, value in (("low", low), ("high", high)):
        if type(value) is not int:
            return f"{label} is {json_words(value)}, not a whole number"
    if low < 0:
        return f"low is {low}, below 0"
    if low > high:
        return f"low is {low}, above high, which is {high}"
    if high >= entries:
        return f"high is {high}, but {entries} entries have the positions 0 to {entries - 1}"
    return None


def _group_fault(standings: list[Any]) -> tuple[int, str]:
    """Where entries that are fine by themselves contradict each other, and how."""
    size = Counter(low for _, low, _ in standings)
    leaders: dict[int, int] = {}  # the position of the first entry of each tie group
    for position, (_, low, high) in enumerate(standings):
        leader = leaders.setdefault(low, position)
        if high != standings[leader][2]:
            other = standings[leader][2]
            return position, f"the tie group {low} to {high} is {low} to {other} in standings[{leader}]"
    for low, leader in leaders.items():
        high = standings[leader][2]
        places = high - low + 1
        if size[low] != places:
            return leader, f"the tie group {low} to {high} has {places} places but {size[low]} entries"
    free = 0
    for low in sorted(leaders):
        if low > free:
            return leaders[low], f"the tie groups leave out position {free} before low = {low}"
        if low < free:
            return leaders[low], f"low is {low}, a position that another tie group already covers"
        free += size[low]
    raise AssertionError("called on sound standings")


def json_words(value: object) -> str:
    """A JSON value as text for a message."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    return shorten(json.dumps(value, ensure_ascii=False, default=repr))
