"""The symmetries of a square board: three quarter turns, four reflections and the identity.

A symmetry's number has three bits: MIRROR exchanges left and right, then DIAGONAL reflects in the main diagonal
(rows become columns), then HALF_TURN turns the board upside down. The numbers below 2, below 4 and below 8
are groups: each has its inverse among them.
"""

HALF_TURN, DIAGONAL, MIRROR = 1, 2, 4  # bits of a symmetry's number
WITH_HALF_TURN, WITH_DIAGONALS, ALL = 2, 4, 8  # how many symmetries an encoder offers
# The cells of a board of 3x3 beside its middle.
ABOVE, LEFT, RIGHT, BELOW = 1, 3, 5, 7


def moved_cell(size, symmetry, cell):
    """Return where a cell, numbered row by row, goes on a board with `size` rows."""
    last = size - 1
    row, column = cell // size, cell % size
    if symmetry & MIRROR != 0:
        column = last - column
    if symmetry & DIAGONAL != 0:
        row, column = column, row
    if symmetry & HALF_TURN != 0:
        row, column = last - row, last - column
    return row * size + column


def move_planes(symmetry, planes, out):
    """Write square planes under a symmetry to `out`, all float32[C, size, size]."""
    count, size, _ = planes.shape
    for cell in range(size * size):
        moved = moved_cell(size, symmetry, cell)
        for plane in range(count):
            out[plane, moved // size, moved % size] = planes[plane, cell // size, cell % size]


def moved_step(steps, symmetry, action):
    """Return the action that a step up, down, left or right becomes.

    `steps` has for each action the cell of a board of 3x3 to which it leads from the middle: ABOVE, LEFT, ...
    """
    target = moved_cell(3, symmetry, steps[action])
    for other in range(len(steps)):
        if steps[other] == target:
            return other
    return action
