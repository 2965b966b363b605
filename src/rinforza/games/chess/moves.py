"""The legal moves, made directly: no move is tried out.

A piece may go where it reaches, as far as this leaves its king safe: in check only to capture the one piece
that gives it or to step in between, when pinned only along the line of the pin, a king only to squares that
the other side does not attack. En passant alone takes two pieces off a line, so its line is looked at.
"""

import numpy as np

from ...compiled.bits import ONE, bit, is_set, lowest_bit
from .actions import FIRST_UNDERPROMOTION, LESSER_PIECES, MOVE_TYPES
from .attacks import (
    EIGHT,
    NOT_A,
    NOT_H,
    bishop_attacks,
    king_attacks,
    knight_attacks,
    leapers_on,
    pawn_attacks,
    rook_attacks,
    sliders_on,
)
from .board import (
    BISHOP,
    FILE_A,
    KING,
    KNIGHT,
    LONG,
    LONG_ROOK,
    NO_SQUARE,
    NOTHING,
    PAWN,
    QUEEN,
    RANKS,
    ROOK,
    SHORT,
    SHORT_ROOK,
    WHITE,
    castling_rights,
    has_several,
    king_of,
    without_lowest,
)
from .threats import between, checks_and_pins, direction_to, squares_closed_to_king

SHORT_PATH = np.uint64(0b01100000)  # what the king crosses and reaches, and what must be empty
LONG_PATH = np.uint64(0b00001100)
LONG_EMPTY = np.uint64(0b00001110)  # the rook alone crosses b1


def home_side(board, side):
    """Return a board of White's first rank as that of a side."""
    return board if side == WHITE else board << np.uint64(56)


def pawn_steps(side, pawn, occupied):
    """Return where a pawn may advance."""
    if side == WHITE:
        once = (pawn << EIGHT) & ~occupied
        return once | (((once & RANKS[2]) << EIGHT) & ~occupied)
    once = (pawn >> EIGHT) & ~occupied
    return once | (((once & RANKS[5]) >> EIGHT) & ~occupied)


def reach_of(game, state, side, square, occupied):
    """Return where a piece that is no king may go, own pieces among it, whatever threatens the king."""
    piece = bit(square)
    kinds = state.kinds
    if kinds[PAWN] & piece != NOTHING:
        captures = pawn_attacks(side, piece) & state.sides[1 - side]
        return captures | pawn_steps(side, piece, occupied)
    if kinds[KNIGHT] & piece != NOTHING:
        return knight_attacks(piece)
    reach = NOTHING
    if (kinds[BISHOP] | kinds[QUEEN]) & piece != NOTHING:
        reach |= bishop_attacks(game, square, occupied)
    if (kinds[ROOK] | kinds[QUEEN]) & piece != NOTHING:
        reach |= rook_attacks(game, square, occupied)
    return reach


def allowed_squares(game, state, side, checkers):
    """Return where pieces other than the king may go to leave the king out of check."""
    if checkers == NOTHING:
        return ~state.sides[side]
    if has_several(checkers):
        return NOTHING
    king = lowest_bit(king_of(state, side))
    checker = lowest_bit(checkers)
    if (state.kinds[PAWN] | state.kinds[KNIGHT]) & checkers != NOTHING:
        return checkers
    return checkers | between(game, king, checker)


def piece_targets(game, state, side, square, allowed, pinned):
    """Return the legal to-squares of a piece that is no king."""
    targets = reach_of(game, state, side, square, state.sides[0] | state.sides[1]) & allowed
    if is_set(pinned, square):
        king = lowest_bit(king_of(state, side))
        targets &= game.rays[direction_to(game, king, square), king]
    if state.en_passant != NO_SQUARE and takes_en_passant(game, state, side, square):
        targets |= bit(state.en_passant)
    return targets


def takes_en_passant(game, state, side, square):
    """Return whether a piece may capture en passant: a pawn beside, and no line to the king is opened."""
    piece = bit(square)
    target = bit(state.en_passant)
    if state.kinds[PAWN] & piece & pawn_attacks(1 - side, target) == NOTHING:
        return False
    victim = bit(state.en_passant ^ 8)  # the ranks 3 and 4, and 6 and 5, differ in this bit
    occupied = ((state.sides[0] | state.sides[1]) ^ piece ^ victim) | target
    king = king_of(state, side)
    if leapers_on(state, 1 - side, king) & ~victim != NOTHING:
        return False
    return sliders_on(game, state, 1 - side, lowest_bit(king), occupied) == NOTHING


