"""A snapshot of many games: what is restored goes on as if nothing had been."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.reward import weight_array
from rinforza.engine.checks import check_game
from tests.engine.compositions import (
    COMPOSITIONS,
    Composition,
    TinyAlphaZero,
    TinyEpsilonGreedyQ,
    bits,
    data,
    q_composition,
    search_composition,
)
from tests.engine.test_failures import Flaky, NetworkError
from tests.toys.last_stand import LastStand
from tests.toys.networks import PolicyValueNetwork, QNetwork, Recorder

NAMES = ["search", "q", "windows", "starts"] if plain_python() else list(COMPOSITIONS)
OPTIONS = {"n_games": 4, "batch_size": 3}
BUDGETS = {
    "alphazero": {"num_simulations": 6},
    "mcts": {"num_simulations": 6},
    "minimax": {"depth": 2, "chance": rf.chance_modes.Committed(2)},
    "selective_expectimax": {"expansion_budget": 6, "n_heads": 2},
    "epsilon_greedy_q": {"n_heads": 2},
}


def carried(engine, other):
    """Carry an engine's moment to another one, by bytes."""
    raw = engine.snapshot().to_bytes()
    other.restore(rf.EngineSnapshot.from_bytes(raw))
    assert other.snapshot().to_bytes() == raw
    return other


def fail_at(engine, floor, network, number):
    """Collect with a failure at call `number`; return whether it came to that."""
    try:
        engine.collect(floor, Flaky(network, {number}))
    except NetworkError:
        return True
    return False


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_goes_on_between_two_batches(name):
    composition = COMPOSITIONS[name]()
    usual = composition.engine(**OPTIONS)
    for floor in (1, 12, 7):
        restored = carried(usual, composition.engine(**OPTIONS, n_threads=2))
        expected = usual.collect(floor, composition.network)
        assert bits(restored.collect(floor, composition.network)) == bits(expected)
    assert bits(restored.collect(9, composition.network)) == bits(usual.collect(9, composition.network))


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_goes_on_after_a_failure_at_any_call(name):
    composition = COMPOSITIONS[name]()
    restored = composition.engine(**OPTIONS)
    failures = 0
    stride = 9 if name == "at once" else 1  # it takes hundreds of calls
    for number in (1, 6) if plain_python() else range(0, 1000, stride):
        usual = composition.engine(**OPTIONS)
        failed = fail_at(usual, 10, composition.network, number)
        carried(usual, restored)
        if not failed:
            break
        failures += 1
        expected = [usual.collect(floor, composition.network) for floor in (10, 8)]
        found = [restored.collect(floor, composition.network) for floor in (10, 8)]
        assert list(map(bits, found)) == list(map(bits, expected)), number
    assert failures > (0 if plain_python() else 5)


@pytest.mark.parametrize("batch_size", [1, 2, 7])
def test_games_go_on_under_another_batch_size(batch_size):
    """Episodes are the same ones, though their order may not be."""
    composition = search_composition()
    usual = composition.engine(4, batch_size=4)
    assert fail_at(usual, 30, composition.network, 11)
    restored = carried_unequally(usual, composition.engine(4, batch_size=batch_size))
    expected = usual.collect(150, composition.network)
    found = restored.collect(150, composition.network)
    common = min(len(expected.telemetry["episodes"]), len(found.telemetry["episodes"])) - 8
    own, theirs = (sorted(map(repr, batch.telemetry["episodes"])) for batch in (found, expected))
    assert sum(episode in theirs for episode in own) >= common > 5


def carried_unequally(engine, other):
    """Carry a moment to an engine that serves its rows otherwise."""
    other.restore(engine.snapshot())
    return other


def per_player(network):
    return [network, network]


@pytest.mark.parametrize(
    ("before", "after"), [(per_player, per_player), (per_player, None), (None, per_player)]
)
def test_an_engine_goes_on_with_other_queues(before, after):
    composition = search_composition()
    network = composition.network
    for number in (3, 6, 17):
        flaky = Flaky(network, {number})
        usual = composition.engine(6, batch_size=5)
        with pytest.raises(NetworkError):
            usual.collect(30, before(flaky) if before else flaky)
        restored = carried(usual, composition.engine(6, batch_size=5))
        routed = after(network) if after else network
        assert bits(restored.collect(30, routed)) == bits(usual.collect(30, routed))
        assert bits(restored.collect(5, network)) == bits(usual.collect(5, network))


