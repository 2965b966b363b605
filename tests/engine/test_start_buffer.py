"""The start buffer: what it keeps, and where episodes begin."""

from collections import Counter
from math import sqrt

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import address_of, plain_python, record_at, without_compiling
from rinforza.contracts.composition import Rules
from rinforza.engine import configuration
from rinforza.engine.access import rules_record
from rinforza.engine.layout import ENGINE
from rinforza.engine.start_tables import StartBuffer, StartTables
from rinforza.engine.starts import draw_start, offer
from rinforza.engine.tables import Tables, allocate_streams, new_record
from tests.engine.compositions import Composition, TinyEpsilonGreedyQ, bits, data, starts_composition
from tests.engine.test_failures import Flaky, NetworkError, count_calls
from tests.games.snakes import TWO
from tests.naive.start_buffer import InStep
from tests.naive.start_buffer import StartBuffer as NaiveBuffer
from tests.toys.networks import PolicyValueNetwork, QNetwork
from tests.toys.wander import Wander

NUMBERS = {"start_buffer_capacity": 3, "p_fresh": 0.25}
FEW = plain_python()


def q_composition(game, n_heads=2, **numbers):
    policy = rf.policies.EpsilonGreedyQ(n_heads, 0.5)
    network = QNetwork(game.num_actions, n_heads)
    return Composition(game, None, policy, rf.learners.Dqn(), network, start_buffer=True, **numbers)


GAMES = {"wander": Wander(max_ticks=5), "endless": Wander(13), "snake": rf.games.Snake(**TWO, max_ticks=9)}


# ---- the twin ----


@pytest.mark.lanes
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("capacity", "p_fresh", "n_games"), [(2, 0.25, 4), (1, 0.0, 3), (1000, 0.5, 1)])
def test_the_buffer_and_the_starts_are_those_of_the_twin(name, capacity, p_fresh, n_games):
    game = GAMES[name]
    numbers = {"start_buffer_capacity": capacity, "p_fresh": p_fresh}
    composition = q_composition(game, **numbers)
    engine = composition.engine(n_games, batch_size=n_games * game.num_players)
    buffer = NaiveBuffer(5, capacity, p_fresh)
    parts = (composition.policy, composition.learner, composition.network)
    twin = InStep(game, None, *parts, n_games, 5, buffer)
    flags = set()
    for floor in (1, 40, 20) if FEW else (1, 120, 30):
        found = engine.collect(floor, composition.network).telemetry["episodes"]
        expected = twin.collect(floor)
        assert [episode[1:] for episode in found] == [episode[1:] for episode in expected]
        assert [episode[0] for episode in found] == [pytest.approx(returns) for returns, *_ in expected]
        assert_same_buffer(engine, buffer)
        flags |= {seeded for *_, seeded in found}
    assert flags == {True, False}


def assert_same_buffer(engine, buffer):
    arrays = engine.snapshot().arrays
    assert arrays["cells"].tolist() == list(buffer.kept)
    assert arrays["cells_seen"].tolist() == list(buffer.seen.values())
    size = engine._game.state_dtype.itemsize
    kept = [position.state.tobytes() for cell in buffer.kept.values() for position in cell]
    assert [state[:size].tobytes() for state in arrays["cell_states"]] == kept
    assert arrays["start_counter"].tolist() == [buffer.stream.counter]


# ---- chances ----


def chi_square(counts, odds):
    """How many standard deviations the chi-square of counts is above its mean."""
    counts, odds = np.array(counts, float), np.array(odds, float)
    expected = counts.sum() * odds
    freedom = len(counts) - 1
    return (((counts - expected) ** 2 / expected).sum() - freedom) / sqrt(2 * freedom)


