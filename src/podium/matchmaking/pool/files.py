"""Waiting pools as files: tickets, matches, memory and counters; the ladder of a pool is saved by itself.

Whoever can write a file can give it a checksum, so nothing in it is believed. What tickets say is checked as
if they joined now; every other number is checked here before it is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.errors import ParameterError, PodiumError, StateError
from podium.files.checksummed import check_header, pack_names, read_container, write_container
from podium.files.kinds import PathLike, name_of
from podium.matchmaking.policies.conduct import Conduct
from podium.matchmaking.policies.policy import Policy
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.term_contract import Term
from podium.matchmaking.pool.known_matches import joined
from podium.matchmaking.pool.rating_sources import FromTickets
from podium.matchmaking.pool.tickets import GONE, NOBODY
from podium.parameters import plain
from podium.text import shorten

if TYPE_CHECKING:
    from podium.matchmaking.pool.pool import Pool

FILE_FORMAT = 2
"""Files of format 1 have no times of matches, no answers to proposals and no cooldowns."""
KIND = "pool"
_OPTIONAL = "timeout", "effort", "clock"
_HEADER: dict[str, type] = {
    "format": int,
    "identity": str,
    "has_ladder": bool,
    "newcomers": bool,
    "system": str,
    "parameters": dict,
    "mode": str,
    "policy": dict,
    "seed": int,
    "remembered": int,
    "is_dated": bool,
    "counts": dict,
    "counters": dict,
    "strings": dict,
}
COUNTS = ("ticks", "proposed", "requests", "joined", "entries", "departures")
"""What a pool counts."""
MOST_COUNTED = 2**53
MOST_GAMES_REMEMBERED = 10_000
"""Games of each player that a pool from a file may remember: every player has room for them."""
TICKET_COLUMNS = (
    *("number", "time", "size", "front", "proposal"),
    *("entered", "scanned", "looked", "last_turn", "request", "dropped", "fills", "variant"),
)
"""Columns of tickets in a file, beside `side`; the others follow from them."""
PLAYER_COLUMNS = ("playing", "left", "accepted", "declines", "abandons", "offended", "barred")
"""Columns of players in a file; what tickets give, ratings too, is with the tickets."""
LAST_RATINGS = ("mu", "sigma")
"""The ratings with which players joined last, for those who play a match that may ask for more."""


class SavedPool(NamedTuple):
    """A file that was read, whose header is checked and whose arrays are not."""

    name: str
    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    policy: Policy


# ---------------------------------------------------------------------- writing


def write_pool(target: PathLike | IO[bytes], pool: Pool) -> None:
    """Write a pool, to a path atomically; refused if a term or a function is not registered."""
    pool.source.system.check_named()
    store, now = pool.store, pool.now
    attributes = store.attributes
    texts = {**attributes._fresh, **attributes.texts}
    known = list(dict.fromkeys([*texts, *attributes.said.columns, *attributes.low.columns]))
    source = pool.source
    header = {
        "kind": KIND,
        "format": FILE_FORMAT,
        "identity": pool.identity,
        "has_ladder": not isinstance(source, FromTickets),
        "newcomers": source.newcomers,
        "forgotten_by_ladder": _forgotten_by_ladder(pool),
        **pool.source.system.describe(),
        "mode": str(pool.mode),
        "policy": policy_form(pool.policy),
        "seed": pool.seed,
        "timeout": pool.timeout,
        "effort": pool.effort,
        "remembered": pool.remembered,
        "clock": now.seconds if now.is_told else None,
        "is_dated": now.is_dated,
        "counts": dict(zip(COUNTS, counts_of(pool), strict=True)),
        "counters": pool.counters.numbers(),
        "strings": {
            "players": len(store.names),
            "regions": len(store.delays.regions),
            "attributes": len(known),
            "texts": [None if (of := texts.get(name)) is None else len(of) for name in known],
            "merged": [len(players) for players in pool.merged],
        },
        "said": [known.index(name) for name in attributes.said.columns],
        "needed": [known.index(name) for name in attributes.low.columns],
        "ranged": [known.index(name) for name in known if attributes.has_ranges(name)],
        "new": [known.index(name) for name in known if name not in attributes.texts],
    }
    strings = [*store.names, *store.delays.regions, *known]
    strings += [text for name in known for text in texts.get(name) or ()]
    strings += [player for players in pool.merged for player in players]
    write_container(target, header, pack_names(strings) | dict(arrays_of(pool, known)))


def _forgotten_by_ladder(pool: Pool) -> list[int]:
    """Who waits though the pool refuses newcomers and the ladder does not know them any more, by number."""
    store, source = pool.store, pool.source
    if source.newcomers:
        return []
    waiting = np.flatnonzero(store.people["ticket"] != NOBODY)
    new: list[int] = waiting[source.are_newcomers(store, waiting)].tolist()
    return new


def counts_of(pool: Pool) -> tuple[int, ...]:
    """What a pool has counted, in the order of `COUNTS`."""
    store = pool.store
    return pool.ticks, pool.proposed, pool.requests, store.joined, store.entries, store.departures


def arrays_of(pool: Pool, known: list[str]) -> Iterator[tuple[str, NDArray[Any]]]:
    """The columns of a pool by their names in a file."""
    store, memory, count = pool.store, pool.memory, len(pool.store.names)
    slots = np.flatnonzero(store.table["state"] != GONE)
    slots = slots[np.argsort(store.table["number"][slots])]
    members, _ = store.members(slots)
    for name in (*TICKET_COLUMNS, "side"):
        yield f"ticket:{name}", store.table[name][slots]
    yield "members", members
    yield "mu", store.people["mu"][members]
    yield "sigma", store.people["sigma"][members]
    yield "roles", store.people["roles"][members]
    store.people.reserve(count)
    for name in (*PLAYER_COLUMNS, *LAST_RATINGS):
        yield f"player:{name}", store.people[name][:count]
    for name, column in store.attributes.said.columns.items():
        yield f"said:{known.index(name)}", column[slots]
    for what, table in (("low", store.attributes.low), ("high", store.attributes.high)):
        for name, column in table.columns.items():
            yield f"{what}:{known.index(name)}", column[slots]
    for name, column in store.attributes.choice.columns.items():
        yield f"choice:{known.index(name)}", column[slots]
    choices = list(store.attributes._choices)
    yield "choices", np.array([code for codes in choices for code in codes], np.int64)
    yield "choice_ends", np.cumsum([0, *map(len, choices)])
    yield "delays", store.delays.of(slots)
    memory.opponents.reserve(count)
    yield "met", memory.opponents.met[:count]
    yield "games", memory.opponents.played[:count]
    if memory.scores is not None:
        memory.scores.grow(count)
        yield "scores", memory.scores.scores[:count]
        yield "scored", memory.scores.played[:count]
    yield "blocks", np.array(sorted(memory._blocks), np.int64).reshape(-1, 2)
    pool.matches.keep_only(pool.live_matches())
    if pool.matches.parts:
        for name, column in joined(pool.matches.parts)._asdict().items():
            yield f"match:{name}", column


def policy_form(policy: Policy) -> dict[str, Any]:
    """A policy as plain values, its terms by name and in order; refused if a name means another term."""
    for term in policy.terms:
        if Term.known.get(term.name) is not type(term):
            raise ParameterError(
                f"a file cannot hold the term {term.name!r}: another term is registered with that name",
                hint="give yours another name",
            )
    target = policy.target
    return {
        "tolerance": policy.tolerance,
        "terms": [[term.name, {n: plain(v) for n, v in term.parameters().items()}] for term in policy.terms],
        "target": None if target is None else {name: getattr(target, name) for name in target.declared()},
        "party": policy.party,
        "conduct": {name: plain(getattr(policy.conduct, name)) for name in policy.conduct.declared()},
    }


def policy_from(form: Mapping[str, Any]) -> Policy:
    """The policy with this form; its terms are found by their names."""
    terms = form.get("terms")
    if not isinstance(terms, list) or any(not isinstance(one, list) or len(one) != 2 for one in terms):
        raise StateError(f"the terms of the policy are {shorten(repr(terms))}")
    made = []
    for name, parameters in terms:
        if not isinstance(name, str) or not isinstance(parameters, dict):
            raise StateError(f"a term of the policy is {shorten(repr((name, parameters)))}")
        made.append(Term.known.find(name)(**parameters))
    target = form.get("target")
    if target is not None and (not isinstance(target, dict) or "system" in target):
        raise StateError(f"the target of the policy is {shorten(repr(target))}")
    aim = None if target is None else WinRateTarget(**target)
    conduct = form.get("conduct", {})  # which files of format 1 do not have
    if not isinstance(conduct, dict):
        raise StateError(f"the conduct of the policy is {shorten(repr(conduct))}")
    return Policy(
        tuple(made), form.get("tolerance", math.nan), aim, Conduct(**conduct), form.get("party", 0.0)
    )


# ---------------------------------------------------------------------- reading


def read_pool(source: PathLike | IO[bytes]) -> SavedPool:
    """Read a pool, and check what its header says."""
    name = name_of(source)
    header, arrays = read_container(source)
    if header.get("kind") != KIND:
        raise StateError(
            f"{name} was saved by podium, but is not a waiting pool", hint="Ladder.load reads ladders"
        )
    check_header(name, header, "pool", _HEADER, FILE_FORMAT)
    if missing := set(_OPTIONAL) - header.keys():
        raise StateError(f"{name} is not a complete pool: {min(missing)!r} is missing")
    try:
        counts = header["counts"]
        if any(type(counts.get(key)) is not int or not 0 <= counts[key] <= MOST_COUNTED for key in COUNTS):
            raise StateError(f"the counts are {shorten(repr(counts))}")
        policy = policy_from(header["policy"])
        games = max(policy.rematch_games, 0 if policy.target is None else policy.target.games)
        if games > MOST_GAMES_REMEMBERED:
            raise StateError(f"the policy remembers {games} games of each player")
    except (PodiumError, TypeError) as error:
        raise refused(name, error) from error
    return SavedPool(name, header, arrays, policy)


def refused(name: str, error: Exception) -> StateError:
    """The refusal of a file, with its name."""
    if isinstance(error, PodiumError):
        return StateError(f"{name}: {error.reason}", hint=error.hint)
    return StateError(f"{name}: {shorten(str(error))}")
