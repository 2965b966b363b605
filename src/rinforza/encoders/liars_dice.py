"""What a network sees of liar's dice."""

from ..contracts.encoder import Encoder
from ..contracts.game import Game

PLAYERS = 2


class LiarsDice(Encoder):
    """Numbers (C, 1, 1): own dice, each one-hot by its face, then the bids made, then "liar" if called.

    With D dice of S sides, C is D * S + 2 * D * S + 1; the dice are in ascending order.
    """

    name = "liars_dice"
    games = ("liars_dice",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (3 * dice * sides + 1, 1, 1)."""
        dice, sides = _numbers(game)
        return (1 + PLAYERS) * dice * sides + 1, 1, 1

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return (0, 1)."""
        return 0.0, 1.0

    def planes(self, game: Game) -> list[str]:
        """Return a name for each number."""
        dice, sides = _numbers(game)
        faces = [f"own die {die} shows {face}" for die in range(dice) for face in range(1, sides + 1)]
        quantities = range(1, PLAYERS * dice + 1)
        bids = [f"bid {quantity}x{face}" for quantity in quantities for face in range(1, sides + 1)]
        return [*faces, *bids, "liar"]

    def encode(self, game, state, player, out):
        for place in range(game.dice):
            face = state.dice[player, place]
            if face > 0:
                out[place * game.sides + face - 1, 0, 0] = 1.0
        start = game.dice * game.sides
        for bid in range(game.n_bids):
            out[start + bid, 0, 0] = state.bids[bid]
        out[start + game.n_bids, 0, 0] = state.done


def _numbers(game: Game) -> tuple[int, int]:
    return game.parameters["dice"], game.parameters["sides"]
