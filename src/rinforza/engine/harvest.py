"""From finished episodes to records, and from finished searches where the learner wants that.

Sizes come first, in the order of the running slots: each trajectory gets its place in the batch. Then the
records are written, several slots at once, and the slots go on to their next episodes, or play their decisions.
"""

import numpy as np

from ..compiled import address_of, array_at, copy_bytes, record_at
from ..contracts.learner import BATCH, EPISODE, EPISODE_RECORDS, EPISODE_SIZE
from .access import (
    live_state,
    per_player,
    rules_record,
    scratch_address,
    slot_record,
    stream_address,
)
from .crew import run_job
from .interior import place_interior, write_interior
from .layout import (
    COMPLETE,
    DECIDED,
    FAILED,
    FINISHED,
    FRESH,
    GROW_BATCH,
    IDLE,
    LEARNER_STREAM,
    OUTCOME,
    SEARCHED,
    WRITE,
)
from .starts import draw_start
from .trajectories import forget_trajectory, learns_from, steps_of, tails_address

EPISODE_BYTES = EPISODE.itemsize
BATCH_BYTES = BATCH.itemsize


def harvest(engine):
    """Make the records of the finished slots among the running ones; list those that go on in `again`.

    Returns COMPLETE, or GROW_BATCH when the batch is too small (nothing has been written then), or FAILED.
    """
    rules = rules_record(engine)
    list_finished(engine)
    if engine.n_again == 0:
        return COMPLETE
    finished = array_at(engine.again, engine.n_again, np.int32)
    copy_bytes(engine.wanted, engine.filled, (1 + engine.n_columns) * 8)
    for index in range(engine.n_again):
        place_slot(engine, rules, finished[index])
    if not fits(engine):
        return GROW_BATCH
    engine.job_units = engine.again
    if not run_job(engine, WRITE, engine.n_again):
        return FAILED
    copy_bytes(engine.filled, engine.wanted, (1 + engine.n_columns) * 8)
    engine.n_records = array_at(engine.filled, 1, np.int64)[0]
    for index in range(engine.n_again):
        close_episode(engine, rules, finished[index])
    return COMPLETE


def list_finished(engine):
    """List the running slots that have something to record, in their order."""
    running = array_at(engine.running, engine.n_running, np.int32)
    again = array_at(engine.again, engine.n_slots, np.int32)
    outcomes = array_at(engine.outcomes, engine.n_slots, OUTCOME)
    engine.n_again = 0
    for index in range(engine.n_running):
        phase = outcomes[running[index]].phase
        if phase == FINISHED or phase == SEARCHED:
            again[engine.n_again] = running[index]
            engine.n_again += 1


def fits(engine):
    """Return whether the batch has room for all that is wanted."""
    wanted = array_at(engine.wanted, 1 + engine.n_columns, np.int64)
    capacities = array_at(engine.capacities, 1 + engine.n_columns, np.int64)
    for index in range(1 + engine.n_columns):
        if wanted[index] > capacities[index]:
            return False
    return engine.n_summaries + engine.n_again <= engine.summary_capacity


def place_slot(engine, rules, slot):
    """Give the slot's trajectories their places behind all that is wanted so far."""
    if slot_record(engine, slot).phase == SEARCHED:
        place_interior(engine, rules, slot)
        return
    width = 1 + engine.n_columns
    wanted = array_at(engine.wanted, width, np.int64)
    places = array_at(engine.record_places, (engine.n_slots, rules.n_players, width), np.int64)
    learns = array_at(engine.learns, rules.n_players, np.int64)
    for player in range(rules.n_players):
        for index in range(width):
            places[slot, player, index] = wanted[index]
        if learns[player] != 0:
            episode = episode_of(engine, rules, slot, player, 0)
            if episode.length > 0:
                wanted[0] += EPISODE_SIZE(
                    engine.episode_size,
                    engine.learner,
                    engine.rules,
                    address_of(episode),
                    address_of(wanted) + 8,
                    engine.n_columns,
                )


def episode_of(engine, rules, slot, player, thread):
    """Describe a player's trajectory in the thread's EPISODE record."""
    own = slot_record(engine, slot)
    steps = steps_of(engine, slot)
    own_address = engine.own_steps + thread * engine.step_capacity * 4
    own_steps = array_at(own_address, engine.step_capacity, np.int32)
    length = 0
    for index in range(own.n_steps):
        if steps[index].player == player:
            own_steps[length] = index
            length += 1
    episode = record_at(engine.episodes + thread * EPISODE_BYTES, EPISODE)
    episode.steps = address_of(steps)
    episode.states = engine.step_states + slot * engine.step_capacity * rules.state_size
    episode.evaluation_scalars = engine.evaluation_scalars
    episode.evaluation_heads = engine.evaluation_heads
    episode.evaluations = engine.evaluations + slot * engine.evaluation_capacity * 8
    episode.own = own_address
    episode.length = length
    episode.player = player
    episode.terminated = own.terminated
    episode.final_state = live_state(engine, rules, slot)
    episode.tail = tails_address(engine, rules, slot, player)
    episode.scratch = scratch_address(engine, thread)
    return episode


def write_records(engine, slot, thread):
    """Write the records of a slot's trajectories at their places."""
    if slot_record(engine, slot).phase == SEARCHED:
        write_interior(engine, slot, thread)
        return
    rules = rules_record(engine)
    width = 1 + engine.n_columns
    places = array_at(engine.record_places, (engine.n_slots, rules.n_players, width), np.int64)
    learns = array_at(engine.learns, rules.n_players, np.int64)
    batch = record_at(engine.batches + thread * BATCH_BYTES, BATCH)
    for player in range(rules.n_players):
        if learns[player] != 0:
            episode = episode_of(engine, rules, slot, player, thread)
            if episode.length > 0:
                batch.first_row = places[slot, player, 0]
                batch.filled = address_of(places) + ((slot * rules.n_players + player) * width + 1) * 8
                EPISODE_RECORDS(
                    engine.episode_records,
                    engine.learner,
                    engine.rules,
                    address_of(episode),
                    address_of(batch),
                    stream_address(engine, slot, LEARNER_STREAM),
                )


def close_episode(engine, rules, slot):
    """Keep the episode's summary and make the slot ready for what comes next."""
    own = slot_record(engine, slot)
    if own.phase == SEARCHED:
        own.phase = DECIDED
        return
    if engine.windowed != 0:
        engine.unrecorded -= learning_steps(engine, rules, slot)
    if own.goes_on != 0:
        forget_trajectory(engine, rules, slot)
        own.phase = IDLE
        return
    returns = per_player(engine.returns, rules, slot, np.float64)
    width = rules.n_players + 2
    summaries = array_at(engine.summaries, (engine.summary_capacity, width), np.float64)
    for player in range(rules.n_players):
        summaries[engine.n_summaries, player] = returns[player]
    summaries[engine.n_summaries, rules.n_players] = own.ticks
    summaries[engine.n_summaries, rules.n_players + 1] = own.seeded
    engine.n_summaries += 1
    own.phase = FRESH
    if engine.start_capacity != 0:
        draw_start(engine, rules, slot)


def learning_steps(engine, rules, slot):
    """Return how many decisions of learning players the slot's steps are."""
    own = slot_record(engine, slot)
    steps = steps_of(engine, slot)
    total = 0
    for index in range(own.n_steps):
        total += steps[index].n_actions > 0 and learns_from(engine, rules, steps[index].player)
    return total
