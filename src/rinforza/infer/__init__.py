"""A network of PyTorch, JAX or ONNX Runtime as the callback that engines, solvers and `choose` ask.

Nothing here is needed: any `infer(obs) -> arrays` will do. These functions do what is easily forgotten in one.
The libraries are imported when a function is called that needs them.
"""

from .jax_functions import jax
from .onnx_sessions import onnx
from .torch_modules import TorchInfer, torch

__all__ = ["TorchInfer", "jax", "onnx", "torch"]
