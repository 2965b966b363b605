"""The planes of OpenSpiel's chess, so that a network trained on one can be used with the other."""

import numpy as np

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from ..games.chess.board import (
    BISHOP,
    KING,
    KNIGHT,
    LONG,
    PAWN,
    QUEEN,
    ROOK,
    SHORT,
    WHITE,
    castling_rights,
)
from .chess_planes import NAMES, fill, mark, pack, write_pieces

ORDER = (KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN)
EMPTY, SEEN, TO_MOVE, CLOCK, CASTLING = 12, 13, 14, 15, 16
PLANES = 20


class OpenSpielChess(Encoder):
    """Planes (20, 8, 8), the same for both players, as OpenSpiel's observation tensor.

    0 to 11 kings, queens, rooks, bishops, knights, pawns, White's before Black's for each kind; 12 empty
    squares; 13 (times the position has occurred - 1) / 2; 14 ones when White is to move; 15 half-moves since
    the last capture or pawn move / 101; 16 to 19 White may castle long, short, Black long, short. Row 0 is
    rank 1.
    """

    name = "openspiel_chess"
    games = ("chess",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (20, 8, 8)."""
        return PLANES, 8, 8

    def planes(self, game: Game) -> list[str]:
        """Return the names of the planes."""
        pieces = [f"{side} {NAMES[kind]}" for kind in ORDER for side in ("White's", "Black's")]
        wings = [f"{side} may castle {wing}" for side in ("White", "Black") for wing in ("long", "short")]
        return [*pieces, "empty", "(occurrences - 1) / 2", "White to move", "half-move clock / 101", *wings]

    def key_words(self, game: Game) -> int:
        """Return 9."""
        return 9

    def encode(self, game, state, player, out):
        for place in range(len(ORDER)):
            for side in range(2):
                mark(state.kinds[ORDER[place]] & state.sides[side], 0, 2 * place + side, out)
        mark(~(state.sides[0] | state.sides[1]), 0, EMPTY, out)
        fill(np.float32((state.seen - 1) / 2.0), SEEN, out)
        if state.turn == WHITE:
            fill(np.float32(1.0), TO_MOVE, out)
        fill(np.float32(state.clock / 101.0), CLOCK, out)
        for side in range(2):
            if state.castling & castling_rights(side, LONG) != 0:
                fill(np.float32(1.0), CASTLING + 2 * side, out)
            if state.castling & castling_rights(side, SHORT) != 0:
                fill(np.float32(1.0), CASTLING + 2 * side + 1, out)

    def key(self, game, state, player, out):
        out[write_pieces(state, out)] = pack(state, state.seen, 0)
