"""Calling a composed function from Python, with every argument checked against the prototype.

Compiled code takes the bytes it is handed as they are, so a wrong array or record would be read as garbage.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .memory import as_records
from .prototype import MOST_PAIRS, ArrayOf, Kind, Pairs, Prototype, RecordOf


class Entry:
    """A composed function for callers in Python: takes numbers, records and arrays.

    Args:
        prototype: The kinds of the arguments.
        layouts: The record layout behind each `RecordOf` key.
        label: How messages name the function.
        call: What is called with the checked arguments.

    Raises (when called):
        TypeError: If the number of arguments, a type, a dtype or a number of dimensions is not the
            prototype's, or an array is not contiguous or is read-only.
        OverflowError: If an integer does not fit into 64 bits.
    """

    def __init__(self, prototype: Prototype, layouts: dict[str, np.dtype], label: str, call: Callable):
        self._label = label
        self._call = call
        self._checks = [_check_of(kind, layouts) for kind in prototype.kinds]

    def __call__(self, *arguments: Any) -> Any:
        """Check the arguments, then call."""
        if len(arguments) != len(self._checks):
            raise TypeError(f"{self._label} takes {len(self._checks)} arguments, got {len(arguments)}")
        try:
            checked = [check(argument) for check, argument in zip(self._checks, arguments, strict=True)]
        except (_MismatchError, OverflowError) as mismatch:
            kind = OverflowError if isinstance(mismatch, OverflowError) else TypeError
            raise kind(f"{self._label}: {mismatch}") from None
        return self._call(*checked)


class _MismatchError(Exception):
    """Says what came and what was expected."""


def _check_of(kind: Kind, layouts: dict[str, np.dtype]) -> Callable[[Any], Any]:
    if isinstance(kind, RecordOf):
        return _record_check(kind.layout, layouts[kind.layout])
    if isinstance(kind, Pairs):
        return _pairs
    if isinstance(kind, ArrayOf):
        return _array_check(np.dtype(kind.dtype), kind.ndim)
    if kind.dtype is np.float64:
        return _float
    if kind.dtype is np.uint64:
        return _unsigned
    return _integer


def _is_word(number: int) -> bool:
    return -(1 << 63) <= number < 1 << 63


def _integer(value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise _MismatchError(f"got {value!r}, expected an integer") from None
    if not _is_word(number):
        raise OverflowError(f"got {number}, expected an integer of 64 bits with a sign")
    return number


def _unsigned(value: Any) -> np.uint64:
    try:
        number = operator.index(value)
    except TypeError:
        raise _MismatchError(f"got {value!r}, expected an integer") from None
    if not 0 <= number < 1 << 64:
        raise OverflowError(f"got {number}, expected an integer of 64 bits without a sign")
    return np.uint64(number)


def _float(value: Any) -> float:
    if not isinstance(value, int | float | np.integer | np.floating):
        raise _MismatchError(f"got {value!r}, expected a number")
    return float(value)


def _pairs(value: Any) -> np.ndarray:
    """Return the items of a dict as machine code sees them (`wrapper`)."""
    fits = isinstance(value, dict) and len(value) <= MOST_PAIRS
    items = list(value.items()) if fits else []
    if not all(type(number) is int and _is_word(number) for item in items for number in item):
        items = []
    return np.array(items, np.int64).reshape(len(items), 2)


def _record_check(name: str, layout: np.dtype) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, np.void) or value.dtype != layout:
            came = value.dtype if isinstance(value, np.generic | np.ndarray) else type(value).__name__
            raise _MismatchError(f"got {came} for the record {name!r}, expected a record of {layout}")
        return value

    return check


def _array_check(dtype: np.dtype, ndim: int) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            raise _MismatchError(f"got {type(value).__name__}, expected an array of {dtype}")
        if value.dtype != dtype or value.ndim != ndim:
            raise _MismatchError(
                f"got an array of {value.dtype} with {value.ndim} dimensions, expected {dtype} with {ndim}"
            )
        if not value.flags.c_contiguous or not value.flags.writeable:
            raise _MismatchError("got a view that is not contiguous, or a read-only array; pass a copy")
        return value

    return check


def machine_call(call: Callable) -> Callable:
    """Return what an `Entry` calls where machine code takes words: a record or an array is passed by address."""
    return lambda *arguments: call(*(word for argument in arguments for word in _words(argument)))


def _words(value: Any) -> tuple:
    if isinstance(value, np.ndarray):
        return (value.ctypes.data, *value.shape)
    if isinstance(value, np.void):
        return (np.frombuffer(value, np.uint8).ctypes.data,)
    return (value.item() if isinstance(value, np.generic) else value,)


def python_call(prototype: Prototype, function: Callable, owner: object | None) -> Callable:
    """Return what an `Entry` calls in the lane without the JIT: fields of records are attributes."""

    def call(*arguments: Any) -> Any:
        return prototype.call_python(function, owner, [_seen_by_python(value) for value in arguments])

    return call


def _seen_by_python(value: Any) -> Any:
    is_structured = isinstance(value, np.void | np.ndarray) and value.dtype.names is not None
    return as_records(value) if is_structured else value
