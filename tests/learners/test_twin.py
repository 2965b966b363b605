"""Batches against the naive twin, which plays the same episodes one by one and makes their records itself."""

import pytest

from rinforza import Engine, Reward, learners, policies
from rinforza.contracts.noise import Dirichlet
from tests.learners.batch_form import assert_well_formed
from tests.naive.matching import Twins
from tests.naive.records import batch_records, records, same_records
from tests.naive.self_play import Slot
from tests.toys.last_stand import LastStand
from tests.toys.networks import PolicyValueNetwork, QNetwork
from tests.toys.random_ticks import RandomTicks
from tests.toys.random_tree import RandomTree, TurnedTreeView

pytestmark = pytest.mark.lanes

REWARD = Reward(gain=1.0, bonus=-0.75, cut=0.375)

TREES = {
    "in turn": {"alternating": True},
    "movers at random": {},
    "one player": {"num_players": 1},
    "chance": {"chance_share": 0.4, "openings": 3},
    "chance, cut": {"chance_share": 0.4, "end_share": 0.02, "max_ticks": 4},
    "in turn, cut": {"alternating": True, "end_share": 0.02, "max_ticks": 5},
    "one player, cut": {"num_players": 1, "end_share": 0.02, "max_ticks": 5},
    "cut after one tick": {"max_ticks": 1},
    "other columns": {"encoder": TurnedTreeView(5, 3), "max_ticks": 6, "chance_share": 0.2},
}

DQNS = [
    learners.Dqn(),
    learners.Dqn(bootstrap_p=0.5, n_step=3, gamma=0.9),
    learners.Dqn(bootstrap_p=0.0, n_step=1000, gamma=0.5),
]

EVERYONE = {
    "three in turn": RandomTree(seed=4, num_players=3, end_share=0.05),
    "three, cut": RandomTree(seed=4, num_players=3, chance_share=0.3, end_share=0.02, max_ticks=4),
    "one of four learns": RandomTree(seed=4, num_players=4, encoder=TurnedTreeView(5, 3)),
    "all at once": RandomTicks(seed=4, num_players=2, chance_share=0.3),
    "three at once, cut": RandomTicks(seed=4, num_players=3, end_share=0.02, max_ticks=3),
}

SEARCHES = [
    (policies.AlphaZero(num_simulations=2, noise=None), learners.AlphaZero()),
    (
        policies.AlphaZero(num_simulations=9, temperature=0.5, temperature_drop=4, noise=Dirichlet(0.5, 0.6)),
        learners.AlphaZero(gamma=0.9),
    ),
    (
        policies.AlphaZero(num_simulations=20, temperature_drop=None, max_depth=2, noise=None),
        learners.AlphaZero(gamma=0.5),
    ),
]


def assert_batches_equal_twin(game, reward, policy, learner, network, learn_players=None, heads=1):
    """Collect twice from one game; the twin's episodes must make the same records in the same order."""
    seed = 7
    engine = Engine(game, reward, policy, learner, 1, seed, learn_players=learn_players, n_threads=1)
    twin = Slot(game, reward, policy, learner.gamma, network, seed)
    for floor in (1, 12):
        batch = engine.collect(floor, network)
        assert len(batch.obs) >= floor
        assert_well_formed(batch, game, heads)
        expected = []
        for returns, ticks, seeded in batch.telemetry["episodes"]:
            episode = twin.episode()
            expected += records(episode, twin, learner, learn_players)
            assert returns == pytest.approx(episode.returns)
            assert (ticks, seeded) == (episode.ticks, False)
        assert same_records(batch_records(batch), expected)


@pytest.mark.parametrize("learner", DQNS, ids=repr)
@pytest.mark.parametrize("tree", TREES)
def test_dqn(tree, learner):
    game = RandomTree(seed=3, **TREES[tree])
    policy = policies.EpsilonGreedyQ(n_heads=3, epsilon=0.3)
    assert_batches_equal_twin(game, REWARD, policy, learner, QNetwork(5, 3), heads=3)


@pytest.mark.parametrize("number", range(len(SEARCHES)))
@pytest.mark.parametrize("tree", TREES)
def test_alphazero(tree, number):
    game = RandomTree(seed=4, **TREES[tree])
    policy, learner = SEARCHES[number]
    assert_batches_equal_twin(game, REWARD, policy, learner, PolicyValueNetwork(5))


@pytest.mark.parametrize("name", EVERYONE)
def test_alphazero_with_a_value_for_everyone(name):
    game, learn_players = EVERYONE[name], [2] if "learns" in name else None
    policy = policies.AlphaZero(9, temperature_drop=4, noise=Dirichlet(0.3, 0.5))
    network = PolicyValueNetwork(game.num_actions)
    reward = Reward(gain=1.0, bonus=-0.75)
    assert_batches_equal_twin(game, reward, policy, learners.AlphaZero(0.9), network, learn_players)


@pytest.mark.parametrize("learn_players", [[0], [1], [1, 1], [1, 0], None])
@pytest.mark.parametrize("family", ["dqn", "alphazero"])
def test_only_learning_players_make_records(family, learn_players):
    game = RandomTree(seed=5, end_share=0.05, max_ticks=6)
    if family == "dqn":
        policy, learner, network = policies.EpsilonGreedyQ(), learners.Dqn(0.5, 2), QNetwork(5)
    else:
        policy, learner, network = policies.AlphaZero(6), learners.AlphaZero(), PolicyValueNetwork(5)
    assert_batches_equal_twin(game, REWARD, policy, learner, network, learn_players)


@pytest.mark.parametrize("learner", DQNS, ids=repr)
@pytest.mark.parametrize("max_ticks", [None, 1, 2, 4])
def test_simultaneous_games(learner, max_ticks):
    game = LastStand([4, 1, 6], max_ticks)
    policy = policies.EpsilonGreedyQ(epsilon=0.5)
    assert_batches_equal_twin(game, None, policy, learner, QNetwork(5))


def test_many_slots_play_what_each_would_play_alone():
    """Every episode of a batch is the next one of exactly one slot; the slots' random streams differ."""
    game = RandomTree(seed=6, chance_share=0.3, openings=5, max_ticks=6)
    policy, learner, network = policies.AlphaZero(5), learners.AlphaZero(), PolicyValueNetwork(5)
    engine = Engine(game, REWARD, policy, learner, 6, 11, n_threads=2, batch_size=3)
    twins = Twins(game, REWARD, policy, learner, network, 11, 6)
    for floor in (10, 40):
        twins.accept(engine.collect(floor, network))
    assert (twins.taken > 0).all()
