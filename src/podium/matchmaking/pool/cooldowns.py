"""How often players declined and left matches, and until when the policy keeps them from joining."""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import CooldownError
from podium.matchmaking.policies.conduct import Offence
from podium.matchmaking.pool.pool import Pool, PoolTime
from podium.text import counted, shorten

CONDUCT = ("declines", "abandons", "offended", "barred")
"""Columns of players: the counts, the time of the last one, and the time until which they may not join."""


def count_offence(pool: Pool, players: Longs, offence: Offence, now: PoolTime) -> None:
    """Count a declined or abandoned match of different players, and keep them from joining for a while."""
    people, conduct = pool.store.people, pool.policy.conduct
    pool.keep(people.keep(players, CONDUCT))
    forgiven = players[now.seconds - people["offended"][players] >= conduct.forgotten_after]
    people["declines"][forgiven] = people["abandons"][forgiven] = 0
    people[offence][players] += 1
    people["offended"][players] = now.seconds
    times = people[offence][players].tolist()
    until = now.seconds + np.array([conduct.cooldown(offence, count) for count in times])
    people["barred"][players] = np.fmax(people["barred"][players], until)


def check_cooldowns(pool: Pool, players: Longs, times: Floats) -> None:
    """Refuse players who may not join yet at these times, one for each."""
    people = pool.store.people
    known = players < people.room
    left = people["barred"][players[known]] - times[known]
    if not np.any(left > 0):
        return
    place = int(np.flatnonzero(left > 0)[0])
    player, seconds = int(players[known][place]), float(left[place])
    name = pool.store.names[player]
    done = [
        f"{verb} {counted(int(people[column][player]), 'match')}"
        for verb, column in (("declined", "declines"), ("left", "abandons"))
        if people[column][player]
    ]
    raise CooldownError(
        f"{shorten(name)!r} {' and '.join(done)}, and may join again in {seconds:g} s",
        hint="pardon lets the player join now",
        player=name,
        seconds=seconds,
    )


def cooldown_of(pool: Pool, name: str, now: PoolTime) -> float:
    """The seconds until a player may join again; 0 for one who may."""
    number = pool.store.names.find(name)
    if number is None or number >= pool.store.people.room:
        return 0.0
    left = float(pool.store.people["barred"][number]) - now.seconds
    return left if left > 0 else 0.0


def pardon_players(pool: Pool, names: list[str]) -> None:
    """Forget the declined and abandoned matches of players, with their cooldowns."""
    people = pool.store.people
    found = [pool.store.names.find(name) for name in names]
    numbers = np.array([one for one in found if one is not None and one < people.room], np.int64)
    pool.keep(people.keep(numbers, CONDUCT))
    people["declines"][numbers] = people["abandons"][numbers] = 0
    people["offended"][numbers] = people["barred"][numbers] = np.nan
