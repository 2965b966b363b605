"""What a trajectory becomes, one algorithm a file."""

from .alphazero import AlphaZero, AlphaZeroBatch
from .dqn import Dqn, DqnBatch

__all__ = ["AlphaZero", "AlphaZeroBatch", "Dqn", "DqnBatch"]
