"""Keeping Ctrl-C out of the few steps that must not be cut in half."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold back SIGINT until the end of the block; then let its handler run."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield  # only the main thread is interrupted, and only by a handler in Python
        return
    held: list[tuple[int, FrameType | None]] = []

    def hold(number: int, frame: Any) -> None:
        held.append((number, frame))

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held:
            handler(*held[0])
