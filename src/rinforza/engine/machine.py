"""A composition with its memory, and the loop between compiled work and the callback.

`Engine` keeps one for its life; `choose` makes one for a call.
"""

import threading
import time
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ..compiled import address_of, plain_python
from ..contracts.composition import Methods, Rules, own_record
from ..contracts.infer import Infer
from ..contracts.learner import LEARNER_METHODS, Learner, learner_layouts
from ..contracts.policy import KEEPING_METHODS, POLICY_METHODS, USUAL_LEGAL_ACTIONS, Policy, policy_layouts
from .batch_tables import BatchTables
from .cache_tables import CacheTables
from .callback import NO_ANSWER, Answer, read_answer
from .interrupts import interrupts_held
from .kernels import CachingKernels, Kernels, caching_kernels
from .layout import (
    ADDRESS_OF_FIELD,
    BLOCKED_TRAJECTORY,
    COMPLETE,
    DONE,
    FAILED,
    GROW_BATCH,
    GROW_STARTS,
    GROW_TRAJECTORY,
    NOT_FINITE,
    ROWS,
    TOO_LARGE,
)
from .memory import new_array
from .ownership import only_ours
from .start_tables import StartBuffer, StartTables
from .tables import (
    SearchTables,
    Tables,
    TrajectoryTables,
    allocate_slots,
    allocate_threads,
    allocate_windows,
    new_record,
)
from .telemetry import NO_CALLS, NO_ROWS
from .threads import Helpers

KEPT_POLICIES = 64
KEPT_LEARNERS = 16
WINDOW_CLOSED, WINDOW_QUEUE, ASKED_ROWS = (
    ADDRESS_OF_FIELD[name] // 8 for name in ("window_closed", "window_queue", "asked_rows")
)


