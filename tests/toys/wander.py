"""A game that sorts its states into cells: two walk one road in turns, and a coin moves them on now and then."""

from typing import ClassVar

import numpy as np

from rinforza import Encoder, Game
from rinforza.contracts.rules import CHANCE, TERMINAL

PATHS = 1_000_003


class Wander(Game):
    """Each goes one to three steps from where the other stopped; from some places a coin decides on one more.

    A cell is a stretch of three places; places that five divides are in none. A state remembers its path, so
    that states reached in different ways differ.

    Args:
        length: Where the road ends.
        max_ticks: The horizon, or None.
        n_cells: How many cells to state, or None for as many as there are.
    """

    name = "wander"
    num_players = 2
    num_actions = 3
    dynamics = "sequential"
    chance_nodes = "anywhere"
    information = "perfect"
    events: ClassVar = {"way": 1.0, "cut": -0.5}
    most_outcomes = 2
    state_dtype = np.dtype(
        [("place", np.int64), ("path", np.int64), ("turn", np.int32), ("coin", np.bool_)], align=True
    )

    def __init__(self, length=20, max_ticks=None, n_cells=None, encoder=None):
        super().__init__(
            length=length,
            max_ticks=max_ticks,
            encoder=encoder,
            tables={"n_cells": -(-length // 3) if n_cells is None else n_cells},
        )

    def default_encoder(self):
        return WanderView()

    def initial(self, state):
        state.place = 0

    def actor(self, state):
        if state.coin:
            return CHANCE
        return TERMINAL if state.place >= self.length else state.turn

    def legal_actions(self, state, player, out):
        if state.coin or state.place >= self.length or state.turn != player:
            return 0
        for action in range(3):
            out[action] = action
        return 3

    def step(self, state, actions, events):
        action = actions[state.turn]
        events[state.turn, 0] += state.place + action / 8.0
        state.place += action + 1
        state.path = (state.path * 7 + action + 1) % PATHS
        state.turn = 1 - state.turn
        state.coin = state.place % 4 == 1

    def chance(self, state, probabilities):
        probabilities[0] = 0.75
        probabilities[1] = 0.25
        return 2

    def resolve_chance(self, state, outcome, events):
        state.coin = False
        state.place += outcome
        state.path = (state.path * 7 + 4 * outcome) % PATHS

    def truncate(self, state, events):
        events[state.turn, 1] += 1.0

    def cell(self, state):
        return -1 if state.place % 5 == 0 else state.place // 3

    def valid(self, state):
        if state.coin or state.turn < 0 or state.turn > 1 or state.path < 0 or state.path >= PATHS:
            return 0
        return 1 if 0 <= state.place < self.length + 4 else 0


class WanderView(Encoder):
    """The place, the path and the observer."""

    name = "wander_view"
    games = ("wander",)

    def shape(self, game):
        return 1, 1, 3

    def encode(self, game, state, player, out):
        out[0, 0, 0] = state.place
        out[0, 0, 1] = state.path
        out[0, 0, 2] = player
