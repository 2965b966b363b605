"""Writing down every history of a game, once, in flat arrays.

A node is a history. Children lie side by side behind their parent, so an ascending loop sees parents first. A
chain of chance nodes is one node, whose children are what can follow the whole chain.

On the way each player's own sequence is noted: the last decision of its own, with the action that it took
there. A *sighting* is an information state that was come to by one own sequence; in a game of perfect recall
that is the same as the information state. With s = I(a) for the sequence that takes action a at sighting I,
the probability that player i does its part of s is the product of its choices on the way (its realisation
plan), and all that counterfactual regret minimisation or a best response needs of the histories are their
ends: one sequence of each player, the probability of chance, and what each player gets (von Stengel 1996,
"Efficient computation of behavior strategies", section 3).

Open nodes wait on a stack of blocks, each a node number, its probability of chance, what each player has
got so far, each player's sequence, and the state.
"""

import numpy as np

from ..compiled import INT, Prototype, array_at, copy_bytes, record_at
from ..contracts.rules import (
    CHANCE,
    RULES,
    SCRATCH,
    TERMINAL,
    actor,
    chance_fan,
    resolve_chance,
    reward_of,
    step_one,
)
from .information_sets import NO_ACTION, NO_ROOM, SETS, entry_of, row_of

NODE = np.dtype(
    [
        ("first_child", np.int32),
        ("count", np.int32),  # children
        ("player", np.int32),  # who moves, or CHANCE, or TERMINAL
        ("row", np.int32),  # of the information state where a player moves, of the leaf at the end
    ]
)
SIGHTING = np.dtype(
    [
        ("row", np.int32),
        ("count", np.int32),  # actions
        ("parent_sequence", np.int32),
        ("first_sequence", np.int32),  # that of the first action; the others follow
        ("next", np.int32),  # another sighting of the row plus 1, 0 for none
    ]
)
ENUMERATION = np.dtype(
    [
        ("rules", np.int64),
        ("scratch", np.int64),
        ("sets", np.int64),
        ("nodes", np.int64),  # NODE[node_room]
        ("cumulative", np.int64),  # float64[node_room]: of a child of chance, the odds up to and with it
        ("n_nodes", np.int64),
        ("node_room", np.int64),
        ("most_nodes", np.int64),
        ("leaf_sequences", np.int64),  # int32[leaf_room, players]
        ("leaf_utilities", np.int64),  # float64[leaf_room, players]
        ("leaf_chance", np.int64),  # float64[leaf_room]
        ("n_leaves", np.int64),
        ("leaf_room", np.int64),
        ("sightings", np.int64),  # SIGHTING[sighting_room]
        ("n_sightings", np.int64),
        ("sighting_room", np.int64),
        ("n_sequences", np.int64),
        ("first_sighting", np.int64),  # int32[set_room]: a row's first sighting plus 1
        ("row_states", np.int64),  # uint8[set_room, state_size]: one state of each row
        ("set_room", np.int64),
        ("stack", np.int64),  # uint8[stack_room, block_size]
        ("stack_size", np.int64),
        ("stack_room", np.int64),
        ("block_size", np.int64),
        ("most_pending", np.int64),  # blocks
        ("fan_node", np.int64),  # the chance node whose children are gathered, NOBODY for none
        ("fan_base", np.int64),  # where they begin on the stack
        ("fan_scanned", np.int64),  # how far they are known to be no chance nodes
    ]
)
NOBODY = -1
BLOCK_HEAD = np.dtype([("node", np.int64), ("chance", np.float64)])

# What `enumerate_at` answers: done, an array that is too short (call again when it is longer), or a fault.
(
    DONE,
    NODES_FULL,
    LEAVES_FULL,
    SIGHTINGS_FULL,
    SETS_FULL,
    STACK_FULL,
    TOO_LARGE,
    TOO_WIDE,
    AMBIGUOUS,
    STUCK,
    NOT_SEQUENTIAL,
) = range(11)
ENUMERATE = Prototype("enumerate", INT, INT)


