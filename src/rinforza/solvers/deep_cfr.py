"""Deep CFR: traversals that turn advantage networks into training data for the next ones.

In iteration t each player is the traverser of many games. At its own decisions all actions are tried, and the
advantage of each becomes a target; of the others and of chance one action is drawn. All play by regret
matching on their networks' advantages; where none is positive, the largest is played. The strategies met of
the player after the traverser train the average policy. Buffers, weights, networks and their training are the
caller's.

Brown et al. 2019, "Deep counterfactual regret minimization".
"""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..contracts.arguments import integer
from ..contracts.configuration import component_block
from ..contracts.game import Game
from ..contracts.infer import Infer, routed
from ..contracts.reward import Reward
from .deep_cfr_batch import DeepCfrBatch
from .deep_cfr_collection import Collection, Order, checked_scores
from .evaluation import Evaluation, normalised
from .network_policy import legal_scores
from .tree import MOST_NODES, Composition, GameTree, TooLargeError

CONFIG_SCHEMA = 1
LARGEST_SEED = (1 << 64) - 1
MOST_TRAVERSALS = (1 << 31) - 1


class DeepCfr:
    """Collects the samples of Deep CFR, with the caller's networks.

    In a two-player zero-sum game the average of the strategies comes closer to a Nash equilibrium as networks
    fit better and samples get more; with more players there is no such guarantee.

    Utilities are the game's rewards with their default weights. A horizon (`max_ticks`) is not applied.

    Args:
        game: Any sequential game with information states, for any number of players.
        seed: Chooses the draws, 0 to 2**64 - 1. Equal seeds and answers give equal batches.

    Raises:
        TypeError: If an argument is of another type.
        ValueError: If the game does not fit, or the seed is out of range.
        OverflowError: If the seed is negative or too large.

    Example:
        >>> import numpy as np
        >>> import rinforza as rf
        >>> solver = rf.solvers.DeepCfr(rf.games.KuhnPoker(), seed=1)
        >>> solver.next_iteration()
        >>> batch = solver.collect(0, 100, lambda obs: np.zeros((len(obs), 2), np.float32))
        >>> batch.advantage_obs.shape == (batch.telemetry["advantage_samples"], 6)
        True
    """

    def __init__(self, game: Game, seed: int = 0):
        self._seed = integer("seed", seed, 0, LARGEST_SEED)
        self._composition = Composition(game)
        self.game = game
        self._iteration = 0
        self._traversals = 0
        self._busy = threading.Lock()
        self._game_tree: GameTree | None = None

    @property
    def iteration(self) -> int:
        """The iteration that is under way; 0 before the first `next_iteration`."""
        return self._iteration

    @property
    def num_players(self) -> int:
        """Players of the game."""
        return self.game.num_players

    def next_iteration(self) -> None:
        """Begin the next iteration; the samples that follow carry its number."""
        self._iteration += 1

    def resolved_config(self) -> dict[str, Any]:
        """Return the configuration as plain values: `schema`, `solver`, `game`, `reward`."""
        return {
            "schema": CONFIG_SCHEMA,
            "solver": {"name": "deep_cfr", "seed": self._seed},
            "game": component_block(self.game),
            "reward": Reward().resolve(self.game),
        }

    def collect(self, player: int, traversals: int, infer: Infer | Sequence[Infer]) -> DeepCfrBatch:
        """Traverse the game for one player, and return what is to be learned from it.

        The traversals advance side by side. Each player's network is asked in one call about all information
        states that stopped them, and once about each: networks must not change meanwhile. An exception of the
        callback comes through unchanged; the next call then does the same traversals.

        Args:
            player: The traverser.
            traversals: How many games, 0 or more.
            infer: Called with float32 (rows, observation size); returns one advantage for each action id,
                float32 or float64 (rows, actions). One callable for all players, or a sequence of one each.

        Returns:
            The samples, in the order of the traversals.

        Raises:
            TypeError: If an argument or an answer is of another type, rank or dtype.
            ValueError: If no iteration has begun, the player is out of range, an answer has another shape or
                is not finite, or the game breaks its contract.
            OverflowError: If a number is negative.
            RuntimeError: If another `collect` of this solver is under way.
        """
        player = integer("player", player, 0, self.num_players - 1)
        traversals = integer("traversals", traversals, 0, MOST_TRAVERSALS)
        infers = routed(infer, self.num_players)
        if self._iteration == 0:
            raise ValueError(
                "call next_iteration() before collecting (samples are weighted by the iteration)"
            )
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("this DeepCfr is collecting already; wait for it, or make another one")
        try:
            order = Order(player, traversals, self._iteration, self._seed, self._traversals)
            batch = Collection(self._composition, order, infers).run()
            self._traversals += traversals
        finally:
            self._busy.release()
        return batch

    def exploitability(self, policy_infer: Infer) -> float:
        """Return how much a policy network can be exploited, exactly: nash_conv / players, 0 at an equilibrium.

        Args:
            policy_infer: Called once with the observations of all information states, float32 (rows,
                observation size); returns a score for each action id, float32 or float64 (rows, actions).
                Negative scores count as 0; the strategy is each legal action's share of the sum, uniform
                where no score is positive.

        Raises:
            TypeError: If `policy_infer` is not callable, or its answer is of another type, rank or dtype.
            ValueError: If its answer has another shape or is not finite, or the game is too large to be
                enumerated or has imperfect recall.
        """
        if not callable(policy_infer):
            raise TypeError(f"policy_infer must be callable, got {type(policy_infer).__name__}")

        def read(answer: Any, rows: int, n_actions: int) -> np.ndarray:
            return checked_scores(answer, "policy_infer", rows, n_actions, "scores")

        tree = self._tree()
        bounds = tree.sets.bounds
        positive = np.maximum(legal_scores(tree, [policy_infer], read, MOST_NODES), 0.0)
        largest = np.maximum.reduceat(positive, bounds[:-1])  # as a unit, so that no sum overflows
        shares = positive / np.repeat(np.where(largest > 0.0, largest, 1.0), np.diff(bounds))
        return Evaluation(tree, normalised(shares, bounds)).exploitability()

    def _tree(self) -> GameTree:
        """Return the game enumerated; that is done once."""
        if self._game_tree is None:
            try:
                # of a composition of its own, since a collection may be using the other's scratch arrays
                self._game_tree = GameTree(Composition(self.game))
            except TooLargeError as error:
                raise ValueError(f"no exact metric: {error}") from None
        return self._game_tree
