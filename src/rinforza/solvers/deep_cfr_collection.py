"""One collection of Deep CFR: its arrays, which grow, and the rounds of asking the networks."""

import time
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..compiled import compile_function, plain_python
from ..compiled.random import STREAM
from ..contracts.infer import Infer, float_array
from .arrays import Arrays
from .deep_cfr_batch import DeepCfrBatch, packed
from .deep_cfr_traversal import (
    ADVANCE,
    ADVANTAGE,
    ADVANTAGES_FULL,
    AMBIGUOUS,
    BREAK,
    COLLECTION,
    DONE,
    ENDLESS,
    FRAME,
    FRAMES_FULL,
    LANE,
    LOOK,
    MATCH,
    NONE,
    NOT_SEQUENTIAL,
    SETS_FULL,
    STRATEGIES_FULL,
    STRATEGY,
    STUCK,
    TARGETS_FULL,
    advance_at,
    look_at,
    match_at,
)
from .tree import Composition

MOST_LANES = 4096  # traversals in flight, and so rows in a call at most
MOST_PLIES = 1 << 16
STEPS_PER_CALL = 1 << 18  # nodes: some ten milliseconds, after which an interrupt is heard
FIRST_ROOM = 256
DOUBLE = 8  # bytes of a float64
GROWING = {
    FRAMES_FULL: ("frame_room", ("frames", "frame_values", "frame_states")),
    ADVANTAGES_FULL: ("advantage_room", ("advantages",)),
    TARGETS_FULL: ("target_room", ("targets",)),
    STRATEGIES_FULL: ("strategy_room", ("strategies",)),
}
FAULTS = {
    AMBIGUOUS: "its information_state gives the same bytes for different players or legal actions",
    STUCK: "a player is to move and has no legal action",
    NOT_SEQUENTIAL: "its actor is neither a player nor CHANCE nor TERMINAL",
}


class CollectionKernels:
    """The compiled entry points of `deep_cfr_traversal`."""

    def __init__(self):
        self.advance = compile_function(advance_at, ADVANCE, {}, f"solvers.{ADVANCE.name}").entry
        self.look = compile_function(look_at, LOOK, {}, f"solvers.{LOOK.name}").entry
        self.match = compile_function(match_at, MATCH, {}, f"solvers.{MATCH.name}").entry


@cache
def collection_kernels(lane: bool) -> CollectionKernels:
    """Return the entry points of a lane (`plain_python()`); made once each."""
    return CollectionKernels()


class Order(NamedTuple):
    """What is to be collected.

    Attributes:
        player: The traverser.
        traversals: How many.
        iteration: What the records carry.
        seed: Of the solver.
        first_number: How many traversals the solver did before.
    """

    player: int
    traversals: int
    iteration: int
    seed: int
    first_number: int


