"""What a state read from outside must hold so that every other method stays inside its arrays."""

import numpy as np

from .board import ALIVE, CORPSE, FOOD, LONG_DEAD, OWNER, body_cell, is_over


def is_valid(self, state):
    """Return whether a state can be played on, or is an end."""
    if state.births != 0 or state.respawns != 0 or state.done != is_over(self, state):
        return False
    return has_valid_snakes(self, state) and has_valid_food(self, state) and has_valid_grid(self, state)


def is_cell(self, cell):
    """Return whether a number is that of a cell on the board."""
    return (cell >> self.row_bits) < self.grid_size and (cell & self.column_mask) < self.grid_size


def has_valid_snakes(self, state):
    """Return whether every body lies on the board, and on the grid where it says."""
    for snake in range(self.num_snakes):
        alive = state.fates[snake] == ALIVE
        if state.fates[snake] < ALIVE or state.fates[snake] > LONG_DEAD:
            return False
        if state.headings[snake] < 0 or state.headings[snake] > 3:
            return False
        if state.heads[snake] < 0 or state.heads[snake] >= self.cells:
            return False
        if state.lengths[snake] < (1 if alive else 0) or state.lengths[snake] > self.cells:
            return False
        for behind in range(state.lengths[snake]):
            cell = body_cell(state, snake, behind, self.cells)
            if not is_cell(self, cell):
                return False
            if alive and state.grid[cell] & OWNER != snake + 1:
                return False
            if not alive and state.grid[cell] & CORPSE == 0:
                return False
    return True


def has_valid_food(self, state):
    """Return whether the food lies ascending on cells of the board that hold food and nothing else."""
    if state.food_count < 0 or state.food_count > self.food:
        return False
    before = -1
    for place in range(state.food_count):
        cell = np.int64(state.food[place])
        if cell <= before or not is_cell(self, cell) or state.grid[cell] != FOOD:
            return False
        before = cell
    return True


def has_valid_grid(self, state):
    """Return whether the grid holds no more than the bodies and the food do.

    A living snake is at most as long as its cells on the grid are many, and with that it stays so:
    no body outgrows its ring.
    """
    owned, corpses, apples = 0, 0, 0
    for cell in range(self.grid_size << self.row_bits):
        content = state.grid[cell]
        if content != 0 and not is_cell(self, cell):
            return False
        if content & OWNER > self.num_snakes or content > (CORPSE | FOOD | OWNER):
            return False
        owned += 1 if content & OWNER != 0 else 0
        corpses += 1 if content & CORPSE != 0 else 0
        apples += 1 if content & FOOD != 0 else 0
    for snake in range(self.num_snakes):
        if state.fates[snake] == ALIVE:
            owned -= state.lengths[snake]
        else:
            corpses -= state.lengths[snake]
    return owned == 0 and corpses <= 0 and apples == state.food_count
