"""Arrays between two walls, so that a write past either end shows."""

from typing import Any

import numpy as np

WALL = 1024  # bytes on either side
BRICK = 0xA5


class Guarded:
    """A C-contiguous array with a wall of known bytes on either side.

    Args:
        shape: The shape, an int or a tuple.
        dtype: The element type.
        fill: The byte that the array's memory starts with.

    Attributes:
        array: The array between the walls.
        address: Where it begins, a multiple of 64.
    """

    def __init__(self, shape: Any, dtype: Any, fill: int = 0):
        dtype = np.dtype(dtype)
        size = int(np.prod(shape)) * dtype.itemsize
        raw = np.full(size + 2 * WALL + 64, BRICK, np.uint8)
        start = WALL + (-(raw.ctypes.data + WALL)) % 64
        walls = raw[:start], raw[start + size :]
        self._walls = [(wall, wall.tobytes()) for wall in walls]
        self.bytes = raw[start : start + size]
        self.bytes[:] = fill
        self.array = self.bytes.view(dtype).reshape(shape)
        self.address = raw.ctypes.data + start

    def breached(self) -> bool:
        """Return whether a wall was written to; it is then put up again."""
        hit = any(wall.tobytes() != whole for wall, whole in self._walls)
        if hit:
            for wall, _ in self._walls:
                wall[:] = BRICK
        return hit
