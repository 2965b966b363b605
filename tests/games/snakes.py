"""Snake positions laid out by hand, or taken from a twin."""

import numpy as np

from rinforza.games.snake.board import ALIVE, CORPSE, FOOD, LONG_DEAD

from .damage import damaged

UP, DOWN, LEFT, RIGHT = range(4)


def laid_out(lane, bodies, headings, food=(), alive=None, shift=0):
    """Return a state with these bodies, lists of (row, column) with the head first.

    Args:
        lane: The game's lane.
        bodies: One body for each snake.
        headings: Where each snake moves.
        food: Where the food is.
        alive: Whether each snake lives, or None for all.
        shift: Where in their rings the bodies lie.
    """
    game = lane.game
    alive = [True] * len(bodies) if alive is None else alive
    rings = np.zeros((game.num_snakes, game.cells), np.int64)
    grid = np.zeros(game.grid_size << game.row_bits, np.int64)
    for snake, body in enumerate(bodies):
        for behind, place in enumerate(body):
            cell = number_of(game, place)
            rings[snake, (shift - behind) % game.cells] = cell
            grid[cell] |= snake + 1 if alive[snake] else CORPSE
    apples = sorted(number_of(game, place) for place in food)
    grid[apples] |= FOOD
    state = lane.initial()
    for field, content in {
        "bodies": rings,
        "grid": grid,
        "food": apples + [0] * (max(1, game.parameters["food"]) - len(apples)),
        "food_count": len(apples),
        "heads": shift,
        "lengths": [len(body) for body in bodies],
        "headings": headings,
        "fates": [ALIVE if lives else LONG_DEAD for lives in alive],
        "births": 0,
    }.items():
        state = damaged(lane, state, field, content)
    return state


def number_of(game, place):
    """Return the number of the cell at (row, column)."""
    return place[0] << game.row_bits | place[1]
