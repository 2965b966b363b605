"""External sampling for Deep CFR: many traversals side by side, each of which waits where a network is asked.

A traversal lives in a lane: its state, its random stream, and the frames of the traverser's open decisions,
which are chained from the last one to the first. All lanes take their frames from one pool. So a lane stops
wherever an answer or room is missing, and goes on there.

The information states are numbered as they are met (`information_sets`). Those below `n_answered` have a
strategy, which stays the same for the whole collection; a lane that comes to another one waits until all that
are new have been asked about.

Records are written as decisions are closed, together with the number of their traversal: it, and not what
happens in other lanes, decides their order in the batch.
"""

import numpy as np

from ..compiled import INT, Prototype, array_at, copy_bytes, record_at
from ..compiled.random import STREAM, categorical, derive_key
from ..contracts.rules import (
    CHANCE,
    RULES,
    SCRATCH,
    TERMINAL,
    actor,
    encode,
    head_index,
    resolve_chance,
    reward_of,
    sample_outcome,
    step_one,
)
from .information_sets import NO_ACTION, NO_ROOM, SETS, entry_of, row_of

LANE = np.dtype(
    [
        ("number", np.int64),  # which lane
        ("traversal", np.int64),  # from 0 in this collection; NONE where there is nothing to do
        ("frame", np.int64),  # the last open one; NONE
        ("plies", np.int64),  # moves on the way to the current state, those of chance too
        ("row", np.int64),  # of the information state that is waited for; NONE
        ("gain", np.float64),  # what the traverser has got on the way to the current state
    ]
)
FRAME = np.dtype(
    [
        ("parent", np.int64),  # the frame below, or the next free one; NONE
        ("row", np.int64),
        ("index", np.int64),  # the action that is tried
        ("plies", np.int64),  # as in LANE, when the frame was opened
        ("gain", np.float64),
    ]
)
ADVANTAGE = np.dtype([("traversal", np.int64), ("row", np.int64), ("first", np.int64)])  # in the targets
STRATEGY = np.dtype([("traversal", np.int64), ("row", np.int64)])
COLLECTION = np.dtype(
    [
        ("rules", np.int64),
        ("scratch", np.int64),
        ("sets", np.int64),
        ("n_players", np.int64),
        ("n_actions", np.int64),
        ("traverser", np.int64),
        ("seed", np.uint64),
        ("first_number", np.int64),  # of this collection's first traversal, over the solver's life
        ("n_traversals", np.int64),
        ("n_begun", np.int64),
        ("n_finished", np.int64),
        ("first_state", np.int64),  # uint8[state_size]
        ("lanes", np.int64),  # LANE[n_lanes]
        ("streams", np.int64),  # STREAM[n_lanes]
        ("states", np.int64),  # uint8[n_lanes, state_size]
        ("n_lanes", np.int64),
        ("lane", np.int64),  # the one whose turn it is
        ("steps", np.int64),  # left before the caller is heard again
        ("frames", np.int64),  # FRAME[frame_room]
        ("frame_values", np.int64),  # float64[frame_room, n_actions]: what each action brought
        ("frame_states", np.int64),  # uint8[frame_room, state_size]
        ("frame_room", np.int64),
        ("n_frames", np.int64),  # that were ever used
        ("free_frame", np.int64),  # given back; NONE
        ("most_plies", np.int64),
        ("row_states", np.int64),  # uint8[row_room, state_size]: the first state met of each row
        ("strategy", np.int64),  # float64[pool_room]
        ("n_answered", np.int64),
        ("advantages", np.int64),  # ADVANTAGE[advantage_room]
        ("n_advantages", np.int64),
        ("advantage_room", np.int64),
        ("targets", np.int64),  # float64[target_room]
        ("n_targets", np.int64),
        ("target_room", np.int64),
        ("open_frames", np.int64),  # room is set aside for the records of the open decisions
        ("open_targets", np.int64),
        ("strategies", np.int64),  # STRATEGY[strategy_room]
        ("n_strategies", np.int64),
        ("strategy_room", np.int64),
        ("n_lookups", np.int64),
    ]
)
NONE = -1
PURPOSE = np.uint64(0x646366)  # keeps these draws apart from those of other solvers and of an engine
# What `advance_at` answers: done (all lanes wait or are out of work), a break for the caller, room, or a fault.
(
    DONE,
    BREAK,
    WAITS,
    SETS_FULL,
    FRAMES_FULL,
    ADVANTAGES_FULL,
    TARGETS_FULL,
    STRATEGIES_FULL,
    AMBIGUOUS,
    STUCK,
    NOT_SEQUENTIAL,
    ENDLESS,
) = range(12)
ADVANCE = Prototype("deep_cfr_advance", INT, INT)
LOOK = Prototype("deep_cfr_look", None, INT, INT, INT, INT)
MATCH = Prototype("deep_cfr_match", None, INT, INT, INT, INT, INT)


