"""Snapshots of engines whose searches go on with the tree of the last one: what is restored goes on exactly."""

import random

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from tests.engine.compositions import bits
from tests.engine.test_failures import Flaky, NetworkError
from tests.engine.test_reuse import POLICIES, make
from tests.engine.test_snapshot import carried, fail_at
from tests.toys.networks import Recorder
from tests.toys.random_tree import RandomTree

OPTIONS = {"n_games": 3, "batch_size": 2}
FEW = ["three players"] if plain_python() else list(POLICIES)
TABLES = ("nodes", "states", "sides", "edges", "actions")


@pytest.mark.lanes
@pytest.mark.parametrize("name", FEW)
def test_an_engine_goes_on_between_two_batches(name):
    composition = make(name)
    usual = composition.engine(**OPTIONS, n_threads=1)
    kept = 0
    for floor in (1, 4) if plain_python() else (1, 9):
        restored = carried(usual, composition.engine(**OPTIONS, n_threads=2))
        kept += int(usual.snapshot().arrays["kept_nodes"].sum())
        expected = usual.collect(floor, composition.network)
        assert bits(restored.collect(floor, composition.network)) == bits(expected)
    assert bits(restored.collect(4, composition.network)) == bits(usual.collect(4, composition.network))
    assert kept > 0


@pytest.mark.lanes
@pytest.mark.parametrize("name", FEW)
def test_an_engine_goes_on_after_a_failure_at_any_call(name):
    composition = make(name)
    restored = composition.engine(**OPTIONS)
    kept = 0
    first = 10 if plain_python() else 25
    for number in (9,) if plain_python() else range(1, 90, 5):
        usual = composition.engine(**OPTIONS)
        if not fail_at(usual, first, composition.network, number):
            break
        carried(usual, restored)
        kept += int(usual.snapshot().arrays["kept_nodes"].sum())
        for floor in (first, 8):
            expected = usual.collect(floor, composition.network)
            assert bits(restored.collect(floor, composition.network)) == bits(expected)
    assert kept > 0 or plain_python()


def test_a_snapshot_changes_nothing():
    composition = make("committed")
    seen, unseen = composition.engine(**OPTIONS), composition.engine(**OPTIONS)
    for number in (6, 9, 14, 25):
        for engine in (seen, unseen):
            assert fail_at(engine, 60, composition.network, number)
        assert seen.snapshot() == seen.snapshot()
    assert bits(seen.collect(60, composition.network)) == bits(unseen.collect(60, composition.network))
    assert seen.snapshot() == unseen.snapshot()


def test_a_failure_while_searches_are_done_again_changes_nothing():
    composition = make("resample")
    usual = composition.engine(**OPTIONS)
    assert fail_at(usual, 40, composition.network, 23)
    moment = usual.snapshot()
    assert moment.arrays["kept_nodes"].sum() > 0
    rest = Recorder(composition.network)
    expected = bits(usual.collect(40, rest))
    again = Recorder(composition.network)
    restored = carried_to(composition, moment)
    restored.collect(40, again)
    landing = len(again.calls) - len(rest.calls)
    assert landing > 1
    for number in range(landing):
        restored = carried_to(composition, moment)
        for _ in range(2):
            with pytest.raises(NetworkError):
                restored.collect(40, Flaky(composition.network, {number}))
            assert restored.snapshot() == moment
        assert bits(restored.collect(40, composition.network)) == expected


def carried_to(composition, moment):
    """A new engine at a moment."""
    engine = composition.engine(**OPTIONS)
    engine.restore(moment)
    return engine


def moments(composition):
    """Snapshots in the middle of a collection, with trees in them."""
    engine = composition.engine(**OPTIONS)
    found = []
    for number in (9, 12, 17, 5, 11, 13):
        assert fail_at(engine, 80, composition.network, number)
        found.append(engine.snapshot())
    found = [moment for moment in found if moment.arrays["kept_nodes"].sum() > 4]
    assert found
    return found


def forged(snapshot, generator):
    """A snapshot with something changed in its trees."""
    arrays = dict(snapshot.arrays)
    name = generator.choice([f"search_{table}" for table in TABLES] + ["kept_nodes", "kept_edges"])
    array = arrays[name].copy()
    words = array.reshape(-1).view(generator.choice((np.uint8, np.int32)))
    if len(words) == 0:
        return None
    for _ in range(generator.randint(1, 2)):
        place = generator.randrange(len(words))
        top = np.iinfo(words.dtype)
        value = generator.choice(
            (0, 1, 2, 5, -1, int(words[place]) + 1, int(words[place]) - 1, top.max, top.min)
        )
        words[place] = value & 255 if words.dtype == np.uint8 else max(top.min, min(top.max, value))
    if np.array_equal(array, arrays[name]):
        return None
    arrays[name] = array
    return rf.EngineSnapshot(dict(snapshot.header), arrays)


@pytest.mark.lanes
@pytest.mark.parametrize("name", FEW)
def test_damaged_trees_are_refused_or_harmless(name):
    composition = make(name)
    generator = random.Random(name)
    raws = moments(composition)
    engine = composition.engine(**OPTIONS)
    refusals, accepted = [], 0
    for attempt in range(60 if plain_python() else 300):
        snapshot = forged(generator.choice(raws), generator)
        if snapshot is None:
            continue
        try:
            engine.restore(snapshot)
        except ValueError as error:
            refusals.append(str(error))
            continue
        accepted += 1
        if attempt % 10 == 0 and not plain_python():
            engine.collect(4, composition.network)
    assert all("invalid EngineSnapshot" in words for words in refusals)
    assert len(refusals) > 3 * accepted


class Unlisted(RandomTree):
    """A random tree whose chance outcomes are drawn by a method of its own."""

    def sample_chance(self, state, stream):
        return 0


def test_trees_that_could_not_be_checked_are_not_kept():
    policy = rf.policies.AlphaZero(4, reuse_tree=True)
    engine = rf.Engine(Unlisted(chance_share=0.3), None, policy, rf.learners.AlphaZero(), 1)
    with pytest.raises(ValueError, match="chance outcomes that can only be drawn cannot be checked"):
        engine.snapshot()
