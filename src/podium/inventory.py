"""podium's own rating systems by name, as far as they are known without being loaded.

Kernels are made when the module of a system is imported, and whether they are compiled is chosen after a
command has read its files (`podium.cli.small_work`). So what a command needs before that is here: where each
system is, and what rating by it costs. The names of its parameters are read from the source of its class.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from podium.named import Imported

DEFAULT_SYSTEM = "elo-mmr"
"""What `smooth` and simulated games rate by if none is asked for; results get a preset (`podium.presets`)."""
SYSTEM_ALIASES = {"bar": "weng-lin"}
"""Further names of systems."""


class Cost(NamedTuple):
    """CPU time of a kind of work, as `benchmarks/small_work.py` measures it; here on an AMD EPYC."""

    compiling: float
    """Seconds to compile it, on a machine that has compiled nothing; a guess for ordinary Python."""
    row: float
    """Milliseconds a row without the compiler."""


class BuiltIn(NamedTuple):
    """One of podium's own systems."""

    home: Imported
    """Where its class is."""
    cost: Cost
    """Rating once: what `podium rate`, `explain` and `chart` do, and `what-if` twice."""


INVENTORY: dict[str, BuiltIn] = {
    "elo-mmr": BuiltIn(Imported("podium.systems.elo_mmr.elo_mmr", "EloMMR"), Cost(12.0, 0.16)),
    "elo-mmx": BuiltIn(Imported("podium.systems.elo_mmr.elo_mmx", "EloMMX"), Cost(9.0, 0.35)),
    "elo-r": BuiltIn(Imported("podium.systems.elo_mmr.elo_r", "EloR"), Cost(12.0, 0.22)),
    "elo": BuiltIn(Imported("podium.systems.elo", "Elo"), Cost(8.0, 0.07)),
    "glicko": BuiltIn(Imported("podium.systems.glicko.glicko", "Glicko"), Cost(9.0, 0.09)),
    "glicko2": BuiltIn(Imported("podium.systems.glicko.glicko", "Glicko2"), Cost(9.0, 0.1)),
    "trueskill": BuiltIn(Imported("podium.systems.trueskill.trueskill", "TrueSkill"), Cost(10.0, 0.2)),
    "weng-lin": BuiltIn(Imported("podium.systems.weng_lin.weng_lin", "WengLin"), Cost(10.0, 0.02)),
    "codeforces": BuiltIn(Imported("podium.systems.codeforces.codeforces", "Codeforces"), Cost(7.0, 0.13)),
    "topcoder": BuiltIn(Imported("podium.systems.topcoder.topcoder", "Topcoder"), Cost(8.0, 0.24)),
    "luck": BuiltIn(Imported("podium.systems.luck.luck", "Luck"), Cost(12.0, 0.35)),
    "yuksel": BuiltIn(Imported("podium.systems.yuksel.yuksel", "Yuksel"), Cost(5.0, 0.02)),
    "lichess": BuiltIn(Imported("podium.systems.glicko.lichess", "Lichess"), Cost(9.0, 0.1)),
    "atcoder": BuiltIn(Imported("podium.systems.federations.atcoder", "AtCoder"), Cost(8.0, 0.1)),
    "fide": BuiltIn(Imported("podium.systems.federations.fide", "FIDE"), Cost(5.0, 0.03)),
    "uscf": BuiltIn(Imported("podium.systems.federations.uscf", "USCF"), Cost(5.0, 0.03)),
    "dwz": BuiltIn(Imported("podium.systems.federations.dwz", "DWZ"), Cost(5.0, 0.03)),
    "egf": BuiltIn(Imported("podium.systems.federations.egf", "EGF"), Cost(5.0, 0.03)),
    "auto": BuiltIn(Imported("podium.systems.auto.auto", "Auto"), Cost(45.0, 2.2)),
}
"""By the name on the command line and in files, in the order of tables."""


# ---------------------------------------------------------------------- parameters, from the source


def parameter_names(system: str) -> list[str]:
    """The parameters of one of podium's own systems that `--set` takes.

    >>> parameter_names("codeforces")
    ['calibration', 'mu', 'beta', 'weight', 'variant']
    """
    cls = _outline(INVENTORY[system].home)
    declared = [name for one in reversed(cls.__mro__) for name in vars(one).get("declared", ())]
    return [*dict.fromkeys(declared), *getattr(cls, "limits", ())]


@cache
def _outline(home: Imported) -> type:
    """A class with the bases of the one in the source, and the names of what that one declares."""
    tree = _parsed(home.module)
    classes = {one.name: one for one in tree.body if isinstance(one, ast.ClassDef)}
    homes = {**{name: Imported(home.module, name) for name in classes}, **_imported(tree)}
    found = classes[home.attribute]
    bases = [homes[base.id] for base in found.bases if isinstance(base, ast.Name) and base.id in homes]
    fields = {ast.unparse(one.target): one.value for one in found.body if isinstance(one, ast.AnnAssign)}
    content: dict[str, Any] = {"declared": [name for name, value in fields.items() if _is_parameter(value)]}
    if isinstance(limits := fields.get("limits"), ast.Dict):
        content["limits"] = [ast.literal_eval(key) for key in limits.keys if key is not None]
    return type(home.attribute, tuple(map(_outline, bases)), content)


def _parsed(module: str) -> ast.Module:
    """The source of a module of podium, which is not imported: nor are the packages around it."""
    path = Path(__file__).parent.joinpath(*module.split(".")[1:])
    return ast.parse(path.with_suffix(".py").read_text(encoding="utf-8"))


def _imported(tree: ast.Module) -> Mapping[str, Imported]:
    """What a module imports from modules of podium, by name."""
    return {
        one.name: Imported(node.module, one.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("podium.")
        for one in node.names
    }


def _is_parameter(value: ast.expr | None) -> bool:
    """Whether a field is declared by `podium.parameters.parameter`."""
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "parameter"
