"""Teams that stay together, as players of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from podium.errors import InputError, shorten
from podium.history.core import History
from podium.history.names import Names
from podium.history.ragged import Ints, Longs, number, row_numbers


def teams_as_players(history: History) -> History:
    """Every side as one player: under the team's name, else under its members' names in order."""
    side = row_numbers(history.offsets) if history.side is None else history.side.astype(np.int64)
    event = history.event_of_row
    group, first = number(event * (int(side.max(initial=0)) + 1) + side)
    names = _names(history, group, first)
    together = Names()
    player = np.array([together.add(name) for name in names], np.int32)
    order = np.argsort(event[first], kind="stable")
    rows = first[order]
    rated = None
    if history.unrated is not None:
        rated = np.zeros(len(first), np.bool_)
        rated[group[~history.unrated]] = True
    home = None
    if history.home is not None:
        home = np.full(len(history), -1, np.int32)
        hosts = history.home[event] == history.player
        home[event[hosts]] = player[group[hosts]]
    columns = history.columns_at(rows, slice(None)) | {"player": player[order], "home": home}
    columns |= {"side": None, "team": None, "play": None}
    columns["unrated"] = None if rated is None else ~rated[order]
    for placed in history.adjustments:
        placed.register(together)
    counts = np.bincount(event[first], minlength=len(history))
    return replace(
        history,
        players=together,
        offsets=np.concatenate(([0], np.cumsum(counts))),
        team_names=None,
        **columns,
    )


def _names(history: History, group: Ints, first: Longs) -> list[str]:
    """What each side is called."""
    labels = history.team_names or ()
    named = [-1] * len(first) if history.team is None else history.team[first].tolist()
    members: dict[int, list[str]] = {}
    unnamed = np.flatnonzero(np.array(named)[group] < 0)
    for side, player in zip(group[unnamed].tolist(), history.player[unnamed].tolist(), strict=True):
        members.setdefault(side, []).append(history.players[player])
    alone = {names[0] for names in members.values() if len(names) == 1}
    if both := alone & {labels[label] for label in set(named) if label >= 0}:
        raise InputError(
            f"{shorten(min(both))!r} is the name of a team and of a player",
            hint="rename one of them, or let teams be their members",
        )
    return [
        labels[label] if label >= 0 else " + ".join(sorted(members[side])) for side, label in enumerate(named)
    ]
