"""The traversals of Deep CFR: those of a naive recursion, whatever the number of lanes and the room at first."""

import itertools

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import without_compiling
from rinforza.solvers import DeepCfr, deep_cfr_collection
from tests.naive.deep_cfr import Samples
from tests.testing.toys import Guess
from tests.toys.networks import row_numbers
from tests.toys.whispers import Whispers

GAMES = {
    "kuhn": lambda: rf.games.KuhnPoker(),
    "kuhn of three": lambda: rf.games.KuhnPoker(players=3),
    "leduc": lambda: rf.games.LeducPoker(),
    "renumbered": Guess,
    "random": lambda: Whispers(2, 2, longest=9),
    "random of three": lambda: Whispers(0, 3, longest=8),
    "one player": lambda: Whispers(6, 1, longest=6),
    "forgetful": lambda: Whispers(1, 2, forgetful=True),
}
ARRAYS = [
    "advantage_obs",
    "advantage_iterations",
    "advantage_legal_offsets",
    "advantage_legal_ids",
    "advantage_targets",
    "strategy_obs",
    "strategy_iterations",
    "strategy_players",
    "strategy_legal_offsets",
    "strategy_legal_ids",
    "strategy_probs",
]


def advantages(game, salt=0, shift=0.0, dtype=np.float32):
    """A network whose advantages are hashes of the observation, in [-1, 1) + shift."""
    return lambda obs: (row_numbers(obs, game.num_actions, salt) + shift).astype(dtype)


def networks_of(game):
    """One network for each player; that of the last one finds hardly any action good."""
    last = game.num_players - 1
    return [advantages(game, player, -0.8 if player == last else 0.0) for player in range(last + 1)]


def collected(game, traversals, seed=5, player=0, infer=None):
    solver = DeepCfr(game, seed)
    solver.next_iteration()
    return solver.collect(player, traversals, infer or networks_of(game))


def check_equal(batch, other):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(batch, name), getattr(other, name), err_msg=name)


def rows_of(ids, numbers, offsets):
    """Each row of a ragged array as {id: number}, in the order of writing."""
    bounds = itertools.pairwise(offsets)
    return [
        dict(zip(ids[low:high].tolist(), numbers[low:high].tolist(), strict=True)) for low, high in bounds
    ]


@pytest.mark.lanes
@pytest.mark.parametrize("name", GAMES)
def test_the_samples_are_those_of_a_naive_recursion(name):
    game = GAMES[name]()
    networks = networks_of(game)
    solver = DeepCfr(game, 9)
    before = 0
    for player in range(game.num_players):
        solver.next_iteration()
        batch = solver.collect(player, 4, networks)
        naive = Samples(game, 9, player, networks)
        for number in range(before, before + 4):
            naive.traverse(number)
        before += 4
        check_advantages(batch, naive)
        check_strategies(batch, naive)
        assert batch.telemetry["cache_lookups"] == naive.decisions
        assert set(batch.advantage_iterations) | set(batch.strategy_iterations) <= {player + 1}


def check_advantages(batch, naive):
    found = rows_of(batch.advantage_legal_ids, batch.advantage_targets, batch.advantage_legal_offsets)
    assert len(found) == len(naive.advantages) == len(batch.advantage_obs) > 0
    for row, obs, (expected_obs, expected) in zip(found, batch.advantage_obs, naive.advantages, strict=True):
        assert list(row) == list(expected)
        assert list(row.values()) == pytest.approx(list(expected.values()), abs=1e-12)
        np.testing.assert_array_equal(obs, expected_obs)


def check_strategies(batch, naive):
    found = rows_of(batch.strategy_legal_ids, batch.strategy_probs, batch.strategy_legal_offsets)
    assert len(found) == len(naive.strategies) == len(batch.strategy_obs) > 0
    observed = zip(batch.strategy_obs, batch.strategy_players, strict=True)
    for row, (obs, player), naive_row in zip(found, observed, naive.strategies, strict=True):
        expected_obs, expected_player, expected = naive_row
        assert player == expected_player == naive.gatherer
        assert list(row) == list(expected)
        assert list(row.values()) == pytest.approx(list(expected.values()), abs=1e-12)
        np.testing.assert_array_equal(obs, expected_obs)


