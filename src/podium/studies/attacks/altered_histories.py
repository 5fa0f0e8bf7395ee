"""Histories as they would have been, or as they stood early on: somebody falls behind or stays away."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Floats, Ints, Longs
from podium.errors import InputError, UnknownPlayerError
from podium.history import History
from podium.history.names import player_name
from podium.text import did_you_mean, shorten

LAST_PLACE = 1.0
"""How deep one falls who comes in last; 0 is not falling at all."""


class Own(NamedTuple):
    """The rated events of one player, in order."""

    player: int
    rows: Longs
    events: Longs


def own_events(history: History, player: str, least: int = 0) -> Own:
    """Where a player takes part and is rated; refused where that is less often than `least`."""
    name = player_name(player)
    index = history.players.find(name)
    if index is None:
        hint = did_you_mean(name, history.players)
        raise UnknownPlayerError(f"{shorten(name)!r} is not a player of this history", hint=hint)
    mine = history.player == index
    if history.unrated is not None:
        mine &= ~history.unrated
    rows = np.flatnonzero(mine)
    if len(rows) < least:
        raise InputError(
            f"{shorten(name)!r} has {len(rows):,} rated events, and the attack needs {least:,}",
            hint="another player, or an attack of fewer events",
        )
    return Own(index, rows, np.searchsorted(history.offsets, rows, "right") - 1)


def with_falls(history: History, rows: Longs, depth: Floats) -> History:
    """The history in which the sides of these rows, of one event each, fall to a place so deep in the field.

    The others keep their order and close up. Nobody climbs: who came in lower than that stays. In an event of
    two any depth is losing. What scores said of a changed event is no longer true: there they are left out.
    """
    rank = history.rank.copy()
    columns = {name: c.copy() for name in ("score", "share") if (c := getattr(history, name)) is not None}
    for row, deep in zip(rows.tolist(), depth.tolist(), strict=True):
        if not deep:
            continue
        event = int(np.searchsorted(history.offsets, row, "right")) - 1
        here = slice(*history.offsets[event : event + 2].tolist())
        side = np.arange(here.stop - here.start) if history.side is None else history.side[here]
        fallen = fallen_ranks(rank[here], side, int(side[row - here.start]), deep)
        if fallen is not None:
            rank[here] = fallen
            for column in columns.values():
                column[here] = np.nan
    return replace(history, rank=rank, **columns)


def fallen_ranks(ranks: Ints, side: NDArray[np.integer], who: int, depth: float) -> Ints | None:
    """Ranks of an event's rows after one side fell; None where it stays where it was.

    >>> fallen_ranks(np.array([1, 2, 2, 4, 5], np.int32), np.arange(5), 1, LAST_PLACE).tolist()
    [1, 5, 2, 3, 4]
    >>> fallen_ranks(np.array([1, 2, 2, 4, 5], np.int32), np.arange(5), 0, 0.5).tolist()
    [3, 1, 1, 4, 5]
    """
    key = np.empty(int(side.max()) + 1)
    key[side] = ranks
    others = np.sort(np.delete(key, who))
    # Between two sides there is no middle to fall to.
    ahead = 1 if len(key) == 2 else min(max(math.ceil(depth * len(key)), 1), len(key)) - 1
    if not ahead or others[ahead - 1] < key[who]:
        return None
    # Behind everybody who shares the place one falls to: no draw is made on purpose.
    key[who] = others[ahead - 1] + 0.5
    places: Ints = (1 + np.searchsorted(np.sort(key), key)).astype(np.int32)[side]
    return places


def ranks_behind(ranks: Ints, side: NDArray[np.integer], who: int, helping: Longs) -> Ints:
    """Ranks of an event's rows after these sides came in right behind one, where they were not behind it.

    >>> ranks_behind(np.array([1, 2, 3, 4, 5], np.int32), np.arange(5), 2, np.array([0, 4])).tolist()
    [3, 1, 2, 4, 5]
    """
    key = np.empty(int(side.max()) + 1)
    key[side] = ranks
    ahead = helping[(helping != who) & (key[helping] <= key[who])]
    # One after another in their order, and before the next rank, which is 1 behind.
    order = np.argsort(np.argsort(key[ahead], kind="stable"))
    key[ahead] = key[who] + (1.0 + order) / (1.0 + len(ahead))
    places: Ints = (1 + np.searchsorted(np.sort(key), key)).astype(np.int32)[side]
    return places


def held_back(history: History, rows: Longs) -> History:
    """The history in which these rows do not count for their player."""
    unrated = np.zeros(history.rows, np.bool_) if history.unrated is None else history.unrated.copy()
    unrated[rows] = True
    return replace(history, unrated=unrated)


def early_standings(event: History, blur: float, number: int) -> History:
    """A single event as it stood early on: its final standings, blurred.

    A place is as good as the logarithm of its odds says, in standard deviations of the field; chance moves
    everybody by so many. It is drawn from `number` and the event, so that whoever asks sees the same.
    """
    if not blur:
        return event
    side = np.arange(event.rows) if event.side is None else event.side
    rank = np.empty(int(side.max()) + 1)
    rank[side] = event.rank
    chance = np.random.default_rng([number, *event.player.tolist(), *event.rank.tolist()])
    # The logistic distribution with a scale of 1 has a deviation of π/√3.
    final = np.log((len(rank) - rank + 0.5) / (rank - 0.5)) * math.sqrt(3.0) / math.pi
    early = final + blur * chance.standard_normal(len(rank))
    ranks = (1 + np.argsort(np.argsort(-early))).astype(np.int32)
    return replace(event, rank=ranks[side], score=None, share=None)
