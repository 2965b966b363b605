"""Choosing at the root by Gumbel noise and sequential halving, and the policy target that comes of it.

Every root action a draws g(a) from the standard Gumbel distribution. The `considered` actions with the largest
g + logit share the simulations evenly; after each phase the better half goes on, by

    g(a) + logit(a) + sigma(q(a)),      sigma(q) = (c_visit + max n) * gumbel_scale * q,   c_visit = 50,

and the best one at the end is played. The target is softmax(logit + sigma(q)), where an action without visits has
the value

    v_mix = (v + N / (sum of the visited priors) * sum over visited a of P(a) q(a)) / (1 + N).

Source: Danihelka et al. 2022, "Policy improvement by planning with Gumbel", sections 3 to 5 and appendix D. Where we
differ: below the root PUCT chooses, and q is on the scale of the returns (or normalised), so for returns in
[-1, 1] the paper's scale 1 on [0, 1] is `gumbel_scale=0.5`.

The root's edges have shadows, which follow them in the table: `total` has g, `mean` the logit, and `visits` is 1
while the action is considered.
"""

import math

import numpy as np

from ..compiled.random import uniform
from ..contracts.distribution import softmax
from .puct import scaled
from .tree import NONE

SHARE_OF_VISITS = 50.0  # c_visit of the paper
SMALLEST = 1e-300
LARGEST_MERIT = 1e300  # keeps differences finite, whatever the values


def draw_gumbels(edges, first, count, stream):
    """Draw every root action's noise, and note its logit."""
    for place in range(first, first + count):
        shadow = edges[place + count]
        shadow.total = -math.log(-math.log(max(uniform(stream), SMALLEST)))
        shadow.mean = math.log(max(np.float64(edges[place].prior), SMALLEST))
        shadow.visits = 0


def consider(policy, search, edges, first, count):
    """Choose the actions that take part, by noise and logit, and how often the first phase visits each."""
    taking_part = min(policy.considered, count, search.budget)
    for _ in range(taking_part):
        best = -1
        for place in range(first, first + count):
            shadow = edges[place + count]
            if shadow.visits == 0 and (best < 0 or noisy_logit(shadow) > noisy_logit(edges[best + count])):
                best = place
        edges[best + count].visits = 1
    search.considered = taking_part
    search.phases = max(1, math.ceil(math.log2(np.float64(max(taking_part, 2)))))
    search.quota = visits_of_phase(search, taking_part)


def visits_of_phase(search, taking_part):
    """Return how often a phase visits each of its actions."""
    return max(1, search.budget // (search.phases * taking_part))


def noisy_logit(shadow):
    """Return g + logit."""
    return shadow.total + shadow.mean


def choose_considered(policy, search, edges, first, count, player):
    """Return the root edge whose turn it is, after a new phase has begun if need be.

    The answer is NONE when the phase ends with rows on their way: it is judged when they are there.
    """
    if search.considered == 0:
        consider(policy, search, edges, first, count)
    place = next_considered(search, edges, first, count)
    if place == NONE and search.in_flight == 0:
        halve(policy, search, edges, first, count, player)
        place = next_considered(search, edges, first, count)
    return place


def next_considered(search, edges, first, count):
    """Return the first considered edge that has not had all visits of its phase, or NONE."""
    for place in range(first, first + count):
        if edges[place + count].visits == 1 and edges[place].visits < search.quota:
            return place
    return NONE


def halve(policy, search, edges, first, count, player):
    """Keep the better half of the considered actions, two at least, and grant them more visits."""
    wanted = max(search.considered // 2, min(2, search.considered))
    while search.considered > wanted:
        worst = -1
        for place in range(first, first + count):
            if edges[place + count].visits == 1 and (
                worst < 0
                or merit(policy, search, edges, place, first, count, player)
                <= merit(policy, search, edges, worst, first, count, player)
            ):
                worst = place
        edges[worst + count].visits = 0
        search.considered -= 1
    search.quota += visits_of_phase(search, wanted)


def merit(policy, search, edges, place, first, count, player):
    """Return g + logit + sigma(q) of a root edge; without a visit g + logit."""
    shadow = edges[place + count]
    if edges[place].visits == 0:
        return noisy_logit(shadow)
    weight = weight_of_values(policy, edges, first, count)
    return noisy_logit(shadow) + weight * scaled(policy, search, edges[place].mean, player)


def weight_of_values(policy, edges, first, count):
    """Return the factor of q in sigma."""
    most = 0
    for place in range(first, first + count):
        most = max(most, edges[place].visits)
    return (SHARE_OF_VISITS + most) * policy.gumbel_scale


def best_considered(policy, search, edges, first, count, player):
    """Return the considered edge with the greatest merit among those visited most."""
    best = -1
    for place in range(first, first + count):
        if edges[place + count].visits == 1 and (
            best < 0
            or edges[place].visits > edges[best].visits
            or (
                edges[place].visits == edges[best].visits
                and merit(policy, search, edges, place, first, count, player)
                > merit(policy, search, edges, best, first, count, player)
            )
        ):
            best = place
    return best


def write_improved_policy(policy, search, edges, first, count, node, out):
    """Write softmax(logit + sigma(completed q)) to `out`."""
    weight = weight_of_values(policy, edges, first, count)
    mixed = mixed_value(edges, first, count, node.value)
    for position in range(count):
        edge = edges[first + position]
        value = edge.mean if edge.visits > 0 else mixed
        worth = weight * scaled(policy, search, value, node.mover)
        logit = edges[first + position + count].mean
        out[position] = logit + min(max(worth, -LARGEST_MERIT), LARGEST_MERIT)
    softmax(out, out, count)


def mixed_value(edges, first, count, value):
    """Return v_mix: what an action without visits is thought to be worth."""
    visits = 0
    explored = 0.0
    total = 0.0
    for place in range(first, first + count):
        edge = edges[place]
        if edge.visits > 0:
            visits += edge.visits
            explored += edge.prior
            total += edge.prior * edge.mean
    if explored <= 0.0:
        return value
    return (value + visits / explored * total) / (1 + visits)
