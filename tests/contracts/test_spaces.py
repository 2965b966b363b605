"""Boxes and discrete ids."""

import numpy as np
import pytest

from rinforza.contracts.spaces import Box, Discrete


def test_a_box_spreads_its_bounds():
    box = Box((2, 3), -1.0, np.inf)
    assert box.shape == (2, 3)
    assert box.dtype == np.float32
    assert box.low.dtype == box.high.dtype == np.float32
    assert (box.low == -1).all()
    assert np.isposinf(box.high).all()
    assert repr(box) == "Box(shape=(2, 3), low=-1, high=inf)"


def test_a_box_takes_bounds_by_element():
    high = np.arange(6.0).reshape(2, 3)
    assert Box((2, 3), 0.0, high).high.tolist() == high.tolist()


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        (np.zeros((2, 3), np.float32), True),
        (np.ones((2, 3), np.float32), True),
        (np.full((2, 3), 1.5, np.float32), False),
        (np.full((2, 3), np.nan, np.float32), False),
        (np.zeros((3, 2), np.float32), False),
    ],
)
def test_what_a_box_contains(value, inside):
    assert Box((2, 3), 0.0, 1.0).contains(value) is inside


def test_spaces_are_values():
    assert Box((2,), 0, 1) == Box((2,), 0.0, np.array([1.0, 1.0]))
    assert hash(Box((2,), 0, 1)) == hash(Box((2,), 0, 1))
    assert Box((2,), 0, 1) != Box((2,), 0, 2)
    assert Box((2,), 0, 1) != Box((2, 1), 0, 1)
    assert Discrete(4) == Discrete(np.int64(4))
    assert hash(Discrete(4)) == hash(Discrete(4))
    assert Discrete(4) != Discrete(5)
    assert Discrete(4) != 4
    assert repr(Discrete(4)) == "Discrete(4)"


@pytest.mark.parametrize(("value", "inside"), [(0, True), (3, True), (4, False), (-1, False)])
def test_what_a_discrete_space_contains(value, inside):
    assert Discrete(4).contains(value) is inside
