"""What a client sends: events, adjustments, sides and times as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Literal, cast, get_args

from podium.arrays import NO_TIME
from podium.client.service_values import ChangedSettings, LadderSettings
from podium.documents.request_documents import AdjustmentDocument, ReportDocument
from podium.errors import InputError
from podium.history import Adjustment, Event
from podium.history.events import ranks_of_scores
from podium.history.names import player_name
from podium.history.times import Time, to_iso, to_micros
from podium.ladder.late_events import check_late
from podium.ladder.predictions import Side
from podium.text import shorten

Late = Literal["insert", "last"]
"""Those of `podium.ladder.late_events` that a service has. It never refuses, as clocks of programs differ."""


def plain_moment(time: Time | None) -> str | None:
    """A time as ISO text; None if there is none.

    >>> plain_moment(86_400_000), plain_moment("2026-05-01 18:00+02:00"), plain_moment(None)
    ('1972-09-27', '2026-05-01T16:00:00Z', None)
    """
    micros = to_micros(time)
    return None if micros == NO_TIME else to_iso(micros)


def plain_since(time: Time | None) -> str | None:
    """A time, or how long before the last event ("90d"), as the service takes it."""
    return time if time is None or isinstance(time, str) else plain_moment(time)


def plain_event(event: int | str) -> int | str:
    """An event as the service takes it: a number, or text such as "key:game 7" or "name:round 3"."""
    return event if isinstance(event, str) else int(event)


def plain_side(side: Side) -> str | list[str]:
    """A player, or the members of a team."""
    if isinstance(side, (str, int)):
        return player_name(side)
    return [player_name(member) for member in side]


def plain_sides(sides: Iterable[Side]) -> list[str | list[str]]:
    """The sides of a free-for-all; one name is not several."""
    return [] if isinstance(sides, str) else [plain_side(side) for side in sides]


def plain_settings(settings: LadderSettings | ChangedSettings) -> dict[str, Any]:
    """Settings of a ladder, with its times as text."""
    plain = dict(settings)
    if "active_since" in plain:
        plain["active_since"] = plain_since(cast(Time | None, plain["active_since"]))
    return plain


def report_document(
    event: Event,
    *,
    key: str | None = None,
    disqualified: Iterable[str] = (),
    rated: bool = True,
    allow_repeat: bool = False,
    late: Late = "last",
) -> ReportDocument:
    """An event in the words of `Ladder.record`; what is as usual is left out.

    >>> report_document(Event.of(scores={"ann": 3, "bob": 1}, time="2026-05-01"), key="game 7")
    {'scores': {'ann': 3.0, 'bob': 1.0}, 'time': '2026-05-01', 'key': 'game 7'}
    """
    sent = _results(event)
    if event.time != NO_TIME:
        sent["time"] = to_iso(event.time)
    if event.weight != 1.0:
        sent["weight"] = event.weight
    if event.home is not None:
        sent["home"] = event.home
    if event.share is not None:
        sent["share"] = event.share
    if event.unrated:
        sent["unrated"] = sorted(event.unrated)
    if event.play:
        sent["play"] = dict(event.play)
    if event.ceiling is not None:
        sent["ceiling"] = event.ceiling
    if event.name is not None:
        sent["name"] = event.name
    if key is not None:
        sent["key"] = key
    if out := [disqualified] if isinstance(disqualified, str) else list(disqualified):
        sent["disqualified"] = _members(out, event)
    if not rated:
        sent["rated"] = False
    if allow_repeat:
        sent["allow_repeat"] = True
    check_late(late, get_args(Late))
    if late == "insert":
        sent["late"] = True
    return sent


def _results(event: Event) -> ReportDocument:
    """Who took part, and the scores if they say the ranks; otherwise the ranks."""
    lower = False
    scores = None if event.scores is None or any(map(math.isnan, event.scores)) else event.scores
    if scores is not None and ranks_of_scores(scores) != event.ranks:
        lower = ranks_of_scores(scores, lower_is_better=True) == event.ranks
        scores = scores if lower else None
    sent: ReportDocument = {"lower_is_better": True} if lower else {}
    if not event.has_teams and event.share is None:  # a share is the first team's, and names have no order
        players = [side[0] for side in event.sides]
        if scores is None:
            return {"ranks": dict(zip(players, event.ranks, strict=True))}
        return {"scores": dict(zip(players, scores, strict=True)), **sent}
    teams = [list(side) for side in event.sides]
    if scores is None:
        return {"teams": teams, "ranks": list(event.ranks)}
    return {"teams": teams, "scores": list(scores), **sent}


def _members(names: Iterable[str], event: Event) -> list[str]:
    """These players of an event, of whom each takes part in it."""
    taking_part = {member for side in event.sides for member in side}
    checked = sorted({player_name(name) for name in names})
    for name in checked:
        if name not in taking_part:
            raise InputError(f"{shorten(name)!r} is disqualified but is not in this event", event=event.name)
    return checked


def adjustment_document(
    adjustment: Adjustment, *, time: Time | None = None, key: str | None = None
) -> AdjustmentDocument:
    """A rating set or fixed by hand, a new season, a player renamed or merged."""
    values = {field.name: getattr(adjustment, field.name) for field in fields(adjustment)}
    given = {**values, "time": plain_moment(time), "key": key}
    return cast(
        AdjustmentDocument,
        {"adjustment": adjustment.kind, **{n: value for n, value in given.items() if value is not None}},
    )
