"""What a trajectory becomes, one algorithm a file."""

from ..contracts.learner import Learner
from ..contracts.registry import Registry
from .alphazero import AlphaZero, AlphaZeroBatch
from .dqn import Dqn, DqnBatch
from .ppo import Ppo, PpoBatch

__all__ = ["AlphaZero", "AlphaZeroBatch", "Dqn", "DqnBatch", "Ppo", "PpoBatch"]

_registry = Registry("learner", Learner, __name__)
registered, make, register = _registry.registered, _registry.make, _registry.register
