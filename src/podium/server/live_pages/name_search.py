"""Players found by a part of their names: a million names in some milliseconds, without a database.

Names are kept in folded form, without case and accents, as long texts with a name a line: to look through one
is a single call. Names that joined since the last search are added; if somebody was renamed, all is folded
anew.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from podium.pages.data_scripts import search_words
from podium.server import machine
from podium.server.ladders.followed_ladder import Look
from podium.server.log.reports import is_free

NAMES_IN_A_TEXT = 50_000
MOST_CANDIDATES = 5_000
"""Names with the rarest word of a query that are looked at; of more, the others are not found."""


def folded(text: str) -> str:
    """Text without case and accents, line by line the same number of lines.

    >>> folded("Kimi Räikkönen")
    'kimi raikkonen'
    """
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.lower())
    return "".join(letter for letter in letters if unicodedata.category(letter) != "Mn")


@dataclass(slots=True)
class FoldedNames:
    """Some names as one text."""

    text: str
    starts: list[int] = field(default_factory=list)
    """Where each name begins; each stands between two ends of lines."""

    @classmethod
    def of(cls, names: Sequence[str]) -> FoldedNames:
        """Names in folded form; what would end a line is no part of a name."""
        lines = [line.replace("\n", " ") for line in (folded(name) for name in names)]
        found, at = cls("\n" + "\n".join(lines) + "\n"), 1
        for line in lines:
            found.starts.append(at)
            at += len(line) + 1
        return found

    def find(self, word: str, most: int) -> list[int]:
        """The names in which a word stands, by their position, and at most so many."""
        found: list[int] = []
        at = self.text.find(word)
        while at >= 0 and len(found) < most:
            position = bisect_right(self.starts, at) - 1
            found.append(position)
            end = self.text.find("\n", at)
            at = self.text.find(word, end)
        return found

    def line(self, position: int) -> str:
        """A name in folded form."""
        start = self.starts[position]
        return self.text[start : self.text.find("\n", start)]


class NameIndex:
    """The folded names of ladders, by the ladder's number."""

    def __init__(self) -> None:
        self._lock = machine.Lock()
        self._names: dict[int, tuple[Sequence[str], list[FoldedNames], int]] = {}

    def find(self, look: Look, size: int, query: str) -> list[int]:
        """The numbers of players in whose names all words of a query stand, lowest numbers first.

        The ladder has given `size` numbers.
        """
        words = search_words(query) or [folded(query.strip())]
        if not words[0]:
            return []
        texts = self._folded(look, size)
        rarest = min(words, key=lambda word: (texts[0].text.count(word), -len(word))) if texts else words[0]
        found: list[int] = []
        left = MOST_CANDIDATES
        for part, names in enumerate(texts):
            candidates = names.find(rarest, left)
            left -= len(candidates)
            for position in candidates:
                line = names.line(position)
                if all(word in line for word in words):
                    found.append(part * NAMES_IN_A_TEXT + position)
        return [number for number in found if number < size and not is_free(look.names[number])]

    def _folded(self, look: Look, count: int) -> list[FoldedNames]:
        """The first names of a look; the last text is made anew as long as it is not full."""
        with self._lock:
            names, texts, done = self._names.get(look.row.id, (look.names, [], 0))
            if names is not look.names:
                texts, done = [], 0
            if done < count:
                full = done // NAMES_IN_A_TEXT
                texts = texts[:full] + [
                    FoldedNames.of(look.names[start : min(start + NAMES_IN_A_TEXT, count)])
                    for start in range(full * NAMES_IN_A_TEXT, count, NAMES_IN_A_TEXT)
                ]
                self._names[look.row.id] = (look.names, texts, count)
            return texts
