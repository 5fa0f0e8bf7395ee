"""Ladders as files: system, names, state, and where in time they stand."""

from __future__ import annotations

from typing import IO, Any, NamedTuple

from podium.errors import ParameterError, StateError
from podium.files.checksummed import pack_names, read_container, unpack_names, write_container
from podium.files.file_names import PathLike, name_of
from podium.history import Names
from podium.history.hash_sets import HashSet
from podium.named import Named
from podium.systems import RatingSystem, State, make_system

FILE_FORMAT = 1
RATED = "rated_hashes"
"""The array with the hashes of what was rated, which ladders saved by 0.1.0 do not have."""
_HEADER = {"format", "system", "parameters", "state_format", "last_time", "n_events"}


class Saved(NamedTuple):
    """Everything that a file stores of a ladder; the journal needed by `undo` is not stored."""

    system: RatingSystem
    players: Names
    state: State
    last_time: int
    n_events: int
    rated: HashSet
    """Hashes of the events and files rated; see `podium.ladder.repeats`."""


def write_saved(target: PathLike | IO[bytes], saved: Saved) -> None:
    """Write a ladder, to a path atomically; refused if a parameter is a function that is not registered."""
    saved.system.check_named()
    header = {
        "kind": "ladder",
        "format": FILE_FORMAT,
        **saved.system.describe(),
        "last_time": saved.last_time,
        "n_events": saved.n_events,
    }
    arrays = pack_names(saved.players.to_list()) | saved.state.to_arrays()
    write_container(target, header, arrays | {RATED: saved.rated.to_array()})


def read_saved(source: PathLike | IO[bytes], wanted: RatingSystem | None) -> Saved:
    """Read a ladder; refused if its system differs from `wanted` in more than the displayed rating."""
    name = name_of(source)
    header, arrays = read_container(source)
    if header.get("kind") != "ladder":
        raise StateError(f"{name} was saved by podium, but is no ladder")
    if missing := _HEADER - set(header):
        raise StateError(f"{name} is no whole ladder: {min(missing)!r} is missing")
    if header["format"] > FILE_FORMAT:
        raise StateError(f"{name} was saved by a newer version of podium", hint="upgrade podium")
    try:
        system = make_system(header["system"], **header["parameters"] | _functions(header, wanted))
        players = Names(unpack_names(arrays))
        rated = HashSet(arrays.pop(RATED, None))
        state = system.restore_state(arrays, header["state_format"])
    except (ParameterError, StateError) as error:
        raise StateError(f"{name}: {error.reason}", hint=error.hint) from error
    if wanted is not None and not wanted.same_beliefs(system):
        raise StateError(
            f"{name} is of {_difference(system, wanted)}", hint="load it without system=, or rate anew"
        )
    if state.size != len(players):
        raise StateError(f"{name} has {state.size} states for {len(players)} players")
    return Saved(wanted or system, players, state, header["last_time"], header["n_events"], rated)


def _functions(header: dict[str, Any], wanted: RatingSystem | None) -> dict[str, Named]:
    """Functions of `wanted` that the file names too; these need not be registered."""
    if wanted is None or wanted.name != header["system"]:
        return {}
    ours = {name: value for name, value in wanted.parameters().items() if isinstance(value, Named)}
    return {name: value for name, value in ours.items() if header["parameters"].get(name) == value.name}


def _difference(saved: RatingSystem, wanted: RatingSystem) -> str:
    """How the saved system differs from the wanted one, as text for an error message."""
    if saved.name != wanted.name:
        return f"{saved.name}, not of {wanted.name}"
    ours = wanted.parameters()
    differing = [f"{n}={value}, not {ours[n]}" for n, value in saved.parameters().items() if value != ours[n]]
    return f"{saved.name} with " + ", ".join(differing)
