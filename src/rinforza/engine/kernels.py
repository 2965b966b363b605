"""The engine's own compiled functions: the same for every game, policy and learner."""

from collections.abc import Callable
from functools import cache

from ..compiled import Prototype, compile_function
from .beginnings import IS_SOUND, PUT_BACK, TRIM, is_sound_at, put_back_at, trim_at
from .cache import (
    KEEP_ANSWERS,
    LOOK_UP_ROWS,
    WRITE_KEYS,
    keep_answers_at,
    look_up_rows_at,
    write_keys_at,
)
from .crew import RUN_CHUNK
from .layout import ENGINE
from .queues import reroute_at
from .replay import (
    INSPECT,
    INSPECT_STARTS,
    LOOK_UP,
    REDO,
    TAKE,
    inspect_at,
    inspect_starts_at,
    look_up_at,
    redo_at,
    take_at,
)
from .windows import (
    JOIN,
    PUMP,
    REROUTE,
    RESUME,
    SEND,
    SETTLE,
    WORK,
    join_at,
    pump_at,
    resume_at,
    run_chunk,
    send_at,
    settle_at,
    work_at,
)


class Kernels:
    """The scheduler's entry points; each takes the address of an ENGINE record first."""

    def __init__(self):
        self._chunk = compile_function(run_chunk, RUN_CHUNK, {"engine": ENGINE}, "Engine.run_chunk")
        self.run_chunk = self._chunk.address
        self.pump = _entry(pump_at, PUMP)
        self.send = _entry(send_at, SEND)
        self.settle = _entry(settle_at, SETTLE)
        self.resume = _entry(resume_at, RESUME)
        self.reroute = _entry(reroute_at, REROUTE)
        self.work = _entry(work_at, WORK)
        self.join = _entry(join_at, JOIN)


class CachingKernels:
    """What only an engine with a cache of answers needs; the scheduler calls it by address.

    Attributes:
        addresses: The address of each function, by its field of the ENGINE record.
    """

    def __init__(self):
        self._compiled = {
            prototype.name: compile_function(function, prototype, {}, f"Engine.{prototype.name}")
            for function, prototype in (
                (look_up_rows_at, LOOK_UP_ROWS),
                (keep_answers_at, KEEP_ANSWERS),
                (write_keys_at, WRITE_KEYS),
            )
        }
        self.addresses = {name: compiled.address for name, compiled in self._compiled.items()}


class RestoringKernels:
    """What only an engine needs that is restored; each takes the address of an ENGINE record first."""

    def __init__(self):
        self.inspect = _entry(inspect_at, INSPECT)
        self.inspect_starts = _entry(inspect_starts_at, INSPECT_STARTS)
        self.redo = _entry(redo_at, REDO)
        self.take = _entry(take_at, TAKE)
        self.look_up = _entry(look_up_at, LOOK_UP)


class KeepingKernels:
    """What only an engine needs whose policy keeps searches; each takes the address of an ENGINE record first."""

    def __init__(self):
        self.trim = _entry(trim_at, TRIM)
        self.put_back = _entry(put_back_at, PUT_BACK)
        self.is_sound = _entry(is_sound_at, IS_SOUND)


@cache
def caching_kernels(plain: bool) -> CachingKernels:
    """Return what is compiled for the cache of answers (one set for each lane)."""
    return CachingKernels()


@cache
def keeping_kernels(plain: bool) -> KeepingKernels:
    """Return what is compiled for policies that keep searches (one set for each lane)."""
    return KeepingKernels()


@cache
def restoring_kernels(plain: bool) -> RestoringKernels:
    """Return what is compiled for restoring alone (one set for each lane)."""
    return RestoringKernels()


def _entry(function: Callable, prototype: Prototype) -> Callable:
    return compile_function(function, prototype, {}, f"Engine.{prototype.name}").entry
