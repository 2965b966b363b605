"""Whether a state from outside is one that every rule can rely on."""

from ...compiled.bits import bit, count_bits, is_set
from .attacks import king_attacks
from .board import (
    ALL_CASTLING,
    BACK_RANKS,
    KINDS,
    KING,
    KING_HOME,
    LONG,
    LONG_ROOK,
    MOST_CLOCK,
    MOST_MOVES,
    NO_SQUARE,
    NOTHING,
    PAWN,
    ROOK,
    SHORT,
    SHORT_ROOK,
    WHITE,
    castling_rights,
    king_of,
    pieces_of,
)
from .ending import ONGOING, outcome
from .identity import occurrences, position_key
from .threats import in_check


def is_valid(game, state):
    """Return whether a state is complete and agrees with itself."""
    if not is_position(game, state):
        return False
    if state.n_past < 0 or state.n_past > state.clock or state.key != position_key(game, state):
        return False
    if state.newest < 0 or state.newest >= max(1, game.history_length):
        return False
    if state.seen != occurrences(state):
        return False
    ended = outcome(game, state) != ONGOING
    return state.done == (1 if ended else 0)


def is_position(game, state):
    """Return whether the pieces, the rights and the counters make a position that can be played on."""
    if state.turn < 0 or state.turn > 1 or state.clock < 0 or state.clock > MOST_CLOCK:
        return False
    if state.move < 1 or state.move > MOST_MOVES:
        return False
    if not (are_pieces_sound(state) and are_rights_sound(state) and is_en_passant_sound(state)):
        return False
    return is_turn_sound(game, state)


def is_turn_sound(game, state):
    """Return whether the side that has moved left its king where it cannot be taken."""
    if king_attacks(king_of(state, 0)) & king_of(state, 1) != NOTHING:
        return False
    return not in_check(game, state, 1 - state.turn)


def are_pieces_sound(state):
    """Return whether each square has one piece at most, each side one king, and no pawn a last rank."""
    taken = NOTHING
    for kind in range(KINDS):
        if taken & state.kinds[kind] != NOTHING:
            return False
        taken |= state.kinds[kind]
    if state.sides[0] & state.sides[1] != NOTHING or state.sides[0] | state.sides[1] != taken:
        return False
    if count_bits(king_of(state, 0)) != 1 or count_bits(king_of(state, 1)) != 1:
        return False
    return state.kinds[PAWN] & BACK_RANKS == NOTHING


def are_rights_sound(state):
    """Return whether king and rook stand at home for each castling right."""
    if state.castling < 0 or state.castling > ALL_CASTLING:
        return False
    for side in range(2):
        mirror = 0 if side == WHITE else 56
        rooks = pieces_of(state, side, ROOK)
        at_home = is_set(pieces_of(state, side, KING), KING_HOME ^ mirror)
        if state.castling & castling_rights(side, SHORT) != 0:
            at_home = at_home and is_set(rooks, SHORT_ROOK ^ mirror)
        if state.castling & castling_rights(side, LONG) != 0:
            at_home = at_home and is_set(rooks, LONG_ROOK ^ mirror)
        if state.castling & castling_rights(side, SHORT | LONG) != 0 and not at_home:
            return False
    return True


def is_en_passant_sound(state):
    """Return whether a pawn of the side that has moved can have jumped over the en passant square."""
    target = state.en_passant
    if target == NO_SQUARE:
        return True
    if target < 0 or target >> 3 != (5 if state.turn == WHITE else 2):
        return False
    jumper = target ^ 8
    origin = 2 * target - jumper
    crossed = bit(target) | bit(origin)
    if crossed & (state.sides[0] | state.sides[1]) != NOTHING:
        return False
    return is_set(pieces_of(state, 1 - state.turn, PAWN), jumper)
