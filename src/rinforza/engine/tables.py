"""The arrays behind the engine's record: what is allocated, and how it grows."""

from typing import Any, ClassVar

import numpy as np

from ..compiled.random import STREAM, derive_key
from ..contracts.composition import Rules, scratch_shapes
from ..contracts.learner import BATCH, EPISODE, STEP
from ..contracts.policy import Policy
from ..contracts.rules import SCRATCH
from ..contracts.search_memory import (
    MEMORY,
    REQUEST,
    SHORT_ANSWERS,
    SHORT_EDGES,
    SHORT_NODES,
    SHORT_REQUESTS,
    TALLY,
)
from .layout import ENGINE, OUTCOME, SLOT, START_PURPOSE, STREAMS
from .memory import CACHE_LINE, aligned_zeros, new_array, whole_lines

FIRST_STEPS = 64  # decisions of an episode before its tables grow


class Tables:
    """Named arrays whose addresses are fields of one ENGINE record.

    Args:
        record: The ENGINE array of one element.
    """

    def __init__(self, record: np.ndarray):
        self.record = record
        self.arrays: dict[str, np.ndarray] = {}

    def put(self, field: str, array: np.ndarray) -> np.ndarray:
        """Keep an array and write its address to the record."""
        self.arrays[field] = array
        self.record[field] = array.ctypes.data
        return array

    def zeros(self, field: str, shape: Any, dtype: Any = np.int64) -> np.ndarray:
        """Allocate an array of zeros for a field; it begins at a cache line."""
        return self.put(field, aligned_zeros(shape, dtype))


