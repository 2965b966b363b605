"""Backgammon positions laid out by hand, and playing on from them."""

import numpy as np

from .damage import damaged
from .recorded import joint_of


def position(lane, player, dice, own=(), other=(), bar=(0, 0)):
    """Return a decision state: (point, checkers) pairs, `bar` and `off` the mover's first.

    Checkers that are not mentioned are borne off, but for one of the other's on the bar if none is.
    """
    bar = bar if other else (bar[0], 1)
    board = np.zeros((2, 24), np.int8)
    for owner, pairs in ((player, own), (1 - player, other)):
        for point, count in pairs:
            board[owner, point] = count
    bars = np.array(bar if player == 0 else bar[::-1])
    state = lane.initial()
    for field, content in {
        "board": board,
        "bar": bars,
        "off": 15 - bars - board.sum(axis=1),
        "mover": player,
        "dice": sorted(dice),
        "started": True,
    }.items():
        state = damaged(lane, state, field, content)
    assert lane.valid(state) == 1
    return state


def played(lane, state, action):
    """Return state and events after an action of the mover."""
    return lane.step(state, joint_of(lane, lane.actor(state), action))
