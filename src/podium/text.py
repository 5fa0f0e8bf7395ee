"""Words for people: texts cut to fit, paragraphs, numbers, small tables, and hints at the name meant."""

from __future__ import annotations

import difflib
import math
import re
import reprlib
from collections.abc import Iterable, Sequence
from dataclasses import fields
from itertools import accumulate, pairwise
from typing import Any

NO_CERTAINTY = 1e-9
"""Chances nearer to 0 or 1 are those of numbers that have no more digits."""
MOST_COMPARED = 50_000
"""Names among which one is looked for that was meant."""
LONGEST_COMPARED = 1_000
"""Characters of a name for which another one may be meant: comparing takes as long as it is."""


def shorten(text: str, limit: int = 60) -> str:
    """`text` cut to a length that fits into a message; names may be kilobytes long."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def counted(number: int, what: str) -> str:
    """A number of something, in words.

    >>> counted(1, "event"), counted(1200, "player"), counted(2, "match"), counted(3, "entry")
    ('1 event', '1,200 players', '2 matches', '3 entries')
    """
    if number == 1:
        return f"1 {what}"
    if what.endswith("ry"):
        return f"{number:,} {what[:-1]}ies"
    return f"{number:,} {what}{'es' if what.endswith('ch') else 's'}"


def joined_sentences(parts: Sequence[str]) -> str:
    """Hints one after another; an option or a name in quotes keeps its first letter.

    >>> joined_sentences(["rank is the column Platz", "write a number", "--column rank=other"])
    'rank is the column Platz. Write a number. --column rank=other'
    """
    return ". ".join([*parts[:1], *(f"{part[:1].upper()}{part[1:]}" for part in parts[1:])])


def listed(items: Sequence[str]) -> str:
    """Some things in a sentence.

    >>> listed(["ann"]), listed(["ann", "bob"]), listed(["ann", "bob", "cat"])
    ('ann', 'ann and bob', 'ann, bob and cat')
    """
    return " and ".join([", ".join(items[:-1]), items[-1]] if items[1:] else items)


def paragraphs(text: str) -> list[str]:
    """A text as lines of a page: an empty line begins a new one, and other breaks mean nothing.

    >>> paragraphs("One\\nsentence.\\n\\nAnother.")
    ['One sentence.', 'Another.']
    """
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def did_you_mean(name: str, known: Sequence[str]) -> str | None:
    """A hint at the known name that looks most like this one, whatever its case.

    There is none if that would take long: for very many names, or for one of thousands of characters. It is
    never the name itself, which may be known and yet mean nobody any more.

    >>> did_you_mean("ann", ["ann", "Ann", "bob"]), did_you_mean("bob", ["ann", "bob"])
    ("did you mean 'Ann'?", None)
    """
    if len(known) > MOST_COMPARED or len(name) > LONGEST_COMPARED:
        return None
    by_lower = {item.lower(): item for item in known if item != name}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f"did you mean {shorten(by_lower[close[0]])!r}?" if close else None


def known_names(name: str, names: Iterable[str]) -> str:
    """A hint for a name that is none of these: the one that looks most like it, and all there are.

    >>> known_names("glico", ["elo", "glicko"])
    "did you mean 'glicko'? there are elo, glicko"
    """
    known = list(names)
    guess, there_are = did_you_mean(name, known), "there are " + ", ".join(known)
    return there_are if guess is None else f"{guess} {there_are}"


def write_number(value: float | None, form: str) -> str:
    """A number as people read it: with a minus sign, and a dash where there is none.

    >>> write_number(-1.5, "+.2f"), write_number(float("nan"), ".2f")
    ('−1.50', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    text = format(value, form)
    return f"−{text[1:]}" if text.startswith("-") else text


def percent(share: float, digits: int = 0) -> str:
    """A share as people read it. All and nothing are said only where it is so.

    >>> percent(0.527), percent(0.9999), percent(1.0), percent(0.0004, 1)
    ('53%', '>99%', '100%', '<0.1%')
    """
    step = 10.0**-digits
    shown = round(100.0 * share, digits)
    if shown <= 0.0 < share:
        return f"<{step:.{digits}f}%"
    if share < 1.0 and shown >= 100.0:
        return f">{100.0 - step:.{digits}f}%"
    return f"{100.0 * share:.{digits}f}%"


def chance_words(chance: float) -> str:
    """A chance or an expected score as people read it: no rating makes a result certain.

    >>> chance_words(0.527), chance_words(1.0), chance_words(0.0)
    ('53%', '>99%', '<1%')
    """
    return percent(min(max(chance, NO_CERTAINTY), 1.0 - NO_CERTAINTY))


def rounded_gain(before: float | None, after: float | None, digits: int) -> str:
    """What lies between two numbers as they are shown, with its sign: a rounded row adds up.

    >>> rounded_gain(3092.4, 3082.6, 1), rounded_gain(3092.4, 3082.6, 0), rounded_gain(1500.01, 1500, 1)
    ('−9.8', '−9', '0.0')
    >>> rounded_gain(None, 1500.0, 1), rounded_gain(0.0, -0.04, 1)
    ('–', '0.0')
    """
    if before is None or after is None:
        return "–"
    gain = shown_gain(before, after, digits)
    return write_number(gain, f"{'+' if gain else ''}.{digits}f")


def shown_gain(before: float, after: float, digits: int) -> float:
    """The same as a number, by which lists are sorted that show it."""
    return round(round(after, digits) - round(before, digits), digits) + 0.0  # and never -0.0


def running_gains(changes: Iterable[float], digits: int) -> list[float]:
    """Changes rounded so that what is shown adds up: each is the step from one rounded sum to the next.

    >>> running_gains([1500.0, -81.22, 114.84, 100.84], 1)
    [1500.0, -81.2, 114.8, 100.9]
    """
    sums = [round(total, digits) for total in accumulate(changes, initial=0.0)]
    return [round(after - before, digits) + 0.0 for before, after in pairwise(sums)]


def sum_in_words(before: float, after: float) -> str:
    """A rating before, what it gained, and the rating after it, so that the numbers shown add up.

    >>> sum_in_words(1500.0, 1484.04), sum_in_words(1500.04, 1500.16)
    ('1500.0 − 16.0 = 1484.0', '1500.0 + 0.2 = 1500.2')
    """
    gain, (old, new) = (
        round(after, 1) - round(before, 1),
        (write_number(one, ".1f") for one in (before, after)),
    )
    return f"{old} {'−' if gain < 0 else '+'} {abs(gain):.1f} = {new}"


def rank_words(rank: int, sides: int, place: int | None = None, mean_place: float | None = None) -> str:
    """A rank among so many sides as people read it. Ranks of a larger field are named as such.

    `place` is that among the sides, `mean_place` the mean of the places that a tie covers, if they are known.

    >>> rank_words(2, 3), rank_words(103, 3), rank_words(103, 3, 3)
    ('rank 2 of 3', 'rank 103 (3 in the results)', 'rank 3 of 3 (reported as 103)')
    >>> rank_words(3, 6, 3, 4.5)
    'rank 3 of 6 (tied, 4.5 on average)'
    >>> rank_words(3, 6, mean_place=4.5), rank_words(2, 6, mean_place=2.0)
    ('rank 3 (place 4.5 of 6)', 'rank 2 of 6')
    """
    if place is None and mean_place is not None and abs(mean_place - rank) > 1e-6:
        return f"rank {rank:,} (place {mean_place:g} of {sides:,})"
    if place is None:
        return f"rank {rank:,} of {sides:,}" if rank <= sides else f"rank {rank:,} ({sides:,} in the results)"
    notes = [f"reported as {rank:,}"] if rank != place else []
    if mean_place is not None and mean_place - place > 1e-6:
        notes.append(f"tied, {mean_place:,.1f} on average")
    return f"rank {place:,} of {sides:,}" + (f" ({', '.join(notes)})" if notes else "")


class _Brief(reprlib.Repr):
    """Values as text in which nothing is long."""

    def __init__(self) -> None:
        super().__init__()
        self.maxtuple = self.maxlist = self.maxdict = self.maxset = self.maxfrozenset = 4
        self.maxstring, self.maxother = 60, 200

    def repr_ndarray(self, array: Any, level: int) -> str:
        """An array by its size alone."""
        return f"<array of {' × '.join(f'{length:,}' for length in array.shape)}>"


def brief_repr(value: Any) -> str:
    """The `repr` of a dataclass in which long fields are cut: ``__repr__ = brief_repr`` in its body."""
    shown = (f"{one.name}={_BRIEF.repr(getattr(value, one.name))}" for one in fields(value) if one.repr)
    return f"{type(value).__qualname__}({', '.join(shown)})"


_BRIEF = _Brief()
