"""Loading machine code into the process: one self-contained object for each function (see `object_code`).

Together with `object_code` and `lowering`, this is where Numba's and llvmlite's inner interfaces are used.
"""

# pyright: reportMissingTypeStubs=false, reportGeneralTypeIssues=false
import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from .store import Entry


class Loaded(NamedTuple):
    """Machine code in this process."""

    address: int
    call: Callable


class Names(NamedTuple):
    """The names that an object exports, each with the content digest in it."""

    function: str
    wrapper: str
    environment: str

    @classmethod
    def of(cls, digest: str) -> "Names":
        """Return the names in the object of a digest."""
        return cls(*(f"rinforza_{digest}_{kind}" for kind in cls._fields))

    def numbered_environment(self, index: int) -> str:
        """Return the name of one of the pointers to Numba's environment."""
        return f"{self.environment}_{index}"


def load_object(entry: Entry, digest: str, label: str) -> Loaded | None:
    """Load an entry; None when the process lacks a symbol that it needs."""
    import llvmlite.binding as llvm

    if not _symbols_known(entry.symbols):
        return None
    names = Names.of(digest)
    engine = _codegen()._engine._ee
    engine.add_object_file(llvm.ObjectFileRef.from_data(entry.object_code))
    engine.finalize_object()
    for index in range(entry.environments):
        pointer = engine.get_global_value_address(names.numbered_environment(index))
        ctypes.c_void_p.from_address(pointer).value = id(_environment())
    call = _callable(engine.get_function_address(names.wrapper), label)
    return Loaded(engine.get_function_address(names.function), call)


class _Definition(ctypes.Structure):
    """Python's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


METH_FASTCALL = 0x80
_definitions: list[_Definition] = []  # machine code stays for ever, and so does what describes it


def _callable(address: int, label: str) -> Callable:
    """Return the function of Python whose code is a wrapper's (see `wrapper`)."""
    form = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.POINTER(_Definition), ctypes.c_void_p, ctypes.c_void_p)
    create = form(("PyCFunction_NewEx", ctypes.pythonapi))
    definition = _Definition(label.encode(), address, METH_FASTCALL, f"compiled {label}".encode())
    _definitions.append(definition)
    return create(definition, None, None)


def _symbols_known(symbols: list[str]) -> bool:
    """Whether the process has all symbols: an unknown one would end it when the object is linked."""
    import llvmlite.binding as llvm

    _codegen()
    if all(llvm.address_of_symbol(name) for name in symbols):
        return True
    full_target()  # some symbols come with the parts of Numba that use them
    return all(llvm.address_of_symbol(name) for name in symbols)


@cache
def _codegen() -> Any:
    """The engine that runs machine code, with Numba's run-time library: all that loading needs."""
    from numba.core.registry import cpu_target
    from numba.core.runtime.nrt import rtsys

    context: Any = cpu_target.target_context
    rtsys.initialize(context)
    return context.codegen()


@cache
def full_target() -> Any:
    """The compiler's target with everything that Numba knows."""
    from numba.core.registry import cpu_target

    context: Any = cpu_target.target_context
    context.refresh()
    return context


@cache
def _environment() -> Any:
    """The one environment of all loaded code: nothing of ours keeps Python objects in it."""
    from numba.core.environment import Environment

    return Environment({})
