"""Reading and writing memory by address, the same in compiled code and in plain Python.

Parts hand each other int64 addresses. These primitives turn an address into a record or an array, copy and
clear bytes, and order memory between threads. Each is a Python function on `ctypes` here and a Numba
intrinsic (in `lowering`) in compiled code.
"""

import ctypes
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np


class FieldRecord(np.void):
    """A record whose fields win over NumPy's own attributes (`size`, `mean`), as in compiled code."""

    def __getattribute__(self, name: str) -> Any:
        if name not in (np.void.__getattribute__(self, "dtype").fields or ()):
            return np.void.__getattribute__(self, name)
        value = np.void.__getitem__(self, name)
        return as_records(value) if value.dtype.names is not None else value

    def __setattr__(self, name: str, value: Any) -> None:
        np.void.__setitem__(self, name, value)


def as_records(array: Any) -> Any:
    """View a structured array or record so that the fields of its records are attributes."""
    return array.view(np.dtype((FieldRecord, array.dtype)))


class Primitive:
    """A function with two bodies: this Python one, and an intrinsic of the same name in `lowering`."""

    def __init__(self, python: Callable):
        self.name = python.__name__
        self.python = python
        self.__doc__ = python.__doc__

    def __call__(self, *arguments: Any) -> Any:
        """Run the Python body."""
        return self.python(*arguments)

    def digest_text(self) -> str:
        """Return the text that stands for this primitive in a content digest (its code is in `toolchain`)."""
        return f"primitive {self.name}"

    @cached_property
    def intrinsic(self) -> Any:
        """The Numba intrinsic of the same name."""
        from . import lowering

        return getattr(lowering, self.name)


@Primitive
def record_at(address, dtype):
    """Return the record of `dtype` that lies at `address`."""
    return array_at(address, 1, dtype)[0]


@Primitive
def array_at(address, shape, dtype):
    """Return the C-contiguous array of `shape` (an int or a tuple) and `dtype` that lies at `address`."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    if count <= 0:
        array = np.empty(shape, dtype)
    else:
        buffer: Any = (ctypes.c_char * (count * dtype.itemsize)).from_address(int(address))
        array = np.frombuffer(buffer, dtype).reshape(shape)
    return as_records(array) if dtype.names else array


@Primitive
def address_of(array):
    """Return the address of a record, or of an array's first element."""
    return array.__array_interface__["data"][0]


@Primitive
def copy_bytes(destination, source, size):
    """Copy `size` bytes between places that do not overlap."""
    ctypes.memmove(int(destination), int(source), int(size))


@Primitive
def clear_bytes(destination, size):
    """Set `size` bytes to zero."""
    ctypes.memset(int(destination), 0, int(size))


@Primitive
def atomic_add(address, amount):
    """Add to the int64 at `address` as one step between threads, and return what it was before."""
    word = ctypes.c_int64.from_address(int(address))
    before = word.value
    word.value = before + int(amount)
    return before


@Primitive
def atomic_load(address):
    """Read the int64 at `address`, ordered after what its writer did before."""
    return ctypes.c_int64.from_address(int(address)).value


@Primitive
def atomic_store(address, value):
    """Write the int64 at `address`, ordered after all that this thread did before."""
    ctypes.c_int64.from_address(int(address)).value = int(value)


@Primitive
def atomic_swap(address, expected, value):
    """Write `value` at `address` if it holds `expected`, as one step; return whether it did."""
    word = ctypes.c_int64.from_address(int(address))
    if word.value != int(expected):
        return False
    word.value = int(value)
    return True


@Primitive
def prefetch(address):
    """Fetch the cache line of an address, which need not be valid, while other work is done."""


@Primitive
def spin_pause():
    """Tell the processor that this is a waiting loop."""
