"""The engine's own compiled functions: the same for every game, policy and learner."""

from collections.abc import Callable

from ..compiled import compile_function
from .crew import RUN_CHUNK
from .layout import ENGINE
from .windows import (
    PUMP,
    REROUTE,
    RESUME,
    SEND,
    SETTLE,
    WORK,
    pump_at,
    reroute_at,
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
        self.pump = self._entry(pump_at, PUMP)
        self.send = self._entry(send_at, SEND)
        self.settle = self._entry(settle_at, SETTLE)
        self.resume = self._entry(resume_at, RESUME)
        self.reroute = self._entry(reroute_at, REROUTE)
        self.work = self._entry(work_at, WORK)

    def _entry(self, function, prototype) -> Callable:
        return compile_function(function, prototype, {}, f"Engine.{prototype.name}").entry
