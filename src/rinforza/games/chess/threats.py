"""What threatens a king: the pieces that give check, the pieces that are pinned, the lines between."""

import numpy as np

from ...compiled.bits import bit, lowest_bit
from .actions import DISTANCES
from .attacks import attacked_squares, leapers_on
from .board import BISHOP, NOTHING, QUEEN, ROOK, has_several, king_of, pieces_of, without_lowest

OPPOSITE = 4  # directions of a ray and of the way back differ in this bit


def direction_to(game, square, other):
    """Return the direction from a square to another one on the same line."""
    return np.int64(game.move_types[square, other]) // DISTANCES


def between(game, square, other):
    """Return the squares between two squares on the same line."""
    direction = direction_to(game, square, other)
    return game.rays[direction, square] & game.rays[direction ^ OPPOSITE, other]


def straight_lines(game, square):
    """Return the squares on the rank and the file of a square, without itself."""
    return game.rays[0, square] | game.rays[2, square] | game.rays[4, square] | game.rays[6, square]


def oblique_lines(game, square):
    """Return the squares on the diagonals of a square, without itself."""
    return game.rays[1, square] | game.rays[3, square] | game.rays[5, square] | game.rays[7, square]


def checks_and_pins(game, state, side):
    """Return the enemies that give check to a side's king, and the side's pieces that are pinned."""
    other = 1 - side
    king = king_of(state, side)
    square = lowest_bit(king)
    own = state.sides[side]
    occupied = own | state.sides[other]
    checkers = leapers_on(state, other, king)
    pinned = NOTHING
    queens = pieces_of(state, other, QUEEN)
    snipers = ((pieces_of(state, other, ROOK) | queens) & straight_lines(game, square)) | (
        (pieces_of(state, other, BISHOP) | queens) & oblique_lines(game, square)
    )
    while snipers != NOTHING:
        sniper = lowest_bit(snipers)
        snipers = without_lowest(snipers)
        shields = between(game, square, sniper) & occupied
        if shields == NOTHING:
            checkers |= bit(sniper)
        elif not has_several(shields):
            pinned |= shields & own
    return checkers, pinned


def in_check(game, state, side):
    """Return whether a side's king is attacked."""
    return checks_and_pins(game, state, side)[0] != NOTHING


def squares_closed_to_king(state, side):
    """Return what the other side attacks once this side's king has left its square."""
    king = king_of(state, side)
    return attacked_squares(state, 1 - side, (state.sides[0] | state.sides[1]) & ~king)
