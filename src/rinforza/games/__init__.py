"""The rules of the built-in games, one file each."""

from .backgammon import Backgammon
from .chess import Chess
from .connect4 import Connect4
from .game2048 import Game2048
from .go import Go
from .gridworld import GridWorld
from .hex import Hex
from .othello import Othello
from .snake import Snake
from .tictactoe import TicTacToe

__all__ = [
    "Backgammon",
    "Chess",
    "Connect4",
    "Game2048",
    "Go",
    "GridWorld",
    "Hex",
    "Othello",
    "Snake",
    "TicTacToe",
]
