"""Texts of callers that databases keep and pages show: names, keys, reasons."""

from __future__ import annotations

import re

from podium.errors import InputError
from podium.text import shorten

_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, ends of lines, and halves of characters, which are none."""


def check_text(text: str, what: str, longest: int) -> None:
    """Refuse what no database or page could show: control characters, halves of characters, and novels."""
    if len(text) > longest:
        raise InputError(f"{what} has at most {longest:,} characters, not {len(text):,}")
    if _UNSHOWN.search(text):
        raise InputError(
            f"{what} has characters that cannot be shown: {shorten(ascii(text))}",
            hint="leave out ends of lines and control characters",
        )
