"""Epsilon-greedy Q values: one head for each episode, legal actions only, the lowest id on a tie."""

import numpy as np
import pytest

from rinforza import Engine, learners, policies
from tests.policies.selection import Chooser
from tests.toys.networks import QNetwork
from tests.toys.random_tree import RandomTree
from tests.toys.script import Script


@pytest.mark.lanes
def test_greedy_takes_the_episodes_head():
    chooser = Chooser(policies.EpsilonGreedyQ(n_heads=3, epsilon=0.0))
    values = [[1, 2, 5, 4], [9, 1, 1, 1], [0, 0, 0, 7]]
    for head, best in enumerate([2, 0, 3]):
        chooser.progress[0] = head
        assert chooser.select(np.ravel(values), 4) == best
        assert chooser.progress[0] == head


@pytest.mark.lanes
@pytest.mark.parametrize("values", [[3, 3, 3], [-1, 5, 5], [-7, -7, -9], [0.0, -0.0, 0.0]])
def test_ties_go_to_the_lowest(values):
    chooser = Chooser(policies.EpsilonGreedyQ(epsilon=0.0))
    assert chooser.select(values) == values.index(max(values))


@pytest.mark.lanes
def test_no_random_number_is_spent_without_epsilon():
    chooser = Chooser(policies.EpsilonGreedyQ(epsilon=0.0))
    for _ in range(20):
        chooser.select([1, 2])
    assert chooser.drawn == 0


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
def test_how_often_it_explores(epsilon):
    chooser = Chooser(policies.EpsilonGreedyQ(epsilon=epsilon))
    draws = 20_000
    found = np.bincount([chooser.select([0, 9, 0, 0]) for _ in range(draws)], minlength=4) / draws
    # exploring is uniform over all legal actions, the greedy one included
    expected = np.array([0, 1 - epsilon, 0, 0]) + epsilon / 4
    assert np.abs(found - expected).max() < 4 * np.sqrt(0.25 / draws)


def test_heads_are_drawn_uniformly():
    chooser = Chooser(policies.EpsilonGreedyQ(n_heads=4))
    heads = np.bincount([chooser.begin_episode() for _ in range(8000)], minlength=4)
    assert len(heads) == 4
    assert np.abs(heads / 8000 - 0.25).max() < 4 * np.sqrt(0.25 * 0.75 / 8000)


@pytest.mark.lanes
def test_one_head_is_always_the_first():
    chooser = Chooser(policies.EpsilonGreedyQ())
    assert {chooser.begin_episode() for _ in range(10)} == {0}


@pytest.mark.lanes
def test_an_episode_keeps_its_head_for_all_its_players():
    game = Script([0, 1, 0, 3, 2, 3, 0], [[0, 0, 0, 0]] * 7)
    policy = policies.EpsilonGreedyQ(n_heads=2, epsilon=0.0)
    engine = Engine(game, None, policy, learners.Dqn(), 1, seed=4)
    network = lambda obs: np.tile(np.array([[[0, 0, 9, 0], [0, 0, 0, 9]]], float), (len(obs), 1, 1))  # noqa: E731
    heads = set()
    for _ in range(12):
        batch = engine.collect(1, network)
        assert len(batch.obs) == 7
        assert len(set(batch.actions.tolist())) == 1
        heads.add(int(batch.actions[0]))
    assert heads == {2, 3}


@pytest.mark.lanes
@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_only_legal_actions_are_played(epsilon):
    game = RandomTree(seed=1, num_actions=9, density=0.3, openings=20)
    policy = policies.EpsilonGreedyQ(epsilon=epsilon)
    batch = Engine(game, None, policy, learners.Dqn(), 4).collect(60, QNetwork(9))
    for row, action in enumerate(batch.actions):
        assert action in batch.legal_ids[batch.legal_offsets[row] : batch.legal_offsets[row + 1]]


def test_claims():
    policy = policies.EpsilonGreedyQ(n_heads=5, epsilon=0.25)
    assert policy.max_agents("sequential") is None
    assert policy.max_agents("simultaneous") is None
    assert policy.supports_imperfect_information
    assert policy.output.heads == 5
    assert policies.EpsilonGreedyQ().parameters == {"n_heads": 1, "epsilon": 0.1}


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({"n_heads": 0}, ValueError, "n_heads must be >= 1"),
        ({"n_heads": 4097}, ValueError, "n_heads must be <= 4096"),
        ({"n_heads": -1}, OverflowError, "n_heads must not be negative"),
        ({"n_heads": 2.0}, TypeError, "n_heads must be an int"),
        ({"n_heads": True}, TypeError, "n_heads must be an int"),
        ({"epsilon": 1.1}, ValueError, "epsilon must be <= 1"),
        ({"epsilon": -0.1}, ValueError, "epsilon must be >= 0"),
        ({"epsilon": float("nan")}, ValueError, "epsilon must be finite"),
        ({"epsilon": "0.1"}, TypeError, "epsilon must be a float"),
        ({"heads": 1}, TypeError, "heads"),
    ],
)
def test_refused_arguments(keywords, error, text):
    with pytest.raises(error, match=text):
        policies.EpsilonGreedyQ(**keywords)
