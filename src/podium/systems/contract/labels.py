"""What people read as the name of a system with its parameters.

A system's name alone means its published parameters, and a preset's name the preset. Anything else is named
by what differs from the nearest of these. A label holds no comma, as labels stand in lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from podium.errors import ParameterError
from podium.parameters import Declared, plain
from podium.presets import PRESETS

D = TypeVar("D", bound=Declared)

MOST_SPELLED = 2
"""Changed parameters that a label spells out, at most; of more it has the number."""


def label(system: Declared, most: int = MOST_SPELLED) -> str:
    """The name of a system or preset, with up to `most` parameters that differ from it."""
    base, changed = nearest(system)
    if not changed:
        return base
    if len(changed) > most:
        return f"{base} with {len(changed)} changed parameters"
    return f"{base} with {' and '.join(f'{name}={_written(value)}' for name, value in changed.items())}"


def whole_label(system: Declared) -> str:
    """The name of a system or preset, with all parameters that differ from it."""
    return label(system, most=len(system.declared()))


def labelled(systems: Sequence[D]) -> dict[str, D]:
    """Several systems by label; where short labels are the same, by whole ones."""
    short = [label(system) for system in systems]
    found = {
        one if short.count(one) == 1 else whole_label(system): system
        for one, system in zip(short, systems, strict=True)
    }
    if len(found) < len(systems):
        raise ParameterError("a system is given twice, with the same parameters")
    return found


def preset_name(system: Declared) -> str | None:
    """The name of the preset that a system is; None if it is none."""
    base, changed = nearest(system)
    return base if base in PRESETS and not changed else None


def nearest(system: Declared) -> tuple[str, dict[str, Any]]:
    """The system or preset that differs in the fewest parameters, and what `system` has in place of these."""
    known = {name: plain(declared.default) for name, declared in system.declared().items()}
    bases: dict[str, dict[str, Any]] = {system.name: known}
    for preset in PRESETS.values():
        if preset.system == system.name:
            bases[preset.name] = {**known, **preset.parameters}
    own = {name: plain(value) for name, value in system.parameters().items()}
    changes = {
        base: {name: value for name, value in own.items() if name in usual and value != usual[name]}
        for base, usual in bases.items()
    }
    return min(changes.items(), key=lambda item: len(item[1]))


def _written(value: object) -> str:
    """A value in a label.

    >>> _written(0.25), _written((0.4, 0.7)), _written("margin(1,2)")
    ('0.25', '0.4/0.7', 'margin(1/2)')
    """
    if isinstance(value, tuple):
        return "/".join(map(_written, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value).replace(",", "/")