@pytest.mark.lanes
@pytest.mark.parametrize(("lanes", "steps", "room"), [(1, 7, 1), (3, 1, 2), (1000, 1000, 1000)])
def test_lanes_breaks_and_room_change_nothing(monkeypatch, lanes, steps, room):
    game = Whispers(2, 2, longest=9)
    expected = collected(game, 7)
    monkeypatch.setattr(deep_cfr_collection, "MOST_LANES", lanes)
    monkeypatch.setattr(deep_cfr_collection, "STEPS_PER_CALL", steps)
    monkeypatch.setattr(deep_cfr_collection, "FIRST_ROOM", room)
    batch = collected(game, 7)
    check_equal(batch, expected)
    for name in ("infer_rows", "cache_lookups", "cache_hits"):
        assert batch.telemetry[name] == expected.telemetry[name]


@pytest.mark.lanes
def test_both_lanes_sample_alike():
    game = rf.games.LeducPoker()
    compiled = collected(game, 8)
    with without_compiling():
        check_equal(collected(game, 8), compiled)


@pytest.mark.lanes
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_strategies_are_regret_matched(dtype):
    """The first is in proportion; of no positive one the first largest is played; huge ones do not overflow."""
    game = rf.games.LeducPoker()
    largest = float(np.finfo(dtype).max)
    cases = [
        ([1.0, 3.0, -5.0], [0.25, 0.75, 0.0], [1.0, 0.0]),
        ([-3.0, -2.0, -2.0], [0.0, 1.0, 0.0], [1.0, 0.0]),
        ([-3.0, -2.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0]),
        ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0]),
        ([-largest, largest, largest], [0.0, 0.5, 0.5], [0.5, 0.5]),
        ([-largest, -largest, -largest], [1.0, 0.0, 0.0], [1.0, 0.0]),
    ]
    for answer, of_three, without_fold in cases:
        batch = collected(game, 6, infer=lambda obs, answer=answer: np.full((len(obs), 3), answer, dtype))
        expected = {(0, 1, 2): of_three, (1, 2): without_fold}
        rows = rows_of(batch.strategy_legal_ids, batch.strategy_probs, batch.strategy_legal_offsets)
        assert (1, 2) in {tuple(row) for row in rows}
        for row in rows:
            if tuple(row) in expected:
                assert list(row.values()) == expected[tuple(row)]


@pytest.mark.lanes
def test_columns_of_actions_that_are_not_legal_do_not_matter():
    game = Guess()
    legal = [[1, 3], [1, 2, 3]]  # the columns of each player

    def garbled(player):
        def infer(obs):
            answer = advantages(game, player)(obs)
            answer[:, [column for column in range(4) if column not in legal[player]]] = 1e30
            return answer

        return infer

    clean = collected(game, 10, infer=[advantages(game, 0), advantages(game, 1)])
    check_equal(collected(game, 10, infer=[garbled(0), garbled(1)]), clean)
    assert set(clean.advantage_legal_ids) == set(legal[0])
    assert set(clean.strategy_legal_ids) == set(legal[1])


# ---- how the networks are asked ----


def test_each_information_state_is_asked_about_once_and_each_player_by_its_own():
    game = rf.games.LeducPoker()
    rows = [[], []]

    def asked(player):
        def infer(obs):
            rows[player].append(obs)
            return advantages(game, player)(obs)

        return infer

    batch = collected(game, 3000, infer=[asked(0), asked(1)])
    measured = batch.telemetry
    assert measured["infer_calls"] == len(rows[0]) + len(rows[1]) <= 24
    assert measured["infer_rows"] == sum(len(obs) for calls in rows for obs in calls)
    assert measured["cache_lookups"] - measured["cache_hits"] == measured["infer_rows"]
    found = [{obs.tobytes() for obs in np.concatenate(calls)} for calls in rows]
    assert [sum(map(len, calls)) for calls in rows] == [len(distinct) for distinct in found]
    assert not found[0] & found[1]
    assert {obs.tobytes() for obs in batch.advantage_obs} == found[0]
    assert {obs.tobytes() for obs in batch.strategy_obs} == found[1]


