"""A search tree in two flat tables, and how it grows.

Node 0 is the root. A decision node has one edge per legal action of its mover, in ascending order; edge j
stands for action j of the memory. A chance node has no edges: its children are a chain through `sibling`,
each with the `outcome` it stands for. Every node but the root knows its parent, so a backup climbs.
"""

import numpy as np

from ..compiled import array_at, copy_bytes, record_at
from ..contracts.rules import (
    CHANCE,
    LONGEST_CHANCE_CHAIN,
    SCRATCH,
    TERMINAL,
    actor,
    legal_actions,
    resolve_chance,
    reward_of,
    sample_outcome,
    step_one,
)
from ..contracts.search_memory import FULL, has_room, state_at

NONE = -1
ROOT = 0

# What a node is.
WAITING = 0  # a decision node whose row has not been answered
OPEN = 1  # a decision node with edges
ENDED = 2  # the game is over
CAPPED = 3  # at the depth limit: it keeps its value and has no edges
DRAWING = 4  # a chance node

NODE = np.dtype(
    [
        (
            "reward",
            np.float64,
        ),  # paid on the way into the node to the mover of the last decision above
        ("value", np.float64),  # the network's value for the mover; 0 when the game is over
        ("parent", np.int32),
        ("edge", np.int32),  # the parent's edge that leads here; NONE below a chance node
        ("outcome", np.int32),  # the chance outcome that leads here
        ("sibling", np.int32),  # the next child of the same chance node
        ("child", np.int32),  # the first child of a chance node
        ("first", np.int32),  # the first edge
        ("count", np.int32),  # the number of edges
        ("visits", np.int32),  # the sum of the edges' visits
        ("mover", np.int32),  # at a chance node, the mover of the last decision above
        ("depth", np.int32),  # decisions from the root
        ("kind", np.int32),
    ],
    align=True,
)

EDGE = np.dtype(
    [
        ("total", np.float64),  # sum of the returns backed up, for the mover
        ("mean", np.float64),  # total / visits; 0 before the first
        ("prior", np.float32),
        ("visits", np.int32),
        ("child", np.int32),  # NONE until the edge is first taken
        ("action", np.int32),  # as in the memory's actions, which are farther away
    ],
    align=True,
)


def nodes_of(memory):
    """Return the node table."""
    return array_at(memory.nodes, memory.node_capacity, NODE)


def edges_of(memory):
    """Return the edge table."""
    return array_at(memory.edges, memory.edge_capacity, EDGE)


def plant(rules, memory, state):
    """Make the root from the state at address `state`; return its number or FULL."""
    if not has_room(memory, 1, 0, 0, 0):
        return FULL
    copy_bytes(state_at(rules, memory, ROOT), state, rules.state_size)
    memory.n_nodes = 1
    root = nodes_of(memory)[ROOT]
    root.parent = NONE
    root.edge = NONE
    root.depth = 0
    root.reward = 0.0
    return settle(rules, memory, ROOT, actor(rules, state_at(rules, memory, ROOT)), 0)


def settle(rules, memory, index, turn, last_mover):
    """Say what node `index` is, given whose turn it is there; list its edges. Return `index` or FULL."""
    node = nodes_of(memory)[index]
    node.value = 0.0
    node.visits = 0
    node.count = 0
    node.first = memory.n_edges
    node.child = NONE
    node.mover = last_mover
    if turn == TERMINAL:
        node.kind = ENDED
    elif turn == CHANCE:
        node.kind = DRAWING
    else:
        node.kind = WAITING
        node.mover = turn
        return list_edges(rules, memory, index)
    return index


def list_edges(rules, memory, index):
    """Append an edge for each legal action of the mover of node `index`; return `index` or FULL."""
    scratch = record_at(memory.scratch, SCRATCH)
    node = nodes_of(memory)[index]
    count = legal_actions(rules, state_at(rules, memory, index), node.mover, scratch.legal)
    if not has_room(memory, 0, count, 0, 0):
        return FULL
    legal = array_at(scratch.legal, count, np.int32)
    actions = array_at(memory.actions, memory.edge_capacity, np.int32)
    edges = edges_of(memory)
    for position in range(count):
        place = node.first + position
        actions[place] = legal[position]
        edge = edges[place]
        edge.total = 0.0
        edge.mean = 0.0
        edge.prior = 0.0
        edge.visits = 0
        edge.child = NONE
        edge.action = legal[position]
    node.count = count
    memory.n_edges += count
    return index


