"""Which bytes of a state mean something."""

from functools import cache

import numpy as np


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
