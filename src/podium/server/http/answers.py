"""What the service says of a ladder: documents made of what is in memory and what the tables hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import NamedTuple, TypeVar

import numpy as np
from sqlalchemy import Connection

from podium.arrays import NO_TIME
from podium.documents.explanation_documents import ExplainedDocument, explained_document
from podium.documents.plain_data import plain_time
from podium.documents.prediction_documents import outcomes_document
from podium.documents.rating_documents import PlacedRatingDocument, rating_document
from podium.documents.service_documents import (
    BoardDocument,
    HeadToHeadDocument,
    LogDocument,
    LoggedEventDocument,
    MeetingDocument,
    PlayedEventDocument,
    PlayedEventsDocument,
    PlayerRatingDocument,
)
from podium.documents.system_documents import system_document
from podium.errors import InputError, ParameterError
from podium.history import Adjustment, Event, Names
from podium.history.history import history_of_values
from podium.history.times import Moment, to_datetime
from podium.ladder.event_explanations import EventExplanation, explained_event
from podium.ladder.explanations import Remembered, explain_performances
from podium.ladder.rating_tables import wanted_words
from podium.ladder.sides_before import played_matches
from podium.server.correcting.generations import find_generation, is_readable
from podium.server.http.cursors import check_cursor, generation_of, read_cursor, written_cursor
from podium.server.ladders.board import Board, BoardFilter, Standings
from podium.server.ladders.followed_ladder import FollowedLadder, Look
from podium.server.ladders.numbered_ladder import NumberedLadder, trace_of
from podium.server.ladders.past_ladders import PastLook
from podium.server.log.bookmarks import last_bookmark
from podium.server.log.event_names import EventNames
from podium.server.log.log_entries import LogEntry
from podium.server.log.log_reading import (
    AboutToRead,
    Meeting,
    PlayerEvent,
    bookmark_of,
    changes_of_entries,
    changes_of_matches,
    entries_between,
    entry_document,
    events_of_player,
    find_entry,
    logged_document,
    meetings,
    pairs_met,
    scores_between,
)
from podium.server.problems import UnknownEntryError
from podium.systems.contract.explained_ratings import Contribution, PlayedMatch
from podium.systems.contract.ratings import Outcomes
from podium.text import shorten

OfEntry = TypeVar("OfEntry", PlayerEvent, Meeting)
MOST_EXPLAINED = 200
"""Events of a player that an explanation tells one by one; older ones are one line."""


def player_rating(live: FollowedLadder | PastLook, player: str, at: int = NO_TIME) -> PlayerRatingDocument:
    """A player's rating at a time, and place."""
    rating = live.ladder.rating(player, at=Moment(at))
    number, chosen = live.ladder.number_of(rating.player), live.row.filter
    if live.at == at:
        standings = live.standings(chosen)
        place, ranked = standings.place_of(number), len(standings)
    else:  # ratings age differently, so the order may be another one
        place, ranked = Board(live.ladder, at).place_and_ranked(number, chosen)
    return {
        **rating_document(rating),
        "at": plain_time(to_datetime(at)),
        "place": place,
        "ranked": ranked,
        "generation": live.row.generation,
        "head": live.head,
    }


# ---------------------------------------------------------------------- leaderboards


def board_page(
    live: FollowedLadder | PastLook,
    chosen: BoardFilter,
    *,
    limit: int,
    cursor: str | None,
    around: str | None,
) -> BoardDocument:
    """A page of the leaderboard: from the top, from where a cursor points, or around a player."""
    standings = live.standings(chosen)
    if around is not None:
        start = _start_around(live, standings, chosen, limit, around)
    else:
        start = _start(live, standings, limit, cursor)
    stop = min(start + limit, len(standings))
    return {
        **system_document(live.ladder.system),
        "at": plain_time(to_datetime(live.at)),
        "generation": live.row.generation,
        "head": live.head,
        "players": len(live.ladder),
        "ranked": len(standings),
        "ratings": _placed_ratings(live, standings, start, stop),
        "next": _board_cursor(live, standings, stop - 1, "after") if start < stop < len(standings) else None,
        "previous": _board_cursor(live, standings, start, "before") if 0 < start < stop else None,
    }


