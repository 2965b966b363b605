"""Records of decisions inside a search: each is a trajectory of one step that the learner turns into records.

A slot stops for them when its search is done and before its decision is played, since the tables of the search
hold the states and the values.
"""

import numpy as np

from ..compiled import address_of, array_at, record_at
from ..contracts.learner import BATCH, EPISODE, EPISODE_RECORDS, EPISODE_SIZE, STEP
from ..contracts.policy import INTERIOR
from .access import (
    live_state,
    memory_address,
    memory_record,
    rules_record,
    scratch_address,
    scratch_record,
    stream_address,
)
from .layout import LEARNER_STREAM
from .trajectories import evaluation_size, learns_from, tails_address

NOBODY_PLAYED = -1
EPISODE_BYTES, BATCH_BYTES, STEP_BYTES = EPISODE.itemsize, BATCH.itemsize, STEP.itemsize


def place_interior(engine, rules, slot):
    """Give the records of the slot's search their places behind all that is wanted so far."""
    width = 1 + engine.n_columns
    wanted = array_at(engine.wanted, width, np.int64)
    places = array_at(engine.record_places, (engine.n_slots, rules.n_players, width), np.int64)
    for index in range(width):
        places[slot, 0, index] = wanted[index]
    episode = record_at(engine.episodes, EPISODE)
    node = next_decision(engine, rules, slot, 0, -1)
    while node >= 0:
        if learns_from(engine, rules, episode.player):
            wanted[0] += EPISODE_SIZE(
                engine.episode_size,
                engine.learner,
                engine.rules,
                engine.episodes,
                address_of(wanted) + 8,
                engine.n_columns,
            )
        node = next_decision(engine, rules, slot, 0, node)


def write_interior(engine, slot, thread):
    """Write the records of the slot's search at their places."""
    rules = rules_record(engine)
    width = 1 + engine.n_columns
    places = array_at(engine.record_places, (engine.n_slots, rules.n_players, width), np.int64)
    address = engine.episodes + thread * EPISODE_BYTES
    episode = record_at(address, EPISODE)
    batch = record_at(engine.batches + thread * BATCH_BYTES, BATCH)
    batch.first_row = places[slot, 0, 0]
    batch.filled = address_of(places) + (slot * rules.n_players * width + 1) * 8
    lengths = array_at(engine.interior_lengths, (thread + 1, engine.n_columns), np.int64)
    node = next_decision(engine, rules, slot, thread, -1)
    while node >= 0:
        if learns_from(engine, rules, episode.player):
            stream = stream_address(engine, slot, LEARNER_STREAM)
            EPISODE_RECORDS(
                engine.episode_records, engine.learner, engine.rules, address, address_of(batch), stream
            )
            batch.first_row += EPISODE_SIZE(
                engine.episode_size,
                engine.learner,
                engine.rules,
                address,
                address_of(lengths) + thread * engine.n_columns * 8,
                engine.n_columns,
            )
        node = next_decision(engine, rules, slot, thread, node)


def next_decision(engine, rules, slot, thread, after):
    """Describe the search's next decision behind node `after` in the thread's EPISODE; return its node, or -1."""
    found = array_at(engine.interior_found + thread * 16, 2, np.int64)
    evaluation = scratch_record(engine, thread).evaluation
    node = INTERIOR(
        engine.interior,
        engine.policy,
        engine.rules,
        engine.searches + slot * engine.search_size,
        memory_address(engine, slot),
        after,
        address_of(found),
        2,
        evaluation,
        evaluation_size(engine, rules.n_actions),
    )
    if node < 0:
        return node
    step_address = engine.interior_steps + thread * STEP_BYTES
    step = record_at(step_address, STEP)
    step.reward = 0.0
    step.evaluation = 0
    step.state = node
    step.player = found[0]
    step.action = NOBODY_PLAYED
    step.n_actions = found[1]
    episode = record_at(engine.episodes + thread * EPISODE_BYTES, EPISODE)
    episode.steps = step_address
    episode.states = memory_record(engine, slot).states
    episode.evaluations = evaluation
    episode.evaluation_scalars = engine.evaluation_scalars
    episode.evaluation_heads = engine.evaluation_heads
    episode.own = engine.interior_own
    episode.length = 1
    episode.player = found[0]
    episode.terminated = 0
    episode.final_state = live_state(engine, rules, slot)
    episode.tail = tails_address(engine, rules, slot, found[0])
    episode.scratch = scratch_address(engine, thread)
    return node
