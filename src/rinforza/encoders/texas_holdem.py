"""What a network sees of Texas hold'em."""

import numpy as np

from ..contracts.encoder import Encoder
from ..contracts.game import Game
from ..games.texas_holdem.table import ACTION_BITS, MOST_BETS, RIVER

SUITS, RANKS = 4, 13
OWN, BOARD, POT, TO_CALL, STACK, STREET, RAISES, BUTTON, OTHERS = 0, 1, 2, 3, 4, 5, 9, 10, 11
TURN_PLACE, RIVER_PLACE = 3, 4  # of the board
STREETS = ("preflop", "flop", "turn", "river")


class TexasHoldem(Encoder):
    """Planes (2 * num_players + 19, 4, 13): cards as suit and rank, numbers as filled planes in 0 to 1.

    Own cards, board; pot, chips to call and own stack as parts of all chips and of the largest stack;
    the street; raises of four; how far the button is away. For each other seat in turn, whether it is in
    the hand and its stack. For each street its actions in order, cell by cell: who acted, counted from the
    observer as 1, of all seats, and the action plus 1 of three. Turn card, river card.
    """

    name = "texas_holdem"
    games = ("texas_holdem",)

    def shape(self, game: Game) -> tuple[int, int, int]:
        """Return (2 * num_players + 19, 4, 13)."""
        return 2 * game.num_players + 19, SUITS, RANKS

    def bounds(self, game: Game) -> tuple[float, float]:
        """Return (0, 1)."""
        return 0.0, 1.0

    def planes(self, game: Game) -> list[str]:
        """Return a name for each plane."""
        others = range(1, game.num_players)
        return [
            *("own cards", "board", "pot", "to call", "own stack", *STREETS, "raises", "button"),
            *(f"seat +{seat} {what}" for seat in others for what in ("in the hand", "stack")),
            *(f"{street} {what}" for street in STREETS for what in ("seats", "actions")),
            *("turn card", "river card"),
        ]

    def encode(self, game, state, player, out):
        largest = game.largest_stack
        place_card(out, OWN, np.int64(state.hole[player, 0]))
        place_card(out, OWN, np.int64(state.hole[player, 1]))
        pot = 0
        for seat in range(game.num_players):
            pot += np.int64(state.committed[seat])
        fill(out, POT, pot / game.all_chips)
        fill(out, TO_CALL, (state.level - state.street_committed[player]) / largest)
        fill(out, STACK, state.stacks[player] / largest)
        fill(out, STREET + min(np.int64(state.street), RIVER), 1.0)
        fill(out, RAISES, state.raises / MOST_BETS)
        fill(out, BUTTON, relative_seat(game, np.int64(state.button), player) / game.num_players)
        plane = OTHERS
        for distance in range(1, game.num_players):
            seat = player + distance
            seat -= game.num_players if seat >= game.num_players else 0
            fill(out, plane, state.live >> seat & 1)
            fill(out, plane + 1, state.stacks[seat] / largest)
            plane += 2
        for street in range(4):
            draw_history(game, state, street, player, out, plane)
            plane += 2
        for place in range(state.board_count):
            card = np.int64(state.board[place])
            place_card(out, BOARD, card)
            if place >= TURN_PLACE:
                place_card(out, plane + place - TURN_PLACE, card)


def fill(out, plane, value):
    """Fill a plane with a number."""
    for suit in range(SUITS):
        for rank in range(RANKS):
            out[plane, suit, rank] = value


def place_card(out, plane, card):
    """Mark a card."""
    out[plane, card & 3, card >> 2] = 1.0


def relative_seat(game, seat, player):
    """Return how many seats clockwise from the observer a seat is."""
    return seat - player if seat >= player else seat - player + game.num_players


def draw_history(game, state, street, player, out, plane):
    """Write the actions of a street: the seats to a plane, what they did to the next."""
    for place in range(state.history_counts[street]):
        entry = np.int64(state.history[street, place])
        row, column = place // RANKS, place % RANKS
        seat = relative_seat(game, entry >> ACTION_BITS, player)
        out[plane, row, column] = (seat + 1) / game.num_players
        out[plane + 1, row, column] = ((entry & ((1 << ACTION_BITS) - 1)) + 1) / 3
