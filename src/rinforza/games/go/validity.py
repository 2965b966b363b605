"""Whether a state read from outside is one: its groups, liberties, keys and legal points are built anew."""

import numpy as np

from .board import BLACK, EMPTY, NO_POINT, WALL, WHITE
from .superko import NO_SUPERKO, is_legal, turn_key


def is_sound(self, state):
    """Return whether a state is safe for every method."""
    return (
        has_sound_numbers(self, state)
        and has_sound_rings(self, state)
        and has_sound_groups(self, state)
        and has_sound_keys(self, state)
        and has_sound_legal(self, state)
    )


def has_sound_numbers(self, state):
    """Check counters, colours and indices."""
    if state.ply < 0 or state.ply > self.most_moves or state.passes < 0 or state.passes > 2:
        return False
    ended = state.passes == 2 or state.ply == self.most_moves
    if state.passes > state.ply or state.done != (1 if ended else 0):
        return False
    if state.ko < NO_POINT or state.ko >= self.num_points:
        return False
    if state.ko != NO_POINT and state.cells[state.ko] != EMPTY:
        return False
    for point in range(self.num_points):
        if state.cells[point] > WHITE or state.captured[point] > BLACK + WHITE:
            return False
        for index in (state.head[point], state.next_stone[point]):
            if index < 0 or index >= self.num_points:
                return False
    return state.cells[self.num_points] == WALL


def has_sound_rings(self, state):
    """Check that every stone lies on exactly one ring, of one colour and with one head."""
    stones = on_rings = 0
    for point in range(self.num_points):
        if state.cells[point] == EMPTY:
            if state.head[point] != 0 or state.next_stone[point] != 0:
                return False
            continue
        stones += 1
        if state.head[point] != point:
            continue
        stone = np.int64(point)
        while True:
            if state.head[stone] != point or state.cells[stone] != state.cells[point]:
                return False
            on_rings += 1
            stone = np.int64(state.next_stone[stone])
            if stone == point:
                break
            if on_rings > self.num_points:
                return False
    return stones == on_rings


def has_sound_groups(self, state):
    """Check that rings are the connected groups, and their liberties."""
    reached = np.zeros(self.num_points, np.bool_)
    sums = np.zeros((self.num_points, 3), np.int64)
    chain = np.zeros(self.num_points, np.int32)
    for point in range(self.num_points):
        head = np.int64(state.head[point])
        if state.cells[point] == EMPTY:
            continue
        for side in range(4):
            near = np.int64(self.neighbours[point, side])
            if state.cells[near] == state.cells[point] and state.head[near] != head:
                return False
            if state.cells[near] == EMPTY:
                sums[head, 0] += 1
                sums[head, 1] += near
                sums[head, 2] += near * near
        if head == point:
            mark_chain(self, state, reached, chain, point)
    for point in range(self.num_points):
        found = sums[point]
        if state.cells[point] != EMPTY:
            if not reached[point] or (state.head[point] == point and found[0] == 0):
                return False
        if state.liberties[point] != found[0] or state.liberty_sum[point] != found[1]:
            return False
        if state.liberty_squares[point] != found[2]:
            return False
    return True


def mark_chain(self, state, reached, chain, start):
    """Mark all stones that are connected with one."""
    reached[start] = True
    chain[0] = start
    size, visited = 1, 0
    while visited < size:
        stone = chain[visited]
        visited += 1
        for side in range(4):
            near = self.neighbours[stone, side]
            if state.cells[near] == state.cells[start] and not reached[near]:
                reached[near] = True
                chain[size] = near
                size += 1


def has_sound_keys(self, state):
    """Check the key of the position, and its place at the end of the list."""
    for word in range(2):
        key = np.uint64(0)
        for point in range(self.num_points):
            colour = np.int64(state.cells[point])
            if colour != EMPTY:
                key ^= self.point_keys[word, colour - 1, point]
        if state.key[word] != key:
            return False
        if self.superko_rule != NO_SUPERKO:
            if state.past_keys[word, state.ply] != key ^ turn_key(self, state.ply, word):
                return False
    return True


def has_sound_legal(self, state):
    """Check the points that may be played."""
    colour = 1 + (state.ply & 1)
    for point in range(self.num_points):
        legal = state.done == 0 and is_legal(self, state, point, colour)
        if state.legal[point] != (1 if legal else 0):
            return False
    return True
