"""Sharing work between threads, inside compiled code.

A job is a kind of work over `job_size` units, cut into chunks. Every thread has a share of them, one after the other,
and takes from its front; who has none left takes from the end of another's. The units of one job after the other are
in nearly the same order, so a slot mostly stays with the core that has its memory at hand.

What is left of a share is one word: the job's number, the first chunk, the end. A chunk is taken by swapping the word
for one with a chunk less, and only then does the thread read what the job is. A word without chunks never looks open,
and a word of an earlier job is never met again, so a late thread cannot take a chunk of another job by mistake. The
scheduler's thread posts jobs and works too; the others spin in `work` for a while after the last job and
then park (see `engine.threads`).
"""

import numpy as np

from ..compiled import (
    INT,
    Prototype,
    RecordOf,
    address_of,
    array_at,
    atomic_add,
    atomic_load,
    atomic_store,
    atomic_swap,
    spin_pause,
)
from .layout import ADDRESS_OF_FIELD, CHUNK

RUN_CHUNK = Prototype("run_chunk", INT, RecordOf("engine"), INT, INT, INT, INT)

JOB_DONE = ADDRESS_OF_FIELD["job_done"]
STOP = ADDRESS_OF_FIELD["stop"]
FAILED_WORD = ADDRESS_OF_FIELD["failed"]
SHARE_SIZE = 64  # bytes: a cache line for each
NUMBER_SHIFT, BEGIN_SHIFT = 40, 20
PLACE_MASK = (1 << 20) - 1
NUMBER_MASK = (1 << 23) - 1
NOTHING, AGAIN = -1, -2
STOPPED, PARKED = 0, 1


def post(engine, kind, size):
    """Start a job; the other threads may take its chunks from now on."""
    chunks = -(-size // CHUNK[kind])
    engine.job_kind = kind
    engine.job_size = size
    engine.job_chunks = chunks
    engine.job_number = (engine.job_number + 1) & NUMBER_MASK
    atomic_store(address_of(engine) + JOB_DONE, 0)
    for thread in range(engine.n_threads):
        begin = chunks * thread // engine.n_threads
        end = chunks * (thread + 1) // engine.n_threads
        word = engine.job_number << NUMBER_SHIFT | begin << BEGIN_SHIFT | end
        atomic_store(engine.shares + thread * SHARE_SIZE, word)


def take_chunk(engine, thread):
    """Take one chunk of the current job and run it; return whether there was one."""
    for step in range(engine.n_threads):
        chunk = take_from(engine, (thread + step) % engine.n_threads, step == 0)
        if chunk == AGAIN:
            return True  # another thread was faster: look again
        if chunk != NOTHING:
            base = address_of(engine)
            kind = engine.job_kind
            begin = chunk * CHUNK[kind]
            RUN_CHUNK(engine.run_chunk, base, kind, begin, min(begin + CHUNK[kind], engine.job_size), thread)
            atomic_add(base + JOB_DONE, 1)
            return True
    return False


def take_from(engine, owner, is_own):
    """Take the first chunk of a thread's own share, or the last of another's; return it, NOTHING or AGAIN."""
    place = engine.shares + owner * SHARE_SIZE
    word = atomic_load(place)
    if left_in(word) == 0:
        return NOTHING
    if not atomic_swap(place, word, word + (1 << BEGIN_SHIFT) if is_own else word - 1):
        return AGAIN
    return (word >> BEGIN_SHIFT) & PLACE_MASK if is_own else (word & PLACE_MASK) - 1


def open_chunks(engine):
    """Return how many chunks nobody has taken."""
    count = 0
    for thread in range(engine.n_threads):
        count += left_in(atomic_load(engine.shares + thread * SHARE_SIZE))
    return count


def left_in(word):
    """Return how many chunks a share has left."""
    return (word & PLACE_MASK) - ((word >> BEGIN_SHIFT) & PLACE_MASK)


def join(engine):
    """Work on the current job until it is done; return False when another thread failed."""
    base = address_of(engine)
    while take_chunk(engine, 0):
        pass
    while atomic_load(base + JOB_DONE) < engine.job_chunks:
        if atomic_load(base + FAILED_WORD) != 0:
            return False
        spin_pause()
    return True


def run_job(engine, kind, size):
    """Run a job from start to end with all threads; return False when another thread failed."""
    post(engine, kind, size)
    return join(engine)


def work(engine, thread, patience):
    """Take chunks of whatever is posted; return STOPPED, or PARKED after `patience` idle turns."""
    base = address_of(engine)
    parked = array_at(engine.parked, thread + 1, np.int64)
    idle = 0
    while True:
        if atomic_load(base + STOP) != 0:
            return STOPPED
        if take_chunk(engine, thread):
            idle = 0
            continue
        idle += 1
        spin_pause()
        if idle >= patience:
            mark = address_of(parked) + thread * 8
            atomic_store(mark, 1)
            if open_chunks(engine) == 0:
                return PARKED
            atomic_store(mark, 0)  # a job came in the last moment
            idle = 0
