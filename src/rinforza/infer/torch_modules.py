"""A PyTorch module as a callback."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from .form import Form
from .optional import required


def torch(
    model: Any,
    device: Any = None,
    amp: Any = False,
    compile: bool | str = False,
    *,
    shape: Sequence[int] | None = None,
    rows: int | None = None,
    one_head: bool = False,
) -> "TorchInfer":
    """Return a callback that asks a PyTorch module.

    In each call the module is in evaluation mode, without gradients; afterwards all its modules have the
    training flags they had, after an error too. Its answer is a tensor, or logits and values in a tuple or
    list; values (n, 1) become (n,). Everything becomes float32 in the CPU's memory; what is there already is
    not copied.

    While a stream collects, another thread must not train the same module: its flags and its weights change
    under the other's feet. Give the stream a copy of its own, and update that between two calls (an engine
    that keeps answers is then told by `weights_updated`)::

        infer = rf.infer.torch(copy.deepcopy(model))
        with engine.collect_stream(4000, infer) as stream:
            for batch in stream:
                train(model, batch)
                with infer.lock:
                    infer.model.load_state_dict(model.state_dict())

    Args:
        model: A `torch.nn.Module`; it is given float32 tensors (rows, observation_size), or (rows, *shape).
        device: Where it computes, and is moved to at once; None leaves it where it is.
        amp: Whether it runs under `torch.autocast`, in the device's usual dtype; or the dtype,
            `torch.bfloat16` or `torch.float16`.
        compile: Whether it is compiled by `torch.compile`; or the mode, such as `"reduce-overhead"`.
            Compilation happens in the first call and again for other numbers of rows: fix them, see `rows`.
        shape: The shape of one observation, such as `game.observation_space().shape`; None for flat rows.
        rows: The module gets exactly as many rows, missing ones zero, and their answers are cut off. An
            `Engine(pad=True)` does that itself; this is for other callers and for one callback a player.
        one_head: Whether the module answers Q values (n, A) that a policy wants as (n, 1, A).

    Raises:
        ImportError: If PyTorch is not installed.
        TypeError: For an argument of another type.
        ValueError: For a number out of range, or another dtype of `amp`.

    Example::

        import rinforza as rf
        from torch import nn

        game = rf.games.GridWorld()
        c, h, w = game.observation_space().shape
        network = nn.Sequential(nn.Flatten(), nn.Linear(c * h * w, game.num_actions))
        infer = rf.infer.torch(network, shape=(c, h, w), one_head=True)
        engine = rf.Engine(game, None, rf.policies.EpsilonGreedyQ(), rf.learners.Dqn(), n_games=4)
        batch = engine.collect(32, infer)
    """
    library = required("torch", "rf.infer.torch", "train")
    if not isinstance(model, library.nn.Module):
        raise TypeError(
            f"rf.infer.torch takes a torch.nn.Module, got {type(model).__name__}; "
            "for another function write infer(obs) yourself"
        )
    if not isinstance(amp, bool | library.dtype):
        raise TypeError(f"amp must be a bool or a torch.dtype, got {amp!r} of type {type(amp).__name__}")
    if not isinstance(amp, bool) and amp not in (library.float16, library.bfloat16):
        raise ValueError(f"amp must be torch.bfloat16, torch.float16, True or False, got {amp}")
    if not isinstance(compile, bool | str):
        raise TypeError(f"compile must be a bool or a mode, got {compile!r} of type {type(compile).__name__}")
    form = Form("rf.infer.torch", shape, rows, one_head)
    if device is not None:
        model.to(device)
    return TorchInfer(library, model, amp, compile, form)


class TorchInfer:
    """A callback that asks a PyTorch module; made by `rf.infer.torch`.

    Attributes:
        model: The module.
        lock: Held during each call. Whoever changes the module in another thread holds it too.
    """

    def __init__(self, library: Any, model: Any, amp: Any, compile: bool | str, form: Form):
        self.model = model
        self.lock = threading.RLock()
        self._library, self._amp, self._form = library, amp, form
        self._forward = model
        if compile:
            self._forward = library.compile(model, mode=compile if isinstance(compile, str) else None)

    def __call__(self, obs: np.ndarray) -> Any:
        """Answer a window: float32 (rows, observation_size) to a float32 array, or to logits and values."""
        given = self._library.from_numpy(self._form.given(obs))
        # no_grad: a tensor that a module keeps from inference mode could not be trained with later
        with self.lock, self._library.no_grad(), evaluating(self.model):
            device = self._device()
            with self._autocast(device):
                answer = self._forward(given.to(device))
            return self._form.answer(answer, self._read, len(obs))

    def __repr__(self) -> str:
        return f"rf.infer.torch({type(self.model).__name__} on {self._device()})"

    def _device(self) -> Any:
        for tensors in (self.model.parameters(), self.model.buffers()):
            for tensor in tensors:
                return tensor.device
        return self._library.device("cpu")

    def _autocast(self, device: Any) -> AbstractContextManager:
        if self._amp is False:
            return nullcontext()
        return self._library.autocast(device.type, dtype=None if self._amp is True else self._amp)

    def _read(self, part: Any) -> np.ndarray:
        tensor = isinstance(part, self._library.Tensor)
        if not tensor or not part.is_floating_point():
            got = f"a tensor of {part.dtype}" if tensor else type(part).__name__
            raise TypeError(
                f"rf.infer.torch: the module answered {got}; "
                "expected a tensor of floats, or logits and values in a tuple or list"
            )
        return part.detach().to("cpu", self._library.float32).numpy()


@contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """Put a module into evaluation mode for a block; then give all its modules the flags they had."""
    flags = [(module, module.training) for module in model.modules()]
    if not any(training for _, training in flags):
        yield
        return
    try:
        model.eval()
        yield
    finally:
        model.train(flags[0][1])  # a module may do more in it than set its flag
        for module, training in flags:
            module.training = training
