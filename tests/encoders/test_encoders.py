"""What the built-in encoders say of themselves, and the two action frames."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.contracts.encoder import ActionView
from tests.testing.toys import Guess

DESCRIPTIONS = [
    (rf.games.TicTacToe(), (2, 3, 3), ["own marks", "other's marks"]),
    (rf.games.Connect4(), (2, 6, 7), ["own discs", "other's discs"]),
    (rf.games.GridWorld(), (2, 5, 5), ["agent", "goal"]),
    (rf.games.GridWorld(size=9), (2, 9, 9), ["agent", "goal"]),
]


@pytest.mark.parametrize(("game", "shape", "planes"), DESCRIPTIONS)
def test_shape_bounds_and_planes(game, shape, planes):
    encoder = game.encoder
    assert encoder.name == game.name
    assert encoder.shape(game) == shape
    assert encoder.planes(game) == planes
    space = game.observation_space()
    assert space.shape == shape
    assert space.low.dtype == space.high.dtype == np.float32
    assert space.low.shape == space.high.shape == shape
    assert (space.low == 0).all()
    assert (space.high == 1).all()


@pytest.mark.parametrize("game", [rf.games.TicTacToe(), rf.games.Connect4(), rf.games.GridWorld()])
def test_built_in_encoders_keep_the_action_ids(game):
    view = ActionView(game)
    for player in range(game.num_players):
        for action in range(game.num_actions):
            assert view.head_index(action, player) == action
            assert view.game_action(action, player) == action


def test_an_encoder_may_renumber_the_actions():
    view = ActionView(Guess())
    assert [view.head_index(action, 1) for action in range(4)] == [1, 2, 3, 0]
    assert [view.game_action(head, 1) for head in range(4)] == [3, 0, 1, 2]
    assert [view.head_index(action, 0) for action in range(4)] == [0, 1, 2, 3]


@pytest.mark.parametrize("name", ["head_index", "game_action"])
def test_the_action_view_checks_its_arguments(name):
    convert = getattr(ActionView(rf.games.Connect4()), name)
    for index, player in [(7, 0), (0, 2), (1 << 40, 0)]:
        with pytest.raises(ValueError, match="must be <="):
            convert(index, player)
    for index, player in [(-1, 0), (0, -1)]:
        with pytest.raises(OverflowError, match="must not be negative"):
            convert(index, player)
    for index, player in [(1.0, 0), (True, 0), ("1", 0), (0, 1.0), (0, None)]:
        with pytest.raises(TypeError, match="must be an int"):
            convert(index, player)


def test_numpy_integers_are_integers():
    assert ActionView(rf.games.Connect4()).head_index(np.int32(3), np.uint8(1)) == 3
