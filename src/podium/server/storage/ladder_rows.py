"""A ladder as the database has it: its system, settings and where its log stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, bindparam, false, insert, select, true, update

from podium.arrays import NO_TIME
from podium.documents.page_documents import tier_document
from podium.documents.plain_data import plain_parameters, plain_time
from podium.documents.request_documents import LadderChangeDocument, NewLadderDocument
from podium.documents.service_documents import ServiceLadderDocument
from podium.documents.system_documents import system_document
from podium.errors import ParameterError, PodiumError
from podium.history.times import start_of_activity, to_datetime
from podium.ladder.rating_tables import USUAL
from podium.presets import DEFAULT_PRESET
from podium.server import machine
from podium.server.access.rights import ANYBODY, LOCAL, READ, Access
from podium.server.ladders.board import BoardFilter
from podium.server.problems import ArchivedError, LadderExistsError, UnknownLadderError
from podium.server.sent_data import check_sent
from podium.server.storage import tables
from podium.server.storage.tables import LONGEST_SLUG
from podium.systems import RatingSystem, make_system
from podium.systems.tiers import Tier, preset_tiers, tiers_from
from podium.text import did_you_mean, listed, shorten

MOST_LISTED_RESULTS = 40_000
"""Results of a ladder up to which a page lists the highest ratings ever, in about 0.1 s."""
SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
LONGEST_TITLE, LONGEST_DESCRIPTION = 200, 5_000
SYSTEM_NOTE = "system_note"
"""The setting of a ladder whose creator named no system: why it has the one it has. Others lack it."""
NOT_NAMED = f"No system was given. Without results podium chooses {DEFAULT_PRESET}"
LADDERS_AT_ONCE = 1_000
"""Ladders that one query asks for, where all are wanted."""
_LAST_CHECKSUM = (
    select(tables.event.c.checksum)
    .where(tables.event.c.ladder == tables.ladder.c.id, tables.event.c.seq == tables.ladder.c.head)
    .scalar_subquery()
)
_ROWS = select(tables.ladder, _LAST_CHECKSUM.label("last_checksum"))
_FOUND = _ROWS.where(tables.ladder.c.slug == bindparam("wanted"))
_FOUND_AND_LOCKED = _FOUND.with_for_update()


@dataclass(frozen=True, slots=True)
class LadderRow:
    """A row of the table `ladder`."""

    id: int
    slug: str
    system: RatingSystem
    settings: Mapping[str, Any]
    fill_times: bool
    head: int
    generation: int
    events: int
    players: int
    last_time: int
    created: int
    archived: bool
    pending: int
    """Amendments in the log that the generation does not have yet."""
    private: bool = False
    """Whether it is there only for those who have a scope on it."""
    last_checksum: int | None = None
    """By what the last entry is known, as the database had it: another log may have as many entries."""

    @property
    def system_note(self) -> str | None:
        """Why podium chose the system; None if a caller named it."""
        return self.settings.get(SYSTEM_NOTE)

    @property
    def chosen_settings(self) -> dict[str, Any]:
        """The settings that callers choose."""
        return {name: self.settings[name] for name in _DEFAULTS}

    @property
    def filter(self) -> BoardFilter:
        """Who has a place unless somebody asks for others."""
        return BoardFilter(
            self.settings["min_events"], self.settings["active_since"], self.settings["max_sigma"]
        )

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The tiers that pages show, lowest first."""
        return tiers_from(self.settings["tiers"])

    @property
    def version(self) -> tuple[int, int]:
        """What changes whenever a rating does."""
        return self.generation, self.head

    def check_open(self) -> None:
        """Refuse reports to a ladder that was archived."""
        if self.archived:
            raise ArchivedError(
                f"the ladder {self.slug!r} is archived: it can be read but accepts no reports",
                hint=f'PATCH /api/v1/ladders/{self.slug} with {{"archived": false}} reopens it',
            )

    def document(self) -> ServiceLadderDocument:
        """The ladder as plain data."""
        return {
            **system_document(self.system),
            "system_note": self.system_note,
            "slug": self.slug,
            "title": self.settings["title"],
            "description": self.settings["description"],
            "min_events": self.settings["min_events"],
            "active_since": self.settings["active_since"],
            "max_sigma": self.settings["max_sigma"],
            "tiers": [tier_document(tier) for tier in self.tiers],
            "fill_times": self.fill_times,
            "players": self.players,
            "events": self.events,
            "head": self.head,
            "generation": self.generation,
            "pending": self.pending,
            "last_time": plain_time(to_datetime(self.last_time)),
            "created": plain_time(to_datetime(self.created)) or "",
            "archived": self.archived,
            "private": self.private,
        }


def time_shown(micros: int | None) -> str | None:
    """A time of a row as plain data; None if there is none."""
    return None if micros is None else plain_time(to_datetime(micros))


