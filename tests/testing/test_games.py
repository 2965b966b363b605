"""`check_game` accepts the built-in games and the toys, and refuses every broken game for its reason."""

import pytest

import rinforza as rf
from rinforza.testing import check_game, walk
from tests.toys.last_stand import LastStand
from tests.toys.wander import Wander

from . import broken_cells, broken_games, broken_moves
from .refusals import expected
from .toys import Guess

BUILT_IN = [
    rf.games.TicTacToe(),
    rf.games.Connect4(),
    rf.games.GridWorld(),
    rf.games.GridWorld(size=2, goal_row=0, goal_col=1, max_ticks=None),
]


@pytest.mark.lanes
@pytest.mark.parametrize("game", BUILT_IN, ids=repr)
def test_built_in_games_conform(game):
    check_game(game, ticks=200, plain_ticks=40)


@pytest.mark.parametrize(
    "game", [Guess(), Guess(5, max_ticks=7), LastStand([3, 5, 2]), Wander(max_ticks=30)], ids=repr
)
def test_games_of_every_kind_conform(game):
    check_game(game, ticks=200, plain_ticks=40)


CASES = broken_games.refused.cases + broken_moves.refused.cases + broken_cells.refused.cases


@pytest.fixture
def little_patience(monkeypatch):
    monkeypatch.setattr(walk, "LONGEST_CHANCE_CHAIN", 50)


@pytest.mark.parametrize(("broken", "words"), CASES)
def test_broken_games_are_refused(broken, words, little_patience):
    with expected(broken, words):
        check_game(broken(), ticks=120, plain_ticks=60)


@pytest.mark.parametrize("thing", [Guess, None, rf.encoders.TicTacToe()])
def test_what_is_no_game_is_a_type_error(thing):
    with pytest.raises(TypeError, match="expected a Game instance"):
        check_game(thing)


def test_a_failed_check_is_an_assertion_and_keeps_the_cause():
    with pytest.raises(AssertionError) as caught:
        check_game(broken_moves.Divides(), ticks=5, plain_ticks=5)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
