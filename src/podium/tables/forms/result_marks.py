"""Marks that stand where a rank or a score should: DNF, DSQ, DNS and the like, and what each means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.arrays import Bools, Longs
from podium.text import counted

Meaning = Literal["unfinished", "disqualified", "absent"]


@dataclass(frozen=True)
class Mark:
    """A mark, what it means, and the texts that people write for it, in lower case."""

    label: str
    meaning: Meaning
    texts: tuple[str, ...]


MARKS = (
    Mark("DNF", "unfinished", ("dnf", "did not finish", "not finished", "unfinished")),
    Mark("RET", "unfinished", ("ret", "retired")),
    Mark("WD", "unfinished", ("wd", "w/d", "withdrew", "withdrawn")),
    Mark("AB", "unfinished", ("ab", "abandoned")),
    Mark("NC", "unfinished", ("nc", "not classified", "unclassified")),
    Mark("OTL", "unfinished", ("otl", "over time limit", "outside time limit")),
    Mark("NM", "unfinished", ("nm", "no mark", "no height")),
    Mark("NT", "unfinished", ("nt", "no time")),
    Mark("CUT", "unfinished", ("cut", "mc", "missed cut")),
    Mark("-", "unfinished", ("-", "–", "—")),
    Mark("DSQ", "disqualified", ("dsq", "dq", "disq", "disqualified")),
    Mark("EX", "disqualified", ("ex", "exc", "excluded")),
    Mark("BFD", "disqualified", ("bfd",)),
    Mark("DNS", "absent", ("dns", "did not start", "not started", "ns", "no show", "scr", "scratched")),
    Mark("DNP", "absent", ("dnp", "did not play", "did not participate")),
    Mark("DNC", "absent", ("dnc", "did not compete", "did not come")),
    Mark("DNQ", "absent", ("dnq", "did not qualify", "not qualified")),
    Mark("WO", "absent", ("wo", "w/o", "walkover")),
)
"""*Unfinished*: took part and has no result. *Disqualified*: took part and lost the result. *Absent*: did not
take part. The stronger a mark, the later it stands here."""

NO_MARK = 0
Marks = NDArray[np.int8]
"""For each row the number of its mark in `MARKS`, counted from 1, or `NO_MARK`."""

FINISHED = ("finished", "classified", "ok")
"""What a column that says who finished has beside yes and no."""

_NUMBERS = {text: number for number, mark in enumerate(MARKS, start=1) for text in mark.texts}


def read_marks(text: pl.Series) -> Marks:
    """The mark in each cell.

    >>> [MARKS[number - 1].label for number in read_marks(pl.Series(["Did not start", "dq"]))]
    ['DNS', 'DSQ']
    """
    words = text.str.to_lowercase().str.replace_all(".", "", literal=True).str.replace_all(r"\s+", " ")
    numbers = words.str.strip_chars().replace_strict(_NUMBERS, default=NO_MARK, return_dtype=pl.Int8)
    return numbers.to_numpy()


def with_meaning(marks: Marks, meaning: Meaning) -> Bools:
    """The rows whose mark means this."""
    table = np.array([False, *(mark.meaning == meaning for mark in MARKS)])
    return table[marks]


def mark_counts(marks: Marks) -> Longs:
    """How many rows have which of `MARKS`."""
    return np.bincount(marks, minlength=len(MARKS) + 1)[1:]


def marks_in_words(counts: Longs) -> str:
    """How many rows have which mark, such as "2 rows DNS, 1 row DSQ"."""
    pairs = zip(MARKS, counts.tolist(), strict=True)
    return ", ".join(f"{counted(count, 'row')} {mark.label}" for mark, count in pairs if count)
