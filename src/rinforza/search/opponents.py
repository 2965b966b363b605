"""How an expectation tree models the other players: uniform over their legal actions, or by their own rows.

By their rows means, for each, the softmax of its Q values (the mean over the heads) under a temperature, mixed
with the uniform distribution: (1 - floor) * p + floor / n.

In a simultaneous game the joint actions of the others are numbered in mixed radix, the player with the lowest
number fastest. Their legal actions are listed one player after another; the EDGE at the first action of each
list has the player and the length of the list, since no edge leads on from there.
"""

import numpy as np

from ..compiled import array_at, record_at
from ..contracts.distribution import softmax
from ..contracts.rules import SCRATCH, SIMULTANEOUS
from ..contracts.search_memory import FULL, answer_size, answer_to, ask, has_room
from .expectation import MEAN, actions_of, append_fan, edges_of, list_actions, node_at


def list_others(policy, rules, memory, index):
    """List the other players' actions at node `index`; return how many joint actions they have, or FULL."""
    node = node_at(policy, memory, index)
    node.others = memory.n_edges
    edges = edges_of(memory)
    joint_actions = 1
    for player in range(rules.n_players):
        if player != node.searcher:
            place = memory.n_edges
            count = list_actions(rules, memory, index, player)
            if count == FULL:
                return FULL
            if count > 0:
                edges[place].first = player
                edges[place].count = count
                joint_actions *= count
    node.others_end = memory.n_edges
    return joint_actions


def open_joint_edges(policy, rules, memory, index, stream):
    """Play every action of the searcher at node `index`, with all that the others may do.

    Returns 0, FULL or REFUSED; the caller has to take back what was appended before it stopped.
    """
    joint_actions = list_others(policy, rules, memory, index)
    if joint_actions == FULL:
        return FULL
    node = node_at(policy, memory, index)
    edges, actions = edges_of(memory), actions_of(memory)
    scratch = record_at(memory.scratch, SCRATCH)
    played = array_at(scratch.joint, rules.n_players, np.int64)
    weight = 1.0 if policy.asks_opponents else 1.0 / joint_actions
    for place in range(node.first, node.first + node.count):
        edges[place].first = memory.n_nodes
        for joint in range(joint_actions):
            played[node.searcher] = actions[place]
            play_others(memory, node, joint, played)
            code = append_fan(policy, rules, memory, index, place, weight, joint, stream)
            if code != 0:
                return code
        edges[place].count = memory.n_nodes - edges[place].first
    return 0


def play_others(memory, node, joint, played):
    """Write the other players' actions of joint action number `joint` to `played`."""
    edges, actions = edges_of(memory), actions_of(memory)
    place = node.others
    while place < node.others_end:
        head = edges[place]
        played[head.first] = actions[place + joint % head.count]
        joint //= head.count
        place += head.count


def ask_others(policy, memory, index):
    """Ask for the row of each other player that acts at the expanded node `index`; return 0 or FULL."""
    node = node_at(policy, memory, index)
    if node.kind == MEAN:
        return ask_one(memory, index, node.mover, node.first, node.count)
    if node.mover != SIMULTANEOUS:
        return 0
    edges = edges_of(memory)
    place = node.others
    while place < node.others_end:
        head = edges[place]
        if ask_one(memory, index, head.first, place, head.count) == FULL:
            return FULL
        place += head.count
    return 0


def ask_one(memory, index, player, first, count):
    """Ask for one row if there is room; return 0 or FULL."""
    if not has_room(memory, 0, 0, 1, answer_size(memory, count)):
        return FULL
    ask(memory, index, player, first, count)
    return 0


def weigh_others(policy, memory, index, request):
    """Weigh what lies behind node `index` by the answers from number `request` on; return the next number."""
    node = node_at(policy, memory, index)
    edges = edges_of(memory)
    if node.kind == MEAN:
        probabilities = distribution(policy, answer_to(memory, request), node.count)
        for position in range(node.count):
            edges[node.first + position].weight = probabilities[position]
        return request + 1
    if node.mover != SIMULTANEOUS:
        return request
    last = request
    place = node.others
    while place < node.others_end:
        distribution(policy, answer_to(memory, last), edges[place].count)
        last += 1
        place += edges[place].count
    for place in range(node.first, node.first + node.count):
        for child in range(edges[place].first, edges[place].first + edges[place].count):
            weigh_joint(policy, memory, node, child, request)
    return last


def weigh_joint(policy, memory, node, child, request):
    """Multiply the weight of a node by the probability of the joint action that led to it."""
    edges = edges_of(memory)
    reached = node_at(policy, memory, child)
    joint = reached.joint
    probability = 1.0
    place = node.others
    while place < node.others_end:
        count = edges[place].count
        probability *= answer_to(memory, request)[joint % count]
        joint //= count
        place += count
        request += 1
    reached.weight *= probability


def distribution(policy, answer, count):
    """Turn a player's row into its action probabilities, in place; return them."""
    for position in range(count):
        total = 0.0
        for head in range(policy.n_heads):
            total += answer[head * count + position]
        answer[position] = total / policy.n_heads / policy.opp_temperature
    softmax(answer, answer, count)
    for position in range(count):
        answer[position] = (1.0 - policy.opp_floor) * answer[position] + policy.opp_floor / count
    return answer
