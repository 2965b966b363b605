"""The symmetries of the built-in encoders beside NumPy's rotations and reflections."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.encoders.square import moved_cell
from rinforza.testing.lanes import GameLane
from tests.encoders.symmetric_games import SYMMETRIC
from tests.naive.symmetries import where_cells_go

pytestmark = pytest.mark.lanes


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_cells_of_a_square_board(size):
    for number in range(8):
        found = [moved_cell(size, number, cell) for cell in range(size * size)]
        assert found == where_cells_go(size, number).tolist()


def test_the_eight_symmetries_of_a_board_differ_and_are_closed():
    boards = [tuple(where_cells_go(3, number).tolist()) for number in range(8)]
    for count in (2, 4, 8):
        group = boards[:count]
        assert len(set(group)) == count
        for one in group:
            assert all(tuple(one[cell] for cell in other) in group for other in group)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_observations_and_columns_move_as_with_numpy(name, plain):
    game, symmetries = SYMMETRIC[name]
    lane = GameLane(game, plain)
    assert lane.rules.symmetries == len(symmetries)
    generator = np.random.default_rng(1)
    for symmetry in range(len(symmetries)):
        columns = [lane.transform_head(symmetry, head) for head in range(game.num_actions)]
        assert columns == symmetries.actions(symmetry).tolist()
        noise = generator.random(game.encoder.shape(game), np.float32)
        assert np.array_equal(lane.transform(symmetry, noise), symmetries.observation(symmetry, noise))


@pytest.mark.parametrize("name", SYMMETRIC)
def test_they_are_symmetries_of_the_game(name):
    game, _ = SYMMETRIC[name]
    rf.testing.check_encoder(game, ticks=40, plain_ticks=8)


def test_a_goal_off_the_diagonal_leaves_no_symmetry():
    game = rf.games.GridWorld(5, goal_row=1, goal_col=2)
    assert game.encoder.symmetries(game) == 1


@pytest.mark.parametrize("game", [rf.games.Chess(), rf.games.Snake(), rf.games.Backgammon()], ids=repr)
def test_most_encoders_offer_none(game):
    assert game.encoder.symmetries(game) == 1


class Claims(rf.encoders.MinimalChess):
    """An encoder that states a number of symmetries and defines none."""

    def __init__(self, count=1):
        rf.Encoder.__init__(self)
        self.__dict__["count"] = count

    def symmetries(self, game):
        return self.count


@pytest.mark.parametrize(
    ("count", "error", "words"),
    [
        (2, ValueError, r"Claims\.symmetries is 2; define transform and transform_head, or return 1"),
        (0, ValueError, r"Claims\.symmetries must be >= 1, got 0"),
        (-1, OverflowError, r"Claims\.symmetries must not be negative, got -1"),
        (2.0, TypeError, r"Claims\.symmetries must be an int, got 2\.0"),
        (True, TypeError, r"Claims\.symmetries must be an int, got True"),
    ],
)
def test_a_claim_that_cannot_hold_is_refused_when_parts_are_composed(count, error, words):
    with pytest.raises(error, match=words):
        rf.Env(rf.games.Chess(encoder=Claims(count)), None)


def test_a_claim_of_the_identity_needs_no_methods():
    assert not rf.Env(rf.games.Chess(encoder=Claims()), None).done()