def _ladder_row(row: Row[Any], system: RatingSystem | None = None) -> LadderRow:
    stored = json.loads(row.system)
    return LadderRow(
        id=row.id,
        slug=row.slug,
        system=make_system(stored["system"], **stored["parameters"]) if system is None else system,
        settings={**_DEFAULTS, **json.loads(row.settings)},
        fill_times=bool(row.fill_times),
        head=row.head,
        generation=row.generation,
        events=row.events,
        players=row.players,
        last_time=NO_TIME if row.last_time is None else row.last_time,
        created=row.created,
        archived=bool(row.archived),
        pending=row.pending,
        private=bool(row.private),
        last_checksum=row.last_checksum,
    )


def find_ladder(
    connection: Connection,
    slug: str,
    *,
    lock: bool = False,
    system: RatingSystem | None = None,
    access: Access | None = None,
) -> LadderRow:
    """The ladder of a name; with `lock`, nobody else appends to it until the transaction ends.

    `system` spares making one that is known from an earlier look. For `access`, who asks, a private ladder
    that they may not see is not there.
    """
    row = None
    if SLUG.fullmatch(slug):  # or it is none, and perhaps such that no database takes it
        row = connection.execute(_FOUND_AND_LOCKED if lock else _FOUND, {"wanted": slug}).one_or_none()
    if row is None or (access is not None and not access.sees(row.id, private=bool(row.private))):
        raise unknown_ladder(connection, slug, access or ANYBODY)
    return _ladder_row(row, system)


def ladder_of_number(connection: Connection, number: int, *, lock: bool = False) -> LadderRow:
    """The ladder that a row of another table means; with `lock`, as `find_ladder` has it."""
    query = _ROWS.where(tables.ladder.c.id == number)
    return _ladder_row(connection.execute(query.with_for_update() if lock else query).one())


def unknown_ladder(connection: Connection, slug: str, access: Access) -> UnknownLadderError:
    """Why a ladder is not there for somebody; it names no ladder that they may not see."""
    query = select(tables.ladder.c.slug).where(visible_to(access)).limit(LADDERS_AT_ONCE)
    known = list(connection.execute(query).scalars())
    return UnknownLadderError(
        f"there is no ladder {shorten(slug)!r}",
        hint=did_you_mean(slug[:LONGEST_SLUG], known) or "POST /api/v1/ladders creates one",
    )


def visible_to(access: Access) -> ColumnElement[bool]:
    """The condition that a ladder is there for somebody."""
    table = tables.ladder
    if not access.scopes:
        return ~table.c.private
    return true() if access.ladder is None else ~table.c.private | (table.c.id == access.ladder)


def _readable_by(access: Access) -> ColumnElement[bool]:
    """The condition that somebody may know a ladder's ratings."""
    table = tables.ladder
    return ~table.c.private | (visible_to(access) if access.may(READ, access.ladder) else false())


def list_ladders(
    connection: Connection,
    *,
    after: str = "",
    limit: int,
    archived: bool = False,
    access: Access,
    only_readable: bool = False,
) -> list[LadderRow]:
    """Ladders by name, from the one behind `after` on; those that `access` may see, or read."""
    chosen = _readable_by(access) if only_readable else visible_to(access)
    query = _ROWS.where(tables.ladder.c.slug > after, chosen)
    if not archived:
        query = query.where(~tables.ladder.c.archived)
    return [_ladder_row(row) for row in connection.execute(query.order_by(tables.ladder.c.slug).limit(limit))]


def every_ladder(connection: Connection) -> Iterator[LadderRow]:
    """All ladders by name, also those that take no reports any more."""
    after = ""
    while rows := list_ladders(connection, after=after, limit=LADDERS_AT_ONCE, archived=True, access=LOCAL):
        yield from rows
        after = rows[-1].slug


