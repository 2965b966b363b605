"""Go with area scoring.

Points are numbered row by row from the bottom left (a1, b1, c1, ...); size * size is the pass, which is
always legal. Player 0 is black and moves first. Suicide is illegal. Two passes in a row end the game, and so
does move number 2 * size * size; the board is then scored as it stands by the rules of Tromp and Taylor: a
player's stones and the empty points that reach only them, and komi for white.

What may not come back is a parameter: with `superko="positional"` no earlier position of the board, with
"situational" none with the same player to move, with "none" only the position before the last move (a single
stone may not be retaken at once).
"""

from typing import Any

import numpy as np

from ...compiled.random import GOLDEN, mix
from ...contracts.arguments import choice, integer, number
from ...contracts.encoder import Encoder
from ...contracts.game import Game, sole_event
from ...contracts.rules import TERMINAL
from .board import NO_POINT, WALL, place
from .score import area_lead
from .superko import NO_SUPERKO, refresh_legal, remember_position
from .validity import is_sound

SMALLEST, LARGEST = 2, 19
SUPERKO_RULES = ("none", "positional", "situational")
LARGEST_KOMI = 1000.0
WIN, LOSS, DRAW = 0, 1, 2  # columns of `events`
STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0))


class Go(Game):
    """Go, two players, size x size + 1 actions, no horizon but 2 x size x size moves by the rules.

    Args:
        size: Rows and columns of the board, 2 to 19.
        komi: Points for white, -1000 to 1000; a draw is possible when it is a whole number.
        superko: What may not come back, "positional", "situational" or "none" (only the simple ko).
        encoder: The encoder, or None for `rf.encoders.Go()`.

    Raises:
        ValueError: If the size or komi is out of range, or the superko rule is unknown.

    Example:
        >>> import rinforza as rf
        >>> rf.games.Go(size=5, komi=0.5).observation_space().shape
        (5, 5, 5)
    """

    name = "go"
    num_players = 2
    dynamics = "sequential"
    chance_nodes = "none"
    information = "perfect"
    events = {"win": 1.0, "loss": -1.0, "draw": 0.0}
    resignation = ("loss", "win")

    def __init__(
        self,
        size: int = 9,
        komi: float = 7.5,
        superko: str = "positional",
        encoder: Encoder | None = None,
    ):
        size = integer("size", size, 0, LARGEST)
        if size < SMALLEST:
            raise ValueError(f"size must be >= {SMALLEST}, got {size}")
        rule = SUPERKO_RULES.index(choice("superko", superko, SUPERKO_RULES))
        points = size * size
        keys = _random_keys(4 * points + 2)
        super().__init__(
            encoder=encoder,
            size=size,
            komi=number("komi", komi, -LARGEST_KOMI, LARGEST_KOMI),
            superko=superko,
            tables={
                "num_actions": points + 1,
                "num_points": points,
                "most_moves": 2 * points,
                "superko_rule": rule,
                "neighbours": _neighbours(size),
                "point_keys": keys[: 4 * points].reshape(2, 2, points),
                "white_key": keys[4 * points :],
                "state_dtype": _layout(points, rule),
            },
        )

    size: int
    komi: float
    num_points: int
    most_moves: int
    superko_rule: int

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `board` (rows from the bottom; 0 empty, 1 and 2 the players), `turn`, `passes`, `done`."""
        done = bool(state.done)
        turn = (int(state.ply) - done) % 2
        return {"board": self._board(state), "turn": turn, "passes": int(state.passes), "done": done}

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> str | None:
        """Return "win", "loss" or "draw" on the last tick."""
        return sole_event(self, amounts)

    def text(self, state: Any) -> str:
        """Return the board from the top row down, of `.`, `X` (player 0) and `O`."""
        return "\n".join("".join(".XO"[cell] for cell in row) for row in reversed(self._board(state)))

    def _board(self, state: Any) -> list[list[int]]:
        return state.cells[: self.num_points].reshape(self.size, self.size).tolist()

    def initial(self, state):
        state.cells[self.num_points] = WALL
        state.ko = NO_POINT
        for point in range(self.num_points):
            state.legal[point] = 1

    def actor(self, state):
        return TERMINAL if state.done != 0 else state.ply & 1

    def legal_actions(self, state, player, out):
        if state.done != 0 or player != state.ply & 1:
            return 0
        count = 0
        for point in range(self.num_points):
            out[count] = point  # written over by the next one if the point is illegal
            count += state.legal[point]
        out[count] = self.num_points
        return count + 1

    def step(self, state, actions, events):
        mover = state.ply & 1
        if actions[mover] == self.num_points:
            state.passes += 1
            state.ko = NO_POINT
        else:
            state.passes = 0
            place(self, state, actions[mover], mover + 1)
        state.ply += 1
        remember_position(self, state)
        if state.passes == 2 or state.ply == self.most_moves:
            state.done = 1
            lead = area_lead(self, state) - self.komi
            if lead == 0.0:
                events[0, DRAW] = 1.0
                events[1, DRAW] = 1.0
            else:
                winner = 0 if lead > 0.0 else 1
                events[winner, WIN] = 1.0
                events[1 - winner, LOSS] = 1.0
        refresh_legal(self, state)

    def valid(self, state):
        return 1 if is_sound(self, state) else 0


def _layout(points: int, rule: int) -> np.dtype:
    positions = 1 if rule == NO_SUPERKO else 2 * points + 1
    return np.dtype(
        [
            ("key", np.uint64, (2,)),  # of the stones on the board
            ("past_keys", np.uint64, (2, positions)),  # of the positions after each move, 0 beyond `ply`
            # For the stone that is the head of a group, sums over its liberties (see `board`), else 0:
            ("liberty_sum", np.int32, (points,)),
            ("liberty_squares", np.int32, (points,)),
            ("liberties", np.int16, (points,)),
            ("head", np.int16, (points,)),  # the head of a stone's group; 0 for an empty point
            ("next_stone", np.int16, (points,)),  # the next stone of its ring; 0 for an empty point
            ("cells", np.uint8, (points + 1,)),  # 0 empty, 1 and 2 the players; the last is the wall, 3
            ("captured", np.uint8, (points,)),  # colours that have been captured there, as bits 1 and 2
            ("legal", np.uint8, (points,)),  # 1 where the player to move may put a stone
            ("ko", np.int32),  # where the player to move could retake a single stone, or NO_POINT
            ("ply", np.int32),  # moves played, passes included
            ("passes", np.int32),  # passes in a row, 0 to 2
            ("done", np.int32),  # 1 once the game has ended
        ],
        align=True,
    )


def _neighbours(size: int) -> np.ndarray:
    """Return int32[size * size, 4], the points next to each point; the wall, size * size, where none is."""
    table = np.full((size * size, len(STEPS)), size * size, np.int32)
    for point in range(size * size):
        for side, (up, right) in enumerate(STEPS):
            row, column = point // size + up, point % size + right
            if 0 <= row < size and 0 <= column < size:
                table[point, side] = row * size + column
    return table


def _random_keys(count: int) -> np.ndarray:
    """Return uint64[count], the same numbers always."""
    return mix(mix(np.arange(1, count + 1, dtype=np.uint64) * GOLDEN))
