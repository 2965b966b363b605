"""A JAX function as a callback."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..contracts.infer import Infer
from .form import Form
from .optional import required


def jax(
    function: Callable[[Any], Any],
    device: Any = None,
    *,
    shape: Sequence[int] | None = None,
    rows: int | None = None,
    one_head: bool = False,
) -> Infer:
    """Return a callback that asks a function of JAX arrays.

    Its answer is an array, or logits and values in a tuple or list; values (n, 1) become (n,). Everything
    becomes float32 in the CPU's memory, in one transfer.

    Nothing is compiled here: compile what takes the parameters as an argument, and look them up outside, else
    the first ones are compiled in. Parameters that another thread replaces as a whole are safe while a stream
    collects: each call sees the old ones or the new ones::

        apply = jax.jit(network.apply)
        infer = rf.infer.jax(lambda obs: apply(state.params, obs), rows=256)

    Args:
        function: It is given a float32 array (rows, observation_size), or (rows, *shape).
        device: Where the observations are put; None for JAX's default device.
        shape: The shape of one observation, such as `game.observation_space().shape`; None for flat rows.
        rows: The function gets exactly as many rows, missing ones zero, and their answers are cut off: a
            compiled function is compiled again for every new number. An `Engine(pad=True)` does that itself;
            this is for other callers and for one callback a player.
        one_head: Whether the function answers Q values (n, A) that a policy wants as (n, 1, A).

    Raises:
        ImportError: If JAX is not installed.
        TypeError: For an argument of another type.
        ValueError: For a number out of range.
        OverflowError: For a negative number.
    """
    library = required("jax", "rf.infer.jax")
    if not callable(function):
        raise TypeError(f"rf.infer.jax takes a function of an array, got {type(function).__name__}")
    form = Form("rf.infer.jax", shape, rows, one_head)

    def infer(obs: np.ndarray) -> Any:
        answer = library.device_get(function(library.device_put(form.given(obs), device)))
        return form.answer(answer, form.read_array, len(obs))

    return infer
