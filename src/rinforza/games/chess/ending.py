"""How a game ends: checkmate, stalemate, and the draws that come without a claim."""

from ...compiled.bits import count_bits
from .board import (
    BISHOP,
    KNIGHT,
    LIGHT_SQUARES,
    MOST_CLOCK,
    NOTHING,
    PAWN,
    QUEEN,
    ROOK,
)
from .moves import can_move
from .threats import in_check

ONGOING, CHECKMATE, DRAWN = 0, 1, 2
MOST_SEEN = 3  # occurrences of a position, at which the game is drawn


def outcome(game, state):
    """Return ONGOING, CHECKMATE (of the side to move) or DRAWN."""
    if not can_move(game, state):
        return CHECKMATE if in_check(game, state, state.turn) else DRAWN
    if state.seen >= MOST_SEEN or state.clock >= MOST_CLOCK or is_material_insufficient(state):
        return DRAWN
    return ONGOING


def is_material_insufficient(state):
    """Return whether neither side could ever mate.

    So it is with bare kings, with a single knight, and with bishops that all stand on one colour of squares.
    """
    kinds = state.kinds
    if kinds[PAWN] | kinds[ROOK] | kinds[QUEEN] != NOTHING:
        return False
    bishops = kinds[BISHOP]
    if bishops == NOTHING:
        return count_bits(kinds[KNIGHT]) <= 1
    one_colour = bishops & LIGHT_SQUARES == NOTHING or bishops & ~LIGHT_SQUARES == NOTHING
    return kinds[KNIGHT] == NOTHING and one_colour
