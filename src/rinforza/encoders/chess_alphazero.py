"""The planes of AlphaZero (Silver et al. 2018, "A general reinforcement learning algorithm", table S1).

One difference: the board is not turned for Black, and White's pieces always come first.
"""

import numpy as np

from ..contracts.arguments import integer
from ..contracts.encoder import Encoder
from ..contracts.game import Game
from ..games.chess.board import HISTORY_WORDS, KINDS, WHITE
from .chess_planes import fill, fill_castling, mark, name_castling, name_pieces, pack

POSITION_PLANES = 14
GENERAL_PLANES = 7
LARGEST_OBSERVATION = (1 << 31) - 1


class AlphaZeroChess(Encoder):
    """Planes (14 * history_length + 7, 8, 8), the same for both players: the latest positions, newest first.

    For each position White's six kinds of pieces, Black's, ones if it had then occurred at least twice, and
    at least three times, since the last capture or pawn move. Then: White to move, the number of the move
    divided by 100, White may castle short, long, Black short, long, and half-moves since the last capture
    or pawn move divided by 100. Positions before the start of the game are zero.

    Args:
        history_length: How many positions are shown, >= 1.

    Raises:
        TypeError: If it is no integer.
        ValueError: If it is 0, or an observation would have 2 ** 31 numbers or more.
        OverflowError: If it is negative.
    """

    name = "alphazero_chess"
    games = ("chess",)

    def __init__(self, history_length: int = 8):
        most = (LARGEST_OBSERVATION // 64 - GENERAL_PLANES) // POSITION_PLANES
        super().__init__(history_length=integer("history_length", history_length, 0, most))
        if self.history_length == 0:
            raise ValueError("history_length must be >= 1, got 0")

    history_length: int

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (14 * history_length + 7, 8, 8)."""
        return POSITION_PLANES * self.history_length + GENERAL_PLANES, 8, 8

    def planes(self, game: Game) -> list[str]:
        """Return the names of the planes."""
        names = [*name_pieces("White's", "Black's"), "seen at least twice", "seen at least three times"]
        positions = [f"{name}, {age} half-moves ago" for age in range(self.history_length) for name in names]
        castling = name_castling("White", "Black")
        return [*positions, "White to move", "move / 100", *castling, "half-move clock / 100"]

    def key_words(self, game: Game) -> int:
        """Return 9 for each position and one more."""
        return HISTORY_WORDS * self.history_length + 1

    def encode(self, game, state, player, out):
        for age in range(self.history_length):
            place = (state.newest - age) % self.history_length
            encode_position(state, place, POSITION_PLANES * age, out)
        plane = POSITION_PLANES * self.history_length
        if state.turn == WHITE:
            fill(np.float32(1.0), plane, out)
        fill(np.float32(state.move / 100.0), plane + 1, out)
        fill_castling(state, WHITE, plane + 2, out)
        fill(np.float32(state.clock / 100.0), plane + 6, out)

    def key(self, game, state, player, out):
        for age in range(self.history_length):
            place = (state.newest - age) % self.history_length
            for word in range(HISTORY_WORDS):
                out[HISTORY_WORDS * age + word] = state.history[place, word]
        out[HISTORY_WORDS * self.history_length] = pack(state, state.move, 0)


def encode_position(state, place, plane, out):
    """Write the planes of one remembered position, from `plane` on."""
    for side in range(2):
        pieces = state.history[place, KINDS + side]
        for kind in range(KINDS):
            mark(state.history[place, kind] & pieces, 0, plane + KINDS * side + kind, out)
    seen = np.int64(state.history[place, HISTORY_WORDS - 1])
    if seen >= 2:
        fill(np.float32(1.0), plane + 12, out)
    if seen >= 3:
        fill(np.float32(1.0), plane + 13, out)
