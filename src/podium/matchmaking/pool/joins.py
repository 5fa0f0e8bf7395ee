"""Coming to a waiting pool and leaving it: tickets, requests of running matches, and blocks.

What somebody says who joins, checked before anything is changed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import compress
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats, Longs
from podium.errors import InputError, ParameterError
from podium.history import Names
from podium.history.names import are_tidy
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.open_places import Roles, check_roles, check_sides
from podium.matchmaking.policies.policy import Policy
from podium.matchmaking.pool.cooldowns import check_cooldowns, count_offence
from podium.matchmaking.pool.player_memory import parse_recent
from podium.matchmaking.pool.pool import Clock, Pool, forget_oldest
from podium.matchmaking.pool.proposals import Backfill, Match
from podium.matchmaking.pool.rating_sources import FromTickets, RatingSource
from podium.matchmaking.pool.ticket_columns import Attributes, Delays
from podium.matchmaking.pool.tickets import NOBODY, PROPOSED, JoiningTickets
from podium.text import shorten

Party = str | Sequence[str]
Recent = str | Sequence[float] | None


class Given(NamedTuple):
    """What was given about tickets that join, in columns, unchecked: as `Matchmaker.join_many` takes it."""

    mu: ArrayLike | None = None
    sigma: ArrayLike | None = None
    attributes: Mapping[str, Sequence[Any]] = {}
    needs: Mapping[str, Sequence[Any]] = {}
    latency: Mapping[str, Any] | None = None
    recent: Sequence[Recent] | None = None
    roles: Sequence[Roles] | None = None
    playing: bool = False


def check_entry(
    players: Sequence[Party],
    time: Floats,
    given: Given,
    *,
    mode: Mode,
    policy: Policy,
    source: RatingSource,
    names: Names,
    known: Attributes,
) -> JoiningTickets:
    """Check tickets about to join; `time` is one number for each ticket, or one for all."""
    members, sizes = split_parties(players, names)
    rows = len(sizes)
    mode.check_party(int(sizes.max(initial=1)))
    if len(time) not in (1, rows):
        raise InputError(f"{len(time)} times for {rows} tickets")
    for name, column in [*given.attributes.items(), *given.needs.items()]:
        if isinstance(column, str) or len(column) != rows:
            raise InputError(f"give one value of {shorten(str(name))!r} per ticket, for {rows} tickets")
    mu_of, sigma_of = source.check(members, given.mu, given.sigma)
    entry = JoiningTickets(
        members,
        sizes,
        np.broadcast_to(time, rows),
        mu_of,
        sigma_of,
        {name: known.say(name, column) for name, column in given.attributes.items()},
        {name: known.need(name, column) for name, column in given.needs.items()},
        Delays.check(given.latency or {}, rows),
        check_roles(given.roles, sizes, mode),
    )
    known.check_together(entry.said, entry.needed)
    check_used(entry, policy)
    return entry


Agreed = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None
"""What is given of one ticket by name: for all of it, or for each of its players."""


def ticket_values(player: Party, attributes: Agreed, needs: Agreed, latency: Agreed) -> dict[str, Any]:
    """What one ticket says, in columns: attributes, needs and latencies, combined from those of its players.

    A party says what all its members say, needs what all of them accept, and is as far from a region as the
    farthest.
    """
    said, needed, delays = (
        _by_player(player, given, what)
        for given, what in ((attributes, "attributes"), (needs, "needs"), (latency, "latency"))
    )
    agreed = {
        name: [values[0] if all(value == values[0] for value in values) else None]
        for name, values in said.items()
    }
    regions = {
        region: [math.nan if None in values else max(values, key=_as_delay)]
        for region, values in delays.items()
    }
    return {
        "attributes": agreed,
        "needs": {name: [_common_need(name, values)] for name, values in needed.items()},
        "latency": regions or None,
    }


def _as_delay(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.inf  # which is refused by its region


def _by_player(player: Party, given: Agreed, what: str) -> dict[str, list[Any]]:
    """By name, the value of each player who was given apart, or the one value for all."""
    rows = [{}] if given is None else [given] if isinstance(given, Mapping) else given
    members = len(player) if isinstance(player, (list, tuple)) else 1
    if (
        isinstance(rows, str)
        or not isinstance(rows, Sequence)
        or not all(isinstance(one, Mapping) for one in rows)
    ):
        raise InputError(
            f"{what} are {shorten(repr(given))}",
            hint="values by name, such as {'platform': 'pc'}, or a list of these with one for each player",
        )
    if given is None or isinstance(given, Mapping):
        return {name: [value] for name, value in rows[0].items()}
    if len(rows) != members:
        raise InputError(f"{what} are given for {len(rows)} players, and the party has {members}")
    names = dict.fromkeys(name for one in rows for name in one)
    return {name: [one.get(name) for one in rows] for name in names}


def _common_need(name: str, needs: list[Any]) -> Any:
    """What all members of a party accept; None if none of them needs anything."""
    asked = [need for need in needs if need is not None]
    if not asked or all(need == asked[0] for need in asked):
        return asked[0] if asked else None
    listed = [list(need) if isinstance(need, (list, tuple, set, frozenset)) else [need] for need in asked]
    if all(isinstance(one, str) for several in listed for one in several):
        common = [one for one in listed[0] if all(one in several for several in listed)]
        if common:
            return common
    elif not any(isinstance(one, str) for several in listed for one in several):
        low = max((several[0] for several in listed if several[0] is not None), default=None)
        high = min((several[-1] for several in listed if several[-1] is not None), default=None)
        if low is None or high is None or low <= high:
            return low, high
    raise InputError(
        f"the members of a party have no need of {shorten(name)!r} in common",
        hint=f"they need {shorten(', '.join(map(repr, asked)))}",
    )


def split_parties(players: Sequence[Party], known: Names) -> tuple[list[str], Longs]:
    """The players of all tickets, one after another, and the number of players of each ticket.

    `known` are the players of the pool, as in `name_of`.
    """
    if isinstance(players, str):
        raise InputError("give several players as a list", hint="for one ticket, use join")
    tickets = list(players)
    if not any(isinstance(ticket, (list, tuple)) for ticket in tickets):
        return _names(tickets, known), np.ones(len(tickets), np.int64)
    parties = [ticket if isinstance(ticket, (list, tuple)) else [ticket] for ticket in tickets]
    if any(not party for party in parties):
        raise InputError("an empty party")
    names = _names([name for party in parties for name in party], known)
    return names, np.array([len(party) for party in parties])


def name_of(player: object, known: Names) -> str:
    """The name as a string without blanks around it: an int means its decimal string.

    A pool of an older version, or of an older ladder, may have `known` players with blanks in their names.
    """
    try:
        if name := known.meant(player):
            return name
    except TypeError:
        pass
    raise InputError(
        f"a player's name must be a string or an int, not {shorten(repr(player))}",
        hint="a party must be a list of names",
    )


def _names(players: Sequence[Any], known: Names) -> list[str]:
    if all(type(name) is str for name in players) and are_tidy(players):
        return list(players)
    return [name_of(name, known) for name in players]


def check_options(seed: object, timeout: object, remembered: object) -> None:
    """Refuse options with which every tick would fail."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ParameterError(f"a seed of {shorten(repr(seed))}", hint="a whole number from 0")
    if isinstance(remembered, bool) or not isinstance(remembered, (int, np.integer)) or remembered < 0:
        raise ParameterError(f"remembered is {shorten(repr(remembered))}", hint="a whole number from 0")
    is_number = isinstance(timeout, Real) and not isinstance(timeout, bool)
    if timeout is not None and not (is_number and 0.0 < timeout < math.inf):  # type: ignore[operator]
        raise ParameterError(
            f"a timeout of {shorten(repr(timeout))}", hint="seconds above 0, or None for never"
        )


