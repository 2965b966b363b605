"""The scheduler: which rows go to the network, and what is done while they are there.

Slots wait in a ring in a fixed order. A window takes rows from its head until it holds `batch_size`, or all
there are when nothing else can progress. Its answers are read at once (`GATHER`), so the caller's arrays
are not kept; the slots they complete are then advanced while the network works on the next window. Where some
are needed to fill that window, only so many are advanced before: the network waits for no others. Every
decision here depends on counts and on the order of the ring only, never on which thread was faster.
"""

import numpy as np

from ..compiled import INT, Prototype, address_of, array_at, record_at
from ..contracts.rules import encode
from ..contracts.search_memory import state_at
from .access import memory_of, request_of, rules_record, slot_record
from .answers import gather_row, note_answers
from .cache import KEEP_ANSWERS, LOOK_UP_ROWS, WRITE_KEYS
from .crew import join, post, run_job, work
from .harvest import harvest, write_records
from .layout import (
    ADVANCE,
    BLOCKED_SEARCH,
    BLOCKED_TOO_LARGE,
    COMPLETE,
    CUT,
    DONE,
    ENCODE,
    ENGINE,
    FAILED,
    FINISHED,
    GATHER,
    GROW_SEARCH,
    GROW_TRAJECTORY,
    IDLE,
    KEYS,
    NOT_FINITE,
    OUTCOME,
    ROWS,
    TOO_LARGE,
)
from .queues import (
    close_window,
    count_answer,
    empty_window,
    enqueue_new,
    fill_window,
    full_queue,
    longest_queue,
    make_ready,
    missing_rows,
    take_ready,
)
from .slots import advance_and_tell
from .starts import take_offers

MOST_DOUBLINGS = 40

PUMP = Prototype("pump", INT, *[INT] * 7)
SEND = Prototype("send", INT, INT, INT)
SETTLE = Prototype("settle", INT, INT)
RESUME = Prototype("resume", INT, INT)
WORK = Prototype("work", INT, INT, INT, INT)
JOIN = Prototype("join", INT, INT)
REROUTE = Prototype("reroute", INT, INT, INT)


def pump_at(address, answered, answers, width, is_double, values, value_is_double):
    """Note where the answers are, if they came, and pump."""
    engine = record_at(address, ENGINE)
    note_answers(engine, answered, answers, width, is_double, values, value_is_double)
    return pump(engine)


def send_at(address, observations):
    """Encode the window's rows to `observations`; start to advance the slots that have their answers."""
    engine = record_at(address, ENGINE)
    engine.observations = observations
    if not run_job(engine, ENCODE, engine.asked_rows):
        return FAILED
    if engine.n_ready > 0:
        start_ready(engine, engine.n_ready)
    return ROWS


def settle_at(address):
    """Finish the advance that is under way."""
    return settle(record_at(address, ENGINE))


def resume_at(address):
    """Advance the blocked slots again, after their tables have grown."""
    engine = record_at(address, ENGINE)
    start(engine, engine.again, engine.n_again)
    return COMPLETE


def work_at(address, thread, patience):
    """Help with the engine's jobs; see `crew.work`."""
    return work(record_at(address, ENGINE), thread, patience)


def join_at(address):
    """Work on the job under way until it is done; see `crew.join`."""
    return join(record_at(address, ENGINE))


def run_chunk(engine, kind, begin, end, thread):
    """Run units `begin` to `end - 1` of a job."""
    if kind == ADVANCE:
        slots = array_at(engine.job_units, end, np.int32)
        for unit in range(begin, end):
            advance_and_tell(engine, slots[unit], thread)
    elif kind == ENCODE:
        for row in range(begin, end):
            encode_row(engine, row)
    elif kind == GATHER:
        for row in range(begin, end):
            gather_row(engine, row)
    elif kind == KEYS:
        WRITE_KEYS(engine.write_keys, address_of(engine), begin, end)
    else:
        slots = array_at(engine.job_units, end, np.int32)
        for unit in range(begin, end):
            write_records(engine, slots[unit], thread)
    return 0


def pump(engine):
    """Take in the answers that came, and go on until rows are ready for the network or all is done."""
    code = settle(engine)
    if code == COMPLETE and engine.window_closed != 0:
        if engine.answered == 0:
            return ROWS  # an earlier call failed with this window: ask again
        code = take_answers(engine)
    while code == COMPLETE:
        code = go_on(engine)
    return code


def go_on(engine):
    """Do what comes next; return COMPLETE when more is to be done, else what `pump` is to report."""
    if engine.too_large != 0:
        return TOO_LARGE
    queue = full_queue(engine)
    if queue < 0:
        queue = longest_queue(engine)
        if engine.n_ready > 0:  # as many as may fill the window; the others while the network works on it
            start_ready(engine, min(missing_rows(engine, queue), engine.n_ready))
            return settle(engine)
    if queue >= 0:
        return take_rows(engine, queue)
    if engine.window_rows > 0:
        return close_window(engine)
    return COMPLETE if engine.windowed != 0 and turns_window(engine) else DONE


def take_rows(engine, queue):
    """Fill the window from a queue; return ROWS when it is full, else COMPLETE or FAILED."""
    fill_window(engine, queue)
    if engine.caches != 0 and LOOK_UP_ROWS(engine.look_up_rows, address_of(engine)) == FAILED:
        return FAILED
    return close_window(engine) if engine.window_rows == engine.batch_size else COMPLETE


