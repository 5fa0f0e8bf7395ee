"""Players who perform exactly as told: each beats somebody of any strength, up to the event's ceiling."""

from __future__ import annotations

import numpy as np

from podium.arrays import NO_TIME, Floats, Ints
from podium.history import History, Names
from podium.systems.contract.state import State
from podium.systems.elo_mmr.elo_mmr import EloMMR

GOD_RATING = 1e9
"""The fixed rating of an opponent so strong that beating them shows any performance."""


def new_players(system: EloMMR, players: int) -> State:
    """A state of newcomers, and of the opponent they will beat."""
    state = system.new_state(players + 1)
    system.set_belief(state, np.array([players]), [GOD_RATING], [1.0])
    return state


def show(system: EloMMR, state: State, player: Ints, performance: Floats) -> Floats:
    """Let players perform exactly as told, one event per row; the rating after each."""
    events, god = len(player), state.size - 1
    rows = np.full((events, 2), god, np.int32)
    rows[:, 0] = player
    history = History(
        players=Names(str(number) for number in range(state.size)),
        offsets=2 * np.arange(events + 1),
        player=rows.ravel(),
        rank=np.tile(np.array([1, 2], np.int32), events),
        time=np.full(events, NO_TIME),
        unrated=np.tile(np.array([False, True]), events),
        ceiling=np.array(performance, np.float64),
    )
    return system.update(state, history).mu[::2]
