"""What a network sees of the grid world."""

from ..contracts.encoder import Encoder
from ..contracts.game import Game


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

    def encode(self, game, state, player, out):
        out[0, state.row, state.column] = 1.0
        out[1, game.goal_row, game.goal_col] = 1.0
