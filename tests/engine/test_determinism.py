"""Results do not depend on the machine: not on threads, nor on windows, nor on how large tables begin."""

import pytest

from rinforza.compiled import without_compiling
from tests.engine.compositions import (
    COMPOSITIONS,
    TinyAlphaZero,
    TinyEpsilonGreedyQ,
    bits,
    data,
    q_composition,
    search_composition,
)
from tests.naive.matching import Twins
from tests.toys.networks import Recorder


@pytest.mark.parametrize("name", COMPOSITIONS)
@pytest.mark.parametrize("batch_size", [0, 1, 5, 64])
def test_threads_do_not_change_a_bit(name, batch_size):
    composition = COMPOSITIONS[name]()
    results = []
    for n_threads in (1, 2, 4):
        engine = composition.engine(40, batch_size=batch_size, n_threads=n_threads)
        results.append([bits(engine.collect(floor, composition.network)) for floor in (1, 300, 40)])
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_threads_do_not_change_what_the_network_sees(name):
    composition = COMPOSITIONS[name]()
    calls = []
    for n_threads in (1, 2):
        recorder = Recorder(composition.network)
        composition.engine(40, n_threads=n_threads).collect(200, recorder)
        calls.append([call.tobytes() for call in recorder.calls])
    assert calls[0] == calls[1]


def test_threads_agree_over_many_short_collects():
    """Many windows and many hand-overs between the threads: a race would have its chance."""
    composition = search_composition()
    engines = [composition.engine(64, batch_size=8, n_threads=n_threads) for n_threads in (1, 2, 3)]
    for _ in range(30):
        first, *others = [bits(engine.collect(60, composition.network)) for engine in engines]
        assert all(other == first for other in others)


@pytest.mark.lanes
@pytest.mark.parametrize("batch_size", [1, 7, 3, 6, 500])
@pytest.mark.parametrize("make", [search_composition, q_composition])
def test_trajectories_do_not_depend_on_windows(make, batch_size):
    """Whatever the windows, every slot plays the episodes that it would play alone."""
    composition = make()
    engine = composition.engine(6, seed=3, batch_size=batch_size)
    parts = (composition.game, composition.reward, composition.policy, composition.learner)
    twins = Twins(*parts, composition.network, 3, 6)
    for floor in (8, 30):
        twins.accept(engine.collect(floor, composition.network))
    assert (twins.taken > 0).sum() > 2


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("floor", [1, 200])
def test_tables_that_start_tiny_change_nothing(n_threads, floor):
    searches = search_composition()
    tiny = searches.with_policy(TinyAlphaZero(7))
    values = q_composition()
    tiny_values = values.with_policy(TinyEpsilonGreedyQ(3, 0.2))
    for usual, small in ((searches, tiny), (values, tiny_values)):
        large_engine, small_engine = (one.engine(20, n_threads=n_threads) for one in (usual, small))
        for _ in range(2):
            large = large_engine.collect(floor, usual.network)
            assert data(small_engine.collect(floor, usual.network)) == data(large)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_no_row_is_asked_twice_when_tables_grow(n_threads):
    composition = search_composition()
    tiny = composition.with_policy(TinyAlphaZero(7))
    recorders = []
    for one in (composition, tiny):
        recorder = Recorder(composition.network)
        batch = one.engine(20, n_threads=n_threads).collect(100, recorder)
        assert batch.telemetry["infer_rows"] == recorder.rows == batch.telemetry["requested_rows"]
        recorders.append(recorder)
    usual, small = ([call.tobytes() for call in recorder.calls] for recorder in recorders)
    assert small == usual


def test_long_episodes_grow_the_trajectories():
    """Episodes of 300 decisions outgrow the tables that an episode begins with."""
    composition = q_composition(longest=300, end_share=0.0, max_ticks=None, chance_share=0.1)
    engine = composition.engine(5, seed=3)
    parts = (composition.game, composition.reward, composition.policy, composition.learner)
    twins = Twins(*parts, composition.network, 3, 5)
    batch = engine.collect(1200, composition.network)
    assert max(ticks for _, ticks, _ in batch.telemetry["episodes"]) == 300
    twins.accept(batch)


def test_the_seed_matters():
    composition = search_composition()
    seeds = [
        data(composition.engine(seed=seed).collect(40, composition.network)) for seed in (0, 1, 2**64 - 1)
    ]
    assert seeds[0] != seeds[1]
    assert seeds[1] != seeds[2]


@pytest.mark.lanes
@pytest.mark.parametrize("name", COMPOSITIONS)
def test_plain_python_gives_the_same_bits(name):
    composition = COMPOSITIONS[name]()
    compiled = composition.engine(4)
    with without_compiling():
        plain = composition.engine(4)
    for floor in (1, 25):
        expected = bits(compiled.collect(floor, composition.network))
        assert bits(plain.collect(floor, composition.network)) == expected
