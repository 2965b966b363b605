"""The form of what a network is given and of what it answers, whichever library it comes from."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..contracts.arguments import flag, integer

NOT_FLOATS = "biucOSUMm"  # kinds of dtypes; bfloat16, which JAX brings, is of the kind "V"


class Form:
    """What is done to observations and answers on their way.

    Args:
        caller: Which function makes the callback, for messages.
        shape: The shape of one observation for the network, such as `(C, H, W)`; None leaves rows flat.
        rows: Rows of every call of the network, or None for as many as there are.
        one_head: Whether the network answers Q values (n, A), to be (n, 1, A).

    Raises:
        TypeError: For an argument of another type.
        ValueError: For a size below 1.
        OverflowError: For a negative size.
    """

    def __init__(self, caller: str, shape: Sequence[int] | None, rows: int | None, one_head: bool):
        self._caller = caller
        self._shape = None if shape is None else _sizes(shape)
        self._rows = None if rows is None else _size("rows", rows)
        self._one_head = flag("one_head", one_head)

    def given(self, obs: np.ndarray) -> np.ndarray:
        """Return observations as the network wants them: float32, contiguous, padded, reshaped.

        It is a view of `obs` where nothing has to be changed.

        Raises:
            ValueError: If there are more than `rows`, or an observation has not the size of `shape`.
        """
        if self._rows is not None and len(obs) != self._rows:
            obs = self._padded(obs, self._rows)
        obs = np.require(obs, np.float32, ("C", "W"))
        if self._shape is None:
            return obs
        if math.prod(self._shape) != math.prod(obs.shape[1:]):
            raise ValueError(
                f"{self._caller}(shape={self._shape}) does not fit observations of {math.prod(obs.shape[1:])} "
                "numbers; it is game.observation_space().shape"
            )
        return obs.reshape(len(obs), *self._shape)

    def _padded(self, obs: np.ndarray, rows: int) -> np.ndarray:
        if len(obs) > rows:
            raise ValueError(
                f"{self._caller}(rows={rows}) was given {len(obs)} rows; "
                "rows must be at least the engine's batch_size"
            )
        padded = np.zeros((rows, *obs.shape[1:]), np.float32)
        padded[: len(obs)] = obs
        return padded

    def answer(self, answer: Any, read: Callable[[Any], np.ndarray], n: int) -> Any:
        """Return a network's answer in the form of the inference contract.

        Args:
            answer: An array, or a tuple or list of logits and values.
            read: Makes a float32 NumPy array of one of the library's.
            n: How many rows were asked for.

        Raises:
            TypeError: If there is another number of arrays, or `one_head` is given for logits and values.
            ValueError: If there is another number of rows, or `one_head` is given for other than two axes.
        """
        if not isinstance(answer, tuple | list):
            q = self._cut(read(answer), n)
            return self._lifted(q) if self._one_head else q
        if len(answer) != 2:
            raise TypeError(
                f"{self._caller}: the network answered {len(answer)} arrays; expected one, or logits and values"
            )
        if self._one_head:
            raise TypeError(
                f"{self._caller}: one_head is for Q values, and the network answered logits and values"
            )
        logits, values = (self._cut(read(part), n) for part in answer)
        return logits, values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values

    def _lifted(self, q: np.ndarray) -> np.ndarray:
        if q.ndim != 2:
            raise ValueError(
                f"{self._caller}: one_head is for Q values (rows, actions), and the network answered {q.shape}"
            )
        return q[:, None]

    def _cut(self, array: np.ndarray, n: int) -> np.ndarray:
        """Take the rows that were asked for; anything else is for the engine to check."""
        if self._rows is None:
            return array
        if array.ndim == 0 or len(array) != self._rows:
            raise ValueError(
                f"{self._caller}: the network was given {self._rows} rows and answered {array.shape}"
            )
        return array[:n]

    def read_array(self, part: Any) -> np.ndarray:
        """Return a NumPy array as float32.

        Raises:
            TypeError: If it is none, or not of floats.
        """
        if not isinstance(part, np.ndarray) or part.dtype.kind in NOT_FLOATS:
            got = f"an array of {part.dtype}" if isinstance(part, np.ndarray) else type(part).__name__
            raise TypeError(
                f"{self._caller}: the network answered {got}; "
                "expected an array of floats, or logits and values in a tuple or list"
            )
        return part.astype(np.float32, copy=False)


def _sizes(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, str) or not isinstance(shape, Sequence):
        raise TypeError(f"shape must be a sequence of sizes such as (3, 8, 8), got {shape!r:.40}")
    return tuple(_size("a size in shape", size) for size in shape)


def _size(name: str, value: int) -> int:
    size = integer(name, value, 0)
    if size < 1:
        raise ValueError(f"{name} must be >= 1, got {size}")
    return size
