"""Where the engine's arrays lie.

What is large is mapped for each array alone, and goes back to the system with it. From the common heap it would
not: arrays come and go on several threads there, and their gaps add up to a multiple of what is in use.
"""

import mmap
from contextlib import suppress
from math import prod
from typing import Any

import numpy as np

LARGE = 1 << 18  # bytes
HUGE = 1 << 22  # bytes, from which large pages are worth it; NumPy asks for them from there on, too
CACHE_LINE = 64  # bytes
# A child that is forked writes to pages of its own, as to the heap; on Windows nothing forks.
PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}


def new_array(shape: Any, dtype: Any) -> np.ndarray:
    """Return an array of whatever, which owns its memory: its views refer to it (see `ownership`).

    Raises:
        MemoryError: If the system does not give as much.
    """
    array = _mapped(shape, dtype)
    return np.empty(shape, dtype) if array is None else array


def aligned_zeros(shape: Any, dtype: Any = np.uint8) -> np.ndarray:
    """Return an array of zeros that begins at a cache line.

    Raises:
        MemoryError: If the system does not give as much.
    """
    array = _mapped(shape, dtype)
    if array is None:
        size = _n_bytes(shape, dtype)
        raw = np.zeros(size + CACHE_LINE, np.uint8)
        offset = -raw.ctypes.data % CACHE_LINE
        array = raw[offset : offset + size].view(dtype).reshape(shape)
    return array


def whole_lines(size: int) -> int:
    """Round bytes up to whole cache lines."""
    return -(-size // CACHE_LINE) * CACHE_LINE


def _mapped(shape: Any, dtype: Any) -> np.ndarray | None:
    """Return an array of zeros that is mapped; None if it is small, or the system maps no more for this process."""
    size = _n_bytes(shape, dtype)
    if size < LARGE:
        return None
    try:
        pages = mmap.mmap(-1, size, **PRIVATE)
    except OverflowError as error:
        raise MemoryError(f"cannot allocate {size:,} bytes") from error
    except OSError:
        return None  # the heap has a way without maps, or says that there is no memory
    if size >= HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a system may have no such pages
            pages.madvise(mmap.MADV_HUGEPAGE)
    return np.ndarray(shape, dtype, buffer=pages)


def _n_bytes(shape: Any, dtype: Any) -> int:
    lengths = shape if isinstance(shape, tuple) else (shape,)
    return prod(map(int, lengths)) * np.dtype(dtype).itemsize