class SearchTables:
    """The MEMORY records of all slots and the tables they point to; every slot's are equally large.

    Args:
        tables: Where the engine's arrays are kept.
        n_slots: How many slots there are.
        rules: The composition's rules.
        policy: The policy.
    """

    def __init__(self, tables: Tables, n_slots: int, rules: Rules, policy: Policy):
        self._n_slots = n_slots
        self._memories = tables.zeros("memories", n_slots, MEMORY)
        tally = aligned_zeros((n_slots, whole_lines(8 * len(TALLY))))
        self.tally = tally.view(np.float64)[:, : len(TALLY)]
        self._memories["tally"] = _row_addresses(self.tally)
        output = policy.output
        self._n_sides = rules.game.num_players if policy.values_everyone(rules.game) else 0
        self._memories["n_sides"] = self._n_sides
        self._memories["answer_heads"] = output.heads
        self._memories["answer_scalars"] = output.scalars
        self._widths = {
            "nodes": policy.node_dtype.itemsize,
            "states": rules.state_size,
            "sides": self._n_sides * policy.side_dtype.itemsize,
            "edges": policy.edge_dtype.itemsize,
            "actions": 4,
            "requests": REQUEST.itemsize,
            "answers": 8,
        }
        self._dependent = dict(self._DEPENDENT)
        if policy.keeps_search:  # and a copy of what a search began with
            for capacity in ("node_capacity", "edge_capacity"):
                copies = tuple(f"kept_{name}" for name in self._DEPENDENT[capacity])
                self._widths |= {f"kept_{name}": self._widths[name] for name in self._DEPENDENT[capacity]}
                self._dependent[capacity] += copies
        self._arrays: dict[str, np.ndarray] = {}
        first = policy.capacity(rules.game)
        largest_answer = 1 + output.heads * min(rules.game.num_actions, max(1, first.edges))
        self._capacities = {
            "node_capacity": max(1, first.nodes),
            "edge_capacity": max(1, first.edges),
            "request_capacity": max(1, first.requests),
            "answer_capacity": max(1, first.requests) * largest_answer,
        }
        for name in self._capacities:
            self._allocate(name)

    _DEPENDENT: ClassVar = {
        "node_capacity": ("nodes", "states", "sides"),
        "edge_capacity": ("edges", "actions"),
        "request_capacity": ("requests",),
        "answer_capacity": ("answers",),
    }
    _SHORT: ClassVar = {
        "node_capacity": SHORT_NODES,
        "edge_capacity": SHORT_EDGES,
        "request_capacity": SHORT_REQUESTS,
        "answer_capacity": SHORT_ANSWERS,
    }

    def _allocate(self, capacity: str) -> None:
        count = self._capacities[capacity]
        for name in self._dependent[capacity]:
            array = aligned_zeros((self._n_slots, whole_lines(count * self._widths[name])))
            old = self._arrays.get(name)
            if old is not None:
                array[:, : old.shape[1]] = old
            self._arrays[name] = array
            self._memories[name] = _row_addresses(array)
        self._memories[capacity] = count

    def table(self, name: str, dtype: Any) -> np.ndarray:
        """Return a table of all slots as an array of `dtype`, one row for each."""
        raw = self._arrays[name]
        size = np.dtype(dtype).itemsize
        return raw[:, : raw.shape[1] // size * size].view(dtype)

    def rows(self, name: str) -> np.ndarray:
        """Return a table of all slots as uint8 (slots, entries, bytes of one)."""
        raw, width = self._arrays[name], self._widths[name]
        if width == 0:
            return np.zeros((self._n_slots, self._capacities["node_capacity"], 0), np.uint8)
        return raw[:, : raw.shape[1] // width * width].reshape(self._n_slots, -1, width)

    def make_room(self, nodes: int, edges: int) -> None:
        """Enlarge the tables until they have room for so many nodes and edges."""
        while nodes > self._capacities["node_capacity"] or edges > self._capacities["edge_capacity"]:
            self._memories["short"] |= (
                SHORT_NODES if nodes > self._capacities["node_capacity"] else SHORT_EDGES
            )
            self.grow()

    def refusal(self, slot: int) -> int:
        """Return why a slot's search was refused, as an index into the policy's `refusals`."""
        return int(self._memories["refusal"][slot])

    def grow(self) -> None:
        """Double every table that was short in some slot."""
        short = int(np.bitwise_or.reduce(self._memories["short"]))
        for capacity, bit in self._SHORT.items():
            if short & bit:
                self._capacities[capacity] *= 2
                self._allocate(capacity)
        self._memories["short"] = 0


def _row_addresses(array: np.ndarray) -> np.ndarray:
    return array.ctypes.data + np.arange(len(array)) * array.strides[0]


class TrajectoryTables:
    """The steps, states and evaluations of the episodes in the slots.

    Args:
        tables: Where the engine's arrays are kept.
        n_slots: How many slots there are.
        n_threads: How many threads index trajectories.
        state_size: Bytes of a state.
        evaluation_size: Float64s of a usual evaluation; 0 when none is kept.
        keeps_cells: Whether the cell is kept that each decision led to.
    """

    def __init__(
        self,
        tables: Tables,
        n_slots: int,
        n_threads: int,
        state_size: int,
        evaluation_size: int,
        keeps_cells: bool,
    ):
        self._tables = tables
        self._n_slots = n_slots
        self._n_threads = n_threads
        self._state_words = state_size // 8
        self._steps = FIRST_STEPS
        self._evaluations = max(1, FIRST_STEPS * evaluation_size)
        self._keeps_cells = keeps_cells
        self._allocate()

    def _allocate(self) -> None:
        record = self._tables.record
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            "steps": ((self._n_slots, self._steps), STEP),
            "step_states": ((self._n_slots, self._steps * self._state_words), np.int64),
            "evaluations": ((self._n_slots, self._evaluations), np.float64),
        }
        if self._keeps_cells:
            shapes["step_cells"] = (self._n_slots, self._steps), np.int32
        made = {"own_steps": new_array((self._n_threads, self._steps), np.int32)}
        for field, (shape, dtype) in shapes.items():
            made[field] = new_array(shape, dtype)
            old = self._tables.arrays.get(field)
            if old is not None:
                made[field][:, : old.shape[1]] = old
        for field, array in made.items():  # none but all of them, or where memory is wanting none
            self._tables.put(field, array)
        record["step_capacity"] = self._steps
        record["evaluation_capacity"] = self._evaluations

    def grow(self) -> None:
        """Double the tables."""
        self._steps *= 2
        self._evaluations *= 2
        self._allocate()


def allocate_slots(tables: Tables, n_slots: int, rules: Rules, policy: Policy, tail_size: int) -> None:
    """Allocate what each slot has a fixed amount of."""
    n_players = rules.game.num_players
    record = tables.record
    tables.zeros("slots", n_slots, SLOT)
    search_words = whole_lines(policy.search_dtype.itemsize) // 8
    tables.zeros("searches", (n_slots, search_words))
    record["search_size"] = search_words * 8
    tables.zeros("progress", n_slots)
    tables.zeros("live", (n_slots, rules.state_size // 8))
    tables.zeros("perspectives", (n_slots, n_players))
    tables.zeros("last_step", (n_slots, n_players))
    tables.zeros("returns", (n_slots, n_players), np.float64)
    tables.zeros("tails", (n_slots, n_players, tail_size), np.float64)
    tables.zeros("outcomes", n_slots, OUTCOME)
    for name in ("awaited", "ready", "running", "again"):
        tables.zeros(name, n_slots, np.int32)


def allocate_streams(tables: Tables, seed: int, keys: np.ndarray) -> None:
    """Make the random streams of the slots, from the seed and each one's key (uint64), and the start buffer's."""
    streams = tables.zeros("streams", (len(keys), STREAMS), STREAM)
    with np.errstate(over="ignore"):
        for purpose in range(STREAMS):
            streams["key"][:, purpose] = derive_key(np.uint64(seed), np.uint64(purpose), keys)
        start = tables.zeros("start_stream", 1, STREAM)
        start["key"] = derive_key(np.uint64(seed), np.uint64(START_PURPOSE), np.uint64(0))


def allocate_windows(tables: Tables, n_slots: int, n_queues: int, batch_size: int) -> None:
    """Allocate the rings and the window."""
    tables.zeros("rings", (n_queues, n_slots), np.int32)
    for name in ("ring_heads", "ring_counts", "ring_rows"):
        tables.zeros(name, n_queues)
    tables.zeros("cursors", (n_slots, n_queues), np.int32)
    for name in ("window_slots", "window_requests"):
        tables.zeros(name, batch_size, np.int32)
    for name in ("window_answers", "window_sources"):
        tables.zeros(name, batch_size, np.int32)[:] = np.arange(batch_size)  # what only a cache changes


def allocate_threads(tables: Tables, n_threads: int, rules: Rules, policy: Policy) -> list[np.ndarray]:
    """Give every thread its scratch; return what must stay alive."""
    evaluation = policy.evaluation_scalars + policy.evaluation_heads * rules.game.num_actions
    shapes = scratch_shapes(rules.game, evaluation)
    scratches = tables.zeros("scratches", n_threads, SCRATCH)
    keep = []
    for thread in range(n_threads):
        for field, (shape, dtype) in shapes.items():
            array = np.zeros(shape, dtype)
            scratches[field][thread] = array.ctypes.data
            keep.append(array)
    tables.zeros("episodes", n_threads, EPISODE)
    tables.zeros("interior_steps", n_threads, STEP)
    tables.zeros("interior_own", 1, np.int32)
    tables.zeros("interior_found", (n_threads, 2))
    tables.zeros("interior_lengths", (n_threads, int(tables.record["n_columns"][0])))
    batches = tables.zeros("batches", n_threads, BATCH)
    batches["columns"] = tables.record["columns"]
    batches["heads"] = policy.output.heads
    tables.zeros("parked", n_threads)
    tables.zeros("shares", (n_threads, CACHE_LINE // 8))  # threads write to theirs all the time
    tables.record["n_threads"] = n_threads
    return keep


def new_record() -> np.ndarray:
    """Return an ENGINE record of zeros."""
    return aligned_zeros(1, ENGINE)
