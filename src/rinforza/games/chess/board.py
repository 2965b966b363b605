"""The names of squares and pieces, and the layout of a state.

A set of squares is a 64-bit board. Bit 0 is a1, bit 7 is h1, bit 63 is h8:

    8 | 56 57 58 59 60 61 62 63
    7 | 48 49 50 51 52 53 54 55
    6 | 40 41 42 43 44 45 46 47
    5 | 32 33 34 35 36 37 38 39
    4 | 24 25 26 27 28 29 30 31
    3 | 16 17 18 19 20 21 22 23
    2 |  8  9 10 11 12 13 14 15
    1 |  0  1  2  3  4  5  6  7
         a  b  c  d  e  f  g  h

Nearly everything here works for both sides at once: White is side 0, Black is side 1, and what stands on
rank r for White stands on rank 7 - r for Black (`square ^ 56`).
"""

import numpy as np

from ...compiled.bits import ONE, bit

WHITE, BLACK = 0, 1
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
KINDS = 6
SQUARES = 64
NO_SQUARE = -1

NOTHING = np.uint64(0)
FILE_A = np.uint64(0x0101010101010101)
FILE_H = np.uint64(0x8080808080808080)
RANKS = np.array([0xFF << (8 * rank) for rank in range(8)], np.uint64)
BACK_RANKS = RANKS[0] | RANKS[7]
LIGHT_SQUARES = np.uint64(0x55AA55AA55AA55AA)

SHORT, LONG = 1, 2  # castling rights of White; Black's are four times these
ALL_CASTLING = 15
SHORT_ROOK, LONG_ROOK, KING_HOME = 7, 0, 4  # home squares of White; Black's are `^ 56`

MOST_CLOCK = 100  # half-moves without a capture or a pawn move, at which the game is drawn
MOST_MOVES = 99_999  # the number of a move stops here

HISTORY_WORDS = KINDS + 2 + 1  # of one remembered position: kinds, sides, how often it had occurred


def state_layout(history_length: int) -> np.dtype:
    """Return the layout of a state that remembers so many positions for its encoder, the latest included."""
    return np.dtype(
        [
            ("kinds", np.uint64, (KINDS,)),  # the pieces of each kind, of both sides
            ("sides", np.uint64, (2,)),  # the pieces of each side
            ("key", np.uint64),  # hash of the position: equal positions have equal keys
            ("past", np.uint64, (MOST_CLOCK,)),  # keys of the positions since the last irreversible move
            ("n_past", np.int32),  # how many of them there are, without the current one
            ("seen", np.int32),  # how often the current position has occurred among them, itself included
            ("turn", np.int32),  # the side to move
            ("castling", np.int32),  # the castling rights that are left
            ("en_passant", np.int32),  # the square that a pawn has just jumped over, or NO_SQUARE
            ("clock", np.int32),  # half-moves since the last capture or pawn move, 0 to MOST_CLOCK
            ("move", np.int32),  # the number of the move, from 1; it grows after Black's
            ("done", np.int32),  # 1 once the game has ended
            ("newest", np.int32),  # the place of the current position in `history`
            ("history", np.uint64, (history_length, HISTORY_WORDS)),  # a ring; zero where nothing was yet
        ],
        align=True,
    )


def kind_on(state, square):
    """Return the kind of the piece on a square; KINDS if it is empty."""
    board = bit(square)
    for kind in range(KINDS):
        if state.kinds[kind] & board != NOTHING:
            return kind
    return KINDS


def without_lowest(board):
    """Return a board without its lowest square."""
    return board & (board - ONE)


def has_several(board):
    """Return whether a board holds more than one square."""
    return without_lowest(board) != NOTHING


def pieces_of(state, side, kind):
    """Return the pieces of one kind of one side."""
    return state.kinds[kind] & state.sides[side]


def king_of(state, side):
    """Return the board of a side's king."""
    return pieces_of(state, side, KING)


def castling_rights(side, wings):
    """Return `wings` (SHORT, LONG or both) as rights of a side."""
    return wings << (2 * side)
