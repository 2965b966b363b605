"""Routing by player, and reading an array of floats."""

import numpy as np
import pytest

from rinforza.contracts.infer import float_array, routed
from tests.toys.arrays import Lends, Streams

pytestmark = pytest.mark.lanes


def first(obs):
    return obs


def second(obs):
    return obs


def test_one_callable_or_one_for_each_player():
    assert routed(first, 3) == [first]
    assert routed([first, second], 2) == routed((first, second), 2) == [first, second]


@pytest.mark.parametrize(
    ("infer", "error", "words"),
    [
        ([first], ValueError, "expected 2 per-player infer callables, got 1"),
        ([first, None], TypeError, r"infer\[1\] must be callable, got NoneType"),
        ("ab", TypeError, "infer must be a callable or a sequence of 2 callables, got str"),
        (None, TypeError, "infer must be a callable or a sequence of 2 callables, got NoneType"),
    ],
)
def test_what_is_not_routed(infer, error, words):
    with pytest.raises(error, match=words):
        routed(infer, 2)


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", ">f8"])
def test_floats_of_any_byte_order(dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    found = float_array(array, "it", 2)
    assert found.dtype.isnative
    assert found.dtype.itemsize == array.dtype.itemsize
    np.testing.assert_array_equal(found, array)


def test_arrays_of_other_libraries():
    array = np.ones((2, 3), np.float32)
    assert float_array(Lends(array), "it", 2) is array
    assert np.shares_memory(float_array(Streams(array), "it", 2), array)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([[1.0]], "it must be a float64 or float32 ndarray; got type list"),
        (np.zeros((2, 2, 2)), "it must be a 2-d ndarray; got 3-d"),
        (np.zeros((2, 2), np.int64), "it must be a float64 or float32 ndarray; got dtype int64"),
        (np.zeros((2, 2), object), "it must be a float64 or float32 ndarray; got dtype object"),
    ],
)
def test_what_is_no_array_of_floats(value, words):
    with pytest.raises(TypeError, match=words):
        float_array(value, "it", 2)