def test_a_cell_keeps_a_uniform_sample_of_all_that_reached_it():
    rules, capacity, offered = Rules(Wander(), None), 4, 30
    states = np.zeros((offered, rules.state_size // 8), np.int64)
    states[:, 0] = np.arange(offered)
    found = np.zeros(offered, int)
    for trial in range(250):
        tables = Tables(new_record())
        allocate_streams(tables, trial, np.zeros(1, np.uint64))
        starts = StartTables(tables, rules, StartBuffer(capacity, 0.0))
        tables.record["rules"] = rules.address
        engine = record_at(address_of(tables.record), ENGINE)
        with np.errstate(over="ignore"):
            for state in states:
                if not offer(engine, rules_record(engine), 2, state.ctypes.data):
                    engine.short_cell = 2
                    starts.grow()
                    assert offer(engine, rules_record(engine), 2, state.ctypes.data)
        kept = starts.keep()
        assert (kept["cells"].tolist(), kept["cells_seen"].tolist()) == ([2], [offered])
        found[kept["cell_states"].view(np.int64)[:, 0]] += 1
    assert found.sum() == 250 * capacity
    assert chi_square(found, np.full(offered, 1 / offered)) < 3.0


def test_starts_are_fresh_by_the_share_asked_for_and_cells_and_their_states_are_equally_likely():
    composition = q_composition(Wander(), start_buffer_capacity=5, p_fresh=0.3)
    engine = composition.engine(2)
    engine.collect(60, composition.network)
    arrays, machine = engine.snapshot().arrays, engine._machine
    counts = np.minimum(arrays["cells_seen"], 5)
    odds = Counter({b"fresh": 0.3})
    place = 0
    for count in counts.tolist():
        for state in arrays["cell_states"][place : place + count]:
            odds[state.tobytes()] += 0.7 / len(counts) / count
        place += count
    record = record_at(machine.address, ENGINE)
    live, slots = machine.tables.arrays["live"], machine.tables.arrays["slots"]
    drawn = Counter()
    with np.errstate(over="ignore"):
        for _ in range(4000):
            draw_start(record, rules_record(record), 0)
            drawn[live[0].tobytes() if slots["seeded"][0] else b"fresh"] += 1
    assert set(drawn) <= set(odds)
    assert len(odds) > 10
    assert chi_square([drawn[start] for start in odds], list(odds.values())) < 3.0
    assert abs(drawn[b"fresh"] / 4000 - 0.3) < 4 * sqrt(0.3 * 0.7 / 4000)


@pytest.mark.lanes
@pytest.mark.parametrize(("p_fresh", "seeded"), [(0.0, True), (1.0, False)])
def test_all_starts_or_none_are_from_the_buffer(p_fresh, seeded):
    composition = starts_composition(p_fresh=p_fresh)
    engine = composition.engine(1)
    episodes = engine.collect(30, composition.network).telemetry["episodes"]
    assert not episodes[0][2]
    assert {flag for *_, flag in episodes[1:]} == {seeded}


# ---- what must not matter ----


def searching(**numbers):
    """AlphaZero, whose horizon asks for tails."""
    parts = (
        Wander(max_ticks=4),
        None,
        rf.policies.AlphaZero(5),
        rf.learners.AlphaZero(),
        PolicyValueNetwork(3),
    )
    return Composition(*parts, start_buffer=True, **NUMBERS, **numbers)


def windowed(**numbers):
    """PPO, which forgets its trajectories in the middle of episodes."""
    parts = Wander(max_ticks=6), None, rf.policies.Ppo(), rf.learners.Ppo(), PolicyValueNetwork(3)
    return Composition(*parts, start_buffer=True, **NUMBERS, **numbers)


def interior(**numbers):
    """Minimax with records of interior nodes: slots stop for them before they play."""
    learner = rf.learners.TreeStrap(interior_targets=True)
    parts = Wander(max_ticks=4), None, rf.policies.Minimax(2, chance=rf.chance_modes.Committed(2)), learner
    return Composition(*parts, QNetwork(3), start_buffer=True, **NUMBERS, **numbers)


# Q values are among the compositions of all the engine's tests; in plain Python searches take long.
KINDS = {"windows": windowed} if FEW else {"windows": windowed, "search": searching, "interior": interior}


def whole(engine):
    """All of a snapshot that does not tell time."""
    snapshot = engine.snapshot()
    return {name: array.tobytes() for name, array in snapshot.arrays.items()}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("batch_size", [0, 5])
def test_threads_do_not_change_a_bit(name, batch_size):
    composition = KINDS[name]()
    results = []
    for n_threads in (1, 2, 3):
        engine = composition.engine(16, batch_size=batch_size, n_threads=n_threads)
        batches = [bits(engine.collect(floor, composition.network)) for floor in (1, 300, 20)]
        results.append((batches, whole(engine)))
    assert results[0] == results[1] == results[2]
    assert any(seeded for *_, seeded in results[0][0][1][1]["episodes"])


@pytest.mark.lanes
@pytest.mark.parametrize("name", KINDS)
def test_plain_python_gives_the_same_bits(name):
    composition = KINDS[name]()
    compiled = composition.engine(4)
    with without_compiling():
        plain = composition.engine(4)
        found = [bits(plain.collect(floor, composition.network)) for floor in (1, 20)]
    assert [bits(compiled.collect(floor, composition.network)) for floor in (1, 20)] == found
    assert whole(compiled) == whole(plain)


@pytest.mark.lanes
@pytest.mark.parametrize("name", KINDS)
def test_a_failure_changes_neither_the_buffer_nor_what_follows(name):
    composition = KINDS[name]()
    calls, _ = count_calls(composition, [40], n_games=4, batch_size=3)
    assert calls > 5
    for number in [calls // 2] if FEW else range(1, calls, 1 + calls // 5):
        usual, engine, restored = (composition.engine(4, batch_size=3) for _ in range(3))
        with pytest.raises(NetworkError):
            engine.collect(40, Flaky(composition.network, {number}))
        moment = rf.EngineSnapshot.from_bytes(engine.snapshot().to_bytes())
        restored.restore(moment)
        assert restored.snapshot() == moment
        expected = [bits(usual.collect(floor, composition.network)) for floor in (40, 9)]
        for other in (engine, restored):
            assert [bits(other.collect(floor, composition.network)) for floor in (40, 9)] == expected
            assert whole(other) == whole(usual)


def test_tables_that_start_tiny_and_grow_change_nothing():
    """Slots that are blocked in the middle keep what they have to offer, until all have come to rest."""
    usual = q_composition(Wander(400, max_ticks=150), start_buffer_capacity=40, p_fresh=0.5)
    tiny = usual.with_policy(TinyEpsilonGreedyQ(2, 0.5))
    engines = [one.engine(9, n_threads=2) for one in (usual, tiny)]
    for floor in (1, 1500):
        first, second = (data(engine.collect(floor, usual.network)) for engine in engines)
        assert first == second
    moment, other = engines[0].snapshot(), engines[1].snapshot()
    names = ("cells", "cells_seen", "cell_states", "start_counter", "seeded")
    assert all(np.array_equal(moment.arrays[name], other.arrays[name]) for name in names)
    assert moment.arrays["cells_seen"].max() > 40 > 8


# ---- episodes ----


@pytest.mark.lanes
def test_a_seeded_episode_begins_at_no_ticks_with_nothing_won():
    """Its horizon is a whole one, though it began in the middle, and even where an episode had been cut."""
    composition = q_composition(Wander(10**6, max_ticks=5), start_buffer_capacity=1000, p_fresh=0.0)
    engine = composition.engine(1)
    episodes = engine.collect(60, composition.network).telemetry["episodes"]
    assert {ticks for _, ticks, _ in episodes} == {5}
    places = engine.snapshot().arrays["cell_states"].view(np.int64)[:, 0]
    assert places.max() > 5 * 4
    gained = max(max(returns) for returns, *_ in episodes)
    assert gained < 5 * (places.max() + 5)


@pytest.mark.lanes
def test_without_a_start_buffer_nothing_is_seeded_and_nothing_is_kept():
    composition = q_composition(Wander(max_ticks=6))
    engine = composition.engine(3, start_buffer=False, start_buffer_capacity=0, p_fresh="none")
    assert not any(seeded for *_, seeded in engine.collect(20, composition.network).telemetry["episodes"])
    assert not {"cells", "cell_states", "seeded", "start_counter"} & set(engine.snapshot().arrays)


@pytest.mark.lanes
def test_a_cell_takes_memory_as_states_come():
    composition = q_composition(Wander(n_cells=10**6), start_buffer_capacity=10**12)
    engine = composition.engine(1)
    engine.collect(50, composition.network)
    starts = engine._machine.starts
    held = sum(array.nbytes for array in starts._states.values())
    assert 0 < len(starts._states) <= 7
    assert held < 2 * 100 * Wander.state_dtype.itemsize + 7 * 8 * Wander.state_dtype.itemsize


class AnyCell(Wander):
    """A game that sorts some states into a cell that it has not stated."""

    def cell(self, state):
        return state.place


@pytest.mark.lanes
def test_a_cell_beyond_those_stated_is_an_error():
    composition = q_composition(AnyCell())
    engine = composition.engine(2)
    with pytest.raises(RuntimeError, match="neither -1 nor below n_cells") as caught:
        engine.collect(60, composition.network)
    assert "AnyCell" in "".join(caught.value.__notes__)


# ---- what is asked for ----


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"start_buffer": 1}, TypeError, "start_buffer must be a bool"),
        ({"start_buffer": None}, TypeError, "start_buffer must be a bool"),
        ({"start_buffer_capacity": 0}, ValueError, "start_buffer_capacity must be >= 1, got 0"),
        ({"start_buffer_capacity": -1}, OverflowError, "start_buffer_capacity must not be negative"),
        ({"start_buffer_capacity": 1 << 63}, OverflowError, "start_buffer_capacity must fit"),
        ({"start_buffer_capacity": 2.0}, TypeError, "start_buffer_capacity must be an int"),
        ({"p_fresh": -0.1}, ValueError, "p_fresh must be >= 0"),
        ({"p_fresh": 1.5}, ValueError, "p_fresh must be <= 1"),
        ({"p_fresh": float("nan")}, ValueError, "p_fresh must be finite"),
        ({"p_fresh": "0.5"}, TypeError, "p_fresh must be a float"),
    ],
)
def test_refused_arguments(options, error, words):
    with pytest.raises(error, match=words):
        starts_composition(**options).engine()


