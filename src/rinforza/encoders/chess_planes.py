"""Planes that the encoders of chess share. Row r, column f of a plane is the square of rank r + 1, file f.

`mirror` is exclusive-ored into every square: 0 leaves the board as it is, 56 turns rank 1 into rank 8.
"""

import numpy as np

from ..compiled.bits import lowest_bit
from ..games.chess.board import KINDS, LONG, NO_SQUARE, NOTHING, SHORT, castling_rights, without_lowest

NAMES = ("pawns", "knights", "bishops", "rooks", "queens", "kings")


def mark(board, mirror, plane, out):
    """Write 1 to the squares of a board."""
    while board != NOTHING:
        square = lowest_bit(board) ^ mirror
        out[plane, square >> 3, square & 7] = np.float32(1.0)
        board = without_lowest(board)


def fill(value, plane, out):
    """Write a value to every square of a plane."""
    for rank in range(8):
        for file in range(8):
            out[plane, rank, file] = value


def mark_pieces(state, first_side, mirror, plane, out):
    """Write twelve planes from `plane` on: the kinds of one side, pawns first, then those of the other."""
    for place in range(2):
        side = state.sides[first_side ^ place]
        for kind in range(KINDS):
            mark(state.kinds[kind] & side, mirror, plane + KINDS * place + kind, out)


def fill_castling(state, first_side, plane, out):
    """Write four planes: short and long castling of one side, then of the other, ones where it is left."""
    for place in range(2):
        side = first_side ^ place
        if state.castling & castling_rights(side, SHORT) != 0:
            fill(np.float32(1.0), plane + 2 * place, out)
        if state.castling & castling_rights(side, LONG) != 0:
            fill(np.float32(1.0), plane + 2 * place + 1, out)


def fill_en_passant(state, plane, out):
    """Write ones to the file on which a pawn has just jumped."""
    if state.en_passant != NO_SQUARE:
        file = state.en_passant & 7
        for rank in range(8):
            out[plane, rank, file] = np.float32(1.0)


def write_pieces(state, out):
    """Write the words of a key that stand for the pieces; return how many."""
    for kind in range(KINDS):
        out[kind] = state.kinds[kind]
    out[KINDS] = state.sides[0]
    out[KINDS + 1] = state.sides[1]
    return KINDS + 2


def pack(state, first, second):
    """Return a word of a key: whose turn it is, the castling rights, the clock, and two numbers below 2 ** 20."""
    low = np.int64(state.turn) | np.int64(state.castling) << 1 | np.int64(state.clock) << 5
    return np.uint64(low | np.int64(first) << 16 | np.int64(second) << 36)


def name_pieces(first: str, second: str) -> list[str]:
    """Return the names of the planes of `mark_pieces`."""
    return [f"{side} {kind}" for side in (first, second) for kind in NAMES]


def name_castling(first: str, second: str) -> list[str]:
    """Return the names of the planes of `fill_castling`."""
    return [f"{side} may castle {wing}" for side in (first, second) for wing in ("short", "long")]
