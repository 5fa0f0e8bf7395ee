"""File names of pages, made of names that may hold anything: markup, `../`, emoji, 200 letters, `con`.

The name of a page depends on nobody else's name, so a page keeps it when others join. It is ASCII in lower
case, so file systems that fold case or normalise letters keep pages apart, and it needs no escaping in an
address. Capitalised words are told apart by their slug, and so are handles in lower case, which end with a
low line. Whatever else has the same slug gets a digest.

>>> page_name("Lewis Hamilton"), page_name("tourist"), page_name("Côte d'Ivoire"), page_name("con")
('lewis-hamilton', 'tourist_', 'cote-d-ivoire_qvg5lzhc5p', 'con_')
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b

LONGEST_SLUG = 48
"""Letters of a name that are kept; with digest and suffix that is far below the 255 bytes of a file name."""
DIGEST_LETTERS = 10
"""50 bits: of a million names without an ASCII letter, two share a digest once in two thousand ladders."""
LONG_DIGEST_LETTERS = 52
"""All letters of the digest, for names that share the short one: by chance, or because somebody tried."""
NAMELESS = "x"
"""The slug of a name without any ASCII letter: some hosts hide files that begin with a low line."""

_WORDS = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*(?: [0-9]+)?", re.ASCII)
"""Capitalised words, and perhaps a number after them."""
_HANDLE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")
"""What Windows takes for a device, whatever follows after a dot."""


def page_name(name: str, digest_letters: int = DIGEST_LETTERS) -> str:
    """The name of somebody's page, without a suffix."""
    slug = name_slug(name) or NAMELESS
    if len(name) <= LONGEST_SLUG:
        if _WORDS.fullmatch(name) and not _RESERVED.fullmatch(slug):
            return slug
        if _HANDLE.fullmatch(name):
            return f"{slug}_"
    return f"{slug}_{name_digest(name, digest_letters)}"


def page_names(names: Iterable[str]) -> list[str]:
    """The name of each page; names that share one by their digests have longer digests."""
    known = list(names)
    found = [page_name(name) for name in known]
    shared = (
        {page for page, times in Counter(found).items() if times > 1} if len(set(found)) < len(found) else ()
    )
    return [
        page_name(name, LONG_DIGEST_LETTERS) if page in shared else page
        for name, page in zip(known, found, strict=True)
    ]


def event_page_names(names: Iterable[str]) -> list[str]:
    """The name of each event's page. Events may share a name: the second is `final.2`, so that an event which
    is added at the end renames no other."""
    times: Counter[str] = Counter()
    found = []
    for name in names:
        page = page_name(name)
        times[page] += 1
        found.append(page if times[page] == 1 else f"{page}.{times[page]}")
    return found


def name_slug(name: str) -> str:
    """The ASCII letters and digits of a name in lower case, words joined by hyphens; may be empty.

    >>> name_slug("../Étienne  O'Neil"), name_slug("羽生")
    ('etienne-o-neil', '')
    """
    plain = unicodedata.normalize("NFKD", name[: 4 * LONGEST_SLUG]).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].strip("-")


def name_digest(name: str, letters: int) -> str:
    """Letters that tell a name from others with the same slug, the same in every run and on every machine."""
    digest = blake2b(_bytes(name), digest_size=32).digest()[: -(-letters * 5 // 8)]
    return base64.b32encode(digest).decode().lower()[:letters]


def bundle_number(name: str, bundles: int) -> int:
    """Which of so many bundles a name is in: by its digest, so that others' names do not matter."""
    return int.from_bytes(blake2b(_bytes(name), digest_size=8).digest()) % bundles


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
