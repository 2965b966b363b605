"""The compositions that the engine's tests share, and ways to compare what they collect."""

import numpy as np

from rinforza import Engine, Reward, learners, policies
from rinforza.compiled import plain_python
from rinforza.contracts.chance_modes import Committed, ExpandAll
from rinforza.contracts.noise import Dirichlet
from rinforza.contracts.policy import Capacity
from tests.naive.self_play import Slot
from tests.toys.last_stand import LastStand
from tests.toys.networks import PolicyValueNetwork, QNetwork
from tests.toys.random_ticks import RandomTicks
from tests.toys.random_tree import RandomTree, TurnedTreeView
from tests.toys.wander import Wander

REWARD = Reward(gain=1.0, bonus=-0.75, cut=0.375)


class TinyAlphaZero(policies.AlphaZero):
    """AlphaZero whose tables have to grow at every turn."""

    def capacity(self, game):
        return Capacity(1, 1, 1)


class TinyEpsilonGreedyQ(policies.EpsilonGreedyQ):
    """Epsilon-greedy Q values with tables that have to grow."""

    def capacity(self, game):
        return Capacity(1, 1, 1)


class Composition:
    """Everything an engine needs but its sizes.

    Args:
        game, reward, policy, learner: The parts.
        network: One that fits them.
        options: Keywords of the engine.
    """

    def __init__(self, game, reward, policy, learner, network, **options):
        self.game, self.reward, self.policy, self.learner = game, reward, policy, learner
        self.network, self.options = network, options

    def engine(self, n_games=8, seed=5, **options):
        """Make an engine."""
        options = {**self.options, **options}
        return Engine(self.game, self.reward, self.policy, self.learner, n_games, seed, **options)

    def slot(self, number=0, seed=5):
        """The naive twin of one of the engine's slots."""
        return Slot(self.game, self.reward, self.policy, self.learner.gamma, self.network, seed, number)

    def with_policy(self, policy):
        """The same composition under another policy."""
        return Composition(self.game, self.reward, policy, self.learner, self.network, **self.options)


def search_composition(**tree):
    """AlphaZero on a random tree with chance nodes, random movers and a horizon."""
    tree = {"chance_share": 0.25, "openings": 50, "end_share": 0.05, "max_ticks": 7, **tree}
    return Composition(
        RandomTree(seed=9, encoder=TurnedTreeView(5, 3), **tree),
        REWARD,
        policies.AlphaZero(7),
        learners.AlphaZero(0.9),
        PolicyValueNetwork(5),
    )


def q_composition(**tree):
    """DQN on a random tree with chance nodes, random movers and a horizon."""
    tree = {"chance_share": 0.25, "openings": 50, "end_share": 0.05, "max_ticks": 7, **tree}
    return Composition(
        RandomTree(seed=9, encoder=TurnedTreeView(5, 3), **tree),
        REWARD,
        policies.EpsilonGreedyQ(n_heads=3, epsilon=0.2),
        learners.Dqn(bootstrap_p=0.5, n_step=2),
        QNetwork(5, 3),
    )


def simultaneous_composition():
    """DQN on a simultaneous game with a horizon."""
    return Composition(
        LastStand([4, 1, 6], 5),
        None,
        policies.EpsilonGreedyQ(n_heads=2, epsilon=0.5),
        learners.Dqn(bootstrap_p=0.5, n_step=2),
        QNetwork(5, 2),
    )


def window_composition(**tree):
    """PPO on a random tree with chance nodes, random movers and a horizon."""
    tree = {"chance_share": 0.25, "openings": 50, "end_share": 0.05, "max_ticks": 7, **tree}
    return Composition(
        RandomTree(seed=9, encoder=TurnedTreeView(5, 3), **tree),
        REWARD,
        policies.Ppo(),
        learners.Ppo(0.9, 0.8),
        PolicyValueNetwork(5),
    )


def everyone_composition(**tree):
    """AlphaZero for three players in turn, with chance nodes and a horizon."""
    tree = {"chance_share": 0.25, "openings": 50, "end_share": 0.05, "max_ticks": 7, **tree}
    return Composition(
        RandomTree(seed=9, num_players=3, encoder=TurnedTreeView(5, 3), **tree),
        REWARD,
        policies.AlphaZero(7, chance=Committed(2)),
        learners.AlphaZero(0.9),
        PolicyValueNetwork(5),
    )


def at_once_composition():
    """AlphaZero where three act at once, with chance nodes, deaths and a horizon."""
    return Composition(
        RandomTicks(seed=9, num_players=3, chance_share=0.2, max_ticks=5),
        None,
        policies.AlphaZero(7, noise=Dirichlet(scope="all"), chance=ExpandAll()),
        learners.AlphaZero(0.9),
        PolicyValueNetwork(4),
    )


def uct_composition():
    """UCT and TreeStrap with outcomes, chance nodes and a horizon."""
    return Composition(
        RandomTree(seed=9, chance_share=0.25, openings=50, end_share=0.05, max_ticks=7),
        REWARD,
        policies.Mcts(7, temperature=0.5, temperature_drop=3),
        learners.TreeStrap(0.9, outcome_weight=0.5, bootstrap_p=0.5),
        QNetwork(5),
    )


def starts_composition(**options):
    """DQN with a small start buffer, on a game with chance nodes and a horizon."""
    options = {"start_buffer": True, "start_buffer_capacity": 3, "p_fresh": 0.25, **options}
    return Composition(
        Wander(max_ticks=6),
        None,
        policies.EpsilonGreedyQ(n_heads=2, epsilon=0.5),
        learners.Dqn(bootstrap_p=0.5, n_step=2),
        QNetwork(3, 2),
        **options,
    )


COMPOSITIONS = {
    "search": search_composition,
    "q": q_composition,
    "simultaneous": simultaneous_composition,
    "windows": window_composition,
    "everyone": everyone_composition,
    "at once": at_once_composition,
    "uct": uct_composition,
    "starts": starts_composition,
}


if plain_python():  # the searches of many trees take long there, and have twins of their own
    for slow in ("everyone", "at once", "uct"):
        del COMPOSITIONS[slow]

EPISODES = {
    name: make for name, make in COMPOSITIONS.items() if name not in ("windows", "uct", "starts")
}  # records by episodes, each of which follows from its slot's streams


def bits(batch):
    """Everything in a batch that must not depend on the machine."""
    measured = {key: value for key, value in batch.telemetry.items() if not key.endswith("_seconds")}
    return {name: getattr(batch, name).tobytes() for name in batch.fields}, measured


def data(batch):
    """The arrays of a batch as bytes."""
    return bits(batch)[0]


def rows(batches):
    """The records of several batches as one list of hashable rows, in order."""
    out = []
    for batch in batches:
        plain = [name for name in batch.fields if not name.endswith(("_ids", "_offsets"))]
        for row in range(len(batch.obs)):
            out.append(b"".join(np.asarray(getattr(batch, name)[row]).tobytes() for name in plain))
    return out