def enumerate_at(address):
    """Go on until all histories are written down; return DONE, or why not."""
    work = record_at(address, ENUMERATION)
    code = DONE
    while code == DONE and (work.stack_size > 0 or work.fan_node != NOBODY):
        code = gather_fan(work) if work.fan_node != NOBODY else open_top(work)
    return code


def block_at(work, index):
    """Return the address of a block of the stack."""
    return work.stack + index * work.block_size


def utilities_of(block, rules):
    """Return what each player has got so far, in a block."""
    return array_at(block + 16, rules.n_players, np.float64)


def sequences_of(block, rules):
    """Return each player's own sequence, in a block."""
    return array_at(block + 16 + 8 * rules.n_players, rules.n_players, np.int64)


def state_of(block, rules):
    """Return the address of the state in a block."""
    return block + 16 + 16 * rules.n_players


def open_top(work):
    """Write down the node on top of the stack, and put its children there instead."""
    rules = record_at(work.rules, RULES)
    block = block_at(work, work.stack_size - 1)
    turn = actor(rules, state_of(block, rules))
    if turn == CHANCE:
        work.fan_node = record_at(block, BLOCK_HEAD).node
        work.fan_base = work.stack_size - 1
        work.fan_scanned = work.fan_base
        return DONE
    if turn == TERMINAL:
        return close_leaf(work, rules, block)
    if turn < 0:
        return NOT_SEQUENTIAL
    return open_decision(work, rules, block, turn)


def close_leaf(work, rules, block):
    """Write down the end of a game."""
    leaf = work.n_leaves
    if leaf == work.leaf_room:
        return LEAVES_FULL
    head = record_at(block, BLOCK_HEAD)
    shape = (work.leaf_room, rules.n_players)
    sequences = array_at(work.leaf_sequences, shape, np.int32)
    utilities = array_at(work.leaf_utilities, shape, np.float64)
    for player in range(rules.n_players):
        sequences[leaf, player] = sequences_of(block, rules)[player]
        utilities[leaf, player] = utilities_of(block, rules)[player]
    array_at(work.leaf_chance, work.leaf_room, np.float64)[leaf] = head.chance
    node = array_at(work.nodes, work.node_room, NODE)[head.node]
    node.player = TERMINAL
    node.row = leaf
    node.count = 0
    work.n_leaves = leaf + 1
    work.stack_size -= 1
    return DONE


def open_decision(work, rules, block, player):
    """Write down a decision; its children take its place on the stack."""
    scratch = record_at(work.scratch, SCRATCH)
    sets = record_at(work.sets, SETS)
    if work.n_sightings == work.sighting_room:
        return SIGHTINGS_FULL
    row = row_of(rules, scratch, sets, state_of(block, rules), player)
    if row < 0:
        return SETS_FULL if row == NO_ROOM else STUCK if row == NO_ACTION else AMBIGUOUS
    entry = entry_of(sets, row)
    count = np.int64(entry.count)
    code = room_for(work, count, count)
    if code != DONE:
        return code
    first_sequence = see(work, rules, block, player, row, count)
    node = array_at(work.nodes, work.node_room, NODE)[record_at(block, BLOCK_HEAD).node]
    node.player = player
    node.row = row
    node.count = count
    node.first_child = work.n_nodes
    actions = array_at(sets.actions, sets.pool_room, np.int32)
    for index in range(count - 1, -1, -1):  # the first child is written over the parent, so it comes last
        child = block_at(work, work.stack_size - 1 + index)
        if index > 0:
            copy_bytes(child, block, work.block_size)
        record_at(child, BLOCK_HEAD).node = work.n_nodes + index
        step_one(rules, scratch, state_of(child, rules), player, actions[entry.first + index])
        collect_rewards(rules, scratch, child)
        sequences_of(child, rules)[player] = first_sequence + index
    work.n_nodes += count
    work.stack_size += count - 1
    return DONE


