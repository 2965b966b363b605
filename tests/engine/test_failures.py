"""A callback that fails costs nothing: the next collect goes on as if the failure had not been."""

from collections import Counter

import numpy as np
import pytest

from tests.engine.compositions import COMPOSITIONS, data, rows, search_composition


class NetworkError(Exception):
    """What the callbacks here raise."""


class Flaky:
    """A network that fails at chosen calls; the failed calls count.

    Args:
        network: The network.
        failing: Numbers of the calls that fail.
        error: What is raised.
    """

    def __init__(self, network, failing, error=NetworkError):
        self.network, self.failing, self.error = network, failing, error
        self.windows = []

    def __call__(self, obs):
        self.windows.append(obs.copy())
        if len(self.windows) - 1 in self.failing:
            raise self.error("the network is down")
        return self.network(obs)

    def assert_asked_again(self):
        """Check that each window that failed was the next one too."""
        for number in self.failing:
            if number + 1 < len(self.windows):
                assert np.array_equal(self.windows[number], self.windows[number + 1])


def collect_stubbornly(engine, floor, network, error=NetworkError):
    """Collect, again and again until it works."""
    while True:
        try:
            batch = engine.collect(floor, network)
        except error:
            continue
        network.assert_asked_again()
        return batch


def count_calls(composition, floors, **options):
    """How many calls the collects take when nothing fails, and their batches."""
    network = Flaky(composition.network, ())
    engine = composition.engine(**options)
    batches = [engine.collect(floor, network) for floor in floors]
    return len(network.windows), batches


@pytest.mark.parametrize("name", COMPOSITIONS)
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("error", [NetworkError, KeyboardInterrupt, SystemExit])
def test_a_failure_at_any_call_changes_nothing(name, n_threads, error):
    composition = COMPOSITIONS[name]()
    options = {"n_games": 4, "batch_size": 3, "n_threads": n_threads}
    calls, expected = count_calls(composition, (16,), **options)
    assert calls > 5
    stride = 1 if error is NetworkError else 5
    for number in range(0, calls, stride):
        network = Flaky(composition.network, {number}, error)
        engine = composition.engine(**options)
        batch = collect_stubbornly(engine, 16, network, error)
        assert data(batch) == data(expected[0]), number


@pytest.mark.lanes
@pytest.mark.parametrize("name", COMPOSITIONS)
def test_one_failure_loses_no_record(name):
    composition = COMPOSITIONS[name]()
    calls, expected = count_calls(composition, (12,), n_games=3)
    for number in (0, calls // 2, calls - 1):
        network = Flaky(composition.network, {number})
        engine = composition.engine(3)
        with pytest.raises(NetworkError, match="the network is down"):
            engine.collect(12, network)
        assert data(engine.collect(12, network)) == data(expected[0])


@pytest.mark.parametrize("n_threads", [1, 2])
def test_many_failures_in_a_row(n_threads):
    composition = search_composition()
    options = {"n_games": 10, "batch_size": 4, "n_threads": n_threads}
    calls, expected = count_calls(composition, (60,), **options)
    failing = set(np.random.default_rng(0).choice(3 * calls, 2 * calls, replace=False).tolist())
    network = Flaky(composition.network, failing)
    batch = collect_stubbornly(composition.engine(**options), 60, network)
    assert data(batch) == data(expected[0])


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_the_collect_after_the_retry_is_the_same_too(name):
    """Not even the order of the slots in later batches tells of the failure."""
    composition = COMPOSITIONS[name]()
    _, expected = count_calls(composition, (20, 20, 20), n_games=6)
    network = Flaky(composition.network, {2})
    engine = composition.engine(6)
    batches = [collect_stubbornly(engine, 20, network) for _ in range(3)]
    assert [data(batch) for batch in batches] == [data(batch) for batch in expected]


@pytest.mark.lanes
def test_records_that_were_complete_come_with_the_next_batch():
    """Fail late, then ask for one record: what was finished before is there, once."""
    composition = search_composition()
    calls, _ = count_calls(composition, (24,), n_games=3)
    network = Flaky(composition.network, {calls - 1})
    engine = composition.engine(3)
    with pytest.raises(NetworkError):
        engine.collect(24, network)
    batch = engine.collect(1, composition.network)
    assert len(batch.obs) > 10
    usual = composition.engine(3)
    whole = rows([usual.collect(24, composition.network) for _ in range(2)])
    assert Counter(rows([batch])) <= Counter(whole)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("name", COMPOSITIONS)
def test_a_failure_after_a_wrong_answer(name, n_threads):
    """A refused answer is a failure like any other."""
    composition = COMPOSITIONS[name]()
    options = {"n_games": 4, "n_threads": n_threads}
    _, expected = count_calls(composition, (15,), **options)
    wrongs = iter([None, np.zeros((1, 1)), [1, 2], (np.zeros((2, 5)),), "text"])
    turn = iter(range(10**6))

    def sloppy(obs):
        if next(turn) % 3 == 1:
            wrong = next(wrongs, None)
            if wrong is not None:
                return wrong
        return composition.network(obs)

    engine = composition.engine(**options)
    failures = 0
    while True:
        try:
            batch = engine.collect(15, sloppy)
            break
        except TypeError:
            failures += 1
    assert failures > 2
    assert data(batch) == data(expected[0])


@pytest.mark.parametrize("number", [0, 4, 9])
def test_telemetry_of_a_retried_collect(number):
    """Counters go on over the failure: each row was asked once, decisions are those of the batch."""
    composition = search_composition()
    _, expected = count_calls(composition, (20,), n_games=4)
    network = Flaky(composition.network, {number})
    batch = collect_stubbornly(composition.engine(4), 20, network)
    usual = expected[0].telemetry
    for key in ("episodes", "decisions", "requested_rows", "tail_rows", "terminal_sims", "mean_leaves"):
        assert batch.telemetry[key] == usual[key]
    assert batch.telemetry["infer_rows"] == usual["infer_rows"]


def test_an_engine_does_not_let_itself_be_entered_twice():
    """A callback that collects from its own engine is refused, and the collect goes on."""
    composition = search_composition()
    usual, engine = composition.engine(), composition.engine()
    refused = []

    def network(obs):
        if not refused:
            with pytest.raises(RuntimeError, match="collect"):
                engine.collect(5, composition.network)
            refused.append(True)
        return composition.network(obs)

    assert data(engine.collect(20, network)) == data(usual.collect(20, composition.network))
