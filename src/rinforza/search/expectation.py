"""A tree of maxima, minima and expectations that is searched in full width, in two flat tables.

The edges of a decision stand one behind another, in ascending order of their actions; edge j stands for action
j of the memory. What an edge leads to depends on chance, and in simultaneous games on the other players, so
behind it lies a fan of nodes: decisions and ends, each with its probability and with the reward on the way.
Chance nodes are not kept: a chain of them is followed to its ends when the edge is opened.

All rewards and values are the searcher's. A node costs `policy.node_size` bytes: a NODE, `policy.n_heads` float64
values, and what the policy adds. Nodes stand behind their parents, so one sweep from the last to the first
node backs up the whole tree.
"""

import numpy as np

from ..compiled import array_at, clear_bytes, copy_bytes, record_at
from ..contracts.chance_modes import EXPAND_ALL, LARGEST_FAN
from ..contracts.rules import (
    CHANCE,
    LONGEST_CHANCE_CHAIN,
    SCRATCH,
    SIMULTANEOUS,
    TERMINAL,
    actor,
    chance_fan,
    legal_actions,
    resolve_chance,
    reward_of,
    sample_outcome,
    step,
)
from ..contracts.search_memory import FULL, has_room, refuse, state_at
from .requirements import UNLISTED_CHANCE, WIDE_FAN

NONE = -1

# What a node is.
LEAF = 0  # a decision that is not expanded; its values are the network's
ENDED = 1  # the game is over, at least for the searcher
MAXIMUM = 2  # the searcher moves
MINIMUM = 3  # its opponent moves
MEAN = 4  # somebody moves by the edges' weights

NODE = np.dtype(
    [
        ("weight", np.float64),  # probability among the nodes behind the same edge
        ("reward", np.float64),  # of the searcher, from the decision above to here
        ("outcome", np.int64),  # the chance outcome that led here last
        ("parent", np.int32),
        ("edge", np.int32),  # the parent's edge that leads here
        ("first", np.int32),  # the first edge
        ("count", np.int32),  # the number of edges
        ("mover", np.int32),  # a player, or SIMULTANEOUS
        ("searcher", np.int32),
        ("depth", np.int32),  # decisions from the root
        ("kind", np.int32),
        ("joint", np.int32),  # what the other players did, in mixed radix
        ("others", np.int32),  # where the other players' actions are listed, when expanded
        ("others_end", np.int32),
        ("links", np.int32),  # chance nodes on the way
        ("dropped", np.int32),  # legal actions that have no edge
    ],
    align=True,
)
NODE_SIZE = NODE.itemsize
EDGE = np.dtype(
    [
        ("weight", np.float64),  # probability of the edge where the node is a MEAN
        ("first", np.int32),  # the first node behind it
        ("count", np.int32),  # the number of nodes behind it
    ],
    align=True,
)


def node_at(policy, memory, index):
    """Return node number `index`."""
    return record_at(memory.nodes + index * policy.node_size, NODE)


def values_at(policy, memory, index):
    """Return the values of node number `index`, one for each head."""
    return array_at(memory.nodes + index * policy.node_size + NODE_SIZE, policy.n_heads, np.float64)


def edges_of(memory):
    """Return the edge table."""
    return array_at(memory.edges, memory.edge_capacity, EDGE)


def actions_of(memory):
    """Return the actions of the edges."""
    return array_at(memory.actions, memory.edge_capacity, np.int32)


# ---- growing


def plant(policy, rules, memory, state, searcher):
    """Append a root: the state at address `state`, where `searcher` acts; return 0 or FULL."""
    if not has_room(memory, 1, 0, 0, 0):
        return FULL
    index = memory.n_nodes
    memory.n_nodes += 1
    copy_bytes(state_at(rules, memory, index), state, rules.state_size)
    node = node_at(policy, memory, index)
    node.weight = 1.0
    node.reward = 0.0
    node.parent = NONE
    node.edge = NONE
    node.searcher = searcher
    node.depth = 0
    node.joint = 0
    node.outcome = NONE
    node.links = 0
    return settle(policy, rules, memory, index, actor(rules, state_at(rules, memory, index)))


def settle(policy, rules, memory, index, turn):
    """Say what node `index` is, given whose turn it is there, and list its actions; return 0 or FULL.

    In a simultaneous game those are the searcher's, and the game is over for one that has none.
    """
    node = node_at(policy, memory, index)
    node.kind = ENDED
    node.mover = turn
    node.first = memory.n_edges
    node.count = 0
    node.dropped = 0
    if turn != TERMINAL:
        player = node.searcher if turn == SIMULTANEOUS else turn
        count = list_actions(rules, memory, index, player)
        if count == FULL:
            return FULL
        node.count = count
        if count > 0:
            node.kind = LEAF
            return 0
    clear_bytes(memory.nodes + index * policy.node_size + NODE_SIZE, policy.n_heads * 8)
    return 0


