"""What a link to a page shows in a chat, and a board as text to send."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podium.pages.match_words import reasons
from podium.pages.page_words import day
from podium.text import counted, listed, rounded_gain, shorten, shown_gain, write_number

if TYPE_CHECKING:
    from podium.documents.event_page_documents import EventPageDocument
    from podium.documents.page_documents import BoardRowDocument, LeaderboardPageDocument, PlayerPageDocument

PREVIEWED_PLAYERS = 3
SENT_PLAYERS = 10
"""Players of a board in the preview of a link, and in its text."""
LONGEST_NAME = 40


def board_summary(document: LeaderboardPageDocument, digits: int) -> str:
    """The first of a board and its size; empty where the page ranks none."""
    first = [_line(row, digits) for row in document["rows"][:PREVIEWED_PLAYERS] if row["place"]]
    if not first:
        return ""
    until = f", until {day(document['now'])}" if document["now"] else ""
    return f"{', '.join(first)}. {counted(document['players'], 'player')}{until}."


def event_summary(document: EventPageDocument, digits: int) -> str:
    """Why the ratings of a match moved, or who won a contest."""
    if document["result"] is not None and not document["disqualified"]:
        return " ".join(reasons(document["result"], digits))
    when = f", {day(document['time'])}" if document["time"] else ""
    size = f"{counted(document['players'], 'player')}{when}."
    winners = [shorten(row["player"], LONGEST_NAME) for row in document["standings"] if row["place"] == 1]
    return f"Won by {listed(winners[:PREVIEWED_PLAYERS])}. {size}" if winners else size


def player_summary(document: PlayerPageDocument, digits: int) -> str:
    """A player's rating and place."""
    rating = f"Rating {write_number(document['display'], f'.{digits}f')}"
    place = f", place {document['place']:,} of {document['ranked']:,}" if document["place"] else ""
    return f"{rating}{place}, {counted(document['events'], 'event')}."


def board_text(document: LeaderboardPageDocument, title: str, digits: int) -> str:
    """The first of a board as lines of text, each with what the last event changed."""
    lines = [f"{title}, {day(document['now'])}" if document["now"] else title]
    for row in document["rows"][:SENT_PLAYERS]:
        if row["place"]:
            change = row["last_change"] or 0.0
            gain = rounded_gain(0.0, change, digits) if shown_gain(0.0, change, digits) else ""
            lines.append(f"{_line(row, digits)}{f' ({gain})' if gain else ''}")
    return "\n".join(lines)


def _line(row: BoardRowDocument, digits: int) -> str:
    name, rating = shorten(row["player"], LONGEST_NAME), write_number(row["display"], f".{digits}f")
    return f"{row['place']}. {name} {rating}"
