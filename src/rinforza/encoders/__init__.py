"""What networks see of the built-in games, one file for each game."""

from .backgammon import Backgammon
from .chess import MinimalChess, RelativeChess
from .chess_alphazero import AlphaZeroChess
from .chess_openspiel import OpenSpielChess
from .connect4 import Connect4
from .game2048 import Game2048
from .go import Go
from .gridworld import GridWorld
from .hex import Hex
from .othello import Othello
from .snake import Snake
from .tictactoe import TicTacToe

__all__ = [
    "AlphaZeroChess",
    "Backgammon",
    "Connect4",
    "Game2048",
    "Go",
    "GridWorld",
    "Hex",
    "MinimalChess",
    "OpenSpielChess",
    "Othello",
    "RelativeChess",
    "Snake",
    "TicTacToe",
]
