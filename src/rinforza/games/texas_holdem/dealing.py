"""Chance: who has the button, the cards of the seats and of the board.

A draw takes one, two or three of the cards that are left, in no order. Its outcomes number the sets of
places in the row of these cards: {a < b < c} is c choose 3 + b choose 2 + a. A card is rank * 4 + suit.
"""

import numpy as np

from ...compiled.bits import count_bits
from ...compiled.random import integer_below
from .hands import ALL_CARDS

DECK = 52
NO_DRAW, DRAW_BUTTON, DRAW_HOLE, DRAW_FLOP, DRAW_CARD = range(5)  # what chance decides next


def cards_left(state):
    """Return how many cards are not dealt."""
    return DECK - count_bits(np.uint64(state.dealt))


def count_outcomes(self, state):
    """Return how many outcomes the next draw has, all equally likely."""
    if state.draw == DRAW_BUTTON:
        return self.num_players
    left = cards_left(state)
    if state.draw == DRAW_HOLE:
        return left * (left - 1) // 2
    return left * (left - 1) * (left - 2) // 6 if state.draw == DRAW_FLOP else left


def draw_outcome(self, state, stream):
    """Draw an outcome of the next draw."""
    return integer_below(stream, count_outcomes(self, state))


def deal_hole(state, outcome):
    """Give two cards to the next seat, the lower first."""
    seat = count_bits(np.uint64(state.dealt)) // 2
    high, low = split_pair(outcome)
    first, second = card_at(state.dealt, low), card_at(state.dealt, high)
    state.hole[seat, 0] = first
    state.hole[seat, 1] = second
    state.dealt |= 1 << first | 1 << second


def deal_board(state, outcome):
    """Put one card on the board, or the three of the flop in ascending order."""
    if state.draw == DRAW_FLOP:
        high, pair = split_triple(outcome)
        middle, low = split_pair(pair)
        before = state.dealt
        put_on_board(state, card_at(before, low))
        put_on_board(state, card_at(before, middle))
        put_on_board(state, card_at(before, high))
    else:
        put_on_board(state, card_at(state.dealt, outcome))


def put_on_board(state, card):
    """Add a card to the board."""
    state.board[state.board_count] = card
    state.board_count += 1
    state.dealt |= 1 << card


def split_triple(outcome):
    """Return the highest place of a set of three, and the number of the pair below it."""
    high, below = 2, 1
    while outcome >= below:
        outcome -= below
        below += high
        high += 1
    return high, outcome


def split_pair(outcome):
    """Return the higher and the lower place of a pair."""
    high = 1
    while outcome >= high:
        outcome -= high
        high += 1
    return high, outcome


def card_at(dealt, place):
    """Return the card at a place in the row of those not dealt."""
    free = ALL_CARDS ^ dealt
    card, width = 0, 32
    while width > 0:
        half = free & ((1 << width) - 1)
        count = count_bits(np.uint64(half))
        if place >= count:
            place -= count
            card += width
            free >>= width
        else:
            free = half
        width >>= 1
    return card
