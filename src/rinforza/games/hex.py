"""Hex: join your two edges of the board with a chain of your stones.

Cells are numbered row by row; each row is shifted half a cell to the right of the one above, so that a cell
touches six others: two in its row, two above (same column and the next), two below (same column and the one
before). On a board of size 4:

     0  1  2  3
       4  5  6  7
         8  9 10 11
          12 13 14 15

Player 0 moves first and joins top and bottom; player 1 joins left and right. An action is an empty cell.
There is no swap and there are no draws: a full board joins exactly one pair of edges.

Every stone carries which of its owner's edges its chain reaches. A new stone takes on the edges of all chains
that it touches and hands them to the stones that lack them, so a stone is visited at most twice in a game.
"""

from typing import Any

import numpy as np

from ..contracts.arguments import integer
from ..contracts.encoder import Encoder
from ..contracts.game import Game, sole_event
from ..contracts.rules import TERMINAL

SMALLEST, LARGEST = 2, 25
WIN, LOSS = 0, 1  # columns of `events`
OWNER = 3  # the bits of a cell that tell its owner: 0 nobody, 1 and 2 the players
FIRST_EDGE, SECOND_EDGE = 4, 8  # top and bottom for player 0, left and right for player 1
BOTH_EDGES = FIRST_EDGE | SECOND_EDGE
OUTSIDE = -1
STEPS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


def settle(cells, neighbours, size, cell, player):
    """Put a stone on an empty cell, with the edges that its chain reaches; return those edges."""
    place = cell // size if player == 0 else cell % size
    edges = 0
    if place == 0:
        edges |= FIRST_EDGE
    if place == size - 1:
        edges |= SECOND_EDGE
    for side in range(6):
        near = neighbours[cell, side]
        if near != OUTSIDE and cells[near] & OWNER == player + 1:
            edges |= cells[near] & BOTH_EDGES
    cells[cell] = player + 1
    spread(cells, neighbours, cell, edges)
    return edges


def spread(cells, neighbours, cell, edges):
    """Give edges to a stone, and on to all stones of its chain that lack some of them."""
    cells[cell] |= edges
    for side in range(6):
        near = neighbours[cell, side]
        if near == OUTSIDE or (cells[near] ^ cells[cell]) & OWNER != 0:
            continue
        if cells[near] & edges != edges:
            spread(cells, neighbours, near, edges)


class Hex(Game):
    """Hex without the swap, two players, size x size actions, no horizon.

    Args:
        size: Rows and columns of the board, 2 to 25.
        encoder: The encoder, or None for `rf.encoders.Hex()`.

    Raises:
        ValueError: If the size is outside 2 to 25.

    Example:
        >>> import rinforza as rf
        >>> rf.games.Hex(size=5).action_space().n
        25
    """

    name = "hex"
    num_players = 2
    dynamics = "sequential"
    chance_nodes = "none"
    information = "perfect"
    events = {"win": 1.0, "loss": -1.0}
    resignation = ("loss", "win")

    def __init__(self, size: int = 11, encoder: Encoder | None = None):
        size = integer("size", size, 0, LARGEST)
        if size < SMALLEST:
            raise ValueError(f"size must be >= {SMALLEST}, got {size}")
        layout = [
            ("cells", np.uint8, (size * size,)),  # owner (0, 1, 2) and the edges its chain reaches (4, 8)
            ("ply", np.int32),  # stones on the board
            ("done", np.int32),  # 1 once a pair of edges is joined
        ]
        tables = {
            "num_actions": size * size,
            "state_dtype": np.dtype(layout, align=True),
            "neighbours": _neighbours(size),
        }
        super().__init__(encoder=encoder, size=size, tables=tables)

    size: int
    neighbours: np.ndarray

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `board` (rows from the top; 0 empty, 1 and 2 the players), `turn`, `done`."""
        done = bool(state.done)
        return {"board": self._board(state), "turn": (int(state.ply) - done) % 2, "done": done}

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> str | None:
        """Return "win" or "loss" on the last tick."""
        return sole_event(self, amounts)

    def text(self, state: Any) -> str:
        """Return the board from the top row down, each row shifted, of `.`, `X` (player 0) and `O`."""
        rows = enumerate(self._board(state))
        return "\n".join(" " * number + " ".join(".XO"[cell] for cell in row) for number, row in rows)

    def _board(self, state: Any) -> list[list[int]]:
        return (state.cells & OWNER).reshape(self.size, self.size).tolist()

    def initial(self, state):
        state.ply = 0

    def actor(self, state):
        return TERMINAL if state.done != 0 else state.ply & 1

    def legal_actions(self, state, player, out):
        count = 0
        if state.done == 0 and player == state.ply & 1:
            for cell in range(self.num_actions):
                out[count] = cell  # written over by the next one if the cell is taken
                count += 1 if state.cells[cell] == 0 else 0
        return count

    def step(self, state, actions, events):
        mover = state.ply & 1
        edges = settle(state.cells, self.neighbours, self.size, actions[mover], mover)
        state.ply += 1
        if edges == BOTH_EDGES:
            state.done = 1
            events[mover, WIN] = 1.0
            events[1 - mover, LOSS] = 1.0

    def valid(self, state):
        if state.ply < 0 or state.ply > self.num_actions or state.done < 0 or state.done > 1:
            return 0
        cells = np.zeros(self.num_actions, np.uint8)
        stones = 0
        lead = 0  # stones of player 0 more than of player 1
        joined = 0
        for cell in range(self.num_actions):
            owner = state.cells[cell] & OWNER
            if owner == OWNER:
                return 0
            if owner != 0:
                stones += 1
                lead += 3 - 2 * owner
                if settle(cells, self.neighbours, self.size, cell, owner - 1) == BOTH_EDGES:
                    joined = owner
        if stones != state.ply or lead != (stones & 1):
            return 0
        for cell in range(self.num_actions):
            if state.cells[cell] != cells[cell]:
                return 0
        # Only the last mover can have joined its edges: player 0 after an odd number of stones.
        last = 2 - (stones & 1)
        return 1 if joined == (last if state.done == 1 else 0) else 0


def _neighbours(size: int) -> np.ndarray:
    """Return int16[size * size, 6], the cells that each cell touches, or OUTSIDE."""
    table = np.full((size * size, len(STEPS)), OUTSIDE, np.int16)
    for cell in range(size * size):
        for side, (down, right) in enumerate(STEPS):
            row, column = cell // size + down, cell % size + right
            if 0 <= row < size and 0 <= column < size:
                table[cell, side] = row * size + column
    return table
