"""What a trajectory becomes, one algorithm a file."""

from ..contracts.learner import Learner
from ..contracts.registry import Registry
from .alphazero import AlphaZero, AlphaZeroBatch
from .dqn import Dqn, DqnBatch
from .ppo import Ppo, PpoBatch
from .treestrap import TreeStrap, TreeStrapBatch

__all__ = ["AlphaZero", "AlphaZeroBatch", "Dqn", "DqnBatch", "Ppo", "PpoBatch", "TreeStrap", "TreeStrapBatch"]

REGISTRY = Registry("learner", Learner, __name__)
registered, make, register = REGISTRY.registered, REGISTRY.make, REGISTRY.register
