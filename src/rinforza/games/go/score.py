"""The area score of Tromp and Taylor: stones, and empty points that reach stones of one colour only."""

import numpy as np

from .board import BLACK, EMPTY, WALL, WHITE


def area_lead(self, state):
    """Return by how many points black's area is larger than white's, without komi."""
    seen = np.zeros(self.num_points, np.bool_)
    region = np.zeros(self.num_points, np.int32)  # the points of one empty region, as they are found
    lead = 0
    for point in range(self.num_points):
        if state.cells[point] == BLACK:
            lead += 1
        elif state.cells[point] == WHITE:
            lead -= 1
        elif not seen[point]:
            seen[point] = True
            region[0] = point
            size, colours = explore(self, state, seen, region)
            if colours == BLACK:
                lead += size
            elif colours == WHITE:
                lead -= size
    return lead


def explore(self, state, seen, region):
    """Walk the empty region of `region[0]`; return its size and the colours around it (1, 2, 3 for both)."""
    size, visited, colours = 1, 0, 0
    while visited < size:
        point = region[visited]
        visited += 1
        for side in range(4):
            near = self.neighbours[point, side]
            occupant = state.cells[near]
            if occupant == EMPTY:
                if not seen[near]:
                    seen[near] = True
                    region[size] = near
                    size += 1
            elif occupant != WALL:
                colours |= occupant
    return size, colours
