"""What the sampled variants share: one position in the game that moves forward, and the frames of a traversal.

A position is a node of the enumerated game (`tree`), or, in a game that is too large for that, a state on
which the game's own rules are played. The information states of the latter are numbered as they are met.

A traversal keeps its open decisions in frames, not on the call stack. So it can stop wherever an array is
full, say which one, and go on when that is longer.
"""

import numpy as np

from ..compiled import array_at, copy_bytes, record_at
from ..compiled.random import STREAM, uniform
from ..contracts.rules import (
    RULES,
    SCRATCH,
    actor,
    resolve_chance,
    reward_of,
    sample_outcome,
    step_one,
)
from .enumeration import NODE
from .information_sets import NO_ACTION, NO_ROOM, SETS, entry_of, row_of

FRAME = np.dtype(
    [
        ("node", np.int64),
        ("row", np.int64),
        ("first", np.int64),  # where the actions of the row begin in the pool
        ("count", np.int64),  # actions
        ("index", np.int64),  # the action that is played
        ("player", np.int64),
        ("gain", np.float64),  # what the traverser had got before
        ("reach", np.float64),  # this and the next two as in SAMPLER, when the frame was opened
        ("sampled", np.float64),
        ("explored", np.float64),
    ]
)
SAMPLER = np.dtype(
    [
        ("rules", np.int64),
        ("scratch", np.int64),
        ("sets", np.int64),
        ("stream", np.int64),  # STREAM
        ("nodes", np.int64),  # NODE[n_nodes]; 0 where the game's own rules are played
        ("n_nodes", np.int64),
        ("cumulative", np.int64),  # float64[n_nodes], see `enumeration`
        ("leaf_utilities", np.int64),  # float64[n_leaves, n_players]
        ("n_leaves", np.int64),
        ("n_players", np.int64),
        ("first_state", np.int64),  # uint8[state_size]
        ("states", np.int64),  # uint8[frame_room + 1, state_size]: that of each frame, then the current one
        ("regrets", np.int64),  # float64[pool_room]
        ("averages", np.int64),  # float64[pool_room]: the sum of the sampled strategies
        ("pool_room", np.int64),
        ("visited", np.int64),  # uint8[n_rows], with a tree: 1 for a row that was come to
        ("n_rows", np.int64),
        ("frames", np.int64),  # FRAME[frame_room]
        ("n_frames", np.int64),
        ("frame_room", np.int64),
        ("frame_values", np.int64),  # float64[frame_room, n_actions]
        ("frame_strategy", np.int64),  # float64[frame_room, n_actions]
        ("n_actions", np.int64),
        ("node", np.int64),  # the current one
        ("gain", np.float64),  # what the traverser has got on the way to the current state
        # of outcome sampling, over the game so far:
        ("reach", np.float64),  # the product of the traverser's own probabilities
        ("sampled", np.float64),  # the probability of all draws of players
        ("explored", np.float64),  # the probability of the traverser's draws
        ("iteration", np.int64),  # iterations that are complete
        ("traverser", np.int64),
        ("is_under_way", np.int64),  # 1 within a traversal
        ("exploration", np.float64),  # of outcome sampling
    ]
)
DONE, SETS_FULL, FRAMES_FULL, AMBIGUOUS, STUCK, NOT_SEQUENTIAL = range(6)


def begin(sampler):
    """Put the position at the start of the game."""
    sampler.node = 0
    sampler.gain = 0.0
    sampler.n_frames = 0
    sampler.is_under_way = 1
    if sampler.nodes == 0:
        copy_bytes(sampler.states, sampler.first_state, record_at(sampler.rules, RULES).state_size)


def state_at(sampler):
    """Return the address of the current state."""
    return sampler.states + sampler.n_frames * record_at(sampler.rules, RULES).state_size


def node_at(sampler):
    """Return the record of the current node."""
    return array_at(sampler.nodes, sampler.n_nodes, NODE)[sampler.node]


def turn_at(sampler):
    """Return whose turn it is."""
    if sampler.nodes != 0:
        return np.int64(node_at(sampler).player)
    return actor(record_at(sampler.rules, RULES), state_at(sampler))


def row_at(sampler, player):
    """Return the row of what `player`, who is to move, knows; negative if it has none yet or is at fault."""
    if sampler.nodes != 0:
        return np.int64(node_at(sampler).row)
    rules, scratch = record_at(sampler.rules, RULES), record_at(sampler.scratch, SCRATCH)
    return row_of(rules, scratch, record_at(sampler.sets, SETS), state_at(sampler), player)


def fault_of(row):
    """Return what to answer where `row_at` gave no row."""
    return SETS_FULL if row == NO_ROOM else STUCK if row == NO_ACTION else AMBIGUOUS


def value_at_end(sampler):
    """Return what the traverser has got in the whole game."""
    if sampler.nodes == 0:
        return sampler.gain
    shape = (sampler.n_leaves, sampler.n_players)
    return array_at(sampler.leaf_utilities, shape, np.float64)[node_at(sampler).row, sampler.traverser]


def draw(sampler):
    """Let chance move."""
    stream = record_at(sampler.stream, STREAM)
    if sampler.nodes != 0:
        node = node_at(sampler)
        sampler.node = node.first_child + drawn(sampler, node.first_child, node.count, uniform(stream))
        return
    rules, scratch = record_at(sampler.rules, RULES), record_at(sampler.scratch, SCRATCH)
    outcome = sample_outcome(rules, scratch, state_at(sampler), stream)
    resolve_chance(rules, scratch, state_at(sampler), outcome)
    sampler.gain += reward_of(rules, scratch, sampler.traverser)


def drawn(sampler, first_child, count, number):
    """Return which child of a chance node a number in [0, 1) draws; the search begins where a fair one lies."""
    cumulative = array_at(sampler.cumulative + 8 * first_child, count, np.float64)
    index = np.int64(number * count)
    while index > 0 and number < cumulative[index - 1]:
        index -= 1
    while index < count - 1 and number >= cumulative[index]:
        index += 1
    return index


def take(sampler, player, place, index):
    """Let `player` take its action number `index`, which is at `place` in the pool."""
    if sampler.nodes != 0:
        sampler.node = node_at(sampler).first_child + index
        return
    rules, scratch = record_at(sampler.rules, RULES), record_at(sampler.scratch, SCRATCH)
    sets = record_at(sampler.sets, SETS)
    action = array_at(sets.actions, sets.pool_room, np.int32)[place]
    step_one(rules, scratch, state_at(sampler), player, action)
    sampler.gain += reward_of(rules, scratch, sampler.traverser)


def push(sampler, player, row):
    """Open a frame for the decision of `player`; the current state is then a copy of it."""
    entry = entry_of(record_at(sampler.sets, SETS), row)
    frame = array_at(sampler.frames, sampler.frame_room, FRAME)[sampler.n_frames]
    frame.node = sampler.node
    frame.row = row
    frame.first = entry.first
    frame.count = entry.count
    frame.index = 0
    frame.player = player
    frame.gain = sampler.gain
    visit(sampler, row)
    sampler.n_frames += 1
    if sampler.nodes == 0:
        resume(sampler, frame)


def visit(sampler, row):
    """Note that a row was come to; without a tree there is no other."""
    if sampler.nodes != 0:
        array_at(sampler.visited, sampler.n_rows, np.uint8)[row] = 1


def resume(sampler, frame):
    """Put the position back to the decision of the last frame."""
    sampler.node = frame.node
    sampler.gain = frame.gain
    if sampler.nodes == 0:
        size = record_at(sampler.rules, RULES).state_size
        copy_bytes(state_at(sampler), state_at(sampler) - size, size)
