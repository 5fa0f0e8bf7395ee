"""Tiers, such as Bronze, Silver and Gold: names, lower bounds and colours, written below `[tiers]` in a file.

```toml
[tiers]
Bronze = { colour = "#cd7f32" }
Silver = { from = 1400, colour = "#9aa0a6" }
Gold = 1700
```

The lowest tier needs no bound. A tier without a colour gets one of `COLOURS`. `PRESETS` are tiers to choose
by name, with as many steps as well-known sites have.
"""

from __future__ import annotations

import math
import os
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from podium.errors import ParameterError
from podium.files.toml import parse_toml, read_text
from podium.text import did_you_mean, shorten

if TYPE_CHECKING:
    from podium.systems.contract.system import RatingSystem

COLOURS = ("#808080", "#4d8a3c", "#2f8f8f", "#3b6fd1", "#8a4fc9", "#d17a1f", "#c9342f")
"""From the lowest tier to the highest; tiers beyond the last one have its colour."""

MOST_TIERS = 50
"""More are a mistake."""

_HINT = 'write Gold = 1700, or Gold = { from = 1700, colour = "#d4a017" }'
_KEYS = ("from", "colour")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Tier:
    """Everybody whose displayed rating is `lower` or more, up to the next tier."""

    name: str
    lower: float
    """−∞ for a lowest tier without a bound."""
    colour: str
    """As #rrggbb."""


Steps = Sequence[tuple[str, str, float]]
"""Names, colours, and where each begins in points from an average player; the lowest has no bound."""

_METALS = (
    ("Clay", "#8d6e63"),
    ("Copper", "#b5651d"),
    ("Silver", "#8c96a0"),
    ("Gold", "#c99700"),
    ("Crystal", "#2a8fbd"),
)
PRESETS: dict[str, Steps] = {
    "three": [("Bronze", "#a0632a", 0), ("Silver", "#8c96a0", -100), ("Gold", "#c99700", 150)],
    "five": [(name, colour, 200 * step - 400) for step, (name, colour) in enumerate(_METALS)],
    "seven": [
        ("Pebble", "#7a7f85", 0),
        ("Clay", "#8d6e63", -300),
        ("Copper", "#b5651d", -100),
        ("Silver", "#8c96a0", 100),
        ("Gold", "#c99700", 300),
        ("Ruby", "#b0203a", 500),
        ("Crown", "#6a3fb5", 700),
    ],
    "eight": [
        ("Grey", "#7a7f85", 0),
        ("Brown", "#8d5a2b", -600),
        ("Green", "#3c8031", -300),
        ("Teal", "#1f8a8a", 0),
        ("Blue", "#2f62c9", 300),
        ("Yellow", "#b39800", 600),
        ("Orange", "#d0701a", 900),
        ("Red", "#c3302b", 1200),
    ],
    "ten": [
        ("Seed", "#7a7f85", 0),
        ("Sprout", "#6f9a3c", -300),
        ("Leaf", "#3c8031", -100),
        ("Stream", "#1f8a8a", 100),
        ("River", "#2f62c9", 400),
        ("Dusk", "#7a45bd", 600),
        ("Ember", "#d0701a", 800),
        ("Flame", "#cf4a1d", 900),
        ("Comet", "#c3302b", 1100),
        ("Star", "#8e1230", 1500),
    ],
    "divisions": [
        (f"{name} {number}", colour, 75 * (3 * step + place) - 525)
        for step, (name, colour) in enumerate(_METALS)
        for place, number in enumerate(("III", "II", "I"))
    ],
}
"""Tiers by name. Points are those of a scale whose newcomers have a deviation of 350, as with Glicko."""
_USUAL_DEVIATION = 350.0


def preset_tiers(name: str, system: RatingSystem) -> tuple[Tier, ...]:
    """The tiers of `PRESETS` on the scale of a system, lowest first.

    >>> import podium
    >>> for tier in preset_tiers("three", podium.Elo()):
    ...     print(tier.name, tier.lower)
    Bronze -inf
    Silver 1400.0
    Gold 1650.0
    >>> [round(tier.lower, 1) for tier in preset_tiers("three", podium.TrueSkill())]
    [-inf, 22.6, 28.6]
    """
    if name not in PRESETS:
        hint = did_you_mean(name, list(PRESETS)) or f"{', '.join(PRESETS)}, or your tiers in a file"
        raise ParameterError(f"there are no tiers called {shorten(name)!r}", hint=hint)
    mu, sigma = system.start(system.new_state())
    unit = 1.0 if sigma is None else float(sigma[0]) / _USUAL_DEVIATION
    return tuple(
        Tier(step, float(mu[0]) + points * unit if number else -math.inf, colour)
        for number, (step, colour, points) in enumerate(PRESETS[name])
    )


