"""Moves as the Universal Chess Interface writes them: e2e4, e7e8q, e1g1 to castle."""

from typing import Any

import numpy as np

from ...contracts.arguments import integer
from .actions import ACTIONS, MOVE_TYPES, is_underpromotion, lesser_piece
from .board import KING, PAWN, QUEEN, kind_on
from .fen import LETTERS, read_fen, square_name
from .moves import list_moves
from .tables import lookup


def chess_uci_action(uci: str, fen: str) -> int:
    """Return the action id of a move in UCI notation.

    Args:
        uci: From-square and to-square, and the letter of the piece that a pawn becomes, such as "e7e8q".
            Castling is the king's move by two squares, such as "e1g1".
        fen: The position it is played in.

    Returns:
        The action, 0 to 4671.

    Raises:
        TypeError: If either is no string.
        ValueError: If the FEN is invalid, or the move is none of the legal ones there.

    Example:
        >>> import rinforza as rf
        >>> rf.chess_uci_action("e2e4", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
        877
    """
    if not isinstance(uci, str):
        raise TypeError(f"uci must be a str, got {type(uci).__name__}")
    moves = _legal_moves(fen)
    if uci not in moves:
        known = ", ".join(moves) or "none"
        raise ValueError(f"the move {uci!r} is illegal in {fen!r}; legal moves: {known}")
    return moves[uci]


def chess_action_uci(action: int, fen: str) -> str:
    """Return the UCI notation of an action id.

    Args:
        action: The action, 0 to 4671.
        fen: The position it is played in.

    Returns:
        The move, such as "e2e4", "e7e8q" or "e1g1".

    Raises:
        TypeError: If the action is no integer or the FEN no string.
        OverflowError: If the action is negative.
        ValueError: If the FEN is invalid, or the action means no move or an illegal one.

    Example:
        >>> import rinforza as rf
        >>> rf.chess_action_uci(877, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
        'e2e4'
    """
    number = integer("action", action, 0, ACTIONS - 1)
    for uci, legal in _legal_moves(fen).items():
        if legal == number:
            return uci
    if lookup().landings[number] < 0:
        raise ValueError(f"the action {number} leads off the board and means no move")
    raise ValueError(f"the action {number} is illegal in {fen!r}")


def _legal_moves(fen: str) -> dict[str, int]:
    """Return every legal move with its action id, in ascending order of ids."""
    state = read_fen(fen)
    out = np.zeros(ACTIONS, np.int32)
    with np.errstate(over="ignore"):
        count = list_moves(lookup(), state, out)
    return {_uci(state, int(action)): int(action) for action in out[:count]}


def _uci(state: Any, action: int) -> str:
    square, landing = action // MOVE_TYPES, int(lookup().landings[action])
    kind = kind_on(state, square)
    becomes = ""
    if kind == KING and int(state.sides[state.turn]) >> landing & 1:
        landing = square + 2 if landing > square else square - 2
    elif kind == PAWN and landing // 8 in (0, 7):
        becomes = LETTERS[lesser_piece(action) if is_underpromotion(action) else QUEEN]
    return square_name(square) + square_name(landing) + becomes
