"""One slot's life: an episode is started, decisions are searched, chosen and played, the trajectory is kept.

`advance` runs a slot until it waits for the network, has ended an episode, may start no further decision, or
needs larger tables. It touches nothing but the slot and the thread's scratch, so any thread may run any slot.
"""

import numpy as np

from ..compiled import array_at, clear_bytes, copy_bytes
from ..contracts.policy import ABSORB, BEGIN_EPISODE, BEGIN_SEARCH, FINISH, ROUND, SELECT
from ..contracts.rules import (
    CHANCE,
    INITIAL,
    LONGEST_CHANCE_CHAIN,
    SIMULTANEOUS,
    TERMINAL,
    actor,
    legal_actions,
    resolve_chance,
    reward_of,
    sample_outcome,
    step,
    truncate,
)
from ..contracts.search_memory import (
    DECISIONS,
    FULL,
    REFUSED,
    RESIGNED,
    count,
    forget_requests,
    forget_tables,
)
from .access import (
    live_state,
    memory_address,
    memory_record,
    per_player,
    perspectives_of,
    rules_record,
    scratch_address,
    scratch_record,
    slot_record,
    stream_address,
    stream_record,
)
from .beginnings import begin_with_last
from .layout import (
    ANSWERED,
    ASKING,
    AWAITING,
    BLOCKED_SEARCH,
    BLOCKED_TOO_LARGE,
    BLOCKED_TRAJECTORY,
    CHOICE_STREAM,
    CHOSEN,
    CUT,
    CUT_ANSWERED,
    CUT_AWAITING,
    DECIDED,
    FINISHED,
    FRESH,
    IDLE,
    OUTCOME,
    PLACED,
    SEARCH_STREAM,
    SEARCHED,
    WORLD_STREAM,
)
from .starts import note_cell
from .tails import ask_for_tails, read_tails
from .trajectories import append_step, evaluation_size, forget_trajectory, learns_from, steps_of


def advance(engine, slot, thread):  # noqa: C901 (a state machine reads best in one piece)
    """Run a slot as far as it can go."""
    rules = rules_record(engine)
    own = slot_record(engine, slot)
    memory = memory_record(engine, slot)
    memory.scratch = scratch_address(engine, thread)
    own.blocked = 0
    if own.phase == AWAITING:
        own.phase = ANSWERED
    elif own.phase == CUT_AWAITING:
        own.phase = CUT_ANSWERED
    while own.blocked == 0:
        if own.phase == ANSWERED:
            if call_search(ABSORB, engine, engine.absorb, slot) == FULL:
                own.blocked = BLOCKED_SEARCH
            else:
                memory.n_rounds += 1
                own.phase = ASKING
        elif own.phase == ASKING:
            rows = call_search(ROUND, engine, engine.round, slot)
            if rows == FULL:
                own.blocked = BLOCKED_SEARCH
            elif rows == REFUSED:
                own.blocked = BLOCKED_TOO_LARGE
                own.phase = IDLE
                forget_tables(memory)  # it stopped halfway
                count_begun(engine, rules, slot, -1)
            elif rows > 0:
                own.phase = AWAITING
                return
            else:
                own.phase = SEARCHED if engine.records_interior != 0 else DECIDED
        elif own.phase == DECIDED:
            if engine.chosen == 0:
                play_decision(engine, rules, slot, thread)
            else:
                chosen = array_at(engine.chosen, engine.n_slots, np.int64)
                chosen[slot] = choose(engine, rules, slot, thread, 0)
                own.phase = CHOSEN
        elif own.phase == IDLE:
            if engine.admit == 0:
                return
            begin_decision(engine, rules, slot, thread)
        elif own.phase == FRESH:
            begin_episode(engine, rules, slot, thread)
        elif own.phase == PLACED:
            make_progress(engine, slot)
        elif own.phase == CUT:
            ask_for_tails(engine, rules, slot)
        elif own.phase == CUT_ANSWERED:
            read_tails(engine, rules, slot)
        else:
            return  # waiting, or to become records


def advance_and_tell(engine, slot, thread):
    """Run a slot as far as it can go, and tell the scheduler what came of it."""
    advance(engine, slot, thread)
    own = slot_record(engine, slot)
    told = array_at(engine.outcomes, engine.n_slots, OUTCOME)[slot]
    told.phase = own.phase
    told.blocked = own.blocked
    told.new_steps = own.new_steps
    told.rows = memory_record(engine, slot).n_requests
    own.new_steps = 0


