"""What `collect` promises: floors, empty batches, padding, and memory that stays the caller's."""

import numpy as np
import pytest

from rinforza import policies
from rinforza.games import TicTacToe
from tests.engine.compositions import (
    COMPOSITIONS,
    EPISODES,
    Composition,
    bits,
    data,
    q_composition,
    rows,
    search_composition,
)
from tests.naive.game_view import Position
from tests.toys.networks import PolicyValueNetwork, Recorder
from tests.toys.random_tree import RandomTree


@pytest.mark.lanes
@pytest.mark.parametrize("name", EPISODES)
def test_the_floor_is_met_by_whole_episodes(name):
    composition = EPISODES[name]()
    engine = composition.engine(1)
    for floor in (1, 5, 6, 17):
        batch = engine.collect(floor, composition.network)
        assert len(batch.obs) >= floor
        # with one game nothing is played beyond the episode that meets the floor
        ticks = [length for _, length, _ in batch.telemetry["episodes"]]
        longest = ticks[-1] * composition.game.num_players
        assert len(batch.obs) - longest < floor


@pytest.mark.lanes
@pytest.mark.parametrize("name", COMPOSITIONS)
def test_no_records_are_free(name):
    """`collect(0)` calls no network and changes nothing."""
    composition = COMPOSITIONS[name]()
    first, second = composition.engine(), composition.engine()

    def never(obs):
        raise AssertionError("the network was called")

    for _ in range(3):
        assert len(second.collect(0, never).obs) == 0
    for _ in range(2):
        assert bits(first.collect(20, composition.network)) == bits(second.collect(20, composition.network))
        assert len(second.collect(0, never).obs) == 0


@pytest.mark.parametrize(
    ("n_records", "error"),
    [
        (-1, OverflowError),
        (1 << 64, OverflowError),
        (2.0, TypeError),
        ("2", TypeError),
        (None, TypeError),
        (True, TypeError),
    ],
)
def test_refused_floors(n_records, error):
    composition = q_composition()
    with pytest.raises(error, match="n_records"):
        composition.engine().collect(n_records, composition.network)


@pytest.mark.parametrize("infer", [None, 3, "network", {}])
@pytest.mark.parametrize("n_records", [0, 5])
def test_what_cannot_be_called_is_refused(infer, n_records):
    with pytest.raises(TypeError, match="infer must be a callable"):
        q_composition().engine().collect(n_records, infer)


@pytest.mark.lanes
@pytest.mark.parametrize("name", COMPOSITIONS)
@pytest.mark.parametrize("batch_size", [1, 3, 100])
def test_padding_fills_every_call_and_changes_no_record(name, batch_size):
    composition = COMPOSITIONS[name]()
    usual = composition.engine(6, batch_size=batch_size)
    padded = composition.engine(6, batch_size=batch_size, pad=True)
    recorder = Recorder(composition.network)
    for floor in (1, 30):
        assert data(padded.collect(floor, recorder)) == data(usual.collect(floor, composition.network))
    assert {len(call) for call in recorder.calls} == {batch_size}
    if batch_size == 100:
        assert all((call[-1] == 0).all() for call in recorder.calls)


@pytest.mark.lanes
def test_answers_to_padding_are_not_looked_at():
    composition = search_composition()
    usual, padded = composition.engine(6), composition.engine(6, batch_size=40, pad=True)

    def network(obs):
        logits, values = composition.network(obs)
        empty = ~obs.any(axis=1)
        logits[empty] = np.nan
        values[empty] = np.inf
        return logits, values

    found = rows([padded.collect(30, network)])
    assert sorted(found) == sorted(rows([usual.collect(30, composition.network)]))


def test_padding_needs_a_shared_callback():
    composition = q_composition()
    padded, usual = composition.engine(pad=True), composition.engine()
    for n_records in (0, 5):
        with pytest.raises(ValueError, match="pad supports a single shared infer callback"):
            padded.collect(n_records, [composition.network] * 2)
    assert data(padded.collect(20, composition.network)) == data(usual.collect(20, composition.network))


