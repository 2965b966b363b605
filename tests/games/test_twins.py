"""Random games, step by step, beside the naive twins: what is legal, what happens, how it ends."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.contracts.rules import TERMINAL
from rinforza.testing.lanes import GameLane
from tests.naive.connect4 import NaiveConnect4
from tests.naive.gridworld import NaiveGridWorld
from tests.naive.tictactoe import NaiveTicTacToe

from .side_by_side import random_moments

pytestmark = pytest.mark.lanes

PAIRS = {
    "tictactoe": (rf.games.TicTacToe(), NaiveTicTacToe),
    "connect4": (rf.games.Connect4(), NaiveConnect4),
    "gridworld": (rf.games.GridWorld(), NaiveGridWorld),
    "gridworld with its goal in a corner": (
        rf.games.GridWorld(size=2, goal_row=0, goal_col=0),
        lambda: NaiveGridWorld(2, 0, 0),
    ),
    "gridworld with its goal inside": (
        rf.games.GridWorld(size=7, goal_row=3, goal_col=5, max_ticks=None),
        lambda: NaiveGridWorld(7, 3, 5),
    ),
}


@pytest.mark.parametrize(("plain", "seeds"), [(False, range(40)), (True, range(40, 46))])
@pytest.mark.parametrize("name", PAIRS)
def test_every_step_is_the_twins(name, plain, seeds):
    game, twin_type = PAIRS[name]
    lane = GameLane(game, plain)
    ended = 0
    for seed in seeds:
        for state, twin, payloads, expected in random_moments(lane, twin_type(), seed):
            assert payloads == expected
            assert game.state_values(lane.record(state)) == twin.state_values()
            assert lane.actor(state) == (TERMINAL if twin.done else twin.turn)
            for player in range(game.num_players):
                assert lane.legal(state, player).tolist() == twin.legal_actions(player)
            assert lane.valid(state) == 1
        ended += twin.done
    assert ended > 0


@pytest.mark.parametrize(("size", "goal_row", "goal_col"), [(2, 1, 1), (3, 0, 2), (5, 2, 2)])
def test_the_start_cell_is_any_cell_but_the_goal(size, goal_row, goal_col):
    game = rf.games.GridWorld(size, goal_row, goal_col)
    twin = NaiveGridWorld(size, goal_row, goal_col)
    lane = GameLane(game, plain=False)
    odds = lane.chance(lane.initial())
    assert odds.tolist() == [1 / (size * size - 1)] * (size * size - 1)
    for outcome, cell in enumerate(twin.start_cells()):
        state, events = lane.resolve_chance(lane.initial(), outcome)
        assert game.state_values(lane.record(state)) == {"pos": cell, "done": False}
        assert not events.any()


def test_gridworld_pays_the_goal_instead_of_the_step():
    lane = GameLane(rf.games.GridWorld(size=2), plain=False)
    state, _ = lane.resolve_chance(lane.initial(), 0)
    state, events = lane.step(state, np.array([1]))
    assert events.tolist() == [[1.0, 0.0]]
    state, events = lane.step(state, np.array([3]))
    assert events.tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize(
    ("columns", "winner"),
    [
        ([0, 1, 0, 1, 0, 1, 0], 0),  # upright
        ([0, 0, 1, 1, 2, 2, 3], 0),  # level
        ([0, 1, 1, 2, 2, 3, 2, 3, 3, 5, 3], 0),  # rising
        ([6, 5, 5, 4, 4, 3, 4, 3, 3, 1, 3], 0),  # falling
        ([6, 0, 6, 1, 6, 2, 5, 3], 1),
    ],
)
def test_four_in_a_row_in_each_direction(columns, winner):
    lane = GameLane(rf.games.Connect4(), plain=False)
    state = lane.initial()
    for column in columns:
        assert lane.actor(state) != TERMINAL
        state, events = lane.step(state, np.array([column, column]))
    assert lane.actor(state) == TERMINAL
    assert events[winner].tolist() == [1.0, 0.0, 0.0]
    assert events[1 - winner].tolist() == [0.0, 1.0, 0.0]


def test_a_full_board_without_four_is_a_draw():
    lane = GameLane(rf.games.Connect4(), plain=False)
    state = lane.initial()
    order = [0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 2, 3, 2, 3, 3, 2, 3, 2, 2, 3, 2, 3]
    order += [4, 5, 4, 5, 5, 4, 5, 4, 4, 5, 4, 5, 6, 6, 6, 6, 6, 6]
    for column in order:
        assert lane.actor(state) != TERMINAL
        state, events = lane.step(state, np.array([column, column]))
    assert lane.actor(state) == TERMINAL
    assert events.tolist() == [[0.0, 0.0, 1.0]] * 2
