"""2048: slide the tiles of a 4x4 board; equal tiles merge, and a new tile appears after every move.

Cells are numbered row by row from the top left. A cell holds the exponent of its tile: 0 empty, 1 a tile of
2, 2 a tile of 4, and so on. Actions: 0 up, 1 right, 2 down, 3 left; a move that changes nothing is illegal.

In a move every tile slides as far as it goes, and the tiles that lead a line merge first, each tile at most
once: 2 2 2 to the left gives 4 2. Two chance nodes follow: an empty cell (uniform, in ascending order), then
its tile (2 with probability 0.9, 4 with 0.1). The first two tiles are placed like this too. The game ends
when no move is left. 131072 is the largest tile that can arise.
"""

from typing import Any

import numpy as np

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from ..contracts.rules import CHANCE, TERMINAL

SIZE = 4
CELLS = SIZE * SIZE
LARGEST_TILE = 17  # as an exponent; beyond what sixteen cells allow, so that it never has to merge
STEP, MERGE = 0, 1  # columns of `events`
FOUR_PROBABILITY = 0.1
NO_CELL = -1
# Where the line of number `line` begins at the wall the tiles slide to, and how it runs on, by action.
FIRST_CELL = (0, 3, 12, 0)
NEXT_LINE = (1, 4, 1, 4)
ALONG_LINE = (4, -1, -4, 1)


def slide_line(cells, wall, along):
    """Slide one line to its wall; return the sum of the merged tiles."""
    merged_sum = 0
    filled = 0  # cells at the wall that are settled
    waiting = 0  # the last settled tile, if it may still merge
    for place in range(SIZE):
        tile = cells[wall + along * place]
        if tile == 0:
            continue
        if tile == waiting and tile < LARGEST_TILE:
            cells[wall + along * (filled - 1)] = tile + 1
            merged_sum += 2 << np.int64(tile)
            waiting = 0
        else:
            cells[wall + along * filled] = tile
            filled += 1
            waiting = np.int64(tile)
    for place in range(filled, SIZE):
        cells[wall + along * place] = 0
    return merged_sum


def pair_moves(first, second):
    """Return which way two neighbours can slide: bit 0 towards the first, bit 1 towards the second."""
    if first == second:
        return 3 if first != 0 and first < LARGEST_TILE else 0
    if first == 0:
        return 1
    return 2 if second == 0 else 0


def possible_moves(cells):
    """Return the actions that change the board, as bits 0 to 3."""
    across = down = 0
    for line in range(SIZE):
        for place in range(SIZE - 1):
            row_cell, column_cell = SIZE * line + place, SIZE * place + line
            across |= pair_moves(cells[row_cell], cells[row_cell + 1])
            down |= pair_moves(cells[column_cell], cells[column_cell + SIZE])
    return (down & 1) | (across & 2) | (down & 2) << 1 | (across & 1) << 3


class Game2048(Game):
    """2048, one player, 4 actions, no horizon.

    The event `merge` is the sum of the tiles that a move makes, which is the usual score.

    Args:
        encoder: The encoder, or None for `rf.encoders.Game2048()`.

    Example:
        >>> import rinforza as rf
        >>> rf.games.Game2048().observation_space().shape
        (18, 4, 4)
    """

    name = "2048"
    num_players = 1
    num_actions = 4
    dynamics = "sequential"
    chance_nodes = "anywhere"
    information = "perfect"
    most_outcomes = CELLS
    events = {"step": 0.0, "merge": 1.0}
    state_dtype = np.dtype(
        [
            ("cells", np.uint8, (CELLS,)),  # exponents of the tiles
            ("to_place", np.int32),  # tiles that chance has still to place: 2 at first, 1 after a move
            ("spot", np.int32),  # the cell drawn for the next tile, or NO_CELL
            ("moves", np.int32),  # the possible actions as bits, when a decision is due
            ("done", np.int32),  # 1 once no move is left
        ],
        align=True,
    )

    def __init__(self, encoder: Encoder | None = None):
        super().__init__(encoder=encoder)

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `board` (4 rows of 4 tile values, 0 empty) and `done`."""
        return {"board": _board(state), "done": bool(state.done)}

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> dict[str, int]:
        """Return {"merged": sum of the tiles that the move made}."""
        return {"merged": int(amounts[MERGE])}

    def text(self, state: Any) -> str:
        """Return the board, four lines of tile values with `.` for an empty cell."""
        return "\n".join(" ".join(f"{tile or '.':>6}" for tile in row) for row in _board(state))

    def initial(self, state):
        state.to_place = 2
        state.spot = NO_CELL

    def actor(self, state):
        if state.to_place > 0:
            return CHANCE
        return TERMINAL if state.done != 0 else 0

    def legal_actions(self, state, player, out):
        if state.to_place > 0 or player != 0:
            return 0
        count = 0
        for action in range(4):
            if (state.moves >> action) & 1 != 0:
                out[count] = action
                count += 1
        return count

    def step(self, state, actions, events):
        action = actions[0]
        merged_sum = 0
        for line in range(SIZE):
            wall = FIRST_CELL[action] + NEXT_LINE[action] * line
            merged_sum += slide_line(state.cells, wall, ALONG_LINE[action])
        events[0, STEP] = 1.0
        events[0, MERGE] = merged_sum
        state.moves = 0
        state.to_place = 1

    def chance(self, state, probabilities):
        if state.spot != NO_CELL:
            probabilities[0] = 1.0 - FOUR_PROBABILITY
            probabilities[1] = FOUR_PROBABILITY
            return 2
        empty = 0
        for cell in range(CELLS):
            empty += 1 if state.cells[cell] == 0 else 0
        for outcome in range(empty):
            probabilities[outcome] = 1.0 / empty
        return empty

    def resolve_chance(self, state, outcome, events):
        if state.spot == NO_CELL:
            for cell in range(CELLS):
                if state.cells[cell] == 0:
                    if outcome == 0:
                        state.spot = cell
                        return
                    outcome -= 1
            return
        state.cells[state.spot] = 1 + outcome
        state.spot = NO_CELL
        state.to_place -= 1
        if state.to_place == 0:
            state.moves = possible_moves(state.cells)
            state.done = 1 if state.moves == 0 else 0

    def valid(self, state):
        if state.to_place != 0 or state.spot != NO_CELL:
            return 0
        tiles = 0
        for cell in range(CELLS):
            if state.cells[cell] > LARGEST_TILE:
                return 0
            tiles += 1 if state.cells[cell] != 0 else 0
        if tiles < 2 or state.moves != possible_moves(state.cells):
            return 0
        return 1 if state.done == (1 if state.moves == 0 else 0) else 0


def _board(state: Any) -> list[list[int]]:
    tiles = [1 << tile if tile else 0 for tile in state.cells.tolist()]
    return [tiles[SIZE * row : SIZE * row + SIZE] for row in range(SIZE)]
