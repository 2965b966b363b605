"""Streams: the batches of repeated collects, on a thread of their own, and nothing lost at any end."""

import gc
import subprocess
import sys
import threading
import time
import weakref
from collections import Counter

import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from tests.engine.compositions import COMPOSITIONS, data, rows, search_composition
from tests.engine.test_failures import Flaky, NetworkError

NAMES = ["search", "q"] if plain_python() else list(COMPOSITIONS)
HELD = "this engine is held by a collect_stream"


class Gate:
    """A network that waits at a gate before each call.

    Args:
        network: The network.
        calls: How many calls may pass before the gate is shut.
    """

    def __init__(self, network, calls=0):
        self.network = network
        self.tickets = threading.Semaphore(calls)
        self.waiting = threading.Event()
        self.threads = set()

    def __call__(self, obs):
        self.threads.add(threading.current_thread())
        if not self.tickets.acquire(blocking=False):
            self.waiting.set()
            self.tickets.acquire()
        return self.network(obs)

    def open(self, calls=10**6):
        self.tickets.release(calls)


def usual_batches(composition, count, floor=10, **options):
    engine = composition.engine(**options)
    return [data(engine.collect(floor, composition.network)) for _ in range(count)]


def until(condition):
    """Wait until something holds that another thread brings about."""
    end = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("depth", [1, 3, None])
def test_a_stream_hands_out_what_collects_would(name, depth):
    composition = COMPOSITIONS[name]()
    gate = Gate(composition.network)
    gate.open()
    engine = composition.engine(4, n_threads=2)
    with engine.collect_stream(10, gate, depth) as stream:
        found = [data(stream.next()) for _ in range(3)] + [data(next(stream)) for _ in range(2)]
    assert found == usual_batches(composition, 5, n_games=4)
    assert len(gate.threads) == 1
    assert threading.current_thread() not in gate.threads


def test_finished_batches_wait_up_to_the_depth():
    composition = search_composition()
    with composition.engine(3).collect_stream(5, composition.network, depth=2) as stream:
        until(lambda: stream.pending() == 2)
        time.sleep(0.05)
        assert stream.pending() == 2
        stream.next()
        until(lambda: stream.pending() == 2)
        assert "2 pending" in repr(stream)


def test_pause_loses_nothing():
    composition = search_composition()
    engine = composition.engine(3)
    stream = engine.collect_stream(8, composition.network, depth=None)
    found = [data(stream.next())]
    until(lambda: stream.pending() > 1)
    found += [data(batch) for batch in stream.pause()]
    assert stream.pending() == 0
    found += [data(engine.collect(8, composition.network)) for _ in range(2)]
    assert found == usual_batches(composition, len(found), 8, n_games=3)
    for call in (stream.pause, stream.next):
        with pytest.raises(RuntimeError, match="stopped"):
            call()
    assert list(stream) == []
    stream.stop()
    assert "stopped" in repr(stream)


def test_pause_finishes_what_is_under_way_with_the_network():
    composition = search_composition()
    gate = Gate(composition.network, 4)
    engine = composition.engine(3)
    stream = engine.collect_stream(8, gate)
    gate.waiting.wait()
    opener = threading.Timer(0.05, gate.open)
    opener.start()
    batches = stream.pause()
    assert [data(batch) for batch in batches] == usual_batches(composition, 1, 8, n_games=3)
    opener.join()


@pytest.mark.parametrize("number", [0, 3, 11])
def test_stop_leaves_what_an_interrupted_collect_leaves(number):
    """The window that was to be asked next is asked by the next collect; nobody has answered it with zeros."""
    composition = search_composition()
    gate = Gate(composition.network, number)
    engine = composition.engine(3)
    stream = engine.collect_stream(1000, gate)
    gate.waiting.wait()
    stopper = threading.Thread(target=stream.stop)
    stopper.start()
    until(lambda: stream._worker._request != 0)
    gate.open()
    stopper.join()
    usual = composition.engine(3)
    with pytest.raises(NetworkError):
        usual.collect(1000, Flaky(composition.network, {number + 1}))
    assert engine.snapshot().arrays["live"].tobytes() == usual.snapshot().arrays["live"].tobytes()
    assert data(engine.collect(20, composition.network)) == data(usual.collect(20, composition.network))


