"""When two positions are the same: the keys that repetition is counted with.

Equal are positions with the same pieces, side to move, castling rights and en passant file; the file counts
only if a pawn of the side to move stands where it could capture, pinned or not. A key is the exclusive or of
one random word for each of these (Zobrist 1970); two different positions of one game have the same key with
probability 2 ** -64.
"""

from ...compiled.bits import bit, lowest_bit
from .attacks import pawn_attacks
from .board import KINDS, NO_SQUARE, NOTHING, PAWN, WHITE, pieces_of, without_lowest


def rights_key(game, state):
    """Return the part of the key that castling rights and en passant make."""
    key = game.castling_keys[state.castling]
    if state.en_passant != NO_SQUARE:
        takers = pawn_attacks(1 - state.turn, bit(state.en_passant)) & pieces_of(state, state.turn, PAWN)
        if takers != NOTHING:
            key ^= game.en_passant_keys[state.en_passant & 7]
    return key


def position_key(game, state):
    """Return the key of a position, counted from nothing."""
    key = rights_key(game, state)
    if state.turn != WHITE:
        key ^= game.turn_key
    for side in range(2):
        for kind in range(KINDS):
            board = pieces_of(state, side, kind)
            while board != NOTHING:
                key ^= game.piece_keys[side, kind, lowest_bit(board)]
                board = without_lowest(board)
    return key


def occurrences(state):
    """Return how often the current position has occurred since the last irreversible move, with itself."""
    count = 1
    place = state.n_past - 4  # the same side to move, and no sooner can a position come back
    while place >= 0:
        if state.past[place] == state.key:
            count += 1
        place -= 2
    return count
