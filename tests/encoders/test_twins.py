"""Every observation of random games beside the naive twins'."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.testing.lanes import GameLane
from tests.games.side_by_side import random_moments
from tests.games.test_twins import PAIRS

pytestmark = pytest.mark.lanes


@pytest.mark.parametrize(("plain", "seeds"), [(False, range(20)), (True, range(20, 24))])
@pytest.mark.parametrize("name", PAIRS)
def test_every_observation_is_the_twins(name, plain, seeds):
    game, twin_type = PAIRS[name]
    lane = GameLane(game, plain)
    space = game.observation_space()
    for seed in seeds:
        for state, twin, *_ in random_moments(lane, twin_type(), seed, longest=60):
            for player in range(game.num_players):
                seen = lane.observe(state, player)
                assert seen.dtype == np.float32
                assert seen.tolist() == twin.observation(player)
                assert space.contains(seen)


def played(lane, actions):
    """Return the state after some actions of alternating players."""
    state = lane.initial()
    for action in actions:
        state, _ = lane.step(state, np.array([action, action]))
    return state


def test_connect4_mirrors():
    lane = GameLane(rf.games.Connect4(), plain=False)
    columns = [3, 3, 1, 0, 6, 6, 5, 3, 0]
    straight = lane.observe(played(lane, columns), 0)
    mirrored = lane.observe(played(lane, [6 - column for column in columns]), 0)
    assert np.array_equal(straight[:, :, ::-1], mirrored)
    assert straight.sum() == len(columns)


def test_tictactoe_turns():
    lane = GameLane(rf.games.TicTacToe(), plain=False)
    cells = [0, 4, 1, 5, 6]
    turned = [np.rot90(np.arange(9).reshape(3, 3)).ravel().tolist().index(cell) for cell in cells]
    one, other = (lane.observe(played(lane, order), 1) for order in (cells, turned))
    assert np.array_equal(np.rot90(one, axes=(1, 2)), other)
    assert one.sum() == len(cells)


@pytest.mark.parametrize("game", [rf.games.TicTacToe(), rf.games.Connect4()], ids=repr)
def test_each_player_sees_the_same_from_its_own_side(game):
    lane = GameLane(game, plain=False)
    state = played(lane, [0, 4, 2])
    assert np.array_equal(lane.observe(state, 0), lane.observe(state, 1)[::-1])
