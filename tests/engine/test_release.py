"""An engine's tables go with the last name for it; they do not wait for the garbage collector."""

import gc
import weakref

import pytest

from tests.engine.compositions import search_composition
from tests.engine.test_failures import NetworkError
from tests.engine.test_stream import until

pytestmark = pytest.mark.lanes
COMPOSITION = search_composition()


def failing(after=4):
    """Return a network that fails after some calls."""
    calls = iter(range(after))

    def network(obs):
        if next(calls, None) is None:
            raise NetworkError("the network is down")
        return COMPOSITION.network(obs)

    return network


def collect(engine):
    """Collect, go on from a snapshot, and change what may be changed."""
    engine.collect(20, COMPOSITION.network)
    engine.restore(engine.snapshot())
    engine.set(temperature=0.5)
    engine.resolved_config()
    engine.collect(20, COMPOSITION.network)


def failing_collect(engine):
    """Collect with a network that fails."""
    engine.collect(50, failing())


def wrong_answer(engine):
    """Collect with a network that answers with something else."""
    with pytest.raises(TypeError):
        engine.collect(50, lambda obs: 3)


def stream(engine):
    """Take a batch of a stream and stop it."""
    with engine.collect_stream(20, COMPOSITION.network) as batches:
        batches.next()


def paused_stream(engine):
    """Take a batch of a stream and pause it."""
    batches = engine.collect_stream(20, COMPOSITION.network)
    batches.next()
    batches.pause()


def dropped_stream(engine):
    """Drop a stream that is running."""
    engine.collect_stream(20, COMPOSITION.network).next()


def failing_stream(engine):
    """Take batches until one fails."""
    with engine.collect_stream(20, failing()) as batches:
        while True:
            batches.next()


def failing_loop(engine):
    """Take batches in a loop until one fails."""
    for _ in engine.collect_stream(20, failing()):
        pass


def failing_unseen(engine):
    """Stop a stream that has failed."""
    batches = engine.collect_stream(20, failing())
    until(lambda: batches._worker._ended)
    batches.stop()


def failing_at_the_end(engine):
    """Leave the block of a stream that has failed."""
    with engine.collect_stream(20, failing()) as batches:
        until(lambda: batches._worker._ended)


@pytest.mark.parametrize(
    "use",
    [
        collect,
        failing_collect,
        wrong_answer,
        stream,
        paused_stream,
        dropped_stream,
        failing_stream,
        failing_loop,
        failing_unseen,
        failing_at_the_end,
    ],
)
def test_an_engine_goes_with_its_last_name(use):
    engine = COMPOSITION.engine(20, n_threads=2, batch_size=8)
    left = [weakref.ref(engine), weakref.ref(engine._machine)]
    gc.collect()
    gc.disable()
    try:
        try:
            use(engine)
        except NetworkError:
            pass
        del engine
        until(lambda: all(reference() is None for reference in left))
    finally:
        gc.enable()
