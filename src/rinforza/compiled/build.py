"""From a plain Python function to one that can be called by address.

`compile_function` digests a function, takes its machine code from the store or has Numba make it, and
returns a `Compiled` with the address. The user's function is never touched: Numba gets a copy whose globals
have every plain function replaced by a compiled one, and whose qualified name carries the digest (two
functions of equal symbol names would otherwise link to each other's body).
"""

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from . import store
from .digest import function_digest
from .explain import explain
from .memory import Primitive
from .prototype import Prototype, forget_python, register_python
from .reach import reached


class Compiled(NamedTuple):
    """A function that is ready to be called.

    Attributes:
        address: What a `Prototype` call takes.
        entry: The same function for callers in Python.
        keep: What must stay alive while the address is in use.
    """

    address: int
    entry: Callable
    keep: Any


_plain: ContextVar[bool] = ContextVar("rinforza_plain_python", default=False)
_lock = threading.RLock()
_loaded: dict[str, Compiled] = {}
counts = {"compiled": 0, "loaded": 0}


def plain_python() -> bool:
    """Whether functions run as plain Python here (no JIT)."""
    return _plain.get() or os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


@contextmanager
def without_compiling():
    """Within this context everything that is composed runs as plain Python, breakpoints included."""
    token = _plain.set(True)
    try:
        yield
    finally:
        _plain.reset(token)


class _PythonHandle:
    """Keeps a Python function registered for as long as somebody holds its address."""

    def __init__(self, adapter: Callable):
        self.handle = register_python(adapter)
        weakref.finalize(self, forget_python, self.handle)


def compile_function(
    function: Callable,
    prototype: Prototype,
    layouts: dict[str, np.dtype],
    label: str,
    owner: object | None = None,
) -> Compiled:
    """Return `function` ready to be called through `prototype`.

    Args:
        function: A plain Python function.
        prototype: The argument kinds that its callers pass.
        layouts: The record layout behind each `RecordOf` key.
        label: How messages name the function, such as `"Connect4.step"`.
        owner: In plain Python, the object that is passed as the first argument.

    Raises:
        TypeError: If the function cannot be compiled; the message names it, the line and the mend.
    """
    if not isinstance(function, FunctionType):
        raise TypeError(f"{label} must be a plain Python function, got {type(function).__name__}")
    _check_arity(function, prototype, label)
    if plain_python():
        adapter = prototype.python_adapter(function, owner, layouts)
        handle = _PythonHandle(adapter)
        return Compiled(handle.handle, adapter, handle)
    from .lowering import signature_of

    with _lock:
        signature = signature_of(prototype, layouts)
        digest = function_digest(function, str(signature), "nogil")
        if digest not in _loaded:
            _loaded[digest] = _load(digest, label) or _compile(function, signature, digest, label)
        return _loaded[digest]


def _check_arity(function: FunctionType, prototype: Prototype, label: str) -> None:
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    if len(names) != len(prototype.kinds) or code.co_flags & 0x0C:
        raise TypeError(
            f"{label} takes ({', '.join(names)}), {len(names)} arguments; expected {len(prototype.kinds)}"
        )


def _load(digest: str, label: str) -> Compiled | None:
    entry = store.load(digest)
    if entry is None:
        return None
    context = _target()
    try:
        library = context.codegen().unserialize_library(
            (entry.symbols["library"], "object", (entry.object_code, entry.bitcode))
        )
    except RuntimeError:
        return None  # the object was written by a toolchain that this one cannot read
    counts["loaded"] += 1
    return _ready(library, entry.symbols, label)


def _ready(library: Any, symbols: dict[str, str], label: str) -> Compiled:
    from numba import _dynfunc  # type: ignore[attr-defined]
    from numba.core.environment import Environment

    environment = Environment({})
    wrapper = library.get_pointer_to_function(symbols["wrapper"])
    entry = _dynfunc.make_function(
        sys.modules[__name__], label, f"compiled {label}", wrapper, environment, (library,)
    )
    library.codegen.set_env(symbols["environment"], environment)
    address = library.get_pointer_to_function(symbols["function"])
    return Compiled(address, entry, (library, environment))


def _compile(function: FunctionType, signature: Any, digest: str, label: str) -> Compiled:
    started = time.perf_counter()
    context = _target()
    dispatcher = _link(function, {}, digest[:32])
    try:
        dispatcher.compile(signature)
    except Exception as error:
        raise explain(error, function, label) from None
    result = dispatcher.overloads[tuple(signature.args)]
    if result.environment.consts or result.reload_init:
        raise TypeError(f"{label} uses Python objects, which compiled code cannot keep")
    name, _, (object_code, bitcode) = result.library.serialize_using_object_code()
    symbols = {
        "library": name,
        "function": result.fndesc.llvm_func_name,
        "wrapper": result.fndesc.llvm_cpython_wrapper_name,
        "environment": context.get_env_name(result.fndesc),
        "label": label,
    }
    store.save(digest, store.Entry(symbols, object_code, bitcode))
    counts["compiled"] += 1
    _progress(label, time.perf_counter() - started)
    return Compiled(
        result.library.get_pointer_to_function(symbols["function"]), result.entry_point, dispatcher
    )


@cache
def _target() -> Any:
    from numba.core.registry import cpu_target
    from numba.core.runtime import rtsys

    context = cpu_target.target_context
    context.refresh()
    cpu_target.typing_context.refresh()
    rtsys.initialize(context)
    return context


def _link(function: FunctionType, linked: dict[FunctionType, Any], tag: str) -> Any:
    """Return a Numba dispatcher over a copy of `function` whose callees are dispatchers too."""
    import numba

    namespace = {"__name__": function.__module__, "__builtins__": __builtins__}
    cells = function.__closure__ and tuple(type(cell)() for cell in function.__closure__)
    copy = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, cells)
    copy.__qualname__ = f"{function.__name__}_{tag}_{len(linked)}"
    copy.__module__ = function.__module__
    dispatcher = numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True)(copy)
    linked[function] = dispatcher
    values = {entry.name: _linked_value(entry, linked, tag) for entry in reached(function)}
    for name, cell in zip(function.__code__.co_freevars, cells or (), strict=True):
        cell.cell_contents = values.pop(name)
    namespace.update(values)
    return dispatcher


def _linked_value(entry: Any, linked: dict[FunctionType, Any], tag: str) -> Any:
    if not entry.attributes:
        return _compiled_value(entry.value, linked, tag)
    module = ModuleType(entry.name)
    for name, value in entry.attributes.items():
        setattr(module, name, _compiled_value(value, linked, tag))
    return module


def _compiled_value(value: Any, linked: dict[FunctionType, Any], tag: str) -> Any:
    if isinstance(value, Prototype | Primitive):
        return value.intrinsic
    if isinstance(value, FunctionType):
        return linked[value] if value in linked else _link(value, linked, tag)
    return value


_announced = [0.0]


def _progress(label: str, seconds: float) -> None:
    """Say once that compiling takes time, so that a first run does not look hung."""
    _announced[0] += seconds
    if _announced[0] > 1.0 and not os.environ.get("RINFORZA_QUIET"):
        _announced[0] = float("-inf")
        print(
            f"rinforza: compiling ({label} ...); the result is kept for the next run",
            file=sys.stderr,
        )
