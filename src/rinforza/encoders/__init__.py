"""What networks see of the built-in games, one file for each game."""

from .connect4 import Connect4
from .gridworld import GridWorld
from .tictactoe import TicTacToe

__all__ = ["Connect4", "GridWorld", "TicTacToe"]
