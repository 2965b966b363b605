"""The arrays of a batch while it is being filled, and how they grow."""

from typing import Any

import numpy as np

from ..contracts.batch import Column
from .memory import new_array
from .ownership import only_ours
from .tables import Tables

LARGEST_FIRST_BATCH = 1 << 30  # bytes to reserve before the first record
KEPT_BATCHES = 2  # a loop over `batch = engine.collect(...)` holds one while the next is filled


class BatchTables:
    """The arrays of the batch under construction.

    Args:
        tables: Where the engine's arrays are kept.
        columns: The learner's columns.
        n_players: Players of the game, for the episode summaries.
    """

    def __init__(self, tables: Tables, columns: dict[str, Column], n_players: int):
        self._tables = tables
        self._fields: list[tuple[str, Column, str]] = []  # array name, column, role
        for name, column in columns.items():
            if column.ragged:
                self._fields += [
                    (f"{name}_ids", column, "ids"),
                    (f"{name}_offsets", column, "offsets"),
                ]
            else:
                self._fields.append((name, column, "rows"))
        self.width = width = len(self._fields)
        tables.record["n_columns"] = width
        self._addresses = tables.zeros("columns", width)
        self._capacities = tables.zeros("capacities", 1 + width)
        self._filled = tables.zeros("filled", 1 + width)
        self._wanted = tables.zeros("wanted", 1 + width)
        self._summary_width = n_players + 2
        self._arrays: dict[str, np.ndarray] = {}
        self._handed_out: dict[str, list[np.ndarray]] = {}  # the arrays behind the last batches
        self._row_bytes = sum(_row_bytes(column) for _, column, _ in self._fields)
        self.start(0)

    def start(self, n_records: int) -> None:
        """Begin an empty batch with room for about `n_records`."""
        n_records = min(n_records, LARGEST_FIRST_BATCH // max(1, self._row_bytes))
        self._capacities[0] = 0
        while self._arrays:
            name, array = self._arrays.popitem()
            earlier = self._handed_out.setdefault(name, [])
            earlier.append(array)
            del earlier[:-KEPT_BATCHES], array
        self._filled[:] = 0
        self._tables.record["n_records"] = 0
        self._tables.record["n_summaries"] = 0
        self._summaries = self._tables.zeros("summaries", (16, self._summary_width), np.float64)
        self._tables.record["summary_capacity"] = 16
        self._resize(n_records + n_records // 4 + 64, {})

    def _resize(self, rows: int, entries: dict[int, int]) -> None:
        """Have room for so many rows, and entries of ragged fields; where memory is wanting, nothing changes."""
        lengths = np.full(self.width, np.iinfo(np.int64).max)
        made = []
        for index, (name, column, role) in enumerate(self._fields):
            if role == "rows":
                shape: tuple[int, ...] = (rows, *column.shape)
            elif role == "offsets":
                shape = (rows + 1,)
            else:
                shape = (entries.get(index, max(int(self._capacities[1 + index]), 8 * rows)),)
            if role == "ids":
                lengths[index] = shape[0]
            old = self._arrays.get(name)
            if old is not None and len(old) >= shape[0]:
                continue
            array = self._buffer(name, shape, column.dtype)
            if old is not None:
                array[: len(old)] = old
            elif role == "offsets":
                array[0] = 0
            made.append((index, name, array))
        for index, name, array in made:
            self._arrays[name] = array
            self._addresses[index] = array.ctypes.data
        self._capacities[0], self._capacities[1:] = rows, lengths

    def _buffer(self, name: str, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Return memory for an array: that of an earlier batch if its reader has let go of it, else new.

        The system clears fresh pages, which can take longer than filling them.
        """
        earlier = self._handed_out.get(name, [])
        for index in range(len(earlier)):
            if len(earlier[index]) >= shape[0] and only_ours(earlier, index):
                return earlier.pop(index)
        return new_array(shape, dtype)

    def grow(self) -> None:
        """Make room for all that is wanted."""
        rows = int(self._capacities[0])
        if self._wanted[0] > rows:
            rows = max(2 * rows, int(self._wanted[0]))
        entries = {}
        for index, (_, _, role) in enumerate(self._fields):
            wanted, capacity = int(self._wanted[1 + index]), int(self._capacities[1 + index])
            if role == "ids" and wanted > capacity:
                entries[index] = max(2 * capacity, wanted)
        self._resize(rows, entries)
        self._grow_summaries()

    def _grow_summaries(self) -> None:
        record = self._tables.record[0]
        if record["n_summaries"] + record["n_again"] <= record["summary_capacity"]:
            return
        old = self._summaries
        capacity = max(2 * len(old), int(record["n_summaries"] + record["n_again"]))
        self._summaries = self._tables.zeros("summaries", (capacity, self._summary_width), np.float64)
        self._summaries[: len(old)] = old
        self._tables.record["summary_capacity"] = capacity

    def fill(self, arrays: dict[str, np.ndarray], summaries: np.ndarray) -> None:
        """Take over what `filled` returned, from a batch of the same columns."""
        record = self._tables.record
        self.start(0)
        for index, (name, _, role) in enumerate(self._fields):
            self._wanted[0] = len(arrays[name]) if role == "rows" else self._wanted[0]
            self._wanted[1 + index] = len(arrays[name]) if role == "ids" else 0
        record["n_summaries"], record["n_again"] = len(summaries), 0
        self.grow()
        for name, array in arrays.items():
            self._arrays[name][: len(array)] = array
        self._summaries[: len(summaries)] = summaries
        self._filled[:] = self._wanted
        record["n_records"] = self._wanted[0]

    @property
    def fields(self) -> list[tuple[str, Column, str]]:
        """Name, column and role ("rows", "ids" or "offsets") of each array."""
        return list(self._fields)

    def filled(self) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Return the filled part of the arrays, and a copy of the episode summaries."""
        rows = int(self._filled[0])
        arrays = {}
        for index, (name, _, role) in enumerate(self._fields):
            used = {"rows": rows, "offsets": rows + 1, "ids": int(self._filled[1 + index])}[role]
            arrays[name] = self._arrays[name][:used]
        return arrays, self._summaries[: int(self._tables.record["n_summaries"][0])].copy()


def _row_bytes(column: Column) -> int:
    return int(np.dtype(column.dtype).itemsize * np.prod(column.shape, initial=1)) * (
        8 if column.ragged else 1
    )
