"""A search tree in flat tables, and how its nodes are made.

A decision node has one edge per legal action of its mover, in ascending order; edge j stands for action j of
the memory. A joint node, where all players act at once, has such edges for each player in turn. A chance node
that draws anew at each visit has no edges; one that is fixed has an edge per outcome, whose mean is its weight.
Children without an edge of their own are a chain through `sibling`, told apart by `outcome`. Every node but a
root knows its parent, so a backup climbs.

With one or two players in turn a node holds the mover's value, and values change sign with the mover (negamax).
Else each node has a `SIDE` for every player (`memory.n_sides`), and a value for each is backed up (MaxN, and
decoupled statistics where all act at once: one tree per acting player then, rooted at nodes 0, 1, ...).
"""

import numpy as np

from ..compiled import array_at, copy_bytes, record_at
from ..contracts.rules import CHANCE, SCRATCH, SIMULTANEOUS, TERMINAL, actor, legal_actions, reward_of
from ..contracts.search_memory import FULL, has_room, state_at

NONE = -1
ROOT = 0

# What a node is.
WAITING = 0  # a decision or joint node whose rows have not been asked for
ASKED = 1  # and one whose rows are on their way
OPEN = 2  # a decision node with edges
JOINT = 3  # a joint node with edges
ENDED = 4  # the game is over
CAPPED = 5  # at the depth limit: it keeps its value and has no edges to take
DRAWING = 6  # a chance node; the kinds from here on are
FIXED = 7  # a chance node with an edge for each outcome it can take
EXPANDED = 8  # a fixed chance node whose outcomes have not all been answered

NODE = np.dtype(
    [
        ("reward", np.float64),  # paid on the way into the node to the mover of the last decision above
        ("value", np.float64),  # the network's value for the mover; 0 when the game is over
        ("outcome", np.int64),  # the chance outcome, or the number of the joint action, that leads here
        ("parent", np.int32),
        ("edge", np.int32),  # the parent's edge that leads here; NONE where `outcome` says it
        ("sibling", np.int32),  # the next child of the same chance or joint node
        ("child", np.int32),  # the first child of a chance or joint node
        ("first", np.int32),  # the first edge
        ("count", np.int32),  # the number of edges
        ("visits", np.int32),  # simulations that went on from here
        ("mover", np.int32),  # at a chance node, the mover of the last decision above; at a joint root, whose
        # tree it is
        ("depth", np.int32),  # decisions from the root
        ("kind", np.int32),
    ],
    align=True,
)

EDGE = np.dtype(
    [
        ("total", np.float64),  # sum of the returns backed up, for the player whose edge it is
        ("mean", np.float64),  # total / visits, 0 before the first; the weight, below a fixed chance node
        ("prior", np.float32),
        ("visits", np.int32),
        ("child", np.int32),  # NONE until the edge is first taken
        ("action", np.int32),  # as in the memory's actions, which are farther away
    ],
    align=True,
)

SIDE = np.dtype(
    [
        ("reward", np.float64),  # paid to the player on the way into the node
        ("value", np.float64),  # the network's value for the player
        ("first", np.int32),  # the player's first edge at a joint node
        ("count", np.int32),
    ],
    align=True,
)
SIDE_SIZE = SIDE.itemsize


def nodes_of(memory):
    """Return the node table."""
    return array_at(memory.nodes, memory.node_capacity, NODE)


def edges_of(memory):
    """Return the edge table."""
    return array_at(memory.edges, memory.edge_capacity, EDGE)


def side_of(memory, index, player):
    """Return what node `index` holds for a player."""
    return record_at(memory.sides + (index * memory.n_sides + player) * SIDE_SIZE, SIDE)


def plant(rules, memory, state, index):
    """Make root number `index` from the state at address `state`; return it, or FULL."""
    if not has_room(memory, 1, 0, 0, 0):
        return FULL
    copy_bytes(state_at(rules, memory, index), state, rules.state_size)
    memory.n_nodes = index + 1
    root = nodes_of(memory)[index]
    root.parent = NONE
    root.edge = NONE
    root.depth = 0
    root.reward = 0.0
    if settle(rules, memory, index, NONE) == FULL:
        return drop_nodes(memory, index)
    return index


