"""Where the engine's arrays lie.

What is large is mapped for each array alone, and goes back to the system with it. From the common heap it would
not: arrays come and go on several threads there, and their gaps add up to a multiple of what is in use.
"""

import mmap
from math import prod
from typing import Any

import numpy as np

LARGE = 1 << 18  # bytes
HUGE = 1 << 22  # bytes, from which large pages are worth it; NumPy asks for them from there on, too
CACHE_LINE = 64  # bytes


def new_array(shape: Any, dtype: Any) -> np.ndarray:
    """Return an array of whatever, which owns its memory: its views refer to it (see `ownership`).

    Raises:
        MemoryError: If the system does not give as much.
    """
    size = _n_bytes(shape, dtype)
    if size < LARGE:
        return np.empty(shape, dtype)
    return np.ndarray(shape, dtype, buffer=_mapped(size))


def aligned_zeros(shape: Any, dtype: Any = np.uint8) -> np.ndarray:
    """Return an array of zeros that begins at a cache line.

    Raises:
        MemoryError: If the system does not give as much.
    """
    size = _n_bytes(shape, dtype)
    if size >= LARGE:
        return new_array(shape, dtype)  # mapped pages are clear
    raw = np.zeros(size + CACHE_LINE, np.uint8)
    offset = -raw.ctypes.data % CACHE_LINE
    return raw[offset : offset + size].view(dtype).reshape(shape)


def _n_bytes(shape: Any, dtype: Any) -> int:
    lengths = shape if isinstance(shape, tuple) else (shape,)
    return prod(map(int, lengths)) * np.dtype(dtype).itemsize


def _mapped(size: int) -> mmap.mmap:
    try:
        if not hasattr(mmap, "MAP_PRIVATE"):
            return mmap.mmap(-1, size)  # on Windows
        pages = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError) as error:
        raise MemoryError(f"cannot allocate {size:,} bytes") from error
    if size >= HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
        pages.madvise(mmap.MADV_HUGEPAGE)
    return pages
