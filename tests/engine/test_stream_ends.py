"""Ends of streams that meet a callback that is running, or each other."""

import gc
import signal
import threading

import pytest

from tests.engine.compositions import data, search_composition
from tests.engine.test_failures import NetworkError
from tests.engine.test_stream import Gate, until, usual_batches

pytestmark = pytest.mark.lanes


class FailsLate:
    """A network that fails once it is let go on, and so after the end of its stream has been asked for."""

    def __init__(self):
        self.running, self.go_on = threading.Event(), threading.Event()

    def __call__(self, obs):
        self.running.set()
        assert self.go_on.wait(20.0)
        raise NetworkError("the network is down")

    def stream(self, engine):
        """Start a stream; let it fail when it has been asked to end."""
        stream = engine.collect_stream(10, self)
        assert self.running.wait(20.0)
        worker = stream._worker

        def let_go_on():
            until(lambda: worker._request != 0)
            self.go_on.set()

        threading.Thread(target=let_go_on).start()
        return stream


def test_the_end_of_a_with_block_shows_an_error_of_the_callback_that_is_running(caplog):
    composition = search_composition()
    engine = composition.engine(3)
    stream = FailsLate().stream(engine)
    with pytest.raises(NetworkError), stream:
        pass
    with pytest.raises(RuntimeError, match="its error has been raised already"):
        stream.next()
    assert not caplog.records
    assert len(engine.collect(5, composition.network).obs) >= 5


@pytest.mark.parametrize("end", ["stop", "another error", "drop", "pause and drop"])
def test_an_error_that_cannot_be_raised_is_logged(end, caplog):
    network, composition = FailsLate(), search_composition()
    stream = network.stream(composition.engine(3))
    if end == "stop":
        stream.stop()
    elif end == "another error":
        with pytest.raises(KeyError), stream:
            raise KeyError("the block's own error goes first")
    elif end == "pause and drop":
        assert stream.pause() == []
    del stream
    gc.collect()
    until(lambda: caplog.records)
    (record,) = caplog.records
    assert record.getMessage().startswith("a stream was stopped before its error was seen: tests.engine")
    assert record.getMessage().endswith("NetworkError: the network is down")


class MuteError(Exception):
    """An error that cannot say what it is."""

    def __repr__(self):
        raise ValueError

    __str__ = __repr__


def test_an_error_that_cannot_be_shown_hinders_nobody(caplog):
    def network(obs):
        raise MuteError

    stream = search_composition().engine(3).collect_stream(10, network)
    until(lambda: stream._worker._ended)
    with pytest.raises(KeyError), stream:
        raise KeyError("the block's own error goes first")
    assert "MuteError" in caplog.text


def test_a_pause_that_was_interrupted_can_be_called_again():
    composition = search_composition()
    gate = Gate(composition.network)
    usual = usual_batches(composition, 3, n_games=3)
    engine = composition.engine(3)
    stream = engine.collect_stream(10, gate)
    assert gate.waiting.wait(20.0)

    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:

        def strike():
            until(lambda: stream._worker._request != 0)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        threading.Thread(target=strike).start()
        with pytest.raises(KeyboardInterrupt):
            stream.pause()
    finally:
        signal.signal(signal.SIGINT, before)
    gate.open()
    found = [data(batch) for batch in stream.pause()]
    assert len(found) == 1
    found += [data(engine.collect(10, composition.network)) for _ in range(2)]
    assert found == usual


def pause_elsewhere(stream, found):
    """Start to pause a stream on a thread, which puts what comes of it into a list."""

    def pause():
        try:
            found.append(stream.pause())
        except RuntimeError as error:
            found.append(error)

    thread = threading.Thread(target=pause)
    thread.start()
    until(lambda: stream._worker._request != 0)
    return thread


def test_only_one_of_two_pauses_gets_the_batches():
    composition = search_composition()
    gate, found = Gate(composition.network, 4), []
    stream = composition.engine(3).collect_stream(8, gate)
    gate.waiting.wait()
    first = pause_elsewhere(stream, found)
    opener = threading.Timer(0.1, gate.open)
    opener.start()
    with pytest.raises(RuntimeError, match="stream already stopped"):
        stream.pause()
    first.join()
    opener.join()
    assert [data(batch) for batch in found[0]] == usual_batches(composition, 1, 8, n_games=3)


def test_a_pause_that_is_stopped_does_not_say_that_nothing_is_lost():
    composition = search_composition()
    gate, found = Gate(composition.network, 4), []
    stream = composition.engine(3).collect_stream(8, gate)
    gate.waiting.wait()
    first = pause_elsewhere(stream, found)
    stopper = threading.Thread(target=stream.stop)
    stopper.start()
    until(lambda: stream._worker._request == 2)
    gate.open()
    stopper.join()
    first.join()
    assert "stream already stopped" in str(found[0])
