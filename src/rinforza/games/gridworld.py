"""Grid world: one agent walks on a square grid to a goal.

Cells are (row, column), row 0 at the top. The start cell is a root chance node, uniform over all cells but
the goal. Actions: 0 up, 1 down, 2 left, 3 right; a move into a wall stays put and costs the tick.
"""

from typing import Any

import numpy as np

from ..contracts.arguments import integer
from ..contracts.encoder import Encoder
from ..contracts.game import Game
from ..contracts.rules import CHANCE, TERMINAL

STEP, GOAL = 0, 1  # columns of `events`
LARGEST_OBSERVATION = (1 << 31) - 1


class GridWorld(Game):
    """A walk to a goal, one player, 4 actions.

    Args:
        size: Rows and columns of the grid, >= 2.
        goal_row: Row of the goal, 0 to size - 1; None for the last.
        goal_col: Column of the goal, 0 to size - 1; None for the last.
        max_ticks: The horizon, >= 1, or None.
        encoder: The encoder, or None for `rf.encoders.GridWorld()`.

    Raises:
        ValueError: If the size is below 2 or too large, the goal is outside the grid, or max_ticks is 0.
        OverflowError: If a number is negative or beyond 64 bits.
        TypeError: If one is no int.

    Example:
        >>> import rinforza as rf
        >>> rf.games.GridWorld(size=4).truncation_horizon()
        1000
    """

    name = "gridworld"
    num_players = 1
    num_actions = 4
    dynamics = "sequential"
    chance_nodes = "root"
    information = "perfect"
    events = {"step": 0.0, "goal": 1.0}
    state_dtype = np.dtype(
        [
            ("row", np.int32),
            ("column", np.int32),
            ("placed", np.int32),  # 0 until the start cell is drawn
            ("done", np.int32),
        ],
        align=True,
    )

    def __init__(
        self,
        size: int = 5,
        goal_row: int | None = None,
        goal_col: int | None = None,
        max_ticks: int | None = 1000,
        encoder: Encoder | None = None,
    ):
        size = integer("size", size, 0)
        if size < 2:
            raise ValueError(f"size must be >= 2, got {size}")
        if 2 * size * size > LARGEST_OBSERVATION:
            raise ValueError(f"size must keep 2*size*size <= {LARGEST_OBSERVATION}, got {size}")
        goal_row = size - 1 if goal_row is None else integer("goal_row", goal_row, 0, size - 1)
        goal_col = size - 1 if goal_col is None else integer("goal_col", goal_col, 0, size - 1)
        super().__init__(
            encoder=encoder,
            max_ticks=max_ticks,
            size=size,
            goal_row=goal_row,
            goal_col=goal_col,
            tables={"most_outcomes": size * size - 1},
        )

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `pos` (row, column) and `done`."""
        return {"pos": (int(state.row), int(state.column)), "done": bool(state.done)}

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> dict[str, bool]:
        """Return {"reached_goal": bool}."""
        return {"reached_goal": amounts.item(GOAL) != 0.0}

    def text(self, state: Any) -> str:
        """Return the grid with `A` for the agent, once it is placed, and `G` for the goal."""
        rows = [["."] * self.size for _ in range(self.size)]
        rows[self.goal_row][self.goal_col] = "G"
        if state.placed:
            rows[state.row][state.column] = "A"
        return "\n".join("".join(row) for row in rows)

    size: int
    goal_row: int
    goal_col: int

    def initial(self, state):
        state.placed = 0

    def actor(self, state):
        if state.placed == 0:
            return CHANCE
        return TERMINAL if state.done != 0 else 0

    def legal_actions(self, state, player, out):
        if state.placed == 0 or state.done != 0 or player != 0:
            return 0
        for action in range(4):
            out[action] = action
        return 4

    def step(self, state, actions, events):
        action = actions[0]
        if action == 0:
            state.row = max(state.row - 1, 0)
        elif action == 1:
            state.row = min(state.row + 1, self.size - 1)
        elif action == 2:
            state.column = max(state.column - 1, 0)
        else:
            state.column = min(state.column + 1, self.size - 1)
        if state.row == self.goal_row and state.column == self.goal_col:
            state.done = 1
            events[0, GOAL] = 1.0
        else:
            events[0, STEP] = 1.0

    def chance(self, state, probabilities):
        count = self.size * self.size - 1
        for outcome in range(count):
            probabilities[outcome] = 1.0 / count
        return count

    def resolve_chance(self, state, outcome, events):
        goal = self.goal_row * self.size + self.goal_col
        cell = outcome if outcome < goal else outcome + 1
        state.row = cell // self.size
        state.column = cell % self.size
        state.placed = 1

    def valid(self, state):
        if state.placed != 1 or state.done < 0 or state.done > 1:
            return 0
        if state.row < 0 or state.row >= self.size or state.column < 0 or state.column >= self.size:
            return 0
        at_goal = state.row == self.goal_row and state.column == self.goal_col
        return 1 if at_goal == (state.done == 1) else 0
