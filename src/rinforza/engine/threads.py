"""The threads that help the scheduler's own."""

import os
import threading
from collections.abc import Callable

import numpy as np

from .forks import tell_of_forks
from .interrupts import interrupts_held

PATIENCE = 20_000  # idle turns of a helper before it parks, a fraction of a millisecond


class Helpers:
    """Python threads that sit in compiled code and take chunks of work.

    They start with the first job and end with `close`. A helper that finds nothing to do parks; `wake` is
    cheap when none does.

    Args:
        work: The compiled `work(engine, thread, patience)`.
        join: The compiled `join(engine)`, which works on the job under way until it is done.
        record: The ENGINE array.
        parked: int64[n_threads], set by a helper that parks.

    Attributes:
        scheduler: The thread that posts jobs, or None while there are none.
    """

    def __init__(self, work: Callable, join: Callable, record: np.ndarray, parked: np.ndarray):
        self._work, self._join = work, join
        self._record = record
        self._parked = parked
        # Plain locks, which a helper takes to park: an interrupt cannot strike inside their methods.
        self._beds = self._new_beds()
        self._threads: list[threading.Thread] = []
        self.error: BaseException | None = None
        self.scheduler: int | None = None
        tell_of_forks(self)

    def _new_beds(self) -> list[threading.Lock]:
        beds = [threading.Lock() for _ in self._parked]
        for bed in beds:
            bed.acquire()
        return beds

    def before_fork(self) -> None:
        """Finish the job under way, for the child would have what the helpers had taken half done.

        Where another thread posts the jobs, it is not in the child either, and the engine is of no use there.
        """
        if self.scheduler == threading.get_ident():
            with interrupts_held():
                self._guard(self._join, self._record.ctypes.data)

    def after_fork(self) -> None:
        """Do without the helpers, which the child does not have; others start with the next job."""
        self._threads, self._beds = [], self._new_beds()
        self._parked[:] = 0
        if self.scheduler != threading.get_ident():
            self.scheduler = None  # a thread of the child may get its number
        if self._record["job_done"] < self._record["job_chunks"]:
            self.error = RuntimeError("the process forked while other threads were at work for this engine")
            self._record["failed"] = 1

    def wake(self) -> None:
        """Start the helpers if they are not running, and wake those that are parked."""
        if len(self._parked) == 1:
            return
        if not self._threads:
            with interrupts_held():
                self._start()
        for thread in range(1, len(self._parked)):
            if self._parked[thread]:  # read one by one: a helper may park at any moment
                self._parked[thread] = 0
                self._rouse(self._beds[thread])

    @staticmethod
    def _rouse(bed: threading.Lock) -> None:
        try:
            bed.release()
        except RuntimeError:
            pass  # it was roused before it lay down, and will not lie down

    def _start(self) -> None:
        for thread in range(1, len(self._parked)):
            helper = threading.Thread(
                target=self._run, args=(thread,), name=f"rinforza-{thread}", daemon=True
            )
            helper.start()
            self._threads.append(helper)

    def _run(self, thread: int) -> None:
        while self._guard(self._work, self._record.ctypes.data, thread, PATIENCE):
            self._beds[thread].acquire()

    def _guard(self, compiled: Callable, *arguments: int) -> int:
        """Call compiled code; keep an error for the scheduler, who looks whether one failed."""
        try:
            return compiled(*arguments)
        except BaseException as error:
            self.error = error
            self._record["failed"] = 1
            return 0

    def close(self) -> None:
        """Let the helpers finish what they are doing and end."""
        with interrupts_held():
            self._record["stop"] = 1
            for bed in self._beds:
                self._rouse(bed)
        for helper in self._threads:
            if helper is not threading.current_thread():
                helper.join()
        self._threads = []


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
