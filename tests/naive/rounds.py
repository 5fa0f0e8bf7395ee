"""Rounds by looking at all of them: slow, obvious, for a few entrants."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

Pair = frozenset[int]


def all_rounds(entrants: list[int], allowed: set[Pair]) -> Iterator[list[Pair]]:
    """Every way to pair all entrants."""
    if not entrants:
        yield []
        return
    first, *others = entrants
    for other in others:
        if frozenset((first, other)) in allowed:
            for rest in all_rounds([each for each in others if each != other], allowed):
                yield [frozenset((first, other)), *rest]


def can_complete(size: int, allowed: set[Pair], rounds: int) -> bool:
    """Whether so many rounds can follow in which no pair meets twice."""
    if rounds == 0:
        return True
    return any(
        can_complete(size, allowed - set(each), rounds - 1) for each in all_rounds(list(range(size)), allowed)
    )


def title_chances(slots: list[int | None], win: list[list[float]]) -> dict[int, float]:
    """Each slot's chance to win a knockout: every course it can take, with its probability."""
    chances = dict.fromkeys((slot for slot in slots if slot is not None), 0.0)
    matches = len(slots) - 1
    for course in product((0, 1), repeat=matches):
        left, choice, probability = list(slots), iter(course), 1.0
        while len(left) > 1:
            through = []
            for a, b in zip(left[::2], left[1::2], strict=True):
                side = next(choice)
                if a is None or b is None:
                    probability *= side == 0  # nothing is open: one of the two ways is counted
                    through.append(b if a is None else a)
                else:
                    probability *= win[a][b] if side == 0 else win[b][a]
                    through.append((a, b)[side])
            left = through
        if left[0] is not None:
            chances[left[0]] += probability
    return chances
