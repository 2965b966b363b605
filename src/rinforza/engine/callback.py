"""The seam to the caller's network: routing, and the checks of what it returns."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiled import address_of
from ..contracts.policy import Output, PolicyValue

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
DOUBLE = 8  # bytes of a float64

Infer = Callable[[np.ndarray], Any]


class Answer(NamedTuple):
    """A checked answer.

    Attributes:
        layout: What compiled code is told: whether there is an answer; the address of its columns, their
            number in a row, whether they are float64; the address of its values, whether they are float64.
        keep: What holds the memory.
    """

    layout: tuple[int, int, int, int, int, int]
    keep: Any


NO_ANSWER = Answer((0, 0, 0, 0, 0, 0), None)


def routed(infer: Any, n_players: int) -> list[Infer]:
    """Return one callable for all players, or one for each.

    Raises:
        TypeError: If `infer` or an element of it is not callable.
        ValueError: If a sequence has another length than there are players.
    """
    if isinstance(infer, Sequence) and not isinstance(infer, str | bytes):
        if len(infer) != n_players:
            raise ValueError(f"expected {n_players} per-player infer callables, got {len(infer)}")
        for index, element in enumerate(infer):
            if not callable(element):
                raise TypeError(f"infer[{index}] must be callable, got {type(element).__name__}")
        return list(infer)
    if not callable(infer):
        raise TypeError(
            f"infer must be a callable or a sequence of {n_players} callables, got {type(infer).__name__}"
        )
    return [infer]


def read_answer(answer: Any, output: Output, label: str, rows: int, n_actions: int) -> Answer:
    """Check the type, rank, dtype and shape of what a callback returned.

    Args:
        answer: What it returned.
        output: The policy's contract.
        label: The policy's class name, for messages.
        rows: How many rows it was given.
        n_actions: Columns of the action head.

    Raises:
        TypeError: For another type, rank or dtype.
        ValueError: For another shape.
    """
    if isinstance(output, PolicyValue):
        return _policy_value(answer, label, rows, n_actions)
    q = _array(answer, f"{label} infer output", 3)
    expected = (rows, output.heads, n_actions)
    if q.shape != expected:
        raise ValueError(
            f"infer returned shape {q.shape}; expected (n, n_heads = {output.heads}, {n_actions}), n = {rows}"
        )
    q = np.ascontiguousarray(q)
    width = output.heads * n_actions
    return Answer((1, address_of(q), width, q.itemsize == DOUBLE, 0, 0), q)


def _policy_value(answer: Any, label: str, rows: int, n_actions: int) -> Answer:
    if not isinstance(answer, tuple) or len(answer) != 2:
        got = f"a tuple of {len(answer)}" if isinstance(answer, tuple) else f"type {type(answer).__name__}"
        raise TypeError(f"{label} infer must return a (policy_logits, values) tuple; got {got}")
    logits = _array(answer[0], f"{label} infer policy_logits", 2)
    values = _array(answer[1], f"{label} infer values", 1)
    if logits.shape[0] != rows or logits.shape[1] < n_actions or values.shape[0] != rows:
        raise ValueError(
            f"{label} infer must return (policy_logits (n, >={n_actions}), values (n,)) with n = {rows}; "
            f"got {logits.shape} and {values.shape}"
        )
    logits, values = np.ascontiguousarray(logits), np.ascontiguousarray(values)
    layout = (
        1,
        address_of(logits),
        logits.shape[1],
        logits.itemsize == DOUBLE,
        address_of(values),
        values.itemsize == DOUBLE,
    )
    return Answer(layout, (logits, values))


def _array(value: Any, what: str, rank: int) -> np.ndarray:
    array = value if type(value) is np.ndarray else _converted(value)
    if array is None:
        raise TypeError(f"{what} must be a float64 or float32 ndarray; got type {type(value).__name__}")
    if array.ndim != rank:
        raise TypeError(f"{what} must be a {rank}-d ndarray; got {array.ndim}-d")
    if array.dtype in FLOATS:
        return array
    if array.dtype.newbyteorder("=") in FLOATS:
        return array.astype(array.dtype.newbyteorder("="))
    raise TypeError(f"{what} must be a float64 or float32 ndarray; got dtype {array.dtype}")


def _converted(value: Any) -> np.ndarray | None:
    """Return a view of another library's CPU array, or None for what is no array."""
    if isinstance(value, np.ndarray) or hasattr(value, "__array__"):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    return None
