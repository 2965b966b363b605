"""Finding a slot's things in the engine's memory."""

import numpy as np

from ..compiled import array_at, record_at
from ..compiled.random import STREAM
from ..contracts.rules import RULES, SCRATCH
from ..contracts.search_memory import MEMORY, REQUEST
from .layout import SLOT, STREAMS

STREAM_SIZE = STREAM.itemsize
SLOT_SIZE = SLOT.itemsize
MEMORY_SIZE = MEMORY.itemsize
SCRATCH_SIZE = SCRATCH.itemsize


def slot_record(engine, slot):
    """Return the slot's own record."""
    return record_at(engine.slots + slot * SLOT_SIZE, SLOT)


def memory_address(engine, slot):
    """Return the address of the slot's MEMORY record."""
    return engine.memories + slot * MEMORY_SIZE


def memory_record(engine, slot):
    """Return the slot's MEMORY record."""
    return record_at(memory_address(engine, slot), MEMORY)


def stream_address(engine, slot, which):
    """Return the address of one of the slot's streams."""
    return engine.streams + (slot * STREAMS + which) * STREAM_SIZE


def stream_record(engine, slot, which):
    """Return one of the slot's streams."""
    return record_at(stream_address(engine, slot, which), STREAM)


def rules_record(engine):
    """Return the rules table."""
    return record_at(engine.rules, RULES)


def scratch_address(engine, thread):
    """Return the address of a thread's SCRATCH record."""
    return engine.scratches + thread * SCRATCH_SIZE


def scratch_record(engine, thread):
    """Return a thread's SCRATCH record."""
    return record_at(scratch_address(engine, thread), SCRATCH)


def live_state(engine, rules, slot):
    """Return the address of the state of the slot's game."""
    return engine.live + slot * rules.state_size


def per_player(address, rules, slot, dtype):
    """Return the slot's row of an array [n_slots, n_players]."""
    return array_at(address + slot * rules.n_players * 8, rules.n_players, dtype)


def perspectives_of(engine, rules, slot):
    """Return the players of the decision that is being searched."""
    return per_player(engine.perspectives, rules, slot, np.int64)


def memory_of(engine, row):
    """Return the memory of the slot of a row of the window."""
    return memory_record(engine, array_at(engine.window_slots, row + 1, np.int32)[row])


def request_of(engine, memory, row):
    """Return the request of a row of the window."""
    index = array_at(engine.window_requests, row + 1, np.int32)[row]
    return array_at(memory.requests, memory.n_requests, REQUEST)[index]
