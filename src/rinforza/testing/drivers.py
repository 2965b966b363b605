"""Callers of single methods: how the checks call a component by address, in either lane."""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..compiled import INT, Prototype, array_at, compile_function, plain_python, record_at
from ..compiled.random import STREAM, integer_below
from ..contracts.learner import EPISODE_RECORDS, EPISODE_SIZE, TAIL_FROM_ROW
from ..contracts.policy import ABSORB, BEGIN_EPISODE, BEGIN_SEARCH, FINISH, INTERIOR, ROUND, SELECT
from ..contracts.rules import (
    CELL_OF,
    CHANCE,
    CHANCE_FAN,
    GAME_ACTION,
    HEAD_INDEX,
    INFORMATION_STATE,
    INITIAL,
    RESOLVE_CHANCE,
    RULES,
    SAMPLE_CHANCE,
    SCRATCH,
    SIMULTANEOUS,
    STEP,
    TERMINAL,
    TRANSFORM_HEAD,
    TRUNCATE,
    VALID,
    actor,
    encode,
    legal_actions,
    resolve_chance,
    sample_outcome,
    step,
    transform,
    view_key,
)

# ---- games and encoders; `table` is the address of a RULES record ----


def initial_at(table, state):
    """Call `initial`."""
    rules = record_at(table, RULES)
    INITIAL(rules.initial, rules.game, state)


def actor_at(table, state):
    """Call `actor`."""
    return actor(record_at(table, RULES), state)


def legal_actions_at(table, state, player, out):
    """Call `legal_actions`."""
    return legal_actions(record_at(table, RULES), state, player, out)


def step_at(table, state, joint, events):
    """Call `step`."""
    rules = record_at(table, RULES)
    STEP(
        rules.step,
        rules.game,
        state,
        joint,
        rules.n_players,
        events,
        rules.n_players,
        rules.n_events,
    )


def chance_at(table, state, probabilities):
    """Call `chance`."""
    rules = record_at(table, RULES)
    return CHANCE_FAN(rules.chance, rules.game, state, probabilities, rules.most_outcomes)


def sample_chance_at(table, state, stream):
    """Call `sample_chance`."""
    rules = record_at(table, RULES)
    return SAMPLE_CHANCE(rules.sample_chance, rules.game, state, stream)


def resolve_chance_at(table, state, outcome, events):
    """Call `resolve_chance`."""
    rules = record_at(table, RULES)
    players, columns = rules.n_players, rules.n_events
    RESOLVE_CHANCE(rules.resolve_chance, rules.game, state, outcome, events, players, columns)


def information_state_at(table, state, player, out, room):
    """Call `information_state`."""
    rules = record_at(table, RULES)
    return INFORMATION_STATE(rules.information_state, rules.game, state, player, out, room)


def truncate_at(table, state, events):
    """Call `truncate`."""
    rules = record_at(table, RULES)
    TRUNCATE(rules.truncate, rules.game, state, events, rules.n_players, rules.n_events)


def cell_at(table, state):
    """Call `cell`."""
    rules = record_at(table, RULES)
    return CELL_OF(rules.cell, rules.game, state)


def valid_at(table, state):
    """Call `valid`."""
    rules = record_at(table, RULES)
    return VALID(rules.valid, rules.game, state)


def encode_at(table, state, player, out):
    """Call `encode`."""
    encode(record_at(table, RULES), state, player, out)


def key_at(table, state, player, out):
    """Call `key` of the encoder, where it has one."""
    view_key(record_at(table, RULES), state, player, out)


def head_index_at(table, action, player):
    """Call `head_index`."""
    rules = record_at(table, RULES)
    return HEAD_INDEX(rules.head_index, rules.encoder, action, player)


def game_action_at(table, head, player):
    """Call `game_action`."""
    rules = record_at(table, RULES)
    return GAME_ACTION(rules.game_action, rules.encoder, head, player)


def transform_at(table, symmetry, observation, out):
    """Call `transform`."""
    transform(record_at(table, RULES), symmetry, observation, out)


def transform_head_at(table, symmetry, head):
    """Call `transform_head`."""
    rules = record_at(table, RULES)
    return TRANSFORM_HEAD(rules.transform_head, rules.encoder, rules.game, symmetry, head)


