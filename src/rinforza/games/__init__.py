"""The rules of the built-in games, one file each."""

from ..contracts.game import Game
from ..contracts.registry import Registry
from .backgammon import Backgammon
from .chess import Chess
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
    "Backgammon",
    "Chess",
    "Connect4",
    "Game2048",
    "Go",
    "GridWorld",
    "Hex",
    "KuhnPoker",
    "LeducPoker",
    "LiarsDice",
    "Othello",
    "Snake",
    "TexasHoldem",
    "TicTacToe",
]

REGISTRY = Registry("game", Game, __name__)
registered, make, register = REGISTRY.registered, REGISTRY.make, REGISTRY.register
