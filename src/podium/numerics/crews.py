"""A kernel that leads, and calls of the same kernel in other threads that help it with its long loops.

The leader cuts a loop into parts and opens it; everybody claims one part after another until none is left,
and the leader goes on when all are done. A helper that comes late, or never, only leaves more parts to the
leader. Waking a thread through the interpreter and calling a kernel there takes as long as such a loop over a
contest of a few thousand; a helper that waits inside the kernel comes at once.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, cast

import numpy as np

from podium.arrays import Longs
from podium.numerics.compiler_choice import is_interpreted
from podium.numerics.jit import kernel
from podium.numerics.threads import begun_elsewhere, threads

if not is_interpreted():
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

_OPENED, _CLAIMED, _DONE, _CLOSED, _FAILED, _SUBJECT, _BEFORE, _HELPERS = range(0, 64, 8)
"""Where a board keeps the parts opened, claimed and done in all loops so far; whether the work is over, and
whether a helper failed; what the open loop is about, and the parts opened before it; how many may help. Each
has a line of memory for itself."""
_BOARD_SIZE = 64

_POSIX = os.name == "posix"
"""Elsewhere nobody helps, as nobody can nap."""
_X86 = platform.machine() in ("x86_64", "AMD64")
_LOOKS_BEFORE_A_NAP = 10_000
"""Who waits looks so often, which takes about 0.2 ms, and then naps between two looks."""
_NAP_MICROSECONDS = 20
"""What is asked for; the operating system adds about 50."""

_MOST_HELPERS = 3
"""Only two threads were measured; many would spend more of their time waiting."""

Board = Longs
"""What a crew knows in common; see `in_crew`."""


def in_crew(call: Callable[[Board, bool], None], helped: bool) -> None:
    """Call a kernel that leads, and if it is to be helped, also in every other thread that is free.

    The call gets a board and whether it helps. Helpers need not be waited for when the leader returns: all
    parts are done, and a helper without a part must touch nothing.
    """
    board: Board = np.zeros(_BOARD_SIZE, np.int64)
    job, helpers = [call], list[Future[None]]()
    try:
        if helped and _POSIX:
            board[_HELPERS] = min(threads() - 1, _MOST_HELPERS)
            helpers = begun_elsewhere(int(board[_HELPERS]), _help, job, board)
        call(board, False)
    except BaseException as error:
        board[_CLOSED] = 1
        begun = [helper for helper in helpers if not helper.cancel()]
        wait(begun)
        if isinstance(error, RuntimeError):  # of `await_parts`, because of a helper
            for helper in begun:
                helper.result()
        raise
    finally:
        board[_CLOSED] = 1
        job.clear()  # who has not begun would keep all arrays in the pool's queue
        for helper in helpers:
            helper.cancel()


def _help(job: list[Callable[[Board, bool], None]], board: Board) -> None:
    for call in job[:]:
        try:
            call(board, True)
        except BaseException:
            board[_FAILED] = 1  # the part it had will never be done
            raise


def _looked_at(typing_context: Any, board: Any, place: Any) -> Any:
    """A number on the board, as it is now for all threads."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(board)(context, builder, arguments[0]).data
        return builder.load_atomic(builder.gep(data, [arguments[1]]), "seq_cst", 8)

    return types.int64(board, types.int64), generate


def _swapped(typing_context: Any, board: Any, place: Any, old: Any, new: Any) -> Any:
    """Put a number on the board if the old one is still there; whether it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(board)(context, builder, arguments[0]).data
        where = builder.gep(data, [arguments[1]])
        answer = builder.cmpxchg(where, arguments[2], arguments[3], "seq_cst", "seq_cst")
        return builder.extract_value(answer, 1)

    return types.boolean(board, types.int64, types.int64, types.int64), generate


def _added(typing_context: Any, board: Any, place: Any, number: Any) -> Any:
    """Add to a number on the board; what it was before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(board)(context, builder, arguments[0]).data
        return builder.atomic_rmw("add", builder.gep(data, [arguments[1]]), arguments[2], "seq_cst")

    return types.int64(board, types.int64, types.int64), generate


def _breathe(typing_context: Any) -> Any:
    """Let the processor do something else for some dozen nanoseconds, where it knows how to."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _X86:
            shape = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", fnty=shape), [])
        return context.get_dummy_value()

    return types.void(), generate


def _nap(typing_context: Any) -> Any:
    """Let the operating system run something else for a moment."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _POSIX:
            shape = ir.FunctionType(ir.IntType(32), [ir.IntType(32)])
            known = builder.module.globals.get("usleep")
            sleep = ir.Function(builder.module, shape, "usleep") if known is None else known
            builder.call(sleep, [ir.Constant(ir.IntType(32), _NAP_MICROSECONDS)])
        return context.get_dummy_value()

    return types.void(), generate


def _unneeded(*_: Any) -> Any:
    """What is left without the compiler."""
    raise AssertionError("helper threads need compiled kernels")


looked_at: Callable[[Board, int], int]
swapped: Callable[[Board, int, int, int], bool]
added: Callable[[Board, int, int], int]
breathe: Callable[[], None]
nap: Callable[[], None]
looked_at, swapped, added, breathe, nap = (
    _unneeded if is_interpreted() else cast("Any", intrinsic(generator))
    for generator in (_looked_at, _swapped, _added, _breathe, _nap)
)


@kernel
def crew_size(board: Board) -> int:
    """The leader and all who may come to help."""
    return 1 + int(board[_HELPERS])


@kernel
def open_loop(board: Board, subject: int, parts: int) -> None:
    """Let everybody claim the parts of a loop about `subject`; all of the loop before must be done."""
    board[_BEFORE], board[_SUBJECT] = board[_OPENED], subject
    if board[_HELPERS] > 0:
        added(board, _OPENED, parts)
    else:
        board[_OPENED] += parts


@kernel
def next_part(board: Board, helping: bool) -> int:
    """The number of a part that is now the caller's to do.

    -1 where none is left: for the leader of the open loop, for a helper when the work is over.
    """
    if board[_HELPERS] == 0:
        part = board[_CLAIMED]
        if part == board[_OPENED]:
            return -1
        board[_CLAIMED] += 1
        return int(part - board[_BEFORE])
    looks = 0
    while True:
        part = looked_at(board, _CLAIMED)
        if part < looked_at(board, _OPENED):
            if swapped(board, _CLAIMED, part, part + 1):
                return int(part - board[_BEFORE])
        elif not helping or looked_at(board, _CLOSED):
            return -1
        else:
            looks += 1
            breathe()
            if looks > _LOOKS_BEFORE_A_NAP:
                nap()


@kernel
def subject_of(board: Board) -> int:
    """What the open loop is about; for who has claimed a part of it."""
    return int(board[_SUBJECT])


@kernel
def end_part(board: Board) -> None:
    """Say that a claimed part is done."""
    if board[_HELPERS] > 0:
        added(board, _DONE, 1)


@kernel
def await_parts(board: Board) -> None:
    """Wait until all parts of the open loop are done."""
    looks = 0
    while board[_HELPERS] > 0 and looked_at(board, _DONE) < board[_OPENED]:
        if looked_at(board, _FAILED):
            raise RuntimeError("a helping thread failed")
        looks += 1
        breathe()
        if looks > _LOOKS_BEFORE_A_NAP:
            nap()
