"""Comparing memory by address, in compiled code."""

import numpy as np

from ..compiled import array_at


def equal_words(first, second, count):
    """Return whether `count` 64-bit words at two addresses are equal."""
    ours, theirs = array_at(first, count, np.uint64), array_at(second, count, np.uint64)
    for index in range(count):
        if ours[index] != theirs[index]:
            return False
    return True
