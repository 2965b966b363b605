"""Making a move, and remembering the position it leads to."""

import numpy as np

from ...compiled.bits import bit, is_set
from .actions import MOVE_TYPES, is_underpromotion, lesser_piece
from .board import (
    BACK_RANKS,
    BLACK,
    HISTORY_WORDS,
    KINDS,
    KING,
    MOST_MOVES,
    NO_SQUARE,
    NOTHING,
    PAWN,
    QUEEN,
    ROOK,
    kind_on,
)
from .identity import occurrences, rights_key


def lift(game, state, side, kind, square):
    """Take a piece off its square, or put it there."""
    board = bit(square)
    state.kinds[kind] ^= board
    state.sides[side] ^= board
    state.key ^= game.piece_keys[side, kind, square]


def play(game, state, action):
    """Make a legal move; the state is then complete but for `done`."""
    side = np.int64(state.turn)
    square, landing = action // MOVE_TYPES, np.int64(game.landings[action])
    kind = kind_on(state, square)
    jumped = state.en_passant
    remember_key(state)
    state.key ^= rights_key(game, state) ^ game.turn_key
    state.en_passant = NO_SQUARE
    lift(game, state, side, kind, square)
    if is_set(state.sides[side], landing):
        castle(game, state, side, square, landing)
    else:
        victim = kind_on(state, landing)
        if victim != KINDS:
            lift(game, state, 1 - side, victim, landing)
            state.n_past, state.clock = 0, 0
        if kind == PAWN:
            state.n_past, state.clock = 0, 0
            kind = advance_pawn(game, state, side, square, landing, jumped, action)
        lift(game, state, side, kind, landing)
    state.castling &= game.surviving_rights[square] & game.surviving_rights[landing]
    state.turn = 1 - side
    if side == BLACK and state.move < MOST_MOVES:
        state.move += 1
    state.key ^= rights_key(game, state)
    state.seen = occurrences(state)
    if game.history_length > 0:
        state.newest = (state.newest + 1) % game.history_length
        remember_position(state)


def remember_key(state):
    """Append the key of the position that is about to be left, and count the half-move."""
    state.past[state.n_past] = state.key
    state.n_past += 1
    state.clock += 1


def castle(game, state, side, square, landing):
    """Move king and rook, the king already lifted, to where castling leads them."""
    toward_h = landing > square
    lift(game, state, side, ROOK, landing)
    lift(game, state, side, ROOK, square + 1 if toward_h else square - 1)
    lift(game, state, side, KING, square + 2 if toward_h else square - 2)


def advance_pawn(game, state, side, square, landing, jumped, action):
    """Do what only pawns do: capture en passant, jump two squares, promote; return what it has become."""
    if landing == jumped:
        lift(game, state, 1 - side, PAWN, landing ^ 8)
    elif abs(landing - square) == 16:
        state.en_passant = (square + landing) // 2
    if is_underpromotion(action):
        return lesser_piece(action)
    return QUEEN if bit(landing) & BACK_RANKS != NOTHING else PAWN


def remember_position(state):
    """Write the current position to its place in the history."""
    for kind in range(KINDS):
        state.history[state.newest, kind] = state.kinds[kind]
    for side in range(2):
        state.history[state.newest, KINDS + side] = state.sides[side]
    state.history[state.newest, HISTORY_WORDS - 1] = np.uint64(state.seen)
