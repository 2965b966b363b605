"""Positions as text, in Forsyth-Edwards notation (FEN)."""

from typing import Any

import numpy as np

from ...compiled.memory import as_records
from .board import (
    BLACK,
    LONG,
    MOST_MOVES,
    NO_SQUARE,
    SHORT,
    SQUARES,
    WHITE,
    castling_rights,
    state_layout,
)
from .identity import position_key
from .tables import lookup
from .validity import are_pieces_sound, are_rights_sound, is_en_passant_sound, is_turn_sound

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LETTERS = "pnbrqk"
RIGHTS = {
    "K": castling_rights(WHITE, SHORT),
    "Q": castling_rights(WHITE, LONG),
    "k": castling_rights(BLACK, SHORT),
    "q": castling_rights(BLACK, LONG),
}
MOST_FEN_CLOCK = 9_999  # a text may tell of a game in which nobody claimed a draw


def read_fen(text: str) -> Any:
    """Return the position of a FEN as a state record, with `done` 0.

    The clock and the move number may be left out; they are then 0 and 1.

    Args:
        text: Placement, side to move, castling rights, en passant square, and usually the half-move clock and
            the number of the move, separated by spaces.

    Raises:
        TypeError: If it is no string.
        ValueError: "invalid FEN: ..." if a field cannot be read, or the fields make no position in which
            the side to move could be about to move.
    """
    if not isinstance(text, str):
        raise TypeError(f"a FEN must be a str, got {type(text).__name__}")
    fields = text.split()
    if len(fields) not in (4, 6):
        raise _invalid(text, f"it has {len(fields)} fields instead of 6 (or 4, without the counters)")
    placement, turn, castling, en_passant = fields[:4]
    clock, move = fields[4:] or ("0", "1")
    state = as_records(np.zeros(1, state_layout(0)))[0]
    _place(state, placement, text)
    if turn not in ("w", "b"):
        raise _invalid(text, f"the side to move is {turn!r}, not 'w' or 'b'")
    state.turn = WHITE if turn == "w" else BLACK
    state.castling = _read_rights(castling, text)
    state.en_passant = _read_square(en_passant, text)
    state.clock = _read_count(clock, "half-move clock", 0, MOST_FEN_CLOCK, text)
    state.move = _read_count(move, "move number", 1, MOST_MOVES, text)
    state.seen = 1
    with np.errstate(over="ignore"):  # unsigned arithmetic wraps, as it does in compiled code
        _check_position(state, text)
        state.key = position_key(lookup(), state)
    return state


def _invalid(text: str, why: str) -> ValueError:
    return ValueError(f"invalid FEN: {why}; got {text!r}")


def _place(state: Any, placement: str, text: str) -> None:
    rows = placement.split("/")
    if len(rows) != 8:
        raise _invalid(text, f"the board has {len(rows)} ranks instead of 8")
    for rank, row in zip(range(7, -1, -1), rows, strict=True):
        file = 0
        for sign in row:
            if sign in "12345678":
                file += int(sign)
            elif sign.lower() in LETTERS and file < 8:
                board = np.uint64(1 << (8 * rank + file))
                state.kinds[LETTERS.index(sign.lower())] |= board
                state.sides[WHITE if sign.isupper() else BLACK] |= board
                file += 1
            else:
                raise _invalid(text, f"rank {rank + 1} is {row!r}")
        if file != 8:
            raise _invalid(text, f"rank {rank + 1} has {file} squares instead of 8")


def _read_rights(text: str, fen: str) -> int:
    if text == "-":
        return 0
    if not text or len(set(text)) != len(text) or not set(text) <= set(RIGHTS):
        raise _invalid(fen, f"the castling rights are {text!r}, not '-' or some of 'KQkq'")
    return sum(RIGHTS[letter] for letter in text)


def _read_square(text: str, fen: str) -> int:
    if text == "-":
        return NO_SQUARE
    if len(text) != 2 or text[0] not in "abcdefgh" or text[1] not in "36":
        raise _invalid(fen, f"the en passant square is {text!r}, not '-' or one on rank 3 or 6")
    return square_of(text)


def _read_count(text: str, name: str, least: int, most: int, fen: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or not least <= int(text) <= most:
        raise _invalid(fen, f"the {name} is {text!r}, not a number from {least} to {most}")
    return int(text)


def _check_position(state: Any, text: str) -> None:
    if not are_pieces_sound(state):
        raise _invalid(text, "each side needs one king, and no pawn may stand on rank 1 or 8")
    if not are_rights_sound(state):
        raise _invalid(text, "a castling right needs the king and that rook on their home squares")
    if not is_en_passant_sound(state):
        raise _invalid(text, "no pawn can have jumped over the en passant square")
    if not is_turn_sound(lookup(), state):
        raise _invalid(text, "the side that is not to move is in check")


def write_fen(state: Any) -> str:
    """Return the FEN of a state; the en passant square is given after every jump of a pawn."""
    rows = ["".join(row) for row in reversed(drawing(state, "1"))]
    for empty in range(8, 1, -1):
        rows = [row.replace("1" * empty, str(empty)) for row in rows]
    rights = "".join(letter for letter, right in RIGHTS.items() if int(state.castling) & right)
    en_passant = "-" if state.en_passant == NO_SQUARE else square_name(int(state.en_passant))
    turn = "wb"[int(state.turn)]
    return f"{'/'.join(rows)} {turn} {rights or '-'} {en_passant} {state.clock} {state.move}"


def drawing(state: Any, empty: str) -> list[list[str]]:
    """Return the letters on the board, rank 1 first, with a sign for empty squares."""
    signs = [empty] * SQUARES
    white = int(state.sides[WHITE])
    for letter, board in zip(LETTERS, map(int, state.kinds), strict=True):
        while board:
            square = board.bit_length() - 1
            signs[square] = letter.upper() if white >> square & 1 else letter
            board ^= 1 << square
    return [signs[first : first + 8] for first in range(0, SQUARES, 8)]


def square_name(square: int) -> str:
    """Return the name of a square, such as "e4"."""
    return f"{'abcdefgh'[square % 8]}{square // 8 + 1}"


def square_of(name: str) -> int:
    """Return the number of a named square."""
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)
