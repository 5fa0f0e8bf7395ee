"""Kernels as other kernels call them: linked into their callers, and nothing else.

Numba gives every kernel an entry for Python and machine code. A kernel that only other kernels call needs
neither: LLVM's code of it is linked into its callers and becomes machine code there. So every kernel has two
forms, of which only what is asked for is compiled: one that Python enters, and one that kernels link. That
takes a third less time: 77 instead of 115 CPU seconds for all of podium. Rating takes as long either way.

All this derives from classes that Numba may rename in any version. Who imports this module is ready for an
error, and does without it (`jit`).

LLVM's passes over whole modules run in kernels that Python enters, after all is linked, and so once for all
that is linked. A linked kernel that may add in any order (`jit.summing`, `jit.formula`) gets them alone too:
otherwise the order would depend on where it is linked, and ratings differ in the last digits. Passes over
single functions run in all: without them TrueSkill rates an eighth slower, and compiling takes as long.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import cached_property
from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba.core import codegen, compiler, environment, options, registry

from podium.numerics.kernel_cache import KernelCache

RULES = 3
"""The number of podium's rules of compiling. Whoever changes what becomes of a kernel here raises it: kernels
on disk that were compiled by other rules are not found then."""

_types: Any = types
_Library: Any = codegen.JITCodeLibrary
_Compiler: Any = compiler.Compiler
_Result: Any = compiler.CompileResult
_Dispatcher: Any = registry.CPUDispatcher
_compile_result: Callable[..., Any] = compiler.compile_result
_environment: Callable[[str], Any] = environment.lookup_environment

_REPLACED_OR_CALLED = (
    *(_Compiler.compile_extra, _Compiler.define_pipelines, _Result._rebuild, _Result._reduce),
    *(_Library._finalize_specific, _Library._finalize_final_module, _Library._optimize_final_module),
    *(_Library._finalize_dynamic_globals, _Library._verify_declare_only_symbols, _Library._ensure_finalized),
    *(_Library.serialize_using_bitcode, _Library.serialize_using_object_code),
    *(_Library.get_pointer_to_function, _Library.enable_object_caching, _Library.codegen),
    *(_Dispatcher.get_call_template, _Dispatcher.get_overload, options.DefaultOptions.no_cfunc_wrapper),
)
"""Methods of Numba without which the classes below would do something else: without one, importing fails."""

_ENVIRONMENT = "_ZN08NumbaEnv"
"""How Numba begins the name of a variable that holds the Python objects a function uses."""


def linked_kernel(function: Any, settings: dict[str, Any], shared: bool) -> Any:
    """The function as Python enters it, kept on disk; kernels link it too if it is `shared`.

    No kernel has the entry for C, which is for functions that are passed on as values: a tenth of the time.
    """
    return EnteredKernel(function, settings | {"nopython": True, "no_cfunc_wrapper": True}, shared)


class EnteredKernel(_Dispatcher):  # type: ignore[misc]
    """A kernel that Python enters. Kernels that call it link another form of it, one for all integers.

    That form is made when a kernel is compiled that calls it: whoever finds all kernels on disk needs none.
    Numba would compile a kernel anew for each integer constant it is called with, and for each width.
    """

    def __init__(self, function: Any, settings: dict[str, Any], shared: bool) -> None:
        super().__init__(function, {}, settings, EnteredCompiler)
        self._cache = KernelCache(self, f"entered {RULES}", _entered_from_disk)
        self._is_shared = shared

    @cached_property
    def _linked(self) -> Any:
        """The form that kernels link, with Numba's own methods; of a shared kernel that is itself."""
        if self._is_shared:
            return super()
        linked = _Dispatcher(self.py_func, {}, self.targetoptions, LinkedCompiler)
        linked._cache = KernelCache(linked, f"linked {RULES}", _linked_from_disk)
        return linked

    def get_call_template(self, arguments: Any, named: Any) -> Any:
        """What Numba asks for when it types a call by another kernel."""
        wide = tuple(map(_wide, arguments)), {name: _wide(kind) for name, kind in named.items()}
        return self._linked.get_call_template(*wide)

    def get_overload(self, signature: Any) -> Any:
        """What Numba asks for when it makes code of such a call."""
        return self._linked.get_overload(signature)


def _wide(kind: Any) -> Any:
    """The type of an argument, with any integer as one of 64 bits and any constant as a variable."""
    kind = _types.unliteral(kind)
    return _types.int64 if isinstance(kind, _types.Integer) and kind.signed else kind


class EnteredLibrary(_Library):  # type: ignore[misc]
    """The code of a kernel that Python enters."""

    def _finalize_specific(self) -> None:
        """Make machine code, and tell the kernels linked into it where their Python objects are."""
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                found = _environment(variable.name)
                if found is not None:
                    self._codegen.set_env(variable.name, found)


class LinkedLibrary(_Library):  # type: ignore[misc]
    """The code of a kernel that is linked into others."""

    rounds_freely = False
    """Whether LLVM's passes may change how it rounds."""

    def _optimize_final_module(self) -> None:
        """Run LLVM's passes over the whole module, if linking it as it is could change how it rounds."""
        if self.rounds_freely:
            super()._optimize_final_module()

    @property
    def codegen(self) -> Any:
        """What Numba asks to tell machine code where its Python objects are: there is none to tell."""
        return _NoMachineCode

    def get_pointer_to_function(self, name: str) -> int:
        """Finish the code; there is no machine code to point to."""
        self._ensure_finalized()
        return 0

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """What is kept on disk."""
        state: tuple[str, str, bytes] = self.serialize_using_bitcode()
        return state


class _NoMachineCode:
    @staticmethod
    def set_env(name: str, found: Any) -> None:
        """Do nothing."""


class EnteredCompiler(_Compiler):  # type: ignore[misc]
    """The compiler for kernels that Python enters."""

    def compile_extra(self, function: Any) -> Any:
        """Compile."""
        library = EnteredLibrary(self.state.targetctx.codegen(), function.__qualname__)
        library.enable_object_caching()
        self.state.library = library
        return super().compile_extra(function)


class LinkedCompiler(_Compiler):  # type: ignore[misc]
    """The compiler for kernels that are linked into others."""

    def compile_extra(self, function: Any) -> Any:
        """Compile."""
        library = LinkedLibrary(self.state.targetctx.codegen(), function.__qualname__)
        library.rounds_freely = bool(self.state.flags.fastmath)
        self.state.library = library
        return super().compile_extra(function)

    def define_pipelines(self) -> Any:
        """Leave out the entry for Python.

        By now Numba has noted the options under which it keeps its own functions, such as `np.empty`: both
        forms of kernels share these.
        """
        self.state.flags.no_cpython_wrapper = True
        return super().define_pipelines()


def _entered_from_disk(target_context: Any, payload: bytes) -> Any:
    """A kernel that Python enters, as it was kept on disk."""
    return _Result._rebuild(target_context, *pickle.loads(payload))


def _linked_from_disk(target_context: Any, payload: bytes) -> Any:
    """A linked form that was kept on disk."""
    state, described, objects, signature, objectmode, lifted, notes, reload, others = pickle.loads(payload)
    name, _, code = state
    library = LinkedLibrary(target_context.codegen(), name)
    library._final_module = llvm.parse_bitcode(code)
    library._finalize_final_module()
    return _compile_result(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=objects,
        entry_point=target_context.get_executable(library, described, objects),
        fndesc=described,
        type_annotation=notes,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        reload_init=reload,
        referenced_envs=others,
    )
