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
are not rescaled; `rinforza.search.puct` and `rinforza.search.gumbel` say what can be chosen instead.

Tree reuse (`reuse_tree`; Go Zero, Methods, "Search algorithm", "Play"): what the last search found below the decision
that was reached is kept, and `num_simulations` are added to it. None of them evaluates the root, whose value is known,
so the visits total those kept and `num_simulations`. Root noise joins the priors as the network gave them. The values
of an earlier network stay in the tree as long as its nodes. A tree with more than 16 * `num_simulations` visits, as
grows where nearly all go to one action, is not kept.

`rinforza.policies.resignation` says when a game is given up.
"""

from typing import Any

import numpy as np

from ..compiled import array_at
from ..compiled.random import dirichlet, uniform
from ..contracts.arguments import LARGEST_BUDGET, choice, flag, integer, number, optional_integer
from ..contracts.chance_modes import ChanceMode
from ..contracts.distribution import softmax
from ..contracts.game import Game
from ..contracts.noise import Dirichlet
from ..contracts.policy import PolicyValue
from ..contracts.search_memory import FULL, has_room
from ..search.gumbel import best_considered, choose_considered, draw_gumbels, write_improved_policy
from ..search.puct import puct, write_pruned_visits
from ..search.rounds import OTHERS_ROOT, OWN_ROOT, TREES, absorb_round, begin_trees, root_edges, run_round
from ..search.tree import NONE, OPEN, ROOT, append_edge, edges_of, nodes_of, scratch_of
from .resignation import best_hope, gives_up, is_played_out
from .tree_policy import (
    PLAYED_OUT,
    TreePolicy,
    count_simulations,
    greatest,
    sample_by_visits,
    takes_samples,
)

DEFAULT_NOISE = Dirichlet()


def choose_edge(policy, search, edges, first, count, node, value, player):
    """Return the edge to take: at a root by the policy's own rule for it, else by PUCT."""
    if policy.is_gumbel and node.parent == NONE:
        return choose_considered(policy, search, edges, first, count, player)
    return puct(policy, search, edges, first, count, node, value, player)


def read_priors(policy, search, memory, first, count, answer, place, stream):
    """Give a player's edges their priors, with noise at the root; return the player's value."""
    if count > 0:
        edges = edges_of(memory)
        priors = answer[1:]
        softmax(priors, priors, count)
        for position in range(count):
            edges[first + position].prior = priors[position]
        if policy.is_gumbel and place == OWN_ROOT:
            draw_gumbels(edges, first, count, stream)
        elif search.is_fast == 0 and is_noisy(policy, place):
            add_noise(policy, edges, first, count, priors, stream)
    return answer[0]


def is_noisy(policy, place):
    """Return whether a player's priors at a node are mixed with noise."""
    at_root = place == OWN_ROOT or (place == OTHERS_ROOT and policy.noise_everywhere)
    return at_root and policy.noise_share > 0.0


def add_noise(policy, edges, first, count, noise, stream):
    """Mix Dirichlet noise into the priors of the edges."""
    dirichlet(stream, policy.noise_alpha, noise, count)
    for position in range(count):
        edge = edges[first + position]
        edge.prior = (1.0 - policy.noise_share) * edge.prior + policy.noise_share * noise[position]


def draw_effort(policy, search, stream):
    """Draw whether this decision is searched fast, once for a search."""
    search.is_drawn = 1
    if uniform(stream) >= policy.full_share:
        search.is_fast = 1
        search.budget += policy.fast_visits - policy.root_visits


def begin_at_kept_root(policy, search, memory, stream):
    """Mix noise into the priors of a root that an earlier search has evaluated, when a search begins."""
    search.is_under_way = 1
    root = nodes_of(memory)[ROOT]
    if root.kind == OPEN and search.is_fast == 0 and is_noisy(policy, OWN_ROOT):
        noise = array_at(scratch_of(memory).evaluation, root.count, np.float64)
        add_noise(policy, edges_of(memory), root.first, root.count, noise, stream)


