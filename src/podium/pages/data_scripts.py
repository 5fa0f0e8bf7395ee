"""Data that the script of a site loads on demand, as scripts: browsers refuse other files from disk.

Each file calls one function with its key and a JSON value. The search index is cut into shards by the first
letters of the words in names, so that of 200,000 players only a few hundred are loaded.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

SHARD_ROWS = 1500
"""Rows of a shard of the search index: about 100 KB."""

_WORD = re.compile(r"[^\W_]+")
_UNSAFE = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}
"""Letters that could end a script or a line of it; in JSON they stand only inside texts."""


def data_script(key: str, value: Any) -> str:
    """A script that hands a value to the page.

    >>> data_script("search/0", [["</script>", 1]])
    'podiumData("search/0",[["\\\\u003c/script\\\\u003e",1]]);\\n'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"podiumData({json.dumps(key)},{text.translate(_UNSAFE)});\n"


def search_words(name: str) -> list[str]:
    """The words by which a name is found: without case and accents; `searchWords` of site.js does the same.

    >>> search_words("Kimi Räikkönen"), search_words("☃")
    (['kimi', 'raikkonen'], [])
    """
    letters = unicodedata.normalize("NFKD", name.lower())
    return _WORD.findall("".join(letter for letter in letters if unicodedata.category(letter) != "Mn"))


def search_shards(rows: Iterable[Sequence[Any]], most: int = SHARD_ROWS) -> Mapping[str, list[Sequence[Any]]]:
    """Rows that begin with a name, by the beginnings of the words in names.

    A few rows are one shard, with the empty beginning: any part of a name then finds it. Otherwise a row is
    in one shard for each of its words, and names without words are in the shard of the empty beginning.

    >>> shards = search_shards([("Ann Lee",), ("Al",), ("☃",)], most=1)
    >>> {start: [row[0] for row in found] for start, found in shards.items()}
    {'': ['☃'], 'al': ['Al'], 'an': ['Ann Lee'], 'l': ['Ann Lee']}
    """
    known = list(rows)
    if len(known) <= most:
        return {"": known}
    by_word: dict[str, list[Sequence[Any]]] = defaultdict(list)
    for row in known:
        for word in dict.fromkeys(search_words(row[0])) or [""]:
            by_word[word].append(row)
    shards: dict[str, list[Sequence[Any]]] = {"": by_word.pop("", [])}
    _cut("", sorted(by_word), by_word, most, shards)
    return shards


def _cut(
    start: str,
    words: Sequence[str],
    by_word: Mapping[str, list[Sequence[Any]]],
    most: int,
    shards: dict[str, list[Sequence[Any]]],
) -> None:
    """Put the rows of words with the same beginning into shards: one, or one for each next letter."""
    fits = sum(len(by_word[word]) for word in words) <= most
    if start and (fits or len(words) == 1):
        rows = (row for word in words for row in by_word[word])
        shards[start] = list({id(row): row for row in rows}.values())
        return
    by_next: dict[str, list[str]] = defaultdict(list)
    for word in words:
        by_next[word[: len(start) + 1]].append(word)
    for longer, some in by_next.items():
        if longer == start:  # the beginning is a whole word itself
            shards[start] = by_word[start]
        else:
            _cut(longer, some, by_word, most, shards)
