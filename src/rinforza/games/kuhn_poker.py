"""Kuhn poker: one card each, one bet. Two players by Kuhn 1950; up to ten by Szafron et al. 2013.

The deck has one card more than there are players, numbered from 0, the highest best. Each player puts in an
ante of 1 and gets a card. Players act in the order of their seats. Until somebody bets, a player passes
(0) or bets one chip (1); after a bet each of the others, once, passes (folds) or bets (calls).

The game ends when all have passed, or when all others have answered the bet. The highest card among those
who bet takes the pot; if nobody bet, the highest card of all does.

Deals are a chain of chance nodes at the root, one for each seat: outcome k is the k-th lowest card left.
"""

from typing import Any

import numpy as np

from ..contracts.arguments import integer
from ..contracts.encoder import Encoder
from ..contracts.game import Game
from ..contracts.rules import CHANCE, TERMINAL
from .dealing import card_left

FEWEST_PLAYERS, MOST_PLAYERS = 2, 10
PASS, BET = 0, 1
UNKNOWN = 255  # in an information state: no card yet


def game_length(players, first_bet):
    """Return after how many actions the game ends, given the index of the first bet plus 1 (0 for none)."""
    return players if first_bet == 0 else first_bet - 1 + players


class KuhnPoker(Game):
    """Kuhn poker, 2 to 10 players, 2 actions, no horizon.

    The event `scale` is the number of chips won, or lost where it is negative.

    Args:
        players: Players at the table, 2 to 10.
        encoder: The encoder, or None for `rf.encoders.KuhnPoker()`.

    Raises:
        ValueError: If the number of players is outside 2 to 10.

    Example:
        >>> import rinforza as rf
        >>> rf.games.KuhnPoker(players=3).observation_space().shape
        (9, 1, 1)
    """

    name = "kuhn_poker"
    num_actions = 2
    dynamics = "sequential"
    chance_nodes = "root"
    information = "imperfect"
    events = {"scale": 1.0}

    def __init__(self, players: int = 2, encoder: Encoder | None = None):
        players = integer("players", players, 0, MOST_PLAYERS)
        if players < FEWEST_PLAYERS:
            raise ValueError(f"players must be >= {FEWEST_PLAYERS}, got {players}")
        longest = 2 * players - 1  # all pass but the last, who bets and is answered
        layout = [
            ("cards", np.int8, (players,)),  # of each seat, 0 to players; 0 before it is dealt
            ("history", np.int8, (longest,)),  # actions in the order of play, 0 beyond them
            ("dealt", np.int8),  # seats that have their card
            ("length", np.int8),  # actions so far
            ("first_bet", np.int8),  # index of the first bet plus 1, 0 for none
        ]
        tables = {
            "num_players": players,
            "most_outcomes": players + 1,
            "longest": longest,
            "information_size": 2 + longest,
            "state_dtype": np.dtype(layout, align=True),
        }
        super().__init__(encoder=encoder, players=players, tables=tables)

    players: int
    longest: int

    def _is_over(self, state: Any) -> bool:
        return bool(state.length == game_length(self.players, state.first_bet))

    def state_values(self, state: Any) -> dict[str, Any]:
        """Return `cards` (of all seats), `history` (0 pass, 1 bet) and `done`."""
        return {
            "cards": state.cards[: state.dealt].tolist(),
            "history": state.history[: state.length].tolist(),
            "done": self._is_over(state),
        }

    def event_payload(self, player: int, amounts: np.ndarray, state: Any) -> float | None:
        """Return the chips won or lost at the end, a float."""
        return float(amounts[0]) if self._is_over(state) else None

    def text(self, state: Any) -> str:
        """Return the cards of all seats, and the actions as `p` and `b`."""
        cards = " ".join(map(str, state.cards[: state.dealt].tolist()))
        actions = "".join("pb"[action] for action in state.history[: state.length])
        return f"cards {cards or '-'}, actions {actions or '-'}"

    def initial(self, state):
        state.dealt = 0

    def actor(self, state):
        if state.dealt < self.players:
            return CHANCE
        if state.length == game_length(self.players, state.first_bet):
            return TERMINAL
        return np.int64(state.length) % self.players

    def chance(self, state, probabilities):
        count = self.players + 1 - np.int64(state.dealt)
        for outcome in range(count):
            probabilities[outcome] = 1.0 / count
        return count

    def resolve_chance(self, state, outcome, events):
        state.cards[state.dealt] = card_left(state.cards, state.dealt, outcome)
        state.dealt += 1

    def legal_actions(self, state, player, out):
        if state.dealt < self.players or state.length == game_length(self.players, state.first_bet):
            return 0
        if player != np.int64(state.length) % self.players:
            return 0
        out[0] = PASS
        out[1] = BET
        return 2

    def step(self, state, actions, events):
        action = actions[np.int64(state.length) % self.players]
        state.history[state.length] = action
        state.length += 1
        if action == BET and state.first_bet == 0:
            state.first_bet = state.length
        if state.length == game_length(self.players, state.first_bet):
            settle(state, self.players, events)

    def information_state(self, state, player, out):
        """Write the player, its card, and the actions so far."""
        out[0] = player
        out[1] = state.cards[player] if player < state.dealt else UNKNOWN
        for index in range(state.length):
            out[2 + index] = state.history[index]
        return 2 + np.int64(state.length)

    def valid(self, state):
        if state.dealt != self.players or state.length < 0 or state.length > self.longest:
            return 0
        for seat in range(self.players):
            if state.cards[seat] < 0 or state.cards[seat] > self.players:
                return 0
            for other in range(seat):
                if state.cards[other] == state.cards[seat]:
                    return 0
        first_bet = 0
        for index in range(self.longest):
            action = state.history[index]
            if action < 0 or action > 1 or (index >= state.length and action != 0):
                return 0
            if action == BET and first_bet == 0:
                first_bet = index + 1
        too_long = state.length > game_length(self.players, first_bet)
        return 0 if too_long or first_bet != state.first_bet else 1


def bets_of(state, players, seat):
    """Return whether a seat bet or called."""
    return state.history[seat] == BET or (
        seat + players < state.length and state.history[seat + players] == BET
    )


def settle(state, players, events):
    """Pay the pot to the highest card among those who bet, or among all if nobody did."""
    winner, best = 0, -1
    pot = 0.0
    for seat in range(players):
        bets = bets_of(state, players, seat)
        paid = 2.0 if bets else 1.0
        events[seat, 0] = -paid
        pot += paid
        if (bets or state.first_bet == 0) and state.cards[seat] > best:
            winner, best = seat, np.int64(state.cards[seat])
    events[winner, 0] += pot