class AlphaZero(TreePolicy):
    """Search with PUCT under a policy-value network; act by visit counts.

    Args:
        num_simulations: Simulations per decision, 2 to 2**20; the first evaluates the root, so the root's
            visits total `num_simulations - 1` (but see `reuse_tree`).
        c_puct: Exploration constant, finite and >= 0.
        max_depth: Depth limit in decisions, 1 to 2**20.
        temperature: 0 acts greedily; above 0, actions are sampled with weight (n / n_max)**(1 / temperature).
        temperature_drop: The episode's decision number from which the choice is greedy, or None for never.
        chance: How the search treats chance nodes; None for `chance_modes.AlwaysResample()`.
        noise: Root noise; None for none.
        sequential_backup: `"auto"` (negamax for one and two players, MaxN for more) or `"maxn"`.
        root: `"puct"`, or `"gumbel"`: sequential halving with Gumbel noise and an improved policy target (no
            other noise, no temperature; sequential games).
        considered: Root actions that take part under `"gumbel"`, >= 1.
        gumbel_scale: Weight of the values against the logits under `"gumbel"`, finite and > 0.
        fpu_reduction: First-play urgency: an unvisited edge is worth the node's value less this, times the
            root of the visited prior; None for 0.
        normalise: Whether values are moved to [0, 1] by the range seen in the tree, for returns without bounds
            (one or two players in turn).
        forced_playouts: At the root of a noisy search, visit an edge sqrt(this * prior * visits) times at least,
            and leave the forced visits out of the target; 0 for never (2 in the paper).
        fast_simulations: Simulations of a fast decision, 2 to `num_simulations` - 1: without Dirichlet noise or
            forced playouts, and with `policy_weights` 0 in its record; None for none (playout cap randomisation,
            Wu 2019, section 3.1).
        full_share: The probability of a full decision where some are fast, 0 to 1.
        leaves: Simulations of a tree that may wait for the network at once, 1 to 2**20; above 1, those on their
            way count as visits with a return of -1, so that few games fill a large batch.
        resign_below: The return (discounted, on the scale of the rewards) below which the mover gives the game
            up when the search expects no better; finite, or None for never. Two players in turn, in games that
            state a `resignation`; only in an engine, `choose` plays on. An episode's ticks are those played.
        play_out_share: The probability with which an episode is played to its end in any case, 0 to 1.
        reuse_tree: Whether a search goes on with the tree below the decision that was played, where the episode's
            last search has been there (sequential games; not with `root="gumbel"`).

    Raises:
        ValueError: For a number out of range or an unknown word.
        TypeError: For an argument of another type.

    Example:
        >>> import rinforza as rf
        >>> rf.policies.AlphaZero(num_simulations=64).num_simulations
        64
    """

    name = "alphazero"
    schedulable = (*TreePolicy.schedulable, "c_puct")
    search_dtype = np.dtype(
        [
            *[(name, TREES[name]) for name in TREES.names or ()],
            ("is_drawn", np.int64),  # 1 once it is known whether the search is fast
            ("is_under_way", np.int64),  # 1 once a root that was kept has its noise
            ("is_fast", np.int64),
            ("considered", np.int64),  # root actions that take part in the phase
            ("phases", np.int64),
            ("quota", np.int64),  # visits that each of them has at the end of the phase
        ]
    )

    c_puct: float
    sequential_backup: str
    root: str
    considered: int
    gumbel_scale: float
    normalise: bool
    forced_playouts: float
    fast_simulations: int | None
    full_share: float
    is_gumbel: bool
    has_urgency: bool
    urgency_reduction: float
    has_options: bool
    fast_visits: int
    noise_share: float
    noise_alpha: float
    noise_everywhere: bool
    resign_below: float | None
    play_out_share: float
    resigns: bool
    resignation_value: float
    n_scalars: int

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
        *,
        root: str = "puct",
        considered: int = 16,
        gumbel_scale: float = 0.5,
        fpu_reduction: float | None = None,
        normalise: bool = False,
        forced_playouts: float = 0.0,
        fast_simulations: int | None = None,
        full_share: float = 0.25,
        leaves: int = 1,
        resign_below: float | None = None,
        play_out_share: float = 0.1,
        reuse_tree: bool = False,
    ):
        if noise is not None and not isinstance(noise, Dirichlet):
            raise TypeError(f"noise must be a noise.Dirichlet or None, got {type(noise).__name__}")
        noise = noise if noise is not None and noise.epsilon > 0.0 else None
        if root == "gumbel" and reuse_tree:
            raise ValueError(
                'AlphaZero(reuse_tree=True) takes root="puct": sequential halving shares out a budget among actions '
                "without visits"
            )
        super().__init__(
            num_simulations,
            2,  # the first evaluates the root
            max_depth,
            temperature,
            temperature_drop,
            chance,
            leaves,
            reuse_tree,
            {
                "c_puct": number("c_puct", c_puct, 0.0),
                "noise": noise,
                "sequential_backup": choice("sequential_backup", sequential_backup, ("auto", "maxn")),
                **_checked_options(
                    root, considered, gumbel_scale, fpu_reduction, normalise, forced_playouts, full_share
                ),
                "fast_simulations": _checked_fast(fast_simulations, num_simulations),
                "resign_below": None if resign_below is None else number("resign_below", resign_below),
                "play_out_share": number("play_out_share", play_out_share, 0.0, 1.0),
            },
            {
                "noise_share": 0.0 if noise is None else noise.epsilon,
                "noise_alpha": 1.0 if noise is None else noise.alpha,
                "noise_everywhere": noise is not None and noise.scope == "all",
                "is_gumbel": root == "gumbel",
                "has_urgency": fpu_reduction is not None,
                "urgency_reduction": float(fpu_reduction or 0.0),
                "has_options": fpu_reduction is not None or bool(normalise) or forced_playouts > 0.0,
                "fast_visits": 0 if fast_simulations is None else fast_simulations - 1,
                "resigns": resign_below is not None,
                "resignation_value": 0.0 if resign_below is None else float(resign_below),
                "n_scalars": 2 if resign_below is not None else int(fast_simulations is not None),
            },
        )

    def max_agents(self, dynamics: str) -> int | None:
        """Any number of players."""
        return None

    def values_everyone(self, game: Game) -> bool:
        """Return True for more than two players, where all act at once, and under `"maxn"`."""
        return super().values_everyone(game) or self.sequential_backup == "maxn"

    def valid_progress(self, progress: int) -> bool:
        """Return whether it is a decision number, with the mark of an episode to be played out or without it."""
        return 0 <= progress < (2 * PLAYED_OUT if self.resigns else PLAYED_OUT)

    @property
    def output(self) -> PolicyValue:
        """Logits and values."""
        return PolicyValue()

    @property
    def evaluation_scalars(self) -> int:  # type: ignore[override]
        """Whether the decision was searched in full, where that is asked; then what the mover hopes for."""
        return self.n_scalars

    @property
    def evaluation_heads(self) -> int:
        """The visits, and the target where that is something else."""
        return 2 if self.is_gumbel or self.forced_playouts > 0.0 else 1

    def check_game(self, game: Game, weights: np.ndarray) -> None:
        """Refuse what no option is made for, and what a tree policy refuses.

        Raises:
            ValueError: For such a game.
        """
        super().check_game(game, weights)
        if self.resigns and game.resignation is None:
            raise ValueError(
                f"AlphaZero(resign_below={self.resign_below:g}) ends games by giving them up, and {game.name} does "
                "not state what that pays (Game.resignation); use resign_below=None"
            )
        if self.root == "gumbel" and game.dynamics != "sequential":
            raise ValueError(
                f"AlphaZero(root='gumbel') plays sequential games, and {game.name} is {game.dynamics}"
            )
        if self.normalise and self.values_everyone(game):
            raise ValueError(
                f"AlphaZero(normalise=True) plays one or two players in turn with sequential_backup='auto'; "
                f"{game.name} is {game.dynamics} with {game.num_players} players"
            )

    # ---------------------------------------------------------------- compiled from here on

    def begin_search(self, rules, search, memory, state, players):
        code = begin_trees(self, rules, search, memory, state, players)
        if code == 0 and self.is_gumbel:
            count = nodes_of(memory)[ROOT].count
            if not has_room(memory, 0, count, 0, 0):
                return FULL
            for _ in range(count):  # the shadows of the root's edges
                append_edge(memory, 0)
        return code

    def round(self, rules, search, memory, stream):
        if self.fast_visits > 0 and search.is_drawn == 0:
            draw_effort(self, search, stream)
        if self.reuse_tree and search.is_under_way == 0:
            begin_at_kept_root(self, search, memory, stream)
        rows = run_round(self, rules, search, memory, choose_edge, stream)
        if rows == 0:
            count_simulations(self, search, memory)
        return rows

    def absorb(self, rules, search, memory, stream):
        return absorb_round(self, rules, search, memory, read_priors, stream)

    def finish(self, rules, search, memory, perspective, evaluation):
        first, count = root_edges(rules, memory, perspective)
        edges = edges_of(memory)
        root = nodes_of(memory)[perspective if rules.simultaneous != 0 else ROOT]
        if self.n_scalars > 0:
            evaluation[0] = 1.0 - search.is_fast
        if self.n_scalars > 1:
            evaluation[1] = best_hope(edges, first, count)
        visits = evaluation[self.n_scalars :]
        for position in range(count):
            visits[position] = edges[first + position].visits
        target = visits[count:]
        if self.is_gumbel:
            write_improved_policy(self, search, edges, first, count, root, target)
            best = best_considered(self, search, edges, first, count, root.mover)
            for position in range(count):
                visits[position] = 1.0 if first + position == best else 0.0
        elif self.forced_playouts > 0.0:
            write_pruned_visits(self, search, edges, first, count, root, target)

    def begin_episode(self, ply, stream):
        if self.resigns and is_played_out(self, stream):
            return ply | PLAYED_OUT
        return ply

    def select(self, evaluation, n_actions, progress, stream):
        resigns = self.resigns and gives_up(self, evaluation, progress)
        visits = evaluation[self.n_scalars :]
        if takes_samples(self, progress):
            position = sample_by_visits(self, visits, n_actions, stream)
        else:
            position = greatest(visits, n_actions)
        return -1 - position if resigns else position


def _checked_options(
    root: Any,
    considered: Any,
    gumbel_scale: Any,
    fpu_reduction: Any,
    normalise: Any,
    forced_playouts: Any,
    full_share: Any,
) -> dict[str, Any]:
    """Return the options as parameters."""
    return {
        "root": choice("root", root, ("puct", "gumbel")),
        "considered": integer("considered", considered, 1, LARGEST_BUDGET),
        "gumbel_scale": number("gumbel_scale", gumbel_scale, 0.0, open_low=True),
        "fpu_reduction": None if fpu_reduction is None else number("fpu_reduction", fpu_reduction, 0.0),
        "normalise": flag("normalise", normalise),
        "forced_playouts": number("forced_playouts", forced_playouts, 0.0),
        "full_share": number("full_share", full_share, 0.0, 1.0),
    }


def _checked_fast(fast_simulations: Any, num_simulations: Any) -> int | None:
    fast = optional_integer("fast_simulations", fast_simulations, 2, LARGEST_BUDGET)
    if fast is not None and fast >= integer("num_simulations", num_simulations, 0):
        raise ValueError(
            f"fast_simulations must be < num_simulations, got {fast} and {num_simulations}; a fast search is a "
            "shorter one"
        )
    return fast
