"""Keeping Ctrl-C, and what else interrupts, out of the few steps that must not be cut in half."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

# What is sent to end a run, or a step of it: by a user, a scheduler of jobs, a timer.
NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2")
INTERRUPTS = tuple(int(getattr(signal, name)) for name in NAMES if hasattr(signal, name))


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold back interrupts until the end of the block; then let their handlers run.

    A handler that somebody sets meanwhile stays.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is interrupted
        return
    handlers = [(number, signal.getsignal(number)) for number in INTERRUPTS]
    with _held([(number, handler) for number, handler in handlers if callable(handler)]):
        yield


@contextmanager
def _held(handlers: list[tuple[int, Any]]) -> Iterator[None]:
    """Hold back the signals of these, each inside the last: a handler that raises leaves none of the others held."""
    if not handlers:
        yield
        return
    (number, handler), *others = handlers
    caught: list[tuple[int, FrameType | None]] = []

    def catch(number: int, frame: FrameType | None) -> None:
        caught.append((number, frame))

    try:
        signal.signal(number, catch)
        with _held(others):
            yield
    finally:
        struck: BaseException | None = None
        while True:  # the handlers of those that are put back already may raise right here
            try:
                if signal.getsignal(number) is catch:
                    signal.signal(number, handler)
                break
            except BaseException as error:
                struck = error
        if caught:
            handler(*caught[0])
        if struck is not None:
            raise struck
