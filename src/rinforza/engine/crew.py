"""Sharing work between threads, inside compiled code.

A job is a kind of work over `job_size` units, cut into chunks. Its word holds the job's number in the upper
32 bits and the number of chunks left in the lower; a thread takes a chunk by swapping the word for one with
a chunk less, and only then reads what the job is. A word without chunks never looks open, and a word of an
earlier job is never met again, so a late thread cannot take a chunk of another job by mistake. The
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

JOB = ADDRESS_OF_FIELD["job"]
JOB_DONE = ADDRESS_OF_FIELD["job_done"]
STOP = ADDRESS_OF_FIELD["stop"]
FAILED_WORD = ADDRESS_OF_FIELD["failed"]
NUMBER_SHIFT = 32
CHUNK_MASK = (1 << 32) - 1
NUMBER_MASK = (1 << 30) - 1
STOPPED, PARKED = 0, 1


def post(engine, kind, size):
    """Start a job; the other threads may take its chunks from now on."""
    base = address_of(engine)
    engine.job_kind = kind
    engine.job_size = size
    engine.job_chunks = -(-size // CHUNK[kind])
    atomic_store(base + JOB_DONE, 0)
    number = atomic_load(base + JOB) >> NUMBER_SHIFT
    atomic_store(base + JOB, (((number + 1) & NUMBER_MASK) << NUMBER_SHIFT) | engine.job_chunks)


def take_chunk(engine, thread):
    """Take one chunk of the current job and run it; return whether there was one."""
    base = address_of(engine)
    word = atomic_load(base + JOB)
    left = word & CHUNK_MASK
    if left == 0:
        return False
    if not atomic_swap(base + JOB, word, word - 1):
        return True  # another thread was faster: look again
    kind = engine.job_kind
    begin = (engine.job_chunks - left) * CHUNK[kind]
    end = min(begin + CHUNK[kind], engine.job_size)
    RUN_CHUNK(engine.run_chunk, base, kind, begin, end, thread)
    atomic_add(base + JOB_DONE, 1)
    return True


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
            if atomic_load(base + JOB) & CHUNK_MASK == 0:
                return PARKED
            atomic_store(mark, 0)  # a job came in the last moment
            idle = 0
