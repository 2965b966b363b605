"""What a network sees of chess: nineteen planes, seen from White or from the observer."""

import numpy as np

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from ..games.chess.actions import DISTANCES, FIRST_JUMP, FIRST_UNDERPROMOTION, MOVE_TYPES
from ..games.chess.board import NO_SQUARE, WHITE
from .chess_planes import (
    fill,
    fill_castling,
    fill_en_passant,
    mark_pieces,
    name_castling,
    name_pieces,
    pack,
    write_pieces,
)

TO_MOVE, CASTLING, EN_PASSANT, CLOCK = 12, 13, 17, 18  # planes after those of the pieces
PLANES = 19
KEY_WORDS = 9
FLIP = 56  # rank 1 becomes rank 8


def name_planes(first: str, second: str, to_move: str) -> list[str]:
    """Return the names of the nineteen planes."""
    pieces, castling = name_pieces(first, second), name_castling(first, second)
    return [*pieces, to_move, *castling, "en passant file", "half-move clock / 100"]


def encode_planes(state, first_side, mirror, out):
    """Write the planes with one side first."""
    mark_pieces(state, first_side, mirror, 0, out)
    if state.turn == first_side:
        fill(np.float32(1.0), TO_MOVE, out)
    fill_castling(state, first_side, CASTLING, out)
    fill_en_passant(state, EN_PASSANT, out)
    if state.clock > 0:
        fill(np.float32(state.clock / 100.0), CLOCK, out)


def write_key(state, player, out):
    """Write all that the planes depend on, seen by a player."""
    file = 0 if state.en_passant == NO_SQUARE else 1 + (state.en_passant & 7)
    out[write_pieces(state, out)] = pack(state, file, player)


class MinimalChess(Encoder):
    """Planes (19, 8, 8), the same for both players: White's pieces, Black's, side to move, rights, clock.

    0 to 5 White's pawns, knights, bishops, rooks, queens, king; 6 to 11 Black's; 12 ones when White is to
    move; 13 to 16 White may castle short, long, Black short, long; 17 the file of an en passant square; 18
    half-moves since the last capture or pawn move, divided by 100. Row 0 is rank 1.
    """

    name = "minimal_chess"
    games = ("chess",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (19, 8, 8)."""
        return PLANES, 8, 8

    def planes(self, game: Game) -> list[str]:
        """Return the names of the planes."""
        return name_planes("White's", "Black's", "White to move")

    def key_words(self, game: Game) -> int:
        """Return 9."""
        return KEY_WORDS

    def encode(self, game, state, player, out):
        encode_planes(state, WHITE, 0, out)

    def key(self, game, state, player, out):
        write_key(state, 0, out)


class RelativeChess(Encoder):
    """The planes of `MinimalChess` seen by the observer: own pieces and rights first.

    For player 1 the board and the actions are mirrored, rank 8 to rank 1, so that both players' pawns move
    up; plane 12 is ones when the observer is to move.
    """

    name = "relative_chess"
    games = ("chess",)
    same_frame = False

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (19, 8, 8)."""
        return PLANES, 8, 8

    def planes(self, game: Game) -> list[str]:
        """Return the names of the planes."""
        return name_planes("own", "other's", "own move")

    def key_words(self, game: Game) -> int:
        """Return 9."""
        return KEY_WORDS

    def encode(self, game, state, player, out):
        encode_planes(state, player, FLIP if player == 1 else 0, out)

    def key(self, game, state, player, out):
        write_key(state, player, out)

    def head_index(self, action, player):
        return mirrored(action) if player == 1 else action

    def game_action(self, head, player):
        return mirrored(head) if player == 1 else head


def mirrored(action):
    """Return an action on the mirrored board: north for south; twice gives the action back."""
    square, move_type = action // MOVE_TYPES, action % MOVE_TYPES
    if move_type < FIRST_JUMP:
        direction = move_type // DISTANCES
        move_type += DISTANCES * (((4 - direction) & 7) - direction)
    elif move_type < FIRST_UNDERPROMOTION:
        move_type = FIRST_JUMP + ((move_type - FIRST_JUMP) ^ 3)
    return (square ^ FLIP) * MOVE_TYPES + move_type
