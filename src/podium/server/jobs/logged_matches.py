"""Matches of two as rows of the log, with all their texts put together by column: a third of the work of a
loop over events.

This is for matches of which a file tells no more than who won and when. The texts are those of
`plain_events`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from podium.arrays import NO_TIME, Longs
from podium.history import History
from podium.server.log.log_entries import checksum_of_text
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
