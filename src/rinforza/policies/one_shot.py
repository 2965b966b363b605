"""The search of a policy that does not search: one row per perspective; the answer is the evaluation."""

import numpy as np

from ..compiled import copy_bytes, record_at
from ..contracts.game import Game
from ..contracts.policy import Capacity, Policy
from ..contracts.rules import SCRATCH, legal_actions
from ..contracts.search_memory import (
    FULL,
    LEAVES,
    ROUNDS,
    answer_size,
    answer_to,
    ask,
    count,
    has_room,
    state_at,
)


class OneShot(Policy):
    """A model-free policy: a subclass chooses from the network's own answer.

    The evaluation of a perspective is the answer to its row, scalars first, then head by head.
    """

    search_dtype = np.dtype([("asked", np.int64)])

    def capacity(self, game: Game) -> Capacity:
        """Return room for one row per player."""
        return Capacity(1, game.num_players * game.num_actions, game.num_players)

    # ---------------------------------------------------------------- compiled from here on

    def begin_search(self, rules, search, memory, state, players):
        if not has_room(memory, 1, 0, 0, 0):
            return FULL
        copy_bytes(state_at(rules, memory, 0), state, rules.state_size)
        memory.n_nodes = 1
        scratch = record_at(memory.scratch, SCRATCH)
        for player in players:
            n_actions = legal_actions(rules, state, player, scratch.legal)
            if not has_room(memory, 0, n_actions, 1, answer_size(memory, n_actions)):
                return FULL
            copy_bytes(memory.actions + memory.n_edges * 4, scratch.legal, n_actions * 4)
            ask(memory, 0, player, memory.n_edges, n_actions)
            memory.n_edges += n_actions
        return 0

    def round(self, rules, search, memory, stream):
        if search.asked != 0:
            count(memory, LEAVES, memory.n_requests)
            count(memory, ROUNDS, memory.n_requests)
            return 0
        search.asked = 1
        return memory.n_requests

    def absorb(self, rules, search, memory, stream):
        return 0

    def finish(self, rules, search, memory, perspective, evaluation):
        keep_answer(memory, perspective, evaluation)


def keep_answer(memory, perspective, evaluation):
    """Make the answer to a perspective's row its evaluation."""
    answer = answer_to(memory, perspective)
    for index in range(len(answer)):
        evaluation[index] = answer[index]
