"""Ladders as files: system, names, state, and where in time they stand."""

from __future__ import annotations

from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME
from podium.errors import ParameterError, StateError
from podium.files.checksummed import check_header, pack_names, read_container, unpack_names, write_container
from podium.files.kinds import PathLike, name_of
from podium.history import Names
from podium.history.key_numbers import HashSet
from podium.history.times import EARLIEST, LATEST
from podium.ladder.recorded_keys import Keys
from podium.named import Named
from podium.parameters import check_names
from podium.systems import RatingSystem, State, find_system, make_system
from podium.text import shorten

FILE_FORMAT = 1
RATED = "rated_hashes"
"""The array with the hashes of what was rated, which ladders saved by 0.1.0 do not have."""
KEYS = "idempotency_keys"
"""The array with what was recorded under keys, which only ladders have that were given any."""
_HEADER: dict[str, type] = {
    "format": int,
    "system": str,
    "parameters": dict,
    "state_format": int,
    "last_time": int,
    "n_events": int,
}
EVENT_TIME = "last_event_time"
"""The key of a header that ladders saved by 0.1.0 do not have either."""
MOST_EVENTS_OF_LADDER = 2**62
"""Rated events: their number and those that follow fit into 64 bits."""


class Saved(NamedTuple):
    """Everything that a file stores of a ladder; the journal needed by `undo` is not stored."""

    system: RatingSystem
    players: Names
    state: State
    last_time: int
    last_event_time: int
    n_events: int
    rated: HashSet
    """Hashes of the events and files rated; see `podium.ladder.repeats`."""
    keys: Keys
    """What was recorded under idempotency keys."""


def write_saved(target: PathLike | IO[bytes], saved: Saved) -> None:
    """Write a ladder, to a path atomically; refused if a parameter is a function that is not registered."""
    saved.system.check_named()
    header = {
        "kind": "ladder",
        "format": FILE_FORMAT,
        **saved.system.describe(),
        "last_time": saved.last_time,
        EVENT_TIME: saved.last_event_time,
        "n_events": saved.n_events,
    }
    arrays = pack_names(saved.players.to_list()) | saved.state.to_arrays()
    if len(saved.keys):
        arrays[KEYS] = saved.keys.to_array()
    write_container(target, header, arrays | {RATED: saved.rated.to_array()})


def read_saved(source: PathLike | IO[bytes], wanted: RatingSystem | None) -> Saved:
    """Read a ladder; refused if its system differs from `wanted` in more than the displayed rating.

    Whoever can write a file can give it a checksum, so nothing in it is believed: the header, the names and
    every number of the state are checked here or by the system (`RatingSystem.check_state`).
    """
    name = name_of(source)
    header, arrays = read_container(source)
    if header.get("kind") != "ladder":
        raise StateError(f"{name} was saved by podium, but is not a ladder")
    check_header(name, header, "ladder", _HEADER, FILE_FORMAT)
    try:
        _check_counts(header)
        system = saved_system(header, wanted)
        players = _players(arrays)
        rated = _rated(arrays)
        keys = Keys.of_array(arrays.pop(KEYS)) if KEYS in arrays else Keys()
        state = system.restore_state(arrays, header["state_format"])
    except (ParameterError, StateError) as error:
        raise StateError(f"{name}: {error.reason}", hint=error.hint) from error
    if wanted is not None and not wanted.same_beliefs(system):
        raise StateError(
            f"{name} is of {difference(system, wanted)}",
            hint="load it without system=, or rate the results again",
        )
    if state.size != len(players):
        raise StateError(f"{name} has {state.size} states for {len(players)} players")
    times = header["last_time"], header.get(EVENT_TIME, latest_known(state))
    return Saved(wanted or system, players, state, *times, header["n_events"], rated, keys)


def latest_known(state: State) -> int:
    """The latest time in a state: as near to the last event as a ladder knows that did not note it."""
    return int(state.column("last_time").max(initial=NO_TIME))


def _check_counts(header: dict[str, Any]) -> None:
    """Refuse a time or a number of events that no ladder has."""
    n_events = header["n_events"]
    for time in (header["last_time"], header.get(EVENT_TIME, NO_TIME)):
        if type(time) is not int or (time != NO_TIME and not EARLIEST <= time <= LATEST):
            raise StateError(f"the time of the last event is {shorten(str(time))}, which is not a time")
    if not 0 <= n_events <= MOST_EVENTS_OF_LADDER:
        raise StateError(f"the number of events is {shorten(str(n_events))}")


def saved_system(header: dict[str, Any], wanted: RatingSystem | None) -> RatingSystem:
    """The system that a file names, with its parameters."""
    name, parameters = header["system"], header["parameters"]
    check_names(find_system(name).declared(), parameters, name)
    return make_system(name, **parameters | _functions(header, wanted))


def _players(arrays: dict[str, NDArray[Any]]) -> Names:
    """The players' names, which are not empty and all different."""
    players = Names(unpack_names(arrays))
    if len(players.index_of) < len(players):
        first = next(name for number, name in enumerate(players) if players.index_of[name] != number)
        raise StateError(f"two players have the name {shorten(first)!r}")
    if "" in players:
        raise StateError("the name of a player is empty")
    return players


def _rated(arrays: dict[str, NDArray[Any]]) -> HashSet:
    """Hashes of what was rated; a file of 0.1.0 has none."""
    hashes = arrays.pop(RATED, np.zeros(0, np.uint64))
    if hashes.dtype != np.uint64 or hashes.ndim != 1:
        raise StateError(f"the hashes of rated events are {hashes.dtype} of shape {hashes.shape}")
    return HashSet(hashes)


def _functions(header: dict[str, Any], wanted: RatingSystem | None) -> dict[str, Named]:
    """Functions of `wanted` that the file names too; these need not be registered."""
    if wanted is None or wanted.name != header["system"]:
        return {}
    ours = {name: value for name, value in wanted.parameters().items() if isinstance(value, Named)}
    return {name: value for name, value in ours.items() if header["parameters"].get(name) == value.name}


def difference(saved: RatingSystem, wanted: RatingSystem) -> str:
    """How the saved system differs from the wanted one, as text for an error message."""
    if saved.name != wanted.name:
        return f"{saved.name}, not of {wanted.name}"
    ours = wanted.parameters()
    differing = [f"{n}={value}, not {ours[n]}" for n, value in saved.parameters().items() if value != ours[n]]
    return f"{saved.name} with " + ", ".join(differing)
