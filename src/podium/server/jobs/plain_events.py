"""Events of a history as rows of the log, straight from its columns: a tenth of the work of single events.

This is for events in which everybody plays alone and all the time, as in nearly all files of results. What is
written is the same, to the last bit, as if each had been reported by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from podium.arrays import NO_TIME, Longs
from podium.history import History
from podium.server.jobs.imported_pieces import EntryRows
from podium.server.log.log_entries import checksum_of_text, checksum_of_values
from podium.server.log.reports import fingerprint_of


class Recording(NamedTuple):
    """What becomes rows of a ladder's log: events, and what else their rows say."""

    history: History
    """With players numbered as in the ladder."""
    names: Sequence[str]
    """What players are called now."""
    times: Longs
    """At which events are rated."""
    keys: list[str]
    ladder: int
    first: int
    """The number of the first event in the log."""
    received: int


def are_mere_matches(history: History) -> bool:
    """Whether each event is a match of two of which nothing is known but the time and the ranks."""
    more = ("event_names", "score", "weight", "home", "unrated", "ceiling")
    return all(getattr(history, name) is None for name in more) and bool((history.sizes == 2).all())


def match_rows(recording: Recording) -> list[tuple[Any, ...]]:
    """What `plain_rows` says of mere matches."""
    history, names, times, keys, ladder, first, received = recording
    used, places = np.unique(history.player, return_inverse=True)
    sides = pl.DataFrame(
        {
            "player": history.player,
            "rank": history.rank,
            "name": pl.Series([names[player] for player in used.tolist()], dtype=pl.String)[places],
        }
    ).with_columns(said=pl.format("{}\x1f{}", "rank", "name"))
    matches = pl.DataFrame(
        {
            **{f"{name}_1": sides[name].gather_every(2) for name in ("player", "rank", "said")},
            **{f"{name}_2": sides[name].gather_every(2, 1) for name in ("player", "rank", "said")},
            "seq": np.arange(first, first + len(history)),
            "key": keys,
            "time": history.time,
            "occurred": _known(history.time),
            "rated_time": _known(times),
        }
    ).with_columns(
        payload=pl.concat_str(
            *(pl.lit('{"players":[['), "player_1", pl.lit("], ["), "player_2", pl.lit("]]")),
            *(pl.lit(',"ranks":['), "rank_1", pl.lit(", "), "rank_2", pl.lit("]}")),
        ),
        said=pl.concat_str(
            *("time", pl.lit(" 1.0 None True\x1d\x1d\x1d\x1d\x1d\x1d")),
            *(pl.min_horizontal("said_1", "said_2"), pl.lit("\x1d"), pl.max_horizontal("said_1", "said_2")),
        ),
    )
    fingerprints = [fingerprint_of(said) for said in matches["said"].to_list()]
    checked = matches.select(
        pl.format(
            f"{ladder} {{}} event True {{}} {{}} {received} {{}} {{}} {{}}",
            "seq",
            pl.col("occurred").cast(pl.String).fill_null("None"),
            pl.col("rated_time").cast(pl.String).fill_null("None"),
            pl.Series(fingerprints, dtype=pl.Binary).bin.encode("hex"),
            "payload",
            "key",
        )
    ).to_series()
    columns = (matches[name].to_list() for name in ("occurred", "rated_time", "payload"))
    checksums = map(checksum_of_text, checked.to_list())
    return list(zip(range(first, first + len(history)), keys, fingerprints, *columns, checksums, strict=True))


def _known(times: Longs) -> pl.Series:
    """Times, and nothing where there is none."""
    return pl.Series(times).replace(NO_TIME, None)


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
