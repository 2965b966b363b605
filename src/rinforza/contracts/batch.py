"""Batches: named arrays that a learner fills, one row per record."""

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .telemetry import Telemetry


class Column(NamedTuple):
    """One array of a batch.

    Attributes:
        dtype: The element type.
        shape: The shape of one row's entry; () for a number.
        ragged: Whether a row has a varying number of entries; the array is then `NAME_ids` with the row
            limits in `NAME_offsets` (CSR).
    """

    dtype: Any
    shape: tuple[int, ...] = ()
    ragged: bool = False


class Batch:
    """Records as named arrays, one row per record; a subclass lists its `fields`.

    Args:
        arrays: The fields by name.
        telemetry: What the collection measured.
        n_actions: Columns of the network's action head.
    """

    fields: ClassVar[tuple[str, ...]]
    obs: np.ndarray
    telemetry: Telemetry

    def __init__(self, arrays: dict[str, np.ndarray], telemetry: dict[str, Any], n_actions: int):
        for name in self.fields:
            setattr(self, name, arrays[name])
        self.telemetry = Telemetry(telemetry)
        self.n_actions = n_actions

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}={getattr(self, name).shape}" for name in self.fields)
        return f"{type(self).__name__}({shapes})"

    def legal_mask(self, rows: Any = None) -> np.ndarray:
        """Return the legal actions as a dense mask.

        Args:
            rows: Indices of records, or None for all.

        Returns:
            bool array (rows, actions), True where an action is legal in the head frame.
        """
        return dense_mask(self.legal_ids, self.legal_offsets, self.n_actions, rows)

    legal_ids: np.ndarray
    legal_offsets: np.ndarray


class TupleBatch(Batch):
    """A batch that can also be unpacked, indexed and measured like a tuple of the arrays in `unpacks`."""

    unpacks: ClassVar[tuple[str, ...]]

    def __len__(self) -> int:
        return len(self.unpacks)

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, name) for name in self.unpacks])

    def __getitem__(self, index: int) -> Any:
        return getattr(self, self.unpacks[index])


def dense_mask(ids: np.ndarray, offsets: np.ndarray, n_actions: int, rows: Any = None) -> np.ndarray:
    """Spread CSR rows into a bool array (rows, n_actions)."""
    chosen = np.arange(len(offsets) - 1) if rows is None else np.asarray(rows).reshape(-1)
    if chosen.dtype == bool:
        chosen = np.flatnonzero(chosen)
    starts, counts = offsets[chosen], offsets[chosen + 1] - offsets[chosen]
    row_of_entry = np.repeat(np.arange(len(chosen)), counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    mask = np.zeros((len(chosen), n_actions), bool)
    mask[row_of_entry, ids[np.repeat(starts, counts) + within]] = True
    return mask
