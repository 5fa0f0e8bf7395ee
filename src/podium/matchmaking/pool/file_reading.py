"""A saved waiting pool is filled with what its file holds, each number checked before it is used."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import SECOND, Longs
from podium.errors import PodiumError, StateError, UnknownPlayerError
from podium.files.checksummed import unpack_names
from podium.history import Names
from podium.history.times import EARLIEST, LATEST
from podium.ladder.ladder import Ladder
from podium.ladder.saving import difference, saved_system
from podium.matchmaking.pool.counters import PoolCounters
from podium.matchmaking.pool.files import (
    COUNTS,
    LAST_RATINGS,
    MOST_COUNTED,
    PLAYER_COLUMNS,
    SavedPool,
    refused,
)
from podium.matchmaking.pool.joins import check_running, check_used
from podium.matchmaking.pool.known_matches import REASONS, MatchColumns
from podium.matchmaking.pool.player_memory import last_games
from podium.matchmaking.pool.pool import PoolTime
from podium.matchmaking.pool.rating_sources import FromTickets, RatingService, source_of
from podium.matchmaking.pool.ticket_columns import Needed, Said
from podium.matchmaking.pool.tickets import GONE, NOBODY, PROPOSED, JoiningTickets
from podium.systems import System
from podium.systems.contract.column_ranges import FINITE, Range
from podium.systems.contract.state import check_layout
from podium.text import shorten

if TYPE_CHECKING:
    from podium.matchmaking.pool.pool import Pool

ANY = Range(-sys.float_info.max, sys.float_info.max)
"""What tickets may say."""


@contextmanager
def refusals_named(name: str) -> Iterator[None]:
    """If something is refused inside the block, name the file."""
    try:
        yield
    except UnknownPlayerError as error:
        raise StateError(
            f"{name}: the pool holds players who are not on the ladder: {error.reason}",
            hint="load the ladder of the time when the pool was saved, or rate them as newcomers with "
            "unknown='newcomer'",
        ) from error
    except PodiumError as error:
        raise refused(name, error) from error


def saved_options(
    saved: SavedPool, rated: Ladder | RatingService | System | None
) -> tuple[Ladder | RatingService | System, dict[str, Any]]:
    """The arguments of the `Matchmaker` that was saved; refused if `rated` is of other parameters."""
    header = saved.header
    source = None if rated is None else source_of(rated, "newcomer")
    has_ladder = source is not None and not isinstance(source, FromTickets)
    if header["has_ladder"] and not has_ladder:
        raise StateError("this pool belongs to a ladder", hint="Matchmaker.load(path, ladder)")
    if not header["has_ladder"] and has_ladder:
        raise StateError("this pool has the ratings in its tickets, not in a ladder", hint="load it alone")
    wanted = None if source is None else source.system
    system = saved_system(header, wanted)
    if wanted is not None and not wanted.same_beliefs(system):
        raise StateError(f"the pool is of {difference(system, wanted)}")
    return system if rated is None else rated, {
        "mode": header["mode"],
        "policy": saved.policy,
        "seed": header["seed"],
        "timeout": header["timeout"],
        "unknown": "newcomer" if header["newcomers"] else "error",
        "effort": header["effort"],
        "remembered": header["remembered"],
    }


def fill_pool(pool: Pool, saved: SavedPool) -> None:
    """Put what was saved into a new pool of the same mode, perhaps with another policy."""
    _Reader(pool, saved).read()


class _Reader:
    """Puts the arrays of a file into a pool, each checked before it is used."""

    def __init__(self, pool: Pool, saved: SavedPool) -> None:
        self.pool, self.store, self.header, self.arrays = pool, pool.store, saved.header, saved.arrays
        self.policy = saved.policy

    def column(
        self, name: str, shape: tuple[int, ...], numbers: Range | None = None, dtype: type = np.int64
    ) -> NDArray[Any]:
        """An array of a type and a shape whose numbers are in a range."""
        if name not in self.arrays:
            raise StateError(f"the column {name} is missing")
        array = self.arrays.pop(name)
        check_layout(name, array, np.dtype(dtype), shape)
        if numbers is not None:
            numbers.check(f"column {name}", array)
        return array

    def rows(self, name: str) -> int:
        """How many rows a column claims to have."""
        shape = self.arrays[name].shape if name in self.arrays else ()
        return shape[0] if shape else 0

    def read(self) -> None:
        """Fill the pool; a StateError leaves it half full."""
        pool, header, counts = self.pool, self.header, self.header["counts"]
        pool.identity = header["identity"]
        pool.now = self.clock()
        pool.ticks, pool.proposed, pool.requests = (counts[key] for key in COUNTS[:3])
        pool.counters = PoolCounters.from_numbers(header["counters"])
        players, regions, known, texts, pool.merged = self.strings()
        self.store.names = Names(players)
        self.read_tickets(regions, known, texts)
        self.read_players()
        self.read_matches()
        self.check_requests()
        self.store.joined, self.store.entries, self.store.departures = (counts[key] for key in COUNTS[3:])
        if self.arrays:
            raise StateError(f"the column {min(self.arrays)!r} does not belong to a pool")
        self.withdraw_requests_of_ended_matches()

    def clock(self) -> PoolTime:
        """The time of the pool."""
        seconds, is_dated = self.header["clock"], self.header["is_dated"]
        if seconds is None:
            return PoolTime()
        if type(seconds) not in (int, float) or not math.isfinite(seconds):
            raise StateError(f"the clock is {shorten(repr(seconds))}")
        if is_dated and not EARLIEST <= seconds * SECOND <= LATEST:
            raise StateError(f"the clock shows {seconds:g}, which is not a time")
        return PoolTime(float(seconds), is_dated, True)

    def strings(
        self,
    ) -> tuple[list[str], list[str], list[str], dict[str, Names | None], list[tuple[str, ...]]]:
        """Players, regions, attributes, the texts of each attribute, and players of merged tickets."""
        counts = self.header["strings"]
        lengths = [counts.get(key) for key in ("players", "regions", "attributes")]
        texts, merged = counts.get("texts"), counts.get("merged")
        if not isinstance(texts, list) or not isinstance(merged, list) or len(texts) != lengths[2]:
            raise StateError("the number of the pool's strings is missing")
        lengths += [0 if length is None else length for length in texts] + merged
        everything = unpack_names(self.arrays)
        if any(type(length) is not int or length < 0 for length in lengths) or sum(lengths) != len(
            everything
        ):
            raise StateError(f"the pool has {len(everything)} strings, another number than it gives")
        edges = np.cumsum([0, *lengths]).tolist()
        parts = [everything[start:end] for start, end in pairwise(edges)]
        for part in parts[: 3 + len(texts)]:
            if len(set(part)) < len(part):
                raise StateError("a player, a region, an attribute or a text appears twice")
        if "" in parts[0] or "" in parts[2]:
            raise StateError("a player or an attribute has an empty name")
        of = zip(parts[2], texts, parts[3:], strict=False)
        named = {name: None if length is None else Names(part) for name, length, part in of}
        return parts[0], parts[1], parts[2], named, [tuple(part) for part in parts[3 + len(texts) :]]

    def places(self, key: str, known: list[str]) -> list[str]:
        """Those of the attributes that a list in the header has by their places."""
        places = self.header.get(key)
        if not isinstance(places, list) or any(
            type(place) is not int or not 0 <= place < len(known) for place in places
        ):
            raise StateError(f"{key!r} is {shorten(repr(places))}")
        if len(set(places)) < len(places):
            raise StateError(f"{key!r} has an attribute twice")
        return [known[place] for place in places]

    # ------------------------------------------------------------------ tickets

    def read_tickets(self, regions: list[str], known: list[str], texts: dict[str, Names | None]) -> None:
        """Let the tickets join in their order, and be as they were."""
        store, counts, mode = self.store, self.header["counts"], self.pool.mode
        rows = self.rows("ticket:number")
        size = self.column("ticket:size", (rows,), Range(1, mode.players))
        mode.check_party(int(size.max(initial=1)))
        number = self.column("ticket:number", (rows,), Range(0, counts["joined"] - 1))
        if np.any(np.diff(number) <= 0):
            raise StateError("the tickets are not in the order of their numbers")
        total, players = int(size.sum()), len(store.names)
        members = self.column("members", (total,), Range(0, players - 1))
        if len(np.unique(members)) < total:
            raise StateError("a player has two tickets")
        time = self.column("ticket:time", (rows,), ANY._replace(high=self.pool.now.seconds), np.float64)
        mu, sigma = (self.column(name, (total,), dtype=np.float64) for name in ("mu", "sigma"))
        names = [store.names[member] for member in members.tolist()]
        with_sigma = sigma if self.pool.source.system.has_sigma else None
        forgotten = self.forgotten_by_ladder()
        if self.header["has_ladder"]:
            mu, sigma = self.pool.source.check([name for name in names if name not in forgotten], None, None)
        else:
            mu, sigma = self.pool.source.check(names, mu, with_sigma)
        said, needed = self.read_attributes(rows, known, texts)
        delays = self.column(
            "delays", (rows, len(regions)), ANY._replace(low=0.0, nothing=math.nan), np.float64
        )
        store.delays.write(np.zeros(0, np.int64), dict.fromkeys(regions, np.zeros(0)), 0)
        latency = {region: delays[:, place] for place, region in enumerate(regions)}
        roles = self.column("roles", (total,), Range(1, mode.any_role))
        entry = JoiningTickets(names, size, time, mu, sigma, said, needed, latency, roles)
        store.attributes.check_together(said, needed)
        has_needs = {name: needs for name, needs in needed.items() if not _is_empty(needs)}
        here = {region: column for region, column in latency.items() if not np.isnan(column).all()}
        if rows:
            check_used(entry._replace(needed=has_needs, delays=here), self.pool.policy)
        slots = np.arange(rows)
        store.add(entry, members, slots)
        store.table["number"][slots] = number
        store.table["front"][slots] = self.column("ticket:front", (rows,), dtype=np.bool_)
        limits = {
            "proposal": Range(NOBODY, counts["proposed"] - 1),
            "entered": Range(0, max(counts["entries"] - 1, 0)),
            "scanned": Range(0, max(counts["entries"] - 1, 0)),
            "looked": Range(0, counts["entries"]),
            "last_turn": Range(0, 2 * counts["ticks"] + 2),
            "request": Range(NOBODY, counts["requests"] - 1),
            "side": Range(NOBODY, mode.sides - 1),
        }
        if self.header["format"] > 1:
            limits["dropped"] = limits["fills"] = Range(NOBODY, counts["proposed"] - 1)
            limits["variant"] = Range(0, len(mode.variants) - 1)
        for name, limit in limits.items():
            store.table[name][slots] = self.column(f"ticket:{name}", (rows,), limit)
        store.table["state"][slots[store.table["proposal"][slots] != NOBODY]] = PROPOSED

    def forgotten_by_ladder(self) -> set[str]:
        """Who waited though the ladder did not know them any more when the pool was saved."""
        numbers = self.header.get("forgotten_by_ladder", [])  # which files of older versions do not have
        if not isinstance(numbers, list) or any(
            type(number) is not int or not 0 <= number < len(self.store.names) for number in numbers
        ):
            raise StateError(f"the players removed from the ladder are {shorten(repr(numbers))}")
        return {self.store.names[number] for number in numbers}

    def read_attributes(
        self, rows: int, known: list[str], texts: dict[str, Names | None]
    ) -> tuple[dict[str, Said], dict[str, Needed]]:
        """What tickets say and need."""
        attributes, place = self.store.attributes, {name: i for i, name in enumerate(known)}
        attributes._choices = self.choices()
        new = self.places("new", known)
        attributes._fresh = {name: of for name in new if (of := texts[name]) is not None}
        attributes.texts = {name: of for name, of in texts.items() if name not in new}
        attributes._ranged = set(self.places("ranged", known))
        said, needed, listed = {}, {}, list(attributes._choices)
        for name in self.places("said", known):
            values, of = self.column(f"said:{place[name]}", (rows,), dtype=np.float64), texts[name]
            (ANY if of is None else Range(0, len(of) - 1))._replace(nothing=math.nan).check(name, values)
            if of is not None and np.any(values[~np.isnan(values)] % 1):
                raise StateError(f"the texts of {shorten(name)!r} are not whole numbers")
            said[name] = Said(values, of)
        for name in self.places("needed", known):
            low, high = (
                self.column(f"{end}:{place[name]}", (rows,), dtype=np.float64) for end in ("low", "high")
            )
            choice = self.column(f"choice:{place[name]}", (rows,), Range(-1, len(attributes._choices) - 1))
            if np.any(np.isnan(low) != np.isnan(high)) or np.any(low > high):
                raise StateError(f"the needs of {shorten(name)!r} are not ranges")
            of = texts[name]
            if of is None and np.any(choice >= 0):
                raise StateError(f"the needs of {shorten(name)!r} are texts of a number")
            if any(listed[number][-1] >= len(of or ()) for number in np.unique(choice[choice >= 0]).tolist()):
                raise StateError(f"the needs of {shorten(name)!r} name missing texts")
            needed[name] = Needed(low, high, choice, of)
            if needed[name].has_ranges and name not in attributes._ranged:
                raise StateError(f"a player needs a range of {shorten(name)!r}, which has no values")
        return said, needed

    def choices(self) -> dict[tuple[int, ...], int]:
        """The choices of texts that tickets need."""
        codes = self.column("choices", (self.rows("choices"),), Range(0, 2**31))
        ends = self.offsets("choice_ends", None, len(codes))
        listed = [tuple(codes[a:b].tolist()) for a, b in pairwise(ends.tolist())]
        if len(set(listed)) < len(listed) or any(list(one) != sorted(set(one)) for one in listed):
            raise StateError("a choice of texts appears twice, or out of order")
        return {one: number for number, one in enumerate(listed)}

    def offsets(self, name: str, pieces: int | None, end: int) -> Longs:
        """Where pieces begin, none of them empty, and the last ends."""
        count = self.rows(name) if pieces is None else pieces + 1
        found = self.column(name, (count,))
        if count < 1 or found[0] != 0 or found[-1] != end or np.any(np.diff(found) <= 0):
            raise StateError(f"column {name} does not lead to all {end} pieces")
        return found

    # ------------------------------------------------------------------ players and matches

    def read_players(self) -> None:
        """What is remembered of players."""
        store, memory, counts, count = (
            self.store,
            self.pool.memory,
            self.header["counts"],
            len(self.store.names),
        )
        store.people.reserve(count)
        number, times = Range(NOBODY, counts["proposed"] - 1), Range(0, MOST_COUNTED)
        clock = ANY._replace(nothing=math.nan)
        limits = number, Range(0, counts["departures"]), number, times, times, clock, clock
        known = zip(PLAYER_COLUMNS, limits, strict=True)
        for name, limit in known if self.header["format"] > 1 else islice(known, 2):
            kind = store.people[name].dtype.type
            store.people[name][:count] = self.column(f"player:{name}", (count,), limit, kind)
        if self.header["format"] > 1:
            gone = np.flatnonzero(store.people["ticket"][:count] == NOBODY)
            for name in LAST_RATINGS:
                last = self.column(f"player:{name}", (count,), ANY._replace(nothing=math.nan), np.float64)
                store.people[name][gone] = last[gone]
        opponents = memory.opponents
        met = self.arrays.get("met", np.zeros(0))
        shape = count, self.policy.rematch_games, met.shape[2] if met.ndim == 3 else 1
        met = self.column("met", shape, Range(NOBODY, count - 1), np.int32)
        played = self.column("games", (count,), Range(0, MOST_COUNTED))
        opponents.met, opponents.played = last_games(met, played, opponents.games, NOBODY)
        if self.policy.target is not None:
            games = self.policy.target.games
            scores = self.column("scores", (count, games), Range(0.0, 1.0), np.float64)
            scored = self.column("scored", (count,), Range(0, MOST_COUNTED))
            if np.any(scores[scored[:, None] <= np.arange(games)]):
                raise StateError("a player has more scores than games")
            if (kept := memory.scores) is not None:
                kept.scores, kept.played = last_games(scores, scored, kept.scores.shape[1], 0.0)
        pairs = self.column("blocks", (self.rows("blocks"), 2), Range(0, count - 1))
        if len(pairs) and not self.pool.policy.uses("blocks"):
            raise StateError("the pool has blocks, and the policy does not use them")
        memory._blocks = dict.fromkeys((a, b) for a, b in pairs.tolist())

    def read_matches(self) -> None:
        """The matches that are proposed or played."""
        counts, players = self.header["counts"], len(self.store.names)
        if "match:numbers" in self.arrays:
            rows = self.rows("match:numbers")
            numbers = self.column("match:numbers", (rows,), Range(0, counts["proposed"] - 1))
            if rows < 1 or np.any(np.diff(numbers) <= 0):
                raise StateError("the matches are not in the order of their numbers")
            total = self.rows("match:player")
            members = self.offsets("match:members", None, total)
            sides = self.offsets("match:sides", rows, len(members) - 1)
            who, by_side = Range(NOBODY, players - 1), len(members) - 1
            clock = ANY._replace(high=self.pool.now.seconds, nothing=math.nan)
            untold = np.full(rows, np.nan)
            has_times = self.header["format"] > 1
            matches = MatchColumns(
                numbers,
                sides,
                members,
                self.column("match:player", (total,), who),
                self.column("match:called", (total,), who),
                self.column("match:chance", (by_side,), FINITE, np.float64),
                self.column("match:wanted", (by_side,), FINITE, np.float64),
                self.column("match:cost", (rows,), FINITE, np.float64),
                self.column("match:waited", (total,), Range(0.0, math.inf), np.float64),
                self.column("match:region", (rows,), Range(NOBODY, len(self.store.delays.regions) - 1)),
                self.column("match:backfill", (rows,), Range(NOBODY, counts["requests"] - 1)),
                self.column("match:role", (total,), self.roles()),
                self.column("match:proposed", (rows,), clock, np.float64) if has_times else untold,
                self.column("match:started", (rows,), clock, np.float64) if has_times else untold.copy(),
                self.column("match:continues", (rows,), Range(NOBODY, counts["proposed"] - 1))
                if has_times
                else np.full(rows, NOBODY),
                self.column("match:left", (total,), Range(0, len(REASONS) - 1))
                if has_times
                else np.zeros(total, np.int64),
            )
            self.pool.matches.parts = (matches,)
            self.check_proposals(matches)
        elif np.any(self.store.table["state"] == PROPOSED):
            raise StateError("a ticket is in a missing match")

    def roles(self) -> Range:
        """The numbers of the mode's roles."""
        names = self.pool.mode.role_names
        return Range(0, len(names) - 1) if names else Range(NOBODY, NOBODY)

    def check_proposals(self, matches: MatchColumns) -> None:
        """A proposed match has whole tickets and different players; every proposed ticket is in one."""
        table, player = self.store.table, matches.player
        if np.any(np.diff(matches.sides) < 2):
            raise StateError("a match has one side")
        inside = self.store.proposal_of(player) == matches.per_player
        first = matches.members[matches.sides[:-1]]
        if np.any(np.logical_or.reduceat(inside, first) != np.logical_and.reduceat(inside, first)):
            raise StateError("a match is proposed to some of its players")
        proposed = np.flatnonzero(table["state"] == PROPOSED)
        if len(np.unique(player[inside])) != len(player[inside]) or len(player[inside]) != int(
            table["size"][proposed].sum()
        ):
            raise StateError("the tickets in matches are not those of their players")

    def check_requests(self) -> None:
        """The tickets of a request are the sides of a match with open places, and all wait or none does."""
        table, store = self.store.table, self.store
        asking = np.flatnonzero((table["state"] != GONE) & (table["request"] != NOBODY))
        if np.any(table["side"][asking] == NOBODY):
            raise StateError("a player of a running match has no side")
        for request in np.unique(table["request"][asking]).tolist():
            slots = asking[table["request"][asking] == request]
            sides, proposals = table["side"][slots], table["proposal"][slots]
            if len(np.unique(sides)) < len(sides) or len(np.unique(proposals)) > 1:
                raise StateError(f"the tickets of request {request} do not fit together")
            variants = table["variant"][slots]
            mode, _ = self.pool.mode.variants[int(variants[0])]
            if np.any(variants != variants[0]) or np.any(sides >= mode.sides):
                raise StateError(f"the tickets of request {request} do not fit together")
            teams: list[Sequence[str]] = [[] for _ in range(mode.sides)]
            for side, slot in zip(sides.tolist(), slots.tolist(), strict=True):
                teams[side] = store.players_of(slot)
            check_running(teams if mode.has_teams else [team for team in teams if team], mode, store.names)

    def withdraw_requests_of_ended_matches(self) -> None:
        """Remove requests that versions before 0.2 kept when a match ended."""
        table, playing = self.store.table, self.store.people["playing"]
        asking = np.flatnonzero((table["state"] != GONE) & (table["fills"] != NOBODY))
        ended = asking[~np.isin(table["fills"][asking], playing)]
        self.pool.begin_change()
        for slot in ended.tolist():
            if table["state"][slot] != GONE:  # a ticket of a request that has just been removed
                self.pool.withdraw(slot)
        self.pool._unfinished = None


def _is_empty(needs: Needed) -> bool:
    return bool(np.isnan(needs.low).all() and np.all(needs.choice < 0))
