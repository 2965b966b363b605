"""Minimax to a fixed depth, for two players who move in turn.

The value of a decision, for the searcher, is the largest of its edges' values where the searcher moves and the
smallest where the opponent does; an edge is worth the expectation over chance of

    reward + discount * value of what follows,

and the end of the game is worth 0. At `depth` decisions from the root the network is asked for the player to
move, and the leaf is worth its largest legal Q value, negated where the opponent moves. Chance costs no depth.

With `top_k` every decision between root and leaves keeps the k moves to which the network's row gives the largest
values, of equal ones the lowest ids. Only rows on which the result depends are asked: without `top_k` those of the
last ply.

Sources: Shannon 1950, "Programming a computer for playing chess"; chance as in Michie 1966 (expectiminimax).
"""

import numpy as np

from ..contracts.arguments import LARGEST_BUDGET, integer, optional_integer
from ..contracts.chance_modes import ChanceMode, ExpandAll
from ..contracts.game import Game
from ..contracts.policy import USUAL_LEGAL_ACTIONS, Capacity, Policy, QValues
from ..contracts.search_memory import (
    EXPANSIONS,
    FULL,
    LEAVES,
    ROUNDS,
    answer_size,
    answer_to,
    ask,
    count,
    forget_requests,
    has_room,
    note_depth,
    refuse,
)
from ..search.expectation import (
    EDGE,
    LEAF,
    MAXIMUM,
    MINIMUM,
    NODE,
    actions_of,
    back_up_all,
    edges_of,
    next_interior,
    node_at,
    open_edges,
    plant,
    read_leaf,
    take_back,
    write_evaluation,
)
from ..search.requirements import REFUSALS, check_antisymmetric, check_expandable, searchable_chance

LARGEST_TREE = 1 << 20  # nodes
LARGE_TREE = len(REFUSALS)
FIRST_NODES, FIRST_REQUESTS = 256, 32  # room that a search starts with

EXPANDING, ASKING = range(2)  # what a round is to do


class Minimax(Policy):
    """Search to a fixed depth in full width, or with the k best moves only.

    A search of more than 2**20 nodes is refused with ValueError, from `Engine.collect` and from `choose`.

    Args:
        depth: Decisions to look ahead, 1 to 2**20.
        top_k: The moves that a decision below the root keeps, 1 to 2**20, or None for all.
        chance: `chance_modes.Committed` or `ExpandAll`; None for `ExpandAll()`.

    Raises:
        ValueError: For a number out of range, or another chance mode.
        OverflowError: For a negative number.
        TypeError: For an argument of another type.

    Example:
        >>> import rinforza as rf
        >>> rf.policies.Minimax(depth=3).depth
        3
    """

    name = "minimax"
    supports_imperfect_information = False
    search_dtype = np.dtype(
        [
            ("stage", np.int64),
            ("ply", np.int64),
            ("begin", np.int64),  # the nodes of the last ply
            ("end", np.int64),
            ("cursor", np.int64),  # the next of them to be expanded
        ]
    )
    node_dtype = np.dtype([("node", NODE), ("values", np.float64, (1,))])
    edge_dtype = EDGE
    refusals = (*REFUSALS, f"search tree exceeds {LARGEST_TREE:,} nodes: lower depth, or set or lower top_k")

    depth: int
    most_moves: int
    node_size: int
    n_heads: int
    chance_kind: int
    chance_samples: int

    def __init__(self, depth: int = 4, top_k: int | None = None, chance: ChanceMode | None = None):
        depth = integer("depth", depth, 0, LARGEST_BUDGET)
        if depth < 1:
            raise ValueError("depth must be >= 1, got 0")
        top_k = optional_integer("top_k", top_k, 0, LARGEST_BUDGET)
        if top_k == 0:
            raise ValueError("top_k must be >= 1 (or None for all moves), got 0")
        chance = searchable_chance("Minimax", chance, ExpandAll())
        super().__init__(
            {"depth": depth, "top_k": top_k, "chance": chance},
            {
                "most_moves": top_k or 0,
                "node_size": self.node_dtype.itemsize,
                "n_heads": 1,
                "chance_kind": chance.kind,
                "chance_samples": chance.samples,
            },
        )

    chance: ChanceMode

    def max_agents(self, dynamics: str) -> int | None:
        """Return 2 for sequential games and 0 for simultaneous ones."""
        return 2 if dynamics == "sequential" else 0

    @property
    def output(self) -> QValues:
        """Q values of one head."""
        return QValues(1)

    @property
    def evaluation_heads(self) -> int:
        """Values, and that the actions were searched."""
        return 2

    def capacity(self, game: Game) -> Capacity:
        """Return room for a shallow search."""
        return Capacity(FIRST_NODES, FIRST_NODES * min(game.num_actions, USUAL_LEGAL_ACTIONS), FIRST_REQUESTS)

    def check_game(self, game: Game, weights: np.ndarray) -> None:
        """Refuse all but two players in turn whose rewards cancel.

        Raises:
            ValueError: For another game, or rewards that do not cancel.
        """
        if game.dynamics != "sequential" or game.num_players != 2:
            raise ValueError(
                f"Minimax requires a two-player sequential game, and {game.name} is {game.dynamics} with "
                f"{game.num_players} players"
            )
        check_antisymmetric("Minimax", game, weights)
        check_expandable(self.chance, game)

    # ---------------------------------------------------------------- compiled from here on

    def begin_search(self, rules, search, memory, state, players):
        search.stage = EXPANDING
        search.ply = 0
        search.begin = 0
        search.end = 1
        search.cursor = 0
        return plant(self, rules, memory, state, players[0])

    def round(self, rules, search, memory, stream):
        forget_requests(memory)
        while True:
            if search.stage == EXPANDING:
                if search.ply == self.depth or search.begin == search.end:
                    break
                code = expand_ply(self, rules, search, memory, stream)
                if code != 0:
                    return code
                search.stage = ASKING
            if search.ply == self.depth or self.most_moves > 0:
                rows = ask_ply(self, search, memory)
                if rows != 0:
                    return rows
            search.stage = EXPANDING
        back_up_all(self, rules, memory)
        return 0

    def absorb(self, rules, search, memory, stream):
        index = 0
        for place in range(search.begin, search.end):
            node = node_at(self, memory, place)
            if node.kind == LEAF:
                answer = answer_to(memory, index)
                read_leaf(self, memory, place, answer, 1.0 if node.mover == node.searcher else -1.0)
                if self.most_moves > 0 and search.ply < self.depth:
                    keep_best(self, memory, node, answer)
                index += 1
        count(memory, LEAVES, index)
        count(memory, ROUNDS, 1)
        search.stage = EXPANDING
        return 0

    def finish(self, rules, search, memory, perspective, evaluation):
        write_evaluation(self, rules, memory, 0, evaluation)

    def interior(self, rules, search, memory, after, found, evaluation):
        return next_interior(self, rules, memory, after, found, evaluation)

    def begin_episode(self, ply, stream):
        return 0

    def select(self, evaluation, n_actions, progress, stream):
        best = 0
        for position in range(1, n_actions):
            if evaluation[position] > evaluation[best]:
                best = position
        return best


