"""Stones and groups: placing, joining, capturing.

A group is a ring of stones (`next_stone`) that name one of them as their head. Its liberties are kept as
three sums over all pairs of a stone and an empty neighbour: how many there are, the sum of the points and the
sum of their squares. A group is dead when there are none, and in atari (all of them are one point) exactly
when count * squares == sum * sum, by the inequality of Cauchy and Schwarz. So to join groups is to add.
"""

import numpy as np

EMPTY, BLACK, WHITE, WALL = 0, 1, 2, 3  # of `cells`; a player's colour is its number plus 1
NO_POINT = -1


def add_liberty(state, head, point):
    """Let a group gain an empty neighbour (once for each stone that touches it)."""
    state.liberties[head] += 1
    state.liberty_sum[head] += point
    state.liberty_squares[head] += point * point


def remove_liberty(state, head, point):
    """Let a group lose an empty neighbour (once for each stone that touches it)."""
    state.liberties[head] -= 1
    state.liberty_sum[head] -= point
    state.liberty_squares[head] -= point * point


def in_atari(state, head):
    """Return whether a living group has a single liberty."""
    total = np.int64(state.liberty_sum[head])
    return np.int64(state.liberties[head]) * np.int64(state.liberty_squares[head]) == total * total


def clear_group(state, head):
    """Zero the sums of a head that is none any more."""
    state.liberties[head] = 0
    state.liberty_sum[head] = 0
    state.liberty_squares[head] = 0


def join(state, main, other):
    """Make one group of two, under the head `main`."""
    stone = other
    while True:
        state.head[stone] = main
        stone = state.next_stone[stone]
        if stone == other:
            break
    following = state.next_stone[main]
    state.next_stone[main] = state.next_stone[other]
    state.next_stone[other] = following
    state.liberties[main] += state.liberties[other]
    state.liberty_sum[main] += state.liberty_sum[other]
    state.liberty_squares[main] += state.liberty_squares[other]
    clear_group(state, other)


def capture(self, state, head):
    """Take a group off the board; return how many stones it had."""
    colour = state.cells[head]
    enemy = BLACK + WHITE - colour
    count = 0
    stone = np.int64(head)
    while True:
        following = np.int64(state.next_stone[stone])
        for side in range(4):
            near = self.neighbours[stone, side]
            if state.cells[near] == enemy:
                add_liberty(state, state.head[near], stone)
        state.cells[stone] = EMPTY
        state.head[stone] = 0
        state.next_stone[stone] = 0
        state.captured[stone] |= colour
        for word in range(2):
            state.key[word] ^= self.point_keys[word, colour - 1, stone]
        count += 1
        if following == head:
            break
        stone = following
    clear_group(state, head)
    return count


def place(self, state, point, colour):
    """Put a stone on an empty point, join and capture; note the point of a simple ko."""
    state.cells[point] = colour
    state.head[point] = point
    state.next_stone[point] = point
    for word in range(2):
        state.key[word] ^= self.point_keys[word, colour - 1, point]
    for side in range(4):
        near = self.neighbours[point, side]
        if state.cells[near] == EMPTY:
            add_liberty(state, point, near)
        elif state.cells[near] != WALL:
            remove_liberty(state, state.head[near], point)
    for side in range(4):
        near = self.neighbours[point, side]
        if state.cells[near] == colour and state.head[near] != state.head[point]:
            join(state, state.head[near], state.head[point])
    taken, spot = 0, NO_POINT
    for side in range(4):
        near = self.neighbours[point, side]
        if state.cells[near] == BLACK + WHITE - colour and state.liberties[state.head[near]] == 0:
            taken += capture(self, state, state.head[near])
            spot = near
    alone = state.next_stone[point] == point
    state.ko = spot if taken == 1 and alone and in_atari(state, point) else NO_POINT
