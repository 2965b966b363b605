"""The tree of an episode's last search as the beginning of the next one.

Between two decisions a game has made one decision and what chance added to it, so the state that is searched next is
that of a node one decision below the old root, if the search has been there. What lies below that node is kept with
its statistics and becomes the tree; all else goes. (Silver et al. 2017, Go Zero, Methods, "Search algorithm", "Play".)

Nodes and edges are moved to the front of their tables in their old order: every parent comes before its children, so
each step is one pass and needs no memory. Meanwhile a node's `depth` says where it goes, and the memory's actions say
that of the edges; both follow from the rest and are written anew.
"""

import numpy as np

from ..compiled import array_at, copy_bytes
from ..contracts.chance_modes import COMMITTED
from ..contracts.search_memory import forget_tables, state_at
from ..contracts.words import equal_words
from .backup import note_range
from .tree import (
    CAPPED,
    DRAWING,
    EDGE,
    FIXED,
    NODE,
    NONE,
    OPEN,
    ROOT,
    SIDE_SIZE,
    WAITING,
    edges_of,
    nodes_of,
    side_of,
)

# A tree that brings more visits than this many searches make is not gone on with: where one action takes nearly all of
# them, a tree would grow over a long game without bound.
MOST_SEARCHES = 16
NODE_SIZE, EDGE_SIZE = NODE.itemsize, EDGE.itemsize


def keep_subtree(policy, rules, memory, state):
    """Leave of a tree what lies below the node that stands for the state at address `state`, or nothing."""
    root = find_decision(rules, memory, state)
    if root == NONE:
        forget_tables(memory)
        return
    number_nodes(memory, root)
    number_edges(memory, root)
    for index in range(root, memory.n_nodes):
        if nodes_of(memory)[index].depth != NONE:
            renumber(policy, memory, index, root)
    move_nodes(rules, memory, root)
    move_edges(memory)


def is_worth_keeping(policy, memory):
    """Return whether there is a tree to go on with."""
    return memory.n_nodes > 0 and nodes_of(memory)[ROOT].visits <= MOST_SEARCHES * policy.num_simulations


def find_decision(rules, memory, state):
    """Return the first decision node that is one decision below the root and has this state, or NONE."""
    nodes = nodes_of(memory)
    for index in range(1, memory.n_nodes):
        node = nodes[index]
        is_decision = node.kind == OPEN or node.kind == CAPPED
        if node.depth == 1 and is_decision and is_same(rules, state_at(rules, memory, index), state):
            return index
    return NONE


def is_same(rules, one, other):
    """Return whether two states have the same bytes."""
    return equal_words(one, other, rules.state_size // 8)


def number_nodes(memory, root):
    """Write to every node's `depth` which node it becomes, NONE where it goes."""
    nodes = nodes_of(memory)
    kept = 0
    for index in range(memory.n_nodes):
        node = nodes[index]
        if index == root or (index > root and nodes[node.parent].depth != NONE):
            node.depth = kept
            kept += 1
        else:
            node.depth = NONE


def number_edges(memory, root):
    """Write to the memory's actions which edge each becomes, NONE where it goes."""
    nodes = nodes_of(memory)
    places = array_at(memory.actions, memory.edge_capacity, np.int32)
    for place in range(memory.n_edges):
        places[place] = NONE
    for index in range(root, memory.n_nodes):
        node = nodes[index]
        if node.depth != NONE:
            for place in range(node.first, node.first + node.count):
                places[place] = 0
    kept = 0
    for place in range(memory.n_edges):
        if places[place] != NONE:
            places[place] = kept
            kept += 1


def renumber(policy, memory, index, root):
    """Let a node that stays, and its edges, point to where all will be."""
    nodes = nodes_of(memory)
    edges = edges_of(memory)
    places = array_at(memory.actions, memory.edge_capacity, np.int32)
    node = nodes[index]
    for place in range(node.first, node.first + node.count):
        if edges[place].child != NONE:
            edges[place].child = nodes[edges[place].child].depth
    node.first = places[node.first] if node.count > 0 else 0
    has_chain = node.kind == DRAWING or (node.kind == FIXED and policy.chance_kind == COMMITTED)
    node.child = nodes[node.child].depth if has_chain and node.child != NONE else NONE
    if index == root:
        node.parent = NONE
        node.edge = NONE
        node.sibling = NONE
        node.outcome = 0
        node.reward = 0.0
        return
    node.parent = nodes[node.parent].depth
    if node.edge != NONE:
        node.edge = places[node.edge]
        node.sibling = NONE
        node.outcome = 0
    elif node.sibling != NONE:  # a child in the chain of a chance node
        node.sibling = nodes[node.sibling].depth


def move_nodes(rules, memory, root):
    """Move the nodes that stay to the front; one that was at the depth limit is not any more."""
    nodes = nodes_of(memory)
    side_bytes = memory.n_sides * SIDE_SIZE
    kept = 0
    for index in range(root, memory.n_nodes):
        if nodes[index].depth == NONE:
            continue
        copy_bytes(memory.nodes + kept * NODE_SIZE, memory.nodes + index * NODE_SIZE, NODE_SIZE)
        copy_bytes(state_at(rules, memory, kept), state_at(rules, memory, index), rules.state_size)
        if side_bytes > 0:
            copy_bytes(memory.sides + kept * side_bytes, memory.sides + index * side_bytes, side_bytes)
        node = nodes[kept]
        node.depth = 0
        if kept > ROOT:
            above = nodes[node.parent]
            node.depth = above.depth if above.kind >= DRAWING else above.depth + 1
        if node.kind == CAPPED:
            node.kind = OPEN
        for player in range(memory.n_sides):
            tidy_side(memory, kept, player)
        kept += 1
    memory.n_nodes = kept


def tidy_side(memory, index, player):
    """Clear what has no meaning in a node that has been moved, so that equal trees have equal bytes."""
    side = side_of(memory, index, player)
    side.first = 0
    side.count = 0
    if index == ROOT:
        side.reward = 0.0
    kind = nodes_of(memory)[index].kind
    if kind >= DRAWING or kind == WAITING:  # one that a committed chance node has drawn and not led to yet
        side.value = 0.0


def move_edges(memory):
    """Move the edges that stay to the front, and give the memory's actions back."""
    edges = edges_of(memory)
    places = array_at(memory.actions, memory.edge_capacity, np.int32)
    kept = 0
    for place in range(memory.n_edges):
        if places[place] == NONE:
            continue
        if kept != place:
            copy_bytes(memory.edges + kept * EDGE_SIZE, memory.edges + place * EDGE_SIZE, EDGE_SIZE)
        places[kept] = edges[kept].action
        kept += 1
    memory.n_edges = kept


def note_means(search, memory):
    """Note the range of the action values in the tree."""
    nodes = nodes_of(memory)
    edges = edges_of(memory)
    for index in range(memory.n_nodes):
        node = nodes[index]
        if node.kind == OPEN:
            for place in range(node.first, node.first + node.count):
                if edges[place].visits > 0:
                    note_range(search, edges[place].mean, node.mover)