class Machine:
    """The engine's record, its tables, its threads.

    Args:
        rules: The game with its encoder and weights.
        policy: The policy.
        learner: The learner, or None where no records are made.
        n_slots: Games at once.
        batch_size: Rows of a window.
        n_threads: Threads, the caller's included.
        pad: Whether windows are filled up with zero rows.
        infer_cache: The size of the cache of answers.
        start_buffer: The numbers of the start buffer, or None for none.

    Attributes:
        rules, batch_size: As given.
    """

    def __init__(
        self,
        rules: Rules,
        policy: Policy,
        learner: Learner | None,
        n_slots: int,
        batch_size: int,
        n_threads: int,
        pad: bool = False,
        infer_cache: int | str = 0,
        start_buffer: StartBuffer | None = None,
    ):
        self.rules, self._policy, self._pad, self.batch_size = rules, policy, pad, batch_size
        self._expected = policy.output, type(policy).__name__, rules.game.num_actions  # of an answer
        self._broken: str | None = None
        self._last_observations: list[np.ndarray] = []
        self._plain = plain_python()
        self._methods: list[Methods | CachingKernels] = [
            policy_methods(policy, policy.record.dtype, self._plain)
        ]
        if learner is not None:
            self._methods.append(learner_methods(learner, learner.record.dtype, plain_python()))
        if infer_cache != 0:
            self._methods.append(caching_kernels(self._plain))
        self._kernels = kernels(plain_python())
        self.record = new_record()
        self.address = address_of(self.record)
        self._words = memoryview(self.record.view(np.int64).data)  # read faster than fields
        self.tables = Tables(self.record)
        self._fill(learner, n_slots)
        self._allocate(learner, n_slots, n_threads, start_buffer is not None)
        self.cache = CacheTables(self.tables, rules, policy, batch_size, infer_cache)
        self.starts = StartTables(self.tables, rules, start_buffer) if start_buffer else None
        self.helpers = Helpers(
            self._kernels.work, self._kernels.join, self.record, self.tables.arrays["parked"]
        )
        self.calls: dict[str, Any] = {}
        self.flight: Any = None  # searches of a restored snapshot, which are to be done again
        self.clear_counters()

    def _fill(self, learner: Learner | None, n_slots: int) -> None:
        """Write what the composition asks for to the record."""
        record, policy, rules = self.record, self._policy, self.rules
        self._write_addresses()
        self.tables.put("policy", own_record(policy))
        if learner is not None:
            self.tables.put("learner", own_record(learner))
            record["stores_evaluations"] = learner.stores_evaluations
            record["uses_tail"] = learner.uses_episode_tail
            record["windowed"] = learner.windowed
            in_turn = rules.game.dynamics == "sequential"
            everyone = learner.records_everyone and policy.values_everyone(rules.game)
            record["records_interior"] = learner.records_interior
            record["records_everyone"] = everyone and in_turn
        record["tail_size"] = tail_size(policy, learner)
        record["rules"] = rules.address
        record["run_chunk"] = self._kernels.run_chunk
        record["n_slots"] = n_slots
        record["batch_size"] = self.batch_size
        record["horizon"] = rules.game.truncation_horizon() or 0
        record["n_queues"] = record["in_order"] = 1
        record["answer_heads"] = policy.output.heads
        record["answer_scalars"] = policy.output.scalars
        record["evaluation_scalars"] = policy.evaluation_scalars
        record["keeps_search"] = policy.keeps_search
        record["node_size"], record["edge_size"] = policy.node_dtype.itemsize, policy.edge_dtype.itemsize
        everyone = policy.values_everyone(rules.game)
        record["side_size"] = rules.game.num_players * policy.side_dtype.itemsize if everyone else 0
        record["evaluation_heads"] = policy.evaluation_heads
        record["settled"] = 1

    def _allocate(self, learner: Learner | None, n_slots: int, n_threads: int, keeps_cells: bool) -> None:
        policy, rules, tables = self._policy, self.rules, self.tables
        game = rules.game
        allocate_slots(tables, n_slots, rules, policy, tail_size(policy, learner))
        allocate_windows(tables, n_slots, game.num_players, self.batch_size)
        self.search = SearchTables(tables, n_slots, rules, policy)
        legal = min(game.num_actions, USUAL_LEGAL_ACTIONS)
        usual = policy.evaluation_scalars + policy.evaluation_heads * legal
        keeps = learner is not None and learner.stores_evaluations
        self.trajectories = TrajectoryTables(
            tables, n_slots, n_threads, rules.state_size, usual if keeps else 0, keeps_cells
        )
        columns = learner.columns(game, policy, rules.observation_size) if learner else {}
        self.batch = BatchTables(tables, columns, game.num_players)
        tables.zeros("record_places", (n_slots, game.num_players, 1 + self.batch.width))
        self._scratch = allocate_threads(tables, n_threads, rules, policy)

    def _write_addresses(self) -> None:
        """Tell the record where the compiled methods of the composition are."""
        for methods in self._methods:
            for name, address in methods.addresses.items():
                self.record[name] = address

    def use_policy(self, policy: Policy) -> None:
        """Go on with other numbers of the same policy."""
        self.tables.arrays["policy"][:] = policy.record
        if self._plain:  # there `self` is the policy, and not its record
            self._methods[0] = policy_methods(policy, policy.record.dtype, True)
            self._write_addresses()

    def clear_counters(self) -> None:
        """Start to count anew."""
        self.calls = dict(NO_CALLS)
        self.search.tally[:] = 0.0
        for name in NO_ROWS:
            self.record[name] = 0

    def make_ready(self, slots: np.ndarray) -> None:
        """List slots that are to be advanced and are not listed yet; `run` does it."""
        listed = self.ready_slots()
        slots = np.append(listed, slots[~np.isin(slots, listed)])
        self.tables.arrays["ready"][: len(slots)] = slots
        self.record["first_ready"], self.record["n_ready"] = 0, len(slots)

    def ready_slots(self) -> np.ndarray:
        """Return a copy of the slots that are listed to be advanced, in order."""
        ready = self.tables.arrays["ready"]
        return ready[(self.record["first_ready"][0] + np.arange(self.record["n_ready"][0])) % len(ready)]

    def route(self, n_queues: int) -> None:
        """Serve rows from one queue, or from one for each player; rows that wait are queued anew."""
        if self.record["n_queues"][0] != n_queues:
            self._kernels.reroute(self.address, n_queues)
            self.cache.partition(n_queues)

    def check_usable(self) -> None:
        """Refuse to go on after an error in a component's method.

        Raises:
            RuntimeError: If there was one.
        """
        if self._broken:
            raise RuntimeError(f"cannot go on: {self._broken}; mend it and make a new engine")

    def run(self, callbacks: list[Infer]) -> None:
        """Alternate between compiled work and the callbacks until nothing is left to do."""
        self.record["too_large"] = 0
        self.helpers.scheduler = threading.get_ident()
        try:
            self._run(callbacks)
        except BaseException:
            self.quiesce()
            raise
        finally:
            self.helpers.scheduler = None

    def _run(self, callbacks: list[Infer]) -> None:
        pump, address, words = self._kernels.pump, self.address, self._words
        answer = NO_ANSWER
        while True:
            self.helpers.wake()
            code = self._compiled(pump, address, *answer.layout)
            if code == DONE:
                return
            if code != ROWS:
                self._attend(code)
                if words[WINDOW_CLOSED] == 0:
                    answer = NO_ANSWER  # it has been read
                continue
            answer = self._ask(callbacks[words[WINDOW_QUEUE]])

    def _ask(self, infer: Infer) -> Answer:
        """Hand the window to the network."""
        rows = self._words[ASKED_ROWS]
        obs = self._send(rows)
        raw = self._timed(infer, obs, rows)
        output, label, n_actions = self._expected
        return read_answer(raw, output, label, len(obs), n_actions)

    def ask_again(self, infer: Infer, slots: np.ndarray, requests: np.ndarray, take: Any) -> None:
        """Ask for these rows, at most a window of them, and do nothing but `take` their answers."""
        arrays = self.tables.arrays
        arrays["window_slots"][: len(slots)], arrays["window_requests"][: len(slots)] = slots, requests
        self.record["window_rows"] = self.record["asked_rows"] = len(slots)
        try:
            answer = self._ask(infer)
            code = self._compiled(take, self.address, *answer.layout)
            if code != COMPLETE:
                self._attend(code)
        finally:
            self.record["window_rows"] = self.record["asked_rows"] = 0

    def redo(self, redo: Any, slots: np.ndarray) -> None:
        """Bring slots to their next rounds with `redo`."""
        units, begin = slots.astype(np.int32), 0
        while (begin := self._compiled(redo, self.address, address_of(units), begin, len(units))) < len(
            units
        ):
            with interrupts_held():
                self.search.grow()
                if self.tables.arrays["slots"]["blocked"][units[begin]] & BLOCKED_TRAJECTORY:
                    self.trajectories.grow()

    def _send(self, rows: int) -> np.ndarray:
        """Encode the window; leave the slots that have their answers to the helpers.

        The array is the last call's if the callback has let go of it, else a new one.
        """
        size = self.batch_size if self._pad else rows
        last = self._last_observations
        if not last or len(last[0]) != size or not only_ours(last, 0):
            last[:] = [new_array((size, self.rules.observation_size), np.float32)]
        obs = last[0]
        if size > rows:
            obs[rows:] = 0.0
        code = self._compiled(self._kernels.send, self.address, address_of(obs))
        if code != ROWS:
            self._attend(code)
        self.helpers.wake()
        return obs

    def _timed(self, infer: Infer, obs: np.ndarray, rows: int) -> Any:
        started = time.perf_counter()
        answer = infer(obs)
        calls = self.calls
        calls["infer_seconds"] += time.perf_counter() - started
        calls["infer_calls"] += 1
        calls["infer_rows"] += rows
        calls["padded_rows"] += len(obs) - rows
        return answer

    def _compiled(self, entry: Any, *arguments: int) -> int:
        """Call compiled code; after an error in a component's method the machine cannot go on."""
        try:
            return entry(*arguments)
        except Exception as error:
            if self._plain or not _is_of_handler(error):
                self._break(error)
            raise

    def _break(self, error: BaseException) -> None:
        rules, policy = self.rules, self._policy
        self._broken = f"a method of {rules.game!r} or {policy!r} raised {type(error).__name__}: {error}"
        error.add_note(
            f"raised by a compiled method of {rules.game!r}, its encoder, {policy!r} or its learner"
        )

    def _attend(self, code: int) -> None:
        """Do what the pump asked for."""
        if code == NOT_FINITE:
            label = type(self._policy).__name__
            raise ValueError(f"{label} infer outputs must contain only finite values; got NaN or infinity")
        if code == TOO_LARGE:
            slot = int(self.record["too_large"][0]) - 1
            reason = self._policy.refusals[self.search.refusal(slot)]
            raise ValueError(f"{type(self._policy).__name__} on {self.rules.game.name}: {reason}")
        if code == FAILED:
            error = self.helpers.error or RuntimeError("a helper thread failed")
            self._break(error)
            raise error
        with interrupts_held():
            self._grow(code)

    def _grow(self, code: int) -> None:
        """Enlarge what was too small and go on where it was missed."""
        if code == GROW_BATCH:
            self.batch.grow()
        elif code == GROW_STARTS:
            assert self.starts is not None
            self.starts.grow()
        else:
            self.search.grow()
            if code == GROW_TRAJECTORY:
                self.trajectories.grow()
            self._kernels.resume(self.address)

    def quiesce(self) -> None:
        """Finish the advance that an error left under way; no slot changes any more after that."""
        while not self._broken:
            code = self._compiled(self._kernels.settle, self.address)
            if code == COMPLETE:
                return
            self._attend(code)


