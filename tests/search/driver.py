"""Runs a search on one position outside an engine, so that a test can look at it between two rounds."""

import numpy as np

from rinforza.compiled import INT, Prototype, compile_function
from rinforza.compiled.random import STREAM
from rinforza.contracts.composition import Methods, Rules, own_record
from rinforza.contracts.policy import (
    ABSORB,
    BEGIN_SEARCH,
    FINISH,
    KEEP_SEARCH,
    POLICY_METHODS,
    ROUND,
    policy_layouts,
)
from rinforza.contracts.rules import SCRATCH
from rinforza.contracts.search_memory import (
    FULL,
    MEMORY,
    REQUEST,
    SHORT_ANSWERS,
    SHORT_EDGES,
    SHORT_NODES,
    SHORT_REQUESTS,
    TALLY,
)

BEGIN_AT = Prototype("begin_at", INT, *[INT] * 8)
ROUND_AT = Prototype("round_at", INT, *[INT] * 6)
ABSORB_AT = Prototype("absorb_at", INT, *[INT] * 6)
FINISH_AT = Prototype("finish_at", None, *[INT] * 8)
KEEP_AT = Prototype("keep_at", None, *[INT] * 5)


def begin_at(method, policy, rules, search, memory, state, players, n_players):
    return BEGIN_SEARCH(method, policy, rules, search, memory, state, players, n_players)


def round_at(method, policy, rules, search, memory, stream):
    return ROUND(method, policy, rules, search, memory, stream)


def absorb_at(method, policy, rules, search, memory, stream):
    return ABSORB(method, policy, rules, search, memory, stream)


def finish_at(method, policy, rules, search, memory, perspective, evaluation, size):
    FINISH(method, policy, rules, search, memory, perspective, evaluation, size)


def keep_at(method, policy, rules, memory, state):
    KEEP_SEARCH(method, policy, rules, memory, state)


