"""The engine: many games at once, one array of observations at a time, batches for the learner."""

import os
import time
import weakref
from typing import Any

import numpy as np

from ..compiled import plain_python
from ..contracts.arguments import flag, integer
from ..contracts.batch import Batch
from ..contracts.composition import Methods, Rules, own_record
from ..contracts.game import Game
from ..contracts.learner import LEARNER_METHODS, Learner, learner_layouts
from ..contracts.policy import POLICY_METHODS, Policy, policy_layouts
from ..contracts.reward import Reward
from .callback import Infer, read_answer, routed
from .checks import check_counts, check_game, check_learn_players, check_memory, check_pair
from .kernels import Kernels
from .layout import (
    COMPLETE,
    DONE,
    FAILED,
    FRESH,
    GROW_BATCH,
    GROW_SEARCH,
    GROW_TRAJECTORY,
    IDLE,
    NOT_FINITE,
    ROWS,
)
from .tables import (
    BatchTables,
    SearchTables,
    Tables,
    TrajectoryTables,
    allocate_slots,
    allocate_streams,
    allocate_threads,
    allocate_windows,
    new_record,
)
from .telemetry import telemetry
from .threads import Helpers

LARGEST_COUNT = (1 << 63) - 1


class Engine:
    """Plays many games under one policy and turns them into batches.

    Args:
        game: The game.
        reward: The weights of the game's events, or None for its defaults.
        policy: How actions are chosen.
        learner: What trajectories become.
        n_games: Games played at once, 1 to 65536.
        seed: 0 to 2**64 - 1. Equal seeds and answers give equal records, for any `n_threads`.
        learn_players: The players whose records are made, or None for all.
        pad: Whether every callback call gets exactly `batch_size` rows, the missing ones zero.
        batch_size: Rows of a callback call, up to 2**20; 0 for half of `n_games`.
        n_threads: Threads that do the tree work, up to 512 and to `n_games`; 0 for all available cores.

    Raises:
        TypeError: For an argument of another type.
        ValueError: For a number out of range, or parts that do not fit together.
        OverflowError: For a negative count or a seed beyond 64 bits.

    Example:
        >>> import numpy as np
        >>> import rinforza as rf
        >>> engine = rf.Engine(
        ...     rf.games.TicTacToe(), None, rf.policies.AlphaZero(8), rf.learners.AlphaZero(), n_games=4
        ... )
        >>> batch = engine.collect(32, lambda obs: (np.zeros((len(obs), 9)), np.zeros(len(obs))))
        >>> len(batch.obs) >= 32
        True
    """

    def __init__(
        self,
        game: Game,
        reward: Reward | None,
        policy: Policy,
        learner: Learner,
        n_games: int,
        seed: int = 0,
        *,
        learn_players: list[int] | None = None,
        pad: bool = False,
        batch_size: int = 0,
        n_threads: int = 0,
    ):
        check_pair(policy, learner)
        n_games, batch_size, n_threads = check_counts(n_games, batch_size, n_threads)
        seed = integer("seed", seed, 0)
        self._pad = flag("pad", pad)
        rules = Rules(game, reward, learner.gamma)
        check_game(policy, game, rules.weights)
        check_memory(rules, policy, n_games, batch_size if pad else 1)
        learns = check_learn_players(learn_players, game.num_players)
        threads = 1 if plain_python() else min(n_threads or available_cores(), n_games)
        self._game, self._policy, self._learner, self._rules = game, policy, learner, rules
        self._n_games, self._batch_size, self._n_threads = n_games, batch_size, threads
        self._sweep = 0
        self._broken: str | None = None
        self._compose()
        self._allocate(seed, learns)
        self._helpers = Helpers(self._kernels.work, self._record, self._tables.arrays["parked"])
        weakref.finalize(self, self._helpers.close)
        self._start_counters()

    def _compose(self) -> None:
        """Compile the parts and write their addresses to the engine's record."""
        policy_methods = Methods(self._policy, POLICY_METHODS, policy_layouts(self._policy))
        learner_methods = Methods(self._learner, LEARNER_METHODS, learner_layouts())
        self._kernels = Kernels()
        self._record = new_record()
        self._address = self._record.ctypes.data
        for methods in (policy_methods, learner_methods):
            for name, address in methods.addresses.items():
                self._record[name] = address
        self._tables = Tables(self._record)
        self._tables.put("policy", own_record(self._policy))
        self._tables.put("learner", own_record(self._learner))
        self._record["rules"] = self._rules.address
        self._record["run_chunk"] = self._kernels.run_chunk
        self._keep = [policy_methods, learner_methods]

    def _allocate(self, seed: int, learns: list[int]) -> None:
        policy, learner, game, rules = self._policy, self._learner, self._game, self._rules
        n_games, tables, record = self._n_games, self._tables, self._record
        record["n_slots"] = n_games
        record["batch_size"] = self._batch_size
        record["horizon"] = game.truncation_horizon() or 0
        record["n_queues"] = 1
        record["answer_heads"] = policy.output.heads
        record["answer_scalars"] = 1 if type(policy.output).__name__ == "PolicyValue" else 0
        record["evaluation_scalars"] = policy.evaluation_scalars
        record["evaluation_heads"] = policy.evaluation_heads
        record["stores_evaluations"] = learner.stores_evaluations
        record["uses_tail"] = learner.uses_episode_tail
        record["tail_size"] = learner.tail_size
        record["n_threads"] = self._n_threads
        record["settled"] = 1
        tables.zeros("learns", game.num_players)[learns] = 1
        allocate_slots(tables, n_games, rules, policy, learner)
        allocate_streams(tables, n_games, seed)
        allocate_windows(tables, n_games, 1, self._batch_size)
        self._search = SearchTables(tables, n_games, rules, policy)
        usual = policy.evaluation_scalars + policy.evaluation_heads * min(game.num_actions, 40)
        self._trajectories = TrajectoryTables(
            tables, n_games, self._n_threads, rules.state_size, usual if learner.stores_evaluations else 0
        )
        columns = learner.columns(game, policy, rules.observation_size)
        self._batch = BatchTables(tables, columns, game.num_players)
        width = 1 + int(record["n_columns"][0])
        tables.zeros("starts", (n_games, game.num_players, width))
        self._keep += allocate_threads(tables, self._n_threads, rules, policy)

    # ------------------------------------------------------------------------------ collecting

    def collect(self, n_records: int, infer: Infer | list[Infer] | tuple[Infer, ...]) -> Batch:
        """Play on until at least `n_records` records are complete.

        Args:
            n_records: The floor; 0 returns an empty batch and changes nothing. Decisions that were started
                are finished, so there may be more records.
            infer: `infer(obs)` with float32 (rows, observation_size), or one such callable for each player.

        Returns:
            The learner's batch; `telemetry` tells what was done.

        Raises:
            TypeError: If `infer` or its answer has another type.
            ValueError: If an answer has another shape, or holds NaN or an infinity.
            Exception: Whatever `infer` raises. The games stay as they were before that call of `infer`; what
                was complete comes with the next batch.
        """
        n_records = integer("n_records", n_records, 0, LARGEST_COUNT)
        callbacks = routed(infer, self._game.num_players)
        if self._broken:
            raise RuntimeError(f"this engine cannot go on: {self._broken}")
        if self._pad and len(callbacks) > 1:
            raise ValueError("pad supports a single shared infer callback; pass one callable or use pad=False")
        if n_records == 0:
            return self._empty_batch()
        self._begin_collect(n_records, callbacks)
        try:
            self._run(callbacks)
        except BaseException:
            self._quiesce()
            raise
        return self._take_batch()

    def weights_updated(self, player: int | None = None) -> None:
        """Say that a network has changed, so that cached answers are dropped (there is no cache here).

        Args:
            player: The player whose network changed, or None for all.

        Raises:
            ValueError: If the game has no such player.
        """
        if player is not None:
            integer("player", player, 0, self._game.num_players - 1)

    def _begin_collect(self, n_records: int, callbacks: list[Infer]) -> None:
        record = self._record
        if record["n_queues"][0] != len(callbacks):
            self._route(len(callbacks))
        if not self._open_batch:
            self._batch.start(min(n_records, 1 << 20))
            self._open_batch = True
        record["floor"] = n_records
        slots = self._tables.arrays["slots"]["phase"]
        order = (np.arange(self._n_games) + self._sweep) % self._n_games
        self._sweep = (self._sweep + 1) % self._n_games
        idle = order[(slots[order] == FRESH) | (slots[order] == IDLE)]
        # the two lists trade places while the engine runs: write to the one that is `ready` now
        n_ready = int(record["n_ready"][0])
        self._ready_list()[n_ready : n_ready + len(idle)] = idle
        record["n_ready"] = n_ready + len(idle)

    def _ready_list(self) -> np.ndarray:
        address = int(self._record["ready"][0])
        lists = (self._tables.arrays["ready"], self._tables.arrays["running"])
        return next(array for array in lists if array.ctypes.data == address)

    def _route(self, n_queues: int) -> None:
        """Change between one queue and one per player; rows that wait are queued anew, in slot order."""
        raise NotImplementedError

    def _run(self, callbacks: list[Infer]) -> None:
        """Alternate between compiled work and the callback until nothing is left to do."""
        kernels, address = self._kernels, self._address
        n_actions, label = self._game.num_actions, type(self._policy).__name__
        output = self._policy.output
        words = (0, 0, 0, 0, 0, 0)
        while True:
            self._helpers.wake()
            code = self._compiled(kernels.pump, address, *words)
            words = (0, 0, 0, 0, 0, 0)
            if code == DONE:
                return
            if code != ROWS:
                self._attend(code, label)
                continue
            rows = int(self._record["window_rows"][0])
            obs = np.empty((self._batch_size if self._pad else rows, self._rules.observation_size), np.float32)
            obs[rows:] = 0.0
            self._check_code(self._compiled(kernels.send, address, obs.ctypes.data))
            self._helpers.wake()
            infer = callbacks[int(self._record["window_queue"][0])]
            started = time.perf_counter()
            raw = infer(obs)
            self._calls["infer_seconds"] += time.perf_counter() - started
            self._calls["infer_calls"] += 1
            self._calls["infer_rows"] += rows
            self._calls["padded_rows"] += len(obs) - rows
            answer = read_answer(raw, output, label, len(obs), n_actions)
            words = (1, answer.columns, answer.width, answer.is_double, answer.values, answer.value_is_double)

    def _compiled(self, entry: Any, *arguments: Any) -> int:
        """Call compiled code; an error in a component's method leaves the engine unusable."""
        try:
            return entry(*arguments)
        except Exception as error:
            self._broken = f"a method of its components raised {type(error).__name__}: {error}"
            error.add_note(f"raised in compiled code of {self._game!r}, {self._policy!r} or {self._learner!r}")
            raise

    def _attend(self, code: int, label: str) -> None:
        """Do what the pump asked for."""
        if code == NOT_FINITE:
            raise ValueError(f"{label} infer outputs must contain only finite values; got NaN or infinity")
        if code == GROW_BATCH:
            self._batch.grow()
        elif code in (GROW_SEARCH, GROW_TRAJECTORY):
            self._search.grow()
            if code == GROW_TRAJECTORY:
                self._trajectories.grow()
            self._kernels.resume(self._address)
        else:
            self._check_code(code)

    def _check_code(self, code: int) -> None:
        if code == FAILED:
            error = self._helpers.error
            self._broken = f"a method of its components raised {type(error).__name__}: {error}"
            raise error if error is not None else RuntimeError(self._broken)

    def _quiesce(self) -> None:
        """After an error: finish the advance that is under way, so that the next call can go on."""
        while not self._broken:
            code = self._compiled(self._kernels.settle, self._address)
            if code == COMPLETE:
                return
            self._attend(code, type(self._policy).__name__)

    # ------------------------------------------------------------------------------ batches

    def _start_counters(self) -> None:
        self._open_batch = False
        self._calls: dict[str, Any] = {
            "infer_seconds": 0.0,
            "infer_calls": 0,
            "infer_rows": 0,
            "padded_rows": 0,
        }
        self._search.tally[:] = 0.0
        self._record["requested_rows"] = 0
        self._record["tail_rows"] = 0

    def _take_batch(self) -> Batch:
        arrays, summaries = self._batch.take()
        rows = {name: int(self._record[name][0]) for name in ("requested_rows", "tail_rows")}
        measured = telemetry(self._search.tally, summaries, self._calls, rows)
        self._start_counters()
        return self._learner.batch_type(arrays, measured)

    def _empty_batch(self) -> Batch:
        columns = self._learner.columns(self._game, self._policy, self._rules.observation_size)
        scratch = BatchTables(Tables(new_record()), columns, self._game.num_players)
        arrays, summaries = scratch.take()
        calls = dict.fromkeys(self._calls, 0)
        calls["infer_seconds"] = 0.0
        measured = telemetry(self._search.tally * 0.0, summaries, calls, {"requested_rows": 0, "tail_rows": 0})
        return self._learner.batch_type(arrays, measured)


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
