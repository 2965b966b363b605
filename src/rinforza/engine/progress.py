"""A line on stderr that tells how far a collection is."""

import shutil
import sys
import time
from typing import Any

import numpy as np

from ..contracts.infer import Infer
from .machine import Machine

INTERVAL = 0.2  # seconds between two drawings


class Progress:
    """The line; it is drawn over and over, by the thread that collects, before it asks the network.

    Args:
        machine: What collects; the collection has begun.
        floor: The records that it is to make.
    """

    def __init__(self, machine: Machine, floor: int):
        self._machine, self._floor = machine, floor
        self._started = time.perf_counter()
        self._drawn = self._started - INTERVAL  # the first call draws
        self._first_rows, self._first_records = self._rows(), self._records()
        self._width = 0

    def over(self, callbacks: list[Infer]) -> list[Infer]:
        """Return callbacks that draw the line, if it is time to, and ask the network."""
        return [self._drawing(infer) for infer in callbacks]

    def _drawing(self, infer: Infer) -> Infer:
        def drawing(obs: np.ndarray) -> Any:
            now = time.perf_counter()
            if now - self._drawn >= INTERVAL:
                self._drawn = now
                self._draw(f"{self._line()}, {self._left()} left")
            return infer(obs)

        return drawing

    def end(self) -> None:
        """Draw the line for the last time, and end it."""
        self._draw(f"{self._line()}, {_duration(self._seconds())}", "\n")

    def _line(self) -> str:
        episodes = int(self._machine.record["n_summaries"][0])
        rate = (self._rows() - self._first_rows) / self._seconds()
        return f"{self._records():,} of {self._floor:,} records, {episodes:,} episodes, {rate:,.0f} rows/s"

    def _left(self) -> str:
        done = self._records()
        if done <= self._first_records:
            return "?"
        return _duration(max(self._floor - done, 0) * self._seconds() / (done - self._first_records))

    def _seconds(self) -> float:
        return max(time.perf_counter() - self._started, 1e-9)

    def _rows(self) -> int:
        return self._machine.calls["infer_rows"]

    def _records(self) -> int:
        """Return how many records there are; a windowed learner's decisions count before they are records."""
        record = self._machine.record
        under_way = int(record["unrecorded"][0]) >> int(record["reopened"][0])
        return int(record["n_records"][0]) + (under_way if record["windowed"][0] else 0)

    def _draw(self, text: str, end: str = "") -> None:
        if sys.stderr is None:
            return  # a process without a console
        text = text[: shutil.get_terminal_size().columns - 1]  # a line that is broken is not drawn over
        try:
            sys.stderr.write("\r" + text.ljust(self._width) + end)
            sys.stderr.flush()
        except Exception:
            return  # nobody reads it, or it is not quite a file: no reason to stop collecting
        self._width = len(text)


def _duration(seconds: float) -> str:
    """Return a time as `9.5 s`, `1:30` or `1:00:00`."""
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
