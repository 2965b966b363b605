"""Episodes to learn from, and a learner's methods on them, in arrays between walls."""

from typing import NamedTuple

import numpy as np

from ..compiled.random import STREAM
from ..contracts.batch import Column
from ..contracts.composition import Methods, own_record
from ..contracts.learner import BATCH, EPISODE, LEARNER_METHODS, STEP, Learner, learner_layouts
from ..contracts.rules import SIMULTANEOUS, TERMINAL
from .drivers import LEARNER_DRIVERS, entries_of
from .guarded import Guarded
from .lanes import GameLane, in_lane, new_scratch
from .search_bench import SearchBench
from .verdict import blame, broken
from .walk import Node, random_game

FIRST_ROW = 2  # rows of other trajectories before ours
ENTRIES_BEFORE = 3  # and entries of theirs in every ragged array
FILLS = (0x11, 0xEE)  # what the arrays hold before; a cell that still differs was not written
ROOM = 256  # for the searches of an episode
ANNOUNCE = "let episode_size announce exactly what episode_records writes"


class Episode(NamedTuple):
    """A played episode: the tables that an EPISODE record points to."""

    steps: np.ndarray  # STEP[n]
    states: np.ndarray  # uint8[n_states, state_size]
    evaluations: np.ndarray  # float64[...]
    final_state: np.ndarray
    terminated: bool
    rows: dict[int, np.ndarray]  # the network's answer for the cut state, by player
    row_actions: int  # the number of actions that those rows cover

    def own(self, player: int) -> np.ndarray:
        """Return the indices of a player's steps."""
        return np.flatnonzero(self.steps["player"] == player).astype(np.int32)


def play_episode(bench: SearchBench, seed: int, longest: int) -> Episode:
    """Play a random episode, cut after `longest` ticks; the policy evaluates each decision."""
    lane, output = bench.lane, bench.policy.output
    generator = np.random.default_rng(seed)
    nodes = list(random_game(lane, generator, longest))
    steps: list[list] = []
    last: dict[int, list] = {}
    states, evaluations = [], [np.zeros(0)]
    size = 0
    for node, following in zip(nodes, [*nodes[1:], None], strict=True):
        for player, step in last.items():
            step[0] += float(lane.rules.weights @ node.events[player])
        if following is None or not node.acting():
            continue
        decision = bench.decide(node, seed + len(states), ROOM, 0)
        for player, evaluation in zip(node.acting(), decision.evaluations, strict=True):
            action, count = following.choice[player], len(node.legal[player])
            last[player] = [0.0, size, len(states), player, action, count]
            steps.append(last[player])
            evaluations.append(evaluation)
            size += len(evaluation)
        states.append(node.state)
    row_actions = _mover_actions(nodes[-1])
    width = output.scalars + output.heads * row_actions
    rows = {player: generator.uniform(-1.0, 1.0, width) for player in last}
    return Episode(
        np.array([tuple(step) for step in steps], STEP),
        np.array(states),
        np.concatenate(evaluations),
        nodes[-1].state,
        nodes[-1].turn == TERMINAL,
        rows,
        row_actions,
    )


def _mover_actions(node: Node) -> int:
    """Return how many actions a row for a cut state covers."""
    if node.turn == SIMULTANEOUS:
        return min(len(node.legal[player]) for player in node.acting())
    return len(node.legal[node.turn]) if node.turn >= 0 else 0


class Records(NamedTuple):
    """What a learner wrote for one trajectory."""

    n_rows: int
    arrays: dict[str, np.ndarray]  # its rows alone; offsets begin at 0
    drawn: int  # numbers drawn from the stream