def new_child(rules, memory, parent):
    """Append a node that starts as a copy of `parent`'s state; the caller made room."""
    index = memory.n_nodes
    memory.n_nodes += 1
    copy_bytes(state_at(rules, memory, index), state_at(rules, memory, parent), rules.state_size)
    nodes_of(memory)[index].parent = parent
    return index


def drop_child(memory):
    """Take back the node that was appended last."""
    memory.n_nodes -= 1
    return FULL


def follow_edge(rules, memory, index, place):
    """Return the child behind edge `place` of decision node `index`, made if need be; or FULL."""
    edge = edges_of(memory)[place]
    if edge.child != NONE:
        return edge.child
    if not has_room(memory, 1, 0, 0, 0):
        return FULL
    nodes = nodes_of(memory)
    node = nodes[index]
    scratch = record_at(memory.scratch, SCRATCH)
    child = new_child(rules, memory, index)
    state = state_at(rules, memory, child)
    step_one(rules, scratch, state, node.mover, edge.action)
    nodes[child].edge = place
    nodes[child].depth = node.depth + 1
    nodes[child].reward = reward_of(rules, scratch, node.mover)
    if settle(rules, memory, child, actor(rules, state), node.mover) == FULL:
        return drop_child(memory)
    edge.child = child
    return child


def follow_chance(rules, memory, index, stream):
    """Draw an outcome of chance node `index` and return the child it leads to, made if need be; or FULL."""
    scratch = record_at(memory.scratch, SCRATCH)
    outcome = sample_outcome(rules, scratch, state_at(rules, memory, index), stream)
    nodes = nodes_of(memory)
    node = nodes[index]
    child = node.child
    while child != NONE:
        if nodes[child].outcome == outcome:
            return child
        child = nodes[child].sibling
    if not has_room(memory, 1, 0, 0, 0):
        return FULL
    child = new_child(rules, memory, index)
    state = state_at(rules, memory, child)
    resolve_chance(rules, scratch, state, outcome)
    nodes[child].edge = NONE
    nodes[child].outcome = outcome
    nodes[child].depth = node.depth
    nodes[child].reward = reward_of(rules, scratch, node.mover)
    if settle(rules, memory, child, actor(rules, state), node.mover) == FULL:
        return drop_child(memory)
    nodes[child].sibling = node.child
    node.child = child
    return child


def descend(rules, memory, choose_edge, exploration, stream):
    """Walk from the root by `choose_edge(memory, node, exploration)` to a node that is not open.

    Returns the node, or FULL when a table was too small on the way.
    """
    index = ROOT
    chain = 0  # chance nodes in a row
    nodes = nodes_of(memory)
    while True:
        node = nodes[index]
        chain = chain + 1 if node.kind == DRAWING else 0
        if chain > LONGEST_CHANCE_CHAIN:
            raise RuntimeError(
                "a chain of more than 10,000 chance nodes: the game's chance nodes form a cycle"
            )
        if node.kind == OPEN:
            index = follow_edge(rules, memory, index, choose_edge(memory, node, exploration))
        elif node.kind == DRAWING:
            index = follow_chance(rules, memory, index, stream)
        else:
            return index
        if index == FULL:
            return FULL


def back_up(memory, leaf, value, discount):
    """Add one simulation: `value` is the leaf's, for its mover. One or two players, zero-sum (negamax).

    On the way up a decision receives reward + discount * value of its child, with the sign turned where the
    child's mover is the other player; rewards on chance edges join the decision edge above undiscounted.
    """
    nodes = nodes_of(memory)
    edges = edges_of(memory)
    index = leaf
    mover = nodes[leaf].mover
    reward = 0.0
    while nodes[index].parent != NONE:
        node = nodes[index]
        reward += node.reward
        index = node.parent
        if node.edge != NONE:
            above = nodes[index]
            if above.mover != mover:
                value = -value
                mover = above.mover
            value = reward + discount * value
            reward = 0.0
            edge = edges[node.edge]
            edge.total += value
            edge.visits += 1
            edge.mean = edge.total / edge.visits
            above.visits += 1
