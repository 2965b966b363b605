"""From a root down to a node that is not open: edges by a policy's rule, chance by its mode.

A policy's rule is a function `choose_edge(policy, search, edges, first, count, node, value, player)` that returns
one of the edges `first` to `first + count - 1` of a player at a node, whom the network gives `value` there; or NONE
at a decision that has to wait for rows that are on their way.
"""

import numpy as np

from ..compiled import array_at
from ..contracts.rules import LONGEST_CHANCE_CHAIN, step, step_one
from ..contracts.search_memory import FULL, has_room, state_at
from .chance import follow_chance
from .tree import (
    DRAWING,
    FIXED,
    JOINT,
    NONE,
    OPEN,
    adopt,
    child_by_outcome,
    drop_nodes,
    edges_of,
    new_child,
    nodes_of,
    note_rewards,
    scratch_of,
    settle,
    side_of,
)

HOLD = -3  # beside FULL and REFUSED: the tree waits for its rows


def descend(policy, rules, search, memory, choose_edge, stream):
    """Walk on from node `search.at` to one that is not open; return 0, FULL, REFUSED or HOLD.

    `search.at` is then that node, or the one behind which there was no room.
    """
    nodes = nodes_of(memory)
    index = search.at
    chain = search.chain
    child = index
    while True:
        node = nodes[index]
        if node.kind == OPEN:
            edges = edges_of(memory)
            # As wide as a player at a joint node: for another width the rule would be compiled again.
            mover = np.int64(node.mover)
            place = choose_edge(policy, search, edges, node.first, node.count, node, node.value, mover)
            child = HOLD if place == NONE else follow_edge(rules, memory, index, place)
        elif node.kind == JOINT:
            child = follow_joint(policy, rules, search, memory, index, choose_edge)
        elif node.kind == DRAWING or node.kind == FIXED:
            if chain == LONGEST_CHANCE_CHAIN:
                raise RuntimeError(
                    "a chain of more than 10,000 chance nodes: the game's chance nodes form a cycle"
                )
            child = follow_chance(policy, rules, memory, index, stream)
        else:
            child = 0
            break
        if child < 0:
            break
        chain = chain + 1 if node.kind >= DRAWING else 0
        index = child
    search.at = index
    search.chain = chain
    return child


def follow_edge(rules, memory, index, place):
    """Return the child behind edge `place` of decision node `index`, made if need be; or FULL."""
    edge = edges_of(memory)[place]
    if edge.child != NONE:
        return edge.child
    if not has_room(memory, 1, 0, 0, 0):
        return FULL
    nodes = nodes_of(memory)
    mover = np.int64(nodes[index].mover)
    child = new_child(rules, memory, index)
    step_one(rules, scratch_of(memory), state_at(rules, memory, child), mover, edge.action)
    nodes[child].edge = place
    nodes[child].depth = nodes[index].depth + 1
    note_rewards(rules, memory, child, mover)
    if settle(rules, memory, child, mover) == FULL:
        return drop_nodes(memory, child)
    edge.child = child
    return child


def follow_joint(policy, rules, search, memory, index, choose_edge):
    """Let every player choose at joint node `index`; return the child behind, made if need be; or FULL."""
    nodes = nodes_of(memory)
    edges = edges_of(memory)
    joint = array_at(scratch_of(memory).joint, memory.n_sides, np.int64)
    outcome = 0
    for player in range(memory.n_sides - 1, -1, -1):
        side = side_of(memory, index, player)
        place = choose_edge(policy, search, edges, side.first, side.count, nodes[index], side.value, player)
        joint[player] = edges[place].action
        outcome = outcome * side.count + place - side.first
    child = child_by_outcome(memory, index, outcome)
    if child != NONE:
        return child
    if not has_room(memory, 1, 0, 0, 0):
        return FULL
    child = new_child(rules, memory, index)
    step(rules, scratch_of(memory), state_at(rules, memory, child))
    nodes[child].depth = nodes[index].depth + 1
    note_rewards(rules, memory, child, NONE)
    if settle(rules, memory, child, NONE) == FULL:
        return drop_nodes(memory, child)
    adopt(memory, index, child, outcome)
    return child
