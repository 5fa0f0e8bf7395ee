"""What a paper prints, with its place: typed once, apart from all code that computes."""

from __future__ import annotations

from typing import NamedTuple

from podium.papers.items import Number


class Printed(NamedTuple):
    """A published number, as it stands there.

    >>> Printed("48", "Section 6.3").beside("first step", "47.9", "exact", remark="as printed").published
    '48'
    """

    value: str
    place: str

    def beside(self, what: str, ours: str, source: str, remark: str = "") -> Number:
        """The same number of ours beside it."""
        return Number(what, ours, source, published=self.value, place=self.place, remark=remark)
