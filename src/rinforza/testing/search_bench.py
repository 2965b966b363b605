"""One search, run by hand as the engine runs it, in tables between walls."""

from typing import NamedTuple

import numpy as np

from ..compiled.memory import as_records
from ..compiled.random import STREAM
from ..contracts.composition import Methods, own_record
from ..contracts.policy import NO_STATE, POLICY_METHODS, Policy, policy_layouts
from ..contracts.search_memory import (
    FULL,
    MEMORY,
    REFUSED,
    REQUEST,
    SHORT_ANSWERS,
    SHORT_EDGES,
    SHORT_NODES,
    SHORT_REQUESTS,
    TALLY,
)
from .drivers import POLICY_DRIVERS, entries_of
from .guarded import Guarded
from .lanes import GameLane, in_lane, new_scratch
from .verdict import blame, broken
from .walk import Node

MOST_ROUNDS = 20_000
MOST_ROOM = 1 << 20
HAVE_ROOM = "call has_room before adding nodes, edges or requests, and return FULL when it says no"

# The tables behind each capacity, and the bit by which a policy says that it is too small.
TABLES = {
    "node_capacity": (("nodes", "states", "sides"), SHORT_NODES),
    "edge_capacity": (("edges", "actions"), SHORT_EDGES),
    "request_capacity": (("requests",), SHORT_REQUESTS),
    "answer_capacity": (("answers",), SHORT_ANSWERS),
}


class Decision(NamedTuple):
    """What came of one search."""

    start: int  # the policy's state before
    requests: list[list[tuple[int, ...]]]  # of each round: player, number of actions, and the actions
    inside: list[np.ndarray]  # of each decision inside: state, player, number of actions, evaluation
    evaluations: list[np.ndarray]  # of each perspective
    positions: list[int]  # chosen in the legal lists
    progress: int  # the policy's state afterwards
    drawn: list[int]  # numbers drawn from the search's and the choice's stream


