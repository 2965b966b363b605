"""Reinforcement-learning training data from games.

`Engine` plays many games under a policy, hands the observations of all of them to your network in one array,
and returns batches for your learner. `Env` is one game that you drive yourself.

To write a game, an encoder, a policy or a learner, subclass `Game`, `Encoder`, `Policy` or `Learner`; the
modules `rules`, `search_memory`, `random` and `bits` are what compiled methods may call, and `testing` checks
the result.
"""

from . import encoders, games, learners, policies, testing
from ._version import __version__
from .compiled import bits, random
from .contracts import chance_modes, noise, rules, search_memory, spaces
from .contracts.batch import Batch, Column
from .contracts.encoder import Encoder
from .contracts.game import Game
from .contracts.learner import Learner
from .contracts.policy import Policy, PolicyValue, QValues
from .contracts.reward import Reward
from .contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL
from .engine import Engine
from .env import Env, EnvSnapshot
from .games.chess import chess_action_uci, chess_uci_action
from .learners import AlphaZeroBatch, DqnBatch

__all__ = [
    "CHANCE",
    "SIMULTANEOUS",
    "TERMINAL",
    "AlphaZeroBatch",
    "Batch",
    "Column",
    "DqnBatch",
    "Encoder",
    "Engine",
    "Env",
    "EnvSnapshot",
    "Game",
    "Learner",
    "Policy",
    "PolicyValue",
    "QValues",
    "Reward",
    "__version__",
    "bits",
    "chance_modes",
    "chess_action_uci",
    "chess_uci_action",
    "encoders",
    "games",
    "learners",
    "noise",
    "policies",
    "random",
    "rules",
    "search_memory",
    "spaces",
    "testing",
]
