"""What a state read from outside must hold so that every other method stays inside its arrays."""

import numpy as np

from ...compiled.bits import count_bits
from .betting import RAISE, is_street_over
from .dealing import DECK, NO_DRAW
from .table import (
    ACTION_BITS,
    BOARD,
    DONE,
    LONGEST_STREET,
    MOST_BETS,
    PREFLOP,
    is_one_or_none,
)


def is_valid(self, state):
    """Return whether a state can be played on, or is an end."""
    return (
        has_valid_numbers(self, state)
        and has_valid_cards(self, state)
        and has_valid_chips(self, state)
        and has_valid_history(self, state)
        and has_valid_turn(self, state)
    )


def has_valid_numbers(self, state):
    """Check what counts and what points to seats."""
    if state.draw != NO_DRAW or state.street < PREFLOP or state.street > DONE:
        return False
    if state.button < 0 or state.button >= self.num_players:
        return False
    if state.to_act < 0 or state.to_act >= self.num_players:
        return False
    return 0 <= state.raises and state.raises <= MOST_BETS


def has_valid_cards(self, state):
    """Check that the cards are different ones, and as many as the street has."""
    count = np.int64(state.board_count)
    expected = 0 if state.street == PREFLOP else 2 + np.int64(state.street)
    if state.street == DONE:
        expected = count if is_one_or_none(state.live) else BOARD
    if count != expected or count < 0 or count > BOARD or count == 1 or count == 2:
        return False
    dealt = 0
    for place in range(count + 2 * self.num_players):
        seat = (place - count) >> 1
        card = np.int64(state.board[place] if place < count else state.hole[seat, (place - count) & 1])
        if card < 0 or card >= DECK or dealt >> card & 1 != 0:
            return False
        dealt |= 1 << card
    return dealt == state.dealt


def has_valid_chips(self, state):
    """Check the chips, and the sets of seats that follow from them."""
    live, able, level, most, most_live = 0, 0, 0, 0, 0
    for seat in range(self.num_players):
        stack, committed = np.int64(state.stacks[seat]), np.int64(state.committed[seat])
        on_street = np.int64(state.street_committed[seat])
        if stack < 0 or committed < on_street or on_street < 0:
            return False
        if stack + committed != self.starting_stacks[seat]:
            return False
        is_live = state.live >> seat & 1
        live |= is_live << seat
        able |= (is_live if stack > 0 else 0) << seat
        level = max(level, on_street)
        most = max(most, committed)
        most_live = max(most_live, committed * is_live)
    if live != state.live or able != state.able or live == 0 or state.owes & ~able != 0:
        return False
    return level == state.level and most == most_live


def has_valid_history(self, state):
    """Check the lists of actions, and that there is room for all that can come on this street.

    Each action lets one seat owe no more, or is one of the bets left and lets all others owe.
    """
    street = np.int64(state.street)
    raises = 1 if street == PREFLOP else 0
    for line in range(4):
        count = np.int64(state.history_counts[line])
        if count < 0 or count > LONGEST_STREET or (line > street and count > 0):
            return False
        for place in range(count):
            entry = np.int64(state.history[line, place])
            action = entry & ((1 << ACTION_BITS) - 1)
            if entry < 0 or entry >> ACTION_BITS >= self.num_players or action > RAISE:
                return False
            raises += 1 if line == street and action == RAISE else 0
    if street == DONE:
        return True
    owing = count_bits(np.uint64(state.owes))
    to_come = owing + (MOST_BETS - np.int64(state.raises)) * (self.num_players - 1)
    if state.history_counts[street] + to_come > LONGEST_STREET:
        return False
    return raises == state.raises


def has_valid_turn(self, state):
    """Check that the seat to act has a decision, or that nobody has one at the end."""
    if state.street == DONE:
        return state.owes == 0
    if is_one_or_none(state.live) or state.owes >> np.int64(state.to_act) & 1 == 0:
        return False
    return not is_street_over(self, state)
