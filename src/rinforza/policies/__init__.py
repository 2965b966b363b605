"""How an action is chosen, one algorithm a file."""

from ..contracts.policy import Policy
from ..contracts.registry import Registry
from .alphazero import AlphaZero
from .epsilon_greedy_q import EpsilonGreedyQ
from .mcts import Mcts
from .minimax import Minimax
from .one_shot import OneShot
from .ppo import Ppo
from .selective_expectimax import SelectiveExpectimax

__all__ = ["AlphaZero", "EpsilonGreedyQ", "Mcts", "Minimax", "OneShot", "Ppo", "SelectiveExpectimax"]

REGISTRY = Registry("policy", Policy, __name__)
registered, make, register = REGISTRY.registered, REGISTRY.make, REGISTRY.register