def list_actions(rules, memory, index, player):
    """Append the legal actions of `player` in state `index`, an edge for each; return how many, or FULL."""
    scratch = record_at(memory.scratch, SCRATCH)
    count = legal_actions(rules, state_at(rules, memory, index), player, scratch.legal)
    if not has_room(memory, 0, count, 0, 0):
        return FULL
    copy_bytes(memory.actions + memory.n_edges * 4, scratch.legal, count * 4)
    memory.n_edges += count
    return count


def open_edges(policy, rules, memory, index, stream):
    """Play every action of the decision `index` where one player acts; return 0, FULL or REFUSED.

    The caller has to take back what was appended before it stopped: see `take_back`.
    """
    node = node_at(policy, memory, index)
    edges, actions = edges_of(memory), actions_of(memory)
    scratch = record_at(memory.scratch, SCRATCH)
    joint = array_at(scratch.joint, rules.n_players, np.int64)
    for place in range(node.first, node.first + node.count):
        edge = edges[place]
        edge.weight = 1.0 / node.count
        edge.first = memory.n_nodes
        joint[node.mover] = actions[place]
        code = append_fan(policy, rules, memory, index, place, 1.0, 0, stream)
        if code != 0:
            return code
        edge.count = memory.n_nodes - edge.first
    return 0


def append_fan(policy, rules, memory, parent, place, weight, joint, stream):
    """Play the joint action in the scratch at node `parent`, and append all that it may lead to.

    The nodes get `weight` times their probability under chance. Returns 0, FULL or REFUSED.
    """
    if not has_room(memory, 1, 0, 0, 0):
        return FULL
    index = first = memory.n_nodes
    memory.n_nodes += 1
    scratch = record_at(memory.scratch, SCRATCH)
    copy_bytes(state_at(rules, memory, index), state_at(rules, memory, parent), rules.state_size)
    step(rules, scratch, state_at(rules, memory, index))
    above = node_at(policy, memory, parent)
    node = node_at(policy, memory, index)
    node.weight = weight
    node.reward = reward_of(rules, scratch, above.searcher)
    node.parent = parent
    node.edge = place
    node.searcher = above.searcher
    node.depth = above.depth + 1
    node.joint = joint
    node.outcome = NONE
    node.links = 0
    while index < memory.n_nodes:
        turn = actor(rules, state_at(rules, memory, index))
        if turn == CHANCE:
            code = branch(policy, rules, memory, index, stream)
            if code == 0 and memory.n_nodes - first > LARGEST_FAN:
                code = refuse(memory, WIDE_FAN)
        else:
            code = settle(policy, rules, memory, index, turn)
            index += 1
        if code != 0:
            return code
    return 0


def branch(policy, rules, memory, index, stream):
    """Put the outcomes of the chance node `index` in its place: the first there, the others behind all nodes."""
    node = node_at(policy, memory, index)
    node.links += 1
    if node.links > LONGEST_CHANCE_CHAIN:
        raise RuntimeError("a chain of more than 10,000 chance nodes: the game's chance nodes form a cycle")
    if policy.chance_kind == EXPAND_ALL:
        return branch_fully(policy, rules, memory, index)
    return branch_as_drawn(policy, rules, memory, index, stream)


def branch_fully(policy, rules, memory, index):
    """Follow every possible outcome of a chance node; return 0, FULL or REFUSED."""
    scratch = record_at(memory.scratch, SCRATCH)
    count = chance_fan(rules, scratch, state_at(rules, memory, index)) if rules.chance != 0 else 0
    probabilities = array_at(scratch.probabilities, count, np.float64)
    weight = node_at(policy, memory, index).weight
    kept = NONE
    for outcome in range(count):
        if probabilities[outcome] > 0.0:
            if kept == NONE:
                kept = outcome
            elif (
                append_outcome(policy, rules, memory, index, outcome, weight * probabilities[outcome]) == FULL
            ):
                return FULL
    if kept == NONE:
        return refuse(memory, UNLISTED_CHANCE)
    take_outcome(policy, rules, memory, index, kept, weight * probabilities[kept])
    return 0


