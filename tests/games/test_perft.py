"""Leaf counts and position counts against published ones."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import TERMINAL
from rinforza.testing.lanes import GameLane

from .perft import perft, positions_by_ply

CONNECT4_LEAVES = [1, 7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234]
CONNECT4_POSITIONS = [1, 7, 49, 238, 1_120, 4_263, 16_422]  # OEIS A212693
TICTACTOE_LEAVES = [1, 9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872]


def test_connect4_leaves():
    reached, _ = perft(GameLane(rf.games.Connect4(), plain=False), 8)
    assert reached == CONNECT4_LEAVES


def test_connect4_positions():
    layers = positions_by_ply(GameLane(rf.games.Connect4(), plain=False), 6)
    assert [len(layer) for layer in layers] == CONNECT4_POSITIONS


def test_tictactoe_leaves_and_finished_games():
    reached, ended = perft(GameLane(rf.games.TicTacToe(), plain=False), 9)
    assert reached == TICTACTOE_LEAVES
    assert sum(ended) == 255_168


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("game", "leaves"),
    [(rf.games.Connect4(), CONNECT4_LEAVES[:4]), (rf.games.TicTacToe(), TICTACTOE_LEAVES[:4])],
    ids=["connect4", "tictactoe"],
)
def test_the_first_plies_in_every_lane(game, leaves):
    reached, ended = perft(GameLane(game, plain=plain_python()), 3)
    assert reached == leaves
    assert sum(ended) == 0


def test_tictactoe_positions_and_the_value_of_the_game():
    lane = GameLane(rf.games.TicTacToe(), plain=False)
    layers = positions_by_ply(lane, 9)
    assert sum(map(len, layers)) == 5_478
    values: dict[bytes, float] = {}  # for player 0, of the rewards to come
    for layer in reversed(layers):
        for raw in layer:
            values[raw] = solved(lane, np.frombuffer(raw, np.uint8), values)
    assert values[lane.initial().tobytes()] == 0.0


def solved(lane, state, values):
    """Return the value of a state, given those of all states after it."""
    turn = lane.actor(state)
    if turn == TERMINAL:
        return 0.0
    following = []
    for action in lane.legal(state, turn):
        after, events = lane.step(state, np.array([action, action]))
        following.append(float(lane.rules.weights @ events[0]) + values[after.tobytes()])
    return max(following) if turn == 0 else min(following)
