"""Where the snakes of a new game lie."""

from .board import DOWN, LEFT, RIGHT, UP

LEGS = ((LEFT, DOWN, RIGHT, UP), (RIGHT, UP, LEFT, DOWN))  # how even and odd snakes' bodies are traced
STEPS = {UP: (-1, 0), DOWN: (1, 0), LEFT: (0, -1), RIGHT: (0, 1)}
Cell = tuple[int, int]


def starting_bodies(grid_size: int, num_snakes: int, length: int) -> list[list[Cell]]:
    """Return each snake's cells (row, column), head first.

    Raises:
        ValueError: If they do not fit.
    """
    bodies = [_body(grid_size, num_snakes, snake, length) for snake in range(num_snakes)]
    taken: set[Cell] = set()
    for body in bodies:
        for cell in body:
            if cell in taken:
                raise ValueError(
                    f"grid_size {grid_size} is too small for initial_length {length} and {num_snakes} "
                    f"snakes: initial snakes overlap at {cell}"
                )
            taken.add(cell)
    return bodies


def _body(grid_size: int, num_snakes: int, snake: int, length: int) -> list[Cell]:
    """Trace a body from its head: straight on to the edge, then along it."""
    row = grid_size // 2 if num_snakes == 2 else (snake + 1) * grid_size // (num_snakes + 1)
    column = grid_size - grid_size // 3 if snake % 2 else grid_size // 3
    if not _inside(grid_size, (row, column)):
        raise ValueError(f"grid_size {grid_size} is too small: the head of snake {snake} would be outside")
    body = [(row, column)]
    for leg in LEGS[snake % 2]:
        down, right = STEPS[leg]
        cell = body[-1][0] + down, body[-1][1] + right
        while len(body) < length and _inside(grid_size, cell):
            body.append(cell)
            cell = cell[0] + down, cell[1] + right
    if len(body) < length:
        raise ValueError(
            f"initial_length {length} does not fit grid_size {grid_size}: no more than {len(body)} cells can "
            f"be laid out for snake {snake}"
        )
    return body


def _inside(grid_size: int, cell: Cell) -> bool:
    return all(0 <= coordinate < grid_size for coordinate in cell)
