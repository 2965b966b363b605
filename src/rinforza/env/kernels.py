"""The compiled half of an environment: start an episode, play a tick, look at a player's side.

An episode and a tick are tried on a second copy of the state and of the random stream, which
become the current ones at the end. Whatever goes wrong in between, an illegal action or an error
in the game's own methods, leaves the environment as it was.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..compiled import (
    INT,
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
        ("scratch", np.int64),  # the SCRATCH record; its rewards are those of the last tick
        ("state", np.int64),  # the current state
        ("stream", np.int64),  # STREAM of the chance draws
        ("trial_state", np.int64),
        ("trial_stream", np.int64),
        ("events", np.int64),  # float64[n_players, n_events]: the sum over the last tick
        ("acts", np.int64),  # int64[n_players]: 1 for a player whose action is in `scratch.joint`
        ("information", np.int64),  # uint8[information_size]
        ("turn", np.int64),  # whose turn it is in the current state
        ("eventful", np.int64),  # 1 when the last tick had an event
        ("refused", np.int64),  # the player whose action was refused
    ]
)
STREAM_SIZE = STREAM.itemsize

# What `begin` and `play` answer; of several faults the highest is reported.
PLAYED, ILLEGAL, MISSING, NOT_ACTIVE, IS_OVER, ENDLESS_CHANCE = range(6)

INVALID = -4  # what `inspect` answers of a state that is not safe; beside CHANCE, SIMULTANEOUS, TERMINAL

BEGIN = Prototype("begin", INT, INT)
PLAY = Prototype("play", INT, INT)
LEGAL = Prototype("legal", INT, INT, INT)
OBSERVE = Prototype("observe", None, INT, INT, INT)
INFORM = Prototype("inform", INT, INT, INT)
INSPECT = Prototype("inspect", INT, INT)


def begin_at(address):
    """Draw a start state with the trial stream and make it the current one."""
    env = record_at(address, ENV)
    rules = record_at(env.rules, RULES)
    clear_bytes(env.trial_state, rules.state_size)
    INITIAL(rules.initial, rules.game, env.trial_state)
    forget_tick(env, rules)
    return play_chance(env, rules)


def play_at(address):
    """Play the joint action in the scratch, and the chance nodes behind it."""
    env = record_at(address, ENV)
    rules = record_at(env.rules, RULES)
    fault = worst_fault(env, rules)
    if fault != PLAYED:
        return fault
    copy_bytes(env.trial_state, env.state, rules.state_size)
    copy_bytes(env.trial_stream, env.stream, STREAM_SIZE)
    forget_tick(env, rules)
    step(rules, record_at(env.scratch, SCRATCH), env.trial_state)
    gather_events(env, rules)
    return play_chance(env, rules)


def worst_fault(env, rules):
    """Return what is wrong with the joint action, PLAYED for nothing; note the player."""
    if env.turn == TERMINAL:
        return IS_OVER
    worst = PLAYED
    for player in range(rules.n_players):
        fault = fault_of(env, rules, player)
        if fault > worst:
            worst = fault
            env.refused = player
    return worst


def fault_of(env, rules, player):
    """Return what is wrong with one player's part of the joint action."""
    scratch = record_at(env.scratch, SCRATCH)
    count = count_legal(env, rules, player)
    active = env.turn == player or (env.turn == SIMULTANEOUS and count > 0)
    acts = array_at(env.acts, rules.n_players, np.int64)[player] != 0
    if active != acts:
        return MISSING if active else NOT_ACTIVE
    if not active:
        return PLAYED
    action = array_at(scratch.joint, rules.n_players, np.int64)[player]
    legal = array_at(scratch.legal, rules.n_actions, np.int32)
    for index in range(count):
        if legal[index] == action:
            return PLAYED
    return ILLEGAL


def count_legal(env, rules, player):
    """Write the legal actions of `player` to the scratch; return how many, 0 off its turn."""
    if env.turn != player and env.turn != SIMULTANEOUS:
        return 0
    return legal_actions(rules, env.state, player, record_at(env.scratch, SCRATCH).legal)


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
    copy_bytes(env.state, env.trial_state, rules.state_size)
    copy_bytes(env.stream, env.trial_stream, STREAM_SIZE)
    env.turn = turn
    return PLAYED


def forget_tick(env, rules):
    """Clear the events and the rewards of the last tick."""
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


def legal_at(address, player):
    """Write the legal actions of `player` to the scratch; return how many."""
    env = record_at(address, ENV)
    return count_legal(env, record_at(env.rules, RULES), player)


def observe_at(address, player, out):
    """Write what the network sees for `player` to the float32s at address `out`."""
    env = record_at(address, ENV)
    encode(record_at(env.rules, RULES), env.state, player, out)


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


class Kernels:
    """The entry points; each takes the address of an ENV record first."""

    def __init__(self):
        self.begin = _entry(begin_at, BEGIN)
        self.play = _entry(play_at, PLAY)
        self.legal = _entry(legal_at, LEGAL)
        self.observe = _entry(observe_at, OBSERVE)
        self.inform = _entry(inform_at, INFORM)
        self.inspect = _entry(inspect_at, INSPECT)


def _entry(function: Callable, prototype: Prototype) -> Callable:
    return compile_function(function, prototype, {}, f"Env.{prototype.name}").entry


@cache
def kernels_of(lane: bool) -> Kernels:
    """Return the entry points of a lane (`plain_python()`); made once each.

    An address means one thing in compiled code and another in plain Python, so what was composed
    in one lane must be called in that lane.
    """
    return Kernels()
