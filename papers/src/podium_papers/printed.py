"""What a paper prints, with its place: typed once, apart from all code that computes."""

from __future__ import annotations

import re
from typing import NamedTuple

from podium_papers.items import Number


class Printed(NamedTuple):
    """A published number, as it stands there.

    >>> Printed("48", "Section 6.3").beside("first step", "47.9", "exact", remark="as printed").published
    '48'
    """

    value: str
    place: str

    def beside(self, what: str, ours: str, source: str, remark: str = "") -> Number:
        """A `Number` with ours next to this one."""
        return Number(what, ours, source, published=self.value, place=self.place, remark=remark)


def compared(ours: float, printed: str) -> str:
    """Whether a number rounds to the first one printed; if not, how far it is from it.

    >>> compared(207.64, "208"), compared(0.6602, "0.6625"), compared(5.2, "about 16%")
    ('as printed', 'off by −0.0023', 'off by −11')
    """
    found = re.search(r"\d[\d,]*(?:\.(\d+))?", printed)
    if found is None:
        raise ValueError(f"{printed!r} has no number in it")
    digits, said = len(found[1] or ""), float(found[0].replace(",", ""))
    same = round(ours, digits) == said
    return "as printed" if same else f"off by {signed(ours - said, digits)}"


def held(is_so: bool) -> str:
    """The remark on a claim: whether it is true here.

    >>> held(2 > 1), held(1 > 2)
    ('so it is', 'not so here')
    """
    return "so it is" if is_so else "not so here"


def signed(number: float, digits: int = 0) -> str:
    """A number with its sign.

    >>> signed(-2.4), signed(0.25, 2)
    ('−2', '+0.25')
    """
    return f"{number:+.{digits}f}".replace("-", "−")


def named(number: float) -> str:
    """A number as short as it can be written.

    >>> named(0.0), named(0.25), named(float("inf"))
    ('0', '0.25', '∞')
    """
    return f"{number:g}".replace("inf", "∞")


def rho_named(rho: float) -> str:
    """A value of ρ in words.

    >>> rho_named(0.5), rho_named(float("inf"))
    ('ρ = 0.5', 'ρ = ∞')
    """
    return f"ρ = {named(rho)}"