def branch_as_drawn(policy, rules, memory, index, stream):
    """Follow `policy.chance_samples` outcomes, drawn with replacement, equal ones once; return 0 or FULL."""
    scratch = record_at(memory.scratch, SCRATCH)
    state = state_at(rules, memory, index)
    weight = node_at(policy, memory, index).weight / policy.chance_samples
    first = memory.n_nodes
    kept = sample_outcome(rules, scratch, state, stream)
    times = 1
    for _ in range(1, policy.chance_samples):
        outcome = sample_outcome(rules, scratch, state, stream)
        if outcome == kept:
            times += 1
        elif not count_again(policy, memory, first, outcome, weight):
            if append_outcome(policy, rules, memory, index, outcome, weight) == FULL:
                return FULL
    take_outcome(policy, rules, memory, index, kept, weight * times)
    return 0


def count_again(policy, memory, first, outcome, weight):
    """Add `weight` to the node from `first` on that stands for an outcome; return whether there is one."""
    for index in range(first, memory.n_nodes):
        node = node_at(policy, memory, index)
        if node.outcome == outcome:
            node.weight += weight
            return True
    return False


def append_outcome(policy, rules, memory, source, outcome, weight):
    """Append a copy of the chance node `source` that takes an outcome; return 0 or FULL."""
    if not has_room(memory, 1, 0, 0, 0):
        return FULL
    index = memory.n_nodes
    memory.n_nodes += 1
    copy_bytes(state_at(rules, memory, index), state_at(rules, memory, source), rules.state_size)
    copy_bytes(memory.nodes + index * policy.node_size, memory.nodes + source * policy.node_size, NODE_SIZE)
    take_outcome(policy, rules, memory, index, outcome, weight)
    return 0


def take_outcome(policy, rules, memory, index, outcome, weight):
    """Resolve the chance node `index` in its place."""
    scratch = record_at(memory.scratch, SCRATCH)
    resolve_chance(rules, scratch, state_at(rules, memory, index), outcome)
    node = node_at(policy, memory, index)
    node.outcome = outcome
    node.weight = weight
    node.reward += reward_of(rules, scratch, node.searcher)


def take_back(memory, stream, n_nodes, n_edges, counter):
    """Forget what was appended and drawn since the tables and the stream were as told."""
    memory.n_nodes = n_nodes
    memory.n_edges = n_edges
    stream.counter = counter


# ---- values


def read_leaf(policy, memory, index, answer, sign):
    """Set each head's value of a leaf to `sign` times the largest number that the network gave an action."""
    count = node_at(policy, memory, index).count
    values = values_at(policy, memory, index)
    for head in range(policy.n_heads):
        best = answer[head * count]
        for position in range(1, count):
            best = max(best, answer[head * count + position])
        values[head] = sign * best


def back_up_all(policy, rules, memory):
    """Set the values of all expanded nodes, from the last to the first."""
    edges = edges_of(memory)
    for index in range(memory.n_nodes - 1, -1, -1):
        node = node_at(policy, memory, index)
        if node.kind == LEAF or node.kind == ENDED:
            continue
        values = values_at(policy, memory, index)
        for head in range(policy.n_heads):
            total = 0.0
            for place in range(node.first, node.first + node.count):
                value = edge_value(policy, rules, memory, place, head)
                if node.kind == MEAN:
                    total += edges[place].weight * value
                elif place == node.first:
                    total = value
                elif node.kind == MAXIMUM:
                    total = max(total, value)
                else:
                    total = min(total, value)
            values[head] = total


def edge_value(policy, rules, memory, place, head):
    """Return what an edge is worth to the searcher: the expectation of reward + discount * value behind it."""
    edge = edges_of(memory)[place]
    total = 0.0
    for index in range(edge.first, edge.first + edge.count):
        node = node_at(policy, memory, index)
        value = values_at(policy, memory, index)[head]
        total += node.weight * (node.reward + rules.discount * value)
    return total


def write_evaluation(policy, rules, memory, index, evaluation):
    """Write the values of a node's edges, head by head, and after them a 1 for each edge: it was searched."""
    node = node_at(policy, memory, index)
    for head in range(policy.n_heads):
        for position in range(node.count):
            value = edge_value(policy, rules, memory, node.first + position, head)
            evaluation[head * node.count + position] = value
    for position in range(node.count):
        evaluation[policy.n_heads * node.count + position] = 1.0


def next_interior(policy, rules, memory, after, found, evaluation):
    """Do what `Policy.interior` says: the searcher's decisions below the root that have all their edges."""
    for index in range(after + 1, memory.n_nodes):
        node = node_at(policy, memory, index)
        if node.kind == MAXIMUM and node.parent != NONE and node.dropped == 0:
            found[0] = node.searcher
            found[1] = node.count
            write_evaluation(policy, rules, memory, index, evaluation)
            return index
    return NONE
