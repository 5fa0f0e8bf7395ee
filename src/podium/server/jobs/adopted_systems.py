"""What a ladder takes over from the first file that is imported into it: above all the system.

The first file with events chooses the preset if the ladder's creator named no system, as `podium rate` does;
imported ratings, which may come before, hold no events. An export
brings everything by which the exported ladder was rated and shown.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, update

from podium.documents.request_documents import LadderSettingsDocument
from podium.errors import InputError
from podium.server.correcting.generations import begin_generation
from podium.server.sent_data import check_sent
from podium.server.storage import tables
from podium.server.storage.engines import engine_number
from podium.server.storage.ladder_rows import (
    SYSTEM_NOTE,
    LadderRow,
    checked_settings,
    ladder_of_number,
    stored_system,
)
from podium.systems import make_system

if TYPE_CHECKING:
    from podium.server.service import Service


def adopt_preset(service: Service, ladder: int, preset: str, note: str) -> bool:
    """Let a ladder without events be rated by a preset, unless a caller named its system; `note` says why.

    False if its adjustments have to be rated by that system first.
    """
    with service.database.writing() as connection:
        row = ladder_of_number(connection, ladder, lock=True)
        if row.events or row.system_note is None:
            return True
        system = make_system(preset)
        if row.head and row.system != system:
            return False
        settings = checked_settings({**row.settings, SYSTEM_NOTE: note}, system)
        _store(connection, row, replace(row, system=system, settings=settings))
        return True


def adopt_settings(service: Service, ladder: int, description: dict[str, Any]) -> None:
    """Let an empty ladder rate as the exported one does, and be called as it was."""
    with service.database.writing() as connection:
        row = ladder_of_number(connection, ladder, lock=True)
        if not row.head:
            _store(connection, row, as_exported(row, description))


def as_exported(row: LadderRow, description: dict[str, Any]) -> LadderRow:
    """An empty ladder that rates as an exported one does, and is called as that was."""
    try:
        system = make_system(description["system"], **description["parameters"])
        system.check_named()
        check_sent(description["settings"], LadderSettingsDocument)
        settings = checked_settings({**row.chosen_settings, **description["settings"]}, system)
        fill_times = bool(description["fill_times"])
        private = row.private or bool(description.get("private"))  # never shown to more people than before
    except (TypeError, KeyError) as error:
        raise InputError(f"the export uses an unknown rating system or setting: {error}") from error
    return replace(row, system=system, settings=settings, fill_times=fill_times, private=private)


def _store(connection: Connection, row: LadderRow, adopted: LadderRow) -> None:
    """Store a ladder without events as it is now; the caller has its lock."""
    if adopted == row:
        return
    generation = row.generation
    if adopted.system != row.system:  # other workers have it in memory with the other system
        engine = engine_number(connection)
        begun = begin_generation(connection, row, engine=engine, changed_from=0, system=adopted.system)
        generation = begun.number
    values = {
        "system": json.dumps(stored_system(adopted.system), allow_nan=False),
        "settings": json.dumps(adopted.settings, allow_nan=False),
        "fill_times": adopted.fill_times,
        "private": adopted.private,
        "generation": generation,
    }
    connection.execute(update(tables.ladder).where(tables.ladder.c.id == row.id).values(values))