def advance_at(address):
    """Let every lane go on until all of them wait for answers or have nothing to do."""
    work = record_at(address, COLLECTION)
    lanes = array_at(work.lanes, work.n_lanes, LANE)
    while work.lane < work.n_lanes:
        code = run_lane(work, lanes[work.lane])
        if code != DONE:
            return code
        work.lane += 1
    work.lane = 0
    return DONE


def run_lane(work, lane):
    """Work through traversals until one waits or none is left."""
    while True:
        if lane.traversal == NONE:
            if work.n_begun == work.n_traversals:
                return DONE
            begin(work, lane)
        code = traverse(work, lane)
        if code != DONE:
            return DONE if code == WAITS else code
        lane.traversal = NONE
        work.n_finished += 1


def begin(work, lane):
    """Put a lane at the start of the next traversal, which has a random stream of its own."""
    lane.traversal = work.n_begun
    lane.frame = NONE
    lane.plies = 0
    lane.row = NONE
    lane.gain = 0.0
    stream = array_at(work.streams, work.n_lanes, STREAM)[lane.number]
    stream.key = derive_key(work.seed, PURPOSE, np.uint64(work.first_number + work.n_begun))
    stream.counter = np.uint64(0)
    copy_bytes(state_of(work, lane), work.first_state, record_at(work.rules, RULES).state_size)
    work.n_begun += 1


def state_of(work, lane):
    """Return the address of a lane's current state."""
    return work.states + lane.number * record_at(work.rules, RULES).state_size


def traverse(work, lane):
    """Go on with a traversal; return DONE at its end, or why it stops."""
    rules = record_at(work.rules, RULES)
    while work.steps > 0:
        if lane.plies > work.most_plies:
            return ENDLESS
        work.steps -= 1
        turn = actor(rules, state_of(work, lane))
        if turn == TERMINAL:
            if give_back(work, lane):
                return DONE
        elif turn == CHANCE:
            draw(work, lane)
        elif turn < 0:
            return NOT_SEQUENTIAL
        else:
            code = decide(work, lane, turn)
            if code != DONE:
                return code
    return BREAK


def draw(work, lane):
    """Let chance move."""
    rules, scratch = record_at(work.rules, RULES), record_at(work.scratch, SCRATCH)
    state, stream = state_of(work, lane), array_at(work.streams, work.n_lanes, STREAM)[lane.number]
    resolve_chance(rules, scratch, state, sample_outcome(rules, scratch, state, stream))
    lane.plies += 1
    lane.gain += reward_of(rules, scratch, work.traverser)


def decide(work, lane, player):
    """Pass a decision if its strategy is known: try the actions of the traverser, draw one of another player."""
    if lane.row == NONE:
        row = look_up(work, lane, player)
        if row < 0:
            return SETS_FULL if row == NO_ROOM else STUCK if row == NO_ACTION else AMBIGUOUS
        lane.row = row
    if lane.row >= work.n_answered:
        return WAITS
    gathers = player == (work.traverser + 1) % work.n_players  # with one player, at its own decisions
    code = room_for(work, player == work.traverser, gathers)
    if code != DONE:
        return code
    row = lane.row
    lane.row = NONE
    if gathers:
        record = array_at(work.strategies, work.strategy_room, STRATEGY)[work.n_strategies]
        record.traversal = lane.traversal
        record.row = row
        work.n_strategies += 1
    entry = entry_of(record_at(work.sets, SETS), row)
    index = np.int64(0)
    if player == work.traverser:
        open_frame(work, lane, row, entry.count)
    else:
        probabilities = array_at(work.strategy + 8 * entry.first, entry.count, np.float64)
        stream = array_at(work.streams, work.n_lanes, STREAM)[lane.number]
        index = np.int64(categorical(stream, probabilities, entry.count))
    take(work, lane, player, entry.first + index)
    return DONE


def look_up(work, lane, player):
    """Return the row of what `player` knows, and keep the state of a new one; or return what is at fault."""
    rules, scratch = record_at(work.rules, RULES), record_at(work.scratch, SCRATCH)
    sets = record_at(work.sets, SETS)
    before = sets.rows
    row = row_of(rules, scratch, sets, state_of(work, lane), player)
    if row == before:
        copy_bytes(work.row_states + row * rules.state_size, state_of(work, lane), rules.state_size)
    if row >= 0:
        work.n_lookups += 1
    return row


def room_for(work, tries, gathers):
    """Return DONE if a decision's frame and records have room, else what is full."""
    if gathers and work.n_strategies == work.strategy_room:
        return STRATEGIES_FULL
    if not tries:
        return DONE
    if work.free_frame == NONE and work.n_frames == work.frame_room:
        return FRAMES_FULL
    if work.n_advantages + work.open_frames == work.advantage_room:
        return ADVANTAGES_FULL
    needed = work.n_targets + work.open_targets + work.n_actions
    return TARGETS_FULL if needed > work.target_room else DONE


