"""What was read, as one plain document: files, columns, rows left out, cells repaired, names proposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypedDict

from podium.documents.declarations import kind

if TYPE_CHECKING:
    from podium.history import History
    from podium.tables.names.name_proposals import NameProposal


class ReadColumnDocument(TypedDict):
    """One column of a table and its meaning."""

    column: Annotated[str, "the table's name of the column"]
    meaning: Annotated[str, "podium's name of the column, such as `player_a`"]
    guessed: Annotated[bool, "whether podium found it by what people call such columns"]


class LeftOutDocument(TypedDict):
    """One row that is not used."""

    place: Annotated[str, "the line, or the sheet and row"]
    reason: Annotated[str, "why the row is not used"]


class RepairedCellDocument(TypedDict):
    """One cell that a spreadsheet changed."""

    place: Annotated[str, "the line, or the sheet and row"]
    cell: Annotated[str, "the cell as the spreadsheet saved it"]
    result: Annotated[str, "the result that podium reads"]


class ReadFileDocument(TypedDict):
    """One file or sheet, and how podium understood it."""

    source: Annotated[str | None, "name of the file, with its sheet if several are read"]
    shape: Annotated[str | None, "`results`, `matches` or `adjustments`, or null if the file is not a table"]
    columns: Annotated[list[ReadColumnDocument], "the columns that are read"]
    unused: Annotated[list[str], "the other columns"]
    notes: Annotated[list[str], "decisions that follow from the content"]
    warnings: Annotated[list[str], "what may be understood wrongly"]
    left_out: Annotated[list[LeftOutDocument], "rows that are not results, such as titles and byes"]
    repaired: Annotated[list[RepairedCellDocument], "cells that a spreadsheet changed"]


class ProposedNameDocument(TypedDict):
    """One name that may mean another player of the file."""

    alias: Annotated[str, "the name"]
    player: Annotated[str, "the player whom it may mean"]
    why: Annotated[str, "the reason"]


@kind("reading")
class ReadingDocument(TypedDict):
    """What podium read, before anything counts.

    `podium names --json`, and the result of an [import](service-jobs.md).
    """

    files: Annotated[list[ReadFileDocument], "the files and sheets"]
    events: Annotated[int, "number of events or matches that are used"]
    players: Annotated[int, "number of players"]
    skipped: Annotated[list[LeftOutDocument], "rows with errors, left out by `on_bad_row=skip`"]
    names: Annotated[list[ProposedNameDocument], "names that may be one player"]


def reading_document(history: History, proposals: Sequence[NameProposal] = ()) -> ReadingDocument:
    """What was understood of the files of a history, and which names may be one player."""
    files: dict[str | None, ReadFileDocument] = {}
    for reading in history.readings:
        empty: ReadFileDocument = {
            "source": reading.source,
            "shape": None,
            "columns": [],
            "unused": [],
            "notes": [],
            "warnings": [],
            "left_out": [],
            "repaired": [],
        }
        file = files.setdefault(reading.source, empty)
        file["shape"] = reading.shape or file["shape"]
        file["columns"] += [
            {"column": theirs, "meaning": name, "guessed": name in reading.guessed}
            for name, theirs in reading.columns.items()
        ]
        file["unused"] += reading.unused
        file["notes"] += reading.guesses
        file["warnings"] += reading.warnings
        file["left_out"] += [{"place": place, "reason": reason} for place, reason in reading.left_out]
        file["repaired"] += [
            {"place": place, "cell": cell, "result": result} for place, cell, result in reading.repaired
        ]
    return {
        "files": list(files.values()),
        "events": len(history),
        "players": len(history.players),
        "skipped": [{"place": one.where, "reason": one.reason} for one in history.skipped],
        "names": [{"alias": one.alias, "player": one.player, "why": one.why} for one in proposals],
    }
