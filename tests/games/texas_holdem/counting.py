"""Counting hands by category, compiled."""

from collections.abc import Callable
from functools import cache

import numpy as np

from rinforza.compiled import INT, Prototype, array_at, compile_function, plain_python
from rinforza.games.texas_holdem.hands import CATEGORY_SHIFT, hand_strength

COUNT_HANDS = Prototype("count_hands", None, INT, INT, INT)
STRENGTH = Prototype("hand_strength", INT, INT)


def count_hands_at(first, cards, totals):
    """Count all hands of `cards` cards whose lowest is `first`, by category."""
    counts = array_at(totals, 9, np.int64)
    count_above(counts, 1 << first, first, cards - 1)


def count_above(counts, hand, highest, missing):
    """Count all hands that add `missing` cards above the highest one."""
    if missing == 0:
        counts[hand_strength(hand) >> CATEGORY_SHIFT] += 1
        return 0
    for card in range(highest + 1, 53 - missing):
        count_above(counts, hand | 1 << card, card, missing - 1)
    return 0


def category_counts(cards: int) -> list[int]:
    """Return how many hands of so many cards there are of each category, high card first."""
    driver = compile_function(count_hands_at, COUNT_HANDS, {}, "count hands")
    totals = np.zeros(9, np.int64)
    for first in range(53 - cards):
        driver.entry(first, cards, totals.ctypes.data)
    return totals.tolist()


def strength_of(cards: list[int]) -> int:
    """Return the strength of a hand of card numbers, in the lane that holds here."""
    return _strength(plain_python())(sum(1 << card for card in cards))


@cache
def _strength(lane: bool) -> Callable[[int], int]:
    return compile_function(hand_strength, STRENGTH, {}, "hand strength").entry
