"""The memory of the start buffer, and how it goes into a snapshot and comes out of one."""

from typing import NamedTuple

import numpy as np

from ..contracts.composition import Rules
from ..contracts.state_bytes import clear_padding
from .content import Content, expect
from .layout import CELL
from .memory import aligned_zeros
from .tables import Tables

FIRST_ROOM = 8  # states of a cell before its memory grows
MOST_SEEN = 1 << 62


class StartBuffer(NamedTuple):
    """What an engine's start buffer is asked for.

    Attributes:
        capacity: States that a cell keeps.
        p_fresh: How often an episode begins afresh although there are states.
    """

    capacity: int
    p_fresh: float


class StartTables:
    """The cells of a start buffer; a cell has memory from its first state on, and as much as it needs.

    Args:
        tables: Where the engine's arrays are kept, the buffer's random stream among them.
        rules: The composition's rules.
        settings: The buffer's numbers.
    """

    def __init__(self, tables: Tables, rules: Rules, settings: StartBuffer):
        self._tables, self._record = tables, tables.record
        self._rules, self._capacity = rules, settings.capacity
        self._cells = tables.zeros("cells", rules.game.n_cells, CELL)
        self._occupied = tables.zeros("occupied", rules.game.n_cells, np.int32)
        self._states: dict[int, np.ndarray] = {}
        self._record["start_capacity"], self._record["p_fresh"] = settings

    def grow(self) -> None:
        """Double the memory of the cell that was short of it."""
        cell = int(self._record["short_cell"][0])
        self._make_room(cell, min(self._capacity, max(FIRST_ROOM, 2 * int(self._cells["room"][cell]))))

    def _make_room(self, cell: int, room: int) -> None:
        states = aligned_zeros((room, self._rules.state_size))
        old = self._states.get(cell)
        if old is not None:
            states[: len(old)] = old
        self._states[cell] = states
        self._cells["room"][cell], self._cells["states"][cell] = room, states.ctypes.data

    def keep(self) -> dict[str, np.ndarray]:
        """Return what a snapshot has of the buffer."""
        occupied = self._occupied[: int(self._record["n_occupied"][0])].copy()
        kept = [self._states[cell][: self._cells["count"][cell]] for cell in occupied.tolist()]
        nothing = np.zeros((0, self._rules.state_size), np.uint8)
        return {
            "cells": occupied,
            "cells_seen": self._cells["seen"][occupied],
            "cell_states": np.concatenate([nothing, *kept]),
            "start_counter": self._tables.arrays["start_stream"]["counter"].copy(),
        }

    def fill(self, content: Content) -> None:
        """Take over what `keep` returned; what the game says of the states is looked at elsewhere.

        Raises:
            ValueError: If it makes no sense.
        """
        n_cells, state_size = len(self._cells), self._rules.state_size
        occupied = content.take("cells", np.int32, None)
        inside = not np.any((occupied < 0) | (occupied >= n_cells))
        expect(
            inside and len(np.unique(occupied)) == len(occupied), "cells are out of range, or listed twice"
        )
        seen = content.take("cells_seen", np.int64, len(occupied))
        expect(not np.any((seen < 1) | (seen > MOST_SEEN)), "a cell has seen an impossible number of states")
        counts = [min(number, self._capacity) for number in seen.tolist()]
        states = content.take("cell_states", np.uint8, sum(counts), state_size).copy()
        expect(clear_padding(states, self._rules.game.state_dtype), "a state has a flag that is no bool")
        place = 0
        for cell, count in zip(occupied.tolist(), counts, strict=True):
            self._make_room(cell, count)
            self._states[cell][:] = states[place : place + count]
            place += count
        self._cells["count"][occupied], self._cells["seen"][occupied] = counts, seen
        self._occupied[: len(occupied)] = occupied
        self._record["n_occupied"] = len(occupied)
        self._tables.arrays["start_stream"]["counter"] = content.take("start_counter", np.uint64, 1)
