"""The form by which people say how a file is to be read, and a reading in the words of its page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from podium.errors import InputError
from podium.server.jobs.job_rows import JobRow
from podium.tables.columns.shapes import KNOWN, ReadOptions
from podium.text import shorten

MOST_LISTED = 50
"""Rows that are listed on the page, of those left out."""
ROUNDED_FROM = 100
"""Ratings from which on no digits are shown."""
MEANINGS = {
    "player_a": "first player",
    "player_b": "second player",
    "partner_a": "partner of the first",
    "partner_b": "partner of the second",
    "score_a": "points of the first",
    "score_b": "points of the second",
    "result": "result of both",
    "time": "date or time",
    "clock": "time of day",
    "event": "event",
    "display": "rating",
    "sigma": "deviation",
}
"""What columns mean in words, where podium's name of them is no plain word."""


class Setting(NamedTuple):
    """A field of the form: the option of `read_history` that it sets."""

    option: str
    label: str
    choices: tuple[tuple[str, str], ...] = ()
    """The values that can be chosen, each with its words; none: it is written."""
    lines: bool = False
    """Whether it takes several lines."""


SETTINGS = (
    Setting(
        "time_format",
        "Dates",
        (
            ("", "find out"),
            ("%d/%m/%Y", "day/month/year"),
            ("%m/%d/%Y", "month/day/year"),
            ("%d/%m/%y", "day/month/year with two digits"),
            ("%m/%d/%y", "month/day/year with two digits"),
            ("%Y", "years"),
        ),
    ),
    Setting("teams_split", "Text between the players of a team in one cell, such as &, or none"),
    Setting("on_bad_row", "Rows with errors", (("", "refuse the file"), ("skip", "leave them out"))),
    Setting(
        "lower_is_better",
        "Better scores",
        (("", "find out"), ("no", "higher scores"), ("yes", "lower scores")),
    ),
    Setting("decimal", "Decimal sign", (("", "find out"), (",", "comma"), (".", "dot"))),
    Setting("sheets", "Sheets to read, one per line", lines=True),
    Setting("columns", "Columns, one per line, such as player=Name. To leave one out: team=", lines=True),
    Setting("separator", "Text between the cells of a text file"),
    Setting("encoding", "Encoding of a text file, such as latin-1"),
)
_YES = {"yes": True, "no": False}
_OPTION = re.compile(
    r"--(?P<name>[a-z-]+)(?:(?<!is-better)[ =](?P<value>(?:'[^']*'|\"[^\"]*\"|[^\s,;.()'\"])+))?"
    r"(?: \([a-z_]+=[^()]*\))?"
)
_IN_PYTHON = re.compile(r" \(in Python [^()]*\)")
_LABELS = {
    "time-format": "Dates",
    "teams-split": "Text between the players of a team",
    "on-bad-row": "Rows with errors",
    "lower-is-better": "Better scores",
    "higher-is-better": "Better scores",
    "decimal": "Decimal sign",
    "sheet": "Sheets to read",
    "column": "Columns",
    "separator": "Text between the cells",
    "encoding": "Encoding",
}


_DIRECTIONS = {"lower-is-better": "yes", "higher-is-better": "no"}
"""Options without a value, and what the form has for them."""


def options_of_form(form: Mapping[str, str]) -> dict[str, Any]:
    """The options of `read_history` that a form means.

    >>> options_of_form({"time_format": "%d/%m/%Y", "columns": "player = Name\\nteam=", "separator": ""})
    {'time_format': '%d/%m/%Y', 'columns': {'player': 'Name', 'team': None}}
    """
    options: dict[str, Any] = {}
    for setting in SETTINGS:
        text = form.get(setting.option, "").strip()
        if not text:
            continue
        match setting.option:
            case "columns":
                options["columns"] = _columns(text.splitlines())
            case "sheets":
                options["sheets"] = [line.strip() for line in text.splitlines() if line.strip()]
            case "lower_is_better":
                options["lower_is_better"] = _YES.get(text)
            case option:
                options[option] = text
    ReadOptions(**options)  # which refuses what means nothing
    return options


def _columns(lines: Iterable[str]) -> dict[str, str | None]:
    columns: dict[str, str | None] = {}
    for line in filter(str.strip, lines):
        name, sign, theirs = (part.strip() for part in line.partition("="))
        if not sign or name not in KNOWN:
            raise InputError(
                f"{shorten(line)!r} does not set a column",
                hint=f"write player=Name, for one of {', '.join(KNOWN)}",
            )
        columns[name] = theirs or None
    return columns


