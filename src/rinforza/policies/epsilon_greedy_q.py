"""Epsilon-greedy action values, with an ensemble of heads for Thompson sampling.

One head is drawn for each episode and plays all of it (Osband et al. 2016, "Deep exploration via
bootstrapped DQN", section 5.1). The action is the head's best legal one, the lowest id on a tie; with
probability epsilon it is drawn uniformly from all legal actions.
"""

import numpy as np

from ..compiled.random import integer_below, uniform
from ..contracts.arguments import integer, number
from ..contracts.policy import QValues
from ..contracts.search_memory import DISAGREEMENT, count
from .one_shot import OneShot, keep_answer

MOST_HEADS = 4096


class EpsilonGreedyQ(OneShot):
    """Act greedily on Q values, at random with probability epsilon.

    Args:
        n_heads: Heads of the network's answer, 1 to 4096.
        epsilon: The probability of a random action, 0 to 1; at 0 no random number is spent.

    Raises:
        ValueError: For a number out of range.
        TypeError: For an argument of another type.

    Example:
        >>> import rinforza as rf
        >>> rf.policies.EpsilonGreedyQ(epsilon=0.05)
        EpsilonGreedyQ(n_heads=1, epsilon=0.05)
    """

    name = "epsilon_greedy_q"
    supports_imperfect_information = True
    schedulable = ("epsilon",)
    n_heads: int
    epsilon: float

    def __init__(self, n_heads: int = 1, epsilon: float = 0.1):
        n_heads = integer("n_heads", n_heads, 0, MOST_HEADS)
        if n_heads < 1:
            raise ValueError(f"n_heads must be >= 1, got {n_heads}")
        super().__init__({"n_heads": n_heads, "epsilon": number("epsilon", epsilon, 0.0, 1.0)})

    def max_agents(self, dynamics: str) -> int | None:
        """Return None: any number of players."""
        return None

    @property
    def output(self) -> QValues:
        """Q values of every head."""
        return QValues(self.n_heads)

    @property
    def evaluation_heads(self) -> int:
        """One number per head and legal action."""
        return self.n_heads

    def valid_progress(self, progress: int) -> bool:
        """Return whether it is one of the heads."""
        return 0 <= progress < self.n_heads

    # ---------------------------------------------------------------- compiled from here on

    def begin_episode(self, ply, stream):
        return integer_below(stream, self.n_heads)

    def finish(self, rules, search, memory, perspective, evaluation):
        keep_answer(memory, perspective, evaluation)
        count(memory, DISAGREEMENT, disagreement(evaluation, self.n_heads))

    def select(self, evaluation, n_actions, progress, stream):
        if self.epsilon > 0.0 and uniform(stream) < self.epsilon:
            return integer_below(stream, n_actions)
        first = progress[0] * n_actions
        best = 0
        for position in range(1, n_actions):
            if evaluation[first + position] > evaluation[first + best]:
                best = position
        return best


def disagreement(evaluation, n_heads):
    """Return the population standard deviation over the heads, averaged over the legal actions."""
    n_actions = len(evaluation) // n_heads
    total = 0.0
    for position in range(n_actions):
        mean = 0.0
        for head in range(n_heads):
            mean += evaluation[head * n_actions + position] / n_heads
        variance = 0.0
        for head in range(n_heads):
            variance += (evaluation[head * n_actions + position] - mean) ** 2 / n_heads
        total += np.sqrt(variance)
    return total / n_actions
