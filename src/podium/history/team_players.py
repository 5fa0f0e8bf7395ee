"""Teams that stay together, as players of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from podium.arrays import Ints
from podium.errors import InputError
from podium.history.columns import columns_at
from podium.history.names import Names
from podium.history.ragged import number, row_numbers
from podium.text import shorten

if TYPE_CHECKING:
    from podium.history.history import History


def teams_as_players(history: History, *, by: Literal["name", "members"] = "name") -> History:
    """Make every side one player, named after the team or after its members in order.

    Numbers of sides, which tables without names of teams have, are no names. Who played how much of an event
    is forgotten.
    """
    side = row_numbers(history.offsets) if history.side is None else history.side.astype(np.int64)
    event = history.event_of_row
    group, first = number(event * (int(side.max(initial=0)) + 1) + side)
    label = np.full(len(first), -1, np.int32)
    if history.team is not None and by == "name" and not _are_numbers(history):
        label = history.team[first]
    names = _names(history, group, label)
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
    columns = columns_at(history, rows, slice(None)) | {"player": player[order], "home": home}
    columns |= {"side": None, "team": None, "play": None}
    columns["unrated"] = None if rated is None else ~rated[order]
    _check_adjustments(history, together)
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


def _are_numbers(history: History) -> bool:
    """Whether teams are called 1, 2, … in each event anew."""
    assert history.team is not None
    assert history.side is not None
    labels = np.array([*(history.team_names or ()), ""])[history.team]
    return bool(np.all(labels == (history.side + 1).astype(str)))


def _names(history: History, group: Ints, label: Ints) -> list[str]:
    """The name of each side."""
    labels = history.team_names or ()
    named = label.tolist()
    _check_rosters(history, group, named)
    members: dict[int, list[str]] = {}
    unnamed = np.flatnonzero(label[group] < 0)
    for side, player in zip(group[unnamed].tolist(), history.player[unnamed].tolist(), strict=True):
        members.setdefault(side, []).append(history.players[player])
    alone = {names[0] for names in members.values() if len(names) == 1}
    joined = {side: " + ".join(sorted(names)) for side, names in members.items() if len(names) > 1}
    if both := alone & {*(labels[label] for label in set(named) if label >= 0), *joined.values()}:
        raise InputError(
            f"{shorten(min(both))!r} is the name of a team and of a player",
            hint="rename one of them, or rate the members of teams",
        )
    return [
        labels[label] if label >= 0 else joined.get(side) or members[side][0]
        for side, label in enumerate(named)
    ]


def _check_adjustments(history: History, together: Names) -> None:
    """Refuse adjustments of members, who are no players any more."""
    members = {history.players[p] for p in np.unique(history.player).tolist()} - set(together)
    for placed in history.adjustments:
        if hidden := sorted(members & set(placed.adjustment.players)):
            raise InputError(
                f"{placed.adjustment.describe()}: {shorten(hidden[0])!r} is in a team, and also a player",
                hint="adjust teams by their names, or rate the members of teams",
            )


def _check_rosters(history: History, group: Ints, named: list[int]) -> None:
    """Refuse team names whose members nearly always change, such as the colours of two sides."""
    if max(named, default=-1) < 0:
        return
    rosters: list[set[int]] = [set() for _ in named]
    for side, player in zip(group.tolist(), history.player.tolist(), strict=True):
        rosters[side].add(player)
    latest: dict[int, set[int]] = {}
    kept = met = 0
    for label, roster in zip(named, rosters, strict=True):
        if label >= 0:
            if label in latest:
                met += 1
                kept += bool(roster & latest[label])
            latest[label] = roster
    if met > 2 and 2 * kept < met:
        names = sorted((history.team_names or ())[label] for label in latest)[:2]
        raise InputError(
            f"the teams ({', '.join(repr(shorten(name, 20)) for name in names)}, …) change their "
            f"members: in {met - kept:,} of {met:,} cases no member had played under the name before",
            hint='use by="members", or teams="rosters", which makes each line-up a separate player',
        )
