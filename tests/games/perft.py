"""Counting the nodes of a game's tree, compiled, through the library's calls by address."""

import numpy as np

from rinforza.compiled import INT, Prototype, array_at, compile_function, copy_bytes, record_at
from rinforza.contracts.rules import RULES, SCRATCH, TERMINAL, actor, legal_actions, step_one
from rinforza.testing.lanes import GameLane, new_scratch

PERFT = Prototype("perft", None, *[INT] * 7)


def perft_at(table, scratch, states, lists, reached, ended, depth):
    """Count from the state at `states` on."""
    rules = record_at(table, RULES)
    count_below(rules, record_at(scratch, SCRATCH), states, lists, reached, ended, depth, 0)


def count_below(rules, scratch, states, lists, reached, ended, depth, ply):
    """Count the node at `ply` and all below it, down to `depth`."""
    state = states + ply * rules.state_size
    array_at(reached, depth + 1, np.int64)[ply] += 1
    turn = actor(rules, state)
    if turn == TERMINAL:
        array_at(ended, depth + 1, np.int64)[ply] += 1
        return 0
    if ply == depth:
        return 0
    own_list = lists + ply * rules.n_actions * 4
    count = legal_actions(rules, state, turn, own_list)
    legal = array_at(own_list, count, np.int32)
    for place in range(count):
        copy_bytes(state + rules.state_size, state, rules.state_size)
        step_one(rules, scratch, state + rules.state_size, turn, legal[place])
        count_below(rules, scratch, states, lists, reached, ended, depth, ply + 1)
    return 0


def perft(lane: GameLane, depth: int) -> tuple[list[int], list[int]]:
    """Return the nodes after each number of moves, and how many of them are ends of the game."""
    scratch, keep = new_scratch(lane.game, evaluation=1)
    states = np.zeros((depth + 1, lane.size), np.uint8)
    states[0] = lane.initial()
    lists = np.zeros((depth + 1, lane.game.num_actions), np.int32)
    counts = np.zeros((2, depth + 1), np.int64)
    addresses = [array.ctypes.data for array in (scratch, states, lists, counts[0], counts[1])]
    driver = compile_function(perft_at, PERFT, {}, "perft")
    driver.entry(lane.rules.address, *addresses, depth)
    del keep
    return counts[0].tolist(), counts[1].tolist()


def positions_by_ply(lane: GameLane, depth: int) -> list[set[bytes]]:
    """Return the different states after each number of moves, of sequential games without chance."""
    layers = [{lane.initial().tobytes()}]
    for _ in range(depth):
        following = set()
        for raw in layers[-1]:
            state = np.frombuffer(raw, np.uint8)
            turn = lane.actor(state)
            for action in lane.legal(state, turn) if turn != TERMINAL else ():
                joint = np.zeros(lane.game.num_players, np.int64)
                joint[turn] = action
                following.add(lane.step(state, joint)[0].tobytes())
        layers.append(following)
    return layers
