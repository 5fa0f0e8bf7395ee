"""What a kernel can tell the processor and the compiler beside its mathematics.

A match of two among a million players touches rows far apart, and waiting for them is most of a simple
system's time: naming the rows some matches ahead hides the wait (`prefetch`). A loop of eight steps is
unrolled by the compiler and then not vectorised; not knowing that they are eight, it does (`opaque`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from podium.numerics.compiler_choice import is_interpreted

if not is_interpreted():
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

ROWS_AHEAD = 32
"""Rows to look ahead: far enough to hide the wait for main memory, near enough to be still there when due."""

NUMBERS_PER_LINE = 8
"""Numbers that come from memory at a time."""

SUMS_AT_ONCE = 8
"""Short lists are filled up to a multiple of this number: the odd ends of vectorised loops are slow."""

_FOR_WRITING, _KEEP, _DATA = 1, 3, 1


def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Begin to load ``array[index]``, which changes nothing but time; the index must be inside."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(array)(context, builder, arguments[0]).data
        row = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        kinds = [ir.Constant(ir.IntType(32), kind) for kind in (_FOR_WRITING, _KEEP, _DATA)]
        shape = ir.FunctionType(ir.VoidType(), [row.type, *(kind.type for kind in kinds)])
        builder.call(builder.module.declare_intrinsic("llvm.prefetch", [row.type], shape), [row, *kinds])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


def _opaque(typing_context: Any, number: Any) -> Any:
    """The same integer, hidden from the compiler so that it cannot be folded into the code."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = ir.IntType(64)
        return builder.asm(ir.FunctionType(whole, [whole]), "", "=r,0", arguments, side_effect=False)

    return types.int64(types.int64), generate


def _as_it_is(number: int) -> int:
    """What is left without the compiler."""
    return number


def _do_nothing(array: Any, index: int) -> None:
    """What is left without the compiler."""


prefetch: Callable[[Any, int], None] = _do_nothing if is_interpreted() else cast("Any", intrinsic(_prefetch))
opaque: Callable[[int], int] = _as_it_is if is_interpreted() else cast("Any", intrinsic(_opaque))