def check_used(entry: JoiningTickets, policy: Policy) -> None:
    """What the policy has no term for is refused, and what a term asks for has to be there."""
    for given, what, name in ((entry.needed, "needs", "Needs()"), (entry.delays, "latency", "Latency()")):
        if given and not policy.uses(what):
            raise InputError(f"the policy does not use {what}", hint=f"give it the term {name}")
    if policy.most_latency < math.inf:
        if not entry.delays:
            raise InputError("the policy uses latency", hint='latency={"eu": 20, "us": 110}, say')
        _check_near(entry, policy.most_latency)
    for term in policy.terms:
        for name in term.asks:
            if name not in entry.said or np.any(np.isnan(entry.said[name].values)):
                raise InputError(
                    f"the policy's {term.label!r} needs {shorten(name)!r} on every ticket",
                    hint=f"attributes={{{name!r}: ...}}",
                )


def _check_near(entry: JoiningTickets, most: float) -> None:
    """Refuse tickets that no region is near enough to: they could never play."""
    near = np.zeros(len(entry.sizes), np.bool_)
    for column in entry.delays.values():
        near |= column <= most  # which NaN is not
    if not near.all():
        far = int(np.flatnonzero(~near)[0])
        name = entry.members[int(entry.sizes[:far].sum())]
        raise InputError(
            f"no region is within {most:g} ms of {shorten(name)!r}, so no match is possible",
            hint="the policy needs such a latency to at least one region",
        )


