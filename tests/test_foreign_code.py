"""What podium does with other packages: it changes nothing of theirs, and can do without what is private."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

import podium

PACKAGE = Path(podium.__file__).parent
CHANGING = {"setattr", "delattr", "__setattr__", "__delattr__"}
"""Functions that change an attribute of their first argument."""
HOOKS = {"sys.unraisablehook"}
"""What Python documents as being there to be replaced."""
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def changes(tree: ast.Module) -> list[str]:
    """The places of a file that set or delete an attribute of what it imports from another package."""
    return list(_changes_in(tree, frozenset()))


def _changes_in(scope: ast.AST, foreign: frozenset[str]) -> Iterator[str]:
    """The same of a scope and of those inside it, in whose surroundings these names are foreign."""
    nodes = list(_nodes_of(scope))
    foreign = foreign - _arguments(scope)
    while (more := foreign.union(*(_foreign_names(node, foreign) for node in nodes))) != foreign:
        foreign = more
    for node in nodes:
        for changed in _changed(node):
            if _root(changed) in foreign:
                yield f"line {changed.lineno}: {ast.unparse(changed)}"
        if isinstance(node, SCOPES):
            yield from _changes_in(node, foreign)


def _nodes_of(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, with the scopes inside it but not what is in those."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, SCOPES):
            yield from _nodes_of(child)


def _arguments(scope: ast.AST) -> set[str]:
    """The names that a function takes: its own, whatever they mean outside."""
    given = getattr(scope, "args", None)
    return {one.arg for one in ast.walk(given) if isinstance(one, ast.arg)} if given is not None else set()


def _foreign_names(node: ast.AST, foreign: frozenset[str]) -> set[str]:
    """The names that a statement gives to a module of another package, or to what is in one."""
    if isinstance(node, ast.Import):
        names = {one.asname or one.name.partition(".")[0]: one.name for one in node.names}
        return {name for name, module in names.items() if not _is_ours(module)}
    if isinstance(node, ast.ImportFrom):
        ours = node.level > 0 or _is_ours(node.module or "")
        return set() if ours else {one.asname or one.name for one in node.names}
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and _root(node.value) in foreign:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return {target.id for target in targets if isinstance(target, ast.Name)}
    return set()


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "podium"


def _root(value: ast.expr) -> str | None:
    """The name at the beginning of a name or of a chain of attributes."""
    while isinstance(value, ast.Attribute):
        value = value.value
    return value.id if isinstance(value, ast.Name) else None


def _changed(node: ast.AST) -> list[ast.expr]:
    """What a node sets or deletes an attribute of, as far as it is named: `a.b` in ``a.b.c = d``."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        targets = [node.value] if ast.unparse(node) not in HOOKS else []
    elif isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        if name in CHANGING:
            targets = node.args[:1]
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        if isinstance(node.value, ast.Attribute) and node.value.attr == "__dict__":
            targets = [node.value.value]
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "vars":
            targets = node.value.args[:1]
    return targets


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("import numba\nnumba.jit = None", ["line 2: numba"]),
        ("import numba.core.types\nnumba.core.types.float64 = None", ["line 2: numba.core.types"]),
        ("from numba.core import types as t\nt.Array.cast = print", ["line 2: t.Array"]),
        ("from numba import core\nF: object = core.F\ndef f():\n    F.get = print", ["line 4: F"]),
        ("def f():\n    import numba\n    setattr(numba, 'jit', None)", ["line 3: numba"]),
        ("from numba import F\ntype.__setattr__(F, 'get', None)", ["line 2: F"]),
        ("import numba\ndel numba.jit", ["line 2: numba"]),
        ("import numba\nvars(numba)['jit'] = None", ["line 2: numba"]),
        ("import numba\nnumba.core.__dict__['jit'] = None", ["line 2: numba.core"]),
        ("from podium import arrays\narrays.NO_TIME = 0", []),
        ("import numba\nclass F(numba.F):\n    def get(self):\n        self.got = numba.got", []),
        ("import numba\ndef f(numba):\n    numba.jit = None", []),
        ("import numba\nkernel = numba.njit(print)\nkernel.note = 1", []),
    ],
)
def test_a_change_is_found(program: str, found: list[str]) -> None:
    assert changes(ast.parse(dedent(program))) == found


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """All files of podium, parsed."""
    return {str(path.relative_to(PACKAGE)): ast.parse(path.read_text()) for path in PACKAGE.rglob("*.py")}


def test_nothing_of_another_package_is_changed(trees: dict[str, ast.Module]) -> None:
    assert {name: found for name, tree in trees.items() if (found := changes(tree))} == {}


def test_private_names_of_the_compiler_are_behind_one_door(trees: dict[str, ast.Module]) -> None:
    """`jit` alone imports these files, and does without them where a name is missing."""
    assert {name for name, tree in trees.items() if imports(tree) - PUBLIC} == PRIVATE


PUBLIC = {"llvmlite", "llvmlite.binding", "numba", "numba.extending"}
PRIVATE = {f"numerics/{name}.py" for name in ("kernel_cache", "kernel_fingerprints", "linked_kernels")}


def imports(tree: ast.Module) -> set[str]:
    """The modules of Numba and llvmlite that a file imports."""
    nodes = list(ast.walk(tree))
    found = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    found |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name for name in found if name.partition(".")[0] in ("numba", "llvmlite")}
