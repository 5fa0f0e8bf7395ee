"""In which words a report differs from what is logged under its key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from podium.documents.plain_data import plain_time
from podium.documents.service_documents import ReportDifferenceDocument
from podium.history import Adjustment, Event
from podium.history.times import to_datetime
from podium.server.log.grounds import Grounds
from podium.server.log.log_entries import Content, LogEntry, Renamed
from podium.server.log.reports import Report, Void, plain_adjustment


def report_differences(entry: LogEntry, report: Report) -> list[ReportDifferenceDocument]:
    """In which words a report differs from what is logged under its key."""
    there, here = entry.content, report.content
    if isinstance(there, Adjustment) and isinstance(here, Adjustment) and there.kind == here.kind:
        return _differences_of_adjustments(entry, report)
    kinds = _described(there, entry.target), _described(here, report.target)
    if not isinstance(there, Event) or not isinstance(here, Event) or kinds[0] != kinds[1]:
        field = "adjustment" if isinstance(there, Adjustment) or isinstance(here, Adjustment) else "entry"
        return _told({field: kinds, **_grounds(entry, report)}) or [
            {"field": "disqualify", "recorded": "other players", "reported": "these players"}
        ]
    pairs: dict[str, tuple[Any, Any]] = {
        "late": (entry.place is not None, report.late),
        "sides": (_sides(there), _sides(here)),
        "time": (shown_time(entry.occurred), shown_time(report.time)),
        "disqualified": (sorted(entry.disqualified), sorted(report.disqualified)),
        "share": (_share(there), _share(here)),
    }
    for name in ("name", "weight", "home", "ceiling"):
        pairs[name] = getattr(there, name), getattr(here, name)
    pairs["unrated"] = sorted(there.unrated), sorted(here.unrated)
    pairs["play"] = sorted(there.play), sorted(here.play)
    pairs["rated"] = entry.rated, report.counted is not None
    told = _told(pairs | _grounds(entry, report))
    # The log shows the names of now; what was said may have been the same with names of then.
    return told or [
        {"field": "sides", "recorded": "the same players under other names", "reported": _sides(here)}
    ]


def _grounds(entry: LogEntry, report: Report) -> dict[str, tuple[Any, Any]]:
    """Why both amend the log."""
    both = zip(entry.grounds, report.grounds, strict=True)
    return dict(zip(Grounds._fields, both, strict=True))


def _described(content: Content, target: int | str | None) -> str:
    """What an entry or a report is, in a few words."""
    if isinstance(content, Adjustment):
        return content.describe()
    if isinstance(content, Event):
        return "an event" if target is None else f"a correction of {target}"
    return f"a void of {target}" if isinstance(content, Void) else f"a disqualification in {target}"


def _differences_of_adjustments(entry: LogEntry, report: Report) -> list[ReportDifferenceDocument]:
    there, here = entry.content, report.content
    assert isinstance(there, Adjustment)
    assert isinstance(here, Adjustment)
    times = shown_time(entry.occurred), shown_time(report.time)
    if isinstance(there, Renamed):  # of whom the log knows the number, and names are those of now
        renamed = plain_adjustment(here)
        told = _told({"into": (there.player, renamed["into"]), "time": times})
        return told or _told({"player": ("another player", renamed["player"])})
    old, new = plain_adjustment(there), plain_adjustment(here)
    return _told({name: (old.get(name), new.get(name)) for name in old | new} | {"time": times})


def _told(pairs: Mapping[str, tuple[Any, ...]]) -> list[ReportDifferenceDocument]:
    return [
        {"field": name, "recorded": str(old), "reported": str(new)}
        for name, (old, new) in pairs.items()
        if old != new
    ]


def _sides(event: Event) -> str:
    """Who took part and how it ended, in words that do not depend on the order of rows."""
    scores = event.scores or [None] * len(event.sides)
    sides = sorted(
        (rank, ", ".join(sorted(side)), score)
        for side, rank, score in zip(event.sides, event.ranks, scores, strict=True)
    )
    return "; ".join(
        f"{rank}. {side}" + ("" if score is None else f" ({score!r})") for rank, side, score in sides
    )


def _share(event: Event) -> str | None:
    """How the sides divided the point, in words that do not depend on the order of rows."""
    if event.share is None:
        return None
    return "; ".join(
        sorted(f"{', '.join(sorted(side))} {event.share_of(n):.15g}" for n, side in enumerate(event.sides))
    )


@lru_cache(maxsize=256)  # those of one transaction often have the same
def shown_time(micros: int) -> str | None:
    """A time as plain data."""
    return plain_time(to_datetime(micros))
