"""Making a self-contained object of what Numba compiled.

Numba's libraries are full of weak symbols (its own helpers, our callees), named by what happened to be
compiled before. Two objects from different processes would merge symbols of equal name and different body,
and one function would silently run the other's helper. So an object of ours exports three kinds of names,
each with the content digest in it, and everything else in it is private. The process that compiles loads the
same object as every later one.
"""

# pyright: reportMissingTypeStubs=false, reportGeneralTypeIssues=false
from types import FunctionType
from typing import Any

from .explain import RefusedError
from .link import all_dispatchers
from .machine_code import Names, full_target
from .prototype import Prototype
from .store import Entry

ENVIRONMENT_PREFIX = "_ZN08NumbaEnv"  # a pointer to what boxing and printing need
ADDRESS_PREFIX = "numba.dynamic.globals."  # followed by the address of a Python object


def object_from(result: Any, prototype: Prototype, digest: str, functions: dict[FunctionType, Any]) -> Entry:
    """Return Numba's compile result as an entry for the store.

    Args:
        result: The compile result.
        prototype: How the function is called.
        digest: The key of the function.
        functions: The plain functions that were compiled, each with its Numba dispatcher.

    Raises:
        RefusedError: If the code holds Python objects, or addresses of this process.
    """
    import llvmlite.binding as llvm

    from .whole import whole_module
    from .wrapper import wrapper_module

    names = Names.of(digest)
    wrapper = wrapper_module(full_target(), result.fndesc.llvm_func_name, prototype, names.wrapper)
    module = whole_module(result.library, wrapper)
    exported = {result.fndesc.llvm_func_name: names.function, names.wrapper: names.wrapper}
    declared: list[str] = []
    environments = 0
    for value in [*module.functions, *module.global_variables]:
        _check(value.name, functions)
        if value.is_declaration:
            declared.append(value.name)
        elif value.name in exported:
            value.name = exported[value.name]
            value.linkage = "external"
        elif value.name.startswith(ENVIRONMENT_PREFIX):
            value.name = names.numbered_environment(environments)
            value.linkage = "external"
            environments += 1
        else:
            value.linkage = "internal"
    # What has no address is declared and not used, or Numba itself could not have loaded the code.
    symbols = [name for name in declared if llvm.address_of_symbol(name)]
    return Entry(symbols, environments, result.library.codegen._tm.emit_object(module))


def _check(name: str, functions: dict[FunctionType, Any]) -> None:
    """Refuse Python objects, and addresses of this process other than those of passed functions.

    Numba passes the address of a function object along, and calls what the type says: nobody follows it.
    """
    from numba.core.environment import lookup_environment

    if name.startswith(ENVIRONMENT_PREFIX):
        environment = lookup_environment(name)
        if environment is not None and environment.consts:
            raise _refusal(name, functions, "it uses Python objects, such as what it prints")
    elif name.startswith(ADDRESS_PREFIX):
        passed = (f"{id(dispatcher):x}" for dispatcher in all_dispatchers())
        if name.removeprefix(ADDRESS_PREFIX) not in passed:
            raise _refusal(name, functions, "it uses an address of this process")


def _refusal(symbol: str, functions: dict[FunctionType, Any], cause: str) -> RefusedError:
    guilty = (one for one, dispatcher in functions.items() if dispatcher.py_func.__qualname__ in symbol)
    function = next(guilty, next(iter(functions)))
    mend = "use numbers, arrays, records and plain functions; print outside the compiled methods"
    return RefusedError(function, function.__code__.co_firstlineno, cause, mend)
