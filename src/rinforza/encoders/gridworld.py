"""What a network sees of the grid world."""

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from .square import ABOVE, BELOW, DIAGONAL, LEFT, RIGHT, move_planes, moved_step

STEPS = (ABOVE, BELOW, LEFT, RIGHT)  # where the actions lead


class GridWorld(Encoder):
    """Planes (2, size, size): the agent's cell, the goal's cell."""

    name = "gridworld"
    games = ("gridworld",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (2, size, size)."""
        size = game.parameters["size"]
        return 2, size, size

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return (0, 1)."""
        return 0.0, 1.0

    def planes(self, game: Game) -> list[str]:
        """Return the names of the planes."""
        return ["agent", "goal"]

    def symmetries(self, game: Game) -> int:
        """Return 2 with the reflection in the main diagonal, where it leaves the goal where it is."""
        return 2 if game.parameters["goal_row"] == game.parameters["goal_col"] else 1

    def encode(self, game, state, player, out):
        out[0, state.row, state.column] = 1.0
        out[1, game.goal_row, game.goal_col] = 1.0

    def transform(self, game, symmetry, observation, out):
        move_planes(DIAGONAL * symmetry, observation, out)

    def transform_head(self, game, symmetry, head):
        return moved_step(STEPS, DIAGONAL * symmetry, head)
