"""One tick: all living snakes turn and move, are judged on the board as it then is, and die or eat.

The new heads come onto the grid last, so while the snakes are judged the grid shows the bodies behind them.
"""

from .board import (
    ALIVE,
    CORPSE,
    FOOD,
    HEAD_ON,
    LONG_DEAD,
    OFF_BOARD,
    OPPONENT,
    OWNER,
    SELF,
    WALL,
    body_cell,
    cell_ahead,
    push_head,
)
from .food import remove_food

TURNS = ((0, 2, 3), (1, 3, 2), (2, 1, 0), (3, 0, 1))  # the heading after forward, left, right


def turn_and_drop_tails(self, state, actions):
    """Turn every living snake, and take the tail off those whose next cell holds no food."""
    for snake in range(self.num_snakes):
        if state.fates[snake] != ALIVE:
            state.fates[snake] = LONG_DEAD
            continue
        state.headings[snake] = TURNS[state.headings[snake]][actions[snake]]
        ahead = cell_ahead(self, state, snake)
        if ahead == OFF_BOARD or state.grid[ahead] & FOOD == 0:
            tail = body_cell(state, snake, state.lengths[snake] - 1, self.cells)
            state.lengths[snake] -= 1
            state.grid[tail] &= 0xFF ^ OWNER


def judge(self, state):
    """Write the fate of every snake that moved."""
    for snake in range(self.num_snakes):
        if state.fates[snake] == LONG_DEAD:
            continue
        ahead = cell_ahead(self, state, snake)
        if ahead == OFF_BOARD:
            state.fates[snake] = WALL
        elif meets_a_head(self, state, snake, ahead):
            state.fates[snake] = HEAD_ON
        else:
            owner = state.grid[ahead] & OWNER
            if owner == snake + 1:
                state.fates[snake] = SELF
            elif owner != 0:
                state.fates[snake] = OPPONENT


def meets_a_head(self, state, snake, ahead):
    """Return whether another moving snake has the same next cell."""
    for other in range(self.num_snakes):
        if other != snake and state.fates[other] != LONG_DEAD and cell_ahead(self, state, other) == ahead:
            return True
    return False


def killer_of(self, state, snake):
    """Return the living snake into whose body a snake has run, or -1.

    Bodies of living snakes share no cell, so there is one at most.
    """
    if state.fates[snake] != OPPONENT:
        return -1
    owner = (state.grid[cell_ahead(self, state, snake)] & OWNER) - 1
    return owner if state.fates[owner] == ALIVE else -1


def bury_or_move(self, state, snake):
    """Leave a snake that just died on the board, or put the head of a living one; return 1 if it ate."""
    ahead = cell_ahead(self, state, snake)
    if state.fates[snake] != ALIVE:
        for behind in range(state.lengths[snake]):
            cell = body_cell(state, snake, behind, self.cells)
            state.grid[cell] = (state.grid[cell] & (0xFF ^ OWNER)) | CORPSE
        return 0
    push_head(self, state, snake, ahead)
    if state.grid[ahead] & FOOD == 0:
        return 0
    remove_food(state, ahead)
    return 1
