"""Stories: something is driven at random, step by step, and checked after each step.

A story is known by its seed, so a failure can be repeated.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import count
from random import Random

SECONDS = float(os.environ.get("PODIUM_DRIVER_SECONDS", "3600"))
"""How long the long tests drive."""

Alphabet = dict[str, tuple[int, Callable[[], None]]]
"""What may happen, by name: how often, beside the others, and what does it."""


class Story(ABC):
    """Something that is driven, and what should be true of it."""

    def __init__(self, seed: int) -> None:
        self.seed, self.chance = seed, Random(seed)

    @abstractmethod
    def alphabet(self) -> Alphabet:
        """What may happen next."""

    @abstractmethod
    def check(self) -> None:
        """Fail if something is not true that should be."""

    def tell(self, steps: int) -> None:
        """Let things happen, and check after each."""
        kinds: list[str] = []
        for _ in range(steps):
            alphabet = self.alphabet()
            kinds += self.chance.choices(list(alphabet), [weight for weight, _ in alphabet.values()])
            try:
                alphabet[kinds[-1]][1]()
                self.check()
            except BaseException as error:
                error.add_note(f"story {self.seed} of {self}, after: {', '.join(kinds)}")
                raise


def seeds_for_a_long_time() -> Iterator[int]:
    """New seeds, until the time of a long test is up."""
    end = time.monotonic() + SECONDS
    for seed in count(Random().randrange(10**9)):
        if time.monotonic() > end:
            return
        yield seed
