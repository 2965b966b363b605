"""The two spaces of the field: boxes of floats and discrete ids."""

import numpy as np


class Box:
    """Arrays of one shape with bounds per element.

    Attributes:
        shape: The shape, `(C, H, W)` for an observation.
        low: float32 array of that shape; minus infinity where unbounded.
        high: float32 array of that shape; infinity where unbounded.
    """

    def __init__(self, shape: tuple[int, ...], low: float | np.ndarray, high: float | np.ndarray):
        self.shape = tuple(shape)
        self.low = np.broadcast_to(np.float32(low), self.shape)
        self.high = np.broadcast_to(np.float32(high), self.shape)
        self.dtype = np.dtype(np.float32)

    def __repr__(self) -> str:
        return f"Box(shape={self.shape}, low={self.low.min():g}, high={self.high.max():g})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Box)
            and self.shape == other.shape
            and np.array_equal(self.low, other.low)
            and np.array_equal(self.high, other.high)
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.low.tobytes(), self.high.tobytes()))

    def contains(self, value: np.ndarray) -> bool:
        """Return whether an array has this shape and lies within the bounds."""
        return value.shape == self.shape and bool(np.all((value >= self.low) & (value <= self.high)))


class Discrete:
    """The ids 0 to `n - 1`."""

    def __init__(self, n: int):
        self.n = int(n)

    def __repr__(self) -> str:
        return f"Discrete({self.n})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Discrete) and self.n == other.n

    def __hash__(self) -> int:
        return hash(self.n)

    def contains(self, value: int) -> bool:
        """Return whether an id belongs to the space."""
        return 0 <= int(value) < self.n
