"""Why one event moved one player's rating, from the log and what it changed."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection

from podium.errors import InputError
from podium.history import Event, Names
from podium.history.history import history_of_values
from podium.history.times import Moment
from podium.ladder.event_explanations import EventExplanation, explained_event
from podium.server.http.answers import RatedSketch, named_entry
from podium.server.ladders.served_ladder import trace_of
from podium.server.log.log_reading import changes_of_matches
from podium.server.problems import UnknownEntryError
from podium.text import shorten


def event_explanation(connection: Connection, rated: RatedSketch, meant: int | str) -> EventExplanation:
    """Why an event, as callers name it, moved a player's rating.

    What the experts of `auto` said before it is not kept.
    """
    look, number, system = rated.look._replace(by_label=True), rated.number, rated.ladder.system
    entry = named_entry(connection, look, meant)
    if entry.target is not None or not isinstance(entry.content, Event):
        hint = None if entry.target is None else f"it amends entry {look.amendments.root(entry.number)}"
        raise UnknownEntryError(f"entry {entry.number} is no event", hint=hint)
    corrected = look.in_force(entry)
    counted = corrected.counted
    if counted is None or look.amendments.is_void(entry.number):
        raise InputError("it changed no ratings", event=entry.name)
    rows = changes_of_matches(connection, look.row, [entry.number])
    own = next((one for one in look.accounts(number) if (entry.number, one) in rows), None)
    if own is None:
        was_there = corrected.disqualified.intersection(look.names[one] for one in look.accounts(number))
        said = "was disqualified" if was_there else "did not take part"
        raise InputError(f"{shorten(rated.player)!r} {said}", event=entry.name)
    event = replace(counted, time=Moment(entry.rated_time), name=corrected.name)
    history = history_of_values([event], Names())
    index_of = look.names.index_of
    changes = [rows[entry.number, index_of[history.players[one]]] for one in history.player.tolist()]
    trace = trace_of(system, changes, performance=system.has_performance)
    row = history.player.tolist().index(history.players.index_of[look.names[own]])
    explained = explained_event(system, history, trace, row, rated.player)
    return replace(explained, match=look.shown(explained.match))
