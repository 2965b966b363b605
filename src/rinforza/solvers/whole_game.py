"""Running a variant that visits the whole game: its arrays, its iterations, what is saved of it."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from ..compiled import Compiled, compile_function, plain_python
from .evaluation import evaluation_kernels, sequence_arrays
from .full_width import FULL_WIDTH, ITERATE, RENEW, iterate_at
from .saving import ENVELOPE
from .tree import GameTree

UNITS_PER_CALL = 10_000_000  # of work: some ten milliseconds, after which an interrupt is heard
CLOSE_TO_ONE = 1e-9
TABLES = ("regrets", "averages", "strategy")  # what is saved


class Weights(NamedTuple):
    """The numbers of a variant.

    Attributes:
        average_power: Iteration t counts t ** average_power times in the average strategy.
        alpha: Of discounted CFR.
        beta: Of discounted CFR.
    """

    average_power: float
    alpha: float = 0.0
    beta: float = 0.0


@cache
def _iterate(lane: bool) -> Callable:
    return compile_function(iterate_at, ITERATE, {}, "solvers.iterate").entry


@cache
def _compiled_renew(lane: bool, renew: Callable, name: str) -> Compiled:
    return compile_function(renew, RENEW, {"solver": FULL_WIDTH}, f"solvers.{name}.renew")


class WholeGame:
    """A full-width variant on one game.

    Args:
        tree: The game.
        name: The variant's name, for messages.
        renew: Its function (see `full_width`).
        weights: Its numbers.

    Attributes:
        sets: The information states.
        tree: The game.
    """

    def __init__(self, tree: GameTree, name: str, renew: Callable, weights: Weights):
        self.tree, self.sets = tree, tree.sets
        lane = plain_python()
        self._iterate = _iterate(lane)
        self._prepare = evaluation_kernels(lane).prepare
        self._renew = _compiled_renew(lane, renew, name)
        self._arrays = sequence_arrays(tree)
        for field in ("regrets", "changes", "averages"):
            self._arrays.zeros(field, tree.sets.used, np.float64)
        record = self._arrays.record
        record["renew"] = self._renew.address
        record["average_power"], record["alpha"], record["beta"] = weights
        self._prepare(self._arrays.address)
        units = len(tree.leaf_sequences) * tree.composition.game.num_players + 8 * tree.sets.used
        self._chunk = max(1, UNITS_PER_CALL // units)

    @property
    def iterations(self) -> int:
        """Iterations that are complete."""
        return self._arrays.number("iteration")

    @property
    def n_visited(self) -> int:
        """How many information states were visited."""
        return self.sets.rows if self.iterations > 0 else 0

    def was_visited(self, row: int) -> bool:
        """Return whether an information state was visited."""
        return self.iterations > 0

    @property
    def averages(self) -> np.ndarray:
        """The weighted sum of the strategies, float64[used]."""
        return self._arrays["averages"]

    def run(self, count: int) -> None:
        """Do so many iterations."""
        last = self.iterations + count
        while self.iterations < last:
            self._iterate(self._arrays.address, min(self._chunk, last - self.iterations))

    def settle(self) -> None:
        """Complete the iteration that an interrupt left open: there is never one."""

    def saved(self) -> dict[str, np.ndarray]:
        """Return what makes the next iterations what they will be."""
        return {
            "progress": np.array([self.iterations], np.int64),
            **{name: self._arrays[name] for name in TABLES},
        }

    def restore(self, saved: dict[str, np.ndarray]) -> None:
        """Continue from what was saved.

        Raises:
            ValueError: "invalid Cfr: ..." if it cannot be that of this game; nothing has changed then.
        """
        expect = ENVELOPE.expect
        begun = saved["progress"].shape == (1,) and saved["progress"][0] >= 0
        expect(begun, "its iteration is negative")
        for name in TABLES:
            expect(len(saved[name]) == self.sets.used, f"it has another number of {name}")
        expect((saved["averages"] >= 0.0).all(), "the weight of an action is negative")
        expect((saved["strategy"] >= 0.0).all(), "a probability is negative")
        sums = np.add.reduceat(saved["strategy"], self._arrays["first"][:-1])
        expect(np.abs(sums - 1.0).max() < CLOSE_TO_ONE, "the probabilities of a strategy do not add up to 1")
        for name in TABLES:
            self._arrays[name][:] = saved[name]
        self._arrays.record["iteration"] = saved["progress"][0]
        self._prepare(self._arrays.address)
