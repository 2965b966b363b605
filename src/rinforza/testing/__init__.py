"""Conformance checks: play any component at random and say what is broken and how to mend it.

They are for built-in components and a user's alike; call them in the tests of your package.
"""

from .encoders import check_encoder
from .games import check_game
from .learners import check_learner
from .policies import check_policy
from .verdict import ConformanceError

__all__ = ["ConformanceError", "check_encoder", "check_game", "check_learner", "check_policy"]
