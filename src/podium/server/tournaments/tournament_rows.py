"""Tournaments as the tables have them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from podium.documents.request_documents import NewTournamentDocument, TournamentChangeDocument
from podium.documents.tournament_documents import ListedTournamentDocument
from podium.errors import ParameterError
from podium.server import machine
from podium.server.access.rights import Access
from podium.server.log.reports import check_name
from podium.server.problems import TournamentExistsError, UnknownTournamentError
from podium.server.sent_data import check_sent
from podium.server.storage import tables
from podium.server.storage.ladder_rows import SLUG, LadderRow, stored_system, time_shown
from podium.systems import RatingSystem, make_system
from podium.text import shorten
from podium.tournaments.formats import Format
from podium.tournaments.tournament import Tournament

AT_ONCE, AT_END, NEVER = "at-once", "at-end", "never"
REPORTING = (AT_ONCE, AT_END, NEVER)
"""When the results of a tournament go to its ladder."""
_ROWS = select(tables.tournament)


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A row of the table `tournament`."""

    id: int
    ladder: int
    slug: str
    name: str
    format: Format
    seed: int
    system: RatingSystem
    reports: str
    private: bool
    head: int
    reported: int
    problem: str | None
    created: int
    renames: int
    """How often its entrants got other names."""

    def empty(self) -> Tournament:
        """The tournament before anything has happened in it."""
        return Tournament(self.format, name=self.name, system=self.system, seed=self.seed)

    def listed(self) -> ListedTournamentDocument:
        """The tournament as plain data in a list."""
        return {
            "slug": self.slug,
            "name": self.name,
            "format": str(self.format),
            "private": self.private,
            "created": time_shown(self.created) or "",
        }


def _tournament_row(row: Row[Any]) -> TournamentRow:
    settings = json.loads(row.settings)
    system = settings["system"]
    return TournamentRow(
        id=row.id,
        ladder=row.ladder,
        slug=row.slug,
        name=row.name,
        format=Format.parse(settings["format"]),
        seed=settings["seed"],
        system=make_system(system["system"], **system["parameters"]),
        reports=settings["reports"],
        private=bool(row.private),
        head=row.head,
        reported=row.reported,
        problem=row.problem,
        created=row.created,
        renames=settings.get("renames", 0),
    )


def create_tournament(connection: Connection, ladder: LadderRow, sent: Any) -> tuple[TournamentRow, bool]:
    """A new tournament, and True; or the one that is there, if it was created by the same, and False."""
    check_sent(sent, NewTournamentDocument)
    ladder.check_open()
    slug = sent["slug"]
    if not SLUG.fullmatch(slug):
        raise ParameterError(
            f"{shorten(slug)!r} is not a valid slug for a tournament",
            hint="use up to 63 lower-case letters, digits and hyphens, such as cup-2026",
        )
    form, name, seed = Format.parse(sent["format"]), sent.get("name", slug), sent.get("seed", 0)
    check_name(name, "a tournament's name")
    reports = sent.get("reports", AT_ONCE)
    if reports not in REPORTING:
        raise ParameterError(f"reports must be at-once, at-end or never, not {shorten(repr(reports))}")
    if not 0 <= seed < 2**62:
        raise ParameterError(f"seed must be 0 or more, not {seed}")
    if (found := _find(connection, ladder.id, slug)) is not None:
        there = found.format, found.seed, found.reports
        if there != (form, seed, reports):
            raise TournamentExistsError(
                f"the tournament {slug!r} already exists with other settings", hint="choose another slug"
            )
        return found, False
    settings = {
        "format": str(form),
        "seed": seed,
        "reports": reports,
        "system": stored_system(ladder.system),
    }
    values = {
        "ladder": ladder.id,
        "slug": slug,
        "name": name,
        "settings": json.dumps(settings, allow_nan=False),
        "private": sent.get("private", False),
        "head": 0,
        "reported": 0,
        "created": machine.now_micros(),
    }
    connection.execute(insert(tables.tournament).values(values))
    made = _find(connection, ladder.id, slug)
    assert made is not None, "a row that was inserted just now"
    return made, True


def _find(connection: Connection, ladder: int, slug: str, *, lock: bool = False) -> TournamentRow | None:
    if not SLUG.fullmatch(slug):
        return None
    table = tables.tournament
    query = _ROWS.where(table.c.ladder == ladder, table.c.slug == slug)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else _tournament_row(row)


