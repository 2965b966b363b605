"""Expectimax that looks deeper where it matters: best first, with an ensemble of value heads.

The searcher maximises, the other players move by a model of them, chance by its probabilities. For each head of
the network, an edge is worth the expectation of

    reward + discount * value of what follows,

a decision of the searcher the largest of its edges, one of another player the mean of its edges. The end of the
game is worth 0, for a player of a simultaneous game also its own death. A leaf is worth the largest number of
the network's row for the searcher, over the actions of the player to move (the searcher's own in simultaneous games).

The search starts with the root and expands in rounds: up to `top_k` leaves by priority (see
`rinforza.search.frontier`), whose new leaves are then evaluated all at once, until `expansion_budget` nodes are
expanded or none is left. It acts as EpsilonGreedyQ does, on the values that it found.

Sources: Michie 1966 (expectimax); Osband et al. 2016 for the ensemble and its use in acting; Lakshminarayanan et
al. 2017 for its disagreement as a measure of what is not known.
"""

import numpy as np

from ..contracts.arguments import LARGEST_BUDGET, choice, integer, number
from ..contracts.chance_modes import ChanceMode, Committed
from ..contracts.game import Game
from ..contracts.policy import USUAL_LEGAL_ACTIONS, Capacity, Policy, QValues
from ..contracts.rules import SIMULTANEOUS
from ..contracts.search_memory import (
    DISAGREEMENT,
    EXPANSIONS,
    EXTRA_ROWS,
    FULL,
    LEAVES,
    ROUNDS,
    SIGMA,
    answer_to,
    count,
    forget_requests,
    note_depth,
)
from ..search.expectation import (
    EDGE,
    LEAF,
    MAXIMUM,
    MEAN,
    NODE,
    NONE,
    back_up_all,
    edges_of,
    next_interior,
    node_at,
    open_edges,
    plant,
    read_leaf,
    take_back,
    values_at,
    write_evaluation,
)
from ..search.frontier import FRONT, front_at, take_best
from ..search.opponents import ask_one, ask_others, open_joint_edges, weigh_others
from ..search.requirements import REFUSALS, check_expandable, check_joint_fan, searchable_chance
from .epsilon_greedy_q import MOST_HEADS, EpsilonGreedyQ, disagreement

OPPONENTS = ("uniform", "distributional")
FIRST_NODES, FIRST_REQUESTS = 256, 32  # room that a search starts with

CHOOSING, EXPANDING, ASKING = range(3)  # what a round is to do