def tier_number(tiers: Sequence[Tier], display: float) -> int:
    """The number of the tier of a rating; −1 if it is below all of them.

    >>> [tier_number([Tier("low", 0.0, "#808080"), Tier("high", 10.0, "#808080")], r) for r in (-1, 0, 10)]
    [-1, 0, 1]
    """
    return bisect_right([tier.lower for tier in tiers], display) - 1


def load_tiers(path: str | os.PathLike[str]) -> tuple[Tier, ...]:
    """The tiers of a file, lowest first; none if it has no `[tiers]`."""
    source = os.fspath(path)
    return tiers_among(parse_toml(read_text(path), "a file of tiers", source=source), source)


def tiers_among(given: Mapping[str, Any], source: str) -> tuple[Tier, ...]:
    """The tiers below `tiers` of a parsed file, lowest first; `source` is named in errors.

    >>> [(tier.name, tier.lower) for tier in tiers_among({"tiers": {"Gold": 1700, "Silver": {}}}, "my.toml")]
    [('Silver', -inf), ('Gold', 1700.0)]
    """
    table = given.get("tiers", {})
    if not isinstance(table, dict):
        raise ParameterError(f"{source}: tiers are a table", hint=f"below a line [tiers], {_HINT}")
    if len(table) > MOST_TIERS:
        raise ParameterError(f"{source}: there are {len(table)} tiers", hint=f"{MOST_TIERS} at most")
    found = sorted((_tier(name, value, source) for name, value in table.items()), key=lambda tier: tier[1])
    for (name, lower, _), (other, above, _) in pairwise(found):
        if lower == above:
            bound = "have no lower bound" if math.isinf(lower) else f"begin at {lower:g}"
            raise ParameterError(
                f"{source}: the tiers {shorten(name)!r} and {shorten(other)!r} both {bound}", hint=_HINT
            )
    return tuple(
        Tier(name, lower, colour or COLOURS[min(number, len(COLOURS) - 1)])
        for number, (name, lower, colour) in enumerate(found)
    )


def tiers_from(given: Sequence[Mapping[str, Any]]) -> tuple[Tier, ...]:
    """The tiers of plain data, lowest first, as documents write them; a colour may be left out.

    >>> tiers = tiers_from([{"name": "Gold", "lower": 1700}, {"name": "Silver"}])
    >>> [(tier.name, tier.lower) for tier in tiers]
    [('Silver', -inf), ('Gold', 1700.0)]
    """
    hint = 'write {"name": "Gold", "lower": 1700, "colour": "#d4a017"}'
    table: dict[str, Any] = {}
    for tier in given:
        if tier["name"] in table:
            raise ParameterError(f"two tiers are called {shorten(tier['name'])!r}", hint=hint)
        keys = {"from": tier.get("lower"), "colour": tier.get("colour")}
        table[tier["name"]] = {key: value for key, value in keys.items() if value is not None}
    try:
        return tiers_among({"tiers": table}, "tiers")
    except ParameterError as error:
        raise ParameterError(error.reason, hint=hint) from None


def _tier(name: str, value: Any, source: str) -> tuple[str, float, str | None]:
    """The name, the lower bound and the colour of a tier."""
    where = f"{source}: the tier {shorten(name)!r}"
    if not name.strip():
        raise ParameterError(f"{source}: a tier has no name", hint=_HINT)
    table = value if isinstance(value, dict) else {"from": value}
    for key in table:
        if key not in _KEYS:
            raise ParameterError(f"{where} has no {shorten(key)!r}", hint=did_you_mean(key, _KEYS) or _HINT)
    lower, colour = table.get("from", -math.inf), table.get("colour")
    if isinstance(lower, bool) or not isinstance(lower, (int, float)) or math.isnan(lower):
        raise ParameterError(f"{where} begins at {shorten(repr(lower))}, which is not a number", hint=_HINT)
    if lower == math.inf:
        raise ParameterError(f"{where} begins at inf, which no rating reaches", hint=_HINT)
    if colour is not None and not (isinstance(colour, str) and _COLOUR.fullmatch(colour)):
        raise ParameterError(
            f"{where} has the colour {shorten(repr(colour))}", hint='a colour is written as "#d4a017"'
        )
    return name, float(lower), colour
