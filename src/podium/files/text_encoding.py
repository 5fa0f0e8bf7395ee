"""How a text file writes its letters, found by looking at all of its bytes, which are hashed on the way."""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from podium.errors import InputError, ParameterError
from podium.files.kinds import BINARY_FORMATS, MAX_RATIO, FileKind, check_expansion, open_binary

UTF8 = "utf-8"
WINDOWS = "cp1252"
ENCODING_HINT = "give the file's encoding with --encoding NAME (encoding='NAME'), such as cp1251 or shift_jis"

_BLOCK = 1 << 20
_MARKS = {
    codecs.BOM_UTF8: UTF8,
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it starts with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_LETTERS_ELSEWHERE = {
    "cp1250": re.compile(
        rb"\w*(?:[A-Za-z][\xb3\xb9\xbf\xbe\xbc][a-z]|[A-Za-z]{3}[\xb3\xb9]|\b[\xa3\xaf][a-z])\w*"
    ),
    "cp1251": re.compile(rb"(?<![A-Za-z])[\xc0-\xff\xa8\xb8]{4,}(?![A-Za-z])"),
}
"""An encoding, and words of it that Windows-1252 makes nonsense of, such as Polish and Russian ones."""
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")
_NOT_WINDOWS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


@dataclass(frozen=True)
class Content:
    """What looking at all bytes of a file told."""

    digest: str
    """SHA-256 of the decompressed bytes, in hexadecimal."""
    size: int
    """The number of these bytes."""
    encoding: str = UTF8
    guess: str | None = None
    """What was decided without being certain, in words."""
    has_quotes: bool = False
    ends_in_cr: bool = False
    """Whether lines end in a carriage return alone, as in the CSV that Excel calls Macintosh."""


def codec_name(encoding: str) -> str:
    """The name of an encoding as Python spells it; an unknown one is refused."""
    try:
        found = codecs.lookup(encoding)
    except (LookupError, ValueError):
        found = None
    if found is None or not found._is_text_encoding:
        raise ParameterError(
            f"there is no encoding {encoding!r}", hint="utf-8, utf-16, latin-1, cp1252, cp1251, shift_jis, …"
        )
    return UTF8 if found.name == "utf-8-sig" else found.name


def inspected(
    path: Path,
    kind: FileKind,
    name: str,
    encoding: str | None,
    max_ratio: float = MAX_RATIO,
    keep: Callable[[bytes], None] = lambda block: None,
) -> Content:
    """Hash a file and find out how its letters are written, unless `encoding` says so.

    `keep` is given the decompressed bytes, block after block. A compressed file that holds more than
    `max_ratio` times its size is refused; see `check_expansion`.

    Text that is not UTF-8 is Windows-1252 if all of it can be. Where some lines are UTF-8 and some are not,
    it stays UTF-8, and who reads the lines says which are damaged.
    """
    digest = hashlib.sha256()
    size = 0
    found = None if encoding is None else codec_name(encoding)
    if kind.format in BINARY_FORMATS:
        found = UTF8  # nothing to find
    guess = None
    has_quotes = ends_in_cr = False
    utf8 = _Utf8Check()
    with open_binary(path, kind, name) as stream:
        for number, block in enumerate(iter(lambda: stream.read(_BLOCK), b"")):
            digest.update(block)
            keep(block)
            size += len(block)
            if kind.compression is not None:
                check_expansion(path, name, size, max_ratio)
            if kind.format in BINARY_FORMATS:
                continue
            has_quotes = has_quotes or b'"' in block
            if number == 0:
                ends_in_cr = b"\r" in block and b"\n" not in block
            if number == 0 and found is None:
                found, guess = _by_first_bytes(block)
            if not (found or UTF8).startswith(("utf-16", "utf-32")) and b"\0" in block:
                raise _not_text(path, kind, name)
            if found is None:
                utf8.check(block)
    if found is None and not utf8.finish():
        # Of a PGN file each header is read by itself: collections of games are often of both kinds.
        found = WINDOWS if kind.format == "pgn" else _encoding_of_damaged(path, kind, name)
        guess = "encoding Windows-1252 assumed (to change it, use --encoding)" if found == WINDOWS else None
    return Content(digest.hexdigest(), size, found or UTF8, guess, has_quotes, ends_in_cr)


def utf8_blocks(path: Path, kind: FileKind, name: str, content: Content) -> Iterator[bytes]:
    """The text of a file as UTF-8 with lines that end in a line feed, piece by piece."""
    encoding = content.encoding
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    with open_binary(path, kind, name) as stream:
        while True:
            block = stream.read(_BLOCK)
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeError as error:
                before = block[: getattr(error, "start", 0)]
                raise InputError(
                    f"the line cannot be read as {encoding}",
                    source=name,
                    line=line + before.count(b"\n"),
                    hint=ENCODING_HINT,
                ) from error
            if content.ends_in_cr:
                text = text.replace("\r", "\n")
            if "\0" in text:
                raise InputError(
                    f"read as {encoding}, the line holds a zero character, so it is not text",
                    source=name,
                    line=line + text.partition("\0")[0].count("\n"),
                    hint=ENCODING_HINT,
                )
            line += text.count("\n")
            yield text.encode("utf-8", "replace")
            if not block:
                return


class _Utf8Check:
    """Whether blocks one after another are UTF-8; blocks of ASCII, which most are, cost next to nothing."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder(UTF8)()
        self._damaged = False

    def check(self, block: bytes) -> None:
        if self._damaged or (block.isascii() and not self._decoder.getstate()[0]):
            return
        try:
            self._decoder.decode(block)
        except UnicodeDecodeError:
            self._damaged = True

    def finish(self) -> bool:
        """Whether all was UTF-8."""
        return not self._damaged and not self._decoder.getstate()[0]


def _by_first_bytes(block: bytes) -> tuple[str | None, str | None]:
    """The encoding that a byte order mark says, or that zeros in every second byte make likely."""
    for mark, encoding in _MARKS.items():
        if block.startswith(mark):
            return (None if encoding == UTF8 else encoding), None
    start = block[:4096]
    even, odd = start[::2], start[1::2]
    for zeros, others, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if 2 * zeros.count(0) > len(zeros) and not others.count(0):
            return encoding, f"encoding {encoding.upper()} assumed (to change it, use --encoding)"
    return None, None


def _encoding_of_damaged(path: Path, kind: FileKind, name: str) -> str:
    """How a file writes its letters that is not UTF-8 from end to end."""
    unreadable, odd = None, None
    with open_binary(path, kind, name) as stream:
        for number, line in enumerate(stream, start=1):
            if line.isascii():
                continue
            if _is_utf8(line):
                return UTF8
            if _CONTROLS.search(line):
                raise _not_text(path, kind, name)
            odd = odd or _odd_letters(line, number, name)
            if unreadable is None and _NOT_WINDOWS.search(line):
                unreadable = number
    if odd is not None:
        raise odd
    if unreadable is not None:
        raise InputError(
            "the line is neither UTF-8 nor Windows-1252", source=name, line=unreadable, hint=ENCODING_HINT
        )
    return WINDOWS


def _odd_letters(line: bytes, number: int, name: str) -> InputError | None:
    """The error about a line of which Windows-1252 would make nonsense."""
    for encoding, pattern in _LETTERS_ELSEWHERE.items():
        if (word := pattern.search(line)) is not None:
            wrong, right = (word[0].decode(one, "replace") for one in (WINDOWS, encoding))
            return InputError(
                f"the line is not UTF-8, and in Windows-1252 a word is {wrong!r}",
                source=name,
                line=number,
                hint=f"--encoding {encoding} (encoding={encoding!r}) reads {right!r}. "
                "If that is wrong, try another one, such as cp1250, cp1253 or koi8-r",
            )
    return None


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _not_text(path: Path, kind: FileKind, name: str) -> InputError:
    """The error about a file that holds bytes no text has, naming the first line with one."""
    line = 1
    with open_binary(path, kind, name) as stream:
        while block := stream.read(_BLOCK):  # not line by line: what is no text may be one line of gigabytes
            if found := _CONTROLS.search(block):
                return InputError(
                    f"the line holds the byte 0x{found[0].hex()}, which no text has: is the file binary?",
                    source=name,
                    line=line + block.count(b"\n", 0, found.start()),
                    hint="if it is text in an unusual encoding, " + ENCODING_HINT,
                )
            line += block.count(b"\n")
    raise AssertionError("called on text")
