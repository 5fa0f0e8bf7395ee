"""Work so small that compiling would take longer than the work: its kernels are interpreted.

Whether they are depends on the command, the systems and the number of rows, and on nothing else: what happens
to be compiled already changes no digit of a result. Systems and presets declare their costs
(`podium.inventory`, `podium.presets`); those of commands are below. The choice comes after reading, which
needs no kernels, and before the first kernel is imported. What goes on later is always compiled: ladders that
are saved or go on, work in several processes, code of one's own, and podium in Python.
"""

from __future__ import annotations

from collections.abc import Sequence

from podium.cli.chosen_systems import pairs, system_from
from podium.errors import ParameterError, PodiumError
from podium.files.toml import is_toml_name, parse_toml, read_text
from podium.inventory import INVENTORY, SYSTEM_ALIASES, Cost, parameter_names
from podium.numerics.compiler_choice import are_kernels_loaded, interpret_kernels
from podium.presets import PRESETS
from podium.text import did_you_mean

EXPECTING = Cost(1.5, 0.7)
"""Besides, for the places that were to be expected in a contest: `podium changes`."""
EVALUATING = Cost(6.0, 0.4)
"""Besides, for predicting every event and judging that: `podium evaluate`, for each system."""
MATCHING = Cost(11.0, 3.7)
"""Who plays whom, where a row is a player who waits: `podium match`, in which nothing is rated."""
SHOWING = Cost(5.5, 1.2)
"""Besides, for what pages show, of which the ranks needed for the next mark take longest: `podium site`."""
NOTHING = Cost(0.0, 0.0)
BESIDES = {
    "changes": EXPECTING,
    "evaluate": EVALUATING,
    "match": MATCHING,
    "predict": EVALUATING,
    "site": SHOWING,
}
TIMES_RATED = {"what-if": 2, "predict": 2, "match": 0}
"""How often a command rates all rows, if not once."""
SMALL_PART = 0.25
"""Interpreted work takes at most this part of the time that compiling takes: compiling would pay only for who
runs the same command more than a few times."""
MOST_SECONDS = 10.0
"""And never longer than this: several systems together take minutes to compile."""


def check_system(name: str | None, settings: Sequence[str] = ()) -> None:
    """Refuse an unknown system or parameter before any file is read; None is a preset, chosen by the file.

    Values of parameters are checked where the system can be made: if it is not podium's own, which loads what
    is compiled, and stays so; or if kernels are loaded already.
    """
    if name is not None and (_cost(name) is None or are_kernels_loaded()):
        system_from(name, settings)
        return
    given = pairs(settings, "--set")
    if not given:
        return
    if name is not None:
        from podium.parameters import check_names  # it loads NumPy, which help does without

        system = _system_name(name)
        check_names(parameter_names(system), given, system)
        return
    known = dict.fromkeys(one for preset in PRESETS.values() for one in parameter_names(preset.system))
    for one in given:
        if one not in known:
            hint = (
                did_you_mean(one, list(known)) or "choose a system that has this parameter with --system NAME"
            )
            raise ParameterError(
                f"none of the systems that podium chooses has a parameter {one!r}", hint=hint
            )


def interpret_if_small(command: str, systems: Sequence[str], rows: int) -> bool:
    """Interpret kernels from now on if a command has little to do; returns whether it has."""
    small = rows <= most_rows(command, systems)
    if small:
        interpret_kernels()
    return small


def most_rows(command: str, systems: Sequence[str]) -> int:
    """The rows up to which a command works without the compiler; −1 if it never does.

    >>> most_rows("evaluate", ["elo", "glicko"]) < most_rows("rate", ["elo"])
    True
    """
    if None in (own := [_cost(name) for name in systems]):
        return -1
    besides, times = BESIDES.get(command, NOTHING), TIMES_RATED.get(command, 1)
    rated = [cost for cost in own if cost is not None and times > 0]
    compiling = besides.compiling + sum(cost.compiling for cost in rated)
    row = besides.row * max(len(rated), 1) + sum(times * cost.row for cost in rated)
    return int(1000.0 * min(SMALL_PART * compiling, MOST_SECONDS) / row)


def _cost(name: str) -> Cost | None:
    """What the system or preset costs that a name or a FILE.toml means; None if it is none of podium's."""
    try:
        name = _named(name)
    except PodiumError:  # whoever loads the system says what is wrong
        return None
    entry = PRESETS.get(name) or INVENTORY.get(SYSTEM_ALIASES.get(name, name))
    return None if entry is None else entry.cost


def _system_name(name: str) -> str:
    """The name of podium's own system that a name, the name of a preset or a FILE.toml means."""
    name = _named(name)
    return PRESETS[name].system if name in PRESETS else SYSTEM_ALIASES.get(name, name)


def _named(name: str) -> str:
    """The name itself, or the one in a FILE.toml."""
    if not is_toml_name(name):
        return name
    return str(parse_toml(read_text(name), "a system", source=name).get("system"))
