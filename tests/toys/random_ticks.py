"""Random simultaneous games: a tree whose branches are the joint actions, with chance nodes and deaths."""

from typing import ClassVar

import numpy as np

from rinforza import Game
from rinforza.compiled.random import mix
from rinforza.contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL
from tests.toys.random_tree import (
    BONUS,
    BONUS_SALT,
    CHANCE_SALT,
    END_SALT,
    FAN_SALT,
    GAIN,
    GAIN_SALT,
    GOLDEN,
    LEGAL_SALT,
    ODDS_SALT,
    TreeView,
    amount,
    pick,
    share,
)

DEATH_SALT = 500


def settle(game, state):
    """Decide whose turn it is at a node that was just reached."""
    if state.ply >= game.longest or state.dead == (1 << game.num_players) - 1:
        state.turn = TERMINAL
    elif share(state.node, END_SALT) < game.end_share:
        state.turn = TERMINAL
    elif share(state.node, CHANCE_SALT) < game.chance_share:
        state.turn = CHANCE
    else:
        state.turn = SIMULTANEOUS


class RandomTicks(Game):
    """A random tree of ticks at which all living players act.

    Args:
        seed: Which tree.
        num_players: One or more.
        num_actions: Action ids; a living player has a random share of them, one at least.
        longest: Ticks after which the game ends at the latest.
        end_share, chance_share: The shares of nodes at which the game ends, and of chance nodes.
        most_outcomes: The widest chance fan.
        death_share: How often a living player dies on a tick.
        max_ticks: The horizon, or None.
    """

    name = "random_ticks"
    dynamics = "simultaneous"
    chance_nodes = "anywhere"
    information = "perfect"
    events: ClassVar = {"gain": 1.0, "bonus": 0.5}
    state_dtype = np.dtype(
        [("node", np.uint64), ("ply", np.int32), ("turn", np.int32), ("dead", np.int64)], align=True
    )

    def __init__(
        self,
        seed=0,
        num_players=2,
        num_actions=3,
        longest=6,
        end_share=0.05,
        chance_share=0.3,
        most_outcomes=3,
        death_share=0.15,
        max_ticks=None,
        encoder=None,
    ):
        super().__init__(
            encoder=encoder,
            max_ticks=max_ticks,
            seed=seed,
            num_players=num_players,
            num_actions=num_actions,
            longest=longest,
            end_share=end_share,
            chance_share=chance_share,
            most_outcomes=most_outcomes,
            death_share=death_share,
        )

    def default_encoder(self):
        return TicksView()

    def initial(self, state):
        state.node = mix(np.uint64(self.seed) + GOLDEN)
        state.turn = SIMULTANEOUS

    def actor(self, state):
        return state.turn

    def legal_actions(self, state, player, out):
        if state.turn != SIMULTANEOUS or (state.dead >> player) & 1 != 0:
            return 0
        count = 0
        for action in range(self.num_actions):
            if share(state.node, LEGAL_SALT + 20 * player + action) < 0.75:
                out[count] = action
                count += 1
        if count == 0:
            out[0] = 0
            count = 1
        return count

    def step(self, state, actions, events):
        for player in range(self.num_players):
            if (state.dead >> player) & 1 == 0:
                state.node = mix(state.node + np.uint64(actions[player] + 1) * GOLDEN)
        state.ply += 1
        for player in range(self.num_players):
            events[player, GAIN] += amount(state.node, GAIN_SALT + player)
            if share(state.node, DEATH_SALT + player) < self.death_share:
                state.dead |= 1 << player
        settle(self, state)

    def chance(self, state, probabilities):
        count = 1 + pick(state.node, FAN_SALT, self.most_outcomes)
        total = 0.0
        for outcome in range(count):
            weight = max(share(state.node, ODDS_SALT + outcome) - 1.0 / 3.0, 0.0)
            probabilities[outcome] = weight if outcome > 0 else weight + 0.125
            total += probabilities[outcome]
        for outcome in range(count):
            probabilities[outcome] /= total
        return count

    def resolve_chance(self, state, outcome, events):
        state.node = mix(state.node + np.uint64(outcome + 1) * GOLDEN)
        for player in range(self.num_players):
            events[player, BONUS] += amount(state.node, BONUS_SALT + player)
        settle(self, state)

    def valid(self, state):
        return 1


class TicksView(TreeView):
    """The node, the observer and the ticks so far."""

    name = "ticks_view"
    games = ("random_ticks",)
