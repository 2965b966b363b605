"""Counting the leaves of the tree of moves (perft), draws left out: a truth test for move generation."""

import numpy as np

from rinforza.compiled import INT, Prototype, RecordOf, array_at, compile_function, copy_bytes, record_at
from rinforza.games.chess import Chess
from rinforza.games.chess.board import state_layout
from rinforza.games.chess.fen import read_fen
from rinforza.games.chess.moves import list_moves
from rinforza.games.chess.play import play

STATE = state_layout(0)
STATE_SIZE = STATE.itemsize
MOST_MOVES = 256  # no position has more than 218


def count_leaves(game, states, moves, depth):
    """Return the leaves below the state at address `states`, which has room for `depth` states after it.

    `moves` has room for MOST_MOVES actions for each level. The moves of the last level are only counted.
    """
    out = array_at(moves, MOST_MOVES, np.int32)
    count = list_moves(game, record_at(states, STATE), out)
    if depth == 1:
        return count
    leaves = 0
    below = states + STATE_SIZE
    for index in range(count):
        copy_bytes(below, states, STATE_SIZE)
        play(game, record_at(below, STATE), np.int64(out[index]))
        leaves += count_leaves(game, below, moves + 4 * MOST_MOVES, depth - 1)
    return leaves


COUNT_LEAVES = Prototype("count_leaves", INT, RecordOf("game"), INT, INT, INT)


def perft(fen: str, depth: int) -> int:
    """Return the number of sequences of `depth` legal moves from a position."""
    game = Chess().record
    entry = compile_function(count_leaves, COUNT_LEAVES, {"game": game.dtype}, "count_leaves").entry
    states = np.zeros(depth, STATE)
    states[0] = read_fen(fen)
    moves = np.zeros((depth, MOST_MOVES), np.int32)
    return int(entry(game[0], states.ctypes.data, moves.ctypes.data, depth))
