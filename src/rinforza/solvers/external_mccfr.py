"""External sampling: of chance and of the other players one action is drawn, of the traverser all are tried.

A traversal for player i comes to a decision of its own at I with the probability of the others' part, so what
it finds are unbiased instantaneous regrets:

    R(I, a) <- R(I, a) + v(I, a) - v(I),      v(I) = sum over a of sigma(I, a) v(I, a)

with sigma by regret matching on R. The average strategy is gathered where the player after the traverser is
met: S(I, a) <- S(I, a) + sigma(I, a). In an iteration each player is the traverser once.

Lanctot et al. 2009, "Monte Carlo sampling for regret minimization in extensive games", section 3.2. With two
players the average is that of CFR in expectation; with more, an iteration also counts by the part of the
players who are neither. A game of one player gathers at its own decisions.
"""

import numpy as np

from ..compiled import INT, Prototype, array_at, record_at
from ..compiled.random import STREAM, uniform
from ..contracts.rules import CHANCE, TERMINAL
from .information_sets import SETS, entry_of
from .matching import match_regrets
from .sampling import (
    DONE,
    FRAME,
    FRAMES_FULL,
    NOT_SEQUENTIAL,
    SAMPLER,
    begin,
    draw,
    fault_of,
    push,
    resume,
    row_at,
    take,
    turn_at,
    value_at_end,
    visit,
)

RUN = Prototype("external_mccfr", INT, INT, INT)


def run_at(address, last_iteration):
    """Go on until so many iterations are complete; return DONE, or what is full or at fault."""
    sampler = record_at(address, SAMPLER)
    while sampler.iteration < last_iteration:
        if sampler.is_under_way == 0:
            begin(sampler)
        code = traverse(sampler)
        if code != DONE:
            return code
        sampler.is_under_way = 0
        sampler.traverser += 1
        if sampler.traverser == sampler.n_players:
            sampler.traverser = 0
            sampler.iteration += 1
    return DONE


def traverse(sampler):
    """Go on with the traversal; return DONE at its end, or what is full or at fault."""
    while True:
        turn = turn_at(sampler)
        if turn == TERMINAL:
            if give_back(sampler):
                return DONE
        elif turn == CHANCE:
            draw(sampler)
        elif turn < 0:
            return NOT_SEQUENTIAL
        else:
            row = row_at(sampler, turn)
            if row < 0:
                return fault_of(row)
            if turn == sampler.traverser:
                if sampler.n_frames == sampler.frame_room:
                    return FRAMES_FULL
                branch(sampler, turn, row)
            else:
                follow(sampler, turn, row)


def branch(sampler, player, row):
    """Open a decision of the traverser, and try its first action."""
    push(sampler, player, row)
    frame = array_at(sampler.frames, sampler.frame_room, FRAME)[sampler.n_frames - 1]
    regrets = array_at(sampler.regrets, sampler.pool_room, np.float64)
    shape = (sampler.frame_room, sampler.n_actions)
    strategy = array_at(sampler.frame_strategy, shape, np.float64)[sampler.n_frames - 1]
    match_regrets(regrets, frame.first, frame.first + frame.count, strategy, 0)
    if sampler.n_players == 1:
        averages = array_at(sampler.averages, sampler.pool_room, np.float64)
        for index in range(frame.count):
            averages[frame.first + index] += strategy[index]
    take(sampler, player, frame.first, 0)


def follow(sampler, player, row):
    """Draw an action of another player by its strategy."""
    entry = entry_of(record_at(sampler.sets, SETS), row)
    begins, ends = entry.first, entry.first + entry.count
    regrets = array_at(sampler.regrets, sampler.pool_room, np.float64)
    visit(sampler, row)
    total = 0.0
    for place in range(begins, ends):
        total += max(regrets[place], 0.0)
    number = uniform(record_at(sampler.stream, STREAM))
    if player == (sampler.traverser + 1) % sampler.n_players:
        averages = array_at(sampler.averages, sampler.pool_room, np.float64)
        for place in range(begins, ends):
            averages[place] += max(regrets[place], 0.0) / total if total > 0.0 else 1.0 / (ends - begins)
    chosen = begins
    if total > 0.0:
        rest = number * total
        for place in range(begins, ends):
            if regrets[place] > 0.0:
                chosen = place
                rest -= regrets[place]
                if rest < 0.0:
                    break
    else:
        chosen = begins + np.int64(number * (ends - begins))
    take(sampler, player, chosen, chosen - begins)


def give_back(sampler):
    """Hand the value of an end to the open decisions; return whether the traversal is over."""
    shape = (sampler.frame_room, sampler.n_actions)
    frames = array_at(sampler.frames, sampler.frame_room, FRAME)
    values = array_at(sampler.frame_values, shape, np.float64)
    strategy = array_at(sampler.frame_strategy, shape, np.float64)
    regrets = array_at(sampler.regrets, sampler.pool_room, np.float64)
    value = value_at_end(sampler)
    while sampler.n_frames > 0:
        last = sampler.n_frames - 1
        frame = frames[last]
        values[last, frame.index] = value
        frame.index += 1
        if frame.index < frame.count:
            resume(sampler, frame)
            take(sampler, frame.player, frame.first + frame.index, frame.index)
            return False
        value = 0.0
        for index in range(frame.count):
            value += strategy[last, index] * values[last, index]
        for index in range(frame.count):
            regrets[frame.first + index] += values[last, index] - value
        sampler.n_frames = last
    return True
