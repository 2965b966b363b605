"""What a network sees of Snake."""

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from ..games.snake.board import DOWN, LEFT, UP, body_cell

OWN_HEAD, OTHER_HEADS, FOOD = 0, 2, 4  # a snake's body is on the plane after its head


class Snake(Encoder):
    """Planes (5, grid_size, grid_size): own head, own body, other heads, other bodies, food.

    The board is turned so that the observer moves, or last moved, up; it is not centred on its head.
    Dead snakes stay visible, without the cell that their head ran into.
    """

    name = "snake"
    games = ("snake",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (5, grid_size, grid_size)."""
        size = game.parameters["grid_size"]
        return 5, size, size

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return (0, 1)."""
        return 0.0, 1.0

    def planes(self, game: Game) -> list[str]:
        """Return the five names."""
        return ["own head", "own body", "other heads", "other bodies", "food"]

    def encode(self, game, state, player, out):
        heading = state.headings[player]
        for snake in range(game.num_snakes):
            plane = OWN_HEAD if snake == player else OTHER_HEADS
            for behind in range(state.lengths[snake]):
                mark(game, out, plane, heading, body_cell(state, snake, behind, game.cells))
                if behind == 0:
                    plane += 1
        for index in range(state.food_count):
            mark(game, out, FOOD, heading, state.food[index])


def mark(game, out, plane, heading, cell):
    """Set a cell of a plane, with the heading turned up."""
    last = game.grid_size - 1
    row, column = cell >> game.row_bits, cell & game.column_mask
    if heading == UP:
        out[plane, row, column] = 1.0
    elif heading == DOWN:
        out[plane, last - row, last - column] = 1.0
    elif heading == LEFT:
        out[plane, column, last - row] = 1.0
    else:
        out[plane, last - column, row] = 1.0
