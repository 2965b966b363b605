"""What a network sees of Othello."""

import numpy as np

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from ..games.othello import PASS, SIZE
from .square import WITH_DIAGONALS, move_planes, moved_cell

# The eight cells of a row of a plane, by the row's eight bits.
ROW_CELLS = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.float32)
ROW_BITS = np.uint64(0xFF)


def write_board(board, plane):
    """Write a board of 64 bits to a plane of 8 rows of 8."""
    for row in range(8):
        cells = ROW_CELLS[(board >> np.uint64(8 * row)) & ROW_BITS]
        for column in range(8):
            plane[row, column] = cells[column]


class Othello(Encoder):
    """Planes (3, 8, 8): the observer's discs, the other's discs, where the observer may place one now."""

    name = "othello"
    games = ("othello",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (3, 8, 8)."""
        return 3, 8, 8

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return (0, 1)."""
        return 0.0, 1.0

    def planes(self, game: Game) -> list[str]:
        """Return the names of the planes."""
        return ["own discs", "other's discs", "own placements"]

    def key_words(self, game: Game) -> int:
        """Return 3."""
        return 3

    def symmetries(self, game: Game) -> int:
        """Return 4: a half turn and the reflections in the two diagonals; the pass stays.

        A quarter turn would exchange the colours of the first four discs.
        """
        return WITH_DIAGONALS

    def encode(self, game, state, player, out):
        write_board(state.discs[player], out[0])
        write_board(state.discs[1 - player], out[1])
        if player == state.turn:
            write_board(state.moves, out[2])

    def key(self, game, state, player, out):
        out[0] = state.discs[player]
        out[1] = state.discs[1 - player]
        if player == state.turn:
            out[2] = state.moves

    def transform(self, game, symmetry, observation, out):
        move_planes(symmetry, observation, out)

    def transform_head(self, game, symmetry, head):
        if head == PASS:
            return head
        return moved_cell(SIZE, symmetry, head)
