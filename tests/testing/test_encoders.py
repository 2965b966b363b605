"""`check_encoder` accepts the built-in encoders and the toy, and refuses every broken one."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import address_of, array_at
from rinforza.testing import check_encoder
from tests.toys.last_stand import LastStand

from .broken_moves import remember
from .refusals import Refusals, expected
from .toys import Guess, GuessView, lanes_differ

refused = Refusals()


@refused("has the name 0")
class NumberedView(GuessView):
    name = 0


@refused("shape returned (3, 1)")
class Flat(GuessView):
    def shape(self, game):
        return 3, 1


@refused("shape returned (3, 0, 2)")
class Empty(GuessView):
    def shape(self, game):
        return 3, 0, 2


@refused("shape changes from call to call")
class Growing(GuessView):
    def shape(self, game):
        return 3, 1, int(remember())


@refused("planes returned 2 names ['knowledge', 'rounds'] for 3 planes")
class TwoNames(GuessView):
    def planes(self, game):
        return ["knowledge", "rounds"]


@refused("planes returned 3 names ['a', 'a', 'b']")
class SameNames(GuessView):
    def planes(self, game):
        return ["a", "a", "b"]


@refused("planes raised NotImplementedError")
class NoNames(GuessView):
    def planes(self, game):
        raise NotImplementedError


@refused("states key_words = 0; state how many words it writes")
class SilentKey(GuessView):
    def key(self, game, state, player, out):
        out[0] = np.uint64(player)


@refused("gave one key to two views that differ in cell")
class ShortKey(GuessView):
    def key_words(self, game):
        return 1

    def key(self, game, state, player, out):
        out[0] = np.uint64(player)


@refused("wrote outside the key")
class LongKey(GuessView):
    def key_words(self, game):
        return 1

    def key(self, game, state, player, out):
        array_at(address_of(out), 2, np.uint64)[1] = np.uint64(1)


@refused("bounds returned 1.0 and 0.0")
class UpsideDown(GuessView):
    def bounds(self, game):
        return 1.0, 0.0


@refused("wrote 11.0 to cell (1, 0, 0), beyond the bounds 0.0 to 10.0")
class Loud(GuessView):
    def encode(self, game, state, player, out):
        out[1, 0, 0] = 11.0


@refused("wrote NaN or an infinity")
class NotANumber(GuessView):
    def encode(self, game, state, player, out):
        out[0, 0, 0] = np.inf


@refused("encode (plain Python) gave another result in a second call")
class Moody(GuessView):
    def encode(self, game, state, player, out):
        out[0, 0, 0] = remember() % 7


@refused("encode (plain Python) raised IndexError")
class FourPlanes(GuessView):
    def encode(self, game, state, player, out):
        out[3, 0, 0] = 1.0


@refused("encode (plain Python) wrote outside the observation")
class Beside(GuessView):
    def encode(self, game, state, player, out):
        array_at(address_of(out) - 4, 1, np.float32)[0] = 1.0


@refused("encode (plain Python) changed the state it was asked about (note)")
class Marks(GuessView):
    def encode(self, game, state, player, out):
        state.note[0] += 1


@refused("encode gives 1.0 in cell (0, 0, 1) compiled and 0.0 in cell")
class Differs(GuessView):
    def encode(self, game, state, player, out):
        out[0, 0, 1] = lanes_differ()


@refused("encode does not compile")
class NeverCompiles(GuessView):
    def encode(self, game, state, player, out):
        if state.phase > 100:
            out[0, 0, 0] = game.no_such_number


@refused("gives the actions 0 and 1 of player 0 one column, 0")
class Merges(GuessView):
    def head_index(self, action, player):
        return 0


@refused("returned 4 for action 3 of player 0, beyond 0 to 3")
class ShiftsOut(GuessView):
    def head_index(self, action, player):
        return action + 1


@refused("game_action (plain Python) gives action 0 for column 0 of player 1, which head_index gives")
class OneWay(GuessView):
    def game_action(self, head, player):
        return head


@refused("renumbers action 0 to 1 although same_frame is True")
class SaysSameFrame(GuessView):
    same_frame = True


@refused("head_index gives")
class HeadsDiffer(GuessView):
    def head_index(self, action, player):
        return (action + player + lanes_differ()) % 4


@refused("game_action gives")
class ActionsDiffer(GuessView):
    def game_action(self, head, player):
        return (head - player + 4 + lanes_differ()) % 4


@pytest.mark.lanes
@pytest.mark.parametrize("game", [rf.games.TicTacToe(), rf.games.Connect4(), rf.games.GridWorld(4)], ids=repr)
def test_built_in_encoders_conform(game):
    check_encoder(game, ticks=80, plain_ticks=20)
    check_encoder(game.encoder, game, ticks=20, plain_ticks=5)


@pytest.mark.parametrize("game", [Guess(), LastStand([2, 4])], ids=repr)
def test_the_toys_conform(game):
    check_encoder(game, ticks=80, plain_ticks=20)


@pytest.mark.parametrize(("broken", "words"), refused.cases)
def test_broken_encoders_are_refused(broken, words):
    with expected(broken, words):
        check_encoder(broken(), Guess(), ticks=40, plain_ticks=20)


def test_an_encoder_needs_a_game_of_its_own():
    with pytest.raises(TypeError, match="an encoder with a game"):
        check_encoder(GuessView())
    with pytest.raises(TypeError, match="a game alone"):
        check_encoder(Guess(), Guess())
    with pytest.raises(ValueError, match="incompatible encoder"):
        check_encoder(GuessView(), rf.games.TicTacToe())
