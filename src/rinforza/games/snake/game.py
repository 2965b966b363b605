"""Snake for two to eight: all move at once, the last one alive wins.

Actions are relative: 0 forward, 1 turn left, 2 turn right. A snake that runs into a wall, itself, another
snake that was alive, or head on into another, dies and stays on the board; what died on an earlier tick is
harmless, and only keeps food away. Whoever eats grows by one, and as many apples come back on free cells.

With `play_to_last` the survivor is told that it won when the last rival dies, and plays on alone.
"""

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ...compiled.random import integer_below
from ...contracts.arguments import flag, integer, optional_integer
from ...contracts.encoder import Encoder
from ...contracts.game import Game
from ...contracts.rules import CHANCE, LONGEST_CHANCE_CHAIN, SIMULTANEOUS, TERMINAL
from .board import ALIVE, HEAD_ON, LEFT, LONG_DEAD, RIGHT, WALL, is_over, layout_of, push_head, row_bits_of
from .cells import cell_number, cells_of
from .food import count_free, count_outcomes, place_drawn
from .placement import starting_bodies
from .tick import bury_or_move, judge, killer_of, turn_and_drop_tails
from .validity import is_valid

STEP, FOOD, LOSS, DRAW, KILL, WIN, SURVIVAL = range(7)  # columns of `events`
CAUSES = (None, "wall", "self", "opponent", "head_on", None)  # by fate
LARGEST_OBSERVATION = (1 << 31) - 1
PLANES = 5
MOST_SNAKES = 8
MOST_OUTCOMES = 1 << 53  # of one draw, so that one random number chooses among them
WIDEST_FAN = 1 << 20  # outcomes that `chance` lists


