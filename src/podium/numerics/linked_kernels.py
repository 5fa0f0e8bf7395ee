"""Kernels as other kernels call them: linked into their callers, and nothing else.

Numba gives every kernel an entry for Python and machine code. A kernel that only other kernels call needs
neither: LLVM's code of it is linked into its callers and becomes machine code there. So every kernel has two
forms, of which only what is asked for is compiled: one that Python enters, and one that kernels link. In
versions of Numba where it was not tried, a kernel has one form for both.

LLVM's passes over whole modules run in kernels that Python enters, after all is linked, and so once for all
that is linked. A linked kernel that may add in any order (`jit.summing`, `jit.formula`) gets them alone too:
otherwise the order would depend on where it is linked, and ratings differ in the last digits. Passes over
single functions run in all: without them TrueSkill rates an eighth slower, and compiling takes as long.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import codegen, compiler, environment, types

LINKS = frozenset({(0, 68)})
"""The versions of Numba in which kernels were seen to compile and run this way."""

_Library: Any = codegen.JITCodeLibrary
_Compiler: Any = compiler.Compiler
_compiler: Any = compiler
_types: Any = types
_environments: Any = environment

RULES = 2
"""The number of podium's rules of compiling. Whoever changes what becomes of a kernel, here or in
`borrowed_arrays`, raises it: kernels on disk that were compiled by other rules are not found then."""

UNNEEDED_PASSES = frozenset(
    {
        "with_lifting",
        "inline_closure_likes",
        "inline_inlinables",
        "find_literally",
        "literal_unroll",
        "dump_parfor_diagnostics",
    }
)
"""They are for `with`, for functions inside functions, and for what else of Numba's own no kernel uses: one
that did would not compile, or would run the same without being inlined."""

_ENVIRONMENT = "_ZN08NumbaEnv"
"""How Numba begins the name of a variable that holds the Python objects a function uses."""


def is_supported() -> bool:
    """Whether kernels have two forms in this version of Numba."""
    return numba.version_info.short in LINKS


class _KernelLibrary(_Library):  # type: ignore[misc]
    """The code of a kernel."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Run LLVM's passes over single functions; Numba runs them over those that are only declared too."""
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)


class EnteredLibrary(_KernelLibrary):
    """The code of a kernel that Python enters."""

    def _finalize_specific(self) -> None:
        """Make machine code, and tell the kernels linked into it where their Python objects are."""
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                found = _environments.lookup_environment(variable.name)
                if found is not None:
                    self._codegen.set_env(variable.name, found)


class LinkedLibrary(_KernelLibrary):
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


class _KernelCompiler(_Compiler):  # type: ignore[misc]
    """Numba's compiler, quicker and for kernels alone.

    Its methods import what else it needs of Numba, which other versions may not have: they never come here.
    """

    def compile_extra(self, function: Any) -> Any:
        """Compile."""
        from podium.numerics.remembered_calls import remembered_calls

        with remembered_calls():
            return super().compile_extra(function)

    def define_pipelines(self) -> Any:
        """Numba's passes but the unneeded ones, a twentieth of all compiling; and one of podium's own."""
        from podium.numerics.borrowed_arrays import BorrowedArrays

        (numbas,) = super().define_pipelines()
        pipeline = _compiler.PassManager(numbas.pipeline_name)
        for step, description in numbas.passes:
            if step.name() == "native_lowering":
                pipeline.add_pass(BorrowedArrays, "look for arrays that are made")
            if step.name() not in UNNEEDED_PASSES:
                pipeline.add_pass(step, description)
        pipeline.finalize()
        return [pipeline]


class EnteredCompiler(_KernelCompiler):
    """The compiler for kernels that Python enters."""

    def compile_extra(self, function: Any) -> Any:
        """Compile."""
        library = EnteredLibrary(self.state.targetctx.codegen(), function.__qualname__)
        library.enable_object_caching()
        self.state.library = library
        return super().compile_extra(function)


class LinkedCompiler(_KernelCompiler):
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


def from_disk(target_context: Any, payload: bytes) -> Any:
    """A linked form that was kept on disk."""
    state, described, objects, signature, objectmode, lifted, notes, reload, others = pickle.loads(payload)
    name, _, code = state
    library = LinkedLibrary(target_context.codegen(), name)
    library._final_module = llvm.parse_bitcode(code)
    library._finalize_final_module()
    return _compiler.compile_result(
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


def let_kernels_call(entered: Any, make_form: Callable[[], Any]) -> None:
    """Make kernels that name `entered` link another form of it (or itself), one for all integers.

    The form is made when a kernel is compiled that calls it: whoever finds all kernels on disk needs none.
    Numba would compile a kernel anew for each integer constant it is called with, and for each width.
    """
    numbas: Any = type(entered)
    form = cache(make_form)

    def find_for_all_integers(arguments: Any, named: Any) -> Any:
        wide = tuple(map(_wide, arguments)), {name: _wide(kind) for name, kind in named.items()}
        return numbas.get_call_template(form(), *wide)

    entered.get_call_template = find_for_all_integers
    entered.get_overload = lambda signature: numbas.get_overload(form(), signature)


def _wide(kind: Any) -> Any:
    """The type of an argument, with any integer as one of 64 bits and any constant as a variable."""
    kind = _types.unliteral(kind)
    return _types.int64 if isinstance(kind, _types.Integer) and kind.signed else kind
