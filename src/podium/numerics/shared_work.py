"""Work that threads share inside of kernels: handing some over costs a microsecond, a call of a thread 50.

One thread leads: it posts work in numbered chunks on a board, takes chunks itself, and goes on when all are
done. Others help: they take chunks for as long as there are any. Nobody waits for a helper that is late, and
one that finds nothing to do for a while leaves; then the leader does everything alone. What a chunk is must
not depend on the number of threads, so that no result does.

A chunk is taken by exchanging one number that says which post it belongs to, so a helper that looked long ago
takes nothing of a later one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from podium.arrays import Longs
from podium.numerics.compiler_choice import is_interpreted
from podium.numerics.jit import kernel

if not is_interpreted():
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

TICKET, DONE, CLOCK, MEMBERS, SHARED_FROM, DETAILS = 0, 8, 16, 17, 18, 19
"""Places of a board. What threads exchange all the time lies apart, as eight numbers come from memory at a
time."""
DETAIL_ROOM = 8
"""Numbers by which a leader says what a post is about; they begin at `DETAILS`."""

MOST_CHUNKS = 1 << 16
CHUNK_BITS, POST_BITS = 16, 32
CLOSED = -1
"""The ticket when no more work will come."""

LOOKS, NAP_MICROSECONDS, MOST_NAPS = 10_000, 50, 200
"""Whoever waits looks for some 20 µs, then naps; a helper leaves after a hundredth of a second."""


def _load(typing_context: Any, board: Any, index: Any) -> Any:
    """What another thread may just have written, and everything that it wrote before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.gep(context.make_array(board)(context, builder, arguments[0]).data, [arguments[1]])
        return builder.load_atomic(place, "acquire", 8)

    return types.int64(board, types.int64), generate


def _store(typing_context: Any, board: Any, index: Any, value: Any) -> Any:
    """Write what other threads read, after everything that this one wrote before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.gep(context.make_array(board)(context, builder, arguments[0]).data, [arguments[1]])
        builder.store_atomic(arguments[2], place, "release", 8)
        return context.get_dummy_value()

    return types.void(board, types.int64, types.int64), generate


def _add(typing_context: Any, board: Any, index: Any, value: Any) -> Any:
    """Add to a number that other threads add to as well."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.gep(context.make_array(board)(context, builder, arguments[0]).data, [arguments[1]])
        builder.atomic_rmw("add", place, arguments[2], "acq_rel")
        return context.get_dummy_value()

    return types.void(board, types.int64, types.int64), generate


def _exchange(typing_context: Any, board: Any, index: Any, known: Any, value: Any) -> Any:
    """Replace a number if it is still the known one; whether it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.gep(context.make_array(board)(context, builder, arguments[0]).data, [arguments[1]])
        found = builder.cmpxchg(place, arguments[2], arguments[3], "acq_rel", "acquire")
        return builder.extract_value(found, 1)

    return types.boolean(board, types.int64, types.int64, types.int64), generate


def _nap(typing_context: Any, clock: Any, microseconds: Any) -> Any:
    """Wait for a lock that nobody gives back: the way to sleep that CPython has on every system."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole, word = ir.IntType(32), ir.IntType(64)
        shape = ir.FunctionType(whole, [cgutils.voidptr_t, word, whole])
        declare: Any = cgutils.get_or_insert_function
        wait = declare(builder.module, shape, "PyThread_acquire_lock_timed")
        lock = builder.inttoptr(arguments[0], cgutils.voidptr_t)
        builder.call(wait, [lock, arguments[1], ir.Constant(whole, 0)])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


def _plain_load(board: Longs, place: int) -> int:
    """What is left without the compiler, as the next four are: nobody shares work there."""
    return int(board[place])


def _plain_store(board: Longs, place: int, value: int) -> None:
    board[place] = value


def _plain_add(board: Longs, place: int, value: int) -> None:
    board[place] += value


def _plain_exchange(board: Longs, place: int, known: int, value: int) -> bool:
    board[place] = value
    return True


def _plain_nap(clock: int, microseconds: int) -> None:
    return


def _chosen(plain: Callable[..., Any], compiled: Callable[..., Any]) -> Callable[..., Any]:
    return plain if is_interpreted() else cast("Any", intrinsic(compiled))


load = _chosen(_plain_load, _load)
store = _chosen(_plain_store, _store)
add = _chosen(_plain_add, _add)
exchange = _chosen(_plain_exchange, _exchange)
nap = _chosen(_plain_nap, _nap)


@cache
def _clock() -> int:
    """A lock that is held for as long as this process lives."""
    allocate, acquire = ctypes.pythonapi.PyThread_allocate_lock, ctypes.pythonapi.PyThread_acquire_lock
    allocate.restype, acquire.argtypes = ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_int)
    lock = allocate()
    acquire(lock, 1)
    return int(lock)


def new_board(members: int, shared_from: int) -> Longs:
    """A board on which nothing is posted yet, for so many threads and work of at least that many rows."""
    board = np.zeros(DETAILS + DETAIL_ROOM, np.int64)
    board[CLOCK], board[MEMBERS], board[SHARED_FROM] = _clock() if members > 1 else 0, members, shared_from
    return board


@kernel
def post(board: Longs, chunks: int) -> None:
    """Let threads take the chunks from 0 on; all of the last post must be done."""
    following = (load(board, TICKET) >> POST_BITS) + 1
    store(board, DONE, 0)
    store(board, TICKET, following << POST_BITS | chunks << CHUNK_BITS)


@kernel
def take(board: Longs) -> int:
    """A chunk for this thread; −1 if none is left."""
    while True:
        ticket: int = load(board, TICKET)
        chunk, chunks = ticket & (MOST_CHUNKS - 1), ticket >> CHUNK_BITS & (MOST_CHUNKS - 1)
        if ticket == CLOSED or chunk == chunks:
            return -1
        if exchange(board, TICKET, ticket, ticket + 1):
            return chunk


@kernel
def finish(board: Longs) -> None:
    """Say that a chunk is done."""
    add(board, DONE, 1)


@kernel
def wait_for_helpers(board: Longs, chunks: int) -> None:
    """Wait until all chunks of a post are done, of which none is left to take."""
    looks = 0
    while load(board, DONE) < chunks:
        looks += 1
        if looks > LOOKS:
            nap(board[CLOCK], NAP_MICROSECONDS)


@kernel
def wait_for_work(board: Longs) -> int:
    """A chunk for a helper as soon as there is one; −1 if it had better leave."""
    looks = 0
    while load(board, TICKET) != CLOSED and looks < LOOKS + MOST_NAPS:
        chunk = take(board)
        if chunk >= 0:
            return chunk
        looks += 1
        if looks > LOOKS:
            nap(board[CLOCK], NAP_MICROSECONDS)
    return -1


@kernel
def close(board: Longs) -> None:
    """Send helpers away."""
    store(board, TICKET, CLOSED)
