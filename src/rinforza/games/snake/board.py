"""How a Snake state is laid out.

A cell is row << row_bits | column: row 0 is at the top, column 0 at the left, and the row bits are the
fewest that hold a column. `grid` has one byte for each such number; those of columns beyond the board stay 0.
Of a byte:

    bits 0 to 3   1 + the living snake whose body lies there, or 0
    bit 4         food
    bit 5         what is left of a snake that died on an earlier tick, or on this one

A living snake may lie on a dead one, so a dead snake's cells are only in its own body. A body is a ring:
`bodies[snake, heads[snake]]` is the head; the cells behind it are found going down, and after 0 from the end.
"""

from typing import Any

import numpy as np

UP, DOWN, LEFT, RIGHT = range(4)
ROW_STEPS = np.array([-1, 1, 0, 0])
COLUMN_STEPS = np.array([0, 0, -1, 1])
OWNER, FOOD, CORPSE = 0x0F, 0x10, 0x20  # of a byte of the grid
ALIVE, WALL, SELF, OPPONENT, HEAD_ON, LONG_DEAD = range(6)  # fates
OFF_BOARD = -1
LARGEST_SHORT_CELL = (1 << 16) - 1


def row_bits_of(grid_size: int) -> int:
    """Return how many bits a column needs."""
    return max(1, (grid_size - 1).bit_length())


def layout_of(grid_size: int, num_snakes: int, food: int) -> np.dtype:
    """Return the layout of the states of a game with these numbers."""
    room = grid_size << row_bits_of(grid_size)
    cell: Any = np.uint16 if room - 1 <= LARGEST_SHORT_CELL else np.uint32
    return np.dtype(
        [
            ("bodies", cell, (num_snakes, grid_size * grid_size)),
            ("grid", np.uint8, (room,)),
            ("food", cell, (max(1, food),)),  # the cells with food, ascending
            ("food_count", np.int32),
            ("heads", np.int32, (num_snakes,)),  # where in its ring a body begins
            ("lengths", np.int32, (num_snakes,)),
            ("headings", np.int8, (num_snakes,)),
            ("fates", np.int8, (num_snakes,)),  # ALIVE, how it died on the last tick, or LONG_DEAD
            ("births", np.int32),  # apples still to be placed before the game starts, one by one
            ("respawns", np.int32),  # apples to be placed next, all at once
            ("done", np.bool_),
        ],
        align=True,
    )


def body_cell(state, snake, behind, ring):
    """Return the cell of a body so many places behind the head; `ring` is how many a ring holds."""
    place = np.int64(state.heads[snake]) - behind
    return np.int64(state.bodies[snake, place if place >= 0 else place + ring])


def cell_ahead(self, state, snake):
    """Return the cell that a head moves to, or OFF_BOARD."""
    head = np.int64(state.bodies[snake, state.heads[snake]])
    heading = state.headings[snake]
    row = (head >> self.row_bits) + ROW_STEPS[heading]
    column = (head & self.column_mask) + COLUMN_STEPS[heading]
    if row < 0 or row >= self.grid_size or column < 0 or column >= self.grid_size:
        return OFF_BOARD
    return (row << self.row_bits) | column


def push_head(self, state, snake, cell):
    """Put a new head before the body."""
    place = state.heads[snake] + 1
    if place == self.cells:
        place = 0
    state.heads[snake] = place
    state.bodies[snake, place] = cell
    state.lengths[snake] += 1
    state.grid[cell] |= snake + 1


def is_over(self, state):
    """Return whether the game has ended: too few live, or one of two leads by enough."""
    alive = 0
    for snake in range(self.num_snakes):
        alive += 1 if state.fates[snake] == ALIVE else 0
    if alive <= (0 if self.play_to_last else 1):
        return True
    if self.lead == 0 or alive < 2:
        return False
    return abs(np.int64(state.lengths[0]) - np.int64(state.lengths[1])) >= self.lead
