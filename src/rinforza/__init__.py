"""Reinforcement-learning training data from games.

`Engine` plays many games under a policy, hands the observations of all of them to your network in one array,
and returns batches for your learner. `Env` is one game that you drive yourself. `solvers` has equilibrium
methods for games with hidden information. `infer` makes a network of PyTorch, JAX or ONNX Runtime the callback.

To write a game, an encoder, a policy or a learner, subclass `Game`, `Encoder`, `Policy` or `Learner`; the
modules `rules`, `search_memory`, `random` and `bits` are what compiled methods may call, and `testing` checks
the result.
"""

from . import checkpoint, encoders, games, infer, learners, policies, solvers, testing
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
from .engine import CollectStream, Engine, EngineSnapshot
from .env import Env, EnvSnapshot
from .from_config import engine_from_config
from .games.chess import chess_action_uci, chess_uci_action
from .learners import AlphaZeroBatch, DqnBatch, PpoBatch, TreeStrapBatch
from .solvers import DeepCfrBatch

make_game, make_policy, make_learner = games.make, policies.make, learners.make
registered_games, registered_policies = games.registered, policies.registered
registered_learners = learners.registered

__all__ = [
    "CHANCE",
    "SIMULTANEOUS",
    "TERMINAL",
    "AlphaZeroBatch",
    "Batch",
    "CollectStream",
    "Column",
    "DeepCfrBatch",
    "DqnBatch",
    "Encoder",
    "Engine",
    "EngineSnapshot",
    "Env",
    "EnvSnapshot",
    "Game",
    "Learner",
    "Policy",
    "PolicyValue",
    "PpoBatch",
    "QValues",
    "Reward",
    "TreeStrapBatch",
    "__version__",
    "bits",
    "chance_modes",
    "checkpoint",
    "chess_action_uci",
    "chess_uci_action",
    "encoders",
    "engine_from_config",
    "games",
    "infer",
    "learners",
    "make_game",
    "make_learner",
    "make_policy",
    "noise",
    "policies",
    "random",
    "registered_games",
    "registered_learners",
    "registered_policies",
    "rules",
    "search_memory",
    "solvers",
    "spaces",
    "testing",
]
