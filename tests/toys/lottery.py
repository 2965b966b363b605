"""A game of one decision with a row of chance nodes behind it."""

from typing import ClassVar

import numpy as np

from rinforza import Encoder, Game
from rinforza.contracts.rules import CHANCE, TERMINAL


class Lottery(Game):
    """The player moves, `links` coins are tossed one after another, the game ends.

    Args:
        links: Chance nodes in a row; below zero the row never ends.
    """

    name = "lottery"
    num_players = 1
    num_actions = 2
    dynamics = "sequential"
    chance_nodes = "anywhere"
    information = "perfect"
    events: ClassVar = {"heads": 1.0}
    most_outcomes = 2
    state_dtype = np.dtype([("played", np.int32), ("tossed", np.int32)], align=True)

    def __init__(self, links, encoder=None):
        super().__init__(encoder=encoder, links=links)

    def default_encoder(self):
        return LotteryView()

    def initial(self, state):
        state.played = 0

    def actor(self, state):
        if state.played == 0:
            return 0
        return TERMINAL if state.tossed == self.links else CHANCE

    def legal_actions(self, state, player, out):
        if state.played != 0 or player != 0:
            return 0
        out[0] = 0
        out[1] = 1
        return 2

    def step(self, state, actions, events):
        state.played = 1

    def chance(self, state, probabilities):
        probabilities[0] = 0.0
        probabilities[1] = 1.0
        return 2

    def resolve_chance(self, state, outcome, events):
        state.tossed += 1
        events[0, 0] += outcome

    def valid(self, state):
        return 1


class LotteryView(Encoder):
    """Whether the player has moved."""

    name = "lottery_view"
    games = ("lottery",)

    def shape(self, game):
        return 1, 1, 1

    def encode(self, game, state, player, out):
        out[0, 0, 0] = state.played
