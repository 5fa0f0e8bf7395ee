"""Events of a history as rows of the log, straight from its columns: a tenth of the work of single events.

This is for events in which everybody plays alone and all the time, as in nearly all files of results. What is
written is the same, to the last bit, as if each had been reported by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from podium.arrays import NO_TIME
from podium.history import History
from podium.server.jobs.imported_pieces import EntryRows
from podium.server.jobs.logged_matches import Recording, are_mere_matches, match_rows
from podium.server.log.log_entries import checksum_of_values
from podium.server.log.reports import fingerprint_of

COLUMNS = ("seq", "key", "fingerprint", "occurred", "rated_time", "payload", "checksum")
"""In which plain events of one import differ."""
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def is_plain(history: History) -> bool:
    """Whether the events of a history can go by column."""
    return (
        history.side is None
        and history.play is None
        and (history.share is None or bool(np.isnan(history.share).all()))
    )


def plain_rows(recording: Recording, *, actor: str | None, allow_repeat: bool) -> EntryRows:
    """The rows of the log that events become."""
    history, names, times, keys, ladder, first, received = recording
    same = {"kind": "event", "rated": True, "received": received, "actor": actor}
    if are_mere_matches(history):
        return EntryRows(COLUMNS, match_rows(recording), same)
    found: list[tuple[Any, ...]] = []
    events = zip(
        _lists(history.player, history),
        _lists(history.rank, history),
        history.time.tolist(),
        times.tolist(),
        keys,
        _extras(history, allow_repeat=allow_repeat),
        strict=True,
    )
    for seq, (players, ranks, time, rated_time, key, extra) in enumerate(events, start=first):
        sides = [f"{rank}\x1f{names[player]}" for player, rank in zip(players, ranks, strict=True)]
        sole = str(players).replace(", ", "], [")  # each alone on a side
        payload = f'{{"players":[{sole}],"ranks":{ranks}'
        if extra is None:
            fingerprint = fingerprint_of(f"{time} 1.0 None True\x1d\x1d\x1d\x1d\x1d\x1d" + _joined(sides))
            payload += "}"
        else:
            fingerprint = fingerprint_of(_said(time, sides, extra, names))
            payload += f",{_ENCODE(extra)[1:]}"
        occurred = None if time == NO_TIME else time
        rated_at = None if rated_time == NO_TIME else rated_time
        checksum = checksum_of_values(
            ladder, seq, key, fingerprint, "event", True, occurred, rated_at, received, payload
        )
        found.append((seq, key, fingerprint, occurred, rated_at, payload, checksum))
    return EntryRows(COLUMNS, found, same)


def _joined(sides: list[str]) -> str:
    sides.sort()
    return "\x1d".join(sides)


def _lists(column: Any, history: History) -> Iterator[list[Any]]:
    """The values of a column of rows, event by event."""
    values, ends = column.tolist(), history.offsets.tolist()
    return (values[begin:end] for begin, end in pairwise(ends))


def _extras(history: History, *, allow_repeat: bool) -> Iterator[dict[str, Any] | None]:
    """What the log says of each event beside players and ranks, in the order of `payload_of`."""
    nothing = [None] * len(history)
    names = history.event_names
    is_own = nothing if history.named is None else history.named.tolist()
    scores = nothing if history.score is None else _lists(history.score, history)
    weights = nothing if history.weight is None else history.weight.tolist()
    homes = nothing if history.home is None else history.home.tolist()
    guests = nothing if history.unrated is None else _guests(history)
    ceilings = nothing if history.ceiling is None else history.ceiling.tolist()
    columns = (nothing if names is None else names, is_own, scores, weights, homes, guests, ceilings)
    if all(column is nothing for column in columns):
        yield from nothing
        return
    for name, own, score, weight, home, unrated, ceiling in zip(*columns, strict=True):
        extra: dict[str, Any] = {}
        if name is not None:
            extra["name"] = name
        if score is not None and any(one == one for one in score):
            extra["scores"] = [one if one == one else None for one in score]
        if weight is not None and weight != 1.0:
            extra["weight"] = weight
        if home is not None and home >= 0:
            extra["home"] = home
        if unrated:
            extra["unrated"] = unrated
        if ceiling is not None and ceiling != np.inf:
            extra["ceiling"] = ceiling
        if name is not None and (allow_repeat or not own):
            extra["allow_repeat"] = True  # a tournament's name is that of many matches
        yield extra or None


def _guests(history: History) -> Iterator[list[int]]:
    """The players of each event who play for nothing, in order."""
    assert history.unrated is not None
    for begin, end in pairwise(history.offsets.tolist()):
        yield np.sort(history.player[begin:end][history.unrated[begin:end]]).tolist()


def _said(time: int, sides: list[str], extra: dict[str, Any], names: Sequence[str]) -> str:
    """What a caller would have said of an event, in the normal form of fingerprints."""
    if (scores := extra.get("scores")) is not None:
        given = (float("nan") if score is None else score for score in scores)
        sides = [f"{side}\x1e{score!r}" for side, score in zip(sides, given, strict=True)]
    home = extra.get("home")
    parts = [
        f"{time} {extra.get('weight', 1.0)!r} {extra.get('ceiling')!r} True",
        extra.get("name", ""),
        "" if home is None else names[home],
        "\x1f".join(sorted(names[player] for player in extra.get("unrated", ()))),
        "",
        "",
    ]
    return "\x1d".join([*parts, _joined(sides)])
