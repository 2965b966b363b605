"""Which points may be played: suicide is illegal, and so is a repetition that the rule forbids.

A position is known by a key of 128 bits, the exclusive or of one random key for each stone. Under the
situational rule the player to move is part of it. The state lists the keys of all its past.

A stone on a point can only bring back a past position if that position had the same stone there, which was
captured since. Only at such points (`captured`) is the list searched.
"""

import numpy as np

from .board import BLACK, EMPTY, WHITE, in_atari

NO_SUPERKO, POSITIONAL, SITUATIONAL = 0, 1, 2
NOTHING = np.uint64(0)


def is_legal(self, state, point, colour):
    """Return whether a player may put a stone on a point."""
    if state.cells[point] != EMPTY or not is_alive_on(self, state, point, colour):
        return False
    if self.superko_rule == NO_SUPERKO:
        return point != state.ko
    return state.captured[point] & colour == 0 or not repeats(self, state, point, colour)


def is_alive_on(self, state, point, colour):
    """Return whether a stone would have a liberty, or take one by capturing."""
    for side in range(4):
        near = self.neighbours[point, side]
        occupant = state.cells[near]
        if occupant == EMPTY:
            return True
        if occupant == BLACK or occupant == WHITE:
            # An own group lives on with another liberty; an enemy group dies without one.
            if in_atari(state, state.head[near]) == (occupant != colour):
                return True
    return False


def key_after(self, state, point, colour, word):
    """Return one word of the key of the position after a stone."""
    key = state.key[word] ^ self.point_keys[word, colour - 1, point]
    enemy = BLACK + WHITE - colour
    for side in range(4):
        near = self.neighbours[point, side]
        if state.cells[near] != enemy or not in_atari(state, state.head[near]):
            continue
        head = np.int64(state.head[near])
        if is_first(self, state, point, side, head, enemy):
            stone = head
            while True:
                key ^= self.point_keys[word, enemy - 1, stone]
                stone = np.int64(state.next_stone[stone])
                if stone == head:
                    break
    return key


def is_first(self, state, point, side, head, enemy):
    """Return whether no earlier side of a point touches the same group."""
    for earlier in range(side):
        near = self.neighbours[point, earlier]
        if state.cells[near] == enemy and state.head[near] == head:
            return False
    return True


def repeats(self, state, point, colour):
    """Return whether a stone would bring back a position of the past."""
    low = key_after(self, state, point, colour, 0) ^ turn_key(self, state.ply + 1, 0)
    matches = 0
    for ply in range(state.ply + 1):  # without a way out, so that it runs several at a time
        matches += 1 if state.past_keys[0, ply] == low else 0
    if matches == 0:
        return False
    high = key_after(self, state, point, colour, 1) ^ turn_key(self, state.ply + 1, 1)
    for ply in range(state.ply + 1):
        if state.past_keys[0, ply] == low and state.past_keys[1, ply] == high:
            return True
    return False


def turn_key(self, ply, word):
    """Return what the player to move adds to a key after `ply` moves."""
    return self.white_key[word] if self.superko_rule == SITUATIONAL and ply & 1 != 0 else NOTHING


def remember_position(self, state):
    """Write the key of the present position to the list."""
    if self.superko_rule != NO_SUPERKO:
        for word in range(2):
            state.past_keys[word, state.ply] = state.key[word] ^ turn_key(self, state.ply, word)


def refresh_legal(self, state):
    """Write which points the player to move may play; none after the end."""
    colour = 1 + (state.ply & 1)
    for point in range(self.num_points):
        state.legal[point] = 1 if state.done == 0 and is_legal(self, state, point, colour) else 0
