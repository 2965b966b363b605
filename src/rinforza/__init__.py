"""Reinforcement-learning training data from games."""

from . import encoders, games, learners, policies
from ._version import __version__
from .contracts.encoder import Encoder
from .contracts.game import Game
from .contracts.learner import Learner
from .contracts.policy import Policy
from .contracts.reward import Reward
from .engine import Engine
from .env import Env, EnvSnapshot

__all__ = [
    "Encoder",
    "Engine",
    "Env",
    "EnvSnapshot",
    "Game",
    "Learner",
    "Policy",
    "Reward",
    "__version__",
    "encoders",
    "games",
    "learners",
    "policies",
]
