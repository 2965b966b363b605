"""Running a sampled variant: its arrays, which grow, its iterations, what is saved of it."""

import time
from collections.abc import Callable
from functools import cache

import numpy as np

from ..compiled import Prototype, compile_function, plain_python
from ..compiled.random import STREAM, derive_key
from .arrays import Arrays
from .sampling import AMBIGUOUS, DONE, FRAME, FRAMES_FULL, NOT_SEQUENTIAL, SAMPLER, SETS_FULL, STUCK
from .saved_sets import restored_sets, saved_sets
from .saving import ENVELOPE
from .tree import Composition, GameTree

PURPOSE = np.uint64(0x636672)  # keeps a solver's draws apart from an engine's
FIRST_FRAMES = 32
MOST_FRAMES = 1 << 16
CALL_SECONDS = 0.03  # after so long an interrupt is heard
FAULTS = {
    AMBIGUOUS: "its information_state gives the same bytes for different players or legal actions",
    STUCK: "a player is to move and has no legal action",
    NOT_SEQUENTIAL: "its actor is neither a player nor CHANCE nor TERMINAL",
}


@cache
def _compiled_run(lane: bool, run: Callable, prototype: Prototype) -> Callable:
    return compile_function(run, prototype, {}, f"solvers.{prototype.name}").entry


