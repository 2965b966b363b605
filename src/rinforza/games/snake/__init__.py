"""Snake: the board, the start, the tick, the food, one idea in each file."""

from .game import Snake

__all__ = ["Snake"]
