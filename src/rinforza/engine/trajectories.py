"""What is kept of a slot's episode: its steps, with the states they left and how the policy saw them."""

import numpy as np

from ..compiled import array_at, clear_bytes
from ..contracts.learner import STEP
from .access import per_player, slot_record

STEP_SIZE = STEP.itemsize


def forget_trajectory(engine, rules, slot):
    """Start to keep steps anew."""
    own = slot_record(engine, slot)
    own.n_steps = 0
    own.n_states = 0
    own.n_offered = 0
    own.n_evaluations = 0
    own.goes_on = 0
    last = per_player(engine.last_step, rules, slot, np.int64)
    for player in range(rules.n_players):
        last[player] = -1
    clear_bytes(tails_address(engine, rules, slot, 0), rules.n_players * engine.tail_size * 8)


def evaluation_size(engine, n_actions):
    """Return how many float64s evaluate a decision between `n_actions` actions."""
    return engine.evaluation_scalars + engine.evaluation_heads * n_actions


def append_step(engine, rules, slot, player, action, n_actions, evaluation):
    """Keep a step of a player in the state that is being left; with no action it is a value-only step."""
    own = slot_record(engine, slot)
    row = steps_of(engine, slot)[own.n_steps]
    row.reward = 0.0
    row.evaluation = evaluation
    row.state = own.n_states
    row.player = player
    row.action = action
    row.n_actions = n_actions
    per_player(engine.last_step, rules, slot, np.int64)[player] = own.n_steps
    own.n_steps += 1


def learns_from(engine, rules, player):
    """Return whether records are made of a player's steps."""
    return array_at(engine.learns, rules.n_players, np.int64)[player] != 0


def steps_of(engine, slot):
    """Return the slot's steps."""
    return array_at(engine.steps + slot * engine.step_capacity * STEP_SIZE, engine.step_capacity, STEP)


def tails_address(engine, rules, slot, player):
    """Return the address of a player's tail."""
    return engine.tails + (slot * rules.n_players + player) * engine.tail_size * 8
