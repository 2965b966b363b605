"""The compiled room: the only one that knows Numba."""

from .build import Compiled, compile_function, plain_python, without_compiling
from .memory import (
    address_of,
    array_at,
    atomic_add,
    atomic_load,
    atomic_store,
    atomic_swap,
    clear_bytes,
    copy_bytes,
    prefetch,
    record_at,
    spin_pause,
)
from .prototype import FLOAT, INT, MOST_PAIRS, PAIRS, ArrayOf, Prototype, RecordOf, Scalar

__all__ = [
    "FLOAT",
    "INT",
    "MOST_PAIRS",
    "PAIRS",
    "ArrayOf",
    "Compiled",
    "Prototype",
    "RecordOf",
    "Scalar",
    "address_of",
    "array_at",
    "atomic_add",
    "atomic_load",
    "atomic_store",
    "atomic_swap",
    "clear_bytes",
    "compile_function",
    "copy_bytes",
    "plain_python",
    "prefetch",
    "record_at",
    "spin_pause",
    "without_compiling",
]