def create_ladder(connection: Connection, sent: Any) -> tuple[LadderRow, bool]:
    """A new ladder, and True; or the one that is there, if it rates in the same way, and False.

    Settings that change no rating may have been changed since: they stay as they are.
    """
    check_sent(sent, NewLadderDocument)
    slug = sent["slug"]
    if not SLUG.fullmatch(slug):
        raise ParameterError(
            f"{shorten(slug)!r} is not a valid slug for a ladder",
            hint="use up to 63 lower-case letters, digits and hyphens, such as chess-2026",
        )
    try:
        system = make_system(sent.get("system", DEFAULT_PRESET), **sent.get("parameters", {}))
        system.check_named()
    except TypeError as error:
        raise ParameterError(str(error)) from error
    is_named = "system" in sent or bool(sent.get("parameters"))
    settings = checked_settings({**_DEFAULTS, **_settings_in(sent)}, system)
    settings |= {} if is_named else {SYSTEM_NOTE: NOT_NAMED}
    fill_times = sent.get("fill_times", True)
    table = tables.ladder
    found = connection.execute(_FOUND, {"wanted": slug}).one_or_none()
    if found is not None:
        there = _ladder_row(found)
        if not is_named and there.system_note is not None:
            system = there.system  # which podium has chosen since
        old = {"system": there.system.name, "parameters": there.system, "fill_times": there.fill_times}
        new = {"system": system.name, "parameters": system, "fill_times": fill_times}
        if differing := [name for name in new if old[name] != new[name]]:
            raise LadderExistsError(
                f"the ladder {slug!r} already exists and differs in {listed(differing)}",
                hint="choose another slug, or change the ladder's settings with PATCH",
            )
        return name_system(connection, slug) if is_named else there, False
    values = {
        "slug": slug,
        "system": json.dumps(stored_system(system), allow_nan=False),
        "settings": json.dumps(settings, allow_nan=False),
        "fill_times": fill_times,
        "head": 0,
        "generation": 1,
        "events": 0,
        "players": 0,
        "last_time": None,
        "created": machine.now_micros(),
        "archived": False,
        "private": sent.get("private", False),
    }
    connection.execute(insert(table).values(values))
    row = find_ladder(connection, slug, system=system)
    first = {"ladder": row.id, "number": row.generation, "system": values["system"], "has_adjustments": True}
    first |= {"amended_to": 0, "changed_from": 0, "created": row.created, "own_times": True}
    connection.execute(insert(tables.generation).values(first))
    return row, True


def name_system(connection: Connection, slug: str) -> LadderRow:
    """The ladder, whose system a caller has named: podium chooses no other one for it from now on."""
    row = find_ladder(connection, slug, lock=True)
    if row.system_note is None:
        return row
    settings = row.chosen_settings
    stored = json.dumps(settings, allow_nan=False)
    connection.execute(update(tables.ladder).where(tables.ladder.c.id == row.id).values(settings=stored))
    return replace(row, settings=settings)


def change_ladder(connection: Connection, slug: str, sent: Any) -> LadderRow:
    """The ladder with other settings; none of them changes a rating."""
    check_sent(sent, LadderChangeDocument)
    row = find_ladder(connection, slug, lock=True)
    settings = checked_settings({**row.settings, **_settings_in(sent)}, row.system)
    archived, private = sent.get("archived", row.archived), sent.get("private", row.private)
    connection.execute(
        update(tables.ladder)
        .where(tables.ladder.c.id == row.id)
        .values(settings=json.dumps(settings, allow_nan=False), archived=archived, private=private)
    )
    return replace(row, settings=settings, archived=archived, private=private)


_DEFAULTS: dict[str, Any] = {
    "title": "",
    "description": "",
    "min_events": 1,
    "active_since": USUAL,
    "max_sigma": None,
    "tiers": [],
}


def _settings_in(sent: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in sent.items() if name in _DEFAULTS}


def checked_settings(settings: dict[str, Any], system: RatingSystem) -> dict[str, Any]:
    """Settings that mean something; refused otherwise."""
    for name, longest in (("title", LONGEST_TITLE), ("description", LONGEST_DESCRIPTION)):
        text = settings[name]
        if len(text) > longest or "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
            raise ParameterError(f"{name} must be text of at most {longest:,} characters")
    if isinstance(tiers := settings["tiers"], str):
        settings["tiers"] = [tier_document(tier) for tier in preset_tiers(tiers, system)]
    tiers_from(settings["tiers"])
    checked_filter(
        BoardFilter(settings["min_events"], settings["active_since"], settings["max_sigma"]), system
    )
    return settings


def checked_filter(chosen: BoardFilter, system: RatingSystem) -> BoardFilter:
    """A filter that means something; refused otherwise."""
    if not 0 <= chosen.min_events <= 2**31:
        raise ParameterError(f"min_events must be 0 or more, not {chosen.min_events}")
    if chosen.active_since not in (None, USUAL):
        try:
            start_of_activity(chosen.active_since, 0)
        except (PodiumError, ValueError, OverflowError) as error:
            raise ParameterError(
                "active_since must be usual, a date or a duration such as 90d, "
                f"not {shorten(chosen.active_since)!r}"
            ) from error
    if chosen.max_sigma is not None:
        if not 0 < chosen.max_sigma < 1e9:
            raise ParameterError(f"max_sigma must be above 0, not {chosen.max_sigma}")
        if not system.has_sigma:
            raise ParameterError(f"{system.name} has no sigma to compare with max_sigma")
    return chosen


def stored_system(system: RatingSystem) -> dict[str, Any]:
    """A system as tables keep it."""
    return {"system": system.name, "parameters": plain_parameters(system.parameters())}
