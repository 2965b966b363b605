"""Chess: board, actions, attacks, threats, moves, play, ending, FEN and UCI, one idea in each file."""

from .game import Chess
from .uci import chess_action_uci, chess_uci_action

__all__ = ["Chess", "chess_action_uci", "chess_uci_action"]