@pytest.mark.lanes
def test_a_game_without_cells_does_not_support_it():
    with pytest.raises(ValueError, match="tictactoe does not support start_buffer"):
        q_composition(rf.games.TicTacToe()).engine()


@pytest.mark.lanes
def test_a_fingerprint_knows_the_buffer_and_no_numbers_of_one_that_is_off():
    composition = starts_composition()
    prints = [composition.engine(**changes).config_fingerprint() for changes in ({}, {"p_fresh": 0.5})]
    off = [composition.engine(start_buffer=False, p_fresh=share) for share in (0.25, 0.5)]
    assert off[0].config_fingerprint() == off[1].config_fingerprint() not in prints
    assert prints[0] != prints[1] != composition.engine(start_buffer_capacity=4).config_fingerprint()
    config = off[0].resolved_config()
    assert config["engine"].pop("start_buffer") is None
    assert configuration.config_fingerprint(config) == off[0].config_fingerprint()
    with pytest.raises(ValueError, match=r"engine\.start_buffer is absent in the snapshot"):
        composition.engine().restore(off[0].snapshot())


@pytest.mark.lanes
def test_configurations():
    config = {
        "game": {"name": "snake", **TWO},
        "policy": "epsilon_greedy_q",
        "learner": "dqn",
        "engine": {"n_games": 2, "start_buffer": True, "start_buffer_capacity": 7, "p_fresh": 0.5},
    }
    engine = rf.engine_from_config(config)
    resolved = engine.resolved_config()
    assert resolved["engine"]["start_buffer"] == {"capacity": 7, "p_fresh": 0.5}
    same = [
        resolved,
        {**config, "engine": {"n_games": 2, "start_buffer": {"capacity": 7, "p_fresh": 0.5}}},
        {**config, "engine": {"n_games": 2, "start_buffer": {"capacity": 7}, "p_fresh": 0.5}},
    ]
    for other in same:
        assert rf.engine_from_config(other).resolved_config() == resolved
    usual = rf.engine_from_config({**config, "engine": {"n_games": 2, "start_buffer": {}}}).resolved_config()
    assert usual["engine"]["start_buffer"] == {"capacity": 1000, "p_fresh": 0.05}
    for off in ({"start_buffer": None}, {"start_buffer": False}, {}):
        without = rf.engine_from_config({**config, "engine": {"n_games": 2, **off}}).resolved_config()
        assert without["engine"]["start_buffer"] is None
    wrong = [
        (
            {"start_buffer": {"capacity": 7}, "start_buffer_capacity": 8},
            ValueError,
            "different values: 8 and 7",
        ),
        ({"start_buffer": {"size": 7}}, TypeError, "unexpected keyword 'size' in 'start_buffer'"),
        ({"start_buffer": {"capacity": 0}}, ValueError, "start_buffer_capacity must be >= 1"),
        ({"start_buffer": 1}, TypeError, "start_buffer must be a bool"),
    ]
    for options, error, words in wrong:
        with pytest.raises(error, match=words):
            rf.engine_from_config({**config, "engine": {"n_games": 2, **options}})


