"""The compiled half of an environment: start an episode, play a tick, look at a player's side.

An episode and a tick are tried on a second copy of the state and of the random stream, which
become the current ones at the end. Whatever goes wrong in between, an illegal action or an error
in the game's own methods, leaves the environment as it was.

The legal actions of all that act are part of what is tried and kept: they are asked for more often than
once a tick, and the next tick is checked against them.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..compiled import (
    INT,
    PAIRS,
    Prototype,
    array_at,
    clear_bytes,
    compile_function,
    copy_bytes,
    record_at,
)
from ..compiled.random import STREAM
from ..contracts.rules import (
    CHANCE,
    INFORMATION_STATE,
    INITIAL,
    LONGEST_CHANCE_CHAIN,
    RULES,
    SCRATCH,
    SIMULTANEOUS,
    TERMINAL,
    VALID,
    actor,
    encode,
    legal_actions,
    resolve_chance,
    reward_of,
    sample_outcome,
    step,
)

ENV = np.dtype(
    [
        ("rules", np.int64),  # the RULES record
        ("scratch", np.int64),  # the SCRATCH record
        ("state", np.int64),  # the current state
        ("stream", np.int64),  # STREAM of the chance draws
        ("trial_state", np.int64),
        ("trial_stream", np.int64),
        ("legal", np.int64),  # int32[n_actions]: legal actions; where all act at once, for each player
        ("legal_step", np.int64),  # bytes from a player's legal actions to the next's; 0 where one acts
        ("counts", np.int64),  # int64[n_players]: how many legal actions each has
        ("trial_legal", np.int64),
        ("trial_counts", np.int64),
        ("events", np.int64),  # float64[n_players, n_events]: the sum over the last tick
        ("rewards", np.int64),  # float64[n_players]: what that pays
        ("seen", np.int64),  # float32[C, H, W]: what a network sees
        ("information", np.int64),  # uint8[information_size]
        ("turn", np.int64),  # whose turn it is in the current state
        ("now", np.int64),  # what `begin` and `play` answered of the current state
        ("ticks", np.int64),  # since the episode began
        ("paid", np.int64),  # 1 when `rewards` are those of a tick
        ("eventful", np.int64),  # 1 when the last tick had an event
        ("refused", np.int64),  # the player whose action was refused
    ]
)
STREAM_SIZE = STREAM.itemsize
NO_ACTION = -1

# What `begin` and `play` answer is whose turn it is, above two flags: there is something to report; all that
# can act do, and may choose any action. Or one of these faults, which all lie below that. Of several the last
# is reported.
TURN_SHIFT, ALL_LEGAL, EVENTFUL = 2, 2, 1
LEAST_ANSWER = TERMINAL << TURN_SHIFT
LEAST_TO_ACT = SIMULTANEOUS << TURN_SHIFT  # of a game that is not over
MALFORMED, ILLEGAL, MISSING, NOT_ACTIVE, IS_OVER, ENDLESS_CHANCE = range(-20, -26, -1)

INVALID = -4  # what `inspect` answers of a state that is not safe; beside CHANCE, SIMULTANEOUS, TERMINAL

# A tick takes about as long as to release the interpreter's lock and to get it back.
BEGIN = Prototype("begin", INT, INT, INT, holds_gil=True)
PLAY = Prototype("play", INT, INT, PAIRS, holds_gil=True)
OBSERVE = Prototype("observe", None, INT, INT, holds_gil=True)
INFORM = Prototype("inform", INT, INT, INT)
INSPECT = Prototype("inspect", INT, INT)
ADOPT = Prototype("adopt", INT, INT, INT, INT)


def begin_at(address, has_seed):
    """Draw a start state with the trial stream if that `has_seed`, else with the current one; keep it."""
    env = record_at(address, ENV)
    rules = record_at(env.rules, RULES)
    if has_seed == 0:
        copy_bytes(env.trial_stream, env.stream, STREAM_SIZE)
    clear_bytes(env.trial_state, rules.state_size)
    INITIAL(rules.initial, rules.game, env.trial_state)
    forget_tick(env, rules)
    answer = play_chance(env, rules)
    if answer >= LEAST_ANSWER:
        env.ticks = 0
        env.paid = 0
    return answer


def play_at(address, asked):
    """Play what is asked for, as pairs of agent and action, and the chance nodes behind it."""
    env = record_at(address, ENV)
    rules = record_at(env.rules, RULES)
    joint = array_at(record_at(env.scratch, SCRATCH).joint, rules.n_players, np.int64)
    joint[:] = NO_ACTION
    for index in range(len(asked)):
        agent, action = asked[index, 0], asked[index, 1]
        if agent < 0 or agent >= rules.n_players or action < 0:
            return MALFORMED
        joint[agent] = action
    fault = worst_fault(env, rules, joint)
    return fault if fault != 0 else play_joint(env, rules)


def play_joint(env, rules):
    """Play the joint action in the scratch, and the chance nodes behind it."""
    copy_bytes(env.trial_state, env.state, rules.state_size)
    copy_bytes(env.trial_stream, env.stream, STREAM_SIZE)
    forget_tick(env, rules)
    step(rules, record_at(env.scratch, SCRATCH), env.trial_state)
    gather_events(env, rules)
    answer = play_chance(env, rules)
    if answer >= LEAST_ANSWER:
        env.ticks += 1
        env.paid = 1
    return answer


def worst_fault(env, rules, joint):
    """Return what is wrong with a joint action, 0 for nothing."""
    worst = 0
    for player in range(rules.n_players):
        fault = fault_of(env, rules, player, joint[player])
        if fault < worst:
            worst = fault
            env.refused = player
    return worst if env.turn != TERMINAL else IS_OVER


def fault_of(env, rules, player, action):
    """Return what is wrong with one player's part of the joint action."""
    count = array_at(env.counts, rules.n_players, np.int64)[player]
    active = env.turn == player or (env.turn == SIMULTANEOUS and count > 0)
    if active != (action != NO_ACTION):
        return MISSING if active else NOT_ACTIVE
    return ILLEGAL if active and not is_legal(env, rules, player, action) else 0


