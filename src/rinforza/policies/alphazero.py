"""AlphaZero: tree search guided by a policy-value network (PUCT).

At a node with N = sum of its edges' visits, the search takes the edge that maximises

    Q(a) + c_puct * P(a) * sqrt(max(N, 1)) / (1 + n(a)),      Q(a) = W(a) / n(a), or 0 where n(a) = 0,

the first in ascending action order on a tie. P is the softmax of the network's logits over the legal actions.
The first simulation evaluates the root, each further one ends at a new node, which the network evaluates, at
the end of the game (value 0 after the last reward), or at a node at `max_depth` (its stored value again).

One and two players in turn: the value is the mover's and turns its sign with the mover (negamax). More players:
the network gives a value for each, and each decision counts its own mover's (MaxN). All at once: every acting
player grows its own tree; at a node every player chooses by its own statistics (decoupled PUCT).

Sources: Silver et al. 2017 (Go Zero), Methods, "Search algorithm"; Silver et al. 2018 (AlphaZero); Luckhardt and
Irani 1986 (MaxN); Tak, Lanctot and Winands 2014, "Monte Carlo tree search variants for simultaneous move games",
section III (decoupled selection). Where we differ: c_puct is a constant, an unvisited edge has Q = 0, and values
are not rescaled.
"""

import numpy as np

from ..compiled.random import dirichlet
from ..contracts.arguments import choice, number
from ..contracts.chance_modes import ChanceMode
from ..contracts.distribution import softmax
from ..contracts.game import Game
from ..contracts.noise import Dirichlet
from ..contracts.policy import PolicyValue
from ..search.rounds import OTHERS_ROOT, OWN_ROOT, absorb_round, root_edges, run_round
from ..search.tree import edges_of
from .tree_policy import TreePolicy, count_simulations, greatest, sample_by_visits, takes_samples

DEFAULT_NOISE = Dirichlet()


def puct(policy, edges, first, count, visits, value):
    """Return the edge with the largest PUCT score."""
    scale = policy.c_puct * np.sqrt(np.float64(max(visits, 1)))
    best = first
    best_score = -np.inf
    for place in range(first, first + count):
        edge = edges[place]
        score = edge.mean + scale * edge.prior / (1 + edge.visits)
        if score > best_score:
            best_score = score
            best = place
    return best


def read_priors(policy, memory, first, count, answer, place, stream):
    """Give a player's edges their priors, with noise at the root; return the player's value."""
    if count > 0:
        edges = edges_of(memory)
        priors = answer[1:]
        softmax(priors, priors, count)
        for position in range(count):
            edges[first + position].prior = priors[position]
        if place == OWN_ROOT or (place == OTHERS_ROOT and policy.noise_everywhere != 0):
            add_noise(policy, edges, first, count, priors, stream)
    return answer[0]


def add_noise(policy, edges, first, count, noise, stream):
    """Mix Dirichlet noise into the priors of the edges."""
    if policy.noise_share > 0.0:
        dirichlet(stream, policy.noise_alpha, noise, count)
        for position in range(count):
            edge = edges[first + position]
            edge.prior = (1.0 - policy.noise_share) * edge.prior + policy.noise_share * noise[position]


class AlphaZero(TreePolicy):
    """Search with PUCT under a policy-value network; act by visit counts.

    Args:
        num_simulations: Simulations per decision, 2 to 2**20; the first evaluates the root, so the root's
            visits total `num_simulations - 1`.
        c_puct: Exploration constant, finite and >= 0.
        max_depth: Depth limit in decisions, 1 to 2**20.
        temperature: 0 acts greedily; above 0, actions are sampled with weight (n / n_max)**(1 / temperature).
        temperature_drop: The episode's decision number from which the choice is greedy, or None for never.
        chance: How the search treats chance nodes; None for `chance_modes.AlwaysResample()`.
        noise: Root noise; None for none.
        sequential_backup: `"auto"` (negamax for one and two players, MaxN for more) or `"maxn"`.

    Raises:
        ValueError: For a number out of range or another `sequential_backup`.
        TypeError: For an argument of another type.

    Example:
        >>> import rinforza as rf
        >>> rf.policies.AlphaZero(num_simulations=64).num_simulations
        64
    """

    name = "alphazero"
    schedulable = ("num_simulations", "c_puct", "temperature")

    c_puct: float
    sequential_backup: str
    noise_share: float
    noise_alpha: float
    noise_everywhere: bool

    def __init__(
        self,
        num_simulations: int = 64,
        c_puct: float = 1.5,
        max_depth: int = 64,
        temperature: float = 1.0,
        temperature_drop: int | None = 8,
        chance: ChanceMode | None = None,
        noise: Dirichlet | None = DEFAULT_NOISE,
        sequential_backup: str = "auto",
    ):
        if noise is not None and not isinstance(noise, Dirichlet):
            raise TypeError(f"noise must be a noise.Dirichlet or None, got {type(noise).__name__}")
        noise = noise if noise is not None and noise.epsilon > 0.0 else None
        super().__init__(
            num_simulations,
            2,  # the first evaluates the root
            num_simulations - 1 if isinstance(num_simulations, int) else 0,
            max_depth,
            temperature,
            temperature_drop,
            chance,
            {
                "c_puct": number("c_puct", c_puct, 0.0),
                "noise": noise,
                "sequential_backup": choice("sequential_backup", sequential_backup, ("auto", "maxn")),
            },
            {
                "noise_share": 0.0 if noise is None else noise.epsilon,
                "noise_alpha": 1.0 if noise is None else noise.alpha,
                "noise_everywhere": noise is not None and noise.scope == "all",
            },
        )

    def max_agents(self, dynamics: str) -> int | None:
        """Any number of players."""
        return None

    def values_everyone(self, game: Game) -> bool:
        """Return True for more than two players, where all act at once, and under `"maxn"`."""
        return super().values_everyone(game) or self.sequential_backup == "maxn"

    @property
    def output(self) -> PolicyValue:
        """Logits and values."""
        return PolicyValue()

    # ---------------------------------------------------------------- compiled from here on

    def round(self, rules, search, memory, stream):
        rows = run_round(self, rules, search, memory, puct, stream)
        if rows == 0:
            count_simulations(self, search, memory)
        return rows

    def absorb(self, rules, search, memory, stream):
        return absorb_round(self, rules, search, memory, read_priors, stream)

    def finish(self, rules, search, memory, perspective, evaluation):
        first, count = root_edges(rules, memory, perspective)
        for position in range(count):
            evaluation[position] = edges_of(memory)[first + position].visits

    def select(self, evaluation, n_actions, progress, stream):
        if takes_samples(self, progress):
            return sample_by_visits(self, evaluation, n_actions, stream)
        return greatest(evaluation, n_actions)
