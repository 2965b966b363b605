"""A simultaneous game: all living players act at once, one after another dies, the dead are still paid."""

from typing import ClassVar

import numpy as np

from rinforza import Encoder, Game
from rinforza.contracts.rules import SIMULTANEOUS, TERMINAL


class LastStand(Game):
    """Player p lives for `lives[p]` ticks; each tick pays every player tick + 1 for its rank plus its action.

    A living player p may play the actions 0 to p + 1. A dead player has no action; each tick pays it -1/4.

    Args:
        lives: Ticks that each player lives; the game ends when all are dead.
        max_ticks: The horizon, or None.
    """

    name = "last_stand"
    num_actions = 5
    dynamics = "simultaneous"
    chance_nodes = "none"
    information = "perfect"
    events: ClassVar = {"pay": 1.0, "cut": 0.5}
    state_dtype = np.dtype([("tick", np.int64)], align=True)

    def __init__(self, lives, max_ticks=None, encoder=None):
        self.__dict__["num_players"] = len(lives)
        super().__init__(
            encoder=encoder,
            max_ticks=max_ticks,
            lives=np.array(lives, np.int64),
            tables={"n_players": len(lives), "last": max(lives)},
        )

    def default_encoder(self):
        return LastStandView()

    def initial(self, state):
        state.tick = 0

    def actor(self, state):
        return TERMINAL if state.tick >= self.last else SIMULTANEOUS

    def legal_actions(self, state, player, out):
        if state.tick >= self.lives[player]:
            return 0
        for action in range(player + 2):
            out[action] = action
        return player + 2

    def step(self, state, actions, events):
        for player in range(self.n_players):
            if state.tick < self.lives[player]:
                events[player, 0] += (state.tick + 1) * (player + 1) + actions[player] / 16.0
            else:
                events[player, 0] -= 0.25
        state.tick += 1

    def truncate(self, state, events):
        for player in range(self.n_players):
            events[player, 1] += 1.0

    def valid(self, state):
        return 1 if 0 <= state.tick <= self.last else 0


class LastStandView(Encoder):
    """Two numbers: the tick and the observer."""

    name = "last_stand_view"
    games = ("last_stand",)

    def shape(self, game):
        return 1, 1, 2

    def encode(self, game, state, player, out):
        out[0, 0, 0] = state.tick
        out[0, 0, 1] = player
