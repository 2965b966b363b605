"""How an action is chosen, one algorithm a file."""

from .alphazero import AlphaZero
from .epsilon_greedy_q import EpsilonGreedyQ
from .one_shot import OneShot

__all__ = ["AlphaZero", "EpsilonGreedyQ", "OneShot"]
