"""What lies on the table: the layout of a state, and sets of seats.

A set of seats is the low bits of an int. Chips fit in 32 bits: nine stacks of at most 2**24.
"""

import numpy as np

MOST_SEATS = 9
LARGEST_STACK = 1 << 24
PREFLOP, FLOP, TURN, RIVER, DONE = range(5)
STREETS = ("preflop", "flop", "turn", "river", "done")
BOARD = 5
NOBODY = -1
MOST_BETS = 4  # on a street; the big blind is the first
ACTION_BITS = 2  # of an entry of the history: seat << 2 | action


LONGEST_STREET = MOST_SEATS + MOST_BETS * (
    MOST_SEATS - 1
)  # actions: all seats, then all others after each bet

# Seats beyond those of the game stay empty, so that tables of all sizes share compiled code.
STATE = np.dtype(
    [
        ("dealt", np.int64),  # the cards on the board and in hands, one bit each
        ("stacks", np.int32, (MOST_SEATS,)),  # chips that are not in the pot
        ("committed", np.int32, (MOST_SEATS,)),  # chips in the pot
        ("street_committed", np.int32, (MOST_SEATS,)),  # those of them that came on this street
        ("level", np.int32),  # what has to be committed on this street
        ("live", np.int32),  # the seats that have not folded
        ("able", np.int32),  # those of them that have chips left
        ("owes", np.int32),  # those of them that have to act before the street ends
        ("street", np.int8),  # 0 preflop to 3 river, 4 when the hand is over
        ("draw", np.int8),  # what chance decides next, 0 for nothing
        ("button", np.int8),  # its seat, -1 before it is drawn
        ("to_act", np.int8),  # the seat to act, or the last that acted
        ("raises", np.int8),  # bets and raises of this street, the big blind included
        ("board_count", np.int8),
        ("board", np.int8, (BOARD,)),
        ("hole", np.int8, (MOST_SEATS, 2)),  # the lower card first
        ("history_counts", np.int8, (4,)),
        ("history", np.int8, (4, LONGEST_STREET)),
    ],
    align=True,
)


def seat_after(self, seat):
    """Return the next seat clockwise."""
    return seat + 1 if seat + 1 < self.num_players else 0


def first_after(self, seat, seats):
    """Return the first of some seats (one at least) clockwise after a seat."""
    seat = seat_after(self, seat)
    while seats >> seat & 1 == 0:
        seat = seat_after(self, seat)
    return seat


def is_one_or_none(seats):
    """Return whether there are fewer than two seats in a set."""
    return seats & (seats - 1) == 0
