"""The queues: slots wait in a ring in a fixed order, and windows take rows from its head.

There is one queue, or one for each player where each has a callback of its own.
"""

import numpy as np

from ..compiled import array_at, clear_bytes, record_at
from ..contracts.search_memory import REQUEST
from .access import memory_record
from .layout import AWAITING, COMPLETE, CUT_AWAITING, ENGINE, OUTCOME, ROWS


def enqueue_new(engine, slot):
    """Queue a slot that has begun to wait for rows, and count them."""
    told = array_at(engine.outcomes, engine.n_slots, OUTCOME)[slot]
    if told.phase == AWAITING or told.phase == CUT_AWAITING:
        array_at(engine.awaited, engine.n_slots, np.int32)[slot] = told.rows
        engine.requested_rows += told.rows
        if told.phase == CUT_AWAITING:
            engine.tail_rows += told.rows
        enqueue(engine, slot)


def enqueue(engine, slot):
    """Append a slot to the ring of every queue from which it waits for rows."""
    counts = array_at(engine.ring_counts, engine.n_queues, np.int64)
    rows = array_at(engine.ring_rows, engine.n_queues, np.int64)
    heads = array_at(engine.ring_heads, engine.n_queues, np.int64)
    rings = array_at(engine.rings, (engine.n_queues, engine.n_slots), np.int32)
    cursors = array_at(engine.cursors, (engine.n_slots, engine.n_queues), np.int32)
    for queue in range(engine.n_queues):
        own_rows = rows_for(engine, slot, queue)
        if own_rows > 0:
            cursors[slot, queue] = 0
            rings[queue, (heads[queue] + counts[queue]) % engine.n_slots] = slot
            counts[queue] += 1
            rows[queue] += own_rows


def rows_for(engine, slot, queue):
    """Return how many of a slot's rows wait for a queue's callback."""
    if engine.in_order != 0:
        return array_at(engine.awaited, engine.n_slots, np.int32)[slot]
    memory = memory_record(engine, slot)
    requests = array_at(memory.requests, memory.n_requests, REQUEST)
    rows = 0
    for index in range(memory.n_requests):
        rows += belongs(engine, requests[index], queue)
    return rows


def belongs(engine, request, queue):
    """Return whether a request waits for an answer from a queue's callback."""
    return request.answered == 0 and (engine.n_queues == 1 or request.player == queue)


def reroute_at(address, n_queues):
    """Change the number of queues; what waits is queued anew, the window's slots first, then ring by ring."""
    engine = record_at(address, ENGINE)
    waiting = array_at(engine.again, engine.n_slots, np.int32)
    count = 0
    window = array_at(engine.window_slots, engine.window_rows, np.int32)
    for row in range(engine.window_rows):
        count = list_once(waiting, count, window[row])
    heads = array_at(engine.ring_heads, engine.n_queues, np.int64)
    counts = array_at(engine.ring_counts, engine.n_queues, np.int64)
    rings = array_at(engine.rings, (engine.n_queues, engine.n_slots), np.int32)
    for queue in range(engine.n_queues):
        for place in range(counts[queue]):
            count = list_once(waiting, count, rings[queue, (heads[queue] + place) % engine.n_slots])
    empty_window(engine)
    engine.n_queues = n_queues
    engine.in_order = 1 if n_queues == 1 and count == 0 else 0
    for field in (engine.ring_heads, engine.ring_counts, engine.ring_rows):
        clear_bytes(field, n_queues * 8)
    for index in range(count):
        enqueue(engine, waiting[index])
    return COMPLETE


def list_once(listed, count, slot):
    """Append a slot to a list that does not have it; return the new length."""
    for index in range(count):
        if listed[index] == slot:
            return count
    listed[count] = slot
    return count + 1


def full_queue(engine):
    """Return the first queue that can fill the window, or -1; one that was begun has its queue."""
    rows = array_at(engine.ring_rows, engine.n_queues, np.int64)
    if engine.window_rows > 0:
        is_enough = rows[engine.window_queue] >= engine.batch_size - engine.window_rows
        return engine.window_queue if is_enough else -1
    for queue in range(engine.n_queues):
        if rows[queue] >= engine.batch_size:
            return queue
    return -1


def longest_queue(engine):
    """Return the queue with the most rows, the first on a tie, or -1 when there is nothing for the window."""
    rows = array_at(engine.ring_rows, engine.n_queues, np.int64)
    if engine.window_rows > 0:
        return engine.window_queue if rows[engine.window_queue] > 0 else -1
    best = -1
    most = 0
    for queue in range(engine.n_queues):
        if rows[queue] > most:
            most = rows[queue]
            best = queue
    return best


