"""What networks see of the built-in games, one file for each game."""

from ..contracts.encoder import Encoder
from ..contracts.registry import Registry
from .backgammon import Backgammon
from .chess import MinimalChess, RelativeChess
from .chess_alphazero import AlphaZeroChess
from .chess_openspiel import OpenSpielChess
from .connect4 import Connect4
from .game2048 import Game2048
from .go import Go
from .gridworld import GridWorld
from .hex import Hex
from .kuhn_poker import KuhnPoker
from .leduc_poker import LeducPoker
from .liars_dice import LiarsDice
from .othello import Othello
from .snake import Snake
from .texas_holdem import TexasHoldem
from .tictactoe import TicTacToe

__all__ = [
    "AlphaZeroChess",
    "Backgammon",
    "Connect4",
    "Game2048",
    "Go",
    "GridWorld",
    "Hex",
    "KuhnPoker",
    "LeducPoker",
    "LiarsDice",
    "MinimalChess",
    "OpenSpielChess",
    "Othello",
    "RelativeChess",
    "Snake",
    "TexasHoldem",
    "TicTacToe",
]

REGISTRY = Registry("encoder", Encoder, __name__)
registered, make, register = REGISTRY.registered, REGISTRY.make, REGISTRY.register