def is_legal(env, rules, player, action):
    """Return whether an action is among those that were written down for a player."""
    legal = array_at(env.legal + player * env.legal_step, rules.n_actions, np.int32)
    for index in range(array_at(env.counts, rules.n_players, np.int64)[player]):
        if legal[index] == action:
            return True
    return False


def play_chance(env, rules):
    """Resolve chance nodes until somebody acts or the game is over; keep that state."""
    scratch = record_at(env.scratch, SCRATCH)
    stream = record_at(env.trial_stream, STREAM)
    turn = actor(rules, env.trial_state)
    length = 0
    while turn == CHANCE:
        if length == LONGEST_CHANCE_CHAIN:
            return ENDLESS_CHANCE
        outcome = sample_outcome(rules, scratch, env.trial_state, stream)
        resolve_chance(rules, scratch, env.trial_state, outcome)
        gather_events(env, rules)
        turn = actor(rules, env.trial_state)
        length += 1
    keep_trial(env, rules, turn)
    copy_bytes(env.rewards, scratch.rewards, rules.n_players * 8)
    return env.now


def list_legal(env, rules, turn):
    """Write down the legal actions of all that act in the trial state; return whether they are all there are."""
    counts = array_at(env.trial_counts, rules.n_players, np.int64)
    all_legal = turn != TERMINAL
    for player in range(rules.n_players):
        counts[player] = 0
        if turn == player or turn == SIMULTANEOUS:
            row = env.trial_legal + player * env.legal_step
            counts[player] = legal_actions(rules, env.trial_state, player, row)
            all_legal = all_legal and counts[player] == rules.n_actions
    return all_legal


def keep_trial(env, rules, turn):
    """Make the trial the current state, stream and legal actions."""
    all_legal = list_legal(env, rules, turn)
    copy_bytes(env.state, env.trial_state, rules.state_size)
    copy_bytes(env.stream, env.trial_stream, STREAM_SIZE)
    counts = array_at(env.trial_counts, rules.n_players, np.int64)
    for player in range(rules.n_players):
        place = player * env.legal_step
        copy_bytes(env.legal + place, env.trial_legal + place, counts[player] * 4)
    copy_bytes(env.counts, env.trial_counts, rules.n_players * 8)
    env.turn = turn
    has_report = env.eventful != 0 or turn == TERMINAL
    env.now = (turn << TURN_SHIFT) + (ALL_LEGAL if all_legal else 0) + (EVENTFUL if has_report else 0)


def forget_tick(env, rules):
    """Clear the events of the last tick, and what those to come pay."""
    clear_bytes(env.events, rules.n_players * rules.n_events * 8)
    clear_bytes(record_at(env.scratch, SCRATCH).rewards, rules.n_players * 8)
    env.eventful = 0


def gather_events(env, rules):
    """Add the events in the scratch, and what they pay, to those of the tick."""
    scratch = record_at(env.scratch, SCRATCH)
    shape = (rules.n_players, rules.n_events)
    found = array_at(scratch.events, shape, np.float64)
    events = array_at(env.events, shape, np.float64)
    rewards = array_at(scratch.rewards, rules.n_players, np.float64)
    for player in range(rules.n_players):
        rewards[player] += reward_of(rules, scratch, player)
        for event in range(rules.n_events):
            if found[player, event] != 0.0:
                events[player, event] += found[player, event]
                env.eventful = 1


def observe_at(address, player):
    """Write down what the network sees for `player`."""
    env = record_at(address, ENV)
    encode(record_at(env.rules, RULES), env.state, player, env.seen)


def inform_at(address, player):
    """Write what `player` knows to the information bytes; return how many."""
    env = record_at(address, ENV)
    rules = record_at(env.rules, RULES)
    room = rules.information_size
    clear_bytes(env.information, room)
    return INFORMATION_STATE(rules.information_state, rules.game, env.state, player, env.information, room)


def inspect_at(address):
    """Return whose turn it is in the trial state, or INVALID when the state is not safe to use."""
    env = record_at(address, ENV)
    rules = record_at(env.rules, RULES)
    if VALID(rules.valid, rules.game, env.trial_state) == 0:
        return INVALID
    return actor(rules, env.trial_state)


def adopt_at(address, turn, ticks):
    """Make the trial state the current one, with no tick before it; answer as `begin` does."""
    env = record_at(address, ENV)
    rules = record_at(env.rules, RULES)
    keep_trial(env, rules, turn)
    env.ticks = ticks
    env.paid = 0
    return env.now


class Kernels:
    """The entry points; each takes the address of an ENV record first."""

    def __init__(self):
        self.begin = _entry(begin_at, BEGIN)
        self.play = _entry(play_at, PLAY)
        self.observe = _entry(observe_at, OBSERVE)
        self.inform = _entry(inform_at, INFORM)
        self.inspect = _entry(inspect_at, INSPECT)
        self.adopt = _entry(adopt_at, ADOPT)


def _entry(function: Callable, prototype: Prototype) -> Callable:
    return compile_function(function, prototype, {}, f"Env.{prototype.name}").entry


@cache
def kernels_of(lane: bool) -> Kernels:
    """Return the entry points of a lane (`plain_python()`); made once each.

    An address means one thing in compiled code and another in plain Python, so what was composed
    in one lane must be called in that lane.
    """
    return Kernels()
