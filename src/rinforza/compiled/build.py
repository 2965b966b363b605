"""From a plain Python function to one that can be called by address.

`compile_function` digests a function, takes its machine code from the store or has Numba make it, and returns
a `Compiled` with the address. The parts: `reach` and `digest` (what the key covers), `store` (the files),
`link` (what Numba is given), `pipeline` (what it does with that), `typed` (what is refused although Numba
accepts it), `wrapper` (what Python calls), `whole` (one module of all that a function reaches), `object_code` (what is
kept of it), `machine_code` (how it is loaded), `explain` and `causes` (what the user reads when that fails).
"""

import gc
import os
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from . import store
from .digest import Digester
from .entry import Entry, machine_call, python_call
from .explain import RefusedError, explain
from .link import Linker
from .machine_code import Loaded, full_target, load_object
from .object_code import object_from
from .prototype import Pairs, Prototype, Scalar, forget_python, register_python
from .typed import check_types

NOT_PLAIN = CO_VARARGS | CO_VARKEYWORDS | CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR


class Compiled(NamedTuple):
    """A function that is ready to be called.

    Attributes:
        address: What a `Prototype` call takes.
        entry: The same function for callers in Python: it takes numbers, records and arrays.
        keep: What must stay alive while the address is in use.
    """

    address: int
    entry: Callable
    keep: Any


_plain: ContextVar[bool] = ContextVar("rinforza_plain_python", default=False)
_lock = threading.RLock()
if hasattr(os, "register_at_fork"):  # else a child could have the lock of a thread that it does not have
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
_loaded: dict[str, Loaded] = {}
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
        ValueError: If it embeds an array that is too large for that.
    """
    if not isinstance(function, FunctionType):
        raise TypeError(f"{label} must be a plain Python function, got {type(function).__name__}")
    _check_parameters(function, prototype, label)
    if plain_python():
        handle = _PythonHandle(prototype.python_adapter(function, owner, layouts))
        entry = Entry(prototype, layouts, label, python_call(prototype, function, owner))
        return Compiled(handle.handle, entry, handle)
    with _lock:
        loaded = _machine_code_of(function, prototype, layouts, label)
    checks_all = all(isinstance(kind, Scalar | Pairs) for kind in prototype.kinds)
    entry = loaded.call if checks_all else Entry(prototype, layouts, label, machine_call(loaded.call))
    return Compiled(loaded.address, entry, loaded)


def _check_parameters(function: FunctionType, prototype: Prototype, label: str) -> None:
    code = function.__code__
    if code.co_flags & NOT_PLAIN or code.co_kwonlyargcount:
        raise TypeError(
            f"{label} must be a plain function of named arguments: no *, no **, no yield, no async"
        )
    names = code.co_varnames[: code.co_argcount]
    if len(names) != len(prototype.kinds):
        raise TypeError(
            f"{label} takes ({', '.join(names)}), {len(names)} arguments; expected {len(prototype.kinds)}"
        )


def _machine_code_of(
    function: FunctionType, prototype: Prototype, layouts: dict[str, np.dtype], label: str
) -> Loaded:
    digester = Digester()
    try:
        digest = digester.key(function, prototype.digest_text(layouts))
    except RefusedError as refusal:
        raise explain(refusal, (), label) from None
    if digest not in _loaded:
        entry = store.load(digest)
        loaded = entry and load_object(entry, digest, label)
        if loaded:
            counts["loaded"] += 1
        else:
            linker = Linker(digester)
            try:
                with _no_garbage_collection():
                    entry = _compile(function, prototype, layouts, linker, digest, label)
            except BaseException:  # Ctrl-C too
                linker.forget()
                raise
            loaded = load_object(entry, digest, label)
            assert loaded, "the process that compiled has every symbol"
            store.save(digest, entry)
            counts["compiled"] += 1
        _loaded[digest] = loaded
    return _loaded[digest]


def _compile(
    function: FunctionType,
    prototype: Prototype,
    layouts: dict[str, np.dtype],
    linker: Linker,
    digest: str,
    label: str,
) -> store.Entry:
    from numba.core.errors import NumbaExperimentalFeatureWarning

    from .lowering import signature_of

    started = time.perf_counter()
    full_target()
    try:
        dispatcher = linker.link(function)
        signature = signature_of(prototype, layouts)
        with warnings.catch_warnings():
            # Given where a helper was compiled before for a record that this one begins with, although Numba
            # then takes the version that fits exactly.
            warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
            dispatcher.compile(signature)
    except Exception as error:
        raise explain(error, linker.functions, label) from None
    try:
        check_types(linker.functions, function)
        result = dispatcher.overloads[tuple(signature.args)]
        entry = object_from(result, prototype, digest, linker.functions)
    except RefusedError as refusal:
        raise explain(refusal, linker.functions, label) from None
    _progress(label, time.perf_counter() - started)
    return entry


@contextmanager
def _no_garbage_collection():
    """Numba makes many objects that stay: to go through them again and again takes a tenth of its time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


_announced = [0.0]


def _progress(label: str, seconds: float) -> None:
    """Say once that compiling takes time, so that a first run does not look hung."""
    _announced[0] += seconds
    if _announced[0] > 1.0 and not os.environ.get("RINFORZA_QUIET"):
        _announced[0] = float("-inf")
        print(f"rinforza: compiling ({label} ...); the result is kept for the next run", file=sys.stderr)
