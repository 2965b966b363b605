"""What a network sees of Hex."""

import numpy as np

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from .square import WITH_HALF_TURN, move_planes, moved_cell

WORD = 8  # bytes of a word of a key


class Hex(Encoder):
    """Planes (3, size, size): own stones, the other's, and ones if the observer joins top and bottom."""

    name = "hex"
    games = ("hex",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (3, size, size)."""
        size = game.parameters["size"]
        return 3, size, size

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return (0, 1)."""
        return 0.0, 1.0

    def planes(self, game: Game) -> list[str]:
        """Return the names of the planes."""
        return ["own stones", "other's stones", "observer joins top and bottom"]

    def key_words(self, game: Game) -> int:
        """Return the words for a byte of each cell, and one."""
        return -(-(game.parameters["size"] ** 2) // WORD) + 1

    def symmetries(self, game: Game) -> int:
        """Return 2: the half turn.

        A reflection that exchanges the players would also exchange who moves first.
        """
        return WITH_HALF_TURN

    def encode(self, game, state, player, out):
        flat = out.reshape(3, game.num_actions)
        own, other, direction = flat[0], flat[1], flat[2]
        for cell in range(game.num_actions):
            owner = state.cells[cell] & 3
            own[cell] = 1.0 if owner == player + 1 else 0.0
            other[cell] = 1.0 if owner == 2 - player else 0.0
        if player == 0:
            direction[:] = 1.0

    def key(self, game, state, player, out):
        out.view(np.uint8)[: game.num_actions] = state.cells
        out[len(out) - 1] = np.uint64(player)

    def transform(self, game, symmetry, observation, out):
        move_planes(symmetry, observation, out)

    def transform_head(self, game, symmetry, head):
        return moved_cell(game.size, symmetry, head)
