"""What a network sees of Leduc poker."""

from ..contracts.encoder import Encoder
from ..contracts.game import Game

CARDS = 6
ROUNDS = 2
LONGEST_ROUND = 4
PUBLIC = 2  # the place of the open card
HISTORY = 2 * CARDS + 1  # where the actions begin


class LeducPoker(Encoder):
    """Numbers (21, 1, 1): own card, open card, whether it is the second round, the actions of both.

    Cards are one-hot by their number 0 to 5, so the suits are told apart. Each round has four slots for its
    actions: 1/3 fold, 2/3 call, 1 raise, 0 for none.
    """

    name = "leduc_poker"
    games = ("leduc_poker",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (21, 1, 1)."""
        return HISTORY + ROUNDS * LONGEST_ROUND, 1, 1

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return (0, 1)."""
        return 0.0, 1.0

    def planes(self, game: Game) -> list[str]:
        """Return a name for each number."""
        cards = [f"{kind} card {card}" for kind in ("own", "open") for card in range(CARDS)]
        actions = [
            f"round {place}, action {index}" for place in range(ROUNDS) for index in range(LONGEST_ROUND)
        ]
        return [*cards, "second round", *actions]

    def encode(self, game, state, player, out):
        if player < state.dealt:
            out[state.cards[player], 0, 0] = 1.0
        if state.dealt > PUBLIC:
            out[CARDS + state.cards[PUBLIC], 0, 0] = 1.0
        out[2 * CARDS, 0, 0] = state.betting_round
        for place in range(ROUNDS):
            for index in range(state.lengths[place]):
                slot = HISTORY + LONGEST_ROUND * place + index
                out[slot, 0, 0] = (state.history[place, index] + 1.0) / 3.0
