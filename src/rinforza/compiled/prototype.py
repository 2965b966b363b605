"""Calling a compiled function by its address.

A `Prototype` is the shape of a function that two parts agree on: the kinds of its arguments and its result.
Compiled code calls `PROTOTYPE(address, ...)`; the call is one indirect jump in Numba's own calling
convention, so an exception in the callee arrives as usual. At the call site every record and array is an
int64 address (an array is followed by its dimensions); the callee sees typed records and arrays.

Nothing checks a signature at run time: `build` compiles every method against the prototype that its callers
use, and that is the check. With the JIT off, the address is a number in a table of Python functions.
"""

import itertools
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .memory import array_at, record_at


class Scalar(NamedTuple):
    """An int64, float64 or uint64 passed as it is."""

    dtype: Any


class RecordOf(NamedTuple):
    """A record passed by address; its layout belongs to the component, under this key."""

    layout: str


class ArrayOf(NamedTuple):
    """A C-contiguous array passed as its address and its dimensions."""

    dtype: Any
    ndim: int = 1


Kind = Scalar | RecordOf | ArrayOf
INT = Scalar(np.int64)
FLOAT = Scalar(np.float64)


class Prototype:
    """The argument kinds and the result of a function that is called by address.

    Args:
        name: The method's name, for messages.
        result: `INT`, `FLOAT` or None.
        kinds: One kind for each argument, in order.
    """

    def __init__(self, name: str, result: Scalar | None, *kinds: Kind):
        self.name = name
        self.result = result
        self.kinds = kinds

    def digest_text(self) -> str:
        """Return the text that stands for this prototype in a content digest."""
        kinds = ", ".join(_kind_text(kind) for kind in self.kinds)
        return f"prototype ({kinds}) -> {self.result and _kind_text(self.result)}"

    def __call__(self, handle: int, *arguments: Any) -> Any:
        """Call the Python function behind a handle (the lane without the JIT)."""
        return PYTHON_FUNCTIONS[int(handle)](*arguments)

    @cached_property
    def intrinsic(self) -> Any:
        """The Numba intrinsic that makes the call in compiled code."""
        from .lowering import call_intrinsic

        return call_intrinsic(self)

    def python_adapter(
        self, function: Callable, owner: object | None, layouts: dict[str, np.dtype]
    ) -> Callable:
        """Wrap a Python function so that it takes what callers by address pass.

        `owner`, when given, stands in for the first argument: in Python a method's `self` is the component.
        """

        def call(*words: Any) -> Any:
            words_left = iter(words)
            arguments = [_from_words(kind, words_left, layouts) for kind in self.kinds]
            if owner is not None:
                arguments[0] = owner
            with np.errstate(over="ignore"):  # unsigned arithmetic wraps, as it does in compiled code
                return function(*arguments)

        return call


PYTHON_FUNCTIONS: dict[int, Callable] = {}
_handles = itertools.count(1)


def register_python(adapter: Callable) -> int:
    """Give a Python function a handle that `Prototype.__call__` resolves."""
    handle = next(_handles)
    PYTHON_FUNCTIONS[handle] = adapter
    return handle


def forget_python(handle: int) -> None:
    """Release a handle."""
    PYTHON_FUNCTIONS.pop(handle, None)


def _from_words(kind: Kind, words: Any, layouts: dict[str, np.dtype]) -> Any:
    if isinstance(kind, Scalar):
        return kind.dtype(next(words)) if kind.dtype is np.uint64 else next(words)
    if isinstance(kind, RecordOf):
        return record_at(next(words), layouts[kind.layout])
    address = next(words)
    shape = tuple(int(next(words)) for _ in range(kind.ndim))
    return array_at(address, shape if kind.ndim > 1 else shape[0], kind.dtype)


def _kind_text(kind: Kind) -> str:
    if isinstance(kind, RecordOf):
        return f"record {kind.layout}"
    if isinstance(kind, ArrayOf):
        return f"array {np.dtype(kind.dtype).str} {kind.ndim}"
    return np.dtype(kind.dtype).str