def call_search(method, engine, address, slot):
    """Call `round` or `absorb` of the policy for a slot."""
    return method(
        address,
        engine.policy,
        engine.rules,
        engine.searches + slot * engine.search_size,
        memory_address(engine, slot),
        stream_address(engine, slot, SEARCH_STREAM),
    )


def begin_episode(engine, rules, slot, thread):
    """Take the start state, a new one unless it was drawn from the start buffer; forget the last episode."""
    own = slot_record(engine, slot)
    state = live_state(engine, rules, slot)
    if own.seeded == 0:
        clear_bytes(state, rules.state_size)
        INITIAL(rules.initial, rules.game, state)
    own.ticks = 0
    own.terminated = 0
    forget_tables(memory_record(engine, slot))
    clear_bytes(engine.returns + slot * rules.n_players * 8, rules.n_players * 8)
    forget_trajectory(engine, rules, slot)
    play_chance(engine, rules, slot, thread)
    make_progress(engine, slot)


def make_progress(engine, slot):
    """Have the policy make its state for an episode that stands at the slot's ticks."""
    own = slot_record(engine, slot)
    progress = array_at(engine.progress, slot + 1, np.int64)
    progress[slot] = BEGIN_EPISODE(
        engine.begin_episode,
        engine.policy,
        own.ticks,
        stream_address(engine, slot, CHOICE_STREAM),
    )
    own.phase = IDLE


def play_chance(engine, rules, slot, thread):
    """Resolve chance nodes until somebody acts or the game is over; pay what they pay."""
    scratch = scratch_record(engine, thread)
    state = live_state(engine, rules, slot)
    for _ in range(LONGEST_CHANCE_CHAIN + 1):  # a look at what follows the last allowed node
        turn = actor(rules, state)
        if turn != CHANCE:
            return turn
        outcome = sample_outcome(rules, scratch, state, stream_record(engine, slot, WORLD_STREAM))
        resolve_chance(rules, scratch, state, outcome)
        pay(engine, rules, slot, thread)
    raise RuntimeError("a chain of more than 10,000 chance nodes: the game's chance nodes form a cycle")


def pay(engine, rules, slot, thread):
    """Give each player its reward for the events in the scratch."""
    scratch = scratch_record(engine, thread)
    returns = per_player(engine.returns, rules, slot, np.float64)
    last = per_player(engine.last_step, rules, slot, np.int64)
    steps = steps_of(engine, slot)
    for player in range(rules.n_players):
        reward = reward_of(rules, scratch, player)
        returns[player] += reward
        if last[player] >= 0:
            steps[last[player]].reward += reward


def begin_decision(engine, rules, slot, thread):
    """Start the search for the players to act, if the trajectory has room for their steps."""
    own = slot_record(engine, slot)
    state = live_state(engine, rules, slot)
    scratch = scratch_record(engine, thread)
    perspectives = perspectives_of(engine, rules, slot)
    turn = actor(rules, state)
    own.n_perspectives = 0
    evaluation_room = 0
    for player in range(rules.n_players):
        if player == turn or turn == SIMULTANEOUS:
            n_actions = legal_actions(rules, state, player, scratch.legal)
            if n_actions > 0:
                perspectives[own.n_perspectives] = player
                own.n_perspectives += 1
                if engine.stores_evaluations != 0:
                    evaluation_room += evaluation_size(engine, n_actions)
    new_steps = rules.n_players if engine.records_everyone != 0 else own.n_perspectives
    if (
        own.n_steps + new_steps > engine.step_capacity
        or own.n_evaluations + evaluation_room > engine.evaluation_capacity
    ):
        own.blocked = BLOCKED_TRAJECTORY
        return
    memory = memory_record(engine, slot)
    begin_with_last(engine, rules, slot)
    forget_requests(memory)
    memory.n_rounds = 0
    memory.began = stream_record(engine, slot, SEARCH_STREAM).counter
    search = engine.searches + slot * engine.search_size
    clear_bytes(search, engine.search_size)
    players = engine.perspectives + slot * rules.n_players * 8
    code = BEGIN_SEARCH(
        engine.begin_search,
        engine.policy,
        engine.rules,
        search,
        memory_address(engine, slot),
        state,
        players,
        own.n_perspectives,
    )
    if code == FULL:
        own.blocked = BLOCKED_SEARCH
        return
    own.phase = ASKING
    count_begun(engine, rules, slot, 1)


