"""What podium's compilers of kernels leave out of Numba's work, without a difference to anybody."""

from __future__ import annotations

import gc
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core import compiler, errors, event, targetconfig, types
from numba.core.registry import cpu_target
from numba.core.runtime import _nrt_python, rtsys

from podium.arrays import Floats
from podium.numerics import linked_kernels, remembered_calls

pytestmark = pytest.mark.compiled

_Flags: Any = compiler.Flags
_types: Any = types


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The functions that Numba searches for from now on; nothing is known of any."""
    searched: list[Any] = []
    find = remembered_calls._find

    def noted(function: Any, *arguments: Any) -> Any:
        searched.append(function.typing_key)
        return find(function, *arguments)

    monkeypatch.setattr(remembered_calls, "_find", noted)
    monkeypatch.setattr(remembered_calls._Function, "get_call_type", noted)
    monkeypatch.setattr(remembered_calls, "_found", {})
    monkeypatch.setattr(remembered_calls, "_latest", [(object(), {})])
    return searched


def compiled(function: Callable[..., Any], kind: type = linked_kernels.EnteredCompiler) -> Any:
    """A kernel that is kept nowhere."""
    make: Any = numba.njit(error_model="numpy", pipeline_class=kind)
    return make(function)


# ---------------------------------------------------------------------- ways to call a function


def test_a_way_to_call_is_searched_for_once_for_all_kernels(searches: list[Any]) -> None:
    def inner(a: float, b: float) -> float:
        return a * b + a

    called = compiled(inner, linked_kernels.LinkedCompiler)

    def outer(a: float, b: float) -> float:
        return called(a, b) + a * b * a

    kernel = compiled(outer)
    assert kernel(2.0, 3.0) == 20.0
    assert searches.count(operator.mul) == 1
    assert searches.count(operator.add) == 1


def test_what_is_remembered_is_what_numba_finds(searches: list[Any]) -> None:
    """`max` is compiled apart for each set of options: whoever asks last must not change it for others."""
    context, maximum = cpu_target.typing_context, (types.float64, types.float64)
    cpu_target.target_context.refresh()
    function = context.resolve_value_type(max)
    plain, loose = _Flags(), _Flags()
    for options in (plain, loose):
        options.nrt, options.enable_pyobject = True, False
    loose.fastmath = True

    def found(options: Any) -> tuple[Any, Any]:
        with targetconfig.ConfigStack().enter(options.copy()):
            signature = function.get_call_type(context, maximum, {})
            return signature, function.get_impl_key(signature)

    numbas = [found(options) for options in (plain, loose)]
    assert numbas[0][1] is not numbas[1][1]
    searches.clear()
    with remembered_calls.remembered_calls():
        assert [found(options) for options in (plain, loose) * 2] == numbas * 2
    assert searches.count(max) == 2


def test_names_of_arguments_are_left_to_numba(searches: list[Any]) -> None:
    def filled(number: int) -> Any:
        first = np.empty(shape=number)
        second = np.empty(shape=number)
        first[0], second[0] = 1.0, 2.0
        return first[0] + second[0]

    assert compiled(filled)(3) == 3.0
    assert searches.count(np.empty) > 1


def test_numba_is_as_it_was_afterwards() -> None:
    numbas = _types.BaseFunction.get_call_type
    seen: list[bool] = []

    class Watch(event.Listener):
        def on_start(self, news: Any) -> None:
            seen.append(_types.BaseFunction.get_call_type is numbas)

        def on_end(self, news: Any) -> None:
            pass

    def refused(a: float) -> Any:
        return a + "one"  # type: ignore[operator]

    with event.install_listener("numba:run_pass", Watch()), pytest.raises(errors.TypingError):
        compiled(refused)(1.0)
    assert seen
    assert not any(seen)
    assert _types.BaseFunction.get_call_type is numbas


# ---------------------------------------------------------------------- passes


def test_kernels_skip_the_passes_they_do_not_need() -> None:
    def doubled(a: float) -> float:
        return a + a

    def passes(kernel: Any) -> set[str]:
        names: set[str] = set()

        class Names(event.Listener):
            def on_start(self, news: Any) -> None:
                names.add(news.data["name"].partition(" [")[0])

            def on_end(self, news: Any) -> None:
                pass

        with event.install_listener("numba:run_pass", Names()):
            assert kernel(2.0) == 4.0
        return names

    make: Any = numba.njit
    assert passes(make(doubled)) - passes(compiled(doubled)) == linked_kernels.UNNEEDED_PASSES


FLAG = False


def test_branches_that_are_never_taken_have_no_say_in_types() -> None:
    def large(column: Floats) -> float:
        number: float = 2**60 + 1
        if column.ndim == 2 or FLAG:
            number = 0.5
        return number

    def flagged(number: float) -> float:
        if FLAG:
            number = 0.5
        return number

    assert compiled(flagged)(2**60 + 1) == 2**60 + 1
    assert compiled(large)(np.zeros(2)) == 2**60 + 1


# ---------------------------------------------------------------------- references


PLACES = np.array([0, 2])


class Columns(NamedTuple):
    """Arrays as kernels take them."""

    first: Floats
    second: Floats


def looking(columns: Columns, row: int) -> float:
    first, second = columns
    both = Columns(first, second[1:])
    if row > len(first):
        raise ValueError("no such row")
    return both.first[row] + both[1][row]


def making(columns: Columns, row: int) -> float:
    kept = np.empty(2)
    kept[0] = columns.first[row]
    return kept[0]


def adding(columns: Columns, row: int) -> float:
    sums = columns.first + columns.second
    return sums[row]  # type: ignore[no-any-return]


def picking(columns: Columns, row: int) -> float:
    return columns.first[PLACES][row]  # type: ignore[no-any-return]


def setting(columns: Columns, row: int) -> float:
    columns.first[:1] = columns.first[:1]
    return columns.first[row]  # type: ignore[no-any-return]


def setting_one(columns: Columns, row: int) -> float:
    columns.first[:row] = 1.0
    return columns.first[row]  # type: ignore[no-any-return]


def copying(columns: Columns, row: int) -> float:
    return columns.first.copy()[row]  # type: ignore[no-any-return]


def listing(columns: Columns, row: int) -> float:
    return [columns.first, columns.second][1][row]  # type: ignore[no-any-return]


def giving_back(columns: Columns, row: int) -> Floats:
    return columns.second[row:]


def telling(columns: Columns, row: int) -> float:
    if row > len(columns.first):
        raise ValueError("no such row", row)
    return columns.first[row]  # type: ignore[no-any-return]


def new_array(row: int) -> Floats:
    made = np.empty(row + 1)
    made[row] = 9.0
    return made


def yielding(columns: Columns, row: int) -> Iterator[float]:
    for i in range(row):
        yield columns.first[i]


def printing(columns: Columns, row: int) -> float:
    if row < 0:
        print(columns.first[1:])
    return columns.first[row]  # type: ignore[no-any-return]


def turning(columns: Columns, row: int) -> float:
    return columns.first.T[row]  # type: ignore[no-any-return]


def spelling(columns: Columns, row: int) -> bool:
    return "abc"[row] == "b"


inner_new = compiled(new_array, linked_kernels.LinkedCompiler)
inner_making = compiled(making, linked_kernels.LinkedCompiler)
inner_giving = compiled(giving_back, linked_kernels.LinkedCompiler)


def calling_a_maker(columns: Columns, row: int) -> float:
    return inner_making(columns, row) + 1.0  # type: ignore[no-any-return]


def taking_back(columns: Columns, row: int) -> float:
    return inner_giving(columns, row)[0]  # type: ignore[no-any-return]


def taking_a_new_array(columns: Columns, row: int) -> float:
    return inner_new(row)[row]  # type: ignore[no-any-return]


@pytest.fixture
def allocated() -> Iterator[Callable[[], int]]:
    """How many pieces of memory Numba's runtime holds; it counts them from now on."""
    runtime: Any = _nrt_python
    rtsys.initialize(cpu_target.target_context)
    runtime.memsys_enable_stats()

    def pieces() -> int:
        counted: Any = rtsys.get_allocation_stats()
        return (counted.alloc - counted.free) + (counted.mi_alloc - counted.mi_free)  # type: ignore[no-any-return]

    yield pieces
    runtime.memsys_disable_stats()


