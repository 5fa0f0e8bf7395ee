"""Secrets that are handed out once: random, with a name by which they are found, kept as digests.

They have 256 random bits, so that nobody guesses one and a fast digest is as good as a slow one.
"""

from __future__ import annotations

import re
from hashlib import sha256
from hmac import compare_digest
from typing import Literal, NamedTuple

from podium.server import machine

TokenKind = Literal["pod", "pol", "pos"]
"""What a token begins with: an API key, a link, a session."""
KEY: TokenKind = "pod"
LINK: TokenKind = "pol"
SESSION: TokenKind = "pos"
SECRET_BYTES = 32
ID_BYTES = 4
TOKEN_ID = re.compile("[0-9a-f]{8}")
"""The id of a key or a link. No database is asked for another text, as not all take each character."""
_TOKEN = re.compile(r"(pod|pol|pos)_([0-9a-f]{8})_[A-Za-z0-9_-]{43}")


class Token(NamedTuple):
    """A secret text, and the id by which its row is found."""

    kind: str
    id: str
    text: str

    @property
    def digest(self) -> bytes:
        """What is stored of it."""
        return sha256(self.text.encode()).digest()

    def fits(self, digest: bytes) -> bool:
        """Whether it is the one that was stored; the time this takes does not say how much of it is right."""
        return compare_digest(self.digest, digest)


def new_token(kind: TokenKind) -> Token:
    """A token that nobody has seen."""
    name = machine.token_hex(ID_BYTES)
    return Token(kind, name, f"{kind}_{name}_{machine.token_urlsafe(SECRET_BYTES)}")


def read_token(text: str, kind: TokenKind) -> Token | None:
    """The token of a kind that a text is; None if it is something else.

    >>> read_token("secret", KEY) is None
    True
    """
    found = _TOKEN.fullmatch(text)
    return Token(kind, found[2], text) if found is not None and found[1] == kind else None