@pytest.mark.parametrize("tiny", [TinyAlphaZero(7), TinyEpsilonGreedyQ(n_heads=3, epsilon=0.2)], ids=repr)
def test_tables_grow_while_a_search_is_done_again(tiny):
    composition = search_composition() if isinstance(tiny, TinyAlphaZero) else q_composition()
    composition = composition.with_policy(tiny)
    usual = composition.engine(3)
    assert fail_at(usual, 20, composition.network, 9)
    restored = carried(usual, composition.engine(3))
    assert bits(restored.collect(20, composition.network)) == bits(usual.collect(20, composition.network))


def pairs():
    """Every policy with every learner that reads it, and the small games that it plays."""
    small = [rf.games.TicTacToe(), search_composition().game, LastStand([4, 1, 6], 5)]
    found = []
    for name in rf.policies.registered():
        policy = rf.policies.make(name, **BUDGETS.get(name, {}))
        learners = [rf.learners.make(learner) for learner in rf.learners.registered()]
        played = [game for game in small if plays(policy, game)]
        found += [
            (policy, learner, game) for learner in learners if name in learner.policies for game in played
        ]
    return found


def plays(policy, game):
    try:
        check_game(policy, game, weight_array(None, game))
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(("policy", "learner", "game"), pairs(), ids=repr)
def test_every_search_can_be_done_again(policy, learner, game):
    n_actions, output = game.num_actions, policy.output
    network = (
        QNetwork(n_actions, output.heads) if isinstance(output, rf.QValues) else PolicyValueNetwork(n_actions)
    )
    composition = Composition(game, None, policy, learner, network)
    usual, restored = composition.engine(3, batch_size=2), composition.engine(3, batch_size=2)
    for number in (2, 5):
        assert fail_at(usual, 16, network, number)
        carried(usual, restored)
        assert bits(restored.collect(16, network)) == bits(usual.collect(16, network))


def interrupted(composition, number, floor=30, **options):
    """An engine of which call `number` has failed."""
    engine = composition.engine(**{"n_games": 4, "batch_size": 3, **options})
    assert fail_at(engine, floor, composition.network, number)
    return engine


@pytest.mark.parametrize("name", NAMES)
def test_only_rows_that_were_answered_are_asked_again_and_not_counted(name):
    composition = COMPOSITIONS[name]()
    usual = interrupted(composition, 5, 40)
    restored = carried(usual, composition.engine(**OPTIONS))
    again, rest = Recorder(composition.network), Recorder(composition.network)
    batch, expected = restored.collect(40, again), usual.collect(40, rest)
    assert bits(batch) == bits(expected)
    in_flight = usual.snapshot().arrays["n_requests"]
    assert len(in_flight) == 0
    repeated = again.calls[: len(again.calls) - len(rest.calls)]
    assert all(map(np.array_equal, again.calls[len(repeated) :], rest.calls))
    assert all(len(call) <= 3 for call in repeated)


def arrays_of(snapshot):
    return {name: array.tobytes() for name, array in snapshot.arrays.items()}


