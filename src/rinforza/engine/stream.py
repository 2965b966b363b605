"""Collecting on a thread of its own while the caller learns."""

import logging
import threading
import weakref
from collections import deque
from collections.abc import Callable
from traceback import format_exception_only
from types import TracebackType
from typing import Any

import numpy as np

from ..contracts.batch import Batch
from ..contracts.infer import Infer
from .forks import tell_of_forks

LOGGER = logging.getLogger(__name__)
EXIT_SECONDS = 5.0  # how long the end of the process waits for a callback that is running

RUNNING, PAUSING, STOPPING = range(3)  # what the worker is asked to do


class StoppedError(BaseException):
    """Ends a collection in place of a call of the callback; the engine keeps the window."""


class Worker:
    """The thread of a stream, and the queue between it and the consumer.

    It knows nothing of the `CollectStream`, so that one can be dropped while it works.

    Args:
        collect: Collects one batch with these callbacks.
        release: Gives the engine back.
        callbacks: The network.
        depth: Finished batches that may wait, or None for any number.
    """

    def __init__(
        self,
        collect: Callable[[list[Infer]], Batch],
        release: Callable[[], None],
        callbacks: list[Infer],
        depth: int | None,
    ):
        self._collect, self._release, self._depth = collect, release, depth
        self._callbacks = [self._guarded(infer) for infer in callbacks]
        self._changed = threading.Condition()  # never held while the callback runs
        self._batches: deque[Batch] = deque()
        self._error: BaseException | None = None
        self._request = RUNNING
        self._ended = False
        self.abandoned = False
        self._thread = threading.Thread(target=self._run, name="rinforza-stream", daemon=True)
        tell_of_forks(self)

    def start(self) -> None:
        """Start to collect."""
        try:
            self._thread.start()
        except BaseException:
            self._release()
            raise

    def before_fork(self) -> None:
        """Let the thread be."""

    def after_fork(self) -> None:
        """End: the child has either no thread that collects, or no other that waits for the batches."""
        self._changed = threading.Condition()  # a thread that is gone may have held it
        if self.is_own_thread():
            self._request = STOPPING
        elif not self._ended:
            self._ended = True
            self._error = RuntimeError(
                "the process forked while this stream collected; it goes on in the parent only, "
                "and the child has to make another engine"
            )

    def _guarded(self, infer: Infer) -> Infer:
        def guarded(obs: np.ndarray) -> Any:
            self._end_if_stopped()
            answer = infer(obs)
            self._end_if_stopped()  # by the callback itself, or in a child that it forked
            return answer

        return guarded

    def _end_if_stopped(self) -> None:
        if self._request == STOPPING:
            raise StoppedError

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self._end(error)  # in no variable: the error holds this frame, and both would hold the engine
        else:
            self._end(None)

    def _work(self) -> None:
        """Collect batch after batch, until no more is wanted."""
        try:
            while self._has_room():
                batch = self._collect(self._callbacks)
                with self._changed:
                    self._batches.append(batch)
                    self._changed.notify_all()
                del batch
        except StoppedError:
            pass

    def _has_room(self) -> bool:
        """Wait until another batch may be collected; return False when none is wanted."""
        with self._changed:
            while self._request == RUNNING and self._depth is not None and len(self._batches) >= self._depth:
                self._changed.wait()
            return self._request == RUNNING

    def _end(self, error: BaseException | None) -> None:
        self._release()
        self._callbacks.clear()
        del self._collect, self._release  # they hold the engine
        with self._changed:
            self._error = error
            self._ended = True
            self._changed.notify_all()
        if self.abandoned:
            self.log_error()

    def ask(self, request: int) -> None:
        """Ask the worker to end; to stop outweighs to pause."""
        with self._changed:
            self._request = max(self._request, request)
            self._changed.notify_all()

    def abandon(self) -> None:
        """End without anybody who waits for it."""
        self.abandoned = True
        self.ask(STOPPING)
        self.log_error()

    def finalize(self) -> None:
        """Abandon; at the end of the process, give a callback that is running a moment."""
        self.abandon()
        ends = not threading.main_thread().is_alive()  # so it is when exit handlers run
        if ends and not self.is_own_thread():
            self._thread.join(EXIT_SECONDS)

    def is_own_thread(self) -> bool:
        """Return whether the caller is the callback."""
        return threading.current_thread() is self._thread

    def join(self) -> None:
        """Wait until the worker has ended."""
        with self._changed:
            while not self._ended:
                self._changed.wait()
        self._thread.join()  # not before: a thread whose `join` was interrupted once passes for one that has ended

    def wait(self) -> Batch | None:
        """Return the next batch, or None at the end."""
        with self._changed:
            while not self._batches and not self._ended and self._request != STOPPING:
                self._changed.wait()
            if not self._batches or self._request == STOPPING:
                return None
            batch = self._batches.popleft()
            self._changed.notify_all()
            return batch

    def pending(self) -> int:
        """Return how many finished batches wait."""
        return len(self._batches)

    def take_all(self) -> list[Batch] | None:
        """Return all finished batches, which then wait no more; when asked to stop, drop them."""
        with self._changed:
            batches = list(self._batches)
            self._batches.clear()
            return None if self._request == STOPPING else batches

    def take_error(self) -> BaseException | None:
        """Return the error that ended the worker, once."""
        with self._changed:
            error, self._error = self._error, None
            return error

    def log_error(self) -> None:
        """Log the error that ended the worker, if nobody has taken it, for nobody will."""
        error = self.take_error()
        if error is not None:
            text = "".join(format_exception_only(error)).strip()  # `repr` of an error may raise another
            LOGGER.warning("a stream was stopped before its error was seen: %s", text)


