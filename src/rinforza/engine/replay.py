"""Looking at a slot that was filled from outside, and doing its search again, round by round."""

import numpy as np

from ..compiled import INT, Prototype, array_at, record_at
from ..contracts.policy import ABSORB, ROUND
from ..contracts.rules import SIMULTANEOUS, VALID, actor, cell_of, legal_actions
from ..contracts.search_memory import FULL, REFUSED, forget_tables
from .access import live_state, memory_record, rules_record, scratch_address, scratch_record, slot_record
from .answers import note_answers
from .cache import LOOK_UP_ROWS
from .crew import run_job
from .layout import (
    ANSWERED,
    ASKING,
    AWAITING,
    BLOCKED_SEARCH,
    COMPLETE,
    CUT,
    DECIDED,
    ENGINE,
    FAILED,
    GATHER,
    IDLE,
    NOT_FINITE,
    SEARCHED,
)
from .slots import begin_decision, call_search, count_begun
from .starts import cell_record
from .tails import ask_for_tails
from .trajectories import steps_of

INSPECT = Prototype("inspect", INT, INT, INT)
INSPECT_STARTS = Prototype("inspect_starts", INT, INT)
REDO = Prototype("redo", INT, INT, INT, INT, INT)
LOOK_UP = Prototype("look_up", INT, INT)
TAKE = Prototype("take", INT, *[INT] * 7)

# What `inspect` says.
SOUND, BAD_LIVE, BAD_STATE, BAD_STEP, BAD_START = range(5)


def inspect_at(address, slot):
    """Return SOUND, or what is wrong with the live state and the kept steps of a slot."""
    engine = record_at(address, ENGINE)
    rules = rules_record(engine)
    own = slot_record(engine, slot)
    legal = scratch_record(engine, 0).legal
    live = live_state(engine, rules, slot)
    if VALID(rules.valid, rules.game, live) == 0 or count_actors(rules, live, legal) == 0:
        return BAD_LIVE
    states = engine.step_states + slot * engine.step_capacity * rules.state_size
    for index in range(own.n_states):
        state = states + index * rules.state_size
        if VALID(rules.valid, rules.game, state) == 0 or count_actors(rules, state, legal) == 0:
            return BAD_STATE
    steps = steps_of(engine, slot)
    for index in range(own.n_steps):
        state = states + steps[index].state * rules.state_size
        if not is_possible(engine, rules, steps[index], state, legal):
            return BAD_STEP
    return SOUND


def inspect_starts_at(address):
    """Return SOUND, or BAD_START if the start buffer has a state that does not belong in its cell."""
    engine = record_at(address, ENGINE)
    rules = rules_record(engine)
    legal = scratch_record(engine, 0).legal
    occupied = array_at(engine.occupied, engine.n_occupied, np.int32)
    for index in range(engine.n_occupied):
        cell = cell_record(engine, occupied[index])
        for place in range(cell.count):
            state = cell.states + place * rules.state_size
            if VALID(rules.valid, rules.game, state) == 0 or count_actors(rules, state, legal) == 0:
                return BAD_START
            if cell_of(rules, state) != occupied[index]:
                return BAD_START
    return SOUND


def count_actors(rules, state, legal):
    """Return how many players act in a state: 0 where the game is over, or chance is pending."""
    turn = actor(rules, state)
    count = 0
    for player in range(rules.n_players):
        if (player == turn or turn == SIMULTANEOUS) and legal_actions(rules, state, player, legal) > 0:
            count += 1
    return count


def is_possible(engine, rules, step, state, legal):
    """Return whether a step can have been taken in a state."""
    turn = actor(rules, state)
    if step.n_actions == 0:
        return engine.records_everyone != 0 and step.action == -1 and step.player != turn
    if step.player != turn and turn != SIMULTANEOUS:
        return False
    if step.n_actions != legal_actions(rules, state, step.player, legal):
        return False
    listed = array_at(legal, step.n_actions, np.int32)
    for position in range(step.n_actions):
        if listed[position] == step.action:
            return True
    return False


def redo_at(address, units, begin, end):
    """Run `redo` for the slots `units[begin:end]`; return the place of the first that is blocked, or `end`."""
    engine = record_at(address, ENGINE)
    slots = array_at(units, end, np.int32)
    for place in range(begin, end):
        if redo(engine, slots[place]) != 0:
            return place
    return end


def redo(engine, slot):
    """Bring a slot to where it waits for the rows of its next round, or is done with them.

    It is at its decision or its cut, or has the answers of its round. Returns 0, or the BLOCKED_ bits of what
    has to grow before it is called again, as `advance` is.
    """
    rules = rules_record(engine)
    own = slot_record(engine, slot)
    memory_record(engine, slot).scratch = scratch_address(engine, 0)
    own.blocked = 0
    if own.phase == CUT:
        ask_for_tails(engine, rules, slot)
    elif own.phase == IDLE:
        begin_decision(engine, rules, slot, 0)
    elif own.phase == AWAITING:
        own.phase = ANSWERED
    if own.phase == ANSWERED:
        absorb(engine, slot)
    if own.blocked == 0 and own.phase == ASKING:
        ask_next(engine, slot)
    return own.blocked


def absorb(engine, slot):
    """Let the policy take in the answers of a slot's round."""
    own = slot_record(engine, slot)
    if call_search(ABSORB, engine, engine.absorb, slot) == FULL:
        own.blocked = BLOCKED_SEARCH
    else:
        memory_record(engine, slot).n_rounds += 1
        own.phase = ASKING


def ask_next(engine, slot):
    """Let the policy ask for the next round of a slot."""
    own = slot_record(engine, slot)
    rows = call_search(ROUND, engine, engine.round, slot)
    if rows == FULL:
        own.blocked = BLOCKED_SEARCH
    elif rows == REFUSED:
        own.phase = IDLE
        forget_tables(memory_record(engine, slot))
        count_begun(engine, rules_record(engine), slot, -1)
    elif rows > 0:
        own.phase = AWAITING
    else:
        own.phase = SEARCHED if engine.records_interior != 0 else DECIDED


def take_at(address, answered, answers, width, is_double, values, value_is_double):
    """Read the answers to the window, and nothing else; return COMPLETE, FAILED or NOT_FINITE."""
    engine = record_at(address, ENGINE)
    note_answers(engine, answered, answers, width, is_double, values, value_is_double)
    engine.not_finite = 0
    if not run_job(engine, GATHER, engine.window_rows):
        return FAILED
    engine.answered = 0
    return COMPLETE if engine.not_finite == 0 else NOT_FINITE


def look_up_at(address):
    """Look up the rows of the window that has been put in place, if there is a cache; return COMPLETE or FAILED."""
    engine = record_at(address, ENGINE)
    if engine.caches != 0 and engine.window_rows > 0:
        engine.asked_rows = 0
        engine.window_looked_up = 0
        return LOOK_UP_ROWS(engine.look_up_rows, address)
    return COMPLETE
