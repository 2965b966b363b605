"""Chance nodes in a search tree: drawn anew at each visit, committed to a few draws, or expanded whole.

An expanded node makes its whole chain of chance nodes at once, down to decisions and ends; all of these are
evaluated together, and what is backed up is their mean, weighted by their probabilities. Later visits draw.
"""

import numpy as np

from ..compiled import array_at
from ..compiled.random import uniform
from ..contracts.chance_modes import ALWAYS_RESAMPLE, COMMITTED, LARGEST_FAN
from ..contracts.rules import chance_fan, resolve_chance, sample_outcome
from ..contracts.search_memory import FULL, has_room, refuse, state_at
from .requirements import UNLISTED_CHANCE, WIDE_FAN
from .tree import (
    DRAWING,
    EXPANDED,
    FIXED,
    NONE,
    adopt,
    append_edge,
    child_by_outcome,
    drop_nodes,
    edges_of,
    new_child,
    nodes_of,
    note_rewards,
    scratch_of,
    settle,
)


def follow_chance(policy, rules, memory, index, stream):
    """Return the node to which chance leads from chance node `index`; itself when it was expanded just now.

    The answer is FULL when a table is too small, and REFUSED when the fan cannot be expanded.
    """
    node = nodes_of(memory)[index]
    if node.kind == DRAWING:
        if policy.chance_kind == ALWAYS_RESAMPLE:
            return draw_child(rules, memory, index, stream)
        if policy.chance_kind != COMMITTED:
            return expand(rules, memory, index)
        code = commit(rules, memory, index, policy.chance_samples, stream)
        if code < 0:
            return code
    return edges_of(memory)[draw_edge(memory, node, stream)].child


def draw_child(rules, memory, index, stream):
    """Draw an outcome of chance node `index`; return the child it leads to, made if need be; or FULL."""
    before = stream.counter
    outcome = sample_outcome(rules, scratch_of(memory), state_at(rules, memory, index), stream)
    child = adopted_child(rules, memory, index, outcome)
    if child == FULL:
        stream.counter = before
    return child


def adopted_child(rules, memory, index, outcome):
    """Return the child of a chance node for an outcome, made if need be; or FULL."""
    child = child_by_outcome(memory, index, outcome)
    if child == NONE:
        child = chance_child(rules, memory, index, outcome)
        if child != FULL:
            adopt(memory, index, child, outcome)
    return child


def chance_child(rules, memory, index, outcome):
    """Make the child of chance node `index` for an outcome; return it or FULL."""
    if not has_room(memory, 1, 0, 0, 0):
        return FULL
    nodes = nodes_of(memory)
    child = new_child(rules, memory, index)
    resolve_chance(rules, scratch_of(memory), state_at(rules, memory, child), outcome)
    nodes[child].depth = nodes[index].depth
    note_rewards(rules, memory, child, nodes[index].mover)
    if settle(rules, memory, child, nodes[index].mover) == FULL:
        return drop_nodes(memory, child)
    return child


def commit(rules, memory, index, samples, stream):
    """Fix chance node `index` to `samples` draws with replacement; return 0, or FULL with nothing changed."""
    node = nodes_of(memory)[index]
    n_nodes, n_edges, counter = memory.n_nodes, memory.n_edges, stream.counter
    if not has_room(memory, 0, samples, 0, 0):
        return FULL
    for _ in range(samples):
        append_edge(memory, 0)
    for place in range(n_edges, n_edges + samples):
        outcome = sample_outcome(rules, scratch_of(memory), state_at(rules, memory, index), stream)
        child = adopted_child(rules, memory, index, outcome)
        if child == FULL:
            memory.n_edges = n_edges
            stream.counter = counter
            node.child = NONE
            return drop_nodes(memory, n_nodes)
        edge = edges_of(memory)[place]
        edge.child = child
        edge.mean = 1.0 / samples
    node.first = n_edges
    node.count = samples
    node.kind = FIXED
    return 0


def expand(rules, memory, index):
    """Fix chance node `index` and the chance nodes behind it to all their outcomes.

    Returns `index`, or FULL or REFUSED with nothing changed. `child` of the node is then one beyond the last
    node of the fan.
    """
    nodes = nodes_of(memory)
    n_nodes, n_edges = memory.n_nodes, memory.n_edges
    code = list_outcomes(rules, memory, index, n_nodes)
    child = n_nodes
    while code >= 0 and child < memory.n_nodes:
        if nodes[child].kind == DRAWING:
            code = list_outcomes(rules, memory, child, n_nodes)
        child += 1
    if code < 0:
        memory.n_nodes = n_nodes
        memory.n_edges = n_edges
        nodes[index].kind = DRAWING
        return code
    nodes[index].kind = EXPANDED
    nodes[index].child = memory.n_nodes
    return index


def list_outcomes(rules, memory, index, fan):
    """Give chance node `index` of the fan that begins at node `fan` an edge and a child for each outcome.

    Returns 0, FULL or REFUSED.
    """
    node = nodes_of(memory)[index]
    count = 0
    if rules.chance != 0:
        count = chance_fan(rules, scratch_of(memory), state_at(rules, memory, index))
    if count == 0:
        return refuse(memory, UNLISTED_CHANCE)
    if memory.n_nodes - fan + count > LARGEST_FAN:
        return refuse(memory, WIDE_FAN)
    if not has_room(memory, count, count, 0, 0):
        return FULL
    first = memory.n_edges
    weights = array_at(scratch_of(memory).probabilities, count, np.float64)
    for outcome in range(count):
        edges_of(memory)[append_edge(memory, 0)].mean = weights[outcome]
    for outcome in range(count):
        child = chance_child(rules, memory, index, outcome)
        if child == FULL:
            return FULL
        edges_of(memory)[first + outcome].child = child
        nodes_of(memory)[child].edge = first + outcome
    node.first = first
    node.count = count
    node.kind = FIXED
    return 0


def draw_edge(memory, node, stream):
    """Draw one of the edges of a fixed chance node by their weights."""
    edges = edges_of(memory)
    remainder = uniform(stream)
    for place in range(node.first, node.first + node.count - 1):
        remainder -= edges[place].mean
        if remainder < 0.0:
            return place
    return node.first + node.count - 1
