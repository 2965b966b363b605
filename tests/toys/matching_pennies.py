"""Matching pennies: both show a side at once; player 0 wins when they match."""

from typing import ClassVar

import numpy as np

from rinforza import Encoder, Game
from rinforza.contracts.rules import SIMULTANEOUS, TERMINAL


class MatchingPennies(Game):
    """One tick; the only equilibrium shows each side half the time."""

    name = "matching_pennies"
    num_players = 2
    num_actions = 2
    dynamics = "simultaneous"
    chance_nodes = "none"
    information = "perfect"
    events: ClassVar = {"win": 1.0, "loss": -1.0}
    state_dtype = np.dtype([("over", np.bool_)])

    def __init__(self, encoder=None):
        super().__init__(encoder=encoder)

    def default_encoder(self):
        return PenniesView()

    def initial(self, state):
        state.over = False

    def actor(self, state):
        return TERMINAL if state.over else SIMULTANEOUS

    def legal_actions(self, state, player, out):
        if state.over:
            return 0
        out[0] = 0
        out[1] = 1
        return 2

    def step(self, state, actions, events):
        state.over = True
        winner = 0 if actions[0] == actions[1] else 1
        events[winner, 0] = 1.0
        events[1 - winner, 1] = 1.0

    def valid(self, state):
        return 1


class PenniesView(Encoder):
    """Who looks."""

    name = "pennies_view"
    games = ("matching_pennies",)

    def shape(self, game):
        return 1, 1, 1

    def encode(self, game, state, player, out):
        out[0, 0, 0] = player
