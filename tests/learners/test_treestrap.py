"""TreeStrap's batches against the naive twins of search and self-play, record by record."""

import numpy as np
import pytest

from rinforza import Engine, Reward, games, learners, policies
from rinforza.contracts.chance_modes import Committed, ExpandAll
from rinforza.testing import check_learner
from tests.naive.expectation_slot import ExpectationSlot
from tests.naive.records import batch_records, same_records
from tests.toys.networks import QNetwork
from tests.toys.random_ticks import RandomTicks
from tests.toys.random_tree import RandomTree, TurnedTreeView

REWARD = Reward(gain=1.0, bonus=-0.75)
SEED = 7


def pairs(trees, searches):
    """All pairs of a tree and a search; those in which each search comes once also run without the JIT."""
    trees = list(trees)
    return [
        pytest.param(tree, search, marks=[pytest.mark.lanes] if number % len(trees) == place else [])
        for number, search in enumerate(searches)
        for place, tree in enumerate(trees)
    ]


def assert_equals_twin(game, policy, learner, floors=(1, 12)):
    """Collect from one game; the twin must make the same records in the same order."""
    network = QNetwork(game.num_actions, policy.output.heads)
    engine = Engine(game, REWARD, policy, learner, 1, SEED, n_threads=1)
    twin = ExpectationSlot(game, REWARD, policy, learner, network, SEED)
    expected = 0
    for floor in floors:
        batch = engine.collect(floor, network)
        found = batch_records(batch)
        assert len(found) >= floor
        while len(twin.records) < expected + len(found):
            twin.play()
        assert same_records(found, twin.records[expected : expected + len(found)])
        expected += len(found)
    return twin


MINIMAX_TREES = {
    "in turn": {"alternating": True},
    "movers at random": {},
    "chance": {"chance_share": 0.3, "openings": 3, "longest": 5},
    "chance in chains": {"chance_share": 0.6, "longest": 4, "num_actions": 3},
    "cut": {"end_share": 0.02, "max_ticks": 3},
    "other columns": {"encoder": TurnedTreeView(5, 3), "chance_share": 0.2, "max_ticks": 5},
}
MINIMAXES = {
    "depth 1": (policies.Minimax(1), learners.TreeStrap(0.9)),
    "depth 3": (policies.Minimax(3), learners.TreeStrap(0.9, 0.25, 0.5)),
    "best two": (policies.Minimax(3, top_k=2), learners.TreeStrap(1.0, 0.0, 1.0, True)),
    "committed": (policies.Minimax(3, chance=Committed(2)), learners.TreeStrap(0.5, 1.0, 0.5, True)),
    "deeper than the game": (policies.Minimax(20, top_k=1), learners.TreeStrap(0.9)),
}


@pytest.mark.parametrize(("tree", "search"), pairs(MINIMAX_TREES, MINIMAXES))
def test_minimax(tree, search):
    assert_equals_twin(RandomTree(seed=3, **MINIMAX_TREES[tree]), *MINIMAXES[search], floors=(1, 8))


TREES = {
    "in turn": {"alternating": True},
    "three players": {"num_players": 3, "chance_share": 0.2},
    "one player": {"num_players": 1, "chance_share": 0.3, "max_ticks": 4},
    "other columns": {"encoder": TurnedTreeView(5, 3), "max_ticks": 5, "chance_share": 0.3},
}
TICKS = {
    "two snakes": {},
    "three snakes": {"num_players": 3, "death_share": 0.2},
    "chance in chains": {"chance_share": 0.6, "longest": 5},
    "cut": {"max_ticks": 3, "num_players": 3},
}
EXPECTIMAXES = {
    "one head": ({}, learners.TreeStrap(0.9)),
    "ensemble": ({"n_heads": 3, "epsilon": 0.3}, learners.TreeStrap(0.9, 0.25, 0.5, True)),
    "depth counts": ({"n_heads": 2, "beta": 0.25, "max_depth": 2}, learners.TreeStrap(1.0, 1.0)),
    "expand all": ({"n_heads": 2, "chance": ExpandAll()}, learners.TreeStrap(0.5, 0.0, 1.0, True)),
    "committed to three": ({"n_heads": 2, "chance": Committed(3)}, learners.TreeStrap(0.9)),
    "likely opponents": (
        {"n_heads": 2, "opponent": "distributional", "opp_temperature": 0.5, "opp_floor": 0.2},
        learners.TreeStrap(0.9, 0.0, 1.0, True),
    ),
    "one at a time": ({"n_heads": 2, "top_k": 1, "beta": 0.5}, learners.TreeStrap(0.0)),
    "the root alone": ({"expansion_budget": 1}, learners.TreeStrap()),
}


