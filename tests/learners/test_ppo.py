"""PPO's records: windows, advantages, tails."""

import numpy as np
import pytest

from rinforza import Engine, Reward, games, learners, policies
from rinforza.contracts.batch import Batch, Column
from rinforza.contracts.learner import Learner, column
from tests.engine.compositions import data
from tests.learners.batch_form import assert_well_formed
from tests.naive.records import batch_records, same_records
from tests.naive.window_play import WindowSlot
from tests.toys.last_stand import LastStand
from tests.toys.networks import PolicyValueNetwork
from tests.toys.random_tree import RandomTree, TurnedTreeView

REWARD = Reward(gain=1.0, bonus=-0.75, cut=0.375)
GAMES = {
    "in turn": RandomTree(seed=3, alternating=True),
    "movers at random": RandomTree(seed=3),
    "one player": RandomTree(seed=3, num_players=1),
    "three players": RandomTree(seed=3, num_players=3, end_share=0.05),
    "chance, cut": RandomTree(seed=3, chance_share=0.4, end_share=0.02, max_ticks=4),
    "other columns": RandomTree(seed=3, encoder=TurnedTreeView(5, 3), max_ticks=6, chance_share=0.2),
    "all at once": LastStand([4, 1, 6], 4),
}
LEARNERS = [learners.Ppo(), learners.Ppo(gamma=0.9, lam=0.0), learners.Ppo(gamma=1.0, lam=1.0)]


def reward_of(game):
    return REWARD if isinstance(game, RandomTree) else None


@pytest.mark.lanes
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("name", GAMES)
def test_windows_equal_the_twins(name, learner):
    game, network = GAMES[name], PolicyValueNetwork(5)
    engine = Engine(game, reward_of(game), policies.Ppo(), learner, 1, 7, n_threads=1)
    twin = WindowSlot(game, reward_of(game), policies.Ppo(), learner, network, 7)
    for floor in (1, 12, 3, 7):
        batch = engine.collect(floor, network)
        assert_well_formed(batch, game)
        assert same_records(batch_records(batch), twin.window(floor))


@pytest.mark.lanes
@pytest.mark.parametrize("learn_players", [[0], [1]])
def test_only_learning_players_count_and_make_records(learn_players):
    game, network = GAMES["chance, cut"], PolicyValueNetwork(5)
    policy, learner = policies.Ppo(), learners.Ppo()
    engine = Engine(game, REWARD, policy, learner, 1, 7, learn_players=learn_players, n_threads=1)
    twin = WindowSlot(game, REWARD, policy, learner, network, 7, learn_players)
    for floor in (1, 12):
        assert same_records(batch_records(engine.collect(floor, network)), twin.window(floor))


@pytest.mark.parametrize("floor", [1, 50, 64, 65, 1000])
def test_the_floor_is_exceeded_by_at_most_a_decision_of_each_player_in_each_game(floor):
    engine = Engine(games.Connect4(), None, policies.Ppo(), learners.Ppo(), 32, n_threads=1)
    for _ in range(3):
        size = len(engine.collect(floor, PolicyValueNetwork(7)).obs)
        assert floor <= size <= floor + 64


def test_the_floor_does_not_depend_on_how_large_the_tables_are():
    """A slot whose tables have to grow goes on as if they had been large enough."""
    network = PolicyValueNetwork(4)
    used = Engine(games.GridWorld(6), None, policies.Ppo(), learners.Ppo(), 4, 3, n_threads=1)
    used.collect(360, network)
    fresh = Engine(games.GridWorld(6), None, policies.Ppo(), learners.Ppo(), 4, 3, n_threads=1)
    fresh.restore(used.snapshot())
    for floor in (257, 300, 511):
        assert data(fresh.collect(floor, network)) == data(used.collect(floor, network))


class Sparse(Learner):
    """A windowed learner that records every other decision."""

    name = "sparse"
    policies = ("ppo",)
    windowed = True
    gamma = 1.0

    class Half(Batch):
        fields = ("players",)

    batch_type = Half

    def __init__(self):
        super().__init__({"gamma": 1.0})

    def columns(self, game, policy, observation_size):
        return {"players": Column(np.int64)}

    def episode_size(self, rules, episode, lengths):
        return episode.length // 2

    def episode_records(self, rules, episode, batch, stream):
        rows = batch.first_row + episode.length // 2
        players = column(batch, 0, rows, np.int64)
        for row in range(batch.first_row, rows):
            players[row] = episode.player


def test_a_learner_that_makes_fewer_records_meets_the_floor():
    engine = Engine(games.TicTacToe(), None, policies.Ppo(), Sparse(), 4, n_threads=1)
    for floor in (1, 20, 33):
        assert len(engine.collect(floor, PolicyValueNetwork(9)).players) >= floor


def test_nothing_is_kept_between_windows():
    """The next window's records come from the network of that window alone."""
    engine = Engine(games.Connect4(), None, policies.Ppo(), learners.Ppo(), 8, n_threads=1)
    engine.collect(20, PolicyValueNetwork(7))
    flat = engine.collect(20, lambda obs: (np.zeros((len(obs), 7)), np.full(len(obs), 0.25)))
    assert (flat.values == 0.25).all()
    counts = flat.legal_mask().sum(axis=1)
    assert np.allclose(flat.behavior_log_probs, -np.log(counts))


def test_a_batch_is_no_tuple():
    engine = Engine(games.TicTacToe(), None, policies.Ppo(), learners.Ppo(), 2, n_threads=1)
    batch = engine.collect(1, PolicyValueNetwork(9))
    with pytest.raises(TypeError):
        len(batch)
    with pytest.raises(TypeError):
        iter(batch)


@pytest.mark.parametrize("name", ["gamma", "lam"])
@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_numbers_out_of_range(name, value):
    with pytest.raises(ValueError, match=name):
        learners.Ppo(**{name: value})