@pytest.mark.parametrize("error", [NetworkError, RuntimeError, StopIteration, SystemExit, KeyboardInterrupt])
def test_an_error_reaches_the_consumer_behind_the_good_batches(error):
    composition = search_composition()
    usual = usual_batches(composition, 2, n_games=3)
    calls = Flaky(composition.network, ())
    composition.engine(3).collect(10, calls)
    network = Flaky(composition.network, {len(calls.windows)}, error)
    engine = composition.engine(3)
    stream = engine.collect_stream(10, network)
    assert data(stream.next()) == usual[0]
    with pytest.raises(error, match="the network is down"):
        stream.next()
    with pytest.raises(RuntimeError, match="collect stream ended"):
        stream.next()
    assert data(engine.collect(10, composition.network)) == usual[1]  # the engine is back, and goes on


@pytest.mark.parametrize("error", [NetworkError, RuntimeError, StopIteration])
def test_an_error_ends_a_loop(error):
    composition = search_composition()
    network = Flaky(composition.network, {60}, error)
    found = []
    with pytest.raises((error, RuntimeError)) as caught:
        found.extend(composition.engine(3).collect_stream(10, network))
    assert caught.type is (RuntimeError if error is StopIteration else error)
    assert "the network is down" in f"{caught.value}{caught.value.__cause__}"


def test_pause_with_an_error_queued():
    composition = search_composition()
    engine = composition.engine(3)
    network = Flaky(composition.network, {300})
    stream = engine.collect_stream(5, network, depth=None)
    until(lambda: len(network.windows) > 300)
    batches = stream.pause()
    assert len(batches) > 1
    assert [data(batch) for batch in batches] == usual_batches(composition, len(batches), 5, n_games=3)
    with pytest.raises(NetworkError):
        stream.pause()
    with pytest.raises(RuntimeError, match="stream already stopped"):
        stream.pause()
    batches += [engine.collect(5, composition.network)]
    assert [data(batch) for batch in batches] == usual_batches(composition, len(batches), 5, n_games=3)


def test_the_end_of_a_with_block_shows_an_error_that_nobody_has_seen(caplog):
    composition = search_composition()

    def failed_stream():
        network = Flaky(composition.network, {0})
        stream = composition.engine(3).collect_stream(5, network)
        until(lambda: stream._worker._ended)
        return stream

    with pytest.raises(NetworkError), failed_stream():
        pass
    with pytest.raises(KeyError), failed_stream():
        raise KeyError("the block's own error goes first")
    failed_stream().stop()
    assert (
        "a stream was stopped before its error was seen: tests.engine.test_failures.NetworkError"
        in caplog.text
    )


def test_an_engine_is_held_until_the_end():
    composition = search_composition()
    engine = composition.engine(3)
    before = engine.snapshot()
    fingerprint = engine.config_fingerprint()
    for end in ("stop", "pause"):
        stream = engine.collect_stream(5, composition.network)
        refused = (
            lambda: engine.collect(5, composition.network),
            lambda: engine.collect(0, composition.network),
            lambda: engine.collect_stream(5, composition.network),
            engine.snapshot,
            lambda: engine.restore(before),
        )
        for call in refused:
            with pytest.raises(RuntimeError, match=HELD):
                call()
        engine.weights_updated()
        engine.set(temperature=0.5)
        assert engine.config_fingerprint() == fingerprint
        getattr(stream, end)()
        engine.collect(5, composition.network)


@pytest.mark.parametrize("count", [0, 2])
def test_a_dropped_stream_gives_its_engine_back(count):
    composition = search_composition()
    engine = composition.engine(3)
    found = []
    for batch in engine.collect_stream(5, composition.network):
        found.append(data(batch))
        if len(found) > count:
            break
    del batch
    gc.collect()
    assert len(engine.collect(5, composition.network).obs) >= 5
    assert "rinforza-stream" not in [thread.name for thread in threading.enumerate()]


@pytest.mark.parametrize("end", ["stop", "pause"])
def test_a_stream_that_has_ended_does_not_keep_its_engine(end):
    composition = search_composition()
    engine = composition.engine(3)
    watch = weakref.ref(engine)
    stream = engine.collect_stream(5, composition.network)
    stream.next()
    getattr(stream, end)()
    del engine
    assert watch() is None


