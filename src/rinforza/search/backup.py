"""From a leaf up to its root: the return of one simulation, for every player whose edge was taken.

A decision receives reward + discount * value of what lies behind its edge; rewards that chance pays behind the
edge join it undiscounted.
"""

import numpy as np

from ..compiled import array_at
from .tree import DRAWING, NONE, edges_of, nodes_of, scratch_of, side_of


def back_up(search, memory, leaf, discount):
    """Add one simulation that ended at `leaf`, whose value is known."""
    node = nodes_of(memory)[leaf]
    if memory.n_sides == 0:
        climb(search, memory, leaf, node.mover, node.value, 0.0, discount)
        return
    values = array_at(scratch_of(memory).values, memory.n_sides, np.float64)
    rewards = array_at(scratch_of(memory).rewards, memory.n_sides, np.float64)
    for player in range(memory.n_sides):
        values[player] = side_of(memory, leaf, player).value
        rewards[player] = 0.0
    climb_sides(memory, leaf, values, rewards, discount)


def back_up_fan(search, memory, index, discount):
    """Add one simulation that ended at all leaves of the expanded chance node `index`."""
    nodes = nodes_of(memory)
    node = nodes[index]
    first = edges_of(memory)[node.first].child
    value = 0.0
    reward = 0.0
    values = array_at(scratch_of(memory).values, memory.n_sides, np.float64)
    rewards = array_at(scratch_of(memory).rewards, memory.n_sides, np.float64)
    for player in range(memory.n_sides):
        values[player] = 0.0
        rewards[player] = 0.0
    for leaf in range(first, node.child):
        if nodes[leaf].kind >= DRAWING:
            continue  # a chance node within the fan
        weight = weight_below(memory, leaf, index)
        sign = 1.0 if nodes[leaf].mover == node.mover else -1.0
        value += weight * sign * nodes[leaf].value
        for player in range(memory.n_sides):
            values[player] += weight * side_of(memory, leaf, player).value
        above = leaf
        while above != index:
            reward += weight * nodes[above].reward
            for player in range(memory.n_sides):
                rewards[player] += weight * side_of(memory, above, player).reward
            above = nodes[above].parent
    if memory.n_sides == 0:
        climb(search, memory, index, node.mover, value, reward, discount)
    else:
        climb_sides(memory, index, values, rewards, discount)


def pretend_loss(memory, index, sign):
    """Count (sign 1) or take back (-1) a lost visit of every edge on the way to a node.

    While a leaf waits for the network, other simulations of the tree are so led elsewhere (virtual loss:
    Chaslot, Winands and van den Herik 2008, "Parallel Monte-Carlo tree search", section 3.3).
    """
    nodes = nodes_of(memory)
    edges = edges_of(memory)
    while nodes[index].parent != NONE:
        node = nodes[index]
        index = node.parent
        above = nodes[index]
        if above.kind >= DRAWING:
            continue
        above.visits += sign
        if node.edge != NONE:
            lose(edges[node.edge], sign)
            continue
        outcome = node.outcome
        for player in range(memory.n_sides):
            side = side_of(memory, index, player)
            lose(edges[side.first + outcome % side.count], sign)
            outcome //= side.count


def lose(edge, sign):
    """Count or take back one lost visit of an edge."""
    edge.total -= sign
    edge.visits += sign
    edge.mean = edge.total / edge.visits if edge.visits > 0 else 0.0


def weight_below(memory, leaf, index):
    """Return the probability with which chance leads from expanded node `index` to `leaf`."""
    nodes = nodes_of(memory)
    edges = edges_of(memory)
    weight = 1.0
    while leaf != index:
        weight *= edges[nodes[leaf].edge].mean
        leaf = nodes[leaf].parent
    return weight


def climb(search, memory, index, mover, value, reward, discount):
    """Climb from a node with the value for `mover` and the chance rewards paid behind it (negamax)."""
    nodes = nodes_of(memory)
    edges = edges_of(memory)
    normalises = search.normalises != 0 and search.in_flight == 0  # lost visits are in the means else
    while nodes[index].parent != NONE:
        node = nodes[index]
        reward += node.reward
        index = node.parent
        above = nodes[index]
        if above.kind < DRAWING:
            if above.mover != mover:
                value = -value
                mover = above.mover
            value = reward + discount * value
            reward = 0.0
            add_return(edges[node.edge], value)
            above.visits += 1
            if normalises:
                note_range(search, edges[node.edge].mean, mover)


def note_range(search, mean, mover):
    """Widen the range of action values in the tree, as player 0 sees them."""
    seen = mean if mover == 0 else -mean
    if seen < search.lowest:
        search.lowest = seen
    if seen > search.highest:
        search.highest = seen


def climb_sides(memory, index, values, rewards, discount):
    """Climb with a value and the rewards for every player; both arrays are used up."""
    nodes = nodes_of(memory)
    edges = edges_of(memory)
    while nodes[index].parent != NONE:
        node = nodes[index]
        for player in range(memory.n_sides):
            rewards[player] += side_of(memory, index, player).reward
        index = node.parent
        above = nodes[index]
        if above.kind >= DRAWING:
            continue
        outcome = node.outcome
        for player in range(memory.n_sides):
            values[player] = rewards[player] + discount * values[player]
            rewards[player] = 0.0
            if node.edge == NONE:  # all acted at once: the outcome tells each player's edge
                side = side_of(memory, index, player)
                add_return(edges[side.first + outcome % side.count], values[player])
                outcome //= side.count
        if node.edge != NONE:
            add_return(edges[node.edge], values[above.mover])
        above.visits += 1


def add_return(edge, value):
    """Count a simulation that took an edge."""
    edge.total += value
    edge.visits += 1
    edge.mean = edge.total / edge.visits
