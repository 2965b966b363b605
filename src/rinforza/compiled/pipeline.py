"""Numba's compiler as we use it: each function is typed and lowered once, and nothing else.

As it stands, Numba also optimises and translates every callee by itself, with what it calls over again within it,
so that each may be run from Python. None of ours is, and an object holds all that it reaches: `whole` links,
optimises and translates once for each function that has an address.

Numba also types a callee anew for each constant that is passed to it. The copies compute the same, so a callee is
compiled for the constant's type. (Not so for the widths of integers: an array or a NumPy function keeps them.)
"""

# pyright: reportMissingTypeStubs=false, reportGeneralTypeIssues=false
import sys
from types import FunctionType
from typing import Any, Literal

from numba import _dynfunc, types  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

OPTIONS = {"nopython": True, "error_model": "numpy", "no_cfunc_wrapper": True, "no_cpython_wrapper": True}


class LoweredLibrary(JITCodeLibrary):
    """A function as it was lowered, and the libraries of those that it calls."""

    @property
    def callees(self) -> list[Any]:
        """Their libraries: Numba's own are finished, ours are as this one."""
        return self._linking_libraries

    def add_linking_library(self, library: Any) -> None:
        """Note a callee."""
        if not isinstance(library, LoweredLibrary):
            library._ensure_finalized()
        self._linking_libraries.append(library)

    def add_llvm_module(self, ll_module: Any) -> None:
        """Take in a module as it was lowered."""
        self._final_module.link_in(ll_module)


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerOnly(NativeLowering):
    """Lowers a function without translating it."""

    _name = "rinforza_lower_only"

    def run_pass(self, state: Any) -> Literal[True]:
        """Lower it, and say how it is called."""
        name = state.func_id.func_qualname
        state.library = LoweredLibrary(state.targetctx.codegen(), name)
        state.flags.no_compile = True
        super().run_pass(state)
        result = state["cr"]
        # What Numba knows the function by. It has no code: nobody calls it from Python.
        entry = _dynfunc.make_function(sys.modules[__name__], name, "", 0, result.env, ())
        state.targetctx.insert_user_function(entry, result.fndesc, [state.library])
        state["cr"] = result._replace(cfunc=entry)
        return True


class LoweringCompiler(CompilerBase):
    """Numba's passes, but for the last, which translates as well."""

    def define_pipelines(self) -> list:
        """Return the one pipeline."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (LowerOnly, text) if one is NativeLowering else (one, text) for one, text in manager.passes
        ]
        manager.finalize()
        return [manager]


def widened(argument: Any) -> Any:
    """Return the type that a callee is compiled for where an argument has this one."""
    is_constant = isinstance(argument, types.IntegerLiteral | types.BooleanLiteral)
    return types.unliteral(argument) if is_constant else argument


class WideFunctionCompiler(_FunctionCompiler):
    """Compiles for widened types."""

    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        """Return the Python signature and the types."""
        signature, exact = super().fold_argument_types(args, kws)
        return signature, tuple(map(widened, exact))


class LoweringDispatcher(CPUDispatcher):
    """A function that compiled code calls."""

    def __init__(self, function: FunctionType):
        super().__init__(function, {}, OPTIONS, LoweringCompiler)
        self._exact = self._compiler
        self._wide = WideFunctionCompiler(function, self.targetdescr, OPTIONS, {}, LoweringCompiler)
        self._compiler = self._wide

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile for the widened types, or for the exact ones where it needs them (a constant index of a tuple)."""
        try:
            return super().get_call_template(args, kws)
        except NumbaError:
            if self._exact.fold_argument_types(args, kws) == self._wide.fold_argument_types(args, kws):
                raise
        self._compiler = self._exact
        try:
            return super().get_call_template(args, kws)
        finally:
            self._compiler = self._wide