def expand_ply(policy, rules, search, memory, stream):
    """Expand the last ply's decisions from `search.cursor` on; return 0, FULL or REFUSED."""
    while search.cursor < search.end:
        node = node_at(policy, memory, search.cursor)
        if node.kind == LEAF:
            n_nodes, n_edges, counter = memory.n_nodes, memory.n_edges, stream.counter
            code = open_edges(policy, rules, memory, search.cursor, stream)
            if code == 0 and memory.n_nodes > LARGEST_TREE:
                code = refuse(memory, LARGE_TREE)
            if code != 0:
                take_back(memory, stream, n_nodes, n_edges, counter)
                return code
            node.kind = MAXIMUM if node.mover == node.searcher else MINIMUM
            count(memory, EXPANSIONS, 1)
        search.cursor += 1
    search.begin = search.cursor = search.end
    search.end = memory.n_nodes
    search.ply += 1
    if search.begin < search.end:
        note_depth(memory, search.ply)
    return 0


def ask_ply(policy, search, memory):
    """Ask for a row for each decision of the last ply; return how many, or FULL."""
    for place in range(search.begin, search.end):
        node = node_at(policy, memory, place)
        if node.kind == LEAF:
            if not has_room(memory, 0, 0, 1, answer_size(memory, node.count)):
                forget_requests(memory)
                return FULL
            ask(memory, place, node.mover, node.first, node.count)
    return memory.n_requests


def keep_best(policy, memory, node, answer):
    """Drop all but the `most_moves` moves with the largest numbers, the first of equal ones."""
    if node.count <= policy.most_moves:
        return
    edges, actions = edges_of(memory), actions_of(memory)
    for position in range(node.count):
        edges[node.first + position].count = 0
    for _ in range(policy.most_moves):
        best = 0
        for position in range(1, node.count):
            if answer[position] > answer[best]:
                best = position
        answer[best] = -np.inf
        edges[node.first + best].count = 1
    kept = 0
    for position in range(node.count):
        if edges[node.first + position].count > 0:
            actions[node.first + kept] = actions[node.first + position]
            kept += 1
    node.dropped = node.count - kept
    node.count = kept