def play_out_at(table, scratch_address, state, stream_address, longest):
    """Play at random to the end; return the ticks it took, or -1 if `longest` were not enough."""
    rules = record_at(table, RULES)
    scratch = record_at(scratch_address, SCRATCH)
    stream = record_at(stream_address, STREAM)
    ticks = 0
    edges = 0
    while ticks <= longest and edges <= 2 * longest:
        turn = actor(rules, state)
        if turn == TERMINAL:
            return ticks
        edges += 1
        if turn == CHANCE:
            resolve_chance(rules, scratch, state, sample_outcome(rules, scratch, state, stream))
        else:
            draw_joint(rules, scratch, state, turn, stream)
            step(rules, scratch, state)
            ticks += 1
    return -1


def draw_joint(rules, scratch, state, turn, stream):
    """Write a random legal action of every player that acts to the scratch."""
    joint = array_at(scratch.joint, rules.n_players, np.int64)
    for player in range(rules.n_players):
        joint[player] = 0
        if turn == player or turn == SIMULTANEOUS:
            count = legal_actions(rules, state, player, scratch.legal)
            if count > 0:
                legal = array_at(scratch.legal, count, np.int32)
                joint[player] = legal[integer_below(stream, count)]


# ---- policies; `method` is the address of the method ----


def begin_search_at(method, policy, rules, search, memory, state, players, count):
    """Call `begin_search`."""
    return BEGIN_SEARCH(method, policy, rules, search, memory, state, players, count)


def round_at(method, policy, rules, search, memory, stream):
    """Call `round`."""
    return ROUND(method, policy, rules, search, memory, stream)


def absorb_at(method, policy, rules, search, memory, stream):
    """Call `absorb`."""
    return ABSORB(method, policy, rules, search, memory, stream)


def finish_at(method, policy, rules, search, memory, perspective, evaluation, size):
    """Call `finish`."""
    FINISH(method, policy, rules, search, memory, perspective, evaluation, size)


def interior_at(method, policy, rules, search, memory, after, found, evaluation, size):
    """Call `interior`."""
    return INTERIOR(method, policy, rules, search, memory, after, found, 2, evaluation, size)


def begin_episode_at(method, policy, ply, stream):
    """Call `begin_episode`."""
    return BEGIN_EPISODE(method, policy, ply, stream)


def select_at(method, policy, evaluation, size, n_actions, progress, stream):
    """Call `select`."""
    return SELECT(method, policy, evaluation, size, n_actions, progress, 1, stream)


# ---- learners; `method` is the address of the method ----


def episode_size_at(method, learner, rules, episode, lengths, width):
    """Call `episode_size`."""
    return EPISODE_SIZE(method, learner, rules, episode, lengths, width)


def episode_records_at(method, learner, rules, episode, batch, stream):
    """Call `episode_records`."""
    EPISODE_RECORDS(method, learner, rules, episode, batch, stream)


def tail_from_row_at(method, learner, answer, size, n_actions, tail, tail_size):
    """Call `tail_from_row`."""
    TAIL_FROM_ROW(method, learner, answer, size, n_actions, tail, tail_size)


GAME_DRIVERS = (
    initial_at,
    actor_at,
    legal_actions_at,
    step_at,
    chance_at,
    sample_chance_at,
    resolve_chance_at,
    information_state_at,
    truncate_at,
    cell_at,
    valid_at,
    encode_at,
    key_at,
    head_index_at,
    game_action_at,
    transform_at,
    transform_head_at,
    play_out_at,
)
POLICY_DRIVERS = (
    begin_search_at,
    round_at,
    absorb_at,
    finish_at,
    interior_at,
    begin_episode_at,
    select_at,
)
LEARNER_DRIVERS = (episode_size_at, episode_records_at, tail_from_row_at)
WITHOUT_RESULT = (
    initial_at,
    step_at,
    resolve_chance_at,
    truncate_at,
    encode_at,
    key_at,
    transform_at,
    finish_at,
    episode_records_at,
    tail_from_row_at,
)


@cache
def _entries(functions: tuple[Callable, ...], lane: bool) -> dict[str, Callable]:
    entries = {}
    for function in functions:
        result = None if function in WITHOUT_RESULT else INT
        kinds = [INT] * function.__code__.co_argcount
        name = function.__name__.removesuffix("_at")
        prototype = Prototype(name, result, *kinds)
        entries[name] = compile_function(function, prototype, {}, f"testing.{name}").entry
    return entries


def entries_of(functions: tuple[Callable, ...]) -> dict[str, Callable]:
    """Return the callers by method name, for the lane that holds here; each takes only ints."""
    return _entries(functions, plain_python())
