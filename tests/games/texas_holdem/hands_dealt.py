"""Hands with chosen cards: finding the outcomes that deal them."""

from math import comb

import numpy as np

from rinforza.contracts.rules import CHANCE
from rinforza.testing.lanes import GameLane
from tests.games.recorded import joint_of


def outcome_of(cards, gone):
    """Return the outcome that draws these cards when those in `gone` are dealt."""
    left = [card for card in range(52) if card not in gone]
    places = sorted(map(left.index, cards))
    return sum(comb(place, size) for size, place in enumerate(places, start=1))


class Dealer:
    """One hand with chosen cards, action for action.

    Args:
        lane: The game's lane.
        button: The seat with the button.
        hole: Two cards for each seat.
        board: The board, as far as it is needed.
    """

    def __init__(self, lane: GameLane, button: int, hole: list, board: list):
        self.lane, self._board, self._gone = lane, board, set()
        self.state, _ = lane.resolve_chance(lane.initial(), button)
        self.events = np.zeros((lane.game.num_players, 1))
        for cards in hole:
            self._deal(cards)

    def _deal(self, cards):
        outcome = outcome_of(cards, self._gone)
        self._gone |= set(cards)
        self.state, self.events = self.lane.resolve_chance(self.state, outcome)

    @property
    def turn(self) -> int:
        """Whose turn it is."""
        return self.lane.actor(self.state)

    def legal(self) -> list[int]:
        """Return what the seat to act may do."""
        return self.lane.legal(self.state, self.turn).tolist()

    def play(self, *actions: int) -> None:
        """Play actions of the seats whose turn it is, and deal the cards between them."""
        for action in actions:
            self.state, self.events = self.lane.step(self.state, joint_of(self.lane, self.turn, action))
            while self.turn == CHANCE:
                count = int(self.lane.record(self.state).board_count)
                self._deal(self._board[count : max(3, count + 1)])

    def values(self) -> dict:
        """Return what the state holds."""
        return self.lane.game.state_values(self.lane.record(self.state))

    def won(self) -> list:
        """Return what is reported of each seat."""
        record = self.lane.record(self.state)
        return [self.lane.game.event_payload(seat, row, record) for seat, row in enumerate(self.events)]
