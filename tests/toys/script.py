"""A game whose whole course is written down: who moves when, and who is paid what."""

from typing import ClassVar

import numpy as np

from rinforza import Encoder, Game
from rinforza.contracts.rules import TERMINAL


class Script(Game):
    """Decision t belongs to `movers[t]` and pays `rewards[t][p]` to each player p, whatever is played.

    At decision t the actions from t % 3 up are legal.

    Args:
        movers: The mover of each decision; the game ends after the last.
        rewards: One row of rewards for each decision.
        max_ticks: The horizon, or None.
    """

    name = "script"
    num_actions = 4
    dynamics = "sequential"
    chance_nodes = "none"
    information = "perfect"
    events: ClassVar = {"pay": 1.0}
    state_dtype = np.dtype([("ply", np.int64)], align=True)

    def __init__(self, movers, rewards, max_ticks=None, encoder=None):
        rewards = np.array(rewards, np.float64)
        self.__dict__["num_players"] = rewards.shape[1]
        super().__init__(
            encoder=encoder,
            max_ticks=max_ticks,
            movers=np.array(movers, np.int64),
            rewards=rewards,
            tables={"length": len(movers), "n_players": rewards.shape[1]},
        )

    def default_encoder(self):
        return ScriptView()

    def initial(self, state):
        state.ply = 0

    def actor(self, state):
        return TERMINAL if state.ply >= self.length else self.movers[state.ply]

    def legal_actions(self, state, player, out):
        if state.ply >= self.length or self.movers[state.ply] != player:
            return 0
        first = state.ply % 3
        for action in range(first, 4):
            out[action - first] = action
        return 4 - first

    def step(self, state, actions, events):
        for player in range(self.n_players):
            events[player, 0] += self.rewards[state.ply, player]
        state.ply += 1

    def valid(self, state):
        return 1 if 0 <= state.ply <= self.length else 0


class ScriptView(Encoder):
    """Two numbers: the decisions so far and the observer."""

    name = "script_view"
    games = ("script",)

    def shape(self, game):
        return 1, 1, 2

    def encode(self, game, state, player, out):
        out[0, 0, 0] = state.ply
        out[0, 0, 1] = player


class TurnedScriptView(ScriptView):
    """The same view; the network's column of an action is (action + 1 + player) % 4."""

    name = "turned_script_view"
    same_frame = False

    def head_index(self, action, player):
        return (action + 1 + player) % 4

    def game_action(self, head, player):
        return (head + 3 - player) % 4
