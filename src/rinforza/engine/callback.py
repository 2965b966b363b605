"""The checks of what the caller's network returns."""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import address_of
from ..contracts.infer import float_array, logits_and_values
from ..contracts.policy import Output, PolicyValue

DOUBLE = 8  # bytes of a float64


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
    q = float_array(answer, f"{label} infer output", 3)
    expected = (rows, output.heads, n_actions)
    if q.shape != expected:
        raise ValueError(
            f"infer returned shape {q.shape}; expected (n, n_heads = {output.heads}, {n_actions}), n = {rows}"
        )
    q = np.ascontiguousarray(q)
    width = output.heads * n_actions
    return Answer((1, address_of(q), width, q.itemsize == DOUBLE, 0, 0), q)


def _policy_value(answer: Any, label: str, rows: int, n_actions: int) -> Answer:
    logits, values = logits_and_values(answer, label, rows, n_actions)
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
