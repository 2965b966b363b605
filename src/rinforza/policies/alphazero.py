"""AlphaZero: tree search guided by a policy-value network (PUCT).

At a node with N = sum of its edges' visits, the search takes the edge that maximises

    Q(a) + c_puct * P(a) * sqrt(max(N, 1)) / (1 + n(a)),      Q(a) = W(a) / n(a), or 0 where n(a) = 0,

the first in ascending action order on a tie. P is the softmax of the network's logits over the legal actions.
The first simulation evaluates the root, each further one ends at a new node, which the network evaluates, at
the end of the game (value 0 after the last reward), or at a node at `max_depth` (its stored value again).

Sources: Silver et al. 2017 (Go Zero), Methods, "Search algorithm"; Silver et al. 2018 (AlphaZero). Where we
differ: c_puct is a constant, an unvisited edge has Q = 0, and values are not rescaled.
"""

import numpy as np

from ..compiled.random import categorical, dirichlet
from ..contracts.arguments import LARGEST_BUDGET, choice, integer, number, optional_integer
from ..contracts.chance_modes import AlwaysResample, ChanceMode
from ..contracts.distribution import softmax
from ..contracts.game import Game
from ..contracts.noise import Dirichlet
from ..contracts.policy import USUAL_LEGAL_ACTIONS, Capacity, Policy, PolicyValue
from ..contracts.search_memory import (
    DEPTHCAP_SIMS,
    EXPANSIONS,
    FULL,
    LEAVES,
    ROUNDS,
    TERMINAL_SIMS,
    answer_size,
    answer_to,
    ask,
    count,
    forget_requests,
    has_room,
    note_depth,
)
from ..search.tree import (
    CAPPED,
    EDGE,
    ENDED,
    NODE,
    OPEN,
    ROOT,
    back_up,
    descend,
    edges_of,
    nodes_of,
    plant,
)

WHOLE_EPISODE = (1 << 32) - 1
DEFAULT_NOISE = Dirichlet()


def puct(memory, node, c_puct):
    """Return the edge of `node` with the largest PUCT score."""
    edges = edges_of(memory)
    scale = c_puct * np.sqrt(np.float64(max(node.visits, 1)))
    best = node.first
    best_score = -np.inf
    for place in range(node.first, node.first + node.count):
        edge = edges[place]
        score = edge.mean + scale * edge.prior / (1 + edge.visits)
        if score > best_score:
            best_score = score
            best = place
    return best


