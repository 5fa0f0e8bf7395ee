"""Hints in the words of the command line."""

from __future__ import annotations

import re

_KEYWORDS = "aliases|allow_repeat|columns|encoding|on_bad_row|separator|sheets|teams_split|time_format"
_IN_PYTHON = re.compile(rf" \((?:in Python )?(?:{_KEYWORDS})=[^()]*\)")


def without_keywords(message: str) -> str:
    """A message without the keywords of Python that stand in brackets behind the options they belong to.

    >>> without_keywords('--on-bad-row skip (on_bad_row="skip") leaves such events out')
    '--on-bad-row skip leaves such events out'
    """
    return _IN_PYTHON.sub("", message)
