"""Which squares pieces attack on a board with so many squares occupied.

One sliding piece follows its rays. Going up (to higher squares), the lowest blocker on the ray ends it, and
subtracting one from a board finds that. Going down, the blockers are smeared further down the ray, and what
is not behind one is attacked. All sliding pieces of a side at once are moved square by square instead,
doubling the distance (Kogge and Stone's parallel prefix).
"""

import numpy as np

from ...compiled.bits import ONE, TWO
from .actions import NE, NW, SE, SW, E, N, S, W
from .board import BISHOP, FILE_A, FILE_H, KNIGHT, NOTHING, PAWN, QUEEN, ROOK, WHITE, king_of, pieces_of

SEVEN, EIGHT, NINE, SIXTEEN = np.uint64(7), np.uint64(8), np.uint64(9), np.uint64(16)
NOT_A, NOT_H = ~FILE_A, ~FILE_H
ANYWHERE = ~NOTHING


def pawn_attacks(side, pawns):
    """Return what pawns of a side attack."""
    if side == WHITE:
        return ((pawns & NOT_A) << SEVEN) | ((pawns & NOT_H) << NINE)
    return ((pawns & NOT_H) >> SEVEN) | ((pawns & NOT_A) >> NINE)


def knight_attacks(knights):
    """Return what knights attack."""
    west, east = (knights & NOT_A) >> ONE, (knights & NOT_H) << ONE
    far_west, far_east = (west & NOT_A) >> ONE, (east & NOT_H) << ONE
    near, far = west | east, far_west | far_east
    return (near << SIXTEEN) | (near >> SIXTEEN) | (far << EIGHT) | (far >> EIGHT)


def king_attacks(king):
    """Return what a king attacks."""
    row = king | ((king & NOT_A) >> ONE) | ((king & NOT_H) << ONE)
    return (row | (row << EIGHT) | (row >> EIGHT)) & ~king


def ray_up(game, direction, square, occupied):
    """Return the squares along N, NE, E or NW up to the first occupied one, that one included."""
    ray = game.rays[direction, square]
    blockers = ray & occupied
    return ray & (blockers ^ (blockers - ONE))


def ray_down(game, direction, square, occupied, step):
    """Return the squares along S, SE, SW or W, each `step` lower, with the first occupied one."""
    ray = game.rays[direction, square]
    blockers = ray & occupied
    blockers |= blockers >> step
    blockers |= blockers >> (step + step)
    blockers |= blockers >> (step + step + step + step)
    return ray & ~(blockers >> step)


def rook_attacks(game, square, occupied):
    """Return what a rook attacks."""
    return (
        ray_up(game, N, square, occupied)
        | ray_up(game, E, square, occupied)
        | ray_down(game, S, square, occupied, EIGHT)
        | ray_down(game, W, square, occupied, ONE)
    )


def bishop_attacks(game, square, occupied):
    """Return what a bishop attacks."""
    return (
        ray_up(game, NE, square, occupied)
        | ray_up(game, NW, square, occupied)
        | ray_down(game, SE, square, occupied, SEVEN)
        | ray_down(game, SW, square, occupied, NINE)
    )


def slide_up(pieces, free, step, landing):
    """Return what pieces attack when they slide `step` squares up at a time over `free` squares.

    `landing` are the squares that one step can reach, without those beyond the edge of the board.
    """
    free &= landing
    pieces |= free & (pieces << step)
    free &= free << step
    pieces |= free & (pieces << (step * TWO))
    free &= free << (step * TWO)
    pieces |= free & (pieces << (step * TWO * TWO))
    return (pieces << step) & landing


def slide_down(pieces, free, step, landing):
    """Return what pieces attack when they slide `step` squares down at a time."""
    free &= landing
    pieces |= free & (pieces >> step)
    free &= free >> step
    pieces |= free & (pieces >> (step * TWO))
    free &= free >> (step * TWO)
    pieces |= free & (pieces >> (step * TWO * TWO))
    return (pieces >> step) & landing


def attacked_squares(state, side, occupied):
    """Return every square that a side attacks."""
    queens = pieces_of(state, side, QUEEN)
    straight = pieces_of(state, side, ROOK) | queens
    oblique = pieces_of(state, side, BISHOP) | queens
    free = ~occupied
    return (
        pawn_attacks(side, pieces_of(state, side, PAWN))
        | knight_attacks(pieces_of(state, side, KNIGHT))
        | king_attacks(king_of(state, side))
        | slide_up(straight, free, EIGHT, ANYWHERE)
        | slide_down(straight, free, EIGHT, ANYWHERE)
        | slide_up(straight, free, ONE, NOT_A)
        | slide_down(straight, free, ONE, NOT_H)
        | slide_up(oblique, free, NINE, NOT_A)
        | slide_up(oblique, free, SEVEN, NOT_H)
        | slide_down(oblique, free, SEVEN, NOT_A)
        | slide_down(oblique, free, NINE, NOT_H)
    )


def sliders_on(game, state, side, square, occupied):
    """Return the bishops, rooks and queens of a side that attack a square."""
    queens = pieces_of(state, side, QUEEN)
    straight = pieces_of(state, side, ROOK) | queens
    oblique = pieces_of(state, side, BISHOP) | queens
    return (rook_attacks(game, square, occupied) & straight) | (
        bishop_attacks(game, square, occupied) & oblique
    )


def leapers_on(state, side, target):
    """Return the pawns and knights of a side that attack a square, which is given as a board."""
    return (pawn_attacks(1 - side, target) & pieces_of(state, side, PAWN)) | (
        knight_attacks(target) & pieces_of(state, side, KNIGHT)
    )
