"""Snake positions laid out by hand, or taken from a twin."""

import numpy as np

from rinforza.games.snake.board import ALIVE, CORPSE, FOOD, LONG_DEAD

from .damage import damaged

UP, DOWN, LEFT, RIGHT = range(4)
TWO = {"grid_size": 5, "food": 6, "initial_length": 2}
LEADING = {"grid_size": 5, "food": 6, "initial_length": 2, "win_food_lead": 2}
THREE = {"grid_size": 6, "food": 4, "initial_length": 1, "num_snakes": 3, "play_to_last": False}
EIGHT = {"grid_size": 9, "food": 8, "initial_length": 2, "num_snakes": 8}
OPTIONS = {"two": TWO, "leading": LEADING, "three": THREE, "eight": EIGHT}
FORWARD, TURN_LEFT, TURN_RIGHT = range(3)


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


def tick(lane, state, *actions):
    """Return the state after a tick, its payloads, and its events."""
    assert lane.valid(state) == 1
    after, events = lane.step(state, np.array(actions))
    record = lane.record(after)
    payloads = [lane.game.event_payload(snake, amounts, record) for snake, amounts in enumerate(events)]
    return after, payloads, events


def happened(payload):
    """Return what a payload reports beyond nothing, the cause of death last."""
    flags = [name for name, value in payload.items() if value is True and name != "died"]
    assert payload["died"] == (payload["death_cause"] is not None)
    return [*flags, *([payload["death_cause"]] if payload["died"] else [])]