class Collection:
    """The work in progress of one `collect`; whatever goes wrong, dropping it undoes everything.

    Args:
        composition: The game.
        order: What is to be collected.
        infers: One callback for all players, or one for each.
    """

    def __init__(self, composition: Composition, order: Order, infers: list[Infer]):
        self._composition, self._order, self._infers = composition, order, infers
        self._kernels = collection_kernels(plain_python())
        self._sets = composition.information_sets()
        self._calls, self._infer_seconds = 0, 0.0
        self._arrays = Arrays(COLLECTION)
        self._prepare()

    def _prepare(self) -> None:
        composition, order, arrays = self._composition, self._order, self._arrays
        record, size = arrays.record, composition.rules.state_size
        n_actions, n_lanes = composition.game.num_actions, min(order.traversals, MOST_LANES)
        record["rules"], record["scratch"] = composition.rules.address, composition.scratch.address
        record["n_players"], record["n_actions"] = composition.game.num_players, n_actions
        record["traverser"], record["n_traversals"] = order.player, order.traversals
        record["seed"], record["first_number"] = order.seed, order.first_number
        record["n_lanes"], record["most_plies"], record["free_frame"] = n_lanes, MOST_PLIES, NONE
        arrays.put("first_state", composition.first_state())
        lanes = arrays.zeros("lanes", n_lanes, LANE)
        lanes["number"], lanes["traversal"] = np.arange(n_lanes), NONE
        arrays.zeros("streams", n_lanes, STREAM)
        arrays.zeros("states", (n_lanes, size), np.uint8)
        arrays.zeros("frames", 0, FRAME)
        arrays.zeros("frame_values", (0, n_actions), np.float64)
        arrays.zeros("frame_states", (0, size), np.uint8)
        arrays.zeros("advantages", 0, ADVANTAGE)
        arrays.zeros("targets", 0, np.float64)
        arrays.zeros("strategies", 0, STRATEGY)
        arrays.zeros("row_states", (0, size), np.uint8)
        arrays.zeros("strategy", 0, np.float64)
        for code in GROWING:
            self._lengthen(code)
        self._match_sets()

    def run(self) -> DeepCfrBatch:
        """Do all traversals, and return their records."""
        started = time.perf_counter()
        record = self._arrays.record
        while True:
            record["steps"] = STEPS_PER_CALL
            code = self._kernels.advance(self._arrays.address)
            if code == SETS_FULL:
                self._sets.grow()
                self._match_sets()
            elif code in GROWING:
                self._lengthen(code)
            elif code == DONE:
                if self._arrays.number("n_finished") == self._order.traversals:
                    break
                self._ask()
            elif code != BREAK:
                self._refuse(code)
        batch = self._batch()
        batch.telemetry.update(self._measured(batch, started))
        return batch

    def _refuse(self, code: int) -> None:
        game = self._composition.game
        if code == ENDLESS:
            raise ValueError(
                f"a game of {game!r} was not over after {MOST_PLIES} moves; sampling needs games that end"
            )
        raise ValueError(
            f"{game!r} breaks the Game contract: {FAULTS[code]}; rf.testing.check_game says more"
        )

    def _lengthen(self, code: int) -> None:
        """Make room in the arrays that are full."""
        room, fields = GROWING[code]
        length = max(FIRST_ROOM, 2 * self._arrays.number(room), self._composition.game.num_actions)
        for field in fields:
            self._arrays.lengthen(field, length)
        self._arrays.record[room] = length

    def _match_sets(self) -> None:
        """Make what goes along with the information states as long as their table."""
        self._arrays.record["sets"] = self._sets.arrays.address
        self._arrays.lengthen("row_states", self._sets.room)
        self._arrays.lengthen("strategy", self._sets.pool_room)

    # ---------------------------------------------------------------------------- the networks

    def _ask(self) -> None:
        """Ask about all information states that are new, with one call for each player."""
        first, end = self._arrays.number("n_answered"), self._sets.rows
        players = self._sets.arrays["entries"]["player"][first:end]
        for player in np.unique(players).tolist():
            rows = first + np.flatnonzero(players == player)
            answers = self._answers(player, self._observations(rows))
            self._kernels.match(
                self._arrays.address,
                rows.ctypes.data,
                len(rows),
                answers.ctypes.data,
                answers.itemsize == DOUBLE,
            )
        self._arrays.record["n_answered"] = end

    def _observations(self, rows: np.ndarray) -> np.ndarray:
        """Return what the network sees in some rows, as a fresh array; a row may occur more than once."""
        rows = np.ascontiguousarray(rows)
        out = np.empty((len(rows), self._composition.rules.observation_size), np.float32)
        self._kernels.look(self._arrays.address, rows.ctypes.data, len(rows), out.ctypes.data)
        return out

    def _answers(self, player: int, obs: np.ndarray) -> np.ndarray:
        """Return the checked advantages of a player's network, (rows, actions) and contiguous."""
        infer = self._infers[player if len(self._infers) > 1 else 0]
        started = time.perf_counter()
        answer = infer(obs)
        self._infer_seconds += time.perf_counter() - started
        self._calls += 1
        return checked_scores(answer, "infer", len(obs), self._composition.game.num_actions, "advantages")

    # ------------------------------------------------------------------------------- the batch

    def _batch(self) -> DeepCfrBatch:
        """Return the records in the order of their traversals."""
        number = self._arrays.number
        advantages = _in_order(self._arrays["advantages"][: number("n_advantages")])
        strategies = _in_order(self._arrays["strategies"][: number("n_strategies")])
        entries = self._sets.entries
        columns = self._columns(entries)
        rows = advantages["row"]
        advantage_ids, advantage_targets, advantage_offsets = packed(
            entries, rows, advantages["first"], columns, self._arrays["targets"]
        )
        gathered = strategies["row"]
        strategy_ids, strategy_probs, strategy_offsets = packed(
            entries, gathered, entries["first"][gathered], columns, self._arrays["strategy"]
        )
        iteration = self._order.iteration
        return DeepCfrBatch(
            advantage_obs=self._observations(rows),
            advantage_iterations=np.full(len(rows), iteration, np.int64),
            advantage_legal_offsets=advantage_offsets,
            advantage_legal_ids=advantage_ids,
            advantage_targets=advantage_targets,
            strategy_obs=self._observations(gathered),
            strategy_iterations=np.full(len(gathered), iteration, np.int64),
            strategy_players=entries["player"][gathered].astype(np.int64),
            strategy_legal_offsets=strategy_offsets,
            strategy_legal_ids=strategy_ids,
            strategy_probs=strategy_probs,
            n_actions=self._composition.game.num_actions,
        )

    def _measured(self, batch: DeepCfrBatch, started: float) -> dict[str, float]:
        """Return the telemetry."""
        asked, lookups = self._arrays.number("n_answered"), self._arrays.number("n_lookups")
        return {
            "player": self._order.player,
            "traversals": self._order.traversals,
            "advantage_samples": len(batch.advantage_obs),
            "strategy_samples": len(batch.strategy_obs),
            "infer_calls": self._calls,
            "infer_rows": asked,
            "infer_seconds": self._infer_seconds,
            "collect_seconds": time.perf_counter() - started,
            "cache_lookups": lookups,
            "cache_hits": lookups - asked,
        }

    def _columns(self, entries: np.ndarray) -> np.ndarray:
        """Return the network column of each action in the pool, int64."""
        actions = self._sets.arrays["actions"][: self._sets.used].astype(np.int64)
        return self._composition.head_columns(actions, np.repeat(entries["player"], entries["count"]))


def checked_scores(answer: Any, name: str, rows: int, n_actions: int, what: str) -> np.ndarray:
    """Return what a network answered as a contiguous array of finite numbers.

    Args:
        answer: What it returned.
        name: The parameter that it was given as.
        rows: How many rows it was asked about.
        n_actions: Columns of the answer.
        what: What a column holds, for the message.

    Raises:
        TypeError: For another type, rank or dtype than float32 or float64 (rows, n_actions).
        ValueError: For another shape, or numbers that are not finite.
    """
    scores = float_array(answer, f"Deep CFR {name} output", 2)
    if scores.shape != (rows, n_actions):
        raise ValueError(
            f"{name} returned shape {scores.shape}; expected ({rows}, {n_actions}), "
            f"one row of {n_actions} {what} per query"
        )
    if not np.isfinite(scores).all():
        raise ValueError(f"Deep CFR {name} outputs must contain only finite values")
    return np.ascontiguousarray(scores)


def _in_order(records: np.ndarray) -> np.ndarray:
    """Sort records by their traversal; those of one traversal stay in the order of writing."""
    return records[np.argsort(records["traversal"], kind="stable")]
