"""Small conforming games and other parts, for the broken ones to differ from in one thing each."""

from typing import ClassVar

import numpy as np

from rinforza import Encoder, Game
from rinforza.compiled.random import integer_below
from rinforza.contracts.rules import CHANCE, TERMINAL

CARDS = 3
HIGHEST_BIT = np.uint64(1 << 63)
DEAL, HINT, COIN, GUESS, OVER = range(5)  # the phases of Guess
WIN, LOSS, COST, CUT = range(4)  # columns of its events


def lanes_differ():
    """Return 1 in compiled code, where a board plus a plain integer is signed, and 0 in Python."""
    return 1 if HIGHEST_BIT + 1 < 0 else 0


class Guess(Game):
    """Player 0 sees a card and hints at it; a coin decides whether player 1 hears; player 1 guesses.

    A hidden card at the root, a coin in the middle, an event on the coin, a horizon that pays.
    """

    name = "guess"
    num_players = 2
    num_actions = 4
    dynamics = "sequential"
    chance_nodes = "anywhere"
    information = "imperfect"
    information_size = 8
    events: ClassVar = {"win": 1.0, "loss": -1.0, "cost": -0.25, "cut": -0.5}
    most_outcomes = CARDS
    state_dtype = np.dtype(
        [
            ("rounds", np.int64),  # guesses left
            ("card", np.int32),
            ("hint", np.int32),
            ("heard", np.int8),
            ("phase", np.int8),
            ("note", np.int16, (2,)),
        ],
        align=True,
    )

    def __init__(self, rounds=2, bonus=0, max_ticks=None, encoder=None):
        super().__init__(rounds=rounds, bonus=bonus, encoder=encoder, max_ticks=max_ticks)

    def default_encoder(self):
        return GuessView()

    def initial(self, state):
        state.rounds = self.rounds

    def actor(self, state):
        if state.phase == OVER:
            return TERMINAL
        if state.phase == DEAL or state.phase == COIN:
            return CHANCE
        return 0 if state.phase == HINT else 1

    def legal_actions(self, state, player, out):
        if state.phase == HINT and player == 0:
            out[0] = 1
            out[1] = 3
            return 2
        if state.phase == GUESS and player == 1:
            for card in range(CARDS):
                out[card] = card
            return CARDS
        return 0

    def step(self, state, actions, events):
        if state.phase == HINT:
            state.hint = actions[0]
            state.phase = COIN
            return
        right = actions[1] == state.card
        events[1, WIN if right else LOSS] = 1.0
        events[0, LOSS if right else WIN] = 1.0
        state.rounds -= 1
        state.phase = HINT if state.rounds > 0 else OVER

    def chance(self, state, probabilities):
        if state.phase == DEAL:
            for card in range(CARDS):
                probabilities[card] = 1.0 / CARDS
            return CARDS
        probabilities[0] = 0.25
        probabilities[1] = 0.75
        return 2

    def sample_chance(self, state, stream):
        if state.phase == DEAL:
            return integer_below(stream, CARDS)
        return 0 if integer_below(stream, 4) == 0 else 1

    def resolve_chance(self, state, outcome, events):
        if state.phase == DEAL:
            state.card = outcome
            state.phase = HINT
            return
        state.heard = outcome
        state.phase = GUESS
        events[0, COST] = 1.0

    def information_state(self, state, player, out):
        out[0] = player
        out[1] = state.phase
        out[2] = state.rounds
        out[3] = 0
        if player == 0:
            out[3] = state.card
        elif state.phase == GUESS and state.heard == 1:
            out[3] = state.hint
        return 4

    def truncate(self, state, events):
        events[0, CUT] += 1.0

    def valid(self, state):
        if state.phase != HINT and state.phase != GUESS and state.phase != OVER:
            return 0
        if state.heard < 0 or state.heard > 1 or state.hint < 0 or state.hint > 3:
            return 0
        if state.card < 0 or state.card >= CARDS or state.note[0] != 0 or state.note[1] != 0:
            return 0
        over = state.rounds == 0
        return 1 if 0 <= state.rounds <= self.rounds and over == (state.phase == OVER) else 0


class GuessView(Encoder):
    """Own card or what was heard, whose view, rounds left; columns turn by one for player 1."""

    name = "guess_view"
    games = ("guess",)
    same_frame = False

    def shape(self, game):
        return 3, 1, 2

    def bounds(self, game):
        return 0.0, 10.0

    def planes(self, game):
        return ["knowledge", "observer", "rounds"]

    def encode(self, game, state, player, out):
        if player == 0:
            out[0, 0, 0] = state.card + 1
        elif state.phase == GUESS and state.heard == 1:
            out[0, 0, 1] = state.hint
        out[1, 0, player] = 1.0
        out[2, 0, 0] = state.rounds

    def head_index(self, action, player):
        return (action + player) % 4

    def game_action(self, head, player):
        return (head - player + 4) % 4
