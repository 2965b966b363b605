"""What a network sees of Go."""

import numpy as np

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from .square import ALL, move_planes, moved_cell

WORD = 8  # bytes of a word of a key


class Go(Encoder):
    """Planes (5, size, size), row 0 at the bottom.

    The observer's stones; the other's stones; where the observer may put a stone now; ones if the last move
    was a pass, so that another one ends the game; ones if the observer is black.
    """

    name = "go"
    games = ("go",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (5, size, size)."""
        size = game.parameters["size"]
        return 5, size, size

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return (0, 1)."""
        return 0.0, 1.0

    def planes(self, game: Game) -> list[str]:
        """Return the names of the planes."""
        return ["own stones", "other's stones", "own placements", "last move was a pass", "observer is black"]

    def key_words(self, game: Game) -> int:
        """Return the words for two bytes of each point, and one."""
        return -(-2 * game.parameters["size"] ** 2 // WORD) + 1

    def symmetries(self, game: Game) -> int:
        """Return 8: the rotations and reflections of the board; the pass stays."""
        return ALL

    def encode(self, game, state, player, out):
        flat = out.reshape(5, game.num_points)
        own, other, placements = flat[0], flat[1], flat[2]
        for point in range(game.num_points):
            own[point] = 1.0 if state.cells[point] == player + 1 else 0.0
            other[point] = 1.0 if state.cells[point] == 2 - player else 0.0
        if player == state.ply & 1:
            for point in range(game.num_points):
                placements[point] = 1.0 if state.legal[point] != 0 else 0.0
        if state.passes != 0:
            flat[3, :] = 1.0
        if player == 0:
            flat[4, :] = 1.0

    def key(self, game, state, player, out):
        points = game.num_points
        marks = out.view(np.uint8)
        marks[:points] = state.cells[:points]
        if player == state.ply & 1:
            marks[points : 2 * points] = state.legal
        out[len(out) - 1] = np.uint64((state.passes != 0) + 2 * player)

    def transform(self, game, symmetry, observation, out):
        move_planes(symmetry, observation, out)

    def transform_head(self, game, symmetry, head):
        if head == game.num_points:
            return head
        return moved_cell(game.size, symmetry, head)