@pytest.mark.parametrize(
    ("function", "counts", "result"),
    [
        (looking, False, 2.0 + 6.0),
        (making, True, 2.0),
        (adding, True, 2.0 + 5.0),
        (picking, True, 3.0),
        (setting, True, 2.0),
        (setting_one, False, 2.0),
        (copying, True, 2.0),
        (listing, True, 5.0),
        (giving_back, True, [5.0, 6.0]),
        (telling, True, 2.0),
        (calling_a_maker, False, 3.0),
        (taking_back, True, 5.0),
        (printing, True, 2.0),
        (turning, True, 2.0),
        (spelling, True, True),
        (taking_a_new_array, True, 9.0),
    ],
)
def test_references_are_counted_where_arrays_are_made(
    function: Callable[..., Any], counts: bool, result: float | list[float], allocated: Callable[[], int]
) -> None:
    """And everything is as it was afterwards: nothing is freed too early, and nothing is kept."""
    kernel, columns = compiled(function), Columns(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    assert np.array_equal(kernel(columns, 1), result)
    (form,) = kernel.overloads.values()
    assert form.target_context.enable_nrt is counts
    references = [sys.getrefcount(column) for column in columns]
    held = allocated()
    for _ in range(50):
        kernel(columns, 1)
    assert allocated() == held
    assert [sys.getrefcount(column) for column in columns] == references
    assert columns.first.tolist() == [1.0, 2.0, 3.0]


def test_an_array_outlives_its_kernel_in_a_generator() -> None:
    column = np.array([1.0, 2.0, 3.0])
    generator = compiled(yielding)(Columns(column, column), 3)
    del column
    gc.collect()
    assert list(generator) == [1.0, 2.0, 3.0]


def test_texts_are_counted() -> None:
    text = "".join(["no", "body"])
    kernel = compiled(lambda text, row: text[row] == "b")
    assert kernel(text, 2)
    references = sys.getrefcount(text)
    for _ in range(50):
        kernel(text, 2)
    assert sys.getrefcount(text) == references


def test_an_array_given_back_outlives_its_kernel() -> None:
    def given(row: int) -> Floats:
        made = np.empty(3)
        made[:] = 7.0
        return inner_giving(Columns(made, made), row)  # type: ignore[no-any-return]

    kept = compiled(given)(1)
    gc.collect()
    assert kept.tolist() == [7.0, 7.0]