@pytest.mark.parametrize("routed", [False, True])
def test_a_failure_while_searches_are_done_again_changes_nothing(routed):
    composition = search_composition()
    usual = interrupted(composition, 26)
    moment = usual.snapshot()
    rest = Recorder(composition.network)
    expected = bits(usual.collect(30, rest))
    again = Recorder(composition.network)
    restored = carried(interrupted(composition, 26), composition.engine(**OPTIONS))
    restored.collect(30, again)
    landing = len(again.calls) - len(rest.calls)
    assert landing > 3
    for number in range(landing + 1):
        restored.restore(moment)
        for failing in (number, number // 2):
            flaky = Flaky(composition.network, {failing})
            with pytest.raises(NetworkError):
                restored.collect(30, [flaky, flaky] if routed and failing < landing // 2 else flaky)
            assert arrays_of(restored.snapshot()) == arrays_of(moment)
            if number == landing:
                break  # it has landed: the next calls are for new rows
        assert bits(restored.collect(30, composition.network)) == expected


def test_another_network_may_ask_for_other_rows():
    """What it would have done we cannot know; that it goes on, and keeps what was played, we can."""
    composition = search_composition()
    other = search_composition().network
    other.salt = 5
    for number in (6, 13, 20, 27, 34):
        usual = interrupted(composition, number, 60)
        restored = carried(usual, composition.engine(**OPTIONS))
        batch = restored.collect(60, other)
        assert len(batch.obs) >= 60
        played = usual.snapshot().arrays["summaries"]
        assert [returns for returns, *_ in batch.telemetry["episodes"]][: len(played)] == played[
            :, :-1
        ].tolist()
        assert len(restored.snapshot().arrays["n_requests"]) == 0
        carried(restored, usual)
        assert bits(restored.collect(10, other)) == bits(usual.collect(10, other))


def test_a_broken_engine_can_be_restored_and_one_that_is_in_use_cannot():
    composition = search_composition()
    engine = composition.engine(3)
    first = engine.snapshot()
    engine.collect(5, composition.network)
    later = engine.snapshot()
    refused = []

    def network(obs):
        if not refused:
            for call in (engine.snapshot, lambda: engine.restore(first)):
                with pytest.raises(RuntimeError, match="in a collect already"):
                    call()
            refused.append(True)
        return composition.network(obs)

    expected = composition.engine(3)
    expected.restore(later)
    assert data(engine.collect(9, network)) == data(expected.collect(9, composition.network))
    engine.restore(first)
    assert data(engine.collect(5, composition.network)) == data(
        composition.engine(3).collect(5, composition.network)
    )


def test_a_snapshot_says_what_it_is():
    composition = search_composition()
    engine = composition.engine(3)
    engine.weights_updated()
    engine.weights_updated(1)
    snapshot = engine.snapshot(policy_version="epoch 7")
    assert snapshot.policy_version == "epoch 7"
    assert snapshot.weights_generation == 2
    assert snapshot.schema_version == 1
    assert len(snapshot.fingerprint) == 64
    assert "epoch 7" in repr(snapshot)
    assert snapshot == rf.EngineSnapshot.from_bytes(snapshot.to_bytes())
    assert hash(snapshot) == hash(engine.snapshot("epoch 7"))
    assert snapshot != engine.snapshot()
    other = composition.engine(3)
    other.restore(snapshot, expect_policy_version="epoch 7")
    assert other.snapshot("epoch 7") == snapshot
    for wrong in (1.5, True, b"7"):
        with pytest.raises(TypeError, match="policy_version must be an int, a str or None"):
            engine.snapshot(wrong)


def test_snapshots_that_do_not_go_with_an_engine():
    composition = search_composition()
    engine = composition.engine(3)
    engine.collect(4, composition.network)
    before = engine.snapshot()
    strangers = {
        "engine.seed is 6 in the snapshot and 5 here": composition.engine(3, seed=6),
        "engine.n_games is 4": composition.engine(4),
        "engine.learn_players is .1. in the snapshot and None": composition.engine(3, learn_players=[1]),
        "policy.num_simulations is 9": composition.with_policy(rf.policies.AlphaZero(9)).engine(3),
        "game.chance_share is 0.5": search_composition(chance_share=0.5).engine(3),
        "policy.name is 'epsilon_greedy_q'": q_composition().engine(3),
    }
    for words, stranger in strangers.items():
        with pytest.raises(ValueError, match=f"snapshot is from a different composition: .*{words}"):
            engine.restore(stranger.snapshot())
    with pytest.raises(ValueError, match="policy_version mismatch: the snapshot has None, expected 3"):
        engine.restore(before, expect_policy_version=3)
    with pytest.raises(TypeError, match="snapshot must be an EngineSnapshot, got bytes"):
        engine.restore(before.to_bytes())
    assert engine.snapshot() == before


def test_a_snapshot_is_a_copy():
    composition = q_composition()
    engine = composition.engine(3)
    engine.collect(4, composition.network)
    snapshot = engine.snapshot()
    raw = snapshot.to_bytes()
    engine.collect(30, composition.network)
    assert snapshot.to_bytes() == raw
    assert not np.shares_memory(snapshot.arrays["returns"], engine.snapshot().arrays["returns"])
