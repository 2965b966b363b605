"""The PUCT rule, and what may be added to it.

Score of an edge with prior P, n visits and mean value Q, at a node with N visits in all:

    Q + c_puct * P * sqrt(max(N, 1)) / (1 + n).

- First-play urgency: an edge without visits has Q = V - fpu_reduction * sqrt(sum of the visited edges' priors),
  V being the network's value of the node; without this, Q = 0. (Wu 2019, "Accelerating self-play learning in
  Go", section 4.4 of the appendix, "First play urgency".)
- Normalised values: Q is moved from the range of the values seen in the tree to [0, 1]. (Schrittwieser et al. 2020,
  MuZero, appendix B, "Bounds".)
- Forced playouts: at a root, an edge that was visited, but less often than sqrt(forced * P * N), comes first; the
  target leaves these visits out again, as far as PUCT would not have made them. (Wu 2019, section 3.2.)
"""

import numpy as np

from .tree import NONE


def puct(policy, search, edges, first, count, node, value, player):
    """Return the edge with the largest score, the first on a tie."""
    scale = policy.c_puct * np.sqrt(np.float64(max(node.visits, 1)))
    if policy.has_options:
        return puct_with_options(policy, search, edges, first, count, node, value, player, scale)
    best = first
    best_score = -np.inf
    for place in range(first, first + count):
        edge = edges[place]
        score = edge.mean + scale * edge.prior / (1 + edge.visits)
        if score > best_score:
            best_score = score
            best = place
    return best


def puct_with_options(policy, search, edges, first, count, node, value, player, scale):
    """Return the edge that is forced, else the one with the largest score."""
    unvisited = urgency(policy, edges, first, count, value)
    is_own_root = node.parent == NONE and player == node.mover
    forces = is_own_root and policy.forced_playouts > 0.0 and search.is_fast == 0
    best = first
    best_score = -np.inf
    for place in range(first, first + count):
        edge = edges[place]
        if forces and 0 < edge.visits < forced_visits(policy, edge, node.visits):
            return place
        mean = edge.mean if edge.visits > 0 else unvisited
        score = scaled(policy, search, mean, player) + scale * edge.prior / (1 + edge.visits)
        if score > best_score:
            best_score = score
            best = place
    return best


def urgency(policy, edges, first, count, value):
    """Return what an edge without visits is thought to be worth."""
    if not policy.has_urgency:
        return 0.0
    explored = 0.0
    for place in range(first, first + count):
        if edges[place].visits > 0:
            explored += edges[place].prior
    return value - policy.urgency_reduction * np.sqrt(explored)


def scaled(policy, search, mean, player):
    """Return an action value of a player on the scale on which values and priors are weighed."""
    if not policy.normalise or search.highest <= search.lowest:
        return mean
    if player == 0:
        return (mean - search.lowest) / (search.highest - search.lowest)
    return (mean + search.highest) / (search.highest - search.lowest)


def forced_visits(policy, edge, visits):
    """Return how many visits a root edge is to have at least, once it has one."""
    return np.sqrt(policy.forced_playouts * edge.prior * visits)


def write_pruned_visits(policy, search, edges, first, count, node, out):
    """Write the root's visits without those that were forced to `out`.

    From every edge but the most visited one, visits are taken back, as many as were forced at most, as long as
    its score stays below that of the most visited edge; an edge that is left with one visit loses it.
    """
    best = first
    for place in range(first, first + count):
        if edges[place].visits > edges[best].visits:
            best = place
    scale = policy.c_puct * np.sqrt(np.float64(max(node.visits, 1)))
    mover = node.mover
    ceiling = scaled(policy, search, edges[best].mean, mover) + scale * edges[best].prior / (
        1 + edges[best].visits
    )
    for position in range(count):
        edge = edges[first + position]
        kept = np.float64(edge.visits)
        if first + position != best and edge.visits > 0:
            mean = scaled(policy, search, edge.mean, mover)
            fewest = edge.visits - forced_visits(policy, edge, node.visits)
            while kept - 1.0 >= max(fewest, 0.0) and mean + scale * edge.prior / kept < ceiling:
                kept -= 1.0
            if kept <= 1.0:
                kept = 0.0
        out[position] = kept