class EpisodeBench:
    """A learner's methods on episodes, in the lane of the game.

    Args:
        lane: The game.
        learner: The learner.
        search: The policy's search; its output and evaluation layout count.

    Raises:
        ConformanceError: If the learner cannot be composed.
    """

    def __init__(self, lane: GameLane, learner: Learner, search: SearchBench):
        self.lane, self.learner, self.policy = lane, learner, search.policy
        with in_lane(lane.plain):
            with blame(type(learner).__name__, "define every method as the Learner contract says"):
                self._methods = Methods(learner, LEARNER_METHODS, learner_layouts())
            self._drivers = entries_of(LEARNER_DRIVERS)
        self._self = own_record(learner)
        self._scratch, self._behind = new_scratch(lane.game, evaluation=1)
        self._stream = Guarded(1, STREAM)
        self._tail = Guarded(learner.tail_size * search.policy.output.heads, np.float64)
        columns = learner.columns(lane.game, self.policy, lane.rules.observation_size)
        self.fields: list[tuple[str, Column, str]] = []  # array name, column, role
        for name, column in columns.items():
            if column.ragged:
                self.fields += [
                    (f"{name}_ids", column, "ids"),
                    (f"{name}_offsets", column, "offsets"),
                ]
            else:
                self.fields.append((name, column, "rows"))

    def where(self, method: str) -> str:
        """Name a method in this lane, for messages."""
        return f"{type(self.learner).__name__}.{method} ({self.lane.lane})"

    def records(self, episode: Episode, player: int, seed: int, fill: int = FILLS[0]) -> Records:
        """Turn a player's trajectory into records, in arrays exactly as large as announced."""
        parts = [Guarded(table.shape, table.dtype) for table in episode[:4]]
        for part, table in zip(parts, episode[:4], strict=True):
            part.array[...] = table
        own = Guarded(len(episode.own(player)), np.int32)
        own.array[:] = episode.own(player)
        record = self._episode_record(episode, player, parts, own)
        before = [part.bytes.copy() for part in parts]
        count, lengths = self._sizes(record)
        arrays = self._arrays(count, lengths, fill)
        filled = Guarded(len(self.fields), np.int64)
        filled.array[[role == "ids" for _, _, role in self.fields]] = ENTRIES_BEFORE
        batch = self._batch_record(arrays, filled)
        self._stream.array["key"], self._stream.array["counter"] = seed, 0
        addresses = (record.ctypes.data, batch[0].ctypes.data, self._stream.address)
        self._call("episode_records", self.lane.rules.address, *addresses)
        for (name, _, _), array in zip(self.fields, arrays, strict=True):
            if array.breached():
                raise broken(self.where("episode_records"), f"wrote outside the array {name}", ANNOUNCE)
        if any(not np.array_equal(part.bytes, old) for part, old in zip(parts, before, strict=True)):
            raise broken(self.where("episode_records"), "changed the episode", "only read the trajectory")
        self._check_filled(lengths, filled.array)
        drawn = int(self._stream.array["counter"][0])
        return Records(count, self._trimmed(arrays, lengths, fill), drawn)

    def tail(self, answer: np.ndarray, n_actions: int) -> np.ndarray:
        """Return what the learner reads from the network's row for a cut state."""
        row = Guarded(len(answer), np.float64)
        row.array[:] = answer
        self._tail.array[:] = np.nan
        words = (row.address, len(answer), n_actions, self._tail.address, len(self._tail.array))
        self._call("tail_from_row", *words)
        if self._tail.breached() or not np.isfinite(self._tail.array).all():
            raise broken(
                self.where("tail_from_row"),
                f"left {self._tail.array.tolist()} as the tail of {len(self._tail.array)}",
                "write all len(tail) numbers of it, and state tail_size, how many for each head",
            )
        return self._tail.array.copy()

    # ---- its parts ----

    def _episode_record(self, episode, player, parts, own) -> np.ndarray:
        record = np.zeros(1, EPISODE)
        for name, part in zip(("steps", "states", "evaluations", "final_state"), parts, strict=True):
            record[name] = part.address
        self._tail.array[:] = 0.0
        if self.learner.uses_episode_tail and not episode.terminated:
            self.tail(episode.rows[player], episode.row_actions)
        record["own"], record["length"], record["player"] = own.address, len(own.array), player
        record["terminated"] = episode.terminated
        record["evaluation_scalars"] = self.policy.evaluation_scalars
        record["evaluation_heads"] = self.policy.evaluation_heads
        record["tail"], record["scratch"] = self._tail.address, self._scratch.ctypes.data
        return record

    def _sizes(self, record: np.ndarray) -> tuple[int, np.ndarray]:
        """Return how many rows and entries are announced; they are added to what stands there."""
        lengths = Guarded(len(self.fields), np.int64)
        sizes = []
        for start in (0, 7):
            lengths.array[:] = start
            words = (self.lane.rules.address, record.ctypes.data, lengths.address, len(self.fields))
            count = self._call("episode_size", *words)
            sizes.append((count, *(lengths.array - start)))
        ragged = np.array([role == "ids" for _, _, role in self.fields])
        announced = np.array(sizes[0][1:])
        if lengths.breached() or sizes[0] != sizes[1] or announced[~ragged].any() or min(sizes[0]) < 0:
            raise broken(
                self.where("episode_size"),
                f"announced {sizes[0]} for zeroed lengths, {sizes[1]} beyond lengths of 7",
                "return the number of records, and add each ragged array's entries to "
                "lengths[its position], "
                "where a ragged column counts as two arrays",
            )
        return sizes[0][0], announced

    def _arrays(self, count: int, lengths: np.ndarray, fill: int) -> list[Guarded]:
        arrays = []
        for (_, column, role), length in zip(self.fields, lengths, strict=True):
            shape = {
                "rows": (FIRST_ROW + count, *column.shape),
                "ids": (ENTRIES_BEFORE + int(length),),
                "offsets": (FIRST_ROW + count + 1,),
            }[role]
            array = Guarded(shape, column.dtype, fill)
            if role == "offsets":
                array.array[FIRST_ROW] = ENTRIES_BEFORE
            arrays.append(array)
        return arrays

    def _batch_record(self, arrays: list[Guarded], filled: Guarded) -> tuple[np.ndarray, np.ndarray]:
        addresses = np.array([array.address for array in arrays], np.int64)
        batch = np.zeros(1, BATCH)
        batch["columns"], batch["filled"] = addresses.ctypes.data, filled.address
        batch["first_row"], batch["heads"] = FIRST_ROW, self.policy.output.heads
        return batch, addresses

    def _check_filled(self, lengths: np.ndarray, filled: np.ndarray) -> None:
        for (name, _, role), length, entries in zip(self.fields, lengths, filled, strict=True):
            if role == "ids" and entries != ENTRIES_BEFORE + length:
                what = f"wrote {entries - ENTRIES_BEFORE} entries to {name}, but announced {length}"
                raise broken(self.where("episode_records"), what, ANNOUNCE)

    def _trimmed(self, arrays: list[Guarded], lengths: np.ndarray, fill: int) -> dict[str, np.ndarray]:
        """Return the trajectory's own rows, after checking that nothing before them was touched."""
        own = {}
        for (name, _, role), array in zip(self.fields, arrays, strict=True):
            start = ENTRIES_BEFORE if role == "ids" else FIRST_ROW
            ahead = array.array[:start].tobytes()
            if ahead != bytes([fill]) * len(ahead):
                raise broken(
                    self.where("episode_records"),
                    f"wrote to {name} before its own rows",
                    "begin at row batch.first_row, and at batch.filled in a ragged array",
                )
            own[name] = array.array[start:].copy()
            if role == "offsets":
                own[name] -= ENTRIES_BEFORE
        return own

    def _call(self, method: str, *words: int) -> int:
        with blame(self.where(method)):
            address = self._methods.addresses[method]
            value = self._drivers[method](address, self._self.ctypes.data, *words)
        if any([guarded.breached() for guarded in (*self._behind, self._stream)]):
            raise broken(self.where(method), "wrote outside the scratch or the stream", ANNOUNCE)
        return 0 if value is None else int(value)
