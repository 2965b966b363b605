"""What a network sees of Kuhn poker."""

from ..contracts.encoder import Encoder
from ..contracts.game import Game


class KuhnPoker(Encoder):
    """Numbers (3 * players, 1, 1): the observer's card one-hot, then the actions (0.5 pass, 1 bet)."""

    name = "kuhn_poker"
    games = ("kuhn_poker",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (3 * players, 1, 1)."""
        return 3 * game.num_players, 1, 1

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return (0, 1)."""
        return 0.0, 1.0

    def planes(self, game: Game) -> list[str]:
        """Return a name for each number."""
        cards = [f"own card {card}" for card in range(game.num_players + 1)]
        return [*cards, *(f"action {index}" for index in range(2 * game.num_players - 1))]

    def encode(self, game, state, player, out):
        if player < state.dealt:
            out[state.cards[player], 0, 0] = 1.0
        for index in range(state.length):
            out[game.players + 1 + index, 0, 0] = (state.history[index] + 1.0) / 2.0