@pytest.mark.lanes
@pytest.mark.parametrize("name", COMPOSITIONS)
def test_observations_are_the_callbacks_to_keep_and_to_change(name):
    composition = COMPOSITIONS[name]()
    kept, copies = [], []

    def hoarder(obs):
        assert obs.dtype == np.float32
        assert obs.ndim == 2
        assert obs.flags.c_contiguous
        assert obs.flags.writeable
        answer = composition.network(obs)
        obs += 1.0
        holders = (lambda: obs, lambda: obs[:1], lambda: memoryview(obs), lambda: obs.reshape(-1)[::2])
        kept.append(holders[len(kept) % 4]())
        copies.append(np.array(kept[-1]))
        return answer

    spoiled, usual = composition.engine(6, batch_size=3), composition.engine(6, batch_size=3)
    assert data(spoiled.collect(40, hoarder)) == data(usual.collect(40, composition.network))
    for held, copy in zip(kept, copies, strict=True):
        assert np.array_equal(np.asarray(held), copy)


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_a_batch_is_the_callers_to_keep(name):
    composition = COMPOSITIONS[name]()
    engine = composition.engine(20)
    kept = []
    for number in range(12):
        batch = engine.collect(50, composition.network)
        before = data(batch)
        if number % 3 == 0:
            kept.append((batch, before))
        elif number % 3 == 1:  # only single arrays are kept
            kept.append(({name: getattr(batch, name) for name in batch.fields}, before))
        else:  # only parts of them
            kept.append(({name: memoryview(getattr(batch, name)) for name in batch.fields}, before))
        del batch
    for held, before in kept:
        for field, content in before.items():
            array = held[field] if isinstance(held, dict) else getattr(held, field)
            assert np.asarray(array).tobytes() == content


def test_batches_can_be_written_to():
    composition = search_composition()
    spoiled, usual = composition.engine(), composition.engine()
    for _ in range(4):
        batch = spoiled.collect(30, composition.network)
        assert data(batch) == data(usual.collect(30, composition.network))
        for name in batch.fields:
            getattr(batch, name)[:] = 0


@pytest.mark.lanes
def test_sweeps_start_one_slot_later_each_time():
    """Games of one decision: each call fills one window, with the slots in the order of the sweep."""
    base = q_composition()
    game = RandomTree(seed=1, openings=1000, longest=1)
    composition = Composition(game, None, base.policy, base.learner, base.network)
    engine = composition.engine(4, batch_size=4)
    recorder = Recorder(composition.network)
    for _ in range(3):
        engine.collect(4, recorder)
    slots = [composition.slot(number) for number in range(4)]
    for sweep, call in enumerate(recorder.calls):
        starts = [slot.episode().steps[0] for slot in slots]
        expected = [starts[(sweep + place) % 4] for place in range(4)]
        seen = [step.position.observe(step.player) for step in expected]
        assert np.array_equal(call, np.array(seen))


@pytest.mark.lanes
def test_windows_are_full_while_anything_can_progress():
    composition = search_composition()
    recorder = Recorder(composition.network)
    composition.engine(9, batch_size=4).collect(60, recorder)
    sizes = [len(call) for call in recorder.calls]
    assert max(sizes) == 4
    assert sizes.count(4) > 0.9 * len(sizes)


@pytest.mark.lanes
def test_no_slot_that_can_go_on_waits_for_the_network():
    """Where every slot waits for one row, and windows are half of the games, the others rest or are being advanced."""
    base = search_composition()
    game, policy = TicTacToe(), policies.AlphaZero(7)
    composition = Composition(game, None, policy, base.learner, PolicyValueNetwork(9))
    engine = composition.engine(8, batch_size=4)
    record, rows = engine._machine.record, engine._machine.tables.arrays["ring_rows"]
    seen = []

    def network(obs):
        seen.append((len(obs), int(rows[0]), int(record["n_running"][0])))
        return composition.network(obs)

    for _ in range(6):
        engine.collect(40, network)
    assert {waiting for _, waiting, _ in seen} == {0}
    # from when the first slot has come to rest until too few are left for a window
    assert {running for size, _, running in seen if size == 4} == {0, 1, 2, 3, 4}


@pytest.mark.lanes
def test_the_default_window_is_half_of_the_games():
    for n_games, size in ((1, 1), (2, 1), (9, 4)):
        composition = q_composition()
        recorder = Recorder(composition.network)
        composition.engine(n_games).collect(20, recorder)
        assert max(len(call) for call in recorder.calls) == size


@pytest.mark.lanes
def test_rows_are_the_movers_views():
    """Every row that a search asks for is some decision's state, seen by its mover."""
    composition = search_composition(openings=0, longest=2, max_ticks=None, chance_share=0.3)
    recorder = Recorder(composition.network)
    composition.engine(2).collect(30, recorder)
    seen = {row.tobytes() for call in recorder.calls for row in call}
    known = set()

    def walk(position):
        if position.turn >= 0:
            known.add(position.observe(position.turn).tobytes())
            for action in position.legal(position.turn):
                child = position.copy()
                child.play({position.turn: action})
                walk(child)
        elif position.turn == -1:
            for outcome in np.flatnonzero(position.odds()):
                child = position.copy()
                child.resolve(outcome)
                walk(child)

    walk(Position(composition.game))
    assert seen <= known
    assert len(seen) > 3
