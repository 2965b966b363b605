"""Arrays whose addresses are fields of a record that compiled code reads."""

from typing import Any

import numpy as np


class Arrays:
    """A record of one element and the arrays that its fields point to.

    Args:
        layout: The record's dtype.

    Attributes:
        record: The record, an array of one element.
    """

    def __init__(self, layout: np.dtype):
        self.record = np.zeros(1, layout)
        self._arrays: dict[str, np.ndarray] = {}

    @property
    def address(self) -> int:
        """The address of the record."""
        return self.record.ctypes.data

    def __getitem__(self, field: str) -> np.ndarray:
        """Return the array behind a field."""
        return self._arrays[field]

    def put(self, field: str, array: np.ndarray) -> np.ndarray:
        """Keep a contiguous array and write its address to the record."""
        assert array.flags.c_contiguous
        self._arrays[field] = array
        self.record[field] = array.ctypes.data
        return array

    def zeros(self, field: str, shape: Any, dtype: Any) -> np.ndarray:
        """Allocate an array of zeros for a field."""
        return self.put(field, np.zeros(shape, dtype))

    def lengthen(self, field: str, length: int) -> np.ndarray:
        """Give an array `length` rows; new ones are zero. Views of it must not be used any more.

        The memory grows in place where the system can do that, so that large arrays are not copied.
        """
        array = self._arrays[field]
        array.resize((length, *array.shape[1:]), refcheck=False)
        return self.put(field, array)

    def number(self, field: str) -> int:
        """Return a field that is a number."""
        return int(self.record[field][0])