@pytest.mark.parametrize(("tree", "search"), pairs(TREES, EXPECTIMAXES))
def test_expectimax(tree, search):
    options, learner = EXPECTIMAXES[search]
    policy = policies.SelectiveExpectimax(**{"expansion_budget": 9, "top_k": 3, **options})
    assert_equals_twin(RandomTree(seed=5, **TREES[tree]), policy, learner, floors=(1, 8))


@pytest.mark.parametrize(("ticks", "search"), pairs(TICKS, EXPECTIMAXES))
def test_expectimax_when_all_move_at_once(ticks, search):
    options, learner = EXPECTIMAXES[search]
    policy = policies.SelectiveExpectimax(**{"expansion_budget": 5, "top_k": 2, **options})
    assert_equals_twin(RandomTicks(seed=2, **TICKS[ticks]), policy, learner, floors=(1, 8))


# ---- what a batch looks like


class HalfMinimax(policies.Minimax):
    """Minimax that has not been at every other action."""

    def finish(self, rules, search, memory, perspective, evaluation):
        count = len(evaluation) // 2
        for position in range(count):
            evaluation[position] = 0.0 if position % 2 == 0 else -1.0
            evaluation[count + position] = 1.0 if position % 3 == 0 else 0.0


@pytest.mark.lanes
def test_illegal_unvisited_and_zero_are_told_apart():
    game = RandomTree(seed=1, density=0.6, openings=10)
    batch = Engine(game, REWARD, HalfMinimax(1), learners.TreeStrap(), 2).collect(20, QNetwork(5))
    legal = batch.legal_mask()
    for row in range(len(batch.obs)):
        ids = np.flatnonzero(legal[row])
        assert np.flatnonzero(batch.target_mask[row]).tolist() == ids[::3].tolist()
        assert batch.targets[row, 0, ids[::3]].tolist() == [
            0.0 if place % 2 == 0 else -1.0 for place in range(0, len(ids), 3)
        ]
        assert not batch.targets[row][:, batch.target_mask[row] == 0].any()
    assert (batch.target_mask.sum(axis=1) < legal.sum(axis=1)).any()
    assert (legal.sum(axis=1) < 5).any()


@pytest.mark.lanes
def test_a_sampled_search_has_not_been_everywhere():
    game = RandomTree(seed=1, density=0.9, openings=10)
    batch = Engine(game, REWARD, policies.Mcts(3), learners.TreeStrap(), 2).collect(20, QNetwork(5))
    legal = batch.legal_mask()
    expected = np.minimum(legal.sum(axis=1), 3)  # unvisited actions come first, in ascending order
    assert batch.target_mask.sum(axis=1).tolist() == expected.tolist()
    assert (legal.sum(axis=1) > 3).any()
    assert not (batch.target_mask > legal).any()


