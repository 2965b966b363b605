"""A session of ONNX Runtime as a callback."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..contracts.infer import Infer
from .form import Form
from .optional import required

CPU = ("CPUExecutionProvider",)


def onnx(
    session_or_path: Any,
    providers: Sequence[Any] | None = None,
    *,
    outputs: Sequence[str] | None = None,
    shape: Sequence[int] | None = None,
    rows: int | None = None,
    one_head: bool = False,
) -> Infer:
    """Return a callback that asks a network in the ONNX format.

    The network has one input. Its answer is one output, or logits and values in this order; values (n, 1)
    become (n,). Everything becomes float32. Sessions may be called from several threads; for new weights make
    another session and another callback.

    Args:
        session_or_path: The path of a file, or an `onnxruntime.InferenceSession`.
        providers: For a path, what ONNX Runtime computes with, in order of preference; None for the CPU.
        outputs: The names of the output, or of logits and values; None for all outputs of the network.
        shape: The shape of one observation, such as `game.observation_space().shape`; None for flat rows.
        rows: The network gets exactly as many rows, missing ones zero, and their answers are cut off. An
            `Engine(pad=True)` does that itself; this is for other callers and for one callback a player.
        one_head: Whether the network answers Q values (n, A) that a policy wants as (n, 1, A).

    Raises:
        ImportError: If a path is given and ONNX Runtime is not installed.
        TypeError: For an argument of another type.
        ValueError: For a number out of range, `providers` for a session, a network with another number of
            inputs or outputs or without an output of that name, or one for a fixed number of rows that `rows`
            does not name.
        OverflowError: For a negative number.
    """
    form = Form("rf.infer.onnx", shape, rows, one_head)
    session = _session(session_or_path, providers)
    name = _input_name(session, rows)
    names = _output_names(session, outputs)

    def infer(obs: np.ndarray) -> Any:
        answer = session.run(names, {name: form.given(obs)})
        return form.answer(answer if len(names) == 2 else answer[0], form.read_array, len(obs))

    return infer


def _session(session_or_path: Any, providers: Sequence[Any] | None) -> Any:
    if isinstance(session_or_path, str | os.PathLike):
        library = required("onnxruntime", "rf.infer.onnx")
        return library.InferenceSession(os.fspath(session_or_path), providers=list(providers or CPU))
    if not hasattr(session_or_path, "run"):
        raise TypeError(
            "rf.infer.onnx takes the path of a file or an onnxruntime.InferenceSession, "
            f"got {type(session_or_path).__name__}"
        )
    if providers is not None:
        raise ValueError("providers belong to a path: a session has been made with its own")
    return session_or_path


def _input_name(session: Any, rows: int | None) -> str:
    inputs = session.get_inputs()
    if len(inputs) != 1:
        raise ValueError(f"rf.infer.onnx needs a network with one input, got {[one.name for one in inputs]}")
    (only,) = inputs
    fixed = only.shape[0] if only.shape else None
    if isinstance(fixed, int) and rows != fixed:
        raise ValueError(f"the network takes exactly {fixed} rows a call: pass rows={fixed}, got rows={rows}")
    return only.name


def _output_names(session: Any, outputs: Sequence[str] | None) -> list[str]:
    if outputs is not None and (isinstance(outputs, str) or not isinstance(outputs, Sequence)):
        raise TypeError(f"outputs must be a list of names such as ['policy', 'value'], got {outputs!r:.40}")
    known = [output.name for output in session.get_outputs()]
    names = known if outputs is None else list(outputs)
    if missing := [name for name in names if name not in known]:
        raise ValueError(f"the network has no output {missing[0]!r}; it has {known}")
    if len(names) not in (1, 2):
        raise ValueError(f"expected one output, or logits and values, got {names}; choose with outputs=[...]")
    return names
