"""What a network sees of 2048."""

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from .square import ABOVE, ALL, BELOW, LEFT, RIGHT, move_planes, moved_step

STEPS = (ABOVE, RIGHT, BELOW, LEFT)  # where the actions lead


class Game2048(Encoder):
    """Planes (18, 4, 4): the empty cells, then the cells with the tile 2, 4, 8 and so on up to 131072."""

    name = "2048"
    games = ("2048",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (18, 4, 4)."""
        return 18, 4, 4

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return (0, 1)."""
        return 0.0, 1.0

    def planes(self, game: Game) -> list[str]:
        """Return the names of the planes."""
        return ["empty", *(f"tile {1 << exponent}" for exponent in range(1, 18))]

    def symmetries(self, game: Game) -> int:
        """Return 8: the rotations and reflections of the board."""
        return ALL

    def encode(self, game, state, player, out):
        for row in range(4):
            for column in range(4):
                out[state.cells[4 * row + column], row, column] = 1.0

    def transform(self, game, symmetry, observation, out):
        move_planes(symmetry, observation, out)

    def transform_head(self, game, symmetry, head):
        return moved_step(STEPS, symmetry, head)