class Snake(Game):
    """Snake, two to eight players, 3 actions, all at once.

    Args:
        grid_size: Rows and columns of the board.
        initial_length: Cells of each snake at the start, >= 1.
        food: Apples on the board, 0 to 10,000.
        play_to_last: Whether the last snake plays on until it dies, too.
        win_food_lead: With two snakes: the difference in length that ends the game, >= 1, or None.
        max_ticks: The horizon, >= 1, or None.
        num_snakes: 2 to 8.
        encoder: The encoder, or None for `rf.encoders.Snake()`.

    Raises:
        ValueError: If a number is outside its range, or snakes and food do not fit the board.

    Example:
        >>> import rinforza as rf
        >>> rf.games.Snake(grid_size=10, num_snakes=4).observation_space().shape
        (5, 10, 10)
    """

    name = "snake"
    num_actions = 3
    dynamics = "simultaneous"
    chance_nodes = "anywhere"
    information = "perfect"
    events = {"step": 0.0, "food": 0.0, "loss": -1.0, "draw": 0.0, "kill": 0.0, "win": 1.0, "survival": 0.0}

    def __init__(
        self,
        grid_size: int = 20,
        initial_length: int = 3,
        food: int = 3,
        play_to_last: bool = True,
        win_food_lead: int | None = None,
        max_ticks: int | None = 1000,
        num_snakes: int = 2,
        encoder: Encoder | None = None,
    ):
        num_snakes = integer("num_snakes", num_snakes, 0)
        if not 2 <= num_snakes <= MOST_SNAKES:
            raise ValueError(f"num_snakes must be in 2..{MOST_SNAKES}, got {num_snakes}")
        lead = _checked_lead(win_food_lead, num_snakes)
        grid_size = _checked_size(grid_size)
        cells = grid_size * grid_size
        food = _checked_food(food, cells, num_snakes)
        length = integer("initial_length", initial_length, 0)
        if length < 1:
            raise ValueError("initial_length must be >= 1, got 0")
        starting_bodies(grid_size, num_snakes, length)
        if food > cells - num_snakes * length:
            raise ValueError(
                f"food {food} exceeds the {cells - num_snakes * length} free cells left by the initial snakes"
            )
        super().__init__(
            encoder=encoder,
            max_ticks=max_ticks,
            grid_size=grid_size,
            initial_length=length,
            food=food,
            play_to_last=flag("play_to_last", play_to_last),
            win_food_lead=lead,
            num_snakes=num_snakes,
            tables={
                "num_players": num_snakes,
                "n_cells": cells_of(num_snakes),
                "most_outcomes": min(WIDEST_FAN, max(1, prod(_respawn_bounds(food, cells, num_snakes)))),
                "cells": cells,
                "row_bits": row_bits_of(grid_size),
                "column_mask": (1 << row_bits_of(grid_size)) - 1,
                "lead": 0 if lead is None else min(lead, cells + 1),
                "starting_cells": _cell_numbers(grid_size, num_snakes, length),
            },
        )
        self.__dict__["state_dtype"] = layout_of(grid_size, num_snakes, food)

    grid_size: int
    num_snakes: int
    row_bits: int
    column_mask: int
    cells: int
    initial_length: int
    food: int
    lead: int
    starting_cells: np.ndarray

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `bodies` ((row, column), head first), `food`, `directions` and `alive`."""
        return {
            "bodies": [self._body(state, snake) for snake in range(self.num_snakes)],
            "food": [self._place(cell) for cell in state.food[: state.food_count]],
            "directions": state.headings.tolist(),
            "alive": (state.fates == ALIVE).tolist(),
        }

    def _body(self, state: Any, snake: int) -> list[tuple[int, int]]:
        places = (state.heads[snake] - np.arange(state.lengths[snake])) % self.cells
        return [self._place(cell) for cell in state.bodies[snake, places]]

    def _place(self, cell: Any) -> tuple[int, int]:
        return int(cell) >> self.row_bits, int(cell) & self.column_mask

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> dict[str, Any]:
        """Return what happened to a snake on a tick.

        Args:
            player: The snake.
            amounts: Its events of the tick.
            state: The state after the tick.

        Returns:
            `ate_food`, `died`, `killed_opponent`, `won`, `lost`, `drew` (bool), and `death_cause` (None,
            "wall", "self", "opponent" or "head_on").
        """
        return _payload(state.fates.item(player), amounts.tobytes()).copy()

    def text(self, state: Any) -> str:
        """Return the board: `A` and `a` for head and body of snake 0, `x` for the dead, `*` for food."""
        rows = [["."] * self.grid_size for _ in range(self.grid_size)]
        values = self.state_values(state)
        for row, column in values["food"]:
            rows[row][column] = "*"
        for snake in sorted(range(self.num_snakes), key=values["alive"].__getitem__):
            letter = "abcdefgh"[snake] if values["alive"][snake] else "x"
            for row, column in reversed(values["bodies"][snake]):
                rows[row][column] = letter
            if values["alive"][snake]:
                row, column = values["bodies"][snake][0]
                rows[row][column] = letter.upper()
        return "\n".join("".join(row) for row in rows)

    def initial(self, state):
        for snake in range(self.num_snakes):
            state.headings[snake] = LEFT if snake % 2 == 1 else RIGHT
            for behind in range(self.initial_length):
                cell = self.starting_cells[snake, self.initial_length - 1 - behind]
                push_head(self, state, snake, cell)
        state.births = self.food

    def actor(self, state):
        if state.done:
            return TERMINAL
        return CHANCE if state.births > 0 or state.respawns > 0 else SIMULTANEOUS

    def legal_actions(self, state, player, out):
        if state.done or state.births > 0 or state.respawns > 0 or state.fates[player] != ALIVE:
            return 0
        for action in range(3):
            out[action] = action
        return 3

    def step(self, state, actions, events):
        turn_and_drop_tails(self, state, actions)
        judge(self, state)
        alive, died = 0, 0
        for snake in range(self.num_snakes):
            events[snake, STEP] = 1.0
            if state.fates[snake] == ALIVE:
                alive += 1
            elif state.fates[snake] != LONG_DEAD:
                died += 1
                killer = killer_of(self, state, snake)
                if killer >= 0:
                    events[killer, KILL] = 1.0
        eaten = 0
        for snake in range(self.num_snakes):
            if state.fates[snake] == LONG_DEAD:
                continue
            ate = bury_or_move(self, state, snake)
            events[snake, FOOD] = ate
            eaten += ate
            if state.fates[snake] == ALIVE:
                events[snake, WIN] = 1.0 if alive == 1 and died > 0 else 0.0
            elif alive > 0:
                events[snake, LOSS] = 1.0
            elif died > 1:
                events[snake, DRAW] = 1.0
        state.done = is_over(self, state)
        if state.done and alive == 2 and self.lead > 0:
            longer = 0 if state.lengths[0] >= state.lengths[1] else 1
            events[longer, WIN] = 1.0
            events[1 - longer, LOSS] = 1.0
        if eaten > 0 and not state.done:
            state.respawns = min(eaten, count_free(self, state))

    def chance(self, state, probabilities):
        count = count_outcomes(self, state)
        if count > self.most_outcomes:
            return 0  # too many to list: only `sample_chance` draws one
        for outcome in range(count):
            probabilities[outcome] = 1.0 / count
        return count

    def sample_chance(self, state, stream):
        return integer_below(stream, count_outcomes(self, state))

    def resolve_chance(self, state, outcome, events):
        place_drawn(self, state, outcome)

    def truncate(self, state, events):
        for snake in range(self.num_snakes):
            if state.fates[snake] == ALIVE:
                events[snake, SURVIVAL] += 1.0

    def cell(self, state):
        return cell_number(self, state)

    def valid(self, state):
        return 1 if is_valid(self, state) else 0


@lru_cache(256)
def _payload(fate: int, amounts: bytes) -> dict[str, Any]:
    """Return what is reported of a tick; few differ, and to make one takes as long as to play a tick."""
    _, food, loss, draw, kill, win, _ = np.frombuffer(amounts)
    return {
        "ate_food": bool(food),
        "died": WALL <= fate <= HEAD_ON,
        "killed_opponent": bool(kill),
        "won": bool(win),
        "lost": bool(loss),
        "drew": bool(draw),
        "death_cause": CAUSES[fate],
    }


def _checked_lead(win_food_lead: Any, num_snakes: int) -> int | None:
    lead = optional_integer("win_food_lead", win_food_lead, 0)
    if lead is not None and num_snakes != 2:
        raise ValueError(
            f"win_food_lead is a two-snake rule; leave it None for {num_snakes} snakes, got {lead}"
        )
    if lead == 0:
        raise ValueError("win_food_lead must be >= 1 (or None for no such end), got 0")
    return lead


def _checked_size(grid_size: Any) -> int:
    size = integer("grid_size", grid_size, 0)
    if PLANES * size * size > LARGEST_OBSERVATION:
        raise ValueError(
            f"grid_size must keep {PLANES}*grid_size*grid_size <= {LARGEST_OBSERVATION}, got {size}"
        )
    return size


def _respawn_bounds(food: int, cells: int, num_snakes: int) -> list[int]:
    """Return how many cells there are at most for each apple of one draw."""
    return [cells - index for index in range(min(num_snakes, food))]


def _checked_food(food: Any, cells: int, num_snakes: int) -> int:
    food = integer("food", food, 0)
    if food > cells:
        raise ValueError(f"food {food} exceeds the {cells} cells of the board")
    if food > LONGEST_CHANCE_CHAIN:
        raise ValueError(
            f"food must be <= {LONGEST_CHANCE_CHAIN}, the longest chain of chance nodes, got {food}"
        )
    if prod(_respawn_bounds(food, cells, num_snakes)) > MOST_OUTCOMES:
        raise ValueError(
            f"{min(num_snakes, food)} apples eaten on one tick could come back to a board of {cells} cells "
            "in more than 2**53 ways; reduce food or grid_size"
        )
    return food


def _cell_numbers(grid_size: int, num_snakes: int, length: int) -> np.ndarray:
    """Return the numbers of the cells of each starting body, int64[num_snakes, length]."""
    row_bits = row_bits_of(grid_size)
    bodies = starting_bodies(grid_size, num_snakes, length)
    return np.array([[row << row_bits | column for row, column in body] for body in bodies])
