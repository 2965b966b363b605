"""What a network sees of tic-tac-toe."""

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from .square import ALL, move_planes, moved_cell


class TicTacToe(Encoder):
    """Planes (2, 3, 3): the observer's marks, the other's marks."""

    name = "tictactoe"
    games = ("tictactoe",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (2, 3, 3)."""
        return 2, 3, 3

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return (0, 1)."""
        return 0.0, 1.0

    def planes(self, game: Game) -> list[str]:
        """Return the names of the planes."""
        return ["own marks", "other's marks"]

    def symmetries(self, game: Game) -> int:
        """Return 8: the rotations and reflections of the board."""
        return ALL

    def encode(self, game, state, player, out):
        for cell in range(9):
            mark = state.cells[cell]
            if mark != 0:
                out[0 if mark == player + 1 else 1, cell // 3, cell % 3] = 1.0

    def transform(self, game, symmetry, observation, out):
        move_planes(symmetry, observation, out)

    def transform_head(self, game, symmetry, head):
        return moved_cell(3, symmetry, head)