def check_recent(recent: Sequence[Recent] | None, sizes: Longs, policy: Policy) -> list[list[float] | None]:
    """The recent games of each player; None keeps those remembered."""
    if recent is None:
        return []
    if policy.target is None:
        raise InputError("the policy does not use recent games", hint="Policy(target=WinRateTarget(games=5))")
    if isinstance(recent, str) or len(recent) != sizes.sum():
        raise InputError(f"give one text or list of recent games per player, for {sizes.sum()} players")
    known: dict[str, list[float]] = {}
    parsed: list[list[float] | None] = []
    for games in recent:
        if isinstance(games, str):
            if games not in known:
                known[games] = parse_recent(games)
            parsed.append(known[games])
        else:
            parsed.append(None if games is None else parse_recent(games))
    return parsed


def check_running(sides: Sequence[Party], mode: Mode, known: Names) -> list[list[str]]:
    """The players of a running match with open places, side by side."""
    if mode.is_duel:
        raise InputError("a match of two has no places to fill", hint="the remaining players must join again")
    if isinstance(sides, str):
        raise InputError("give a running match as a list of its sides")
    teams = [_names(side if isinstance(side, (list, tuple)) else [side], known) for side in sides]
    if mode.has_teams and len(teams) != mode.sides:
        count = "two" if mode.sides == 2 else mode.sides
        raise InputError(
            f"{mode} has {count} sides, not {len(teams)}", hint='for example [["ann"], ["bob", "cat"]]'
        )
    if len(teams) > mode.sides or any(len(a) > b for a, b in zip(teams, mode.sizes, strict=False)):
        sizes = " and ".join(map(str, dict.fromkeys(mode.sizes)))
        raise InputError(f"more players than {mode} has", hint=f"{mode.sides} sides of {sizes}")
    if not mode.has_teams and not all(teams):
        raise InputError("an empty side", hint="give a free-for-all as a list of players")
    playing = sum(map(len, teams))
    if playing == 0:
        raise InputError("this match has no players")
    if playing == mode.players:
        raise InputError("all places are taken in this match")
    return teams


def join_pool(
    pool: Pool, players: Sequence[Party], time: Clock | Sequence[float] | Floats | None, given: Given
) -> Longs:
    """Add tickets of players who want a new match, and return their slots."""
    slots = _add_tickets(pool, players, time, given)
    pool.counters = pool.counters.joined(len(slots))
    return slots


def _add_tickets(
    pool: Pool,
    players: Sequence[Party],
    time: Clock | Sequence[float] | Floats | None,
    given: Given,
    *,
    is_running: bool = False,
) -> Longs:
    store = pool.store
    times, now = pool.now.read(time)
    entry = check_entry(
        players,
        times,
        given,
        mode=pool.mode,
        policy=pool.policy,
        source=pool.source,
        names=store.names,
        known=store.attributes,
    )
    scores = check_recent(given.recent, entry.sizes, pool.policy)
    members = store.number(entry, playing=given.playing)
    if not is_running:
        check_cooldowns(pool, members, np.repeat(entry.time, entry.sizes))
    pool.tell(times, now)
    slots = store.next_slots(len(entry.sizes))
    pool.keep(*store.keep_free(slots, members))
    store.add(entry, members, slots)
    if scores:
        pool.keep(*pool.memory.keep(members))
        pool.memory.replace_scores(members, scores)
    return slots


