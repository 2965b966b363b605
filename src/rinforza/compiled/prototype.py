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


class Pairs(ArrayOf):
    """An array int64[n, 2] for which a caller in Python passes a dict from int to int.

    What is no such dict, down to the exact types of its items, or has too many is seen as an empty one.
    """


Kind = Scalar | RecordOf | ArrayOf
INT = Scalar(np.int64)
FLOAT = Scalar(np.float64)
PAIRS = Pairs(np.int64, 2)
MOST_PAIRS = 1024


class Prototype:
    """The argument kinds and the result of a function that is called by address.

    Args:
        name: The method's name, for messages.
        result: `INT`, `FLOAT` or None.
        kinds: One kind for each argument, in order.
        holds_gil: Whether a caller in Python keeps the interpreter's lock, as is better for a call that takes
            less time than to release it.
    """

    def __init__(self, name: str, result: Scalar | None, *kinds: Kind, holds_gil: bool = False):
        self.name = name
        self.result = result
        self.kinds = kinds
        self.holds_gil = holds_gil

    @cached_property
    def word_kinds(self) -> list[Scalar]:
        """What a call by address takes beside the address."""
        return [word for kind in self.kinds for word in _words_of(kind)]

    @cached_property
    def passed_kinds(self) -> list[Scalar | Pairs]:
        """What machine code takes from a caller in Python: the words, but for the dict of pairs."""
        kinds = [[kind] if isinstance(kind, Pairs) else _words_of(kind) for kind in self.kinds]
        return [passed for one in kinds for passed in one]

    def digest_text(self, layouts: dict[str, np.dtype] | None = None) -> str:
        """Return the text that stands for this prototype in a content digest.

        With `layouts`, it is the text of a function that is called through it.
        """
        kinds = ", ".join(_kind_text(kind, layouts) for kind in self.kinds)
        lock = "holds" if self.holds_gil else "releases"
        return f"prototype ({kinds}) -> {self.result and _kind_text(self.result, None)}, {lock} the lock"

    def __call__(self, handle: int, *words: Any) -> Any:
        """Call the Python function behind a handle (the lane without the JIT).

        Raises:
            TypeError: If the number of words is not that of the prototype.
            RuntimeError: If the handle is that of no Python function.
        """
        if len(words) != len(self.word_kinds):
            raise TypeError(f"{self.name} takes {len(self.word_kinds)} words, got {len(words)}")
        function = PYTHON_FUNCTIONS.get(int(handle))
        if function is None:
            raise RuntimeError(NO_FUNCTION.format(name=self.name))
        return function(*words)

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
            return self.call_python(function, owner, arguments)

        return call

    def call_python(self, function: Callable, owner: object | None, arguments: list) -> Any:
        """Call a Python function as compiled code would run it: wrapping integers, a result of its kind."""
        if owner is not None:
            arguments[0] = owner
        with np.errstate(over="ignore"):  # unsigned arithmetic wraps, as it does in compiled code
            return self._result_of(function(*arguments))

    def _result_of(self, value: Any) -> Any:
        if self.result is None:
            return None
        if self.result == FLOAT and isinstance(value, int | float | np.number | np.bool_):
            return float(value)
        if self.result == INT and isinstance(value, int | np.integer | np.bool_):
            return (int(value) + WRAP) % (2 * WRAP) - WRAP
        expected = "an integer" if self.result == INT else "a number"
        raise TypeError(f"{self.name} returned {value!r}; expected {expected} on every path")


WRAP = 1 << 63
SMALLEST_ADDRESS = 1 << 16  # no function lies below; the handles of the table of Python functions do
NO_FUNCTION = (
    "{name} was called, but there is no such function here: either the component leaves it out, or one part "
    "was composed within without_compiling() and the other was not"
)
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


def _words_of(kind: Kind) -> list[Scalar]:
    if isinstance(kind, Scalar):
        return [kind]
    return [INT] * (1 + kind.ndim if isinstance(kind, ArrayOf) else 1)


def _from_words(kind: Kind, words: Any, layouts: dict[str, np.dtype]) -> Any:
    if isinstance(kind, Scalar):
        return kind.dtype(next(words)) if kind.dtype is np.uint64 else next(words)
    if isinstance(kind, RecordOf):
        return record_at(next(words), layouts[kind.layout])
    address = next(words)
    shape = tuple(int(next(words)) for _ in range(kind.ndim))
    return array_at(address, shape if kind.ndim > 1 else shape[0], kind.dtype)


def _kind_text(kind: Kind, layouts: dict[str, np.dtype] | None) -> str:
    if isinstance(kind, RecordOf):
        return f"record {kind.layout if layouts is None else layout_text(layouts[kind.layout])}"
    if isinstance(kind, ArrayOf):
        return f"{type(kind).__name__} {layout_text(np.dtype(kind.dtype))} {kind.ndim}"
    return layout_text(np.dtype(kind.dtype))


def layout_text(dtype: np.dtype) -> str:
    """Describe a dtype with names, offsets and sizes (its repr leaves some of these out)."""
    if dtype.shape:
        return f"{layout_text(dtype.base)}{dtype.shape}"
    if dtype.names is None:
        return dtype.str
    layout: Any = dtype.fields
    placed = ((name, layout[name]) for name in dtype.names)
    fields = (f"{name}@{place[1]}:{layout_text(place[0])}" for name, place in placed)
    aligned = " aligned" if dtype.isalignedstruct else ""
    return f"{{{','.join(fields)};{dtype.itemsize}{aligned}}}"