def test_stop_from_elsewhere_wakes_the_consumer():
    composition = search_composition()
    gate = Gate(composition.network)
    engine = composition.engine(3)
    stream = engine.collect_stream(5, gate)
    errors = []

    def consume():
        try:
            stream.next()
        except RuntimeError as error:
            errors.append(str(error))

    consumer = threading.Thread(target=consume)
    consumer.start()
    gate.waiting.wait()
    stopper = threading.Thread(target=stream.stop)
    stopper.start()
    consumer.join()
    assert "collect stream is stopped" in errors[0]
    gate.open()
    stopper.join()
    stream.stop()
    assert len(engine.collect(5, composition.network).obs) >= 5


def test_what_a_callback_may_ask_of_its_stream():
    composition = search_composition()
    engine = composition.engine(3)
    streams, seen = [], []

    def network(obs):
        if streams and not seen:
            for call in (streams[0].next, streams[0].pause):
                with pytest.raises(RuntimeError, match="callback cannot"):
                    call()
            seen.append(True)
            streams[0].stop()
        return composition.network(obs)

    streams.append(engine.collect_stream(5, network))
    until(lambda: seen and not any(t.name == "rinforza-stream" for t in threading.enumerate()))
    assert len(engine.collect(5, composition.network).obs) >= 5


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((0, "network"), ValueError, "collect_size must be >= 1, got 0"),
        ((5, "network", 0), ValueError, "depth must be >= 1, got 0"),
        ((-1, "network"), OverflowError, "collect_size must not be negative"),
        ((5, "network", -1), OverflowError, "depth must not be negative"),
        ((2.0, "network"), TypeError, "collect_size must be an int"),
        ((5, "network", "1"), TypeError, "depth must be an int"),
        ((5, None), TypeError, "infer must be a callable"),
        ((5, ["network"]), ValueError, "expected 2 per-player infer callables"),
    ],
)
def test_what_is_refused_does_not_take_the_engine(arguments, error, words):
    composition = search_composition()
    engine = composition.engine(3, pad=True)
    networks = {"network": composition.network}
    size, infer, *depth = arguments
    infer = [networks[key] for key in infer] if isinstance(infer, list) else networks.get(infer)
    with pytest.raises(error, match=words):
        engine.collect_stream(size, infer, *depth)
    with pytest.raises(ValueError, match="pad supports a single shared infer callback"):
        engine.collect_stream(5, [composition.network] * 2)
    assert len(engine.collect(5, composition.network).obs) >= 5


def test_streams_under_errors_and_restarts_lose_no_record():
    """Streams that fail, are stopped, paused and dropped, one after the other: every record once, in order."""
    composition = search_composition()
    engine = composition.engine(4, n_threads=2)
    found = []
    for turn in range(4 if plain_python() else 24):
        network = Flaky(composition.network, {7 + 5 * turn} if turn % 3 == 0 else ())
        stream = engine.collect_stream(6, network, depth=1 + turn % 3)
        try:
            found += [stream.next() for _ in range(turn % 4)]
            found += stream.pause()
            stream.next()
        except (NetworkError, RuntimeError):
            found += [] if stream.pending() == 0 else stream.pause()
    found += [engine.collect(6, composition.network) for _ in range(3)]
    usual = composition.engine(4)
    expected = rows([usual.collect(6, composition.network) for _ in range(len(found) + 9)])
    got = rows(found)
    assert Counter(got) <= Counter(expected)
    assert max(Counter(got).values()) == max(Counter(expected[: len(got)]).values())


SCRIPT = """
import time
import numpy as np
import rinforza as rf

def network(obs):
    time.sleep(0.001)
    return np.zeros((len(obs), 9)), np.zeros(len(obs))

engine = rf.Engine(rf.games.TicTacToe(), None, rf.policies.AlphaZero(8), rf.learners.AlphaZero(), n_games=4)
stream = engine.collect_stream(8, network)
stream.next()
print("left running")
"""


def test_a_process_ends_with_a_stream_that_runs():
    child = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=False
    )
    assert (child.returncode, child.stdout, child.stderr) == (0, "left running\n", "")


def test_a_stream_is_public():
    composition = search_composition()
    with composition.engine(3).collect_stream(5, composition.network) as stream:
        assert isinstance(stream, rf.CollectStream)
        assert iter(stream) is stream
