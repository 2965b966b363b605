"""States as bytes from outside: what their layout allows, and a name for the layout."""

import hashlib
from functools import cache

import numpy as np

from ..compiled.digest import layout_text


def size_in_tables(layout: np.dtype) -> int:
    """Return the bytes that a state has there: whole words, one at least."""
    return max(8, -(-layout.itemsize // 8) * 8)


def clear_padding(states: np.ndarray, layout: np.dtype) -> bool:
    """Set to zero what belongs to no field; return whether every flag is 0 or 1.

    Args:
        states: uint8 (states, bytes), changed in place; a row is as long as the layout or longer.
        layout: The layout of a state.
    """
    fields, flags = bytes_of_fields(layout)
    rows = states[:, : layout.itemsize]
    rows[:, ~fields] = 0
    states[:, layout.itemsize :] = 0
    return not np.any(rows[:, flags] > 1)


@cache
def layout_digest(layout: np.dtype) -> str:
    """Return 16 hex digits that change when a state's layout does."""
    return hashlib.sha256(layout_text(layout).encode()).hexdigest()[:16]


@cache
def bytes_of_fields(layout: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Return two bool masks over a state's bytes: those of any field, and those of bool fields."""
    if layout.subdtype is not None:
        base, _ = layout.subdtype
        fields, flags = bytes_of_fields(base)
        count = layout.itemsize // base.itemsize
        return np.tile(fields, count), np.tile(flags, count)
    if layout.fields is None:
        return np.ones(layout.itemsize, bool), np.full(layout.itemsize, layout == np.bool_)
    fields, flags = np.zeros((2, layout.itemsize), bool)
    for inner, offset, *_ in layout.fields.values():
        place = slice(offset, offset + inner.itemsize)
        fields[place], flags[place] = bytes_of_fields(inner)
    return fields, flags
