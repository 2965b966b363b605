"""Whether a tree that was read from outside is one that a search can have left.

Nothing in it is taken on trust: every index is checked before it is followed, and every state is made anew from its
parent's, by the action or the outcome that leads to it. Nodes are looked at in their order, so that a node's parent has
been found sound before it.
"""

import math

import numpy as np

from ..compiled import array_at, copy_bytes, record_at
from ..contracts.chance_modes import ALWAYS_RESAMPLE, COMMITTED
from ..contracts.rules import (
    CHANCE,
    SCRATCH,
    TERMINAL,
    actor,
    chance_fan,
    legal_actions,
    resolve_chance,
    reward_of,
    step_one,
)
from ..contracts.search_memory import state_at
from .reuse import is_same
from .tree import DRAWING, ENDED, FIXED, NONE, OPEN, ROOT, WAITING, edges_of, nodes_of, scratch_of, side_of

MOST_VISITS = 1 << 26  # far beyond what the largest searches leave


def is_sound(policy, rules, memory, state):
    """Return whether the tables hold what is left of a search for the state at address `state`.

    There must be room for one state more than there are nodes.
    """
    total = 0
    for index in range(memory.n_nodes):
        node = nodes_of(memory)[index]
        if node.first < 0 or node.count < 0 or node.first > memory.n_edges - node.count:
            return False
        total += node.count
        if index == ROOT:
            is_placed = is_root(rules, memory, state)
        else:
            is_placed = has_place(policy, rules, memory, index) and is_replayed(policy, rules, memory, index)
        if not is_placed or not has_content(policy, rules, memory, index):
            return False
    return total == memory.n_edges


def is_root(rules, memory, state):
    """Return whether node 0 is a root with this state."""
    node = nodes_of(memory)[ROOT]
    is_first = node.parent == NONE and node.edge == NONE and node.depth == 0 and node.kind == OPEN
    return is_first and is_same(rules, state_at(rules, memory, ROOT), state)


def has_place(policy, rules, memory, index):
    """Return whether a node hangs below a node before it."""
    nodes = nodes_of(memory)
    node = nodes[index]
    if node.parent < 0 or node.parent >= index:
        return False
    above = nodes[node.parent]
    if (
        above.kind == ENDED
        or above.kind == WAITING
        or node.depth != (above.depth if above.kind >= DRAWING else above.depth + 1)
    ):
        return False
    if has_chain(policy, above):
        is_chained = node.sibling == NONE or (
            node.parent < node.sibling < index and nodes[node.sibling].parent == node.parent
        )
        return node.edge == NONE and is_chained
    if node.edge < above.first or node.edge >= above.first + above.count:
        return False
    return edges_of(memory)[node.edge].child == index


def has_chain(policy, node):
    """Return whether a node's children are a chain through `sibling`."""
    return node.kind == DRAWING or (node.kind == FIXED and policy.chance_kind == COMMITTED)


def is_replayed(policy, rules, memory, index):
    """Return whether a node's state and rewards are what the game makes of its parent."""
    nodes = nodes_of(memory)
    node = nodes[index]
    above = nodes[node.parent]
    scratch = scratch_of(memory)
    state = state_at(rules, memory, memory.n_nodes)
    copy_bytes(state, state_at(rules, memory, node.parent), rules.state_size)
    if above.kind == OPEN:
        step_one(rules, scratch, state, above.mover, edges_of(memory)[node.edge].action)
    else:
        outcome = node.outcome if has_chain(policy, above) else np.int64(node.edge - above.first)
        if rules.chance == 0 or outcome < 0 or outcome >= chance_fan(rules, scratch, state):
            return False
        resolve_chance(rules, scratch, state, outcome)
    if node.reward != reward_of(rules, scratch, above.mover):
        return False
    for player in range(memory.n_sides):
        if side_of(memory, index, player).reward != reward_of(rules, scratch, player):
            return False
    return is_same(rules, state_at(rules, memory, index), state)


def has_content(policy, rules, memory, index):
    """Return whether a node is what its state says, with edges that go with it."""
    nodes = nodes_of(memory)
    node = nodes[index]
    turn = actor(rules, state_at(rules, memory, index))
    if not math.isfinite(node.value) or node.visits < 0 or node.visits > MOST_VISITS:
        return False
    for player in range(memory.n_sides):
        if not math.isfinite(side_of(memory, index, player).value):
            return False
    if turn >= 0:
        is_open = node.kind == OPEN or (node.kind == WAITING and node.visits == 0)
        is_inside = node.mover == turn and node.depth < policy.max_depth and node.child == NONE
        return is_open and is_inside and has_actions(rules, memory, index)
    if index == ROOT or node.mover != nodes[node.parent].mover or node.visits != 0:
        return False
    if turn == TERMINAL:
        return node.kind == ENDED and node.count == 0 and node.child == NONE
    return turn == CHANCE and is_chance_node(policy, rules, memory, index)


def has_actions(rules, memory, index):
    """Return whether a decision has an edge for each legal action, with numbers that can be."""
    node = nodes_of(memory)[index]
    edges = edges_of(memory)
    legal = record_at(memory.scratch, SCRATCH).legal
    if node.count == 0 or node.count != legal_actions(
        rules, state_at(rules, memory, index), node.mover, legal
    ):
        return False
    listed = array_at(legal, node.count, np.int32)
    actions = array_at(memory.actions, memory.edge_capacity, np.int32)
    visits = 0
    for position in range(node.count):
        place = node.first + position
        edge = edges[place]
        if edge.action != listed[position] or actions[place] != listed[position]:
            return False
        if edge.visits < 0 or edge.visits > MOST_VISITS or not math.isfinite(edge.total):
            return False
        mean = edge.total / edge.visits if edge.visits > 0 else 0.0
        if edge.mean != mean or not 0.0 <= edge.prior <= 1.0:
            return False
        if edge.child != NONE and not is_child(memory, edge.child, index, place):
            return False
        visits += edge.visits
    return visits == node.visits


def is_child(memory, child, index, place):
    """Return whether a node hangs below node `index`, by edge `place` (NONE in a chain)."""
    if child <= index or child >= memory.n_nodes:
        return False
    node = nodes_of(memory)[child]
    return node.parent == index and node.edge == place


def is_chance_node(policy, rules, memory, index):
    """Return whether a chance node draws, or has an edge for each outcome that it can take."""
    node = nodes_of(memory)[index]
    if node.child != NONE and not (has_chain(policy, node) and is_child(memory, node.child, index, NONE)):
        return False
    if node.kind == DRAWING:
        return node.count == 0 and (policy.chance_kind == ALWAYS_RESAMPLE or node.child == NONE)
    if node.kind != FIXED or policy.chance_kind == ALWAYS_RESAMPLE or rules.chance == 0:
        return False
    is_committed = policy.chance_kind == COMMITTED
    fan = chance_fan(rules, scratch_of(memory), state_at(rules, memory, index))
    if node.count != (policy.chance_samples if is_committed else fan):
        return False
    weights = array_at(scratch_of(memory).probabilities, fan, np.float64)
    actions = array_at(memory.actions, memory.edge_capacity, np.int32)
    for position in range(node.count):
        place = node.first + position
        edge = edges_of(memory)[place]
        weight = 1.0 / policy.chance_samples if is_committed else weights[position]
        if edge.mean != weight or edge.visits != 0 or edge.action != 0 or actions[place] != 0:
            return False
        if not is_child(memory, edge.child, index, NONE if is_committed else place):
            return False
    return node.count > 0
