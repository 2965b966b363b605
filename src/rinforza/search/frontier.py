"""Which leaves of an expectation tree are expanded next: best first, several at a time.

The priority of a leaf at depth d, with the path weight w and the disagreement sigma of its heads, is

    beta * w * sigma / (the largest w * sigma of the frontier) + (1 - beta) * d / max_depth,

the larger first; then the deeper, then the larger path weight, then the older. A policy that uses it has
the fields beta, max_depth and front_offset, the place of a FRONT in its nodes.
"""

import numpy as np

from ..compiled import record_at
from .expectation import LEAF, NONE, node_at

FRONT = np.dtype(
    [
        ("path", np.float64),  # probabilities and discounts multiplied, from the root to here
        ("sigma", np.float64),  # standard deviation of the heads' values
        ("priority", np.float64),
        ("spent", np.int32),  # at a root: expansions so far
        ("next", np.int32),  # the next one chosen in this round
        ("queue", np.int32),  # place i of the queue, kept in node i
    ],
    align=True,
)


def front_at(policy, memory, index):
    """Return what node number `index` is to the frontier."""
    return record_at(memory.nodes + index * policy.node_size + policy.front_offset, FRONT)


def take_best(policy, search, memory, root, most):
    """Append up to `most` leaves of the root's tree to the round's list, best first; return how many."""
    size = fill_queue(policy, memory, node_at(policy, memory, root).searcher)
    for place in range(size // 2 - 1, -1, -1):
        sink(policy, memory, place, size)
    taken = min(most, size)
    for _ in range(taken):
        best = front_at(policy, memory, 0).queue
        size -= 1
        front_at(policy, memory, 0).queue = front_at(policy, memory, size).queue
        sink(policy, memory, 0, size)
        front_at(policy, memory, best).next = NONE
        if search.first_pick == NONE:
            search.first_pick = best
        else:
            front_at(policy, memory, search.last_pick).next = best
        search.last_pick = best
    return taken


def fill_queue(policy, memory, searcher):
    """Queue the searcher's leaves above the depth limit, with their priorities; return how many."""
    size = 0
    largest = 0.0
    for index in range(memory.n_nodes):
        node = node_at(policy, memory, index)
        if node.kind == LEAF and node.searcher == searcher and node.depth < policy.max_depth:
            front = front_at(policy, memory, index)
            largest = max(largest, front.path * front.sigma)
            front_at(policy, memory, size).queue = index
            size += 1
    for place in range(size):
        index = front_at(policy, memory, place).queue
        front = front_at(policy, memory, index)
        urgency = front.path * front.sigma / largest if largest > 0.0 else 0.0
        depth = node_at(policy, memory, index).depth / policy.max_depth
        front.priority = policy.beta * urgency + (1.0 - policy.beta) * depth
    return size


def sink(policy, memory, place, size):
    """Restore the heap below a place of the queue."""
    index = front_at(policy, memory, place).queue
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and is_before(policy, memory, child + 1, child):
            child += 1
        below = front_at(policy, memory, child).queue
        if not goes_before(policy, memory, below, index):
            break
        front_at(policy, memory, place).queue = below
        place = child
    front_at(policy, memory, place).queue = index


def is_before(policy, memory, one, other):
    """Return whether the leaf at place `one` of the queue goes before that at place `other`."""
    one = front_at(policy, memory, one).queue
    other = front_at(policy, memory, other).queue
    return goes_before(policy, memory, one, other)


def goes_before(policy, memory, one, other):
    """Return whether leaf `one` is expanded before leaf `other`."""
    first, second = front_at(policy, memory, one), front_at(policy, memory, other)
    if first.priority != second.priority:
        return first.priority > second.priority
    depth = node_at(policy, memory, one).depth
    other_depth = node_at(policy, memory, other).depth
    if depth != other_depth:
        return depth > other_depth
    if first.path != second.path:
        return first.path > second.path
    return one < other
