"""Tabular counterfactual regret minimisation."""

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..compiled import Prototype
from ..contracts.arguments import choice, integer, number
from ..contracts.configuration import component_block, fingerprint
from ..contracts.game import Game
from . import dcfr, external_mccfr, linear, outcome_mccfr, plus, predictive_plus, saving, vanilla
from .evaluation import Evaluation, normalised
from .sampled_game import SampledGame
from .tree import MOST_NODES, Composition, GameTree, InformationState, TooLargeError
from .whole_game import Weights, WholeGame

LARGEST_SEED = (1 << 64) - 1
LARGEST_POWER = 20.0
LARGEST_TREE = (1 << 31) - 1  # nodes are numbered with 32 bits
RENEWALS: dict[str, tuple[Callable, float]] = {
    "vanilla": (vanilla.renew, vanilla.AVERAGE_POWER),
    "plus": (plus.renew, plus.AVERAGE_POWER),
    "linear": (linear.renew, linear.AVERAGE_POWER),
    "dcfr": (dcfr.renew, dcfr.GAMMA),
    "predictive_plus": (predictive_plus.renew, predictive_plus.AVERAGE_POWER),
}
TRAVERSALS: dict[str, tuple[Callable, Prototype]] = {
    "external_mccfr": (external_mccfr.run_at, external_mccfr.RUN),
    "outcome_mccfr": (outcome_mccfr.run_at, outcome_mccfr.RUN),
}
VARIANTS = (*RENEWALS, *TRAVERSALS)


class Option(NamedTuple):
    """A parameter of one variant."""

    variant: str
    default: float
    low: float
    high: float


OPTIONS = {
    "alpha": Option("dcfr", dcfr.ALPHA, -LARGEST_POWER, LARGEST_POWER),
    "beta": Option("dcfr", dcfr.BETA, -LARGEST_POWER, LARGEST_POWER),
    "gamma": Option("dcfr", dcfr.GAMMA, 0.0, LARGEST_POWER),
    "exploration": Option("outcome_mccfr", outcome_mccfr.EXPLORATION, 0.0, 1.0),
}