def _is_of_handler(error: Exception) -> bool:
    """Return whether what came of a compiled call was raised by the handler of a signal that struck at its end.

    A handler is called from the frame that made the call; a frame that compiled code shows was called from none.
    """
    below = error.__traceback__ and error.__traceback__.tb_next
    return below is not None and below.tb_frame.f_back is not None


def tail_size(policy: Policy, learner: Learner | None) -> int:
    """Return how many numbers a tail has, of all heads together."""
    return learner.tail_size * policy.output.heads if learner is not None else 0


@lru_cache(KEPT_POLICIES)
def policy_methods(policy: Policy, layout: np.dtype, plain: bool) -> Methods:
    """Return a policy's compiled methods, in a lane; kept, since `choose` asks at every move.

    Equal policies can differ in layout: 1 and 1.0 are equal.
    """
    methods = (*POLICY_METHODS, *KEEPING_METHODS) if policy.keeps_search else POLICY_METHODS
    return Methods(policy, methods, policy_layouts(policy))


@lru_cache(KEPT_LEARNERS)
def learner_methods(learner: Learner, layout: np.dtype, plain: bool) -> Methods:
    """Return a learner's compiled methods, in a lane; kept, since `Engine.restore` asks each time.

    Equal learners can differ in layout: 1 and 1.0 are equal.
    """
    return Methods(learner, LEARNER_METHODS, learner_layouts())


@cache
def kernels(plain: bool) -> Kernels:
    """Return the engine's own compiled functions (one set for each lane)."""
    return Kernels()
