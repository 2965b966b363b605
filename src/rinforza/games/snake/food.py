"""Placing food: which cells are free, how many outcomes a draw has, and what an outcome means."""

from .board import FOOD


def count_free(self, state):
    """Return how many cells hold nothing."""
    free = 0
    for row in range(self.grid_size):
        start = row << self.row_bits
        for column in range(self.grid_size):
            free += 1 if state.grid[start + column] == 0 else 0
    return free


def free_cell(self, state, number):
    """Return the free cell of this number, row by row."""
    for row in range(self.grid_size):
        start = row << self.row_bits
        for column in range(self.grid_size):
            if state.grid[start + column] == 0:
                if number == 0:
                    return start + column
                number -= 1
    return 0


def count_outcomes(self, state):
    """Return in how many ways the apples of one draw can lie, told apart by their order."""
    free = count_free(self, state)
    if state.births > 0:
        return free
    outcomes = 1
    for placed in range(state.respawns):
        outcomes *= free - placed
    return outcomes


def place_drawn(self, state, outcome):
    """Place the apples that an outcome stands for, and strike them from those to be placed.

    The last digit of the outcome, in the base of the number of free cells, says where the first
    apple goes; what is left of it says where the others go among the cells that are then free.
    """
    apples = 1
    if state.births > 0:
        state.births -= 1
    else:
        apples = state.respawns
        state.respawns = 0
    free = count_free(self, state)
    for placed in range(apples):
        bound = free - placed
        add_food(state, free_cell(self, state, outcome % bound))
        outcome //= bound


def add_food(state, cell):
    """Put food on a cell; the list stays ascending."""
    place = state.food_count
    while place > 0 and state.food[place - 1] > cell:
        state.food[place] = state.food[place - 1]
        place -= 1
    state.food[place] = cell
    state.food_count += 1
    state.grid[cell] |= FOOD


def remove_food(state, cell):
    """Take the food off a cell."""
    last = state.food_count - 1
    place = 0
    while place < last and state.food[place] != cell:
        place += 1
    while place < last:
        state.food[place] = state.food[place + 1]
        place += 1
    state.food[last] = 0
    state.food_count = last
    state.grid[cell] &= 0xFF ^ FOOD