class Cfr:
    """Counterfactual regret minimisation: a table of strategies that comes closer to an equilibrium.

    In a two-player zero-sum game the average strategy converges to a Nash equilibrium. With more players, or
    sums that are not zero, there is no such guarantee.

    Utilities are the game's rewards with their default weights. A horizon (`max_ticks`) is not applied: the
    rules have to end the game.

    Args:
        game: Any sequential game with information states and chance nodes that can be listed. The sampled
            variants also take games with more than `most_histories`, Hold'em say; the others visit the whole
            game in each iteration.
        variant: `"vanilla"`, `"plus"`, `"linear"`, `"dcfr"`, `"predictive_plus"`, or the sampled
            `"external_mccfr"` and `"outcome_mccfr"`.
        seed: Chooses the draws of the sampled variants, 0 to 2**64 - 1.
        alpha: Of `"dcfr"`: positive regrets fade by t**alpha / (t**alpha + 1), -20 to 20; 1.5.
        beta: Of `"dcfr"`: negative regrets fade by t**beta / (t**beta + 1), -20 to 20; 0.
        gamma: Of `"dcfr"`: iteration t counts t**gamma in the average strategy, 0 to 20; 2.
        exploration: Of `"outcome_mccfr"`: the share of uniform draws, above 0, up to 1; 0.6.
        most_histories: Up to how many histories a game is enumerated, which takes about 50 bytes each.

    Raises:
        TypeError: If an argument is of another type.
        ValueError: If the game does not fit, the variant is unknown, a parameter belongs to another one, or
            a number is out of range.
        OverflowError: If a number is negative or too large.

    Example:
        >>> import rinforza as rf
        >>> solver = rf.solvers.Cfr(rf.games.KuhnPoker(), "plus")
        >>> solver.iterate(1000)
        >>> round(solver.expected_value(0), 3), solver.exploitability() < 0.001
        (-0.056, True)
    """

    def __init__(
        self,
        game: Game,
        variant: str = "plus",
        seed: int = 0,
        *,
        alpha: float | None = None,
        beta: float | None = None,
        gamma: float | None = None,
        exploration: float | None = None,
        most_histories: int = MOST_NODES,
    ):
        self.variant = choice("variant", variant, VARIANTS)
        seed = integer("seed", seed, 0, LARGEST_SEED)
        most_histories = integer("most_histories", most_histories, 0, LARGEST_TREE)
        given = {"alpha": alpha, "beta": beta, "gamma": gamma, "exploration": exploration}
        self._options = _checked_options(self.variant, given)
        composition = Composition(game)
        self.game = game
        self._lock = threading.Lock()
        self._too_large: str | None = None
        tree = self._enumerated(composition, most_histories)
        self._solver = self._made_solver(composition, tree, seed)

    def _made_solver(
        self, composition: Composition, tree: GameTree | None, seed: int
    ) -> WholeGame | SampledGame:
        options = self._options
        if tree is not None and self.variant in RENEWALS:
            renew, power = RENEWALS[self.variant]
            weights = Weights(
                options.get("gamma", power), options.get("alpha", 0.0), options.get("beta", 0.0)
            )
            return WholeGame(tree, self.variant, renew, weights)
        run, prototype = TRAVERSALS[self.variant]
        return SampledGame(composition, tree, run, prototype, seed, options.get("exploration", 0.0))

    @property
    def _fingerprint(self) -> str:
        """What makes two solvers' tables interchangeable; not the seed."""
        block = {"solver": "cfr", "game": component_block(self.game), "variant": self.variant}
        return fingerprint({**block, **self._options, "enumerated": self._solver.tree is not None})

    def _enumerated(self, composition: Composition, most_histories: int) -> GameTree | None:
        """Return the game as a tree, or None if it is too large and the variant does without."""
        try:
            return GameTree(composition, most_histories)
        except TooLargeError as error:
            if self.variant in RENEWALS:
                raise
            self._too_large = str(error)
            return None

    @property
    def iterations(self) -> int:
        """Iterations that are complete."""
        return self._solver.iterations

    @property
    def num_players(self) -> int:
        """Players of the game."""
        return self.game.num_players

    @property
    def num_infosets(self) -> int:
        """Information states that were visited so far; 0 before the first iteration."""
        return self._solver.n_visited

    def iterate(self, n: int) -> None:
        """Do `n` iterations, each of which updates every player in turn.

        Ctrl-C is heard every few iterations, and leaves the solver as it is after one of them.

        Raises:
            TypeError: If `n` is no int.
            OverflowError: If it is negative.
            ValueError: If the game breaks its contract on the way.
        """
        count = integer("n", n, 0)
        with self._lock:
            self._solver.run(count)

    # ------------------------------------------------------------------------------- strategies

    def average_strategy(self, key: bytes) -> tuple[list[int], list[float]] | None:
        """Return the average strategy of an information state.

        Args:
            key: Its bytes, as `Env.information_state_key` gives them.

        Returns:
            The legal actions and their probabilities, or None if it was never visited.

        Raises:
            TypeError: If `key` is not bytes.
        """
        if not isinstance(key, bytes):
            raise TypeError(f"key must be bytes, got {type(key).__name__}")
        with self._lock:
            sets = self._solver.sets
            row = sets.find(key)
            if row is None or not self._solver.was_visited(row):
                return None
            sums = self._solver.averages[sets.bounds_of(row)]
            return list(sets.actions(row)), normalised(sums, np.array([0, len(sums)])).tolist()

    def policy(self, state: InformationState) -> list[float] | None:
        """Return the average strategy as `best_response` and `exploitability` ask for it."""
        found = self.average_strategy(state.key)
        return None if found is None else found[1]

    # ---------------------------------------------------------------------------- exact metrics

    def expected_value(self, player: int) -> float:
        """Return what a player gets when all play the average strategy, uniform where never visited.

        Raises:
            ValueError: If the player is out of range, or the game is too large to be enumerated.
            OverflowError: If the player is negative.
        """
        player = integer("player", player, 0, self.num_players - 1)
        return self._evaluation().expected_value(player)

    def best_response_values(self) -> list[float]:
        """Return the most that each player can get against the average strategy of the others.

        Raises:
            ValueError: If the game is too large to be enumerated, or has imperfect recall.
        """
        return self._evaluation().best_response_values()

    def nash_conv(self) -> float:
        """Return the sum over the players of what a best response gains; raises as `best_response_values`."""
        return self._evaluation().nash_conv()

    def exploitability(self) -> float:
        """Return `nash_conv` / players, 0 at an equilibrium; raises as `best_response_values` does."""
        return self._evaluation().exploitability()

    def _evaluation(self) -> Evaluation:
        tree = self._solver.tree
        if tree is None:
            raise ValueError(f"no exact metric: {self._too_large}")
        with self._lock:
            return Evaluation(tree, normalised(self._solver.averages, tree.sets.bounds))

    # ---------------------------------------------------------------------------- save and load

    def save(self) -> bytes:
        """Return all that `load` needs to go on as this solver will: tables, iteration, random stream."""
        with self._lock:
            self._solver.settle()
            return saving.to_bytes(self._fingerprint, self._solver.saved())

    def load(self, data: bytes) -> None:
        """Go on from what a solver of the same game and variant saved; its seed comes with it.

        Raises:
            TypeError: If `data` is not bytes.
            ValueError: "invalid Cfr: ..." if it is damaged, cut, or of another composition. Nothing has
                changed then.
        """
        with self._lock:
            self._solver.restore(saving.from_bytes(data, self._fingerprint, self._solver.saved()))


def _checked_options(variant: str, given: dict[str, Any]) -> dict[str, float]:
    """Return the parameters of a variant, with defaults where none is given."""
    options = {}
    for name, option in OPTIONS.items():
        value = given[name]
        if variant == option.variant:
            value = option.default if value is None else value
            options[name] = number(name, value, option.low, option.high, open_low=name == "exploration")
        elif value is not None:
            raise ValueError(f"{name} is a parameter of {option.variant!r}, not of the variant {variant!r}")
    return options
