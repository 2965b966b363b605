"""Connect 4: seven columns, six rows, four in a row wins.

Each player's discs are a 64-bit board. Column c takes bits 7c (bottom) to 7c+5; bit 7c+6 stays empty, so that
a shift never runs from one column into the next:

     5 12 19 26 33 40 47
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42

Player 0 moves first; an action is a column. A full board without a line is a draw.
"""

from typing import Any

import numpy as np

from ..compiled.bits import ONE
from ..contracts.encoder import Encoder
from ..contracts.game import Game, sole_event
from ..contracts.rules import TERMINAL

ROWS, COLUMNS = 6, 7
COLUMN_BITS = 7
CELLS = ROWS * COLUMNS
WIN, LOSS, DRAW = 0, 1, 2  # columns of `events`
COLUMN_MASK = np.uint64(0x7F)
TOP_ROW = np.uint64(5)
UP, UP_LEFT, LEFT, UP_RIGHT = np.uint64(1), np.uint64(6), np.uint64(7), np.uint64(8)
TWICE = np.uint64(2)
NOTHING = np.uint64(0)
ALL_CELLS = np.uint64(sum(0x3F << (COLUMN_BITS * column) for column in range(COLUMNS)))


def has_four(board, direction):
    """Return whether four discs stand in a row along a shift."""
    pairs = board & (board >> direction)
    return pairs & (pairs >> (direction * TWICE)) != NOTHING


def wins(board):
    """Return whether a board holds four in a row."""
    return (
        has_four(board, UP) or has_four(board, LEFT) or has_four(board, UP_LEFT) or has_four(board, UP_RIGHT)
    )


class Connect4(Game):
    """Connect 4, two players, 7 actions, no horizon.

    Args:
        encoder: The encoder, or None for `rf.encoders.Connect4()`.

    Example:
        >>> import rinforza as rf
        >>> rf.games.Connect4().observation_space().shape
        (2, 6, 7)
    """

    name = "connect4"
    num_players = 2
    num_actions = COLUMNS
    dynamics = "sequential"
    chance_nodes = "none"
    information = "perfect"
    events = {"win": 1.0, "loss": -1.0, "draw": 0.0}
    resignation = ("loss", "win")
    state_dtype = np.dtype(
        [
            ("discs", np.uint64, (2,)),  # one board for each player
            ("ply", np.int32),  # discs on the board, 0 to 42
            ("done", np.int32),  # 1 once the game has ended
        ],
        align=True,
    )

    def __init__(self, encoder: Encoder | None = None):
        super().__init__(encoder=encoder)

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `board` (6 rows of 7, row 0 at the bottom; 0 empty, 1 and 2 the players), `turn`, `done`."""
        done = bool(state.done)
        return {"board": _board(state), "turn": (int(state.ply) - done) % 2, "done": done}

    def text(self, state: Any) -> str:
        """Return the board, six lines from the top row down, of `.`, `X` and `O`."""
        return "\n".join("".join(".XO"[cell] for cell in row) for row in reversed(_board(state)))

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> str | None:
        """Return "win", "loss" or "draw" on the last tick."""
        return sole_event(self, amounts)

    def initial(self, state):
        state.ply = 0

    def actor(self, state):
        return TERMINAL if state.done != 0 else state.ply & 1

    def legal_actions(self, state, player, out):
        count = 0
        if state.done == 0 and player == state.ply & 1:
            taken = state.discs[0] | state.discs[1]
            for column in range(COLUMNS):
                if (taken >> (np.uint64(COLUMN_BITS * column) + TOP_ROW)) & ONE == NOTHING:
                    out[count] = column
                    count += 1
        return count

    def step(self, state, actions, events):
        mover = state.ply & 1
        taken = state.discs[0] | state.discs[1]
        foot = np.uint64(COLUMN_BITS * actions[mover])
        landing = (taken + (ONE << foot)) & (COLUMN_MASK << foot)
        board = state.discs[mover] | landing
        state.discs[mover] = board
        state.ply += 1
        if wins(board):
            state.done = 1
            events[mover, WIN] = 1.0
            events[1 - mover, LOSS] = 1.0
        elif state.ply == CELLS:
            state.done = 1
            events[0, DRAW] = 1.0
            events[1, DRAW] = 1.0

    def valid(self, state):
        first, second = state.discs[0], state.discs[1]
        taken = first | second
        if first & second != NOTHING or taken & ~ALL_CELLS != NOTHING:
            return 0
        count = 0
        for column in range(COLUMNS):
            stack = (taken >> np.uint64(COLUMN_BITS * column)) & COLUMN_MASK
            if stack & (stack + ONE) != NOTHING:
                return 0  # a disc above a gap
            for row in range(ROWS):
                count += np.int64((stack >> np.uint64(row)) & ONE)
        ended = wins(first) or wins(second) or count == CELLS
        return 1 if count == state.ply and state.done == (1 if ended else 0) else 0


def _board(state: Any) -> list[list[int]]:
    first, second = (int(board) for board in state.discs)

    def cell(row: int, column: int) -> int:
        bit = COLUMN_BITS * column + row
        return (first >> bit & 1) + 2 * (second >> bit & 1)

    return [[cell(row, column) for column in range(COLUMNS)] for row in range(ROWS)]