def find_tournament(
    connection: Connection, ladder: LadderRow, slug: str, access: Access, *, lock: bool = False
) -> TournamentRow:
    """The tournament of a name; with `lock`, nobody else adds a step until the transaction ends.

    A private one is not there for somebody without a scope on its ladder.
    """
    row = _find(connection, ladder.id, slug, lock=lock)
    if row is None or not access.sees(ladder.id, private=row.private):
        raise UnknownTournamentError(
            f"there is no tournament {shorten(slug)!r} on the ladder {ladder.slug!r}",
            hint="the ladder's page Tournaments lists them",
        )
    return row


def list_tournaments(
    connection: Connection, ladder: LadderRow, access: Access, *, before: int | None = None, limit: int
) -> list[TournamentRow]:
    """The tournaments of a ladder that somebody may see, the latest first."""
    table = tables.tournament
    query = _ROWS.where(table.c.ladder == ladder.id)
    if not access.sees(ladder.id, private=True):
        query = query.where(~table.c.private)
    if before is not None:
        query = query.where(table.c.id < before)
    return [
        _tournament_row(row) for row in connection.execute(query.order_by(table.c.id.desc()).limit(limit))
    ]


def tournaments_of_ladder(connection: Connection, ladder: LadderRow) -> list[TournamentRow]:
    """All tournaments of a ladder, the first one first."""
    table = tables.tournament
    query = _ROWS.where(table.c.ladder == ladder.id).order_by(table.c.id)
    return [_tournament_row(row) for row in connection.execute(query)]


def has_tournaments(connection: Connection, ladder: LadderRow) -> bool:
    """Whether a ladder has a tournament that everybody may see."""
    table = tables.tournament
    query = select(table.c.id).where(table.c.ladder == ladder.id, ~table.c.private).limit(1)
    return connection.execute(query).first() is not None


def unreported(connection: Connection) -> list[tuple[int, str]]:
    """The tournaments that have steps of which their ladders may not know, with the ladders' names."""
    table, ladder = tables.tournament, tables.ladder
    query = select(table.c.id, ladder.c.slug).join(ladder, ladder.c.id == table.c.ladder)
    return [(row.id, row.slug) for row in connection.execute(query.where(table.c.reported < table.c.head))]


def tournament_of_number(connection: Connection, number: int) -> TournamentRow:
    """The tournament that a row of another table means."""
    return _tournament_row(connection.execute(_ROWS.where(tables.tournament.c.id == number)).one())


def change_tournament(connection: Connection, row: TournamentRow, sent: Any) -> TournamentRow:
    """The tournament, shown to other people than before."""
    check_sent(sent, TournamentChangeDocument)
    private = sent["private"]
    table = tables.tournament
    connection.execute(update(table).where(table.c.id == row.id).values(private=private))
    return replace(row, private=private)


@dataclass(frozen=True, slots=True)
class StepRow:
    """A row of the table `tournament_step`."""

    number: int
    key: str
    fingerprint: bytes
    received: int
    payload: Any


def steps_after(connection: Connection, tournament: int, number: int) -> Iterator[StepRow]:
    """The steps of a tournament behind the one of a number."""
    table = tables.tournament_step
    query = select(table).where(table.c.tournament == tournament, table.c.number > number)
    for row in connection.execute(query.order_by(table.c.number)):
        yield StepRow(row.number, row.key, bytes(row.fingerprint), row.received, json.loads(row.payload))


def when_received(connection: Connection, tournament: int, number: int) -> int | None:
    """When a step was received; None if there is none of this number."""
    table = tables.tournament_step
    query = select(table.c.received).where(table.c.tournament == tournament, table.c.number == number)
    return connection.execute(query).scalar_one_or_none()


def step_of_key(connection: Connection, tournament: int, key: str) -> StepRow | None:
    """The step that was sent with a key; None if there is none."""
    table = tables.tournament_step
    query = select(table).where(table.c.tournament == tournament, table.c.key == key)
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    return StepRow(row.number, row.key, bytes(row.fingerprint), row.received, json.loads(row.payload))


def add_step(connection: Connection, row: TournamentRow, step: StepRow, actor: str) -> None:
    """Write a step behind the last one."""
    values = {
        "tournament": row.id,
        "number": step.number,
        "key": step.key,
        "fingerprint": step.fingerprint,
        "actor": actor,
        "received": step.received,
        "payload": json.dumps(step.payload, ensure_ascii=False, allow_nan=False),
    }
    connection.execute(insert(tables.tournament_step).values(values))
    table = tables.tournament
    connection.execute(update(table).where(table.c.id == row.id).values(head=step.number))


def note_reported(connection: Connection, tournament: int, number: int, problem: str | None) -> None:
    """Write down up to which step the ladder has the results, and why it refused one, if it did."""
    table = tables.tournament
    values = {"reported": number} | ({} if problem is None else {"problem": problem})
    query = update(table).where(table.c.id == tournament, table.c.reported < number)
    connection.execute(query.values(values))
