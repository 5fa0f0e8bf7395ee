"""The rules of plain words, and where the texts are that users meet.

`tests/test_plain_words.py` holds them. A text is cut into sentences. Code and links are left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LONG = 30
"""Words from which on a sentence is long; 95 of 100 have fewer."""

RETIRED = {
    "the role: player, caller, admin, you": (
        r'(?:who|whom)ever|(?:every|some|any|no)body|(?:some|any|every)one(?![,:"-])|no one'
    ),
    "a noun before who": r"(?:to|of|by|is|as|for|and|or|with|than|from|at|in|on) who(?:se|m)?",
    "again": r"anew",
    "permanently, always": r"for ?ever",
    "set, print, store": r"(?:is|are|was|were|be|been|being) (?:told|said)|tells|says|knows",
    "Y's X, separate": r"of (?:its|their|his|her|one's|your) own",
    "next to, with": r"beside",
    "is": r"stands?(?= (?:in|on|at|for|twice|there|alone|beside|behind|before)\b)",
    "continue": r"(?:go|goes|going|went) on",
    "exists": r"(?:is|are|was|were) there(?=[,.;:)]|$)",
    "is not a": r"(?<!here )(?:is|are) no (?!longer|more|better|worse|single)\w+",
    "the usual name": r"doorkeeper|evermore|thereof|wherein|hitherto|whereas|the very",
    "the noun: the file, the change": (
        r"what (?:a|an|the|it|he|she|they|is|was|are|were|has|had|one) \w+(?![^.]*\?)"
    ),
}
"""What to write instead, and a pattern of the words that are retired."""

NO_PROSE = re.compile(
    r"charset=|^from podium\.|[{}<>]"
    r"|\(\?[:i]|-src '|\w\(.*\); |\b(?:SELECT|CREATE|UPDATE|INSERT|function|const)\b|^\w+: dict\["
)
"""Code, regular expressions and headers of HTTP."""
MANY_ITEMS = 15
"""A text with more commas is a list of names, such as those of a column."""

PATTERNS = {
    instead: re.compile(rf"(?<![\w-])(?:{words})(?![\w=-])", re.IGNORECASE)
    for instead, words in RETIRED.items()
}


class Fault(NamedTuple):
    """A sentence and what is wrong with it."""

    sentence: str
    words: str
    instead: str


def sentences(text: str) -> list[str]:
    """The sentences of a text, without code.

    >>> sentences("Rate it. See `a. b` (e.g. here). Done in 1.5 s")
    ['Rate it.', 'See CODE (e.g. here).', 'Done in 1.5 s']
    """
    text = re.sub(r"```.*?```", " ", text, flags=re.DOTALL)
    text = re.sub(r"``[^`]*``|`[^`]*`", "CODE", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    cut = re.split(
        r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!\.\.\.)[)\"']?\s+(?=\S)"
        r"|\n\s*\n|\n\s*(?:[-*] |\d+\. |\|)|\s\|\s|\n {4,}(?=\w+: )",
        text,
    )
    cleaned = (" ".join(one.split()) for one in cut)
    return [one for one in cleaned if len(re.findall(r"[A-Za-z]{2,}", one)) >= 2]


def long(sentence: str) -> bool:
    """Whether a sentence has too many words."""
    return len(re.findall(r"[\w'{}.-]*\w[\w'{}.-]*", sentence)) >= LONG


def faults(text: str, *, semicolons: bool = True) -> Iterator[Fault]:
    """What is retired in a text."""
    for sentence in sentences(text):
        for instead, pattern in PATTERNS.items():
            for match in pattern.finditer(sentence):
                yield Fault(sentence, match[0], instead)
        if semicolons and re.search(r"\w\S*; \w", sentence):
            yield Fault(sentence, ";", "two sentences")


def messages(path: Path) -> Iterator[str]:
    """The texts in a module's code: errors, hints, help and other prose, with … in place of values."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inner.add(id(node.value))  # a docstring
        if isinstance(node, ast.JoinedStr):
            inner |= {id(part) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in inner:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if prose(text):
            yield text


def prose(text: str) -> bool:
    """Whether a text is for people: three words or more, and no code."""
    text = re.sub(r"\{[\w!:.,]*\}", "…", text)
    text = re.sub(r" \((?:in Python )?\w+=\{[^}]*\}[^()]*\)", "", text)  # an option, as Python has it
    if text.count(", ") > MANY_ITEMS or NO_PROSE.search(text):
        return False
    words = len(re.findall(r"(?<![\w.])[A-Za-z][a-z']+(?![\w(=])", text))
    return words >= 3 or (words > 0 and any(one.search(text) for one in PATTERNS.values()))