class SampledGame:
    """A sampled variant on one game.

    Args:
        composition: The game.
        tree: The game enumerated, or None if it is too large for that.
        run: The variant's `run_at`.
        prototype: Its prototype.
        seed: Chooses the draws.
        exploration: Of outcome sampling.

    Attributes:
        sets: The information states: all of an enumerated game, else those that were met.
    """

    def __init__(
        self,
        composition: Composition,
        tree: GameTree | None,
        run: Callable,
        prototype: Prototype,
        seed: int,
        exploration: float,
    ):
        self.tree, self._composition = tree, composition
        self.sets = composition.information_sets() if tree is None else tree.sets
        self._run = _compiled_run(plain_python(), run, prototype)
        self._chunk = 1
        self._arrays = Arrays(SAMPLER)
        record, n_actions = self._arrays.record, composition.game.num_actions
        record["rules"], record["scratch"] = composition.rules.address, composition.scratch.address
        record["n_players"], record["n_actions"] = composition.game.num_players, n_actions
        record["exploration"] = exploration
        stream = self._arrays.zeros("stream", 1, STREAM)
        with np.errstate(over="ignore"):
            stream["key"] = derive_key(np.uint64(seed), PURPOSE, np.uint64(0))
        self._arrays.put("first_state", composition.first_state())
        self._arrays.zeros("states", (0, composition.rules.state_size), np.uint8)
        self._arrays.zeros("frames", 0, FRAME)
        self._arrays.zeros("frame_values", (0, n_actions), np.float64)
        self._arrays.zeros("frame_strategy", (0, n_actions), np.float64)
        for field in ("regrets", "averages"):
            self._arrays.zeros(field, 0, np.float64)
        self._lengthen_frames(FIRST_FRAMES)
        self._match_sets()
        if tree is not None:
            for field in ("nodes", "cumulative", "leaf_utilities"):
                self._arrays.put(field, getattr(tree, field))
            self._arrays.zeros("visited", tree.sets.rows, np.uint8)
            record["n_nodes"], record["n_leaves"] = len(tree.nodes), len(tree.leaf_utilities)
            record["n_rows"] = tree.sets.rows

    @property
    def iterations(self) -> int:
        """Iterations that are complete."""
        return self._arrays.number("iteration")

    @property
    def n_visited(self) -> int:
        """How many information states were visited."""
        return self.sets.rows if self.tree is None else int(self._arrays["visited"].sum())

    def was_visited(self, row: int) -> bool:
        """Return whether an information state was visited."""
        return self.tree is None or bool(self._arrays["visited"][row])

    @property
    def averages(self) -> np.ndarray:
        """The sum of the sampled strategies, float64[used]."""
        return self._arrays["averages"][: self.sets.used]

    def run(self, count: int) -> None:
        """Do so many iterations."""
        last = self.iterations + count
        while self.iterations < last:
            started = time.perf_counter()
            code = self._run(self._arrays.address, min(self.iterations + self._chunk, last))
            if code == DONE:
                took = time.perf_counter() - started
                self._chunk = max(1, self._chunk * 2 if took < CALL_SECONDS else self._chunk // 2)
            else:
                self._make_room(code)

    def settle(self) -> None:
        """Complete the iteration that an interrupt left open."""
        if self._arrays.number("is_under_way") or self._arrays.number("traverser"):
            self.run(1)

    def _make_room(self, code: int) -> None:
        if code == SETS_FULL:
            self.sets.grow()
            self._match_sets()
        elif code == FRAMES_FULL:
            self._lengthen_frames(2 * self._arrays.number("frame_room"))
        else:
            game = self._composition.game
            raise ValueError(
                f"{game!r} breaks the Game contract: {FAULTS[code]}; rf.testing.check_game says more"
            )

    def _lengthen_frames(self, room: int) -> None:
        if room > MOST_FRAMES:
            raise ValueError(
                f"a game of {self._composition.game!r} was not over after {MOST_FRAMES} decisions; sampling needs "
                "games that end"
            )
        for field in ("frames", "frame_values", "frame_strategy"):
            self._arrays.lengthen(field, room)
        self._arrays.lengthen("states", room + 1)
        self._arrays.record["frame_room"] = room

    def _match_sets(self) -> None:
        """Make what goes along with the information states as long as their table."""
        record = self._arrays.record
        record["sets"] = self.sets.arrays.address
        record["pool_room"] = self.sets.pool_room
        for field in ("regrets", "averages"):
            self._arrays.lengthen(field, self.sets.pool_room)

    def saved(self) -> dict[str, np.ndarray]:
        """Return what makes the next iterations what they will be."""
        used, stream = self.sets.used, self._arrays["stream"]
        return {
            "progress": np.array([self.iterations], np.int64),
            "stream": np.array([stream["key"][0], stream["counter"][0]], np.uint64),
            "regrets": self._arrays["regrets"][:used],
            "averages": self._arrays["averages"][:used],
            **(saved_sets(self.sets) if self.tree is None else {"visited": self._arrays["visited"]}),
        }

    def restore(self, saved: dict[str, np.ndarray]) -> None:
        """Continue from what was saved.

        Raises:
            ValueError: "invalid Cfr: ..." if it cannot be that of this game; nothing has changed then.
        """
        expect = ENVELOPE.expect
        begun = saved["progress"].shape == (1,) and saved["progress"][0] >= 0 and len(saved["stream"]) == 2
        expect(begun, "its iteration is negative, or its stream is none")
        sets = restored_sets(saved, self._composition.game) if self.tree is None else self.sets
        fits = len(saved["regrets"]) == sets.used and len(saved["averages"]) == sets.used
        expect(fits, "it has another number of actions")
        expect((saved["averages"] >= 0.0).all(), "the weight of an action is negative")
        if self.tree is not None:
            is_flag = len(saved["visited"]) == sets.rows and (saved["visited"] <= 1).all()
            expect(is_flag, "it does not say of each information state whether it was visited")
            self._arrays["visited"][:] = saved["visited"]
        self.sets = sets
        self._match_sets()
        for field in ("regrets", "averages"):
            self._arrays[field][:] = 0.0
            self._arrays[field][: sets.used] = saved[field]
        self._arrays["stream"]["key"], self._arrays["stream"]["counter"] = saved["stream"]
        record = self._arrays.record
        record["iteration"] = saved["progress"][0]
        record["traverser"], record["is_under_way"], record["n_frames"] = 0, 0, 0
