"""A small conforming policy, for the broken ones to differ from."""

import numpy as np

from rinforza import Policy, QValues
from rinforza.compiled import array_at, copy_bytes, record_at
from rinforza.compiled.random import categorical, integer_below, uniform
from rinforza.contracts.policy import Capacity
from rinforza.contracts.rules import SCRATCH, legal_actions
from rinforza.contracts.search_memory import (
    FULL,
    answer_size,
    answer_to,
    ask,
    forget_requests,
    has_room,
    state_at,
)

NODE = np.dtype([("visits", np.int64)], align=True)
EDGE = np.dtype([("value", np.float64)], align=True)


class Peek(Policy):
    """Asks for the root twice, `rounds` times over, and acts on noisy means of the values."""

    name = "peek"
    supports_imperfect_information = True
    search_dtype = np.dtype([("player", np.int64), ("n_legal", np.int64), ("asked", np.int64)], align=True)
    node_dtype = NODE
    edge_dtype = EDGE

    def __init__(self, rounds=2):
        super().__init__({"rounds": rounds})

    def max_agents(self, dynamics):
        return None if dynamics == "sequential" else 0

    @property
    def output(self):
        return QValues(1)

    def capacity(self, game):
        return Capacity(1, game.num_actions, 2)

    def begin_search(self, rules, search, memory, state, players):
        return plant(rules, search, memory, state, players)

    def round(self, rules, search, memory, stream):
        if search.asked == self.rounds:
            return 0
        return ask_twice(search, memory)

    def absorb(self, rules, search, memory, stream):
        return take_in(search, memory, stream)

    def finish(self, rules, search, memory, perspective, evaluation):
        edges = array_at(memory.edges, search.n_legal, EDGE)
        for place in range(search.n_legal):
            evaluation[place] = edges[place].value

    def begin_episode(self, ply, stream):
        return 10 + integer_below(stream, 5)

    def select(self, evaluation, n_actions, progress, stream):
        progress[0] += 1
        for place in range(n_actions):
            evaluation[place] = np.exp(evaluation[place])
        return categorical(stream, evaluation, n_actions)


def plant(rules, search, memory, state, players):
    """Copy the root, list its edges."""
    scratch = record_at(memory.scratch, SCRATCH)
    search.player = players[0]
    search.n_legal = legal_actions(rules, state, players[0], scratch.legal)
    if not has_room(memory, 1, search.n_legal, 0, 0):
        return FULL
    copy_bytes(state_at(rules, memory, 0), state, rules.state_size)
    copy_bytes(memory.actions, scratch.legal, 4 * search.n_legal)
    memory.n_nodes = 1
    memory.n_edges = search.n_legal
    array_at(memory.nodes, 1, NODE)[0].visits = 0
    edges = array_at(memory.edges, search.n_legal, EDGE)
    for place in range(search.n_legal):
        edges[place].value = 0.0
    return 0


def ask_twice(search, memory):
    """Ask for the values of the legal actions, and for none."""
    forget_requests(memory)
    if not has_room(memory, 0, 0, 2, answer_size(memory, search.n_legal) + answer_size(memory, 0)):
        return FULL
    ask(memory, 0, search.player, 0, search.n_legal)
    ask(memory, 0, search.player, 0, 0)
    search.asked += 1
    return 2


def take_in(search, memory, stream):
    """Add the answer and some noise to the edges."""
    answer = answer_to(memory, 0)
    edges = array_at(memory.edges, search.n_legal, EDGE)
    for place in range(search.n_legal):
        edges[place].value += answer[place] + uniform(stream)
    return 0