class SearchDriver:
    """One search, with its own memory.

    Args:
        policy: The policy.
        position: A `tests.naive.game_view.Position` where somebody moves.
        stream: A STREAM array of one, which the search draws from.
        discount: Per decision.
        first: (nodes, edges, requests, answers) that the tables start with.
    """

    def __init__(self, policy, position, stream, discount=1.0, first=(64, 512, 8, 256)):
        self.position, self.stream = position, stream
        self.rules = Rules(position.game, position.reward, discount)
        self.policy = policy
        methods = (*POLICY_METHODS, KEEP_SEARCH) if policy.keeps_search else POLICY_METHODS
        self._methods = Methods(policy, methods, policy_layouts(policy))
        self._own = own_record(policy)
        self._search = np.zeros(1, policy.search_dtype)
        self._memory = np.zeros(1, MEMORY)
        self._capacities = dict(zip(_WIDTHS, first, strict=True))
        self.grown = 0
        self.tables = {}
        everyone = range(position.game.num_players)
        self._memory["n_sides"] = len(everyone) if policy.values_everyone(position.game) else 0
        self._allocate()
        self._players = np.array([player for player in everyone if position.legal(player)], np.int64)
        self._state = np.zeros(self.rules.state_size, np.uint8)
        self._state[: position.game.state_dtype.itemsize] = np.frombuffer(position.state.tobytes(), np.uint8)
        self._entries = {
            prototype.name: compile_function(function, prototype, {}, prototype.name).entry
            for function, prototype in (
                (begin_at, BEGIN_AT),
                (round_at, ROUND_AT),
                (absorb_at, ABSORB_AT),
                (finish_at, FINISH_AT),
                (keep_at, KEEP_AT),
            )
        }

    def _allocate(self):
        game, memory = self.position.game, self._memory
        sizes = {
            "nodes": self.policy.node_dtype.itemsize,
            "states": self.rules.state_size,
            "sides": int(memory["n_sides"][0]) * self.policy.side_dtype.itemsize,
            "edges": self.policy.edge_dtype.itemsize,
            "actions": 4,
            "requests": REQUEST.itemsize,
            "answers": 8,
        }
        for capacity, (names, _) in _WIDTHS.items():
            count = self._capacities[capacity]
            memory[capacity] = count
            for name in names:
                table = np.zeros(count * sizes[name], np.uint8)
                old = self.tables.get(name)
                if old is not None:
                    table[: len(old)] = old
                self.tables[name] = table
                memory[name] = table.ctypes.data
        self.tally = np.zeros(len(TALLY)) if not hasattr(self, "tally") else self.tally
        memory["tally"] = self.tally.ctypes.data
        memory["answer_heads"] = self.policy.output.heads
        memory["answer_scalars"] = self.policy.output.scalars
        self._scratch = np.zeros(1, SCRATCH)
        self._buffers = {}
        for field in SCRATCH.names:
            size = game.num_players * len(game.events) + game.most_outcomes + game.num_actions + 64
            self._buffers[field] = np.zeros(size)
            self._scratch[field] = self._buffers[field].ctypes.data
        memory["scratch"] = self._scratch.ctypes.data

    def _call(self, name, *arguments):
        addresses = [self._own.ctypes.data, self.rules.address]
        addresses += [self._search.ctypes.data, self._memory.ctypes.data]
        method = {"begin_at": "begin_search"}.get(name, name.removesuffix("_at"))
        while True:
            code = self._entries[name](self._methods.addresses[method], *addresses, *arguments)
            if code != FULL:
                return code
            self._grow()

    def _grow(self):
        """Enlarge what was short, by as little as can be, so that growth happens often."""
        self.grown += 1
        short = int(self._memory["short"][0])
        assert short != 0
        for capacity, (_, bit) in _WIDTHS.items():
            if short & bit:
                self._capacities[capacity] += 1
        self._allocate()

    def begin(self):
        """Start the search."""
        self._memory["n_nodes"] = self._memory["n_edges"] = 0
        self._memory["n_requests"] = self._memory["n_answers"] = 0
        self._call("begin_at", self._state.ctypes.data, self._players.ctypes.data, len(self._players))

    def go_on(self, position):
        """Start the next search of an episode, with the tables as the last one left them."""
        self.position = position
        players = [player for player in range(position.game.num_players) if position.legal(player)]
        self._players = np.array(players, np.int64)
        self._state[: position.game.state_dtype.itemsize] = np.frombuffer(position.state.tobytes(), np.uint8)
        self._search[:] = np.zeros(1, self.policy.search_dtype)
        self._memory["n_requests"] = self._memory["n_answers"] = self._memory["n_rounds"] = 0
        words = self.rules.address, self._memory.ctypes.data, self._state.ctypes.data
        self._entries["keep_at"](self._methods.addresses["keep_search"], self._own.ctypes.data, *words)
        self._call("begin_at", self._state.ctypes.data, self._players.ctypes.data, len(self._players))

    def round(self):
        """Run to the next request; return how many rows are asked, 0 at the end."""
        return self._call("round_at", self.stream.ctypes.data)

    def requests(self):
        """The round's requests, as records."""
        return self.tables["requests"].view(REQUEST)[: int(self._memory["n_requests"][0])]

    def answer(self, network):
        """Give each request the network's answer for its state, as an engine would."""
        game = self.position.game
        states = self.tables["states"].reshape(-1, self.rules.state_size)
        answers = self.tables["answers"].view(np.float64)
        for request in self.requests():
            state = states[request["state"]][: game.state_dtype.itemsize].copy().view(game.state_dtype)
            player = int(request["player"])
            position = type(self.position)(game, self.position.reward, state[0])
            first, count = int(request["first_action"]), int(request["n_actions"])
            columns = [position.head(int(action), player) for action in self.actions[first : first + count]]
            answer = network(position.observe(player)[None])
            if isinstance(answer, tuple):
                row = [answer[1][0], *answer[0][0, columns]]
            else:
                row = answer[0][:, columns].ravel()
            start = int(request["answer"])
            answers[start : start + len(row)] = row
        self._call("absorb_at", self.stream.ctypes.data)

    def evaluation(self, perspective=0):
        """What the search found for a perspective: for each head, one number per legal action."""
        size = len(self.position.legal(self._players[perspective])) * self.policy.evaluation_heads
        out = np.zeros(size)
        self._call("finish_at", perspective, out.ctypes.data, size)
        return out

    @property
    def actions(self):
        """The action of every edge."""
        return self.tables["actions"].view(np.int32)

    @property
    def nodes(self):
        """The policy's nodes."""
        return self.tables["nodes"].view(self.policy.node_dtype)[: int(self._memory["n_nodes"][0])]

    @property
    def edges(self):
        """The policy's edges."""
        return self.tables["edges"].view(self.policy.edge_dtype)[: int(self._memory["n_edges"][0])]

    @property
    def search(self):
        """The search's own record."""
        return self._search[0]


_WIDTHS = {
    "node_capacity": (("nodes", "states", "sides"), SHORT_NODES),
    "edge_capacity": (("edges", "actions"), SHORT_EDGES),
    "request_capacity": (("requests",), SHORT_REQUESTS),
    "answer_capacity": (("answers",), SHORT_ANSWERS),
}


def new_stream(key):
    """A stream's array, at its beginning."""
    stream = np.zeros(1, STREAM).view(np.recarray)
    stream["key"] = key
    return stream