def turns_window(engine):
    """Close the window, or open it again where records are missing; return whether there is more to do."""
    if engine.closing == 0:
        close_trajectories(engine)
        return True
    if engine.n_records < engine.floor:
        reopen(engine)  # the learner made fewer records than there were decisions
        return True
    return False


def close_trajectories(engine):
    """Cut the trajectory of every slot that has one; the floor is reached and all slots are at rest."""
    engine.closing = 1
    for slot in range(engine.n_slots):
        own = slot_record(engine, slot)
        if own.phase == IDLE and own.n_steps > 0:
            own.phase = CUT if engine.uses_tail != 0 else FINISHED
            own.goes_on = 1
            make_ready(engine, slot)


def reopen(engine):
    """Let every slot go on."""
    engine.closing = 0
    engine.reopened = min(engine.reopened + 1, MOST_DOUBLINGS)
    for slot in range(engine.n_slots):
        make_ready(engine, slot)


def start_ready(engine, count):
    """Start to advance the first `count` ready slots; `settle` is called before anything else is started."""
    take_ready(engine, array_at(engine.running, count, np.int32), count)
    engine.n_running = count
    engine.settled = 0
    admit(engine)
    start(engine, engine.running, engine.n_running)


def admit(engine):
    """Say whether slots may begin new decisions."""
    under_way = 0
    if engine.windowed != 0:  # a learner that left records wanting is given twice the decisions each time
        under_way = engine.unrecorded >> engine.reopened
    engine.admit = engine.closing == 0 and engine.n_records + under_way < engine.floor


def start(engine, units, size):
    """Post the advance of the listed slots."""
    engine.job_units = units
    post(engine, ADVANCE, size)


def settle(engine):
    """Finish the advance that is under way; turn finished episodes into records; queue new rows.

    Returns COMPLETE, FAILED or a GROW_ code, after which it is to be called again.
    """
    if engine.n_running == 0:
        return COMPLETE
    while engine.settled == 0:
        if not join(engine):
            return FAILED
        if engine.windowed != 0:
            count_steps(engine)
        code = report_blocked(engine)
        if code != COMPLETE:
            return code
        if engine.start_capacity != 0:
            code = take_offers(engine)
            if code != COMPLETE:
                return code
        code = harvest(engine)
        if code != COMPLETE:
            return code
        if engine.n_again == 0:
            engine.settled = 1
        else:
            admit(engine)
            start(engine, engine.again, engine.n_again)
    running = array_at(engine.running, engine.n_running, np.int32)
    for index in range(engine.n_running):
        enqueue_new(engine, running[index])
    engine.n_running = 0
    return COMPLETE


def count_steps(engine):
    """Count the decisions that were begun in the advance that has just ended."""
    units = array_at(engine.job_units, engine.job_size, np.int32)
    outcomes = array_at(engine.outcomes, engine.n_slots, OUTCOME)
    for index in range(engine.job_size):
        told = outcomes[units[index]]
        engine.unrecorded += told.new_steps
        told.new_steps = 0  # counted once, though `settle` may be interrupted and called again


def report_blocked(engine):
    """Report slots that need larger tables; they are advanced again after the tables have grown.

    A slot whose search passed a bound is only noted: the run ends when the others have come to rest.
    """
    running = array_at(engine.running, engine.n_running, np.int32)
    again = array_at(engine.again, engine.n_slots, np.int32)
    code = COMPLETE
    n_again = 0
    outcomes = array_at(engine.outcomes, engine.n_slots, OUTCOME)
    for index in range(engine.n_running):
        blocked = outcomes[running[index]].blocked
        if blocked == BLOCKED_TOO_LARGE:
            outcomes[running[index]].blocked = 0
            if engine.too_large == 0:
                engine.too_large = running[index] + 1
        elif blocked != 0:
            code = GROW_SEARCH if blocked == BLOCKED_SEARCH else GROW_TRAJECTORY
            again[n_again] = running[index]
            n_again += 1
    if code != COMPLETE:
        engine.n_again = n_again
    return code


def forget_answers(engine):
    """Take back that the window's requests have their answers: they were refused."""
    for row in range(engine.window_rows):
        request_of(engine, memory_of(engine, row), row).answered = 0


def encode_row(engine, row):
    """Write the observation of a row for the network."""
    rules = rules_record(engine)
    source = array_at(engine.window_sources, row + 1, np.int32)[row]
    memory = memory_of(engine, source)
    request = request_of(engine, memory, source)
    out = engine.observations + row * rules.observation_size * 4
    encode(rules, state_at(rules, memory, request.state), request.player, out)


def take_answers(engine):
    """Read the window's answers; list the slots whose rounds they complete."""
    engine.not_finite = 0
    if not run_job(engine, GATHER, engine.window_rows):
        return FAILED
    engine.answered = 0
    if engine.not_finite != 0:
        forget_answers(engine)
        return NOT_FINITE
    if engine.caches != 0:
        KEEP_ANSWERS(engine.keep_answers, address_of(engine))
    slots = array_at(engine.window_slots, engine.window_rows, np.int32)
    for row in range(engine.window_rows):
        count_answer(engine, slots[row])
    empty_window(engine)
    return COMPLETE
