"""The rules of the built-in games, one file each."""

from .connect4 import Connect4
from .gridworld import GridWorld
from .tictactoe import TicTacToe

__all__ = ["Connect4", "GridWorld", "TicTacToe"]
