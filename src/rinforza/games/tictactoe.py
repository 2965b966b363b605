"""Tic-tac-toe: three in a row on a 3x3 board. The game to copy when you write your own.

Cells are numbered row by row, and an action is the cell to mark:

    0 1 2
    3 4 5
    6 7 8

Player 0 moves first. Three of a player's marks in a row, a column or a diagonal win; a full board is a draw.
"""

from typing import Any

import numpy as np

from ..contracts.encoder import Encoder
from ..contracts.game import Game, sole_event
from ..contracts.rules import TERMINAL

CELLS = 9
WIN, LOSS, DRAW = 0, 1, 2  # columns of `events`

LINES = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]])


def has_line(cells, mark):
    """Return whether `mark` fills a line."""
    for line in range(8):
        if cells[LINES[line, 0]] == mark and cells[LINES[line, 1]] == mark and cells[LINES[line, 2]] == mark:
            return True
    return False


class TicTacToe(Game):
    """Tic-tac-toe, two players, 9 actions.

    Args:
        encoder: The encoder, or None for `rf.encoders.TicTacToe()`.

    Example:
        >>> import rinforza as rf
        >>> rf.games.TicTacToe().action_space()
        Discrete(9)
    """

    name = "tictactoe"
    num_players = 2
    num_actions = CELLS
    dynamics = "sequential"
    chance_nodes = "none"
    information = "perfect"
    events = {"win": 1.0, "loss": -1.0, "draw": 0.0}
    resignation = ("loss", "win")
    state_dtype = np.dtype(
        [
            ("cells", np.int8, (CELLS,)),  # 0 empty, 1 player 0, 2 player 1
            ("ply", np.int8),  # marks on the board, 0 to 9
            ("done", np.bool_),
        ],
        align=True,
    )

    def __init__(self, encoder: Encoder | None = None):
        super().__init__(encoder=encoder)

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `board` (three rows of 0, 1, 2), `turn` and `done`."""
        done = bool(state.done)
        turn = (int(state.ply) - done) % 2
        return {"board": state.cells.reshape(3, 3).tolist(), "turn": turn, "done": done}

    def text(self, state: Any) -> str:
        """Return the board, three lines of `.`, `X` and `O`."""
        return "\n".join("".join(".XO"[cell] for cell in row) for row in state.cells.reshape(3, 3))

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> str | None:
        """Return "win", "loss" or "draw" on the last tick."""
        return sole_event(self, amounts)

    def initial(self, state):
        state.ply = 0

    def actor(self, state):
        return TERMINAL if state.done else state.ply % 2

    def legal_actions(self, state, player, out):
        count = 0
        if not state.done and player == state.ply % 2:
            for cell in range(CELLS):
                if state.cells[cell] == 0:
                    out[count] = cell
                    count += 1
        return count

    def step(self, state, actions, events):
        mover = state.ply % 2
        state.cells[actions[mover]] = mover + 1
        state.ply += 1
        if has_line(state.cells, mover + 1):
            state.done = True
            events[mover, WIN] = 1.0
            events[1 - mover, LOSS] = 1.0
        elif state.ply == CELLS:
            state.done = True
            events[0, DRAW] = 1.0
            events[1, DRAW] = 1.0

    def valid(self, state):
        marks = 0
        for cell in range(CELLS):
            if state.cells[cell] < 0 or state.cells[cell] > 2:
                return 0
            marks += state.cells[cell] != 0
        ended = has_line(state.cells, 1) or has_line(state.cells, 2) or marks == CELLS
        return 1 if marks == state.ply and ended == state.done else 0