class SelectiveExpectimax(Policy):
    """Search best first over maxima and expectations; act greedily on the values found.

    Args:
        expansion_budget: Nodes to expand per decision, the root included, 1 to 2**20.
        top_k: Nodes to expand in a round at most, 1 to 2**20.
        max_depth: Depth in decisions at which a leaf is not expanded, 1 to 2**20.
        beta: The share of the heads' disagreement in the priority, 0 to 1; the rest is depth.
        chance: `chance_modes.Committed` or `ExpandAll`; None for `Committed(1)`.
        n_heads: Heads of the network's answer, 1 to 4096.
        epsilon: The probability of a random action, 0 to 1; at 0 no random number is spent.
        opponent: `"uniform"` (the others take each legal action equally often) or `"distributional"` (they
            follow a softmax of their own Q values, for which their rows are asked too).
        opp_temperature: The softmax's temperature, finite and > 0.
        opp_floor: The share of the uniform distribution in it, 0 to 1.

    Raises:
        ValueError: For a number out of range, another chance mode or another opponent.
        OverflowError: For a negative integer.
        TypeError: For an argument of another type.

    Example:
        >>> import rinforza as rf
        >>> rf.policies.SelectiveExpectimax(expansion_budget=32, n_heads=4).n_heads
        4
    """

    name = "selective_expectimax"
    supports_imperfect_information = False
    search_dtype = np.dtype(
        [
            ("stage", np.int64),
            ("trees", np.int64),  # a tree for each player that acts
            ("first_pick", np.int64),  # the round's expansions, in a list
            ("last_pick", np.int64),
            ("pick", np.int64),  # the next of them to be expanded
            ("fresh", np.int64),  # the first node of the round
            ("leaves", np.int64),
            ("sigma", np.float64),  # summed over the leaves
        ]
    )
    edge_dtype = EDGE
    schedulable = ("epsilon",)
    refusals = REFUSALS

    expansion_budget: int
    top_k: int
    max_depth: int
    beta: float
    chance: ChanceMode
    n_heads: int
    epsilon: float
    opponent: str
    opp_temperature: float
    opp_floor: float
    asks_opponents: bool
    node_size: int
    front_offset: int
    chance_kind: int
    chance_samples: int

    def __init__(
        self,
        expansion_budget: int = 64,
        top_k: int = 8,
        max_depth: int = 12,
        beta: float = 1.0,
        chance: ChanceMode | None = None,
        n_heads: int = 1,
        epsilon: float = 0.0,
        opponent: str = "uniform",
        opp_temperature: float = 1.0,
        opp_floor: float = 0.0,
    ):
        chance = searchable_chance("SelectiveExpectimax", chance, Committed(1))
        n_heads = _at_least_one("n_heads", n_heads, MOST_HEADS)
        layout = _node_layout(n_heads)
        super().__init__(
            {
                "expansion_budget": _at_least_one("expansion_budget", expansion_budget, LARGEST_BUDGET),
                "top_k": _at_least_one("top_k", top_k, LARGEST_BUDGET),
                "max_depth": _at_least_one("max_depth", max_depth, LARGEST_BUDGET),
                "beta": number("beta", beta, 0.0, 1.0),
                "chance": chance,
                "n_heads": n_heads,
                "epsilon": number("epsilon", epsilon, 0.0, 1.0),
                "opponent": choice("opponent", opponent, OPPONENTS),
                "opp_temperature": number("opp_temperature", opp_temperature, 0.0, open_low=True),
                "opp_floor": number("opp_floor", opp_floor, 0.0, 1.0),
            },
            {
                "asks_opponents": opponent == "distributional",
                "node_size": layout.itemsize,
                "front_offset": layout.fields["front"][1],  # type: ignore[index]
                "chance_kind": chance.kind,
                "chance_samples": chance.samples,
            },
        )

    @property
    def node_dtype(self) -> np.dtype:  # type: ignore[override]
        """A node with the values of every head."""
        return _node_layout(self.n_heads)

    def max_agents(self, dynamics: str) -> int | None:
        """Return None: any number of players."""
        return None

    @property
    def output(self) -> QValues:
        """Q values of every head."""
        return QValues(self.n_heads)

    @property
    def evaluation_heads(self) -> int:
        """Values of every head, and that the action was searched."""
        return self.n_heads + 1

    def capacity(self, game: Game) -> Capacity:
        """Return room for a narrow search."""
        return Capacity(FIRST_NODES, FIRST_NODES * min(game.num_actions, USUAL_LEGAL_ACTIONS), FIRST_REQUESTS)

    def valid_progress(self, progress: int) -> bool:
        """Return whether it is one of the heads."""
        return 0 <= progress < self.n_heads

    def check_game(self, game: Game, weights: np.ndarray) -> None:
        """Refuse games whose fans are too wide or cannot be listed.

        Raises:
            ValueError: For such a game.
        """
        check_joint_fan("SelectiveExpectimax", game, game.num_players - 1)
        check_expandable(self.chance, game)

    # ---------------------------------------------------------------- compiled from here on

    def begin_search(self, rules, search, memory, state, players):
        search.stage = CHOOSING
        search.trees = len(players)
        for tree in range(len(players)):
            if plant(self, rules, memory, state, players[tree]) == FULL:
                return FULL
            front = front_at(self, memory, tree)
            front.path = 1.0
            front.sigma = 0.0
            front.spent = 0
        return 0

    def round(self, rules, search, memory, stream):
        forget_requests(memory)
        while True:
            if search.stage == CHOOSING:
                if not choose_picks(self, search, memory):
                    break
                search.stage = EXPANDING
            if search.stage == EXPANDING:
                code = expand_picks(self, rules, search, memory, stream)
                if code != 0:
                    return code
                search.stage = ASKING
            rows = ask_round(self, search, memory)
            if rows != 0:
                return rows
            search.stage = CHOOSING
        back_up_all(self, rules, memory)
        count(memory, LEAVES, search.leaves)
        count(memory, SIGMA, search.trees * search.sigma / max(search.leaves, 1))
        return 0

    def absorb(self, rules, search, memory, stream):
        index = 0
        pick = search.first_pick if self.asks_opponents else NONE
        while pick != NONE:
            index = weigh_others(self, memory, pick, index)
            pick = front_at(self, memory, pick).next
        count(memory, EXTRA_ROWS, index)
        for place in range(search.fresh, memory.n_nodes):
            if node_at(self, memory, place).kind == LEAF:
                read_leaf(self, memory, place, answer_to(memory, index), 1.0)
                place_leaf(self, rules, memory, place)
                search.sigma += front_at(self, memory, place).sigma
                search.leaves += 1
                index += 1
        search.stage = CHOOSING
        return 0

    def finish(self, rules, search, memory, perspective, evaluation):
        write_evaluation(self, rules, memory, perspective, evaluation)
        n_actions = len(evaluation) // (self.n_heads + 1)
        count(memory, DISAGREEMENT, disagreement(evaluation[: n_actions * self.n_heads], self.n_heads))

    def interior(self, rules, search, memory, after, found, evaluation):
        return next_interior(self, rules, memory, after, found, evaluation)

    begin_episode = EpsilonGreedyQ.begin_episode
    select = EpsilonGreedyQ.select


