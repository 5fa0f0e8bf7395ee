"""Chats exported as text: each line with two known names and a score is a result, every other line is listed.

Known are those who wrote a message, and the aliases that were given. The side before the score has its first
number: `Anna 3:1 Bernd`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from podium.tables.columns.column_names import plain_accents, plain_names
from podium.tables.forms.result_words import with_plain, words_of
from podium.tables.layouts.grids import Grid, Laid
from podium.text import counted, shorten

_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[APap]\.?[Mm]\.?)?"
_MESSAGES = (
    re.compile(rf"^\u200e?\[?({_DAY}),?\s+(?:{_CLOCK})\]?\s*(?:[-–]\s*)?([^:]{{1,40}}?):\s(.*)$"),
    re.compile(rf"^([^\[\]:]{{1,40}}?),?\s*\[({_DAY}),?\s+(?:{_CLOCK})\]:?\s*(.*)$"),
)
"""12.05.26, 19:32 - Anna: …, [12.05.26, 19:32:11] Anna: …, and Anna, [12.05.2026 19:32]."""
_POINTS = r"\d{0,3}[.,]5|\d{1,3}"
_SCORE = re.compile(rf"(?<![\d.,:/-])({_POINTS})\s?[:–-]\s?({_POINTS})(?!\d|[.,:/-]\d)")
_TWO_NUMBERS = re.compile(r"\d\s?[:–-]\s?\d")
_HALF = re.compile(r"½|(?<![\d/])1/2(?![\d/])")
_SETS = re.compile(r"[(\[][^)\]]*[)\]]")
_CLOCKS = re.compile(r"(?:[01]?\d|2[0-3]):(?:00|15|30|45)")
_AND = re.compile(r"^\s*(?:/|&|\+|,|und|and|et|y|e|en|i|и|ve)?\s*$")
_LOST = plain_names(
    "lost, loses, lose, verliert, verloren, unterliegt, perd, perdu, pierde, perdió, perde, perso, perdeu, "
    "verliest, przegrał, przegrała, przegrywa, проиграл, проиграла, проигрывает, kaybetti, yenildi"
)
_DOUBTS = (
    "if, wenn, falls, si, jeśli, если, tip, tipp, tips, bet, prediction, not, nicht, non, pas, niet, nie, "
    "inte, ikke, не, değil, wrong, falsch, fout, abgebrochen, afgebroken, interrompu, sospesa, training, "
    "practice, friendly, Probespiel, Testspiel, Freundschaftsspiel"
)
_UNCERTAIN = re.compile(
    r"(?<!\w)(?:"
    + "|".join(
        re.escape(form)
        for word in (*words_of("walkover"), *words_of("unplayed"), *_DOUBTS.split(", "))
        for form in with_plain(word)
        if any(sign.isalpha() for sign in word) and len(word) > 1
    )
    + r")(?!\w)"
)
"""What makes a score no result: a match not played, a tip, a condition, a denial."""
FEWEST_MESSAGES = 2
MOST_NAMED = 3
"""Lines with a score that are quoted; the others are counted."""
NO_SCORE = "no score"
NOT_MEANT = "a question or a time of day"
NAMES_ASKED = "a name that podium cannot match to one player"
CHAT_HINT = (
    "a result is a line with two known names and a score, such as Ann - Bob 3:1. Known are those who write "
    "and the names in an alias file"
)


class _Message(NamedTuple):
    line: int
    day: str
    sender: str
    text: str


def is_chat(first_lines: Iterable[str]) -> bool:
    """Whether lines are those of an exported chat: half of them or more are messages."""
    lines = [line.strip("\ufeff\u200e ") for line in first_lines if line.strip()]
    messages = sum(_message(0, line) is not None for line in lines)
    return messages >= FEWEST_MESSAGES and 2 * messages >= len(lines)


def _message(number: int, line: str) -> _Message | None:
    line = line.strip("\ufeff\u200e ")
    if (match := _MESSAGES[0].match(line)) is not None:
        return _Message(number, match[1], match[2].strip("\u200e ~"), match[3])
    if (match := _MESSAGES[1].match(line)) is not None:
        return _Message(number, match[2], match[1].strip("\u200e ~"), match[3])
    return None


def chat_as_matches(grid: Grid, more_names: Iterable[str] = ()) -> Laid:
    """The results in a chat, with a column time; the grid has one cell for each line."""
    messages: list[_Message] = []
    last: _Message | None = None
    for row, cells in enumerate(grid.rows):
        found = _message(row, cells[0])
        if found is None and last is not None and cells[0]:
            found = last._replace(line=row, text=cells[0])
        if found is not None:
            messages.append(found)
            last = found
    known = _Known([*dict.fromkeys(message.sender for message in messages), *more_names])
    laid = Laid(["time", "player_a", "partner_a", "player_b", "partner_b", "score_a", "score_b"])
    unread: list[str] = []
    for message in messages:
        result, reason = _result(message.text, known)
        if result is None:
            said = f"{shorten(message.text.strip(), 60)!r}: {reason}"
            laid.left_out.append((message.line, said))
            if reason not in (NO_SCORE, NOT_MEANT):
                unread.append(f"line {message.line + 1} {said}")
        else:
            laid.rows.append((message.line, [message.day, *result]))
    laid.guesses.append(f"a chat: {len(laid.rows)} lines are results, and {len(laid.left_out)} are not")
    if unread:
        more = f", and {len(unread) - MOST_NAMED} more" if len(unread) > MOST_NAMED else ""
        laid.warnings.append(
            f"{counted(len(unread), 'line')} with a score left out: {'; '.join(unread[:MOST_NAMED])}{more}. "
            "A player who never writes is known from an alias file (--aliases) with a row such as Maria,Maria"
        )
    if not any(row[2] or row[4] for _, row in laid.rows):  # singles alone
        laid.columns = [name for name in laid.columns if not name.startswith("partner")]
        laid.rows = [(line, [*row[:2], row[3], *row[5:]]) for line, row in laid.rows]
    return laid


class _Known:
    """The names that a line may have: whole, or a first name that one player alone has."""

    def __init__(self, names: Iterable[str]) -> None:
        self._players: dict[str, str | None] = {}
        for name in names:
            self._players[_key(name)] = name
        for name in list(names):
            first = _key(name).split(" ")[0]
            if first != _key(name):
                other = self._players.get(first)
                self._players[first] = name if other is None and first not in self._players else None
        longest = sorted((re.escape(key) for key in self._players if key), key=len, reverse=True)
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(longest)})(?!\w)") if longest else None

    def without(self, text: str) -> str:
        """A text without the known names."""
        return text if self._pattern is None else self._pattern.sub(" ", text)

    def found(self, text: str) -> list[tuple[int, int, str | None]]:
        """Where known names stand in a text, and whose they are; None if several have one."""
        if self._pattern is None:
            return []
        return [(m.start(), m.end(), self._players[m[0]]) for m in self._pattern.finditer(text)]


def _key(text: str) -> str:
    """A text as names are looked for in it; as long as the text in its usual letters."""
    return plain_accents(text.casefold())


def _result(text: str, known: _Known) -> tuple[list[str] | None, str]:
    """The players and the score of a line, or why it is no result."""
    plain = _key(_HALF.sub(".5", _SETS.sub(" ", text)))
    scores = list(_SCORE.finditer(plain))
    names = known.found(plain)
    if scores and len(names) > 1 and (doubt := _UNCERTAIN.search(known.without(_key(text)))):
        return None, f"not sure to be a result ({doubt[0]!r})"
    if len(scores) > 1 or (not scores and len(names) > 1 and _TWO_NUMBERS.search(plain)):
        return None, "more than one score"
    if not scores:
        return None, NO_SCORE
    score = scores[0]
    if "?" in text or _CLOCKS.fullmatch(score[0]):
        return None, NOT_MEANT
    if any(name is None for *_, name in names):
        return None, "a first name that several have"
    before = [(start, end, name or "") for start, end, name in names if end <= score.start()]
    after = [(start, end, name or "") for start, end, name in names if start >= score.end()]
    if before and after:
        sides: list[list[str] | None] = [_side(plain, before), _side(plain, after)]
    elif len(names) == 2:  # both before the score, or both behind it
        sides = [[names[0][2] or ""], [names[1][2] or ""]]
    else:
        return None, NAMES_ASKED
    if any(side is None for side in sides) or _has_strangers(plain, names, score):
        return None, NAMES_ASKED
    first, second = (float(points.replace(",", ".")) for points in score.groups())
    words = re.findall(r"\w+", plain)
    if any(word in _LOST for word in words) and first >= second:
        return None, "who won is not clear"
    pairs = [[*(side or []), ""][:2] for side in sides]
    return [*pairs[0], *pairs[1], f"{first:g}", f"{second:g}"], ""


def _side(text: str, names: list[tuple[int, int, str]]) -> list[str] | None:
    """The player or the two of a side; None if other words stand between them."""
    if len(names) == 1:
        return [names[0][2]]
    if len(names) == 2 and _AND.match(text[names[0][1] : names[1][0]]):
        return [names[0][2], names[1][2]]
    return None


def _has_strangers(text: str, names: list[tuple[int, int, str | None]], score: re.Match[str]) -> bool:
    """Whether a name may stand beside the known ones: one joined to them, as in `Anna / Zoe 3:1 Bernd`."""
    for start, end, _ in names:
        if re.match(r"\s*(?:/|&|\+)\s*[^\W\d_]", text[end:]) and not any(
            other > end and _AND.match(text[end:other]) for other, *_ in names
        ):
            return True
        if re.search(r"[^\W\d_]\s*(?:/|&|\+)\s*$", text[:start]) and not any(
            other < start and _AND.match(text[other:start]) for _, other, _ in names
        ):
            return True
    return False