def form_of_options(options: Mapping[str, Any]) -> dict[str, str]:
    """The fields of the form by which somebody would say these options."""
    filled = {
        setting.option: str(options[setting.option]) for setting in SETTINGS if setting.option in options
    }
    if "lower_is_better" in options:
        filled["lower_is_better"] = "yes" if options["lower_is_better"] else "no"
    if "sheets" in options:
        filled["sheets"] = "\n".join(options["sheets"])
    if "columns" in options:
        filled["columns"] = "\n".join(f"{name}={theirs or ''}" for name, theirs in options["columns"].items())
    return filled


def in_form_words(text: str) -> str:
    """A reason or hint with the settings of the form in place of options of the command line.

    >>> in_form_words("use --on-bad-row skip (on_bad_row='skip')")
    'use the setting “Rows with errors”: leave them out'
    >>> in_form_words("--higher-is-better or --lower-is-better")
    'the setting “Better scores”: higher scores or the setting “Better scores”: lower scores'
    >>> in_form_words("give the format of dates: --time-format '%d/%m/%Y' or --time-format '%m/%d/%Y'")
    'give the format of dates: the setting “Dates”: day/month/year or the setting “Dates”: month/day/year'
    """
    return _OPTION.sub(_setting_words, _IN_PYTHON.sub("", text))


def _setting_words(found: re.Match[str]) -> str:
    label = _LABELS.get(found["name"])
    if label is None:
        return found[0]
    value = _DIRECTIONS.get(found["name"]) or re.sub("['\"]", "", found["value"] or "")
    setting = next(one for one in SETTINGS if one.label.startswith(label))
    words = dict(setting.choices).get(value, value)
    return f"the setting “{label}”{f': {words}' if words else ''}"


def offered_names(job: JobRow) -> list[dict[str, Any]]:
    """The names that may be one player, and those that were confirmed before this look."""
    confirmed: Mapping[str, str] = job.arguments["options"].get("aliases", {})
    proposed = [] if job.result is None else job.result["reading"]["names"]
    fresh = [{**one, "ticked": False} for one in proposed if one["alias"] not in confirmed]
    return fresh + [
        {"alias": alias, "player": player, "why": "you confirmed it", "ticked": True}
        for alias, player in confirmed.items()
    ]


def shown_import(job: JobRow) -> dict[str, Any]:
    """An import as its page shows it: how far it is, how the file is read and what came of it."""
    result = job.result or {}
    reason, _, hint = (job.reason or "").partition("\n")
    displays = [row["display"] for row in result.get("board", [])]
    return {
        "number": job.id,
        "file": job.arguments["name"],
        "is_look": job.arguments.get("dry_run", False),
        "allow_repeat": job.arguments["allow_repeat"],
        "status": job.status,
        "done": job.done,
        "total": job.total,
        "reason": reason,
        "hint": in_form_words(hint.strip().removeprefix("hint: ")),
        "names": offered_names(job),
        "entries": result.get("entries", 0),
        "reading": _shown_reading(result) if "reading" in result else None,
        "board": result.get("board"),
        "system": result.get("system"),
        "players": result.get("players", 0),
        "digits": 0 if any(abs(display) >= ROUNDED_FROM for display in displays) else 2,
    }


def _shown_reading(result: Mapping[str, Any]) -> dict[str, Any]:
    """A reading with columns in words, each warning once, and lists that are not endless."""
    reading = result["reading"]
    files = []
    for file in reading["files"]:
        columns = [
            {"column": one["column"], "meaning": MEANINGS.get(one["meaning"], one["meaning"])}
            for one in file["columns"]
        ]
        notes = [in_form_words(note) for note in file["notes"] if not note.startswith("repaired: ")]
        files.append({**file, "columns": columns, "notes": notes})
    left_out = [row for file in files for row in sorted(file["left_out"], key=_in_order)]
    left_out += reading["skipped"]
    return {
        **reading,
        "files": files,
        "warnings": [in_form_words(warning) for warning in dict.fromkeys(result["warnings"])],
        "left_out": left_out[:MOST_LISTED],
        "left_out_count": len(left_out),
        "repaired": [cell for file in files for cell in file["repaired"]],
    }


def _in_order(row: Mapping[str, str]) -> list[tuple[str, int]]:
    """What puts places such as line 9 and line 10 in order."""
    return [(words, int(number)) for words, number in re.findall(r"(\D*)(\d+)", row["place"])]
