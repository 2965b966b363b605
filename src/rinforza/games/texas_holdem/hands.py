"""How strong a hand is, from the set of its cards, without tables.

A set of cards is the bits 0 to 51 of an int64: four bits for each rank, deuce to ace, one for each suit.
A set of ranks has one bit for each rank, at 0, 4, 8 ... 48, so what is known of all ranks comes from a few
operations on the whole word.
"""

import numpy as np

from ...compiled.bits import count_bits

RANKS = 0x1111111111111  # one bit for each rank
ALL_CARDS = (1 << 52) - 1
ODD_BITS, PAIRS_OF_BITS = 0x5555555555555, 0x3333333333333
HAND = 5  # cards that count
HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(9)
CATEGORY_SHIFT, MAIN_SHIFT = 26, 13  # thirteen bits each for the main ranks and for the kickers


def hand_strength(cards):
    """Return a number that orders hands of up to seven cards by the best five; equal for equal hands."""
    suited = flush_ranks(cards)
    run = best_run(suited)
    if run != 0:
        return strength(STRAIGHT_FLUSH, run, 0)
    counts = cards - ((cards >> 1) & ODD_BITS)
    counts = (counts & PAIRS_OF_BITS) + ((counts >> 2) & PAIRS_OF_BITS)  # cards of each rank, 0 to 4
    fours = (counts >> 2) & RANKS
    several = (counts >> 1) & RANKS  # two or three cards
    threes = several & counts
    ranks = (counts & RANKS) | several | fours
    if fours != 0:
        four = highest(fours)
        return strength(FOUR, four, highest(ranks ^ four))
    three = highest(threes)
    pair = highest(several ^ three)
    if three != 0 and pair != 0:
        return strength(FULL_HOUSE, three, pair)
    if suited != 0:
        return strength(FLUSH, top(suited, HAND), 0)
    run = best_run(ranks)
    if run != 0:
        return strength(STRAIGHT, run, 0)
    if three != 0:
        return strength(THREE, three, top(ranks ^ three, HAND - 3))
    pairs = pair | highest(several ^ pair)
    if pairs != pair:
        return strength(TWO_PAIR, pairs, highest(ranks ^ pairs))
    return strength(
        PAIR if pair != 0 else HIGH_CARD, pair, top(ranks ^ pair, HAND - 2 if pair != 0 else HAND)
    )


def strength(category, main, kickers):
    """Join a category with the ranks that decide within it: the main ones first, then the kickers."""
    return category << CATEGORY_SHIFT | gathered(main) << MAIN_SHIFT | gathered(kickers)


def flush_ranks(cards):
    """Return the ranks of the suit of which there are five cards or more, or none."""
    for suit in range(4):
        ranks = (cards >> suit) & RANKS
        if count_bits(np.uint64(ranks)) >= HAND:
            return ranks
    return 0


def best_run(ranks):
    """Return the highest rank that ends five in a row, or none; an ace also counts below the deuce."""
    line = ranks << 4 | ranks >> 48
    return highest(line & line << 4 & line << 8 & line << 12 & line << 16) >> 4


def highest(ranks):
    """Return only the highest of some ranks."""
    filled = ranks | ranks >> 4
    filled |= filled >> 8
    filled |= filled >> 16
    filled |= filled >> 32
    return filled & ~(filled >> 4)


def top(ranks, count):
    """Return the highest `count` of some ranks, or all if there are no more."""
    surplus = count_bits(np.uint64(ranks)) - count
    while surplus > 0:
        ranks &= ranks - 1
        surplus -= 1
    return ranks


def gathered(ranks):
    """Return a set of ranks with its thirteen bits side by side."""
    ranks = (ranks | ranks >> 3) & 0x0303030303030303
    ranks = (ranks | ranks >> 6) & 0x000F000F000F000F
    ranks = (ranks | ranks >> 12) & 0x000000FF000000FF
    return (ranks | ranks >> 24) & 0x1FFF
