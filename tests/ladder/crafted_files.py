"""Files of ladders that somebody crafted: the checksum fits, and anything stands in header and arrays.

This is a program, `python crafted_files.py SEED COUNT SYSTEM…`: a kernel that is misled takes its process
with it. It prints what was changed in a file before it loads the file, and what happened after.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium import Anchor, Ladder, Merge, PodiumError, StateError
from podium.files.checksummed import pack_names, read_container, write_container
from podium.systems import RatingSystem, make_system

WRONG = "WRONG"
"""How a line about a file begins that was neither refused nor could be used."""

Header = dict[str, Any]
Arrays = dict[str, NDArray[Any]]
Change = Callable[[Header, Arrays], None]

FLOATS = [
    math.nan,
    math.inf,
    -math.inf,
    -1.0,
    0.0,
    1e308,
    -1e308,
    1e50,
    -1e50,
    1e-50,
    5e-324,
    1e9,
    -1e9,
    3e15,
]
VALUES = [None, True, -1, 0, 1, 2**31, 2**63, -(2**63) + 1, 1.5, 1e308, math.nan, math.inf, "x", "", [], {}]
NAMES = ["cls", "self", "name", "nobody"]
"""What a parameter of a system must not be called."""

VARIANTS: dict[str, dict[str, Any]] = {
    "elo": {"period": "7d"},
    "glicko2": {"period": "7d"},
    "elo-mmr": {"newcomer_weights": (0.4, 0.7), "newcomer_start": "adaptive", "drift_per_day": 5.0},
    "elo-r": {"newcomer_weights": (0.4, 0.7)},
    "luck": {"points": 101, "growth_per_day": 2.0, "adapt": 0.1},
    "yuksel": {"form": "batch"},
}
"""Parameters that bring more columns into play."""


def season(system: RatingSystem) -> Ladder:
    """A small ladder of a system, with an anchor and a named event."""
    ladder = Ladder(system)
    for day in range(1, 9):
        winner, loser = ("ann", "bob") if day % 3 else ("cat", "dan")
        ladder.record_match(winner, loser, time=f"2026-05-0{day}", name=f"round {day}")
    ladder.record_match("ann", "cat", time="2026-05-09")
    ladder.adjust(Anchor(player="dan"))
    return ladder


def changes(header: Header, arrays: Arrays) -> Iterator[tuple[str, Change]]:
    """Every way to craft a file from this one, with a label."""
    for key in header:
        yield f"without {key}", lambda header, _, key=key: header.pop(key, None)
        for value in [*VALUES, 10**400]:
            yield f"{key} {value!r:.20}", lambda header, _, key=key, value=value: header.update({key: value})
    for name in [*header["parameters"], *NAMES]:
        for value in [*VALUES, "none", "normal(1e-300)", "1e400", [math.nan]]:
            yield (
                f"parameter {name} {value!r:.20}",
                lambda header, _, name=name, value=value: header["parameters"].update({name: value}),
            )
    for name, array in arrays.items():
        for label, other in others(array):
            yield f"{name} {label}", lambda _, arrays, name=name, other=other: arrays.update({name: other})
        yield f"without {name}", lambda _, arrays, name=name: arrays.pop(name, None)
    for label, names in (("twice", ["ann", "bob", "cat", "ann"]), ("empty", ["ann", "", "cat", "dan"])):
        yield f"names {label}", lambda _, arrays, names=names: arrays.update(pack_names(names))
    yield "one more array", lambda _, arrays: arrays.update({"column:more": np.zeros(4), "else": np.zeros(9)})


def others(array: NDArray[Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Arrays in place of another: other numbers, types and shapes."""
    limits: Any = FLOATS
    if array.dtype.kind in "iu":
        info = np.iinfo(array.dtype)
        wanted = {info.min, -1, 0, 1, 1_000_000_000, info.max - 1, info.max}
        limits = sorted(value for value in wanted if info.min <= value <= info.max)
    elif array.dtype.kind == "b":
        limits = [False, True]
    for value in limits:
        yield f"all {value!r}", np.full_like(array, value)
        if array.size:
            one = array.copy()
            one.reshape(-1)[array.size // 2] = value
            yield f"one {value!r}", one
    for dtype in ("f4", "f8", ">f8", "i1", "i4", ">i4", "i8", "u8", "?"):
        if np.dtype(dtype) != array.dtype:
            with np.errstate(invalid="ignore"):
                yield f"as {dtype}", array.astype(dtype)
    yield "cut", array[:-1] if array.ndim else array
    yield "doubled", np.concatenate([array.reshape(-1)] * 2)
    yield "in a row", array.reshape(1, -1)
    yield "nothing", array.reshape(-1)[:0]
    if array.size:
        yield "a number", array.reshape(-1)[0].reshape(())


def use(ladder: Ladder) -> None:
    """Everything that brings the numbers of a ladder to kernels; what comes out is finite."""
    ladder.record_match("ann", "bob", time="2026-05-10")
    ladder.record_match("cat", "somebody new", time="2026-06-01")
    ladder.record(ranks={"ann": 1, "dan": 2}, time="2026-06-01")
    ladder.preview(ranks={"bob": 1, "dan": 2}, time="2026-06-09")
    assert 0.0 <= ladder.expected_score("ann", "dan", at="2026-07-01") <= 1.0
    chances = ladder.outcomes("bob", "cat")
    assert abs(chances.win + chances.draw + chances.loss - 1.0) < 1e-9
    ladder.rank_probabilities(["ann", "bob"])
    ladder.adjust(Merge(player="cat", into="ann"))
    ladder.explain("bob")
    ladder.leaderboard()
    ratings = ladder.ratings()
    for name in ("mu", "sigma", "display"):
        assert all(number is None or math.isfinite(number) for number in ratings[name]), ratings
    ladder.undo()
    ladder.to_bytes()


def attempt(path: Path) -> str:
    """Load a file and use the ladder: what happened, in a word."""
    try:
        ladder = Ladder.load(path)
    except StateError as error:
        return "refused" if str(path) in str(error) else f"{WRONG} does not name the file: {error}"
    except Exception as error:
        return f"{WRONG} {type(error).__name__} when loading: {error}"
    try:
        use(ladder)
    except PodiumError:
        return "used"  # who was ann has another name, or the last event is later than those of `use`
    except Exception as error:
        return f"{WRONG} {type(error).__name__} when used: {error}"
    return "used"


def main(seed: int, count: int, names: list[str]) -> None:
    """Try `count` files of each system with one change or two, the same for one seed; for 0 every change."""
    chance = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        whole, crafted = Path(folder, "whole.podium"), Path(folder, "crafted.podium")
        for name in names:
            season(make_system(name, **VARIANTS.get(name, {}))).save(whole)
            use(Ladder.load(whole))
            ways = list(changes(*read_container(whole)))
            chosen = [chance.choice(len(ways), chance.integers(1, 3)) for _ in range(count)]
            for numbers in chosen or [[number] for number in range(len(ways))]:
                header, arrays = read_container(whole)
                for number in sorted(numbers, reverse=True):  # parameters before the header they stand in
                    label, change = ways[number]
                    print(f"{name}: {label}", end="; ", flush=True)
                    change(header, arrays)
                write_container(crafted, header, arrays)
                print(attempt(crafted)[:300], flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