class CollectStream:
    """Batches that are collected on one thread of their own; made by `Engine.collect_stream`.

    The engine is held until the stream has ended: by `stop` or `pause`, at the end of a `with` block, by an
    error in the callback, or when the stream is dropped. An error reaches the consumer behind the batches
    that were finished before it.

    Example:
        >>> import numpy as np
        >>> import rinforza as rf
        >>> engine = rf.Engine(
        ...     rf.games.TicTacToe(), None, rf.policies.AlphaZero(8), rf.learners.AlphaZero(), n_games=4
        ... )
        >>> network = lambda obs: (np.zeros((len(obs), 9)), np.zeros(len(obs)))
        >>> with engine.collect_stream(32, network) as stream:
        ...     batches = [stream.next() for _ in range(3)]
        >>> all(len(batch.obs) >= 32 for batch in batches)
        True
    """

    def __init__(self, worker: Worker):
        self._worker = worker
        self._closed = False  # by `stop` or `pause`
        self._delivered = False  # an error
        self._pausing = threading.Lock()  # held by the call of `pause` that gets the batches
        self._finalizer = weakref.finalize(self, worker.finalize)
        worker.start()

    def next(self) -> Batch:
        """Return the next batch; wait for it if need be.

        Raises:
            RuntimeError: When the stream is stopped or paused, or its error has been raised already.
            Exception: The error in the callback, behind the batches that were finished before it.
        """
        batch = self._next()
        if batch is not None:
            return batch
        if self._delivered:
            raise RuntimeError("collect stream ended: its error has been raised already")
        raise RuntimeError("collect stream is stopped; make another with Engine.collect_stream")

    def __iter__(self) -> "CollectStream":
        return self

    def __next__(self) -> Batch:
        try:
            batch = self._next()
        except StopIteration as error:  # it would end the loop as if all were well
            raise RuntimeError("the callback of a collect stream raised StopIteration") from error
        if batch is None:
            raise StopIteration
        return batch

    def _next(self) -> Batch | None:
        if self._worker.is_own_thread():
            raise RuntimeError("a collect stream's callback cannot wait for its own stream")
        batch = None if self._closed else self._worker.wait()
        if batch is None:
            self._raise_error()
        return batch

    def _raise_error(self) -> None:
        error = self._worker.take_error()
        if error is not None:
            self._delivered = True
            try:
                raise error
            finally:
                del error  # it holds this frame and the engine, which would wait for the garbage collector

    def pending(self) -> int:
        """Return how many finished batches wait to be taken."""
        return self._worker.pending()

    def pause(self) -> list[Batch]:
        """End the stream without losing anything; the engine can be used again.

        The collection that is under way is finished with the network. If it fails, what is finished is
        returned, and the error is raised by the next call of `next` or `pause`, or at the end of the `with`
        block; its records come with the engine's next batch.

        Returns:
            The batches that nobody has taken, in order.

        Raises:
            RuntimeError: If the stream has been stopped or paused already, is being paused by another thread, is
                stopped by another one meanwhile, or in its own callback.
        """
        if self._worker.is_own_thread():
            raise RuntimeError("a collect stream's callback cannot pause its own stream")
        if not self._pausing.acquire(blocking=False):
            raise RuntimeError("stream already stopped: another call of pause() gets its batches")
        try:
            if self._closed:
                self._raise_error()
                raise RuntimeError("stream already stopped")
            self._worker.ask(PAUSING)
            self._worker.join()
            batches = self._worker.take_all()
            self._closed = True
        finally:
            self._pausing.release()
        if batches is None:
            raise RuntimeError("stream already stopped: stop() came before pause() had ended")
        return batches

    def stop(self) -> None:
        """End the stream; the engine can be used again. A second call does nothing.

        Batches that nobody has taken are dropped. The callback is not called any more; what the collection
        under way has played is not lost, and comes with the engine's next batch. In the callback, `stop`
        takes effect when the callback returns.
        """
        self._stop()
        if not self._worker.is_own_thread():
            self._worker.log_error()

    def _stop(self) -> None:
        self._worker.ask(STOPPING)
        if not self._worker.is_own_thread():
            self._worker.join()
        self._worker.take_all()
        self._closed = True

    def __enter__(self) -> "CollectStream":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()  # a callback that is running may fail yet, so the error is looked for afterwards
        if error is None:
            self._raise_error()
        else:
            self._worker.log_error()

    def __repr__(self) -> str:
        state = "stopped" if self._closed else f"{self.pending()} pending"
        return f"<CollectStream, {state}>"