def missing_rows(engine, queue):
    """Return how many rows the window and a queue, or no queue (-1), lack to fill a window."""
    waiting = array_at(engine.ring_rows, engine.n_queues, np.int64)[queue] if queue >= 0 else 0
    return engine.batch_size - engine.window_rows - waiting


def fill_window(engine, queue):
    """Take rows from the head of a queue until the window has `batch_size` or the queue is empty."""
    heads = array_at(engine.ring_heads, engine.n_queues, np.int64)
    counts = array_at(engine.ring_counts, engine.n_queues, np.int64)
    rows = array_at(engine.ring_rows, engine.n_queues, np.int64)
    rings = array_at(engine.rings, (engine.n_queues, engine.n_slots), np.int32)
    row = engine.window_rows
    size = min(row + rows[queue], engine.batch_size)
    rows[queue] -= size - row
    while row < size:
        slot = rings[queue, heads[queue]]
        if engine.in_order != 0:
            row, is_empty = take_in_order(engine, slot, row, size)
        else:
            row, is_empty = take_matching(engine, slot, queue, row, size)
        if is_empty:
            heads[queue] = (heads[queue] + 1) % engine.n_slots
            counts[queue] -= 1
    engine.window_rows = size
    engine.window_queue = queue


def close_window(engine):
    """Say that the window is ready for the network; return ROWS."""
    engine.window_closed = 1
    engine.answered = 0
    if engine.caches == 0:
        engine.asked_rows = engine.window_rows  # each has a row of its own
    return ROWS


def empty_window(engine):
    """Begin a new window."""
    engine.window_rows = 0
    engine.window_closed = 0
    engine.window_looked_up = 0
    engine.asked_rows = 0


def count_answer(engine, slot):
    """Count an answer that a slot has got; with the last one of its round it is to be advanced."""
    awaited = array_at(engine.awaited, engine.n_slots, np.int32)
    awaited[slot] -= 1
    if awaited[slot] == 0:
        make_ready(engine, slot)


def make_ready(engine, slot):
    """Append a slot to the ring of those that are to be advanced."""
    ready = array_at(engine.ready, engine.n_slots, np.int32)
    ready[(engine.first_ready + engine.n_ready) % engine.n_slots] = slot
    engine.n_ready += 1


def take_ready(engine, slots, count):
    """Move the first `count` slots of that ring to a list."""
    ready = array_at(engine.ready, engine.n_slots, np.int32)
    for place in range(count):
        slots[place] = ready[engine.first_ready]
        engine.first_ready = (engine.first_ready + 1) % engine.n_slots
    engine.n_ready -= count


def take_in_order(engine, slot, row, size):
    """Put a slot's next requests in the window from `row` on; return the next row, and if that was all.

    It looks at nothing but the scheduler's own arrays.
    """
    slots = array_at(engine.window_slots, engine.batch_size, np.int32)
    taken = array_at(engine.window_requests, engine.batch_size, np.int32)
    cursors = array_at(engine.cursors, engine.n_slots, np.int32)
    rows = array_at(engine.outcomes, engine.n_slots, OUTCOME)[slot].rows
    cursor = cursors[slot]
    while cursor < rows and row < size:
        slots[row] = slot
        taken[row] = cursor
        row += 1
        cursor += 1
    cursors[slot] = cursor
    return row, cursor == rows


def take_matching(engine, slot, queue, row, size):
    """Do the same for a queue to which only some of the slot's requests belong."""
    slots = array_at(engine.window_slots, engine.batch_size, np.int32)
    taken = array_at(engine.window_requests, engine.batch_size, np.int32)
    cursors = array_at(engine.cursors, (engine.n_slots, engine.n_queues), np.int32)
    memory = memory_record(engine, slot)
    requests = array_at(memory.requests, memory.n_requests, REQUEST)
    cursor = cursors[slot, queue]
    while cursor < memory.n_requests and row < size:
        if belongs(engine, requests[cursor], queue):
            slots[row] = slot
            taken[row] = cursor
            row += 1
        cursor += 1
    while cursor < memory.n_requests and not belongs(engine, requests[cursor], queue):
        cursor += 1
    cursors[slot, queue] = cursor
    return row, cursor == memory.n_requests
