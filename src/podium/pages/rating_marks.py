"""What the players of the latest events would have to do to reach the next tier or the next round number.

That depends on how the others are rated now, and so changes when they play: a page of somebody who has not
played for long has none of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from podium.arrays import DAY
from podium.documents.page_documents import MarkDocument
from podium.history.events import EventKeywords
from podium.ladder.ladder import Ladder
from podium.pages.ladder_data import LadderData
from podium.pages.page_words import event_title
from podium.pages.played_rows import PlayedRows
from podium.text import shorten

MOST_PLAYERS = 50
"""Players whose marks are computed: those of the latest events."""
RECENT = 365 * DAY
"""How long before the last event those events were, if there are times."""
LARGEST_EVENT = 50
"""Sides of an event beyond which it takes too long."""
ROUND_STEPS = (100.0, 5.0, 0.5)
"""Distance of round numbers, by the decimals that ratings are shown with."""


def latest_marks(data: LadderData, ladder: Ladder) -> dict[int, list[MarkDocument]]:
    """The marks of the players of the latest events, by player; each for an event like the player's last."""
    if (played := data.played) is None:
        return {}
    return {
        player: _marks(data, played, ladder, player, event) for player, event in _latest_players(data, played)
    }


def _latest_players(data: LadderData, played: PlayedRows) -> Iterator[tuple[int, int]]:
    """Players with their last event, the latest first."""
    offsets = played.history.offsets
    seen: set[int] = set()
    for event in range(len(played.names) - 1, -1, -1):
        rows = range(int(offsets[event]), int(offsets[event + 1]))
        new = [player for row in rows if played.rated[row] and (player := int(played.shown[row])) not in seen]
        too_many = played.sides[event] > LARGEST_EVENT or len(seen) + len(new) > MOST_PLAYERS
        if too_many or (data.has_times and played.history.time[event] < data.now - RECENT):
            return
        seen.update(new)
        there = played.shown[rows.start : rows.stop].tolist()
        if len(set(there)) == len(there):  # a merge may have made two of them one
            yield from ((player, event) for player in new if data.known[player])


def _marks(
    data: LadderData, played: PlayedRows, ladder: Ladder, player: int, event: int
) -> list[MarkDocument]:
    like, display = _event_like(data, played, event), float(data.display[player])
    step = ROUND_STEPS[data.digits]
    above = [tier for tier in data.tiers if tier.lower > display]
    wanted: list[tuple[float, str | None]] = [((math.floor(display / step) + 1) * step, None)]
    wanted = [(above[0].lower, above[0].name), *wanted] if above else wanted
    found: list[MarkDocument] = []
    for mark, tier in sorted(wanted, key=lambda one: one[0]):
        if any(other["mark"] == mark for other in found):
            continue
        rank, sides = ladder.rank_to_reach(data.names[player], mark, **like), int(played.sides[event])
        if rank is None and sides == 2:
            continue  # few marks are one match away
        found.append(
            {
                "mark": mark,
                "tier": tier,
                "event": played.number(event),
                "sides": sides,
                "rank": rank,
                "words": _words(data, played, event, mark, tier, rank),
            }
        )
    return found


def _event_like(data: LadderData, played: PlayedRows, event: int) -> EventKeywords:
    """The event as `Ladder.record` takes it, with the names that players have now, and without a time."""
    history = played.history
    start, stop = history.offsets[event : event + 2].tolist()
    names = [data.names[player] for player in played.shown[start:stop]]
    ranks, home = history.rank[start:stop].tolist(), None
    if history.home is not None and history.home[event] >= 0:
        home = names[history.player[start:stop].tolist().index(int(history.home[event]))]
    like: EventKeywords = {"home": home}
    if history.weight is not None:
        like["weight"] = float(history.weight[event])
    if history.side is None:
        like["ranks"] = dict(zip(names, ranks, strict=True))
        return like
    sides = history.side[start:stop].tolist()
    teams: dict[int, list[str]] = {}
    for name, side in zip(names, sides, strict=True):
        teams.setdefault(side, []).append(name)
    like["teams"] = list(teams.values())
    like["ranks"] = [ranks[sides.index(side)] for side in teams]
    return like


def _words(
    data: LadderData, played: PlayedRows, event: int, mark: float, tier: str | None, rank: int | None
) -> str:
    """What is needed, in a sentence."""
    goal = data.rating_text(mark) if tier is None else f"{shorten(tier)} ({data.rating_text(mark)})"
    if played.match_of_event[event] >= 0:
        return f"{'A win' if rank == 1 else 'Even a loss'} in a match like the last would reach {goal}."
    name = played.names[event]
    has_name = event_title(name, played.times[event]) == name
    like = f"in an event like {shorten(name) if has_name else 'the last'}"
    if rank is None:
        return f"No rank {like} reaches {goal} at once."
    return f"Rank {rank:,}{' or better' if rank > 1 else ''} {like} would reach {goal}."
