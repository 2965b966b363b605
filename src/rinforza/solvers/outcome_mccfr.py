"""Outcome sampling: one game is drawn for each player, and only what it touches is updated.

At a decision of the updated player i the action is drawn from a mixture, at all others from the strategy:

    q(a) = exploration / |A(I)| + (1 - exploration) sigma(I, a)

From the end back, the value of the drawn action a at a decision of player i is estimated as v(a) = v / q(a),
that of the others as 0, and v(I) = sigma(I, a) v(a). With Q_i the product of player i's q before I,

    R(I, b) <- R(I, b) + (v(b) - v(I)) / Q_i

The average strategy is gathered at the decisions of player i, weighed so that it is unbiased: with x_i(I) the
player's own part in coming there and q(h) the probability of all draws of players so far (that of chance is
the same in every iteration, so it may be left out),

    S(I, b) <- S(I, b) + x_i(I) sigma(I, b) / q(h)

Lanctot et al. 2009, "Monte Carlo sampling for regret minimization in extensive games", section 3.1, and Lanctot
2013, "Monte Carlo sampling and regret minimization for equilibrium computation and decision-making in large
extensive form games", section 4.2 (stochastically weighted averaging). Games with rewards on the way are taken
as if all of them came at the end.
"""

import numpy as np

from ..compiled import INT, Prototype, array_at, record_at
from ..compiled.random import STREAM, categorical, uniform
from ..contracts.rules import CHANCE, TERMINAL
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
    row_at,
    take,
    turn_at,
    value_at_end,
)

EXPLORATION = 0.6
RUN = Prototype("outcome_mccfr", INT, INT, INT)


def run_at(address, last_iteration):
    """Go on until so many iterations are complete; return DONE, or what is full or at fault."""
    sampler = record_at(address, SAMPLER)
    while sampler.iteration < last_iteration:
        if sampler.is_under_way == 0:
            begin(sampler)
            sampler.reach = 1.0
            sampler.sampled = 1.0
            sampler.explored = 1.0
        code = play(sampler)
        if code != DONE:
            return code
        learn(sampler)
        sampler.is_under_way = 0
        sampler.traverser += 1
        if sampler.traverser == sampler.n_players:
            sampler.traverser = 0
            sampler.iteration += 1
    return DONE


def play(sampler):
    """Play the game on to its end; return DONE, or what is full or at fault."""
    while True:
        turn = turn_at(sampler)
        if turn == TERMINAL:
            return DONE
        if turn == CHANCE:
            draw(sampler)
        elif turn < 0:
            return NOT_SEQUENTIAL
        else:
            if sampler.n_frames == sampler.frame_room:
                return FRAMES_FULL
            row = row_at(sampler, turn)
            if row < 0:
                return fault_of(row)
            choose(sampler, turn, row)


def choose(sampler, player, row):
    """Open a frame for a decision, and draw an action."""
    push(sampler, player, row)
    last = sampler.n_frames - 1
    frame = array_at(sampler.frames, sampler.frame_room, FRAME)[last]
    regrets = array_at(sampler.regrets, sampler.pool_room, np.float64)
    strategy = array_at(sampler.frame_strategy, (sampler.frame_room, sampler.n_actions), np.float64)[last]
    stream = record_at(sampler.stream, STREAM)
    match_regrets(regrets, frame.first, frame.first + frame.count, strategy, 0)
    frame.reach = sampler.reach
    frame.sampled = sampler.sampled
    frame.explored = sampler.explored
    if player == sampler.traverser and uniform(stream) < sampler.exploration:
        frame.index = np.int64(uniform(stream) * frame.count)
    else:
        frame.index = categorical(stream, strategy, frame.count)
    probability = strategy[frame.index]
    if player == sampler.traverser:
        sampler.reach *= probability
        share = sampler.exploration / frame.count + (1.0 - sampler.exploration) * probability
        sampler.explored *= share
        sampler.sampled *= share
    else:
        sampler.sampled *= probability
    take(sampler, player, frame.first + frame.index, frame.index)


def learn(sampler):
    """Go back from the end of the game, and update the decisions of the traverser."""
    frames = array_at(sampler.frames, sampler.frame_room, FRAME)
    shape = (sampler.frame_room, sampler.n_actions)
    strategies = array_at(sampler.frame_strategy, shape, np.float64)
    regrets = array_at(sampler.regrets, sampler.pool_room, np.float64)
    averages = array_at(sampler.averages, sampler.pool_room, np.float64)
    value = value_at_end(sampler)
    while sampler.n_frames > 0:
        sampler.n_frames -= 1
        frame = frames[sampler.n_frames]
        if frame.player != sampler.traverser:
            continue
        strategy = strategies[sampler.n_frames]
        probability = strategy[frame.index]
        drawn_value = value / (sampler.exploration / frame.count + (1.0 - sampler.exploration) * probability)
        value = probability * drawn_value
        weight = frame.reach / frame.sampled
        for index in range(frame.count):
            gain = (drawn_value if index == frame.index else 0.0) - value
            regrets[frame.first + index] += gain / frame.explored
            averages[frame.first + index] += weight * strategy[index]
