"""How moves are numbered: an action is from_square * 73 + move type.

    0 to 55   along a ray: direction * 7 + distance - 1, directions N NE E SE S SW W NW; also pawn moves
              (a pawn that reaches the last rank so becomes a queen) and the king
    56 to 63  a knight's jump, in the order of KNIGHT_JUMPS
    64 to 72  a pawn becomes less than a queen: 64 + 3 * way + piece, way 0 straight, 1 toward the a-file,
              2 toward the h-file; piece 0 knight, 1 bishop, 2 rook

Castling is the king's move to the square of its own rook. A from-square and a to-square have one move type
but for promotions, and an action has one to-square: a pawn moves away from its own side, and a promotion
starts on the seventh rank of its side.
"""

import numpy as np

from .board import KNIGHT, NO_SQUARE, SQUARES

MOVE_TYPES = 73
ACTIONS = SQUARES * MOVE_TYPES
N, NE, E, SE, S, SW, W, NW = range(8)
RAYS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))  # (file, rank) steps
KNIGHT_JUMPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
DISTANCES = 7
FIRST_JUMP = 56
FIRST_UNDERPROMOTION = 64
LESSER_PIECES = 3  # knight, bishop, rook: what a pawn may become besides a queen
NO_TYPE = 255  # of two squares that no move joins


def neighbour(square: int, file_step: int, rank_step: int) -> int:
    """Return the square so many files and ranks away, or NO_SQUARE beyond the edge."""
    file, rank = square % 8 + file_step, square // 8 + rank_step
    return rank * 8 + file if 0 <= file < 8 and 0 <= rank < 8 else NO_SQUARE


def landings() -> np.ndarray:
    """Return the to-square of each action, int8[ACTIONS]; NO_SQUARE where the id means no move."""
    found = np.full((SQUARES, MOVE_TYPES), NO_SQUARE, np.int8)
    for square in range(SQUARES):
        for direction, (file_step, rank_step) in enumerate(RAYS):
            for distance in range(1, DISTANCES + 1):
                move_type = direction * DISTANCES + distance - 1
                found[square, move_type] = neighbour(square, distance * file_step, distance * rank_step)
        for jump, (file_step, rank_step) in enumerate(KNIGHT_JUMPS):
            found[square, FIRST_JUMP + jump] = neighbour(square, file_step, rank_step)
        forward = {6: 1, 1: -1}.get(square // 8)
        if forward is not None:
            for way, file_step in enumerate((0, -1, 1)):
                first = FIRST_UNDERPROMOTION + LESSER_PIECES * way
                found[square, first : first + LESSER_PIECES] = neighbour(square, file_step, forward)
    return found.reshape(-1)


def move_types(landings: np.ndarray) -> np.ndarray:
    """Return the ray or jump from one square to another, uint8[64, 64]; NO_TYPE where there is none."""
    found = np.full((SQUARES, SQUARES), NO_TYPE, np.uint8)
    for action, landing in enumerate(landings):
        square, move_type = divmod(action, MOVE_TYPES)
        if landing != NO_SQUARE and move_type < FIRST_UNDERPROMOTION:
            found[square, landing] = move_type
    return found


def is_underpromotion(action):
    """Return whether an action turns a pawn into a knight, a bishop or a rook."""
    return action % MOVE_TYPES >= FIRST_UNDERPROMOTION


def lesser_piece(action):
    """Return the kind that an underpromotion gives."""
    return KNIGHT + (action % MOVE_TYPES - FIRST_UNDERPROMOTION) % LESSER_PIECES
