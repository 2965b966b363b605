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


class Hostile:
    """An array of another library that fails when it is read."""

    def __init__(self, error, device=1):
        self.error, self.device = error, device

    def __dlpack__(self, **keywords):
        raise self.error

    def __dlpack_device__(self):
        if self.device is None:
            raise RuntimeError("no device either")
        return self.device, 0


class HostileLender:
    """The same through the array protocol."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("it requires grad")


class Liar:
    """Something whose methods do not return what they should."""

    def __dlpack__(self, **keywords):
        return "no capsule"

    def __dlpack_device__(self):
        return 1, 0


class Unreadable:
    """Something that cannot even be asked what it has."""

    @property
    def __array__(self):
        raise ZeroDivisionError("no array")


BEGINNING = "it must be a float64 or float32 ndarray; got type "


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            Hostile(BufferError("it requires grad")),
            r"Hostile, .* \(it requires grad\); .*detach\(\)\.cpu\(\)",
        ),
        (Hostile(ZeroDivisionError("x"), None), r"Hostile, .* \(x\); return a NumPy array"),
        (Hostile(BufferError("far away"), 2), r"Hostile, .* \(far away\); .* return tensor\.cpu\(\)"),
        (HostileLender(), r"HostileLender, .* \(it requires grad\); return a NumPy array"),
        (Liar(), "Liar, which cannot be read as one"),
        (Unreadable(), "Unreadable, which cannot be read as one"),
    ],
)
def test_arrays_that_cannot_be_read(value, words):
    with pytest.raises(TypeError, match=f"^{BEGINNING}{words}") as caught:
        float_array(value, "it", 2)
    assert caught.value.__cause__ is not None


def test_an_interrupt_while_an_array_is_read_stays_one():
    with pytest.raises(KeyboardInterrupt):
        float_array(Hostile(KeyboardInterrupt()), "it", 2)