def _start_around(
    live: FollowedLadder | PastLook, standings: Standings, chosen: BoardFilter, limit: int, player: str
) -> int:
    """Where the page begins on which a player stands; a player without a place is refused."""
    number = live.ladder._known(player)
    position = standings.find(number)
    if position is None:
        chosen = Board(live.ladder, live.at).settled(chosen)
        needs = wanted_words(**asdict(chosen)) if live.ladder.state["events"][number] else wanted_words()
        raise ParameterError(
            f"{shorten(player)!r} has no place on this leaderboard, which requires {needs}",
            hint="everybody=true gives all players a place",
        )
    return max(0, min(position - limit // 2, len(standings) - limit))


def _start(live: FollowedLadder | PastLook, standings: Standings, limit: int, cursor: str | None) -> int:
    if cursor is None:
        return 0
    _, (side, display, number) = read_cursor(cursor, live.row, str, float, int)
    if not 0 <= number < live.ladder.state.size:
        return 0
    if side == "after":
        return standings.after(display, number)
    return max(0, standings.position(display, number) - limit)


def _board_cursor(live: FollowedLadder | PastLook, standings: Standings, position: int, side: str) -> str:
    player = int(standings.players[position])
    return written_cursor(live.row, last_bookmark(live.row), side, standings.display(player), player)


def _placed_ratings(
    live: FollowedLadder | PastLook, standings: Standings, start: int, stop: int
) -> list[PlacedRatingDocument]:
    players = standings.players[start:stop].astype(np.int64)
    if not len(players):
        return []
    ladder, state = live.ladder, live.ladder.state
    mu, sigma = ladder.system.view(state, players, live.at)
    displays = ladder.system.display(mu, sigma).tolist()
    sigmas = [None] * len(players) if sigma is None else sigma.tolist()
    places = [standings.place(start)]
    for position in range(1, len(displays)):
        same = displays[position] == displays[position - 1]
        places.append(places[-1] if same else start + position + 1)
    rows = zip(
        players.tolist(),
        mu.tolist(),
        sigmas,
        displays,
        state["events"][players].tolist(),
        state["last_time"][players].tolist(),
        places,
        strict=True,
    )
    return [
        {
            "place": place,
            "player": ladder.players[player],
            "mu": mu_,
            "sigma": sigma_,
            "display": display,
            "events": events,
            "last_time": plain_time(to_datetime(last)),
        }
        for player, mu_, sigma_, display, events, last, place in rows
    ]


# ---------------------------------------------------------------------- the log


def look_of_cursor(connection: Connection, look: Look, cursor: str | None) -> Look:
    """A look at the generation that a cursor belongs to, if its ratings are still there; else as it was.

    Refused if the cursor is of another log.
    """
    check_cursor(connection, cursor, look.row)
    wanted = generation_of(cursor)
    if wanted is None or wanted >= look.row.generation:
        return look
    found = find_generation(connection, look.row.id, wanted)
    if found is None or not is_readable(found):
        return look
    row = replace(look.row, generation=wanted)
    return look._replace(row=row, amendments=look.amendments.up_to(found.amended_to))


def log_page(
    connection: Connection, look: Look, *, limit: int, cursor: str | None, newest_first: bool
) -> LogDocument:
    """Entries of the log, with a cursor for the next ones."""
    head = look.row.head
    edge = None if cursor is None else read_cursor(cursor, look.row)[0].number
    if newest_first:
        last = head if edge is None else edge - 1
        first = max(1, last - limit + 1)
        more = first > 1
    else:
        first = 1 if edge is None else edge + 1
        last = min(head, first + limit - 1)
        more = last < head
    entries = entries_between(connection, look.row, look, first, last)
    return {
        "generation": look.row.generation,
        "head": head,
        "entries": [entry_document(entry) for entry in (reversed(entries) if newest_first else entries)],
        "next": written_cursor(look.row, bookmark_of(entries[0 if newest_first else -1])) if more else None,
    }


def named_entry(connection: Connection, look: Look, meant: int | str) -> LogEntry:
    """The entry of the log that a caller means: see `event_names`."""
    number = EventNames(connection, look.row.id, look.amendments, look).number(meant)
    return find_entry(connection, look.row, look, number)


def logged_event(connection: Connection, look: Look, meant: int | str) -> LoggedEventDocument:
    """One entry of the log with what it changed."""
    entry = named_entry(connection, look, meant)
    changes = changes_of_entries(connection, look.row, entry.number, entry.number)
    return logged_document(entry, changes, look)


# ---------------------------------------------------------------------- one player, and two


def player_history(
    connection: Connection, look: Look, *, limit: int, cursor: str | None
) -> PlayedEventsDocument:
    """The events of the player whom a look is at, latest first."""
    number = look.player
    assert number is not None
    before = None if cursor is None else read_cursor(cursor, look.row)[0].number
    found = events_of_player(connection, look, number, before=before, limit=limit + 1)
    events = _whole_entries(found, limit)
    return {
        "player": look.name_of(number),
        "generation": look.row.generation,
        "head": look.row.head,
        "events": [_played_event(one, look) for one in events],
        "next": written_cursor(look.row, bookmark_of(events[-1].entry)) if len(found) > limit else None,
    }


def _whole_entries(found: list[OfEntry], limit: int) -> list[OfEntry]:
    """As many of these as a page has; an entry in which two accounts of a player were is not cut."""
    if len(found) <= limit:
        return found
    last = found[limit].entry.number
    before = [one for one in found[:limit] if one.entry.number != last]
    return before or [one for one in found if one.entry.number == last]


def _played_event(one: PlayerEvent, look: Look) -> PlayedEventDocument:
    content, player = one.entry.content, one.change.player
    return {
        **one.change.document(look.name_of(one.change.player)),
        "number": one.entry.number,
        "event": content.name if isinstance(content, Event) else None,
        "adjustment": content.describe() if isinstance(content, Adjustment) else None,
        "account": look.account_name(player) if player in look.merged else None,
        "rated": one.change.rated,
        "time": plain_time(to_datetime(one.entry.rated_time)),
    }


class FacingSketch(NamedTuple):
    """What a ladder in memory says of two players: their numbers, and what to expect of a match."""

    look: Look
    a: int
    b: int
    expected: float
    outcomes: Outcomes

    @classmethod
    def of(cls, live: FollowedLadder, a: str, b: str) -> FacingSketch:
        """What is to be taken while nobody else has the ladder."""
        ladder = live.ladder
        one, other = ladder._known(a), ladder._known(b)
        return cls(live.look(), one, other, ladder.expected_score(a, b), ladder.outcomes(a, b))


def head_to_head(
    connection: Connection,
    facing: FacingSketch,
    *,
    limit: int,
    cursor: str | None,
    about_to_read: AboutToRead,
) -> HeadToHeadDocument:
    """How two players did against each other, and what is to be expected of the next time."""
    look, one, other, expected, outcomes = facing
    check_cursor(connection, cursor, look.row)
    before = None if cursor is None else read_cursor(cursor, look.row)[0].number
    pairs = pairs_met(connection, look, one, other, about_to_read)
    found = meetings(connection, look, pairs, before=before, limit=limit + 1, about_to_read=about_to_read)
    wins, draws, losses = scores_between(pairs)
    shown = _whole_entries(found, limit)
    plain: list[MeetingDocument] = [
        {
            "number": meeting.entry.number,
            "event": meeting.entry.content.name if isinstance(meeting.entry.content, Event) else None,
            "time": plain_time(to_datetime(meeting.entry.rated_time)),
            "rank_a": meeting.a.rank,
            "rank_b": meeting.b.rank,
            "display_a": meeting.a.display,
            "display_b": meeting.b.display,
        }
        for meeting in shown
    ]
    return {
        "a": look.names[one],
        "b": look.names[other],
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "meetings": plain,
        "expected_score": expected,
        "outcomes": outcomes_document(outcomes),
        "generation": look.row.generation,
        "head": look.row.head,
        "next": written_cursor(look.row, bookmark_of(shown[-1].entry)) if len(found) > len(shown) else None,
    }


# ---------------------------------------------------------------------- explanations


class RatedSketch(NamedTuple):
    """What a ladder in memory says of a player's rating: all that an explanation takes from there."""

    look: Look
    """By labels, by which numbers of accounts can be found."""
    number: int
    ladder: NumberedLadder
    """A copy with this player alone."""

    @classmethod
    def of(cls, live: FollowedLadder, player: str) -> RatedSketch:
        """What is to be taken while nobody else has the ladder."""
        number = live.ladder._known(player)
        return cls(live.look(), number, live.ladder.participants([live.ladder.players[number]]))

    @property
    def player(self) -> str:
        """The player's name."""
        return self.look.names[self.number]


def explanation(connection: Connection, rated: RatedSketch) -> ExplainedDocument:
    """Why a player's rating is what it is, from the whole log."""
    ladder, number, player = rated.ladder, rated.number, rated.player
    look, shares = rated.look._replace(by_label=True), ladder.shares(player)
    found = events_of_player(connection, look, number, limit=MOST_EXPLAINED)
    # Results of a merged account are not parts of a sum: what they came to is that of the merge.
    # Neither are events in which the player was a guest, which change nothing.
    played = [one for one in reversed(found) if one.change.player == number and _counted(one)]
    if shares is not None:
        counted = [one for one in reversed(found) if one.change.rated and one.change.is_result]
        matches = _played_matches(connection, rated, counted)
        first = ladder.rating(player).events - len(counted) + 1
        remembered = {
            first + place: Remembered(one.entry.name, one.entry.rated_time, one.change.rank, match)
            for place, (one, match) in enumerate(zip(counted, matches, strict=True))
        }
        changes = [_contribution(one, None) for one in played]
        explained = explain_performances(ladder.rating(player), shares, remembered, changes)
        return explained_document(explained)
    matches = _played_matches(connection, rated, played)
    parts = tuple(_contribution(one, match) for one, match in zip(played, matches, strict=True))
    from_start = len(found) < MOST_EXPLAINED
    return explained_document(ladder._explain_changes(player, parts, from_start=from_start))


def _counted(one: PlayerEvent) -> bool:
    """Whether it could move the rating: an adjustment, or an event that counted for the player."""
    return one.change.rated or not one.change.is_result


def _contribution(one: PlayerEvent, match: PlayedMatch | None) -> Contribution:
    counted = one.entry.counted
    return Contribution(
        event=one.entry.name,
        time=to_datetime(one.entry.rated_time),
        rank=one.change.rank if one.change.is_result else None,
        sides=0 if counted is None else len(counted.sides),
        change=one.change.display - one.change.display_before,
        before=one.change.display_before,
        match=match,
    )


def _played_matches(
    connection: Connection, rated: RatedSketch, events: Sequence[PlayerEvent]
) -> list[PlayedMatch | None]:
    """What each event was to its player; None if it had more than two sides. Players are told by labels."""
    system, look = rated.ladder.system, rated.look
    counted = {
        one.entry.number: event
        for one in events
        if (event := one.entry.counted) is not None and len(event.sides) == 2
    }
    if not counted:
        return [None] * len(events)
    history = history_of_values(list(counted.values()), Names())
    changes = changes_of_matches(connection, look.row, list(counted))
    numbers = [look.names.index_of[name] for name in history.players]
    entry = np.repeat(np.array(list(counted)), np.diff(history.offsets)).tolist()
    keys = [(number, numbers[index]) for number, index in zip(entry, history.player.tolist(), strict=True)]
    rows = [changes[key] for key in keys]
    trace = trace_of(system, rows, performance=False)
    places = {key: place for place, key in enumerate(keys)}
    own = [(one.entry.number, one.change.player) for one in events if one.entry.number in counted]
    matches = played_matches(system, history, trace, [places[key] for key in own])
    found = {key: look.shown(match, rated.number) for key, match in zip(own, matches, strict=True)}
    return [found.get((one.entry.number, one.change.player)) for one in events]


def event_explanation(connection: Connection, rated: RatedSketch, meant: int | str) -> EventExplanation:
    """Why an event, as callers name it, moved a player's rating.

    What the experts of `auto` said before it is not kept.
    """
    look, number, system = rated.look._replace(by_label=True), rated.number, rated.ladder.system
    entry = named_entry(connection, look, meant)
    if entry.target is not None or not isinstance(entry.content, Event):
        hint = None if entry.target is None else f"it amends entry {look.amendments.root(entry.number)}"
        raise UnknownEntryError(f"entry {entry.number} is not an event", hint=hint)
    corrected = look.in_force(entry)
    counted = corrected.counted
    if counted is None or look.amendments.is_void(entry.number):
        raise InputError("it changed no ratings", event=entry.name)
    rows = changes_of_matches(connection, look.row, [entry.number])
    own = next((one for one in look.accounts(number) if (entry.number, one) in rows), None)
    if own is None:
        was_there = corrected.disqualified.intersection(look.names[one] for one in look.accounts(number))
        said = "was disqualified" if was_there else "is not in this event"
        raise InputError(f"{shorten(rated.player)!r} {said}", event=entry.name)
    event = replace(counted, time=Moment(entry.rated_time), name=corrected.name)
    history = history_of_values([event], Names())
    index_of = look.names.index_of
    changes = [rows[entry.number, index_of[history.players[one]]] for one in history.player.tolist()]
    trace = trace_of(system, changes, performance=system.has_performance)
    row = history.player.tolist().index(history.players.index_of[look.names[own]])
    explained = explained_event(system, history, trace, row, rated.player)
    return replace(explained, match=look.shown(explained.match, number))
