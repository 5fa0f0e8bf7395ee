"""Events and adjustments as plain data: what a ladder stores of them, and reads back with every check.

The words are those of `podium.documents`. Default values are left out. What is read passes the same checks as
what is recorded, so nothing in a file reaches a kernel unchecked.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from podium.arrays import NO_TIME
from podium.errors import InputError
from podium.history import Adjustment, Event
from podium.history.adjustments import make_adjustment
from podium.history.events import check_share
from podium.history.times import Moment, to_iso, to_micros


def json_text(plain: Mapping[str, Any]) -> str:
    """Plain data as JSON in which every number keeps its last bit, and which every file can hold.

    >>> json_text({"name": "Zoë"}), json_text({"name": "\\ud800"})
    ('{"name":"Zoë"}', '{"name":"\\\\ud800"}')
    """
    text = _TEXT.encode(plain)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a pair of surrogates, in a name
        return _ASCII.encode(plain)
    return text


_TEXT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ASCII = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def plain_content(content: Event | Adjustment, time: int) -> dict[str, Any]:
    """An event, or an adjustment and its time, as plain data."""
    if isinstance(content, Event):
        return {"event": plain_event(content)}
    values = {field.name: getattr(content, field.name) for field in fields(content)}
    given = {name: value for name, value in values.items() if value is not None}
    plain: dict[str, Any] = {"adjustment": {"kind": content.kind, **given}}
    if time != NO_TIME:
        plain["time"] = to_iso(time)
    return plain


def content_of(plain: Mapping[str, Any]) -> tuple[Event | Adjustment, int]:
    """The event or adjustment that `plain_content` wrote, and its time."""
    if "event" in plain:
        event = event_of(plain["event"])
        return event, event.time
    values = dict(plain["adjustment"])
    return make_adjustment(values.pop("kind"), values), to_micros(plain.get("time"))


def plain_event(event: Event) -> dict[str, Any]:
    """An event in the words of `podium.documents`, without what has its usual value."""
    plain: dict[str, Any] = {}
    if event.name is not None:
        plain["name"] = event.name
        if not event.named:
            plain["named"] = False
    if event.time != NO_TIME:
        plain["time"] = to_iso(event.time)
    pairs = zip(event.sides, event.ranks, strict=True)
    plain["sides"] = sides = [{"players": side, "rank": rank} for side, rank in pairs]
    for side, score in zip(sides, event.scores or (), strict=False):
        if not math.isnan(score):
            side["score"] = score
    if event.weight != 1.0:
        plain["weight"] = event.weight
    if event.home is not None:
        plain["home"] = event.home
    if event.share is not None:
        plain["share"] = event.share
    if event.ceiling is not None:
        plain["ceiling"] = event.ceiling
    if event.unrated:
        plain["unrated"] = sorted(event.unrated)
    if event.play:
        plain["play"] = dict(event.play)
    return plain


def event_of(plain: Mapping[str, Any]) -> Event:
    """The event that `plain_event` wrote, with every check of `Event.of`."""
    sides: Sequence[Mapping[str, Any]] = plain["sides"]
    time = plain.get("time")
    event = Event.of(
        teams=[side["players"] for side in sides],
        ranks=[side["rank"] for side in sides],
        time=None if time is None else Moment(to_micros(str(time))),
        weight=plain.get("weight", 1.0),
        home=plain.get("home"),
        unrated=plain.get("unrated", ()),
        play=plain.get("play"),
        ceiling=plain.get("ceiling"),
        name=plain.get("name"),
    )
    scores, share = _scores(side.get("score") for side in sides), plain.get("share")
    named = plain.get("named", True) is not False
    if scores is None and share is None and named:
        return event
    if share is not None:  # older versions took one that contradicts the ranks, so it may be any here
        share = check_share(share, event.sides, event.name)
    return replace(event, scores=scores, share=share, named=named)


def _scores(found: Iterable[Any]) -> tuple[float, ...] | None:
    """The scores of the sides, NaN where one has none; None if no side has any."""
    scores = tuple(math.nan if score is None else float(score) for score in found)
    if any(math.isinf(score) for score in scores):
        raise InputError("a score is infinite")
    return None if all(map(math.isnan, scores)) else scores
