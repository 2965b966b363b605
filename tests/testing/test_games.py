"""`check_game` accepts the built-in games and the toys, and refuses every broken game for its reason."""

import re

import pytest

import rinforza as rf
from rinforza.testing import ConformanceError, check_game
from tests.toys.last_stand import LastStand

from . import broken_games, broken_moves
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


@pytest.mark.parametrize("game", [Guess(), Guess(5, max_ticks=7), LastStand([3, 5, 2])], ids=repr)
def test_games_of_every_kind_conform(game):
    check_game(game, ticks=200, plain_ticks=40)


@pytest.mark.parametrize(("broken", "words"), **broken_games.refused.params())
def test_broken_claims_turns_and_lists_are_refused(broken, words):
    refused(broken(), words)


@pytest.mark.parametrize(("broken", "words"), **broken_moves.refused.params())
def test_broken_moves_are_refused(broken, words):
    refused(broken(), words)


def refused(game, words):
    pattern = ".*".join(map(re.escape, words.split("...")))
    with pytest.raises(ConformanceError, match=f"(?s){pattern}") as caught:
        check_game(game, ticks=120, plain_ticks=60)
    assert type(game).__name__ in str(caught.value)
    assert "To mend it: " in str(caught.value)


@pytest.mark.parametrize("thing", [Guess, None, rf.encoders.TicTacToe()])
def test_what_is_no_game_is_a_type_error(thing):
    with pytest.raises(TypeError, match="expected a Game instance"):
        check_game(thing)


def test_a_failed_check_is_an_assertion_and_keeps_the_cause():
    with pytest.raises(AssertionError) as caught:
        check_game(broken_moves.Divides(), ticks=5, plain_ticks=5)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
