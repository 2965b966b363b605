"""Backgammon: the game, and which plays the rules allow."""

from .game import Backgammon

__all__ = ["Backgammon"]
