"""One module of a function and all that it reaches, optimised.

Its callees are linked in as they were lowered (`pipeline`), so that inlining and everything after it happens once.
"""

# pyright: reportMissingTypeStubs=false, reportGeneralTypeIssues=false
import re
from typing import Any

from .link import all_dispatchers
from .pipeline import LoweredLibrary

UNRESOLVED_PREFIX = ".numba.unresolved$"  # a pointer that Numba sets when a recursion's callee is compiled


def whole_module(library: LoweredLibrary, wrapper: Any) -> Any:
    """Return the module of a compile result's library, with its callees and its wrapper, optimised."""
    from numba.core.compiler_lock import global_compiler_lock

    with global_compiler_lock:
        library.codegen._check_llvm_bugs()
        whole = LoweredLibrary(library.codegen, library.name)  # others may call `library` as it is
        module = whole._final_module
        whole.add_ir_module(wrapper)
        module.link_in(library._final_module.clone())
        linked: set[Any] = {library}
        _link_callees(module, library, linked)
        _resolve_recursion(module, library.codegen, linked)
        whole._optimize_final_module()
        whole._final_module.verify()
    return whole._final_module


def _link_callees(module: Any, library: LoweredLibrary, linked: set[Any]) -> None:
    waiting = [library]
    while waiting:
        for callee in waiting.pop().callees:
            if callee in linked:
                continue
            linked.add(callee)
            if isinstance(callee, LoweredLibrary):
                module.link_in(_shared(callee))
                waiting.append(callee)
            else:
                module.link_in(callee._get_module_for_linking(), preserve=True)


def _shared(library: LoweredLibrary) -> Any:
    """Return a copy of a callee's module in which it may be inlined and left out."""
    module = library._final_module.clone()
    for function in module.functions:
        if not function.is_declaration and function.linkage.name == "external":
            function.linkage = "linkonce_odr"
    return module


def _resolve_recursion(module: Any, codegen: Any, linked: set[Any]) -> None:
    """Define the pointers through which functions in a circle call each other.

    Numba allocates them when it compiles; here they become constants, and what they point to is linked in.
    """
    resolved = False
    while not resolved:
        resolved = True
        for variable in list(module.global_variables):
            if variable.is_declaration and variable.name.startswith(UNRESOLVED_PREFIX):
                resolved = False
                callee = _overload_called(variable.name.removeprefix(UNRESOLVED_PREFIX))
                module.link_in(_pointer_to(callee.fndesc.llvm_func_name, variable.name, codegen))
                if callee.library not in linked:
                    linked.add(callee.library)
                    module.link_in(_shared(callee.library))
                    _link_callees(module, callee.library, linked)


def _overload_called(symbol: str) -> Any:
    """Return what Numba compiled under this name, where the flags after the running number may differ."""
    numbered = re.match(r".*?B\d+v\d+B", symbol)
    for dispatcher in all_dispatchers():
        for overload in dispatcher.overloads.values():
            if numbered and overload.fndesc.llvm_func_name.startswith(numbered[0]):
                return overload
    raise RuntimeError(f"Numba calls {symbol}, which it has not compiled")


def _pointer_to(target: str, name: str, codegen: Any) -> Any:
    """Return a module that defines the variable `name` as the address of the function `target`."""
    import llvmlite.binding as llvm
    from llvmlite import ir

    module = codegen._create_empty_module(f"pointer to {target}")
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), []), target)
    variable: Any = ir.GlobalVariable(module, function.type, name)
    variable.initializer = function
    return llvm.parse_assembly(str(module))
