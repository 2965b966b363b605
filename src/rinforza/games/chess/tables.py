"""The tables that the rules look things up in; they are fields of the game's record.

Compiled code reads them as `game.rays` and so on; plain Python that has no game at hand asks `lookup()`.
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...compiled.random import mix
from .actions import RAYS, landings, move_types, neighbour
from .board import (
    ALL_CASTLING,
    BLACK,
    KINDS,
    KING_HOME,
    LONG,
    LONG_ROOK,
    NO_SQUARE,
    SHORT,
    SHORT_ROOK,
    SQUARES,
    WHITE,
    castling_rights,
)


def rays() -> np.ndarray:
    """Return the squares from each square to the edge in each direction, uint64[8, 64]."""
    found = np.zeros((len(RAYS), SQUARES), np.uint64)
    for direction, (file_step, rank_step) in enumerate(RAYS):
        for square in range(SQUARES):
            there = neighbour(square, file_step, rank_step)
            while there != NO_SQUARE:
                found[direction, square] |= np.uint64(1 << there)
                there = neighbour(there, file_step, rank_step)
    return found


def surviving_rights() -> np.ndarray:
    """Return the castling rights that are left once something moved from or to a square, int8[64]."""
    found = np.full(SQUARES, ALL_CASTLING, np.int8)
    for side, mirror in ((WHITE, 0), (BLACK, 56)):
        for square, wings in ((SHORT_ROOK, SHORT), (LONG_ROOK, LONG), (KING_HOME, SHORT | LONG)):
            found[square ^ mirror] = ALL_CASTLING ^ castling_rights(side, wings)
    return found


def random_words(count: int, purpose: int) -> np.ndarray:
    """Return words that look random, uint64[count]: the same on every machine, others for each purpose."""
    return mix(np.arange(count, dtype=np.uint64) + np.uint64(purpose << 32))


@cache
def tables() -> dict[str, Any]:
    """Return every table by its field name, made on first use."""
    to_squares = landings()
    return {
        "rays": rays(),
        "landings": to_squares,
        "move_types": move_types(to_squares),
        "surviving_rights": surviving_rights(),
        "piece_keys": random_words(2 * KINDS * SQUARES, 1).reshape(2, KINDS, SQUARES),
        "castling_keys": random_words(ALL_CASTLING + 1, 2),
        "en_passant_keys": random_words(8, 3),
        "turn_key": random_words(1, 4)[0],
    }


@cache
def lookup() -> SimpleNamespace:
    """Return the tables as attributes: what stands for the game's record where there is no game."""
    return SimpleNamespace(**tables())