def _at_least_one(name: str, value: object, high: int) -> int:
    found = integer(name, value, 0, high)
    if found < 1:
        raise ValueError(f"{name} must be >= 1, got {found}")
    return found


def _node_layout(n_heads: int) -> np.dtype:
    return np.dtype([("node", NODE), ("values", np.float64, (n_heads,)), ("front", FRONT)], align=True)


def choose_picks(policy, search, memory):
    """List what each tree expands in this round; return whether there is anything."""
    search.first_pick = NONE
    search.last_pick = NONE
    for tree in range(search.trees):
        root = front_at(policy, memory, tree)
        left = policy.expansion_budget - root.spent
        if left > 0:
            taken = take_best(policy, search, memory, tree, min(policy.top_k, left))
            root.spent += taken
            if taken > 0:
                count(memory, ROUNDS, 1)
                count(memory, EXPANSIONS, taken)
    search.pick = search.first_pick
    search.fresh = memory.n_nodes
    return search.first_pick != NONE


def expand_picks(policy, rules, search, memory, stream):
    """Expand what is listed, from `search.pick` on; return 0, FULL or REFUSED."""
    while search.pick != NONE:
        node = node_at(policy, memory, search.pick)
        n_nodes, n_edges, counter = memory.n_nodes, memory.n_edges, stream.counter
        if node.mover == SIMULTANEOUS:
            code = open_joint_edges(policy, rules, memory, search.pick, stream)
        else:
            code = open_edges(policy, rules, memory, search.pick, stream)
        if code != 0:
            take_back(memory, stream, n_nodes, n_edges, counter)
            return code
        own = node.mover == SIMULTANEOUS or node.mover == node.searcher
        node.kind = MAXIMUM if own else MEAN
        note_depth(memory, node.depth + 1)
        search.pick = front_at(policy, memory, search.pick).next
    return 0


def ask_round(policy, search, memory):
    """Ask for the other players' rows and for those of all new leaves; return how many, or FULL."""
    code = 0
    pick = search.first_pick if policy.asks_opponents else NONE
    while pick != NONE and code == 0:
        code = ask_others(policy, memory, pick)
        pick = front_at(policy, memory, pick).next
    for place in range(search.fresh, memory.n_nodes):
        node = node_at(policy, memory, place)
        if node.kind == LEAF and code == 0:
            code = ask_one(memory, place, node.searcher, node.first, node.count)
    if code == FULL:
        forget_requests(memory)
        return FULL
    return memory.n_requests


def place_leaf(policy, rules, memory, index):
    """Set the path weight of an evaluated leaf, and how much its heads disagree."""
    node = node_at(policy, memory, index)
    front = front_at(policy, memory, index)
    weight = node.weight
    if node_at(policy, memory, node.parent).kind == MEAN:
        weight = edges_of(memory)[node.edge].weight * weight
    front.path = front_at(policy, memory, node.parent).path * weight * rules.discount
    front.sigma = spread(values_at(policy, memory, index))


def spread(values):
    """Return the population standard deviation."""
    mean = 0.0
    for value in values:
        mean += value / len(values)
    variance = 0.0
    for value in values:
        variance += (value - mean) ** 2 / len(values)
    return np.sqrt(variance)