class SearchBench:
    """The memory of one search of a policy on a game, in the lane of the game.

    Args:
        lane: The game.
        policy: The policy.

    Raises:
        ConformanceError: If the policy cannot be composed.
    """

    def __init__(self, lane: GameLane, policy: Policy):
        self.lane, self.policy = lane, policy
        with in_lane(lane.plain):
            with blame(type(policy).__name__, "define every method as the Policy contract says"):
                self._methods = Methods(policy, POLICY_METHODS, policy_layouts(policy))
            self._drivers = entries_of(POLICY_DRIVERS)
        self._self = own_record(policy)
        game, output = lane.game, policy.output
        self.memory = as_records(np.zeros(1, MEMORY))
        self.memory["n_sides"] = game.num_players if policy.values_everyone(game) else 0
        self._widths = {
            "nodes": policy.node_dtype.itemsize,
            "states": lane.size,
            "sides": int(self.memory["n_sides"][0]) * policy.side_dtype.itemsize,
            "edges": policy.edge_dtype.itemsize,
            "actions": 4,
            "requests": REQUEST.itemsize,
            "answers": 8,
        }
        self.memory["answer_heads"], self.memory["answer_scalars"] = output.heads, output.scalars
        self._largest = policy.evaluation_scalars + policy.evaluation_heads * game.num_actions
        self._scratch, self._behind = new_scratch(game, self._largest)
        self.memory["scratch"] = self._scratch.ctypes.data
        self._tally = Guarded(len(TALLY), np.float64)
        self.memory["tally"] = self._tally.address
        self._search = Guarded(-(-policy.search_dtype.itemsize // 8), np.int64)
        self._state = Guarded(lane.size, np.uint8)
        self._players = Guarded(game.num_players, np.int64)
        self._evaluation = Guarded(self._largest, np.float64)
        self._found = Guarded(2, np.int64)
        self._progress = Guarded(1, np.int64)
        self._streams = Guarded(2, STREAM)
        self._tables: dict[str, Guarded] = {}

    # ---- a decision ----

    def decide(self, node: Node, seed: int, room: int, progress: int) -> Decision:
        """Search a state and choose.

        Args:
            node: The state, with who acts there.
            seed: Decides the streams and the network's answers.
            room: The first capacity of every table, doubled whenever it is too small.
            progress: The policy's state.
        """
        state, players, legal = node.state, node.acting(), node.legal
        self._start(state, players, seed, room)
        network = np.random.default_rng(seed)
        requests: list[list[tuple[int, ...]]] = []
        while True:
            rows = self._until_room("round", self._stream(0))
            asked = self._open_requests(rows)
            if rows == 0:
                break
            requests.append(asked)
            self._answer(network)
            self._until_room("absorb", self._stream(0))
            if len(requests) > MOST_ROUNDS:
                raise broken(
                    self.where("round"),
                    f"asked for rows {MOST_ROUNDS} times",
                    "return 0 when it is done",
                )
        if not np.array_equal(self._state.bytes, state):
            raise broken(
                self.where("begin_search or round"),
                "changed the state of the game",
                "copy it with copy_bytes",
            )
        inside = self._inside()
        self._progress.array[0] = progress
        evaluations, positions = [], []
        for index, player in enumerate(players):
            evaluations.append(self._finish(index, len(legal[player])))
            positions.append(self._select(evaluations[-1], len(legal[player])))
        after = int(self._progress.array[0])
        drawn = self._streams.array["counter"].tolist()
        return Decision(progress, requests, inside, evaluations, positions, after, drawn)

    def begin_episode(self, ply: int, seed: int) -> int:
        """Return the policy's state at the start of an episode."""
        self._streams.array["key"], self._streams.array["counter"] = seed, 0
        return self._call("begin_episode", ply, self._stream(1))

    def where(self, method: str) -> str:
        """Name a method in this lane, for messages."""
        return f"{type(self.policy).__name__}.{method} ({self.lane.lane})"

    # ---- its parts ----

    def _start(self, state: np.ndarray, players: list[int], seed: int, room: int) -> None:
        """Begin the search; as the engine does, anew while the tables are too small."""
        self._streams.array["key"], self._streams.array["counter"] = (seed, seed + 1), 0
        self._state.bytes[:] = state
        self._players.array[: len(players)] = players
        self._tables = {}
        for capacity in TABLES:
            self._allocate(capacity, room)
        while True:
            for counter in ("n_nodes", "n_edges", "n_requests", "n_answers", "short"):
                self.memory[counter] = 0
            self._search.bytes[:] = 0
            arguments = (self._state.address, self._players.address, len(players))
            code = self._call("begin_search", *self._search_words(), *arguments)
            if code == 0:
                return
            if code != FULL:
                raise broken(self.where("begin_search"), f"returned {code}", "return 0 or FULL")
            self._grow("begin_search")

    def _until_room(self, method: str, stream: int) -> int:
        while True:
            code = self._call(method, *self._search_words(), stream)
            if code == REFUSED and method == "round":
                raise ValueError(self.policy.refusals[int(self.memory["refusal"][0])])
            if code != FULL:
                if code < 0 or (method == "absorb" and code != 0):
                    mend = (
                        "return 0 or FULL" if method == "absorb" else "return the number of rows, 0 or FULL"
                    )
                    raise broken(self.where(method), f"returned {code}", mend)
                return code
            self._grow(method)

    def _open_requests(self, rows: int) -> list[tuple[int, ...]]:
        """Check the requests of a round and return those without an answer."""
        memory = self.memory[0]
        requests = self._tables["requests"].bytes.view(REQUEST)[: memory.n_requests]
        waiting = int((requests["answered"] == 0).sum())
        if waiting != rows:
            what = f"returned {rows}, but {waiting} of its {len(requests)} requests have no answer yet"
            mend = "return memory.n_requests after the last ask, and 0 only when nothing is asked; call "
            raise broken(self.where("round"), what, mend + "forget_requests before a new round")
        asked = []
        for request in requests if rows else requests[:0]:
            first, count = int(request["first_action"]), int(request["n_actions"])
            actions = self._tables["actions"].bytes.view(np.int32)[first : first + count]
            whole = 0 <= first and first + count <= memory.edge_capacity and 0 <= count
            if not whole or ((actions < 0) | (actions >= self.lane.game.num_actions)).any():
                raise broken(
                    self.where("round"),
                    f"asks for the actions {first} to {first + count - 1} of the action table, "
                    f"{actions.tolist()}",
                    "write the action ids to memory.actions before ask",
                )
            if not 0 <= request["player"] < self.lane.game.num_players:
                raise broken(
                    self.where("round"),
                    f"asks for player {request['player']}",
                    "pass a player to ask",
                )
            if not 0 <= request["state"] < memory.n_nodes:
                raise broken(
                    self.where("round"),
                    f"asks about state {request['state']} of {memory.n_nodes}",
                    "copy the state to state_at(rules, memory, index) and raise memory.n_nodes",
                )
            asked.append((int(request["player"]), count, *map(int, actions)))
        return asked

    def _answer(self, network: np.random.Generator) -> None:
        """Answer the round: random numbers, between -1 and 1."""
        answers = self._tables["answers"].bytes.view(np.float64)
        answers[: self.memory[0].n_answers] = network.uniform(-1.0, 1.0, int(self.memory[0].n_answers))
        self._tables["requests"].bytes.view(REQUEST)["answered"][: self.memory[0].n_requests] = 1

    def _finish(self, index: int, n_actions: int) -> np.ndarray:
        size = self.policy.evaluation_scalars + self.policy.evaluation_heads * n_actions
        self._evaluation.array[:] = np.nan
        self._call("finish", *self._search_words(), index, self._evaluation.address, size)
        return self._written("finish", size)

    def _written(self, method: str, size: int) -> np.ndarray:
        """Return the evaluation that a method wrote over NaNs."""
        evaluation = self._evaluation.array[:size].copy()
        if not np.isfinite(evaluation).all():
            what = f"left {evaluation.tolist()!s:.200} as the evaluation"
            mend = "write every number, evaluation_scalars + evaluation_heads * n_actions of them, all finite"
            raise broken(self.where(method), what, mend)
        if not np.isnan(self._evaluation.array[size:]).all():
            raise broken(
                self.where(method),
                f"wrote more than the {size} numbers of the evaluation",
                HAVE_ROOM,
            )
        return evaluation

    def _inside(self) -> list[np.ndarray]:
        """List the decisions inside the search that can be learned."""
        listed: list[np.ndarray] = []
        after = NO_STATE
        while True:
            self._evaluation.array[:] = np.nan
            words = (after, self._found.address, self._evaluation.address, self._largest)
            state = self._call("interior", *self._search_words(), *words)
            if state == NO_STATE:
                return listed
            player, n_actions = self._found.array.tolist()
            if not after < state < self.memory[0].n_nodes or not self._is_decision(state, player, n_actions):
                raise broken(
                    self.where("interior"),
                    f"found state {state} behind {after}, with {n_actions} actions of player {player}",
                    "list states in ascending order, each with a player that acts there and how many legal "
                    "actions it has, then return NO_STATE",
                )
            size = self.policy.evaluation_scalars + self.policy.evaluation_heads * n_actions
            listed.append(np.array([state, player, n_actions, *self._written("interior", size)]))
            after = state

    def _is_decision(self, index: int, player: int, n_actions: int) -> bool:
        """Return whether a player decides between so many actions in a state of the search."""
        if not 0 <= player < self.lane.game.num_players:
            return False
        state = self._tables["states"].bytes[index * self.lane.size : (index + 1) * self.lane.size]
        return n_actions == len(self.lane.legal(state.copy(), player)) > 0

    def _select(self, evaluation: np.ndarray, n_actions: int) -> int:
        self._evaluation.array[: len(evaluation)] = evaluation
        words = (self._evaluation.address, len(evaluation), n_actions, self._progress.address)
        position = self._call("select", *words, self._stream(1))
        resigns = self.lane.game.resignation is not None and position < 0
        if not 0 <= (-1 - position if resigns else position) < n_actions:
            what = f"chose position {position} of {n_actions} legal actions"
            raise broken(
                self.where("select"),
                what,
                "return a position in the legal list, from 0 to n_actions - 1; -1 - position resigns where the "
                "game's `resignation` is stated",
            )
        return position

    # ---- memory ----

    def _search_words(self) -> tuple[int, int, int]:
        return self.lane.rules.address, self._search.address, self.memory.ctypes.data

    def _stream(self, index: int) -> int:
        return self._streams.address + index * STREAM.itemsize

    def _allocate(self, capacity: str, count: int) -> None:
        for name in TABLES[capacity][0]:
            table = Guarded(count * self._widths[name], np.uint8, fill=0x5A)
            old = self._tables.get(name)
            if old is not None:
                table.bytes[: len(old.bytes)] = old.bytes
            self._tables[name] = table
            self.memory[name] = table.address
        self.memory[capacity] = count

    def _grow(self, method: str) -> None:
        """Double what was too small."""
        short = int(self.memory["short"][0])
        if short == 0:
            raise broken(self.where(method), "returned FULL although has_room never said no", HAVE_ROOM)
        for capacity, (_, bit) in TABLES.items():
            if short & bit:
                if self.memory[capacity][0] > MOST_ROOM:
                    raise broken(self.where(method), f"asks for more and more {capacity}", HAVE_ROOM)
                self._allocate(capacity, 2 * int(self.memory[capacity][0]))
        self.memory["short"] = 0

    def _call(self, method: str, *words: int) -> int:
        with blame(self.where(method)):
            address = self._methods.addresses[method]
            value = self._drivers[method](address, self._self.ctypes.data, *words)
        for name, table in self._tables.items():
            if table.breached():
                raise broken(self.where(method), f"wrote outside memory.{name}", HAVE_ROOM)
        own = (
            self._search,
            self._state,
            self._players,
            self._evaluation,
            self._found,
            self._progress,
            self._streams,
        )
        if any([guarded.breached() for guarded in (*own, self._tally, *self._behind)]):
            raise broken(
                self.where(method),
                "wrote outside the search record, the scratch, the evaluation or the stream",
                "write only to the fields of `search` and to evaluation[0 : len(evaluation)]",
            )
        return 0 if value is None else int(value)