# ---- snapshots from outside ----


@pytest.fixture(scope="module")
def interrupted():
    """An engine in the middle of a collection, and its snapshot."""
    composition = starts_composition()
    engine = composition.engine(3)
    with pytest.raises(NetworkError):
        engine.collect(60, Flaky(composition.network, {25}))
    return engine, engine.snapshot()


def forged(name, change):
    """A snapshot in which one array is changed."""

    def forge(snapshot):
        arrays = {key: array.copy() for key, array in snapshot.arrays.items()}
        arrays[name] = change(arrays[name])
        return rf.EngineSnapshot(dict(snapshot.header), arrays)

    return forge


def with_first(value):
    def change(array):
        array.reshape(-1)[0] = value
        return array

    return change


def swapped(states):
    """The first and the last state change places: they are valid, and in other cells."""
    states[[0, -1]] = states[[-1, 0]]
    return states


def ended(states):
    states.view(np.int64)[0, 0] = 21
    return states


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("forge", "words"),
    [
        (forged("cells", with_first(-1)), "cells are out of range"),
        (forged("cells", with_first(7)), "cells are out of range"),
        (forged("cells", lambda cells: np.repeat(cells[:1], len(cells))), "or listed twice"),
        (forged("cells_seen", with_first(0)), "impossible number of states"),
        (forged("cells_seen", with_first((1 << 63) - 1)), "impossible number of states"),
        (forged("cells_seen", with_first(1)), "'cell_states' has another type or shape"),
        (forged("cell_states", lambda states: states[1:]), "'cell_states' has another type or shape"),
        (forged("cell_states", swapped), "a state that 'wander' does not know in its cell"),
        (forged("cell_states", ended), "a state that 'wander' does not know in its cell"),
        (forged("cell_states", with_first(200)), "a state that 'wander' does not know in its cell"),
        (forged("start_counter", lambda counter: np.append(counter, counter)), "another type or shape"),
        (forged("seeded", with_first(2)), "'seeded' holds what is neither 0 nor 1"),
        (forged("summaries_seeded", with_first(3)), "'summaries_seeded' holds what is neither"),
        (forged("summaries_seeded", lambda flags: flags[1:]), "another type or shape"),
    ],
)
def test_forged_snapshots_are_refused(interrupted, forge, words):
    engine, moment = interrupted
    snapshot = forge(moment)
    with pytest.raises(ValueError, match=f"invalid EngineSnapshot: .*{words}"):
        engine.restore(snapshot)
    assert engine.snapshot() == moment


@pytest.mark.lanes
def test_no_episode_begins_in_an_empty_buffer():
    composition = starts_composition()
    engine = composition.engine(3)
    snapshot = forged("seeded", with_first(1))(engine.snapshot())
    with pytest.raises(ValueError, match="a slot is seeded from nothing"):
        engine.restore(snapshot)


@pytest.mark.lanes
def test_telemetry_and_its_scalars_know_seeded_episodes():
    composition = starts_composition()
    measured = composition.engine(3).collect(20, composition.network).telemetry
    seeded = [flag for *_, flag in measured["episodes"]]
    assert all(type(flag) is bool for flag in seeded)
    assert 0.0 < measured.scalars()["seeded_share"] == sum(seeded) / len(seeded)
