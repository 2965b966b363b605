"""The engine: many games at once, one array of observations at a time, batches for the learner."""

import logging
import os
import threading
import time
import weakref
from typing import Any

import numpy as np

from ..compiled import plain_python
from ..contracts.arguments import flag, integer
from ..contracts.batch import Batch
from ..contracts.composition import Rules
from ..contracts.game import Game
from ..contracts.infer import Infer, routed
from ..contracts.learner import Learner
from ..contracts.policy import Policy
from ..contracts.reward import Reward
from ..contracts.state_bytes import layout_digest
from . import checks, configuration
from .batches import empty_batch, finished_batch
from .cache_tables import check_infer_cache
from .course import Course
from .interrupts import interrupts_held
from .keeping import keep
from .layout import FRESH, IDLE
from .machine import Machine
from .progress import Progress
from .restoring import fill
from .snapshot import EngineSnapshot, PolicyVersion, check_goes_with, is_policy_version
from .stream import CollectStream, Worker
from .tables import allocate_streams
from .telemetry import log_collection
from .threads import available_cores

LARGEST_COUNT = (1 << 63) - 1
LOGGER = logging.getLogger(__name__)


class Engine:
    """Plays many games under one policy and turns them into batches.

    Args:
        game: The game.
        reward: The weights of the game's events, or None for its defaults.
        policy: How actions are chosen.
        learner: What trajectories become.
        n_games: Games played at once, 1 to 65536.
        seed: 0 to 2**64 - 1. Equal seeds and answers give equal records, for any `n_threads`.
        start_buffer: Whether episodes also begin in states that earlier ones reached, of a game that sorts
            them into cells (`Game.cell`). The ticks and the returns of such an episode begin at 0; telemetry
            calls it seeded.
        start_buffer_capacity: With it, states that each cell keeps, >= 1: a uniform sample of all that reached it. They
            take memory as they come.
        p_fresh: With it, how often an episode begins afresh although there are states, 0 to 1; else it begins in any of
            the cells that have states, in any of their states.
        infer_cache: Answers of the network that are kept for equal rows, for each network: a number of entries (of
            usual size; a row with more legal actions takes more), or a size of all in bytes such as `"512MB"`;
            0 for none. What it gives is what the network gave, bit for bit; `weights_updated` empties it.
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
        start_buffer: bool = False,
        start_buffer_capacity: int = 1000,
        p_fresh: float = 0.05,
        infer_cache: int | str = 0,
        learn_players: list[int] | None = None,
        pad: bool = False,
        batch_size: int = 0,
        n_threads: int = 0,
    ):
        checks.check_pair(policy, learner)
        n_games, batch_size, n_threads = checks.check_counts(n_games, batch_size, n_threads)
        seed = integer("seed", seed, 0)
        self._pad = flag("pad", pad)
        rules = Rules(game, reward, learner.gamma)
        self._start_buffer = checks.check_start_buffer(game, start_buffer, start_buffer_capacity, p_fresh)
        checks.check_game(policy, game, rules.weights)
        checks.check_augmentation(learner, game, rules.symmetries)
        checks.check_memory(rules, policy, n_games, batch_size if pad else 1)
        learns = sorted(set(checks.check_learn_players(learn_players, game.num_players)))
        self._n_threads = 1 if plain_python() else min(n_threads or available_cores(), n_games)
        self._game, self._policy, self._learner, self._rules = game, policy, learner, rules
        self._reward = reward
        self._keywords = {
            "n_games": n_games,
            "seed": seed,
            "start_buffer": self._start_buffer._asdict() if self._start_buffer else None,
            "infer_cache": check_infer_cache(infer_cache),
            "learn_players": learns if len(learns) < game.num_players else None,
            "pad": pad,
            "batch_size": batch_size,
            "n_threads": integer("n_threads", n_threads),
        }
        self._batch_size, self._learns = batch_size, learns
        self._course = Course(policy)
        self._entered, self._process = threading.Lock(), os.getpid()
        self._stream: Worker | None = None
        self._machine = self._new_machine()
        self._closing = weakref.finalize(self, self._machine.helpers.close)

    def _new_machine(self) -> Machine:
        """Return a machine in which nothing has been played."""
        keywords = self._keywords
        machine = Machine(
            self._rules,
            self._policy,
            self._learner,
            keywords["n_games"],
            self._batch_size,
            self._n_threads,
            self._pad,
            keywords["infer_cache"],
            self._start_buffer,
        )
        machine.tables.zeros("learns", self._game.num_players)[self._learns] = 1
        allocate_streams(machine.tables, keywords["seed"], np.arange(keywords["n_games"], dtype=np.uint64))
        return machine

    # ------------------------------------------------------------------------------ collecting

    def collect(
        self, n_records: int, infer: Infer | list[Infer] | tuple[Infer, ...], progress: bool = False
    ) -> Batch:
        """Play on until at least `n_records` records are complete.

        Args:
            n_records: The floor; 0 returns an empty batch and changes nothing. Decisions that were started
                are finished, so there may be more records.
            infer: `infer(obs)` with float32 (rows, observation_size), or one such callable for each player.
            progress: Whether a line on stderr shows how far it is: records, episodes, rows a second, time left.

        Returns:
            The learner's batch; `telemetry` tells what was done.

        Raises:
            TypeError: If `infer`, its answer or `progress` has another type.
            ValueError: If an answer has another shape, or holds NaN or an infinity.
            RuntimeError: If the engine is in a collect already, or a method of its components has failed.
            Exception: Whatever `infer` raises. The games stay as they were before that call of `infer`; what
                was complete comes with the next batch.
        """
        n_records = integer("n_records", n_records, 0, LARGEST_COUNT)
        progress = flag("progress", progress)
        callbacks = self._checked(infer)
        entered = False
        try:
            with interrupts_held():
                entered = self._enter()
            if n_records == 0:
                return empty_batch(self._machine, self._learner, self._course.active)
            batch = self._play(n_records, callbacks, progress)
        finally:
            if entered:
                self._entered.release()
        self._course.collecting = False  # the caller has it from here: until now an interrupt loses nothing
        return batch

    def collect_stream(
        self, collect_size: int, infer: Infer | list[Infer] | tuple[Infer, ...], depth: int | None = 1
    ) -> CollectStream:
        """Collect batch after batch on a thread of its own, and return what hands them out.

        The batches are those that `collect(collect_size, infer)` would return one after the other. Until the
        stream has ended it holds the engine: what else would change the games raises RuntimeError.

        Args:
            collect_size: The floor of each batch, >= 1.
            infer: As for `collect`; every call comes from the stream's thread.
            depth: Finished batches that may wait, >= 1; None for any number.

        Raises:
            TypeError: If `infer` is not callable, or a number has another type.
            ValueError: If `collect_size` or `depth` is below 1, or there are several callables with `pad`.
            OverflowError: If a number is negative.
            RuntimeError: If the engine is in use, or a method of its components has failed.
        """
        for name, number in (("collect_size", collect_size), ("depth", 1 if depth is None else depth)):
            if integer(name, number, 0, LARGEST_COUNT) < 1:
                raise ValueError(f"{name} must be >= 1, got {number}")
        callbacks = self._checked(infer)

        def collect(callbacks: list[Infer]) -> Batch:
            batch = self._play(collect_size, callbacks)
            self._course.collecting = False
            return batch

        def release() -> None:
            self._stream = None
            self._entered.release()

        worker = Worker(collect, release, callbacks, depth)
        with interrupts_held():
            self._enter()
            self._stream = worker
            return CollectStream(worker)

    def _checked(self, infer: Infer | list[Infer] | tuple[Infer, ...]) -> list[Infer]:
        """Return the callbacks."""
        callbacks = routed(infer, self._game.num_players)
        self._machine.check_usable()
        if self._pad and len(callbacks) > 1:
            raise ValueError(
                "pad supports a single shared infer callback; pass one callable or use pad=False"
            )
        return callbacks

    def _enter(self) -> bool:
        """Take the engine for the caller alone, who releases `_entered`; return True."""
        stream = self._stream
        if stream is not None and stream.abandoned:
            stream.join()  # it was dropped, and ends at its next window
        if not self._entered.acquire(blocking=False):
            if self._process != os.getpid():
                raise RuntimeError(
                    "this engine was in use when the process forked, or is in use again; make another here"
                )
            if self._stream is not None:
                raise RuntimeError("this engine is held by a collect_stream; stop() or pause() it first")
            raise RuntimeError("this engine is in a collect already (in its callback or elsewhere)")
        return True

    def _play(self, n_records: int, callbacks: list[Infer], progress: bool = False) -> Batch:
        """Collect a batch; the caller has entered."""
        if self._machine.flight is not None:
            self._machine.flight.land(self._machine, callbacks)
        with interrupts_held():
            self._begin_collect(n_records, len(callbacks))
        calls = self._machine.calls
        started = time.perf_counter() - calls["collect_seconds"]
        line = Progress(self._machine, n_records) if progress else None
        try:
            self._machine.run(line.over(callbacks) if line else callbacks)
        finally:
            calls["collect_seconds"] = time.perf_counter() - started
            if line:
                line.end()
        batch = finished_batch(self._machine, self._learner, self._course.active)
        log_collection(batch.telemetry)
        return batch

    def set(self, **settings: Any) -> None:
        """Change schedulable parameters of the policy, such as `epsilon`, from the next batch on.

        A batch whose collection has begun, also one that was cut short by an error, goes on as it began. A
        snapshot has the settings; `resolved_config` has the policy as the engine was made with.

        Args:
            **settings: New values of parameters that the policy's `schedulable` names.

        Raises:
            TypeError: For another name, or a value of another type.
            ValueError: For a value out of range. Nothing has changed then.

        Example:
            >>> import rinforza as rf
            >>> policy = rf.policies.EpsilonGreedyQ(epsilon=1.0)
            >>> engine = rf.Engine(rf.games.GridWorld(), None, policy, rf.learners.Dqn(), n_games=2)
            >>> engine.set(epsilon=0.1)
        """
        self._course.request(settings)
        LOGGER.info("from the next batch on: %r", self._course.requested)

    def __reduce__(self) -> Any:
        raise TypeError(
            "an Engine cannot be pickled or copied: keep engine.snapshot().to_bytes() and "
            "engine.resolved_config(), and make another with engine_from_config and restore"
        )

    def weights_updated(self, player: int | None = None) -> None:
        """Say that a network has changed: the next batch begins without answers of the old one.

        A batch whose collection has begun goes on with what it has. May be called at any time, from any thread.

        Args:
            player: The player whose network changed, or None for all. Where the players share one, all is dropped.

        Raises:
            TypeError: If the player is no int.
            ValueError: If the game has no such player.
            OverflowError: If it is negative.
        """
        if player is not None:
            player = integer("player", player, 0, self._game.num_players - 1)
        self._course.outdated.add(player)
        self._course.weights_generation += 1

    def _begin_collect(self, n_records: int, n_callbacks: int) -> None:
        machine = self._machine
        machine.quiesce()
        machine.route(n_callbacks)
        if not self._course.collecting:  # else the batch of a failed call goes on
            machine.batch.start(n_records)
            machine.clear_counters()
            self._course.begin()
            machine.use_policy(self._course.active)
            while self._course.outdated:
                machine.cache.clear(self._course.outdated.pop())
        machine.record["floor"] = n_records
        machine.record["closing"] = machine.record["reopened"] = 0
        phases = machine.tables.arrays["slots"]["phase"]
        order = (np.arange(len(phases)) + self._course.sweep) % len(phases)
        machine.make_ready(order[(phases[order] == FRESH) | (phases[order] == IDLE)])

    # ------------------------------------------------------------------------------ keeping

    def snapshot(self, policy_version: PolicyVersion = None) -> EngineSnapshot:
        """Return this moment of all games as a value, with what a collection that was cut short has finished.

        Cached answers are not part of it; the cache is empty afterwards, here and in what is restored from it.

        Args:
            policy_version: What `restore` can be told to expect: an int, a string or None.

        Raises:
            TypeError: For a `policy_version` of another type.
            ValueError: If the policy keeps searches of a game whose chance outcomes can only be drawn.
            RuntimeError: If the engine is in use, or a method of its components has failed.
        """
        if not is_policy_version(policy_version):
            raise TypeError(f"policy_version must be an int, a str or None, got {policy_version!r}")
        if self._policy.keeps_search and self._rules.table["sample_chance"][0] != 0:
            raise ValueError(
                f"an engine of {self._game.name} under {self._policy!r} cannot be kept: a tree with chance outcomes "
                "that can only be drawn cannot be checked when it is read; use reuse_tree=False"
            )
        self._machine.check_usable()
        entered = False
        try:
            with interrupts_held():
                entered = self._enter()
            self._machine.quiesce()
            self._machine.cache.clear()  # so that this engine goes on as one that is restored
            self._course.outdated.clear()
            parts, arrays = keep(self._machine, self._course.collecting)
            header = {
                "composition": configuration.composition(self.resolved_config()),
                "layout": layout_digest(self._game.state_dtype),
                "policy_version": policy_version,
                **self._course.header(),
                **parts,
            }
        finally:
            if entered:
                self._entered.release()
        return EngineSnapshot(header, arrays)

    def restore(self, snapshot: EngineSnapshot, expect_policy_version: PolicyVersion = None) -> None:
        """Go to the moment of a snapshot, and on from there as the engine did that it is from.

        Equal answers of the network give equal batches, for any `n_threads`. Under another `batch_size` or
        `pad` the games go on as they would have, and their records may come in another order; with a start
        buffer, later episodes may then begin elsewhere, since it follows that order.

        Args:
            snapshot: From an engine of the same composition, `n_games`, `seed` and `learn_players`.
            expect_policy_version: The version that it must have; None takes any.

        Raises:
            TypeError: If it is no EngineSnapshot.
            ValueError: If it is from another composition or has another version, or makes no sense. Nothing
                has changed then.
            RuntimeError: If the engine is in use.
        """
        if not isinstance(snapshot, EngineSnapshot):
            raise TypeError(f"snapshot must be an EngineSnapshot, got {type(snapshot).__name__}")
        own = configuration.composition(self.resolved_config())
        check_goes_with(snapshot, own, layout_digest(self._game.state_dtype), expect_policy_version)
        entered = False
        try:
            with interrupts_held():
                entered = self._enter()
            course = Course.restored(self._policy, snapshot.header)
            machine = self._new_machine()
            machine.use_policy(course.active)
            fill(machine, snapshot, self._rules, self._policy, self._learner)
            with interrupts_held():
                self._closing.detach()
                self._machine.helpers.close()
                self._machine, self._course = machine, course
                self._closing = weakref.finalize(self, machine.helpers.close)
            LOGGER.info("restored %r", snapshot)
        finally:
            if entered:
                self._entered.release()

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