def test_one_callback_for_all_is_called_for_one_player_at_a_time():
    game = rf.games.KuhnPoker()
    calls, shared = [[], []], advantages(game)

    def asked(player):
        def infer(obs):
            calls[player].append(obs.tobytes())
            return shared(obs)

        return infer

    expected = collected(game, 200, infer=(asked(0), asked(1)))
    check_equal(collected(game, 200, infer=asked(0)), expected)
    by_player = calls[0][: len(calls[0]) - expected.telemetry["infer_calls"]]
    assert sorted(calls[0][len(by_player) :]) == sorted(by_player + calls[1])


def test_a_callback_may_keep_and_change_what_it_gets_and_gave():
    game = rf.games.LeducPoker()
    kept = []

    def infer(obs):
        answer = advantages(game)(obs)
        obs[:] = 77.0
        for array in kept:
            array[:] = 88.0
        kept.append(answer)
        return answer

    check_equal(collected(game, 50, infer=infer), collected(game, 50, infer=advantages(game)))


# ---- what comes out ----


@pytest.mark.lanes
@pytest.mark.parametrize("name", GAMES)
def test_batches_hold_together(name):
    game = GAMES[name]()
    batch = collected(game, 5)
    for kind, numbers in (("advantage", "targets"), ("strategy", "probs")):
        obs, ids = getattr(batch, f"{kind}_obs"), getattr(batch, f"{kind}_legal_ids")
        offsets, values = getattr(batch, f"{kind}_legal_offsets"), getattr(batch, f"{kind}_{numbers}")
        assert obs.dtype == np.float32
        assert obs.shape == (len(offsets) - 1, np.prod(game.observation_space().shape))
        assert (ids.dtype, offsets.dtype, values.dtype) == (np.int64, np.int64, np.float64)
        assert offsets[0] == 0
        assert offsets[-1] == len(ids) == len(values)
        assert (np.diff(offsets) > 0).all()
        for low, high in itertools.pairwise(offsets):
            assert (np.diff(ids[low:high]) > 0).all()
        assert 0 <= ids.min() <= ids.max() < game.num_actions
        assert getattr(batch, f"{kind}_iterations").dtype == np.int64
    sums = np.add.reduceat(batch.strategy_probs, batch.strategy_legal_offsets[:-1])
    np.testing.assert_allclose(sums, 1.0)
    assert batch.strategy_players.dtype == np.int64
    measured = batch.telemetry
    assert measured["advantage_samples"] == len(batch.advantage_obs)
    assert measured["strategy_samples"] == len(batch.strategy_obs)


def test_tabular_learning_by_these_samples_solves_kuhn_poker():
    """Sums of the targets by observation, in the place of networks, come to an equilibrium."""
    game = rf.games.KuhnPoker()
    solver = DeepCfr(game, 3)
    regrets, totals = {}, {}

    def answers(table):
        return lambda obs: np.array([table.get(row.tobytes(), np.zeros(2)) for row in obs])

    for _ in range(150):
        solver.next_iteration()
        for player in range(2):
            batch = solver.collect(player, 60, answers(regrets))
            for obs, numbers, table in (
                (batch.advantage_obs, batch.dense_targets(), regrets),
                (batch.strategy_obs, batch.dense_probs(), totals),
            ):
                for row, added in zip(obs, numbers, strict=True):
                    key = row.tobytes()
                    table[key] = table.get(key, np.zeros(2)) + solver.iteration * added.astype(np.float64)
    assert len(regrets) == len(totals) == 12
    assert solver.exploitability(answers(totals)) < 0.03


def test_hold_em_is_sampled():
    game = rf.games.TexasHoldem(num_players=2, stack=20)
    batch = collected(game, 8)
    assert len(batch.advantage_obs) > 8
    check_equal(collected(game, 8), batch)
    solver = DeepCfr(game)
    with pytest.raises(ValueError, match=r"no exact metric: .* cannot be enumerated"):
        solver.exploitability(advantages(game))