def count_begun(engine, rules, slot, sign):
    """Count (1) or take back (-1) the decision of each learning player that the slot has begun."""
    if engine.windowed != 0:
        own = slot_record(engine, slot)
        perspectives = perspectives_of(engine, rules, slot)
        for index in range(own.n_perspectives):
            own.new_steps += sign * learns_from(engine, rules, perspectives[index])


def play_decision(engine, rules, slot, thread):
    """Choose for every player that acts, keep the steps, play the tick."""
    own = slot_record(engine, slot)
    scratch = scratch_record(engine, thread)
    state = live_state(engine, rules, slot)
    states = engine.step_states + slot * engine.step_capacity * rules.state_size
    copy_bytes(states + own.n_states * rules.state_size, state, rules.state_size)
    perspectives = perspectives_of(engine, rules, slot)
    joint = array_at(scratch.joint, rules.n_players, np.int64)
    for index in range(own.n_perspectives):
        joint[perspectives[index]] = choose(engine, rules, slot, thread, index)
    if engine.records_everyone != 0:
        for player in range(rules.n_players):
            if player != perspectives[0]:
                append_step(engine, rules, slot, player, -1, 0, own.n_evaluations)
    own.n_states += 1
    count(memory_record(engine, slot), DECISIONS, own.n_perspectives)
    memory_record(engine, slot).is_trimmed = 0
    if joint[perspectives[0]] < 0:
        resign(engine, rules, slot, thread)
        return
    step(rules, scratch, state)
    pay(engine, rules, slot, thread)
    turn = play_chance(engine, rules, slot, thread)
    own.ticks += 1
    if engine.start_capacity != 0:
        note_cell(engine, rules, slot, state, turn)
    if turn == TERMINAL:
        own.terminated = 1
        own.phase = FINISHED
    elif engine.horizon > 0 and own.ticks >= engine.horizon:
        if rules.truncate != 0:
            clear_bytes(scratch.events, rules.n_players * rules.n_events * 8)
            truncate(rules, scratch, state)
            pay(engine, rules, slot, thread)
        own.phase = CUT if engine.uses_tail != 0 else FINISHED
    else:
        own.phase = IDLE


def resign(engine, rules, slot, thread):
    """End the episode because the mover gives up: both are paid for it, and no tick is played."""
    own = slot_record(engine, slot)
    scratch = scratch_record(engine, thread)
    mover = perspectives_of(engine, rules, slot)[0]
    clear_bytes(scratch.events, rules.n_players * rules.n_events * 8)
    events = array_at(scratch.events, (rules.n_players, rules.n_events), np.float64)
    events[mover, rules.resigned] = 1.0
    events[1 - mover, rules.resigned_to] = 1.0
    pay(engine, rules, slot, thread)
    count(memory_record(engine, slot), RESIGNED, 1)
    own.terminated = 1
    own.phase = FINISHED


def choose(engine, rules, slot, thread, index):
    """Evaluate and choose for perspective number `index`; append its step.

    Returns the action; -1 - action where the player resigns instead of playing it, which it does only in an engine.
    """
    own = slot_record(engine, slot)
    scratch = scratch_record(engine, thread)
    player = perspectives_of(engine, rules, slot)[index]
    n_actions = legal_actions(rules, live_state(engine, rules, slot), player, scratch.legal)
    size = evaluation_size(engine, n_actions)
    FINISH(
        engine.finish,
        engine.policy,
        engine.rules,
        engine.searches + slot * engine.search_size,
        memory_address(engine, slot),
        index,
        scratch.evaluation,
        size,
    )
    evaluation = own.n_evaluations
    if engine.stores_evaluations != 0:
        kept = engine.evaluations + (slot * engine.evaluation_capacity + own.n_evaluations) * 8
        copy_bytes(kept, scratch.evaluation, size * 8)
        own.n_evaluations += size
    position = SELECT(
        engine.select,
        engine.policy,
        scratch.evaluation,
        size,
        n_actions,
        engine.progress + slot * 8,
        1,
        stream_address(engine, slot, CHOICE_STREAM),
    )
    resigns = position < 0
    if resigns:
        position = -1 - position
    action = np.int64(array_at(scratch.legal, n_actions, np.int32)[position])
    append_step(engine, rules, slot, player, action, n_actions, evaluation)
    return -1 - action if resigns and engine.chosen == 0 else action
