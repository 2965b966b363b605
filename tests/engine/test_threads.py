"""Each engine has its own threads; engines do not disturb each other, and no thread outlives its engine."""

import gc
import threading

import pytest

from tests.engine.compositions import COMPOSITIONS, data, q_composition, search_composition


def own_threads():
    """The library's threads that live now."""
    return [thread for thread in threading.enumerate() if thread.name.startswith("rinforza-")]


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_two_engines_in_two_threads(name):
    composition = COMPOSITIONS[name]()
    seeds = (1, 2)
    expected = {}
    for seed in seeds:
        engine = composition.engine(30, seed=seed, n_threads=2)
        expected[seed] = [data(engine.collect(100, composition.network)) for _ in range(4)]
    found = {}

    def work(seed):
        engine = composition.engine(30, seed=seed, n_threads=2)
        found[seed] = [data(engine.collect(100, composition.network)) for _ in range(4)]

    workers = [threading.Thread(target=work, args=(seed,)) for seed in seeds]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == expected


def test_an_engine_may_be_used_from_changing_threads():
    composition = search_composition()
    usual, engine = composition.engine(12, n_threads=2), composition.engine(12, n_threads=2)
    found = []

    def work():
        found.append(data(engine.collect(40, composition.network)))

    for _ in range(4):
        worker = threading.Thread(target=work)
        worker.start()
        worker.join()
        assert found.pop() == data(usual.collect(40, composition.network))


def test_an_engine_that_is_dropped_leaves_no_thread():
    composition = search_composition()
    gc.collect()  # engines of other tests
    before = len(own_threads())
    engines = [composition.engine(20, n_threads=3) for _ in range(3)]
    for engine in engines:
        engine.collect(20, composition.network)
    assert len(own_threads()) == before + 6
    del engine, engines
    gc.collect()
    assert len(own_threads()) == before


def test_an_engine_that_never_ran_has_no_thread():
    before = len(own_threads())
    engine = q_composition().engine(20, n_threads=4)
    assert len(own_threads()) == before
    del engine


def test_an_engine_dropped_in_its_own_callback_ends_with_the_collect():
    composition = search_composition()
    before = len(own_threads())
    held = [composition.engine(20, n_threads=2)]

    def network(obs):
        held.clear()
        return composition.network(obs)

    assert len(held[0].collect(20, network).obs) >= 20
    gc.collect()
    assert len(own_threads()) == before


def test_one_thread_needs_no_helper():
    composition = search_composition()
    before = len(own_threads())
    engine = composition.engine(20, n_threads=1)
    engine.collect(40, composition.network)
    assert len(own_threads()) == before


def test_there_are_no_more_threads_than_games():
    composition = search_composition()
    before = len(own_threads())
    engine = composition.engine(2, n_threads=8)
    engine.collect(10, composition.network)
    assert len(own_threads()) == before + 1
    del engine


def test_two_threads_cannot_share_an_engine():
    """While one thread collects, another is refused; the first one's records are the usual ones."""
    composition = search_composition()
    usual, engine = composition.engine(), composition.engine()
    inside, go_on = threading.Event(), threading.Event()
    found = []

    def slow(obs):
        inside.set()
        assert go_on.wait(60)
        return composition.network(obs)

    worker = threading.Thread(target=lambda: found.append(data(engine.collect(20, slow))))
    worker.start()
    try:
        assert inside.wait(60)
        with pytest.raises(RuntimeError, match="collect"):
            engine.collect(20, composition.network)
    finally:
        go_on.set()
        worker.join(60)
    assert found == [data(usual.collect(20, composition.network))]
