"""Bit tricks on unsigned 64-bit boards. Every literal that meets a board is a `np.uint64` constant."""

import numpy as np

ONE = np.uint64(1)
TWO = np.uint64(2)
FOUR = np.uint64(4)
FIFTY_SIX = np.uint64(56)
ODD_BITS = np.uint64(0x5555555555555555)
PAIRS = np.uint64(0x3333333333333333)
NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
BYTES = np.uint64(0x0101010101010101)


def bit(index):
    """Return the board with only square `index` (0 to 63) set."""
    return ONE << np.uint64(index)


def is_set(board, index):
    """Return whether square `index` of `board` is set."""
    return (board >> np.uint64(index)) & ONE != np.uint64(0)


def count_bits(board):
    """Return the number of squares that are set (int64)."""
    board = board - ((board >> ONE) & ODD_BITS)
    board = (board & PAIRS) + ((board >> TWO) & PAIRS)
    board = (board + (board >> FOUR)) & NIBBLES
    return np.int64((board * BYTES) >> FIFTY_SIX)


def lowest_bit(board):
    """Return the index of the lowest square that is set; 64 for an empty board."""
    return count_bits((board - ONE) & ~board)
