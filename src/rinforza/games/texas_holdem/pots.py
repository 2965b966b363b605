"""Who gets what: side pots, the best hands, odd chips."""

import numpy as np

from ...compiled.bits import count_bits
from .hands import hand_strength
from .table import seat_after


def pay_out(self, state, events):
    """Write how many chips each seat has won, less what it had put in.

    Each pot holds what lies between two levels at which seats that have not folded stand. It goes to
    the best hands among those that paid up to the upper one.
    """
    for seat in range(self.num_players):
        events[seat, 0] = -np.float64(state.committed[seat])
    paid = 0
    level = next_level(self, state, paid)
    while level > paid:
        pot = 0
        for seat in range(self.num_players):
            committed = np.int64(state.committed[seat])
            pot += min(committed, level) - min(committed, paid)
        share_out(self, state, pot, best_seats(self, state, level), events)
        paid = level
        level = next_level(self, state, paid)


def next_level(self, state, paid):
    """Return the least that a seat which has not folded has put in beyond `paid`; `paid` if none has."""
    level = paid
    for seat in range(self.num_players):
        committed = np.int64(state.committed[seat])
        if state.live >> seat & 1 != 0 and committed > paid and (level == paid or committed < level):
            level = committed
    return level


def best_seats(self, state, level):
    """Return the seats with the best hand among those that paid up to a level."""
    board = 0
    for place in range(state.board_count):
        board |= 1 << np.int64(state.board[place])
    best, seats = -1, 0
    for seat in range(self.num_players):
        if state.live >> seat & 1 == 0 or state.committed[seat] < level:
            continue
        cards = board | 1 << np.int64(state.hole[seat, 0]) | 1 << np.int64(state.hole[seat, 1])
        strength = hand_strength(cards)
        if strength > best:
            best, seats = strength, 0
        if strength == best:
            seats |= 1 << seat
    return seats


def share_out(self, state, pot, seats, events):
    """Split a pot; odd chips go one by one to the first seats after the button."""
    count = count_bits(np.uint64(seats))
    odd = pot % count
    seat = np.int64(state.button)
    for _ in range(self.num_players):
        seat = seat_after(self, seat)
        if seats >> seat & 1 != 0:
            events[seat, 0] += pot // count + (1 if odd > 0 else 0)
            odd -= 1
