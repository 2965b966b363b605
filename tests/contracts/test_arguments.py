"""The checks of constructor arguments: which class of error, and that the message says what came."""

import math
from fractions import Fraction

import numpy as np
import pytest

from rinforza.contracts.arguments import choice, flag, integer, number, optional_integer


@pytest.mark.parametrize("value", [0, 5, np.int8(5), np.uint64(5), (1 << 64) - 1])
def test_integers_pass(value):
    result = integer("count", value, 0)
    assert result == value
    assert type(result) is int


@pytest.mark.parametrize(
    ("value", "low", "high", "error", "message"),
    [
        (4, 5, None, ValueError, "count must be >= 5, got 4"),
        (6, 0, 5, ValueError, "count must be <= 5, got 6"),
        (-3, -2, None, ValueError, "count must be >= -2, got -3"),
        (-3, None, -5, ValueError, "count must be <= -5, got -3"),
        (-1, 0, None, OverflowError, "count must not be negative, got -1"),
        (-1, 3, 4, OverflowError, "count must not be negative, got -1"),
        (1 << 64, 0, 5, OverflowError, "count must fit in 64 bits"),
        (-(1 << 63) - 1, None, None, OverflowError, "count must fit in 64 bits"),
        (True, 0, None, TypeError, "count must be an int, got True of type bool"),
        (2.0, 0, None, TypeError, "count must be an int, got 2.0 of type float"),
        (np.float64(2), 0, None, TypeError, "of type float64"),
        ("2", 0, None, TypeError, "count must be an int, got '2' of type str"),
        (None, 0, None, TypeError, "of type NoneType"),
    ],
)
def test_other_integers_are_refused(value, low, high, error, message):
    with pytest.raises(error, match=message):
        integer("count", value, low, high)


def test_none_passes_where_it_may():
    assert optional_integer("count", None, 0) is None
    assert optional_integer("count", 3, 0) == 3
    with pytest.raises(OverflowError, match="count"):
        optional_integer("count", -1, 0)


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), np.int64(1), Fraction(1, 2)])
def test_numbers_pass(value):
    result = number("share", value, 0.0, 1.0)
    assert result == value
    assert type(result) is float


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (-0.1, ValueError, "share must be >= 0, got -0.1"),
        (1.5, ValueError, "share must be <= 1, got 1.5"),
        (math.nan, ValueError, "share must be finite, got nan"),
        (-math.inf, ValueError, "share must be finite, got -inf"),
        pytest.param(10**400, OverflowError, "share must fit in a float", id="10**400"),
        ("0.5", TypeError, "share must be a float, got '0.5' of type str"),
        (True, TypeError, "share must be a float, got True of type bool"),
        (None, TypeError, "share must be a float, got None of type NoneType"),
        (np.zeros(2), TypeError, "share must be a float"),
        (np.True_, TypeError, "share must be a float"),
        (0.5j, TypeError, "share must be a float, got 0.5j of type complex"),
    ],
)
def test_other_numbers_are_refused(value, error, message):
    with pytest.raises(error, match=message):
        number("share", value, 0.0, 1.0)


def test_the_low_end_may_be_left_out():
    assert number("alpha", 1e-300, 0.0, open_low=True) == 1e-300
    with pytest.raises(ValueError, match="alpha must be > 0, got 0"):
        number("alpha", 0.0, 0.0, open_low=True)


def test_flags():
    assert flag("pad", True) is True
    assert flag("pad", False) is False
    for value in (1, 0, None, "yes", np.int64(1)):
        with pytest.raises(TypeError, match="pad must be a bool"):
            flag("pad", value)


def test_choices():
    assert choice("scope", "all", ("requester", "all")) == "all"
    with pytest.raises(ValueError, match="scope must be one of 'requester', 'all'; got 'none'"):
        choice("scope", "none", ("requester", "all"))
    with pytest.raises(TypeError, match="scope must be a str, got 3 of type int"):
        choice("scope", 3, ("requester", "all"))
