"""Symmetries of boards with NumPy: what becomes of planes and of actions."""

import numpy as np

from rinforza.compiled.random import STREAM, derive_key, integer_below, uniform
from tests.naive.self_play import LEARNER

HALF_TURN, DIAGONAL, MIRROR = 1, 2, 4


def turned(planes, number):
    """Turn the last two axes: a mirror, then a reflection in the main diagonal, then a half turn."""
    if number & MIRROR:
        planes = np.flip(planes, -1)
    if number & DIAGONAL:
        planes = np.swapaxes(planes, -1, -2)
    if number & HALF_TURN:
        planes = np.rot90(planes, 2, axes=(-2, -1))
    return planes


def mirrored(planes, number):
    """Exchange left and right under number 1."""
    return np.flip(planes, -1) if number else planes


def where_cells_go(size, number):
    """For each cell, numbered row by row, where `turned` puts it."""
    return np.argsort(turned(np.arange(size * size).reshape(size, size), number).ravel())


def where_steps_go(steps, number):
    """For each action that is a step (down, right), the action that it becomes."""

    def moved(down, right):
        if number & MIRROR:
            right = -right
        if number & DIAGONAL:
            down, right = right, down
        return (-down, -right) if number & HALF_TURN else (down, right)

    return np.array([steps.index(moved(*step)) for step in steps])


UP, DOWN, LEFT, RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)


class Symmetries:
    """The symmetries of one game's view.

    Args:
        numbers: The board's numbers (bits above) of the encoder's symmetries 0, 1, 2, ...
        planes: Planes and number to planes.
        actions: Number to the actions that the actions become.
    """

    def __init__(self, numbers, planes, actions):
        self.numbers, self._planes, self._actions = numbers, planes, actions

    def __len__(self):
        return len(self.numbers)

    def observation(self, symmetry, observation):
        """A (C, H, W) observation under a symmetry."""
        return self._planes(observation, self.numbers[symmetry])

    def actions(self, symmetry):
        """The actions that the actions become."""
        return self._actions(self.numbers[symmetry])

    def values(self, symmetry, values):
        """Values per action, in the last axis, under a symmetry."""
        moved = np.empty_like(values)
        moved[..., self.actions(symmetry)] = values
        return moved


def of_a_board(size, count, passes=0):
    """The first so many symmetries of a square board whose actions are its cells, then passes."""

    def actions(number):
        return np.append(where_cells_go(size, number), size * size + np.arange(passes))

    return Symmetries(range(count), turned, actions)


def of_steps(numbers, steps):
    """Symmetries of a square board whose actions are steps."""
    return Symmetries(numbers, turned, lambda number: where_steps_go(steps, number))


def of_columns(width):
    """The mirror of a board whose actions are its columns."""
    return Symmetries(range(2), mirrored, lambda number: np.arange(width)[:: -1 if number else 1])


class Draws:
    """The random stream from which a slot of an engine draws for its learner.

    Args:
        seed, slot: The engine's seed, and which slot.
    """

    def __init__(self, seed, slot):
        self._stream = np.zeros(1, STREAM).view(np.recarray)
        with np.errstate(over="ignore"):
            self._stream["key"] = derive_key(np.uint64(seed), np.uint64(LEARNER), np.uint64(slot))

    def symmetries(self, count, rows):
        """One of `count` symmetries for each of the next records."""
        with np.errstate(over="ignore"):
            return [int(integer_below(self._stream[0], count)) for _ in range(rows)]

    def uniforms(self, rows):
        """The next numbers from 0 to 1."""
        with np.errstate(over="ignore"):
            return np.array([uniform(self._stream[0]) for _ in range(rows)])
