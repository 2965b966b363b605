"""The engine: many games at once, one array of observations at a time, batches for the learner."""

import os
import threading
import weakref
from typing import Any

import numpy as np

from ..compiled import plain_python
from ..contracts.arguments import flag, integer
from ..contracts.batch import Batch
from ..contracts.composition import Rules
from ..contracts.game import Game
from ..contracts.learner import Learner
from ..contracts.policy import Policy
from ..contracts.reward import Reward
from ..contracts.search_memory import TALLY
from . import configuration
from .callback import Infer, routed
from .checks import check_counts, check_game, check_learn_players, check_memory, check_pair
from .interrupts import interrupts_held
from .layout import FRESH, IDLE
from .machine import Machine
from .tables import BatchTables, Tables, allocate_streams, new_record
from .telemetry import telemetry

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
        learns = sorted(set(check_learn_players(learn_players, game.num_players)))
        threads = 1 if plain_python() else min(n_threads or available_cores(), n_games)
        self._game, self._policy, self._learner, self._rules = game, policy, learner, rules
        self._reward = reward
        self._keywords = {
            "n_games": n_games,
            "seed": seed,
            "learn_players": learns if len(learns) < game.num_players else None,
            "pad": pad,
            "batch_size": batch_size,
            "n_threads": integer("n_threads", n_threads),
        }
        self._n_games = n_games
        self._sweep = -1
        self._collecting = False
        self._entered = threading.Lock()
        self._machine = Machine(rules, policy, learner, n_games, batch_size, threads, pad)
        self._machine.tables.zeros("learns", game.num_players)[learns] = 1
        allocate_streams(self._machine.tables, seed, np.arange(n_games, dtype=np.uint64))
        weakref.finalize(self, self._machine.helpers.close)

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
            RuntimeError: If the engine is in a collect already, or a method of its components has failed.
            Exception: Whatever `infer` raises. The games stay as they were before that call of `infer`; what
                was complete comes with the next batch.
        """
        n_records = integer("n_records", n_records, 0, LARGEST_COUNT)
        callbacks = routed(infer, self._game.num_players)
        self._machine.check_usable()
        if self._pad and len(callbacks) > 1:
            raise ValueError(
                "pad supports a single shared infer callback; pass one callable or use pad=False"
            )
        if n_records == 0:
            return self._empty_batch()
        batch = self._collect(n_records, callbacks)
        self._collecting = False  # the caller has it from here: until now an interrupt loses nothing
        return batch

    def _collect(self, n_records: int, callbacks: list[Infer]) -> Batch:
        entered = False
        try:
            with interrupts_held():
                entered = self._entered.acquire(blocking=False)
                if not entered:
                    raise RuntimeError("this engine is in a collect already (in its callback or elsewhere)")
                self._begin_collect(n_records, len(callbacks))
            self._machine.run(callbacks)
            batch = self._batch()
        finally:
            if entered:
                self._entered.release()
        return batch

    def weights_updated(self, player: int | None = None) -> None:
        """Say that a network has changed, so that cached answers are dropped (there is no cache here).

        Args:
            player: The player whose network changed, or None for all.

        Raises:
            ValueError: If the game has no such player.
        """
        if player is not None:
            integer("player", player, 0, self._game.num_players - 1)

    def _begin_collect(self, n_records: int, n_callbacks: int) -> None:
        machine = self._machine
        machine.quiesce()
        machine.route(n_callbacks)
        if not self._collecting:  # else the batch of a failed call goes on
            machine.batch.start(n_records)
            machine.clear_counters()
            self._sweep += 1  # no slot is always the first to be admitted
            self._collecting = True
        machine.record["floor"] = n_records
        machine.record["closing"] = 0
        phases = machine.tables.arrays["slots"]["phase"]
        order = (np.arange(self._n_games) + self._sweep) % self._n_games
        machine.make_ready(order[(phases[order] == FRESH) | (phases[order] == IDLE)])

    # ------------------------------------------------------------------------------ describing

    def resolved_config(self) -> dict[str, Any]:
        """Return the whole configuration as values for JSON and YAML, which `engine_from_config` reads.

        It has schema_version, rinforza_version and behaviour, and the blocks game, reward (every weight),
        policy, learner and engine. What `set` has changed is not part of it.
        """
        parts = self._rules, self._reward, self._policy, self._learner
        return configuration.resolved_config(*parts, dict(self._keywords))

    def config_fingerprint(self) -> str:
        """Return 64 hex digits that are equal where equal answers of the network give equal batches.

        Neither the version of the library nor `n_threads` counts; a release that collects other records does.
        """
        return configuration.config_fingerprint(self.resolved_config())

    # ------------------------------------------------------------------------------ batches

    def _batch(self) -> Batch:
        machine = self._machine
        arrays, summaries = machine.batch.filled()
        rows = {name: int(machine.record[name][0]) for name in ("requested_rows", "tail_rows")}
        measured = telemetry(machine.search.tally, summaries, machine.calls, rows)
        return self._learner.batch_type(arrays, measured, self._game.num_actions)

    def _empty_batch(self) -> Batch:
        columns = self._learner.columns(self._game, self._policy, self._rules.observation_size)
        arrays, summaries = BatchTables(Tables(new_record()), columns, self._game.num_players).filled()
        calls = {"infer_seconds": 0.0, "infer_calls": 0, "infer_rows": 0, "padded_rows": 0}
        measured = telemetry(
            np.zeros((0, len(TALLY))), summaries, calls, {"requested_rows": 0, "tail_rows": 0}
        )
        return self._learner.batch_type(arrays, measured, self._game.num_actions)


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
