"""The start buffer: states that were reached, from which later episodes begin.

Each cell of the game keeps a reservoir (Vitter 1985, "Random sampling with a reservoir", algorithm R): uniform
over all states that were ever offered to it. A slot notes the cell of what it reaches beside its trajectory,
where the state itself is kept anyway. The scheduler offers them when the slots have come to rest, slot by slot
in the order of the running ones, and draws the starts of new episodes in the same order, all from one random
stream: the buffer does not depend on which thread was faster, nor on when tables had to grow.
"""

import numpy as np

from ..compiled import array_at, copy_bytes, record_at
from ..compiled.random import STREAM, integer_below, uniform
from ..contracts.rules import TERMINAL, cell_of
from .access import live_state, rules_record, slot_record
from .layout import CELL, COMPLETE, GROW_STARTS

CELL_SIZE = CELL.itemsize


def note_cell(engine, rules, slot, state, turn):
    """Note the cell of the state that the slot's last decision led to; -1 at the end of the game."""
    place = slot_record(engine, slot).n_states - 1
    cells_noted(engine, slot)[place] = -1 if turn == TERMINAL else cell_of(rules, state)


def cells_noted(engine, slot):
    """Return the cells that the slot's kept decisions led to."""
    return array_at(engine.step_cells + slot * engine.step_capacity * 4, engine.step_capacity, np.int32)


def take_offers(engine):
    """Offer what the running slots have reached; return COMPLETE, or GROW_STARTS and go on where it stopped."""
    rules = rules_record(engine)
    running = array_at(engine.running, engine.n_running, np.int32)
    for index in range(engine.n_running):
        slot = running[index]
        own = slot_record(engine, slot)
        cells = cells_noted(engine, slot)
        while own.n_offered < own.n_states:
            cell = cells[own.n_offered]
            if cell >= 0 and not offer(engine, rules, cell, reached_state(engine, rules, slot, own)):
                engine.short_cell = cell
                return GROW_STARTS
            own.n_offered += 1
    return COMPLETE


def reached_state(engine, rules, slot, own):
    """Return the address of what the first decision led to that is not offered yet: where the next one began."""
    following = own.n_offered + 1
    if following == own.n_states:
        return live_state(engine, rules, slot)
    return engine.step_states + (slot * engine.step_capacity + following) * rules.state_size


def cell_record(engine, cell):
    """Return what the buffer has of a cell."""
    return record_at(engine.cells + cell * CELL_SIZE, CELL)


def start_stream(engine):
    """Return the random stream of the start buffer."""
    return record_at(engine.start_stream, STREAM)


def offer(engine, rules, cell, state):
    """Offer a state to its cell's reservoir; return False, with nothing done, if that has to grow first."""
    own = cell_record(engine, cell)
    if own.count < engine.start_capacity:
        if own.count == own.room:
            return False
        if own.count == 0:
            array_at(engine.occupied, rules.n_cells, np.int32)[engine.n_occupied] = cell
            engine.n_occupied += 1
        place = own.count
        own.count += 1
    else:
        place = integer_below(start_stream(engine), own.seen + 1)
    own.seen += 1
    if place < own.count:
        copy_bytes(own.states + place * rules.state_size, state, rules.state_size)
    return True


def draw_start(engine, rules, slot):
    """Draw where the slot's next episode begins: in a state of the buffer, which becomes its own, or afresh."""
    own = slot_record(engine, slot)
    own.seeded = 0
    if engine.n_occupied == 0:
        return
    stream = start_stream(engine)
    if uniform(stream) < engine.p_fresh:
        return
    occupied = array_at(engine.occupied, engine.n_occupied, np.int32)
    cell = cell_record(engine, occupied[integer_below(stream, engine.n_occupied)])
    state = cell.states + integer_below(stream, cell.count) * rules.state_size
    copy_bytes(live_state(engine, rules, slot), state, rules.state_size)
    own.seeded = 1
