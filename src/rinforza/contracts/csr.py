"""Writing a row's legal actions into a ragged array of a batch."""

import numpy as np

from ..compiled import array_at
from .learner import column
from .rules import head_index_under


def write_legal(rules, batch, ids_column, row, legal, count, player):
    """Append `legal[:count]` to array `ids_column` as the ids of `row`, ascending in the head frame.

    The array after it holds the offsets; rows are written in order.
    """
    write_legal_under(rules, batch, ids_column, row, legal, count, player, 0)


def write_legal_under(rules, batch, ids_column, row, legal, count, player, symmetry):
    """Do what `write_legal` does, for the columns under a symmetry."""
    filled = array_at(batch.filled, ids_column + 1, np.int64)
    start = filled[ids_column]
    ids = column(batch, ids_column, start + count, np.int64)
    for position in range(count):
        head = head_index_under(rules, symmetry, legal[position], player)
        place = start + position
        while place > start and ids[place - 1] > head:  # a renumbering encoder may change the order
            ids[place] = ids[place - 1]
            place -= 1
        ids[place] = head
    filled[ids_column] = start + count
    column(batch, ids_column + 1, row + 2, np.int64)[row + 1] = start + count