def king_targets(state, side, checkers):
    """Return the legal to-squares of a king; its own rook's square to castle."""
    king = king_of(state, side)
    targets = king_attacks(king) & ~state.sides[side]
    rights = castling_rights(side, SHORT | LONG)
    may_castle = state.castling & rights != 0 and checkers == NOTHING
    if targets == NOTHING and not may_castle:
        return NOTHING
    closed = squares_closed_to_king(state, side)
    targets &= ~closed
    if may_castle:
        targets |= castling_targets(state, side, closed)
    return targets


def castling_targets(state, side, closed):
    """Return the squares of the rooks with which a king that is not in check may castle."""
    occupied = state.sides[0] | state.sides[1]
    targets = NOTHING
    path = home_side(SHORT_PATH, side)
    if state.castling & castling_rights(side, SHORT) != 0 and path & (occupied | closed) == NOTHING:
        targets |= home_side(bit(SHORT_ROOK), side)
    path, empty = home_side(LONG_PATH, side), home_side(LONG_EMPTY, side)
    if state.castling & castling_rights(side, LONG) != 0 and (path & closed) | (empty & occupied) == NOTHING:
        targets |= home_side(bit(LONG_ROOK), side)
    return targets


def list_moves(game, state, out):
    """Write the legal actions of the side to move in ascending order; return how many there are."""
    side = state.turn
    checkers, pinned = checks_and_pins(game, state, side)
    allowed = allowed_squares(game, state, side, checkers)
    promoting = state.kinds[PAWN] & (RANKS[6] if side == WHITE else RANKS[1])
    movers = state.sides[side]
    count = 0
    while movers != NOTHING:
        square = lowest_bit(movers)
        movers = without_lowest(movers)
        if is_set(state.kinds[KING], square):
            targets = king_targets(state, side, checkers)
        else:
            targets = piece_targets(game, state, side, square, allowed, pinned)
        count = write_moves(game, square, targets, out, count)
        if is_set(promoting, square):
            count = write_underpromotions(square, targets, out, count)
    return count


def write_moves(game, square, targets, out, count):
    """Append the moves from a square to some targets; return the new count."""
    types = NOTHING  # a set of move types, which sorts them
    while targets != NOTHING:
        types |= ONE << np.uint64(game.move_types[square, lowest_bit(targets)])
        targets = without_lowest(targets)
    while types != NOTHING:
        out[count] = square * MOVE_TYPES + lowest_bit(types)
        types = without_lowest(types)
        count += 1
    return count


def write_underpromotions(square, targets, out, count):
    """Append the underpromotions of a pawn that can reach some targets; return the new count."""
    first = square * MOVE_TYPES + FIRST_UNDERPROMOTION
    column = FILE_A << np.uint64(square & 7)
    count = write_lesser_pieces(first, targets & column, out, count)
    first += LESSER_PIECES
    count = write_lesser_pieces(first, targets & ((column & NOT_A) >> ONE), out, count)
    first += LESSER_PIECES
    return write_lesser_pieces(first, targets & ((column & NOT_H) << ONE), out, count)


def write_lesser_pieces(first, target, out, count):
    """Append knight, bishop and rook for one way of a pawn, if it can go there; return the new count."""
    if target == NOTHING:
        return count
    for piece in range(LESSER_PIECES):
        out[count + piece] = first + piece
    return count + LESSER_PIECES


def can_move(game, state):
    """Return whether the side to move has a legal move."""
    side = state.turn
    checkers, pinned = checks_and_pins(game, state, side)
    allowed = allowed_squares(game, state, side, checkers)
    movers = state.sides[side] & ~state.kinds[KING]
    if allowed == NOTHING and state.en_passant == NO_SQUARE:
        movers = NOTHING
    while movers != NOTHING:
        square = lowest_bit(movers)
        movers = without_lowest(movers)
        if piece_targets(game, state, side, square, allowed, pinned) != NOTHING:
            return True
    return king_targets(state, side, checkers) != NOTHING
