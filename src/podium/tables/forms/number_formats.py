"""Numbers as people write them: decimal commas, signs between thousands, halves, other signs for minus.

Whether a comma stands before the decimals or between thousands is decided for a whole column: 3,5 or 1.234,5
tells one, 1,234.5 or 2.5 the other. A column whose only such numbers are like 1,234 is refused, and so are
scores such as 1.234 beside 987.

What is said where the cells of a column cannot be understood together.

Marks that stand where a rank or a score should: DNF, DSQ, DNS and the like, and what each means.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.arrays import Bools, Longs
from podium.errors import InputError
from podium.tables.forms.result_words import with_plain, words_of
from podium.text import counted


class UnclearCellError(InputError):
    """A column that may mean two things, or that contradicts itself; who knows its rows adds their places.

    `position` is that of a cell in its column, `other` that of a cell that contradicts it; ``{other}`` in the
    reason stands for the place of the other.
    """

    def __init__(self, reason: str, position: int, *, other: int | None = None, hint: str) -> None:
        super().__init__(reason, hint=hint)
        self.position = position
        self.other = other

    def at(self, positions: pl.Series) -> UnclearCellError:
        """The same about the column from which these positions were taken."""
        other = None if self.other is None else int(positions[self.other])
        return UnclearCellError(self.reason, int(positions[self.position]), other=other, hint=self.hint or "")


DecimalSign = Literal[".", ","]

DECIMAL_HINT = "give the decimal separator: --decimal , or --decimal . (in Python decimal=',' or decimal='.')"
_SIGN_NAMES = {".": "decimal point", ",": "decimal comma"}
_OTHER: dict[DecimalSign, DecimalSign] = {".": ",", ",": "."}


def _certain(sign: str, other: str) -> str:
    """Numbers that are written so only with this decimal sign: 3,5 and 0,125 and 1.234,5 and 1.234.567."""
    return (
        rf"^[+-]?(?:[0-9]*{sign}(?:[0-9]{{1,2}}|[0-9]{{4,}})|(?:0[0-9]*|[0-9]{{4,}}|){sign}[0-9]+|"
        rf"[0-9]{{1,3}}(?:{other}[0-9]{{3}})+{sign}[0-9]+|[0-9]{{1,3}}(?:{other}[0-9]{{3}}){{2,}})$"
    )


_CERTAIN: dict[DecimalSign, str] = {",": _certain(",", r"\."), ".": _certain(r"\.", ",")}
_WITH_THOUSANDS: dict[DecimalSign, str] = {
    ",": r"^[+-]?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]*)?$",
    ".": r"^[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?$",
}
_UNCLEAR = r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"
_UNCLEAR_POINT = r"^\s*[+-]?[1-9][0-9]{0,2}\.[0-9]{3}\s*$"
_WITH_POINT = r"^\s*[+-]?[0-9]*\.[0-9]*\s*$"
_BELOW_THOUSAND = r"^\s*[+-]?[0-9]{1,3}\s*$"
_SOME = 100
"""Rows that tell of most columns what their points are, before all rows are looked at."""
_WITH_BLANKS = r"^[+-]?[0-9]{1,3}(?:[\s'’][0-9]{3})+(?:[.,][0-9]*)?$"
"""Blanks between thousands may be narrow or non-breaking: all of them are `\\s`."""
_HALVES = r"^\+?[0-9]*½$"


@dataclass(frozen=True)
class Numbers:
    """Cells read as numbers, and how they were understood."""

    values: pl.Series
    sign: DecimalSign | None
    """The sign before the decimals; None if no cell tells."""
    guesses: tuple[str, ...] = ()


def read_numbers(text: pl.Series, known: DecimalSign | None) -> Numbers:
    """Numbers from a column of text with odd cells; `known` is the decimal sign that earlier rows have told.

    >>> read_numbers(pl.Series("score", ["3,5", "1.234"]), None).values.to_list()
    [3.5, 1234.0]
    """
    text = tidied(text)
    sign = _decimal_sign(text, known)
    guesses: tuple[str, ...] = ()
    if sign == ",":
        guesses = ("decimal commas",)
    elif text.str.contains(",", literal=True).any() and text.str.contains(_WITH_THOUSANDS["."]).any():
        guesses = ("commas between thousands",)
    return Numbers(numbers_with(text, sign or "."), sign, guesses)


def _decimal_sign(text: pl.Series, known: DecimalSign | None) -> DecimalSign | None:
    """The sign before the decimals, None if no cell has one; refused where it cannot be told."""
    told: dict[DecimalSign, int] = {}
    for sign, pattern in _CERTAIN.items():
        if (position := _first(text, pattern)) is not None:
            told[sign] = position
    if known is not None:
        if (position := told.get(_OTHER[known])) is not None:
            raise UnclearCellError(
                f"{text.name} is {text[position]!r}, with a {_SIGN_NAMES[_OTHER[known]]}, "
                f"but the rows before have a {_SIGN_NAMES[known]}",
                position,
                hint=DECIMAL_HINT,
            )
        return known
    if len(told) == 2:
        (first, position), (second, other) = sorted(told.items(), key=lambda item: item[1], reverse=True)
        raise UnclearCellError(
            f"{text.name} is {text[position]!r}, with a {_SIGN_NAMES[first]}, "
            f"but {text[other]!r} ({{other}}) has a {_SIGN_NAMES[second]}",
            position,
            other=other,
            hint=DECIMAL_HINT,
        )
    if not told and (unclear := _first(text, _UNCLEAR)) is not None:
        cell = text[unclear]
        raise UnclearCellError(
            f"{text.name} is {cell!r}, which may be {cell.replace(',', '')} or {cell.replace(',', '.')}",
            unclear,
            hint=DECIMAL_HINT,
        )
    return next(iter(told), None)


def check_points(text: pl.Series) -> None:
    """Refuse 12.500 beside 850: where every point has three digits behind it, it may stand before thousands.

    Decimals are written with as many digits in every cell, so whole numbers below 1000 beside them tell that
    these may be none; 0.125 tells that they are.
    """
    if any(map(has_certain_points, (text.head(_SOME), text))):
        return
    unclear = _first(text, _UNCLEAR_POINT)
    if unclear is not None and text.str.contains(_BELOW_THOUSAND).any():
        cell = text[unclear].strip()
        raise UnclearCellError(
            f"{text.name} is {cell!r}, which may be {cell.replace('.', '')} or {float(cell):g}",
            unclear,
            hint=DECIMAL_HINT,
        )


def has_certain_points(text: pl.Series) -> bool:
    """Whether a cell has a point that can stand before decimals only."""
    return bool((text.str.contains(_WITH_POINT) & ~text.str.contains(_UNCLEAR_POINT)).any())


def _first(text: pl.Series, pattern: str) -> int | None:
    found = text.str.contains(pattern).fill_null(value=False)
    return int(found.arg_max() or 0) if found.any() else None


def tidied(text: pl.Series) -> pl.Series:
    """Text with the usual sign for minus, and without a currency or blanks between thousands."""
    text = text.str.strip_chars().str.replace("^[−–]", "-")
    if text.str.contains(r"[$€£]").any():
        text = text.str.replace(r"^([+-]?)\s*[$€£]\s*([+-]?[0-9])", "${1}${2}").str.replace(r"\s*[€£]$", "")
    spaced = text.str.contains(_WITH_BLANKS).fill_null(value=False)
    return text.zip_with(~spaced, text.str.replace_all(r"[\s'’]", "")) if spaced.any() else text


def numbers_with(text: pl.Series, sign: DecimalSign) -> pl.Series:
    """Numbers from tidied text with this sign before the decimals, null for what is no such number."""
    other = _OTHER[sign]
    thousands = text.str.contains(_WITH_THOUSANDS[sign]).fill_null(value=False)
    plain = text.zip_with(~thousands, text.str.replace_all(other, "", literal=True))
    if sign == ",":
        plain = plain.set(plain.str.contains(".", literal=True).fill_null(value=False), None)
        plain = plain.str.replace(",", ".", literal=True)
    values = plain.cast(pl.Float64, strict=False).fill_nan(None)
    halves = text.str.contains(_HALVES).fill_null(value=False).arg_true()
    if len(halves):
        whole = "0" + text.gather(halves).str.strip_chars("+½")
        values = values.scatter(halves, whole.cast(pl.Float64) + np.float64(0.5))
    return values


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
for _kind, _label in (("unfinished", "DNF"), ("disqualified", "DSQ"), ("absent", "DNS"), ("walkover", "WO")):
    _number = next(number for number, mark in enumerate(MARKS, start=1) if mark.label == _label)
    for _word in words_of(_kind):
        for _form in with_plain(_word):
            _NUMBERS.setdefault(_form.replace(".", ""), _number)


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