@pytest.mark.lanes
def test_the_form_of_a_batch():
    game = RandomTicks(seed=1)
    policy = policies.SelectiveExpectimax(3, n_heads=4)
    engine = Engine(game, REWARD, policy, learners.TreeStrap(bootstrap_p=0.5), 2)
    for floor in (0, 25):
        batch = engine.collect(floor, QNetwork(3, 4))
        rows = len(batch.obs)
        forms = {name: (getattr(batch, name).shape, getattr(batch, name).dtype) for name in batch.fields}
        assert forms == {
            "obs": ((rows, 6), np.float32),
            "players": ((rows,), np.int64),
            "targets": ((rows, 4, 3), np.float64),
            "masks": ((rows, 4), np.float32),
            "target_mask": ((rows, 3), np.float32),
            "legal_ids": ((int(batch.legal_offsets[-1]),), np.int64),
            "legal_offsets": ((rows + 1,), np.int64),
        }
        obs, targets, masks, telemetry = batch
        assert len(batch) == 4
        assert (obs is batch.obs, targets is batch.targets, masks is batch.masks) == (True, True, True)
        assert telemetry is batch.telemetry
    assert rows >= 25
    assert set(batch.masks.ravel().tolist()) == {0.0, 1.0}
    assert np.isfinite(batch.targets).all()


@pytest.mark.lanes
def test_only_learning_players_make_records():
    game = RandomTicks(seed=1, num_players=3)
    policy = policies.SelectiveExpectimax(4, 2)
    learner = learners.TreeStrap(interior_targets=True)
    batch = Engine(game, REWARD, policy, learner, 2, learn_players=[2]).collect(40, QNetwork(3))
    assert set(batch.players.tolist()) == {2}


@pytest.mark.lanes
def test_interior_records_count_at_once():
    game = RandomTree(seed=2, num_players=1, end_share=0.0, longest=50)
    policy = policies.SelectiveExpectimax(6, 2)
    batch = Engine(game, REWARD, policy, learners.TreeStrap(interior_targets=True), 1).collect(5, QNetwork(5))
    assert len(batch.obs) == 5  # all nodes below the root that one decision expanded
    assert batch.telemetry["decisions"] == 1
    assert batch.telemetry["episodes"] == []


@pytest.mark.parametrize("interior", [False, True])
def test_the_contract(interior):
    learner = learners.TreeStrap(0.9, 0.25, 0.5, interior)
    check_learner(learner, policies.Minimax(2), games.Connect4(), episodes=3, plain_episodes=1)
    policy = policies.SelectiveExpectimax(5, 2, n_heads=3)
    game = games.Snake(grid_size=6, max_ticks=12)
    check_learner(learner, policy, game, episodes=3, plain_episodes=1)


def test_claims():
    learner = learners.TreeStrap()
    assert learner.parameters == {
        "gamma": 0.99,
        "outcome_weight": 0.0,
        "bootstrap_p": 1.0,
        "interior_targets": False,
    }
    assert not learner.uses_episode_tail
    assert learners.TreeStrap(outcome_weight=0.1).uses_episode_tail
    assert learners.TreeStrap(interior_targets=True).records_interior


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({"gamma": 1.5}, ValueError, "gamma must be <= 1"),
        ({"outcome_weight": -0.5}, ValueError, "outcome_weight must be >= 0"),
        ({"bootstrap_p": float("nan")}, ValueError, "bootstrap_p must be finite"),
        ({"interior_targets": 1}, TypeError, "interior_targets must be a bool"),
        ({"gamma": "1"}, TypeError, "gamma must be a float"),
        ({"weight": 1.0}, TypeError, "weight"),
    ],
)
def test_refused_arguments(keywords, error, text):
    with pytest.raises(error, match=text):
        learners.TreeStrap(**keywords)


def test_refused_pairs():
    for policy, learner in (
        (policies.Minimax(1), learners.AlphaZero()),
        (policies.SelectiveExpectimax(1), learners.Dqn()),
        (policies.EpsilonGreedyQ(), learners.TreeStrap()),
    ):
        with pytest.raises(ValueError, match="incompatible policy/learner composition"):
            Engine(games.Connect4(), None, policy, learner, 1)
