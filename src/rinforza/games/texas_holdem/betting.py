"""Fixed-limit betting: blinds, actions, and when a street is over.

A bet is the big blind, twice that on the turn and on the river. Whoever cannot pay all that an action takes
pays what it has.
"""

import numpy as np

from .dealing import DRAW_CARD, DRAW_FLOP, NO_DRAW
from .pots import pay_out
from .table import (
    ACTION_BITS,
    DONE,
    MOST_BETS,
    RIVER,
    TURN,
    first_after,
    is_one_or_none,
    seat_after,
)

FOLD, CALL, RAISE = 0, 1, 2


def begin_betting(self, state):
    """Post the blinds; heads-up the button posts the small one."""
    button = np.int64(state.button)
    small = button if self.num_players == 2 else seat_after(self, button)
    big = seat_after(self, small)
    commit(state, small, self.small_blind)
    commit(state, big, self.big_blind)
    state.level = self.big_blind
    state.raises = 1
    state.owes = state.able
    state.to_act = first_after(self, big, np.int64(state.owes))
    state.draw = NO_DRAW


def commit(state, seat, chips):
    """Move chips of a seat into the pot."""
    state.stacks[seat] -= chips
    state.committed[seat] += chips
    state.street_committed[seat] += chips
    if state.stacks[seat] == 0:
        state.able &= ~(1 << seat)
        state.owes &= ~(1 << seat)


def to_call(state, seat):
    """Return what a seat lacks to what has to be committed."""
    return np.int64(state.level) - np.int64(state.street_committed[seat])


def can_raise(self, state, seat):
    """Return whether a seat may bet or raise: a bet is left, and its chips and another's go beyond a call."""
    if state.raises >= MOST_BETS or state.stacks[seat] <= to_call(state, seat):
        return False
    for other in range(self.num_players):
        is_able = state.able >> other & 1 != 0
        if other != seat and is_able and state.stacks[other] > to_call(state, other):
            return True
    return False


def play_action(self, state, seat, action):
    """Play the action of a seat, without what follows from it."""
    street = np.int64(state.street)
    count = np.int64(state.history_counts[street])
    state.history[street, count] = seat << ACTION_BITS | action
    state.history_counts[street] = count + 1
    chips = np.int64(state.stacks[seat])
    if action == FOLD:
        state.live &= ~(1 << seat)
        state.able &= ~(1 << seat)
        state.owes &= ~(1 << seat)
    elif action == CALL:
        state.owes &= ~(1 << seat)
        commit(state, seat, min(to_call(state, seat), chips))
    else:
        bet = 2 * self.big_blind if street >= TURN else self.big_blind
        commit(state, seat, min(to_call(state, seat) + bet, chips))
        state.level = state.street_committed[seat]
        state.raises += 1
        state.owes = state.able & ~(1 << seat)


def go_on(self, state, events):
    """After an action: find who is next, end the street, or end the hand."""
    if is_one_or_none(state.live):
        end_hand(self, state, events)
    elif is_street_over(self, state):
        end_street(self, state, events)
    else:
        state.to_act = first_after(self, np.int64(state.to_act), np.int64(state.owes))


def is_street_over(self, state):
    """Return whether nobody owes an action, or only one to whom nobody could answer."""
    if state.owes == 0:
        return True
    if not is_one_or_none(state.able):
        return False
    return to_call(state, first_after(self, 0, np.int64(state.owes))) <= 0


def end_street(self, state, events):
    """Ask for the cards of the next street, or end the hand."""
    if state.street == RIVER:
        end_hand(self, state, events)
        return
    state.street += 1
    for seat in range(self.num_players):
        state.street_committed[seat] = 0
    state.level = 0
    state.raises = 0
    state.owes = 0
    state.draw = DRAW_CARD if state.board_count > 0 else DRAW_FLOP


def begin_street(self, state, events):
    """Let the seats act on the new cards, or go on to the next ones where fewer than two can bet."""
    state.draw = NO_DRAW
    if is_one_or_none(state.able):
        end_street(self, state, events)
    else:
        state.owes = state.able
        state.to_act = first_after(self, np.int64(state.button), np.int64(state.owes))


def end_hand(self, state, events):
    """Pay out the pots."""
    state.street = DONE
    state.owes = 0
    pay_out(self, state, events)