def room_for(work, nodes, blocks):
    """Return DONE if there is room for so many more nodes, and so many more blocks; else what is full."""
    if work.n_nodes + nodes > work.most_nodes or work.stack_size + blocks > work.most_pending:
        return TOO_LARGE
    if work.n_nodes + nodes > work.node_room:
        return NODES_FULL
    return STACK_FULL if work.stack_size + blocks > work.stack_room else DONE


def collect_rewards(rules, scratch, block):
    """Add the rewards of the last move to what a block's players have got."""
    utilities = utilities_of(block, rules)
    for player in range(rules.n_players):
        utilities[player] += reward_of(rules, scratch, player)


def see(work, rules, block, player, row, count):
    """Return the first sequence of the sighting of a row from a player's own sequence; make it if it is new."""
    sightings = array_at(work.sightings, work.sighting_room, SIGHTING)
    first_sighting = array_at(work.first_sighting, work.set_room, np.int32)
    own = sequences_of(block, rules)[player]
    link = np.int64(first_sighting[row])
    if link == 0:
        copy_bytes(work.row_states + row * rules.state_size, state_of(block, rules), rules.state_size)
    while link != 0:
        if sightings[link - 1].parent_sequence == own:
            return np.int64(sightings[link - 1].first_sequence)
        link = np.int64(sightings[link - 1].next)
    sighting = sightings[work.n_sightings]
    sighting.row = row
    sighting.count = count
    sighting.parent_sequence = own
    sighting.first_sequence = work.n_sequences
    sighting.next = first_sighting[row]
    first_sighting[row] = work.n_sightings + 1
    work.n_sightings += 1
    work.n_sequences += count
    return np.int64(sighting.first_sequence)


def gather_fan(work):
    """Resolve the chance nodes among the gathered blocks until none is left; then they are the children."""
    rules = record_at(work.rules, RULES)
    while work.fan_scanned < work.stack_size:
        block = block_at(work, work.fan_scanned)
        if actor(rules, state_of(block, rules)) != CHANCE:
            work.fan_scanned += 1
            continue
        code = resolve_block(work, rules, block)
        if code != DONE:
            return code
    return close_fan(work)


def resolve_block(work, rules, block):
    """Replace a chance node on the stack by its outcomes: one in its place, the others on top."""
    scratch = record_at(work.scratch, SCRATCH)
    if rules.chance == 0:
        return TOO_WIDE
    count = chance_fan(rules, scratch, state_of(block, rules))
    if count == 0:
        return TOO_WIDE
    code = room_for(work, work.stack_size - work.fan_base + count, count)
    if code != DONE:
        return code
    odds = array_at(scratch.probabilities, count, np.float64)
    before = record_at(block, BLOCK_HEAD).chance
    for index in range(count - 1, -1, -1):  # the first outcome is written over the block, so it comes last
        child = block if index == 0 else block_at(work, work.stack_size + index - 1)
        if index > 0:
            copy_bytes(child, block, work.block_size)
        record_at(child, BLOCK_HEAD).chance = before * odds[index]
        resolve_chance(rules, scratch, state_of(child, rules), index)
        collect_rewards(rules, scratch, child)
    work.stack_size += count - 1
    return DONE


def close_fan(work):
    """Write down a chance node; the gathered blocks are its children."""
    count = work.stack_size - work.fan_base
    code = room_for(work, count, 0)
    if code != DONE:
        return code
    total = 0.0
    for index in range(count):
        total += record_at(block_at(work, work.fan_base + index), BLOCK_HEAD).chance
    cumulative = array_at(work.cumulative, work.node_room, np.float64)
    sum_up_to = 0.0
    for index in range(count):
        head = record_at(block_at(work, work.fan_base + index), BLOCK_HEAD)
        sum_up_to += head.chance
        cumulative[work.n_nodes + index] = sum_up_to / total
        head.node = work.n_nodes + index
    node = array_at(work.nodes, work.node_room, NODE)[work.fan_node]
    node.player = CHANCE
    node.row = 0
    node.count = count
    node.first_child = work.n_nodes
    work.n_nodes += count
    work.fan_node = NOBODY
    return DONE
