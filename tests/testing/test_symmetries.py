"""`check_encoder` accepts symmetries that are exact, and refuses every one that is not."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.encoders.square import moved_cell
from rinforza.testing import ConformanceError, check_encoder

from .broken_moves import remember
from .refusals import Refusals, expected
from .toys import Guess, GuessView, lanes_differ

refused = Refusals()
TicTacToe, Connect4, Othello, Hex = (
    getattr(rf.encoders, name) for name in ("TicTacToe", "Connect4", "Othello", "Hex")
)
GAMES = {"tictactoe": rf.games.TicTacToe(), "connect4": rf.games.Connect4()}
GAMES |= {"othello": rf.games.Othello(), "hex": rf.games.Hex(3), "2048": rf.games.Game2048()}


@refused("symmetries is 2; define transform and transform_head, or return 1")
class OnlyClaims(rf.encoders.MinimalChess):
    def symmetries(self, game):
        return 2


@refused("symmetries must be >= 1, got 0")
class NotEvenTheIdentity(TicTacToe):
    def symmetries(self, game):
        return 0


@refused("symmetries must be an int, got '8'")
class InWords(TicTacToe):
    def symmetries(self, game):
        return "8"


@refused("transform with transform_head (plain Python) is no symmetry ... player 0 sees")
class ColumnsStay(TicTacToe):
    def transform_head(self, game, symmetry, head):
        return head


@refused("transform with transform_head (plain Python) is no symmetry ... player 0 sees")
class PlanesStay(Connect4):
    def transform(self, game, symmetry, observation, out):
        out[:] = observation


@refused("transform with transform_head (plain Python) is no symmetry ... player 0 sees")
class TurnsThePlanesBack(TicTacToe):
    def transform(self, game, symmetry, observation, out):
        for cell in range(9):
            moved = moved_cell(3, symmetry, cell)
            for plane in range(2):
                out[plane, cell // 3, cell % 3] = observation[plane, moved // 3, moved % 3]


@refused("transform (plain Python) ... no symmetry that takes observation and columns back from symmetry 0")
class OnePlaneOnly(Connect4):
    def transform(self, game, symmetry, observation, out):
        for row in range(6):
            for column in range(7):
                moved = column if symmetry == 0 else 6 - column
                out[0, row, moved] = observation[0, row, column]


@refused("transform with transform_head (plain Python) is no symmetry ... under symmetry 4 player 0 sees 0.0")
class QuarterTurnsOfOthello(Othello):
    def symmetries(self, game):
        return 8


@refused("transform with transform_head (plain Python) is no symmetry ... player 0 sees")
class SidesOfHexExchanged(Hex):
    """The reflection of the board, with the players exchanged: then the other one would move first."""

    def symmetries(self, game):
        return 4

    def transform(self, game, symmetry, observation, out):
        for cell in range(9):
            moved = moved_cell(3, symmetry, cell)
            for plane in range(3):
                seen = observation[plane, cell // 3, cell % 3]
                out[plane, moved // 3, moved % 3] = 1 - seen if plane == 2 and symmetry >= 2 else seen


@refused("takes the columns to [0, 0, 0, 0, 0, 0, 0] under symmetry 0")
class OneColumn(Connect4):
    def transform_head(self, game, symmetry, head):
        return 0


@refused("takes the columns to [6, 5, 4, 3, 2, 1, 0] under symmetry 0, the identity")
class IdentityLast(Connect4):
    def transform_head(self, game, symmetry, head):
        return head if symmetry == 1 else 6 - head


@refused("offers no symmetry that takes the columns back from symmetry 1")
class NoWayBack(TicTacToe):
    def symmetries(self, game):
        return 2

    def transform_head(self, game, symmetry, head):
        return (head + symmetry) % 9


@refused("transform (plain Python) changed the observation it was given")
class MovesInPlace(Connect4):
    def transform(self, game, symmetry, observation, out):
        out[:] = observation
        observation[0, 0, 0] = 1.0


@refused("transform (plain Python) raised IndexError")
class TooFar(Connect4):
    def transform(self, game, symmetry, observation, out):
        out[2, 0, 0] = 1.0


@refused("transform_head gives")
class HeadsDiffer(Connect4):
    def transform_head(self, game, symmetry, head):
        return head if symmetry == 0 else (6 - head + lanes_differ()) % 7


@refused("transform with transform_head (compiled) is no symmetry")
class LanesDiffer(Connect4):
    def transform(self, game, symmetry, observation, out):
        for row in range(6):
            for column in range(7):
                moved = column if symmetry == 0 or lanes_differ() == 1 else 6 - column
                for plane in range(2):
                    out[plane, row, moved] = observation[plane, row, column]


@pytest.mark.parametrize(("broken", "words"), refused.cases)
def test_what_is_no_symmetry_is_refused(broken, words):
    game = rf.games.Chess() if broken is OnlyClaims else GAMES[broken.games[0]]
    with expected(broken, words):
        check_encoder(broken(), game, ticks=40, plain_ticks=20)


class Loaded(rf.games.Game2048):
    """2048 whose new tiles prefer the first empty cell."""

    def chance(self, state, probabilities):
        count = super_chance(self, state, probabilities)
        if state.spot < 0 and count > 1:
            probabilities[0] = 1.5 / count
            probabilities[1] = 0.5 / count
        return count


super_chance = rf.games.Game2048.chance


def test_chance_that_is_not_symmetric_is_refused():
    with pytest.raises(
        ConformanceError, match=r"under symmetry [1-7] chance leads to a sight with probability"
    ):
        check_encoder(Loaded(), ticks=20, plain_ticks=10)


class UnevenPay(rf.games.Connect4):
    """Connect 4 in which winning on the left pays nothing."""

    def step(self, state, actions, events):
        mover = state.ply & 1
        connect4_step(self, state, actions, events)
        if actions[mover] < 3:
            events[mover, 0] = 0.0


connect4_step = rf.games.Connect4.step


def test_rewards_that_are_not_symmetric_are_refused():
    with pytest.raises(ConformanceError, match=r"under symmetry 1 the events are .*, not "):
        check_encoder(UnevenPay(), ticks=400, plain_ticks=200)


class TurnedGuessView(GuessView):
    """What the toy's view becomes when player 1's guesses 0 and 1 are exchanged: the cards are not."""

    def symmetries(self, game):
        return 2

    def transform(self, game, symmetry, observation, out):
        out[:] = observation

    def transform_head(self, game, symmetry, head):
        return 3 - head if symmetry == 1 and (head == 1 or head == 2) else head


def test_frames_that_differ_by_player_are_followed():
    # Columns 1 and 2 are the guesses 0 and 1 of player 1, but 1 is a hint of player 0.
    with pytest.raises(ConformanceError, match=r"TurnedGuessView.transform with .* the legal columns are"):
        check_encoder(TurnedGuessView(), Guess(), ticks=40, plain_ticks=20)


class Diced(rf.games.GridWorld):
    """A grid world whose start is drawn, never listed: nobody can say what a symmetry makes of it."""

    def chance(self, state, probabilities):
        return 0

    def sample_chance(self, state, stream):
        return rf.random.integer_below(stream, self.size * self.size - 1)


def test_where_chance_cannot_be_followed_nothing_is_said():
    check_encoder(Diced(3, encoder=rf.encoders.GridWorld()), ticks=20, plain_ticks=10)


class NarrowView(rf.encoders.GridWorld):
    """The agent's row and column alone, in one plane: mirrored cells look alike, and the way down is across."""

    def encode(self, game, state, player, out):
        out[0, 0, 0] = state.row + state.column
        out[1, game.goal_row, game.goal_col] = 1.0

    def bounds(self, game):
        return 0.0, 10.0


def test_where_states_look_alike_nothing_is_said():
    check_encoder(NarrowView(), rf.games.GridWorld(4), ticks=40, plain_ticks=20)


def test_a_transform_that_changes_from_call_to_call_is_refused():
    class Moody(TicTacToe):
        def transform(self, game, symmetry, observation, out):
            out[:] = np.float32(remember() % 7)

    with pytest.raises(ConformanceError, match=r"Moody\.transform"):
        check_encoder(Moody(), GAMES["tictactoe"], ticks=20, plain_ticks=10)