def open_frame(work, lane, row, count):
    """Open a decision of the traverser, at its first action."""
    frames = array_at(work.frames, work.frame_room, FRAME)
    number = work.free_frame
    if number == NONE:
        number = work.n_frames
        work.n_frames += 1
    else:
        work.free_frame = frames[number].parent
    frame = frames[number]
    frame.parent = lane.frame
    frame.row = row
    frame.index = 0
    frame.plies = lane.plies
    frame.gain = lane.gain
    lane.frame = number
    work.open_frames += 1
    work.open_targets += count
    size = record_at(work.rules, RULES).state_size
    copy_bytes(work.frame_states + number * size, state_of(work, lane), size)


def take(work, lane, player, place):
    """Let `player` take the action at `place` in the pool."""
    rules, scratch = record_at(work.rules, RULES), record_at(work.scratch, SCRATCH)
    sets = record_at(work.sets, SETS)
    action = array_at(sets.actions, sets.pool_room, np.int32)[place]
    step_one(rules, scratch, state_of(work, lane), player, action)
    lane.plies += 1
    lane.gain += reward_of(rules, scratch, work.traverser)


def give_back(work, lane):
    """Hand the value of an end to the open decisions; return whether the traversal is over."""
    frames = array_at(work.frames, work.frame_room, FRAME)
    values = array_at(work.frame_values, (work.frame_room, work.n_actions), np.float64)
    value = lane.gain
    while lane.frame != NONE:
        number = lane.frame
        frame = frames[number]
        entry = entry_of(record_at(work.sets, SETS), frame.row)
        values[number, frame.index] = value
        frame.index += 1
        if frame.index < entry.count:
            size = record_at(work.rules, RULES).state_size
            copy_bytes(state_of(work, lane), work.frame_states + number * size, size)
            lane.plies = frame.plies
            lane.gain = frame.gain
            take(work, lane, work.traverser, entry.first + frame.index)
            return False
        value = close_frame(work, lane, number)
    return True


def close_frame(work, lane, number):
    """Write the record of a decision all of whose actions were tried; return what the decision is worth."""
    frame = array_at(work.frames, work.frame_room, FRAME)[number]
    entry = entry_of(record_at(work.sets, SETS), frame.row)
    values = array_at(work.frame_values, (work.frame_room, work.n_actions), np.float64)
    strategy = array_at(work.strategy + 8 * entry.first, entry.count, np.float64)
    targets = array_at(work.targets, work.target_room, np.float64)
    value = 0.0
    for index in range(entry.count):
        value += strategy[index] * values[number, index]
    for index in range(entry.count):
        targets[work.n_targets + index] = values[number, index] - value
    record = array_at(work.advantages, work.advantage_room, ADVANTAGE)[work.n_advantages]
    record.traversal = lane.traversal
    record.row = frame.row
    record.first = work.n_targets
    work.n_advantages += 1
    work.n_targets += entry.count
    work.open_frames -= 1
    work.open_targets -= entry.count
    lane.frame = frame.parent
    frame.parent = work.free_frame
    work.free_frame = number
    return value


def look_at(address, rows, count, out):
    """Write what the network sees in `count` rows (int64 at `rows`): float32[count, observation_size]."""
    work = record_at(address, COLLECTION)
    rules, sets = record_at(work.rules, RULES), record_at(work.sets, SETS)
    asked = array_at(rows, count, np.int64)
    for number in range(count):
        state = work.row_states + asked[number] * rules.state_size
        player = np.int64(entry_of(sets, asked[number]).player)
        encode(rules, state, player, out + 4 * number * rules.observation_size)


def match_at(address, rows, count, answers, is_double):
    """Turn the network's answers for `count` rows (int64 at `rows`) into their strategies."""
    work = record_at(address, COLLECTION)
    rules, sets = record_at(work.rules, RULES), record_at(work.sets, SETS)
    asked = array_at(rows, count, np.int64)
    shape = (count, work.n_actions)
    for number in range(count):
        entry = entry_of(sets, asked[number])
        actions = array_at(sets.actions + 4 * entry.first, entry.count, np.int32)
        strategy = array_at(work.strategy + 8 * entry.first, entry.count, np.float64)
        for index in range(entry.count):
            head = head_index(rules, np.int64(actions[index]), np.int64(entry.player))
            if is_double != 0:
                strategy[index] = array_at(answers, shape, np.float64)[number, head]
            else:
                strategy[index] = np.float64(array_at(answers, shape, np.float32)[number, head])
        match_advantages(strategy, entry.count)


def match_advantages(strategy, count):
    """Replace advantages by shares of the positive ones; where none is, all goes to the largest, the first one.

    They are measured in units of the largest, so that no sum overflows.
    """
    best = 0
    for index in range(1, count):
        if strategy[index] > strategy[best]:
            best = index
    largest = strategy[best]
    total = 0.0
    for index in range(count):
        if largest > 0.0:
            strategy[index] = max(strategy[index], 0.0) / largest
        else:
            strategy[index] = 1.0 if index == best else 0.0
        total += strategy[index]
    for index in range(count):
        strategy[index] /= total
