"""Kernels that make no arrays: they count no references to those they were given.

Numba counts references to every array that a function takes: up when it begins and down at each of its ends,
by instructions that wait for all cores. A kernel that is called for every row spent a tenth of its time on
that, and more where threads count the same array. Nothing needs to be counted by a kernel whose arrays all
belong to its caller, who keeps them as long as the call lasts. Python does so for kernels that it enters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numba.core import compiler_machinery, ir, types

_machinery: Any = compiler_machinery
_ir: Any = ir
_types: Any = types

LOOKING = frozenset(
    {"getattr", "getitem", "static_getitem", "typed_getitem", "build_tuple", "exhaust_iter", "cast", "phi"}
)
"""Operations that give an array only if they were given it, or one that it is a part of."""


@_machinery.register_pass(mutates_CFG=False, analysis_only=True)
class BorrowedArrays(_machinery.AnalysisPass):  # type: ignore[misc]
    """Makes the next pass leave out all counting, if the kernel makes nothing that has to be counted."""

    _name = "borrowed_arrays"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Look at what the kernel does; nothing of that is changed."""
        if not any(_is_counted(kind, state) for kind in _made(state)):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


def _made(state: Any) -> Iterator[Any]:
    """The types of everything that is made in a kernel or in what it calls, and of what it returns."""
    yield state.return_type
    for block in state.func_ir.blocks.values():
        for step in block.body:
            if isinstance(step, _ir.DynamicRaise):  # what it says is kept in memory
                yield _types.unicode_type
            elif isinstance(step, _ir.Assign) and _makes(step.value, state.typemap):
                yield state.typemap[step.target.name]


def _makes(value: Any, kinds: Any) -> bool:
    """Whether a value may be new, not a part of others."""
    if not isinstance(value, _ir.Expr) or value.op in LOOKING:
        return False
    return not (value.op == "call" and isinstance(kinds[value.func.name], _types.NamedTupleClass))


def _is_counted(kind: Any, state: Any) -> bool:
    """Whether references to values of this type are counted."""
    held: bool = state.targetctx.data_model_manager[kind].contains_nrt_meminfo()
    return held
