"""Histories as plain values, so that a test can say that two of them are the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium.history import History


def facts(history: History, *, labels: bool = False) -> dict[str, Any]:
    """Everything a history says; a column that is not there and one of defaults say the same.

    Which member of the home side carries the mark says nothing. What teams are called counts with `labels`.
    """
    events = [_event(history, number, labels) for number in range(len(history))]
    return {"players": history.players.to_list(), "events": events, "adjustments": history.adjustments}


def _event(history: History, number: int, labels: bool) -> dict[str, Any]:
    rows = slice(*history.offsets[number : number + 2].tolist())
    size = rows.stop - rows.start

    def column(name: str, default: Any) -> list[Any]:
        values = getattr(history, name)
        listed = [default] * size if values is None else values[rows].tolist()
        return [None if value != value else value for value in listed]

    def single(name: str, default: Any) -> Any:
        values = getattr(history, name)
        return default if values is None else values[number].item()

    players = [history.players[p] for p in history.player[rows]]
    sides = list(range(size)) if history.side is None else history.side[rows].tolist()
    home = single("home", -1)
    found = {
        "name": history.event_name(number),
        "time": int(history.time[number]),
        "players": players,
        "ranks": history.rank[rows].tolist(),
        "sides": sides,
        "scores": column("score", np.nan),
        "shares": column("share", np.nan),
        "unrated": column("unrated", False),
        "weight": single("weight", 1.0),
        "home side": None if home < 0 else sides[players.index(history.players[home])],
        "ceiling": single("ceiling", np.inf),
    }
    if labels:
        names = history.team_names or ()
        found["teams"] = [None if t < 0 else names[t] for t in column("team", -1)]
    return found
