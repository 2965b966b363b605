"""What a network sees of Connect 4."""

import numpy as np

from ..compiled.bits import ONE
from ..contracts.encoder import Encoder
from ..contracts.game import Game


class Connect4(Encoder):
    """Planes (2, 6, 7): the observer's discs, the other's discs; row 0 is the bottom row."""

    name = "connect4"
    games = ("connect4",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (2, 6, 7)."""
        return 2, 6, 7

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return (0, 1)."""
        return 0.0, 1.0

    def planes(self, game: Game) -> list[str]:
        """Return the names of the planes."""
        return ["own discs", "other's discs"]

    def key_words(self, game: Game) -> int:
        """Return 2."""
        return 2

    def symmetries(self, game: Game) -> int:
        """Return 2: left and right may be exchanged."""
        return 2

    def encode(self, game, state, player, out):
        for plane in range(2):
            board = state.discs[player ^ plane]
            for row in range(6):
                for column in range(7):
                    bit = np.uint64(7 * column + row)
                    out[plane, row, column] = np.float32((board >> bit) & ONE)

    def key(self, game, state, player, out):
        out[0] = state.discs[player]
        out[1] = state.discs[1 - player]

    def transform(self, game, symmetry, observation, out):
        for plane in range(2):
            for row in range(6):
                for column in range(7):
                    out[plane, row, mirrored(symmetry, column)] = observation[plane, row, column]

    def transform_head(self, game, symmetry, head):
        return mirrored(symmetry, head)


def mirrored(symmetry, column):
    """Return where a column goes: symmetry 1 exchanges left and right."""
    return column if symmetry == 0 else 6 - column
