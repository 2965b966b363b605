"""What a network sees of backgammon."""

import numpy as np

from ..contracts.encoder import Encoder
from ..contracts.game import Game

POINTS = 24
OWNERS = ("own", "other's")
COUNTS = ("one", "two", "three", "beyond three")
BESIDE = 2 * POINTS * len(COUNTS)  # where what is beside the points begins
DICE = BESIDE + 6


class Backgammon(Encoder):
    """Numbers (200, 1, 1) after Tesauro 1995, "Temporal difference learning and TD-Gammon".

    Per player, the observer first, and per point: whether there is one checker, two, three, and how
    many beyond three. Then per player: bar, borne off, whether it is its turn. Then the two dice.
    Points are numbered alike for both players, and counts are not scaled.
    """

    name = "backgammon"
    games = ("backgammon",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (200, 1, 1)."""
        return DICE + 2, 1, 1

    def planes(self, game: Game) -> list[str]:
        """Return a name for each number."""
        points = [
            f"{owner} point {point}: {count}"
            for owner in OWNERS
            for point in range(POINTS)
            for count in COUNTS
        ]
        beside = [f"{owner} {what}" for owner in OWNERS for what in ("bar", "borne off", "turn")]
        return [*points, *beside, "lower die", "higher die"]

    def encode(self, game, state, player, out):
        for side in range(2):
            owner = player if side == 0 else 1 - player
            for point in range(POINTS):
                count = np.int64(state.board[owner, point])
                if count > 0:
                    place = 4 * (POINTS * side + point)
                    out[place + min(count, 4) - 1, 0, 0] = 1.0 if count < 4 else count - 3.0
            out[BESIDE + 3 * side, 0, 0] = state.bar[owner]
            out[BESIDE + 3 * side + 1, 0, 0] = state.off[owner]
            out[BESIDE + 3 * side + 2, 0, 0] = 1.0 if state.mover == owner else 0.0
        out[DICE, 0, 0] = state.dice[0]
        out[DICE + 1, 0, 0] = state.dice[1]
