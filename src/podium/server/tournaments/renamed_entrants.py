"""Players who get another name get it in the steps of their ladder's tournaments, too.

Steps keep names, because entrants need not be players of the ladder yet. A former name is not stored anywhere
else, so it does not stay here either.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, or_, select, update

from podium.server.storage import tables

NAMED = ("player", "first", "second", "members", "matches", "byes", "resting", "apart", "draw")
"""The fields of happenings that have names of entrants."""
MERGED = "merged"
"""The setting that has the numbers of merged accounts whose entrants got another account's name."""
NAMES_LOOKED_FOR = 100
"""Up to this number of names, the database looks for the tournaments that have them."""


def rename_entrants(
    connection: Connection, ladder: int, names: Mapping[str, str], merged: Mapping[str, int] = {}
) -> None:
    """Call players by other names in all tournaments of a ladder; `names` has the new one of each old one.

    Where both names are entrants of one tournament, it stays as it is: two entrants cannot become one. Of
    names that are `merged` into others, the tournament keeps the number of the account.
    """
    table, step = tables.tournament, tables.tournament_step
    query = select(table.c.id).where(table.c.ladder == ladder)
    if len(names) <= NAMES_LOOKED_FOR:
        written = (json.dumps(name, ensure_ascii=False) for name in names)
        mentioned = or_(*(step.c.payload.contains(name, autoescape=True) for name in written))
        query = query.where(table.c.id.in_(select(step.c.tournament).where(mentioned)))
    for number in connection.execute(query).scalars().all():
        _rename_in(connection, number, names, merged)


def separate_entrants(connection: Connection, ladder: int, names: Mapping[int, tuple[str, str]]) -> None:
    """Give entrants their former names back, because a merge is void.

    Args:
        connection: Where the tournaments are.
        ladder: Number of the ladder.
        names: By number of the account that is separate again: the name that its entrants have, and its own.
    """
    table = tables.tournament
    query = select(table.c.id, table.c.settings).where(table.c.ladder == ladder)
    for row in connection.execute(query.where(table.c.settings.contains(f'"{MERGED}"'))).all():
        for account in names.keys() & set(json.loads(row.settings)[MERGED]):
            called, own = names[account]
            _rename_in(connection, row.id, {called: own}, {}, account)


def _rename_in(
    connection: Connection,
    tournament: int,
    names: Mapping[str, str],
    merged: Mapping[str, int],
    separated: int | None = None,
) -> None:
    table, step = tables.tournament, tables.tournament_step
    chosen = table.c.id == tournament
    settings = json.loads(
        connection.execute(select(table.c.settings).where(chosen).with_for_update()).scalar_one()
    )
    query = select(step.c.number, step.c.payload).where(step.c.tournament == tournament)
    payloads = {row.number: json.loads(row.payload) for row in connection.execute(query)}
    there = {name for payload in payloads.values() for name in _names(payload)}
    staying = there - names.keys()
    new: dict[str, str] = {}
    for old, name in names.items():
        if old in there and name not in staying and name not in new.values():
            new[old] = name
    for number, payload in payloads.items() if new else ():
        renamed = _called(payload, new)
        if renamed != payload:
            text = json.dumps(renamed, ensure_ascii=False, allow_nan=False)
            where = (step.c.tournament == tournament, step.c.number == number)
            connection.execute(update(step).where(*where).values(payload=text))
    accounts = {*settings.get(MERGED, ())} - {separated} | {merged[old] for old in new if old in merged}
    settings[MERGED] = sorted(accounts)
    if new:
        settings["renames"] = settings.get("renames", 0) + 1
        connection.execute(update(table).where(chosen).values(settings=json.dumps(settings)))


def _names(payload: Any) -> Iterator[str]:
    """The names of entrants in a step."""
    waiting = [one[key] for one in payload["happenings"] for key in NAMED if key in one]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif value is not None:
            yield value


def _called(payload: Any, new: Mapping[str, str]) -> Any:
    """A step with other names of entrants."""

    def inside(value: Any) -> Any:
        return [inside(one) for one in value] if isinstance(value, list) else new.get(value, value)

    happenings = [
        {key: inside(value) if key in NAMED else value for key, value in one.items()}
        for one in payload["happenings"]
    ]
    return {**payload, "happenings": happenings}
