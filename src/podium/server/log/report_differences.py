"""In which words a report differs from what is logged under its key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from podium.documents.plain_data import plain_time
from podium.documents.service_documents import ReportDifferenceDocument
from podium.history import Adjustment, Event
from podium.history.differences import differences, event_words
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
    old, new = event_words(there), event_words(here)
    pairs: dict[str, tuple[Any, Any]] = {
        "late": (entry.place is not None, report.late),
        "sides": (old["sides"], new["sides"]),
        "time": (shown_time(entry.occurred), shown_time(report.time)),
        "disqualified": (sorted(entry.disqualified), sorted(report.disqualified)),
    }
    pairs = {name: (old[name], new[name]) for name in old} | pairs
    pairs["rated"] = entry.rated, report.counted is not None
    told = _told(pairs | _grounds(entry, report))
    # The log shows the names of now; what was said may have been the same with names of then.
    return told or [
        {"field": "sides", "recorded": "the same players under other names", "reported": new["sides"]}
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


def _told(pairs: Mapping[str, tuple[Any, Any]]) -> list[ReportDifferenceDocument]:
    there, here = ({name: pair[side] for name, pair in pairs.items()} for side in (0, 1))
    return [{"field": name, "recorded": old, "reported": new} for name, old, new in differences(there, here)]


@lru_cache(maxsize=256)  # those of one transaction often have the same
def shown_time(micros: int) -> str | None:
    """A time as plain data."""
    return plain_time(to_datetime(micros))
