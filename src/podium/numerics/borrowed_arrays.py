"""Kernels that make no arrays: they count no references to those they were given.

Numba counts references to every array that a function takes: up when it begins and down at each of its ends,
by instructions that wait for all cores. A kernel that is called for every row spent a tenth of its time on
that, and more where threads count the same array. Nothing needs to be counted by a kernel whose arrays all
belong to its caller, who keeps them as long as the call lasts; Python keeps the arguments of what it calls.
"""

from __future__ import annotations

from typing import Any

from numba.core import compiler_machinery, ir, types

_machinery: Any = compiler_machinery
_ir: Any = ir
_types: Any = types

BORROWED = (_types.Array, _types.Number, _types.Boolean, _types.Omitted, _types.Dispatcher)
"""Types of arguments that belong to the caller as long as the call lasts; so do tuples of them."""


@_machinery.register_pass(mutates_CFG=False, analysis_only=True)
class BorrowedArrays(_machinery.AnalysisPass):  # type: ignore[misc]
    """Makes the next pass, which writes code for LLVM, leave out counting where there is nothing to count."""

    _name = "borrowed_arrays"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Look at what the kernel does, which stays as it is."""
        if not _must_count(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
            vars(state.targetctx).pop("nrt", None)  # which Numba makes once, by that option
        return False


def _must_count(state: Any) -> bool:
    """Whether a kernel has anything but numbers, arrays of its caller, views of these and tuples of all."""
    takes_others = not all(map(_is_borrowed, state.args))
    if takes_others or state.func_ir.is_generator or _is_counted(state.return_type, state):
        return True
    steps = (step for block in state.func_ir.blocks.values() for step in block.body)
    return any(_makes(step, state) for step in steps)


def _is_borrowed(kind: Any) -> bool:
    """Whether arguments of this type belong to the caller as long as the call lasts."""
    if isinstance(kind, _types.BaseTuple):
        return all(map(_is_borrowed, kind.types))
    return isinstance(kind, BORROWED)


def _makes(step: Any, state: Any) -> bool:
    """Whether a step makes something whose references are counted."""
    if isinstance(step, _ir.SetItem | _ir.StaticSetItem):  # an array may be copied before it is set
        return _is_counted(state.typemap[step.value.name], state)
    if isinstance(step, _ir.Assign):
        made = _is_counted(state.typemap[step.target.name], state)
        return made and isinstance(step.value, _ir.Expr) and not _is_part(step.value, state)
    return isinstance(step, _ir.DynamicRaise | _ir.Print)  # what is said is made first


def _is_part(value: Any, state: Any) -> bool:
    """Whether a value is a tuple of others, a part of a tuple or a view of an array."""
    kinds = state.typemap
    if value.op == "call":
        return isinstance(kinds[value.func.name], _types.NamedTupleClass)
    if value.op in ("getattr", "exhaust_iter"):
        return isinstance(kinds[value.value.name], _types.BaseTuple)
    if value.op in ("getitem", "static_getitem"):
        index = value.index if value.op == "getitem" else value.index_var
        by_array = index is not None and _is_counted(kinds[index.name], state)
        return isinstance(kinds[value.value.name], _types.Array | _types.BaseTuple) and not by_array
    return value.op in ("build_tuple", "cast")


def _is_counted(kind: Any, state: Any) -> bool:
    """Whether references to values of this type are counted."""
    held: bool = state.targetctx.data_model_manager[kind].contains_nrt_meminfo()
    return held
