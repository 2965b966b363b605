"""The arrays of a snapshot, as they are taken out of it."""

from typing import Any

import numpy as np

from .snapshot import ENVELOPE

expect = ENVELOPE.expect


class Content:
    """The arrays of a snapshot, handed out one by one against what they should be.

    Args:
        arrays: The arrays by name.
    """

    def __init__(self, arrays: dict[str, np.ndarray]):
        self._left = dict(arrays)

    def take(self, name: str, dtype: Any, *shape: int | None) -> np.ndarray:
        """Return an array of this type and shape, None standing for any length; floats are finite."""
        array = self._left.pop(name, None)
        if array is None:
            raise ValueError(f"invalid EngineSnapshot: it has no array {name!r}")
        right = array.ndim == len(shape) and all(
            wanted in (None, axis) for wanted, axis in zip(shape, array.shape, strict=True)
        )
        expect(array.dtype == np.dtype(dtype) and right, f"the array {name!r} has another type or shape")
        finite = array.dtype.kind != "f" or name.startswith("batch_") or np.isfinite(array).all()
        expect(finite, f"the array {name!r} holds NaN or infinity")
        return array

    def check_empty(self) -> None:
        """Refuse arrays that nothing has asked for."""
        expect(not self._left, f"it has arrays that do not belong to it: {', '.join(sorted(self._left))}")