def settle(rules, memory, index, last_mover):
    """Say what node `index` is, and list its edges. Return `index` or FULL."""
    node = nodes_of(memory)[index]
    turn = actor(rules, state_at(rules, memory, index))
    node.value = 0.0
    node.visits = 0
    node.count = 0
    node.first = memory.n_edges
    node.child = NONE
    node.mover = last_mover
    if turn == TERMINAL:
        node.kind = ENDED
        for player in range(memory.n_sides):
            side_of(memory, index, player).value = 0.0
    elif turn == CHANCE:
        node.kind = DRAWING
    elif turn == SIMULTANEOUS:
        node.kind = WAITING
        return list_joint_edges(rules, memory, index)
    else:
        node.kind = WAITING
        node.mover = turn
        node.count = list_edges(rules, memory, index, turn)
        if node.count == FULL:
            return FULL
    return index


def list_edges(rules, memory, index, player):
    """Append an edge for each legal action of a player at node `index`; return how many, or FULL."""
    scratch = record_at(memory.scratch, SCRATCH)
    count = legal_actions(rules, state_at(rules, memory, index), player, scratch.legal)
    legal = array_at(scratch.legal, max(count, 1), np.int32)
    if count == 0:  # nothing to choose, as for the dead in a game where all act at once
        legal[0] = 0
        count = 1
    if not has_room(memory, 0, count, 0, 0):
        return FULL
    actions = array_at(memory.actions, memory.edge_capacity, np.int32)
    edges = edges_of(memory)
    first = memory.n_edges
    for position in range(count):
        actions[first + position] = legal[position]
        clear_edge(edges[first + position], legal[position])
    memory.n_edges = first + count
    return count


def list_joint_edges(rules, memory, index):
    """Append every player's edges at joint node `index`; return `index` or FULL."""
    node = nodes_of(memory)[index]
    before = memory.n_edges
    for player in range(memory.n_sides):
        side = side_of(memory, index, player)
        side.first = memory.n_edges
        side.count = list_edges(rules, memory, index, player)
        if side.count == FULL:
            memory.n_edges = before
            return FULL
    node.count = memory.n_edges - before
    return index


def append_edge(memory, action):
    """Append an edge that has not been taken; the caller made room."""
    place = memory.n_edges
    array_at(memory.actions, memory.edge_capacity, np.int32)[place] = action
    clear_edge(edges_of(memory)[place], action)
    memory.n_edges = place + 1
    return place


def clear_edge(edge, action):
    """Make an edge one that has not been taken."""
    edge.total = 0.0
    edge.mean = 0.0
    edge.prior = 0.0
    edge.visits = 0
    edge.child = NONE
    edge.action = action


def new_child(rules, memory, parent):
    """Append a node that starts as a copy of `parent`'s state; the caller made room."""
    index = memory.n_nodes
    memory.n_nodes += 1
    copy_bytes(state_at(rules, memory, index), state_at(rules, memory, parent), rules.state_size)
    node = nodes_of(memory)[index]
    node.parent = parent
    node.edge = NONE
    return index


def note_rewards(rules, memory, index, mover):
    """Keep what the events in the scratch pay on the way into node `index`."""
    nodes_of(memory)[index].reward = 0.0 if mover < 0 else reward_of(rules, scratch_of(memory), mover)
    for player in range(memory.n_sides):
        side_of(memory, index, player).reward = reward_of(rules, scratch_of(memory), player)


def scratch_of(memory):
    """Return the SCRATCH record of the running thread."""
    return record_at(memory.scratch, SCRATCH)


def child_by_outcome(memory, index, outcome):
    """Return the child of a chance or joint node that stands for an outcome, or NONE."""
    nodes = nodes_of(memory)
    child = nodes[index].child
    while child != NONE and nodes[child].outcome != outcome:
        child = nodes[child].sibling
    return child


def adopt(memory, index, child, outcome):
    """Put a new child into the chain of a chance or joint node."""
    nodes = nodes_of(memory)
    nodes[child].outcome = outcome
    nodes[child].sibling = nodes[index].child
    nodes[index].child = child


def drop_nodes(memory, first):
    """Take back the nodes from `first` on; return FULL."""
    memory.n_nodes = first
    return FULL