class AlphaZero(Policy):
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
        sequential_backup: `"auto"` (negamax for one and two players).

    Raises:
        ValueError: For a number out of range or another `sequential_backup`.
        TypeError: For an argument of another type.

    Example:
        >>> import rinforza as rf
        >>> rf.policies.AlphaZero(num_simulations=64).num_simulations
        64
    """

    name = "alphazero"
    supports_imperfect_information = False
    search_dtype = np.dtype([("simulations", np.int64), ("leaf", np.int64)])
    node_dtype = NODE
    edge_dtype = EDGE

    num_simulations: int
    c_puct: float
    max_depth: int
    temperature: float
    greedy_from: int
    noise_share: float
    noise_alpha: float

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
        num_simulations = integer("num_simulations", num_simulations, 0, LARGEST_BUDGET)
        if num_simulations < 2:
            raise ValueError(
                f"num_simulations must be >= 2 (the first evaluates the root), got {num_simulations}"
            )
        if integer("max_depth", max_depth, None, LARGEST_BUDGET) < 1:
            raise ValueError(f"max_depth must be >= 1, got {max_depth}")
        if noise is not None and not isinstance(noise, Dirichlet):
            raise TypeError(f"noise must be a noise.Dirichlet or None, got {type(noise).__name__}")
        if chance is not None and not isinstance(chance, ChanceMode):
            raise TypeError(f"chance must be a chance mode or None, got {type(chance).__name__}")
        noise = noise if noise is not None and noise.epsilon > 0.0 else None
        drop = optional_integer("temperature_drop", temperature_drop, 0, WHOLE_EPISODE)
        super().__init__(
            {
                "num_simulations": num_simulations,
                "c_puct": number("c_puct", c_puct, 0.0),
                "max_depth": int(max_depth),
                "temperature": number("temperature", temperature, 0.0),
                "temperature_drop": None if drop == WHOLE_EPISODE else drop,
                "chance": chance or AlwaysResample(),
                "noise": noise,
                "sequential_backup": choice("sequential_backup", sequential_backup, ("auto",)),
            },
            {
                "greedy_from": WHOLE_EPISODE if drop is None else drop,
                "noise_share": 0.0 if noise is None else noise.epsilon,
                "noise_alpha": 1.0 if noise is None else noise.alpha,
            },
        )

    def max_agents(self, dynamics: str) -> int | None:
        """Return 2 for sequential games and 0 for simultaneous ones."""
        return 2 if dynamics == "sequential" else 0

    @property
    def output(self) -> PolicyValue:
        """Logits and values."""
        return PolicyValue()

    def capacity(self, game: Game) -> Capacity:
        """Return room for every simulation of a typical game."""
        nodes = self.num_simulations + 1
        return Capacity(nodes, nodes * min(game.num_actions, USUAL_LEGAL_ACTIONS), 1)

    # ---------------------------------------------------------------- compiled from here on

    def begin_search(self, rules, search, memory, state, players):
        search.simulations = 0
        search.leaf = ROOT
        return min(plant(rules, memory, state), 0)

    def round(self, rules, search, memory, stream):
        forget_requests(memory)
        while search.simulations < self.num_simulations:
            before = stream.counter
            leaf = ROOT
            if search.simulations > 0:
                leaf = descend(rules, memory, puct, self.c_puct, stream)
            if leaf == FULL:
                stream.counter = before
                return FULL
            node = nodes_of(memory)[leaf]
            if node.kind != ENDED and node.kind != CAPPED:
                if not has_room(memory, 0, 0, 1, answer_size(memory, node.count)):
                    stream.counter = before
                    return FULL
                search.leaf = leaf
                ask(memory, leaf, node.mover, node.first, node.count)
                return 1
            count(memory, TERMINAL_SIMS if node.kind == ENDED else DEPTHCAP_SIMS, 1)
            note_depth(memory, node.depth)
            back_up(memory, leaf, node.value, rules.discount)
            search.simulations += 1
        for counter in (LEAVES, ROUNDS, EXPANSIONS):
            count(memory, counter, self.num_simulations)
        return 0

    def absorb(self, rules, search, memory, stream):
        answer = answer_to(memory, 0)
        node = nodes_of(memory)[search.leaf]
        node.value = answer[0]
        if node.depth >= self.max_depth:
            node.kind = CAPPED
        else:
            node.kind = OPEN
            open_edges(self, memory, node, answer, search.leaf == ROOT, stream)
        note_depth(memory, node.depth)
        back_up(memory, search.leaf, node.value, rules.discount)
        search.simulations += 1
        return 0

    def finish(self, rules, search, memory, perspective, evaluation):
        root = nodes_of(memory)[ROOT]
        edges = edges_of(memory)
        for position in range(root.count):
            evaluation[position] = edges[root.first + position].visits

    def select(self, evaluation, n_actions, progress, stream):
        best = 0
        for position in range(1, n_actions):
            if evaluation[position] > evaluation[best]:
                best = position
        ply = progress[0]
        progress[0] = ply + 1
        if self.temperature > 0.0 and ply < self.greedy_from:
            most = evaluation[best]
            for position in range(n_actions):
                evaluation[position] = (evaluation[position] / most) ** (1.0 / self.temperature)
            return categorical(stream, evaluation, n_actions)
        return best


def open_edges(self, memory, node, answer, is_root, stream):
    """Give the edges of a node their priors, with noise at the root."""
    edges = edges_of(memory)
    priors = answer[1:]
    softmax(priors, priors, node.count)
    for position in range(node.count):
        edges[node.first + position].prior = priors[position]
    if is_root and self.noise_share > 0.0:
        noise = answer[1:]
        dirichlet(stream, self.noise_alpha, noise, node.count)
        for position in range(node.count):
            edge = edges[node.first + position]
            edge.prior = (1.0 - self.noise_share) * edge.prior + self.noise_share * noise[position]
