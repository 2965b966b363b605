"""Where an episode is cut: the network's view of the state it was left in, for the learner to bootstrap from."""

import numpy as np

from ..compiled import address_of, copy_bytes
from ..contracts.learner import TAIL_FROM_ROW
from ..contracts.rules import SIMULTANEOUS, actor, legal_actions
from ..contracts.search_memory import (
    answer_size,
    answer_to,
    ask,
    forget_requests,
    forget_search,
    has_room,
    state_at,
)
from .access import live_state, memory_record, per_player, slot_record
from .layout import BLOCKED_SEARCH, CUT_AWAITING, FINISHED
from .trajectories import learns_from, tails_address


def ask_for_tails(engine, rules, slot):
    """Ask for the network's view of the cut state, for every learning player that has steps."""
    own = slot_record(engine, slot)
    memory = memory_record(engine, slot)
    state = live_state(engine, rules, slot)
    last = per_player(engine.last_step, rules, slot, np.int64)
    forget_search(memory)
    if not has_room(memory, 1, rules.n_players * rules.n_actions, rules.n_players, 0):
        own.blocked = BLOCKED_SEARCH
        return
    copy_bytes(state_at(rules, memory, 0), state, rules.state_size)
    memory.n_nodes = 1
    for player in range(rules.n_players):
        if last[player] >= 0 and learns_from(engine, rules, player):
            n_actions = tail_actions(engine, rules, memory, state, player)
            if not has_room(memory, 0, 0, 1, answer_size(memory, n_actions)):
                own.blocked = BLOCKED_SEARCH
                forget_requests(memory)
                return
            ask(memory, 0, player, memory.n_edges - n_actions, n_actions)
    own.phase = CUT_AWAITING if memory.n_requests > 0 else FINISHED


def tail_actions(engine, rules, memory, state, player):
    """List the mover's legal actions (the player's own in simultaneous games) for a tail row."""
    turn = actor(rules, state)
    out = memory.actions + memory.n_edges * 4
    n_actions = legal_actions(rules, state, player if turn == SIMULTANEOUS else turn, out)
    memory.n_edges += n_actions
    return n_actions


def read_tails(engine, rules, slot):
    """Hand the answers for the cut state to the learner."""
    own = slot_record(engine, slot)
    memory = memory_record(engine, slot)
    last = per_player(engine.last_step, rules, slot, np.int64)
    index = 0
    for player in range(rules.n_players):
        if last[player] >= 0 and learns_from(engine, rules, player):
            answer = answer_to(memory, index)
            TAIL_FROM_ROW(
                engine.tail_from_row,
                engine.learner,
                address_of(answer),
                len(answer),
                (len(answer) - memory.answer_scalars) // memory.answer_heads,
                tails_address(engine, rules, slot, player),
                engine.tail_size,
            )
            index += 1
    own.phase = FINISHED
