"""The cells of a start buffer: positions in which equally many snakes are short, longer, and long.

A length is one of ten sizes, three lengths to a size, and a cell is what sizes the snakes have, whoever has
them. Cells are numbered by the combinatorial number system: sizes s(0) <= s(1) <= ... of n snakes become the
strictly ascending s(i) + i, and the number is the sum of the binomials (s(i) + i choose i + 1).
"""

from math import comb

from .board import ALIVE

LENGTHS_OF_A_SIZE = 3
SIZES = 10


def cells_of(num_snakes: int) -> int:
    """Return how many cells there are."""
    return comb(SIZES + num_snakes - 1, num_snakes)


def cell_number(self, state):
    """Return the cell of a position, or -1 where a snake is dead."""
    for snake in range(self.num_snakes):
        if state.fates[snake] != ALIVE:
            return -1
    number = 0
    place = 0
    for size in range(SIZES):
        for snake in range(self.num_snakes):
            if min(state.lengths[snake] // LENGTHS_OF_A_SIZE, SIZES - 1) == size:
                number += binomial(size + place, place + 1)
                place += 1
    return number


def binomial(n, k):
    """Return n choose k."""
    result = 1
    for factor in range(k):
        result = result * (n - factor) // (factor + 1)
    return result
