"""Conformance checks: play any component at random and say what is broken and how to mend it.

They are for built-in components and a user's alike; call them in the tests of your package.
"""

from .games import check_game
from .verdict import ConformanceError

__all__ = ["ConformanceError", "check_game"]