def request_backfill(
    pool: Pool,
    sides: Sequence[Party],
    time: Clock | None,
    given: Given,
    match: int = NOBODY,
    variant: int = 0,
) -> Backfill:
    """Add the tickets of a running match that asks for players; attributes and needs are for all of it.

    `match` is its number, if the pool started it, and `variant` says which of the mode's kinds it is.
    """
    mode, _ = pool.mode.variants[variant]
    teams = check_running(sides, mode, pool.store.names)
    check_sides(given.roles, teams, mode)
    standing = [team for team in teams if team]
    rows = len(standing)
    given = given._replace(
        attributes={name: [*value] * rows for name, value in given.attributes.items()},
        needs={name: [*need] * rows for name, need in given.needs.items()},
        playing=True,
    )
    slots = _add_tickets(pool, standing, time, given, is_running=True)
    number, table = pool.requests, pool.store.table
    pool.requests += 1
    table["request"][slots] = number
    table["side"][slots] = [side for side, team in enumerate(teams) if team]
    table["fills"][slots], table["variant"][slots] = match, variant
    asked = None if match == NOBODY else match
    return Backfill(number, tuple(map(tuple, teams)), float(table["time"][slots[0]]), asked)


def given_again(pool: Pool, match: Match, given: Given) -> tuple[list[list[str]], Given]:
    """The sides of a running match without those who left, with the ratings and roles that they have."""
    people, names = pool.store.people, pool.store.names
    roles = match.roles or tuple(() for _ in match.sides)
    sides: list[list[str]] = []
    played: list[str] = []
    for side, of_side in zip(match.sides, roles, strict=True):
        here = [name not in match.left for name in side]
        sides.append(list(compress(side, here)))
        played += compress(of_side, here)
    numbers = [number for side in sides for name in side if (number := names.find(name)) is not None]
    if isinstance(pool.source, FromTickets) and given.mu is None:
        given = given._replace(mu=people["mu"][numbers])
        if pool.source.system.has_sigma and given.sigma is None:
            given = given._replace(sigma=people["sigma"][numbers])
    if match.roles is not None and given.roles is None:
        given = given._replace(roles=played)
    mode, _ = pool.mode.variants[pool.mode.variant_of(tuple(map(len, match.sides)))]
    return sides if mode.has_teams else [side for side in sides if side], given


def remember_opponents(pool: Pool, met: Mapping[str, Sequence[str]]) -> None:
    """Remember the opponents of players in their last games, newest last, if the policy counts them."""
    names, opponents = pool.store.names, pool.memory.opponents
    for player, others in met.items():
        number = np.array([names.add(player)])
        pool.keep(*pool.memory.keep(number))
        for other in others[-opponents.games :] if opponents.games else ():
            opponents.remember(number, np.array([[names.add(other)]]))
    pool.store.people.reserve(len(names))


def leave_pool(pool: Pool, player: str) -> None:
    """Remove a player's ticket; to leave while a match is proposed is to decline it."""
    table, name = pool.store.table, name_of(player, pool.store.names)
    slot = pool.store.known_slot(name)
    is_decline = table["state"][slot] == PROPOSED and table["request"][slot] == NOBODY
    pool.withdraw(slot)
    if is_decline:
        count_offence(pool, np.array([pool.store.names.find(name)]), "declines", pool.now)
    forget_oldest(pool)


def block_player(pool: Pool, player: str, other: str) -> None:
    """Never match these two players again."""
    _check_blocks(pool)
    names = pool.store.names
    a, b = name_of(player, names), name_of(other, names)
    if a == b:
        raise InputError(f"{shorten(a)!r} would block themselves")
    one, two = names.add(a), names.add(b)
    pool.store.people.reserve(len(names))
    pool.keep(pool.memory.keep_block(one, two))
    pool.memory.block(one, two)


def unblock_player(pool: Pool, player: str, other: str) -> None:
    """Undo `block_player`."""
    _check_blocks(pool)
    names = pool.store.names
    a, b = (names.find(name_of(name, names)) for name in (player, other))
    if a is None or b is None:
        raise InputError(f"{shorten(str(player))!r} has not blocked {shorten(str(other))!r}")
    pool.keep(pool.memory.keep_block(a, b))
    pool.store.table["scanned"][:] = 0
    pool.memory.unblock(a, b)


def _check_blocks(pool: Pool) -> None:
    if not pool.policy.uses("blocks"):
        raise InputError("the policy does not use blocks", hint="give it the term BlockList()")
