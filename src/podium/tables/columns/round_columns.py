"""Columns called after the rounds of a tournament or the evenings of a season: `R1, R2`, `3. Runde`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from podium.tables.columns.column_names import plain_name

_WORDS = (
    "r|rd|rnd|round|runde|spieltag|abend|spielabend|ronde|speelronde|avond|tour|journee|soiree|seance|"
    "ronda|jornada|fecha|turno|giornata|serata|rodada|etapa|runda|kolejka|kolo|тур|раунд|этап|tur|hafta|"
    "week|woche|matchday|evening|night|race|lauf|game|spiel|g|event|match|session|leg|stage"
)
_ROUND = re.compile(rf"(?:{_WORDS})0*([1-9][0-9]?)|0*([1-9][0-9]?)(?:st|nd|rd|th|e|eme|a|ª|º|й)?(?:{_WORDS})")
_DAY = re.compile(r"\s*(?:\d{4}-\d\d?-\d\d?|\d\d?[./-]\d\d?[./-]?(?:\d{2}|\d{4})?)(?:[ T].*)?")
FEWEST_ROUNDS = 2


def round_number(column: str) -> int | None:
    """The number of the round that a column is called after.

    >>> [round_number(name) for name in ("R1", "2.Rd", "Runde 3", "Round 12", "Rating", "4")]
    [1, 2, 3, 12, None, None]
    """
    match = _ROUND.fullmatch(plain_name(column))
    return None if match is None else int(match[1] or match[2])


def round_columns(columns: Sequence[str]) -> list[int]:
    """The positions of columns for rounds 1, 2 and so on, with or without a word; none if one is missing."""
    for number_of in (round_number, _bare_number):
        numbers = {
            number: place
            for place, column in reversed(list(enumerate(columns)))
            if (number := number_of(column)) is not None
        }
        if len(numbers) >= FEWEST_ROUNDS and sorted(numbers) == list(range(1, len(numbers) + 1)):
            return [numbers[number] for number in sorted(numbers)]
    return []


def dated_or_round(column: str) -> bool:
    """Whether a column is called after a round or a day, so that it holds a part of a season."""
    return round_number(column) is not None or _DAY.fullmatch(column) is not None


def day_columns(columns: Sequence[str]) -> list[int]:
    """The positions of columns that are called after a day; none if there is only one.

    >>> day_columns(["Name", "03.05.", "10.05.", "Total"])
    [1, 2]
    """
    found = [place for place, column in enumerate(columns) if _DAY.fullmatch(column) is not None]
    return found if len(found) >= FEWEST_ROUNDS else []


def _bare_number(column: str) -> int | None:
    return int(column) if re.fullmatch(r"\s*[1-9][0-9]?\s*", column) else None


_KNOCKOUT = re.compile(
    r"(?:round of|last|sechzehntel|achtel|viertel|halb|quarter|semi|huitiemes?|quarts?|demi|octavos|cuartos|"
    r"ottavi|quarti|oitavas|quartas|kwart|halve|1/)?(?:de |di |\d+)?(?:finals?|finale?s?)|.*finals?"
)


def layout_hint(columns: Sequence[str]) -> str | None:
    """What to do with cells of standings, and columns called after rounds of a knockout or a number alone.

    >>> layout_hint(["Quarter-final", "Semi-final", "Final"])
    'a bracket: write each match on a row, with the columns player_a, player_b and result'
    """
    if len(re.findall(r"\b\d{1,3}[wsb][01½]", " ".join(columns))) > 1:
        return (
            "this looks like standings of a Swiss tournament as plain text: copy them as a table with a "
            "column for each round (1.Rd, 2.Rd), or give the games as PGN"
        )
    if sum(_KNOCKOUT.fullmatch(plain_name(column)) is not None for column in columns) >= FEWEST_ROUNDS:
        return "a bracket: write each match on a row, with the columns player_a, player_b and result"
    if len(numbers := round_columns(columns)) >= FEWEST_ROUNDS and _bare_number(columns[numbers[0]]):
        first, last = columns[numbers[0]].strip(), columns[numbers[-1]].strip()
        return f"if the columns {first} to {last} are places, call them {first}. to {last}. (with a dot)"
    return None
