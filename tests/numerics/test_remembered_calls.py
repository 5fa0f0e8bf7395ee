"""Numba's search for ways to call a function: done once for all kernels, with what Numba would find."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import compiler, errors, event, targetconfig, types
from numba.core.registry import cpu_target

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


def test_kernels_skip_the_passes_they_do_not_need() -> None:
    def doubled(a: float) -> float:
        return a + a

    def passes(kernel: Any) -> set[str]:
        names: set[str] = set()

        class Names(event.Listener):
            def on_start(self, news: Any) -> None:
                names.add(news.data["name"].partition(" ")[0])

            def on_end(self, news: Any) -> None:
                pass

        with event.install_listener("numba:run_pass", Names()):
            assert kernel(2.0) == 4.0
        return names

    make: Any = numba.njit
    left_out = passes(make(doubled)) - passes(compiled(doubled))
    assert left_out == {step.name() for step in linked_kernels.UNNEEDED_PASSES}
