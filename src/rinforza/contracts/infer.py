"""What all callers of a user's network do alike: routing by player, and reading an array of floats."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
DLPACK_CPU = 1  # the number of the CPU among DLPack's kinds of devices

Infer = Callable[[np.ndarray], Any]


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


def float_array(value: Any, what: str, rank: int) -> np.ndarray:
    """Return what a callback returned as a float32 or float64 array of native byte order.

    An array of another library is read in place if it lies in the memory of the CPU and offers `__array__`
    or `__dlpack__`, as PyTorch's tensors do.

    Raises:
        TypeError: For another type, rank or dtype, or an array that cannot be read; `what` names it in the
            message.
    """
    array = value if type(value) is np.ndarray else _converted(value, what)
    if array.ndim != rank:
        raise TypeError(f"{what} must be a {rank}-d ndarray; got {array.ndim}-d")
    if array.dtype in FLOATS:
        return array
    if array.dtype.newbyteorder("=") in FLOATS:
        return array.astype(array.dtype.newbyteorder("="))
    raise TypeError(f"{what} must be a float64 or float32 ndarray; got dtype {array.dtype}")


def logits_and_values(answer: Any, label: str, rows: int, n_actions: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the two arrays of a policy-value network's answer.

    Args:
        answer: What the callback returned.
        label: Whose callback it is, for messages.
        rows: How many rows it was given.
        n_actions: The fewest columns of the logits.

    Raises:
        TypeError: For another type, rank or dtype.
        ValueError: For another shape.
    """
    if not isinstance(answer, tuple) or len(answer) != 2:
        got = f"a tuple of {len(answer)}" if isinstance(answer, tuple) else f"type {type(answer).__name__}"
        raise TypeError(f"{label} infer must return a (policy_logits, values) tuple; got {got}")
    logits = float_array(answer[0], f"{label} infer policy_logits", 2)
    values = float_array(answer[1], f"{label} infer values", 1)
    if logits.shape[0] != rows or logits.shape[1] < n_actions or values.shape[0] != rows:
        raise ValueError(
            f"{label} infer must return (policy_logits (n, >={n_actions}), values (n,)) with n = {rows}; "
            f"got {logits.shape} and {values.shape}"
        )
    return logits, values


def _converted(value: Any, what: str) -> np.ndarray:
    """Return a view of another library's CPU array."""
    refusal = f"{what} must be a float64 or float32 ndarray; got type {type(value).__name__}"
    try:
        if isinstance(value, np.ndarray) or hasattr(value, "__array__"):
            return np.asarray(value)
        if hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
    except Exception as error:
        # It is the other library's code that failed, with an error of any class.
        mend = "return a NumPy array instead, of a tensor tensor.detach().cpu().numpy()"
        if _lies_elsewhere(value):
            mend = "it is not in the CPU's memory: return tensor.cpu()"
        raise TypeError(f"{refusal}, which cannot be read as one ({error}); {mend}") from error
    raise TypeError(refusal)


def _lies_elsewhere(value: Any) -> bool:
    """Return whether an array says that it is on another device than the CPU."""
    try:
        return value.__dlpack_device__()[0] != DLPACK_CPU
    except Exception:
        return False
