"""JSON read strictly: an object with a key twice, or text with half a character, is refused.

Programs disagree about both: of two equal keys some take the first and some the last, and half a character
(a surrogate without its other half) makes two names one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from podium.text import shorten

AMBIGUOUS_HINT = "programs read such JSON differently: write each key once, and each character completely"
_HALVES = re.compile(
    r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w"  # both halves of a character
    r"|(\\u[dD][89a-fA-F]\w\w|[\ud800-\udfff])"
    r"|\\."  # another escape: a backslash that is escaped itself begins none
)
_KEYS = re.compile(r'"(?:[^"\\]|\\.)*+"(\s*+:)?|[{}]')
"""Strings, and whether they are keys; where objects begin and end."""
_THREE_DECIMALS = re.compile(r"-?\d{1,3}\.\d{3}")
_BLOCK = 1 << 20
MOST_PATTERNS = 100
"""Patterns made for one file: making one takes as long as reading many lines."""


class AmbiguousJSONError(ValueError):
    """JSON that programs read differently; `position` is where in the text."""

    def __init__(self, fault: str, position: int) -> None:
        super().__init__(fault)
        self.position = position


class _RepeatedKeyError(ValueError):
    """An object that has a key twice."""


def strict_json(text: str) -> Any:
    """The document in the text; AmbiguousJSONError, or ValueError if it is no JSON at all.

    >>> strict_json('{"winner": "ann", "winner": "bob"}')
    Traceback (most recent call last):
    podium.tables.sources.strict_json.AmbiguousJSONError: a duplicate key 'winner'
    """
    try:
        document = json.loads(text, object_pairs_hook=_distinct)
    except _RepeatedKeyError:
        raise _repetition(text) from None
    if "\\u" in text or not text.isascii():
        for found in _HALVES.finditer(text):
            if half := found[1]:
                shown = half if half.isascii() else f"\\u{ord(half):x}"
                raise AmbiguousJSONError(f"an unpaired surrogate, {shown}", found.start())
    return document


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _RepeatedKeyError
    return found


def _repetition(text: str) -> AmbiguousJSONError:
    """Where in a JSON text an object has a key for the second time."""
    objects: list[set[str]] = []
    for token in _KEYS.finditer(text):
        if token[0] == "{":
            objects.append(set())
        elif token[0] == "}":
            objects.pop()
        elif token[1]:
            key = json.loads(token[0].removesuffix(token[1]))
            if key in objects[-1]:
                return AmbiguousJSONError(f"a duplicate key {key!r}", token.start())
            objects[-1].add(key)
    raise AssertionError("called on distinct keys")


def line_objects(
    lines: Iterable[tuple[int, bytes]], bad: Callable[..., None]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects in lines of NDJSON, with their numbers; a line that holds none goes to `bad`."""
    for number, (line, text) in enumerate(lines):
        try:
            record = strict_json(text.decode("utf-8-sig", "surrogatepass"))
        except AmbiguousJSONError as error:
            bad(line, f"the line holds {error}", AMBIGUOUS_HINT)
            continue
        except (ValueError, RecursionError) as error:
            bad(line, f"the line is not JSON: {error}")
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            shown = shorten(text.decode(errors="replace").strip())
            bad(line, f"the line is {shown}, not an object", "write one {...} per line, without [ ]")


def json_text(value: Any) -> str | None:
    """A value of a JSON object as a cell of a text file."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = json.dumps(value, ensure_ascii=False)
    # In JSON a point stands before decimals, never before thousands; four decimals say so in a text file.
    return f"{text}0" if isinstance(value, float) and _THREE_DECIMALS.fullmatch(text) else text


def has_ambiguous_lines(stream: BinaryIO) -> bool:
    """Whether a line of an NDJSON file is ambiguous; lines that are no JSON are not for here to judge.

    Nearly all lines of a file have the keys of the line before. A pattern finds how many in a row do, so that
    few need be read one by one.
    """
    last: tuple[str, ...] = ()
    pattern: re.Pattern[bytes] | None = None
    patterns = 0
    text = b""
    while block := stream.read(max(_BLOCK, len(text))):
        text += block
        start = 0
        while (end := text.find(b"\n", start) + 1) > 0:
            if pattern is not None and (alike := pattern.match(text, start)) is not None:
                start = alike.end()
                continue
            keys = _keys(text[start:end])
            if keys is None:
                return True
            if keys and keys == last and patterns < MOST_PATTERNS:
                pattern = _lines_with(keys)
                patterns += 1
            last, start = keys, end
        text = text[start:]
    return _keys(text) is None


def _keys(line: bytes) -> tuple[str, ...] | None:
    """The keys of the object in a line; none where it is no object, and None where it is ambiguous."""
    try:
        record = strict_json(line.decode("utf-8-sig"))
    except AmbiguousJSONError:
        return None
    except (ValueError, RecursionError):
        return ()
    return tuple(record) if isinstance(record, dict) else ()


def _lines_with(keys: tuple[str, ...]) -> re.Pattern[bytes]:
    """Matches lines one after another that are objects with these keys, of strings and plain values."""
    escape = rb"\\(?:[^u\n]|u(?![dD][89a-fA-F])|u[dD][89abAB]\w\w\\u[dD][c-fC-F])"  # of whole characters
    string = rb'"[^"\\\n]*+(?:' + escape + rb'[^"\\\n]*+)*+"'
    value = rb"(?:" + string + rb"|[\w.+-]++)"
    pairs = rb" *+, *+".join(
        re.escape(json.dumps(key, ensure_ascii=False).encode()) + rb" *+: *+" + value for key in keys
    )
    return re.compile(rb"(?: *+\{ *+" + pairs + rb" *+\} *+\r?\n)++")
