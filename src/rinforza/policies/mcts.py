"""Monte Carlo tree search by upper confidence bounds (UCT), with an action-value network at the leaves.

At a node with N = sum of its edges' visits, the search takes the edge that maximises

    W(a) / n(a) + uct_c * sqrt(ln(max(N, 1)) / n(a)),

where an edge without visits comes first; the first in ascending action order on a tie. Each simulation ends at
a new node, whose value is the largest of the network's numbers for the mover's legal actions, at the end of the
game (value 0 after the last reward), or at a node at `max_depth` (its stored value again). The root itself is
not evaluated. Values are not rescaled.

Where all act at once, every acting player grows its own tree, and at a node every player chooses by its own
statistics (decoupled UCT). That is known to circle a mixed equilibrium rather than to reach it.

Sources: Kocsis and Szepesvari 2006, "Bandit based Monte-Carlo planning"; Auer et al. 2002 (UCB1); Tak, Lanctot and
Winands 2014, section III (decoupled UCT); Shafiei et al. 2009 (what it converges to). Where we differ: a network
takes the place of the rollout.
"""

import numpy as np

from ..contracts.arguments import choice, number
from ..contracts.chance_modes import ChanceMode
from ..contracts.policy import QValues
from ..search.rounds import absorb_round, begin_trees, open_roots, root_edges, run_round
from ..search.tree import edges_of
from .tree_policy import TreePolicy, count_simulations, greatest, sample_by_visits, takes_samples


def uct(policy, search, edges, first, count, node, value, player):
    """Return the edge with the largest upper confidence bound."""
    logarithm = np.log(np.float64(max(node.visits, 1)))
    best = first
    best_score = -np.inf
    for place in range(first, first + count):
        edge = edges[place]
        if edge.visits == 0:
            return place
        score = edge.mean + policy.uct_c * np.sqrt(logarithm / edge.visits)
        if score > best_score:
            best_score = score
            best = place
    return best


def read_values(policy, search, memory, first, count, answer, place, stream):
    """Return the largest of the network's numbers for a player's legal actions."""
    return answer[greatest(answer, count)]


class Mcts(TreePolicy):
    """Search with UCT under an action-value network; act by values or by visits.

    Args:
        num_simulations: Simulations per decision, 1 to 2**20; the root's visits total as many.
        uct_c: Exploration constant, finite and >= 0, on the scale of the returns.
        max_depth: Depth limit in decisions, 1 to 2**20.
        act_by: `"value"` (the best mean value among the visited actions) or `"visits"`.
        temperature: 0 acts by `act_by`; above 0, actions are sampled with weight
            (n / n_max)**(1 / temperature).
        temperature_drop: The episode's decision number from which nothing is sampled, or None for never.
        chance: How the search treats chance nodes; None for `chance_modes.AlwaysResample()`.
        leaves: Simulations of a tree that may wait for the network at once, 1 to 2**20; above 1, those on their
            way count as visits with a return of -1, so that few games fill a large batch.
        reuse_tree: Whether a search goes on with the tree below the decision that was played, where the episode's
            last search has been there, and adds `num_simulations` to its visits (sequential games).

    Raises:
        ValueError: For a number out of range or another `act_by`.
        TypeError: For an argument of another type.

    Example:
        >>> import rinforza as rf
        >>> rf.policies.Mcts(num_simulations=32).act_by
        'value'
    """

    name = "mcts"
    schedulable = (*TreePolicy.schedulable, "uct_c")

    uct_c: float
    act_by: str
    acts_by_visits: bool

    def __init__(
        self,
        num_simulations: int = 64,
        uct_c: float = 2.0,
        max_depth: int = 64,
        act_by: str = "value",
        temperature: float = 0.0,
        temperature_drop: int | None = None,
        chance: ChanceMode | None = None,
        *,
        leaves: int = 1,
        reuse_tree: bool = False,
    ):
        super().__init__(
            num_simulations,
            1,
            max_depth,
            temperature,
            temperature_drop,
            chance,
            leaves,
            reuse_tree,
            {
                "uct_c": number("uct_c", uct_c, 0.0),
                "act_by": choice("act_by", act_by, ("value", "visits")),
            },
            {"acts_by_visits": act_by == "visits", "normalise": False},
        )

    def max_agents(self, dynamics: str) -> int | None:
        """Return 2 for sequential games; any number where all act at once."""
        return 2 if dynamics == "sequential" else None

    @property
    def output(self) -> QValues:
        """Q values of one head."""
        return QValues(1)

    @property
    def evaluation_heads(self) -> int:
        """Mean values (0 where the search has not been), then visits."""
        return 2

    # ---------------------------------------------------------------- compiled from here on

    def begin_search(self, rules, search, memory, state, players):
        code = begin_trees(self, rules, search, memory, state, players)
        if code == 0:
            open_roots(rules, search, memory)
        return code

    def round(self, rules, search, memory, stream):
        rows = run_round(self, rules, search, memory, uct, stream)
        if rows == 0:
            count_simulations(self, search, memory)
        return rows

    def absorb(self, rules, search, memory, stream):
        return absorb_round(self, rules, search, memory, read_values, stream)

    def finish(self, rules, search, memory, perspective, evaluation):
        first, count = root_edges(rules, memory, perspective)
        for position in range(count):
            edge = edges_of(memory)[first + position]
            evaluation[position] = edge.mean
            evaluation[count + position] = edge.visits

    def select(self, evaluation, n_actions, progress, stream):
        visits = evaluation[n_actions:]
        if takes_samples(self, progress):
            return sample_by_visits(self, visits, n_actions, stream)
        if self.acts_by_visits:
            return greatest(visits, n_actions)
        best = -1
        for position in range(n_actions):
            if visits[position] > 0.0 and (best < 0 or evaluation[position] > evaluation[best]):
                best = position
        return best
