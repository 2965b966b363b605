"""Checks of constructor arguments, with one wording for all."""

import math
import numbers
import operator
import reprlib
from typing import Any

import numpy as np

LARGEST_BUDGET = 1 << 20


def integer(name: str, value: Any, low: int | None = None, high: int | None = None) -> int:
    """Return `value` as an int within [low, high].

    Raises:
        TypeError: For a bool, a float, a string or anything else that is no integer.
        OverflowError: For a negative number where none is allowed (low >= 0), or one beyond 64 bits.
        ValueError: For a number outside the range.
    """
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, got {reprlib.repr(value)} of type {type(value).__name__}")
    number = operator.index(value)
    if number >= 1 << 64 or number < -(1 << 63):
        raise OverflowError(f"{name} must fit in 64 bits, got {number}")
    if number < 0 and low is not None and low >= 0:
        raise OverflowError(f"{name} must not be negative, got {number}")
    if low is not None and number < low:
        raise ValueError(f"{name} must be >= {low}, got {number}")
    if high is not None and number > high:
        raise ValueError(f"{name} must be <= {high}, got {number}")
    return number


def optional_integer(name: str, value: Any, low: int | None = None, high: int | None = None) -> int | None:
    """Return None, or what `integer` returns."""
    return None if value is None else integer(name, value, low, high)


def number(name: str, value: Any, low: float = -math.inf, high: float = math.inf, open_low=False) -> float:
    """Return `value` as a finite float within [low, high] (or above low, when `open_low`).

    Raises:
        TypeError: For anything but an int, a float or another real number; a bool is none.
        OverflowError: For an integer beyond the range of a float.
        ValueError: For NaN, an infinity, or a number outside the range.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a float, got {reprlib.repr(value)} of type {type(value).__name__}")
    try:
        result = float(value)
    except OverflowError:
        raise OverflowError(f"{name} must fit in a float, got a larger number") from None
    if not math.isfinite(result):
        raise ValueError(f"{name} must be finite, got {result}")
    if result < low or (open_low and result == low):
        raise ValueError(f"{name} must be {'>' if open_low else '>='} {low:g}, got {result:g}")
    if result > high:
        raise ValueError(f"{name} must be <= {high:g}, got {result:g}")
    return result


def flag(name: str, value: Any) -> bool:
    """Return `value` if it is a bool.

    Raises:
        TypeError: For anything else, an int included.
    """
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be a bool, got {reprlib.repr(value)} of type {type(value).__name__}")
    return value


def choice(name: str, value: Any, known: tuple[str, ...]) -> str:
    """Return `value` if it is one of the known words.

    Raises:
        TypeError: If it is no string.
        ValueError: If it is another string; the message lists the known ones.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, got {reprlib.repr(value)} of type {type(value).__name__}")
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}; got {reprlib.repr(value)}")
    return value
