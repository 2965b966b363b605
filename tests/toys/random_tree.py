"""A family of random game trees: a node is a hash of the way to it, and the hash decides everything there.

Branching, movers, rewards, chance nodes, their odds and the ends of the game all vary from node to node, so a
fault in a search or in the bookkeeping of rewards has nowhere to hide.
"""

from typing import ClassVar

import numpy as np

from rinforza import Encoder, Game
from rinforza.compiled.random import mix
from rinforza.contracts.rules import CHANCE, TERMINAL

GAIN, BONUS, CUT = 0, 1, 2  # columns of `events`
UNIT = 2.0**-53
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
LOW_WORD = np.uint64(0xFFFF)
SHIFT_11 = np.uint64(11)
SIXTEEN = np.uint64(16)
MOVER_SALT, END_SALT, CHANCE_SALT, FAN_SALT = 1, 2, 3, 4
ODDS_SALT, LEGAL_SALT, GAIN_SALT, BONUS_SALT = 100, 200, 300, 400


def hashed(node, salt):
    """Return 64 bits that belong to a node and a salt."""
    return mix(node ^ (np.uint64(salt) * GOLDEN))


def share(node, salt):
    """Return a number in [0, 1) that belongs to a node and a salt."""
    return np.float64(hashed(node, salt) >> SHIFT_11) * UNIT


def pick(node, salt, bound):
    """Return a number from 0 to `bound` - 1 that belongs to a node and a salt."""
    return np.int64(share(node, salt) * bound)


def amount(node, salt):
    """Return an eighth between -1/2 and 1/2, so that sums are exact."""
    return (pick(node, salt, 9) - 4) / 8.0


def go(game, state, branch):
    """Move to the child behind a branch and settle whose turn it is there."""
    state.node = mix(state.node + np.uint64(branch + 1) * GOLDEN)
    if state.ply >= game.longest or share(state.node, END_SALT) < game.end_share:
        state.turn = TERMINAL
    elif share(state.node, CHANCE_SALT) < game.chance_share:
        state.turn = CHANCE
    else:
        state.turn = mover(game, state)


def mover(game, state):
    """Return who moves at a decision node."""
    if game.alternating:
        return state.ply % game.num_players
    return pick(state.node, MOVER_SALT, game.num_players)


class RandomTree(Game):
    """A random tree.

    Args:
        seed: Which tree.
        num_players: One or more.
        num_actions: Action ids.
        density: The share of the ids that is legal at a node (one is always).
        longest: Decisions after which the game ends at the latest.
        end_share: The share of nodes at which the game ends early.
        chance_share: The share of nodes that are chance nodes.
        most_outcomes: The widest chance fan.
        openings: Outcomes of a chance node at the root; 0 for none.
        alternating: Whether the players take turns; else the mover is random.
        max_ticks: The horizon, or None.
    """

    name = "random_tree"
    dynamics = "sequential"
    chance_nodes = "anywhere"
    information = "perfect"
    events: ClassVar = {"gain": 1.0, "bonus": 0.5, "cut": 0.25}
    state_dtype = np.dtype(
        [("node", np.uint64), ("ply", np.int32), ("turn", np.int32), ("opened", np.int32)], align=True
    )

    def __init__(
        self,
        seed=0,
        num_players=2,
        num_actions=5,
        density=0.6,
        longest=8,
        end_share=0.1,
        chance_share=0.0,
        most_outcomes=3,
        openings=0,
        alternating=False,
        max_ticks=None,
        encoder=None,
    ):
        super().__init__(
            encoder=encoder,
            max_ticks=max_ticks,
            seed=seed,
            num_players=num_players,
            num_actions=num_actions,
            density=density,
            longest=longest,
            end_share=end_share,
            chance_share=chance_share,
            most_outcomes=max(most_outcomes, openings),
            openings=openings,
            alternating=alternating,
        )

    def default_encoder(self):
        return TreeView()

    def initial(self, state):
        state.node = mix(np.uint64(self.seed) + GOLDEN)
        state.turn = CHANCE if self.openings > 0 else mover(self, state)

    def actor(self, state):
        return state.turn

    def legal_actions(self, state, player, out):
        if state.turn != player:
            return 0
        count = 0
        for action in range(self.num_actions):
            if share(state.node, LEGAL_SALT + action) < self.density:
                out[count] = action
                count += 1
        if count == 0:
            out[0] = pick(state.node, LEGAL_SALT - 1, self.num_actions)
            count = 1
        return count

    def step(self, state, actions, events):
        action = actions[state.turn]
        state.ply += 1
        go(self, state, action)
        for player in range(self.num_players):
            events[player, GAIN] += amount(state.node, GAIN_SALT + player)

    def chance(self, state, probabilities):
        if self.openings > 0 and state.opened == 0:
            for outcome in range(self.openings):
                probabilities[outcome] = 1.0 / self.openings
            return self.openings
        count = 1 + pick(state.node, FAN_SALT, self.most_outcomes)
        total = 0.0
        for outcome in range(count):
            # a third of the outcomes is impossible, but never all of them
            weight = max(share(state.node, ODDS_SALT + outcome) - 1.0 / 3.0, 0.0)
            probabilities[outcome] = weight if outcome > 0 else weight + 0.125
            total += probabilities[outcome]
        for outcome in range(count):
            probabilities[outcome] /= total
        return count

    def resolve_chance(self, state, outcome, events):
        if self.openings > 0 and state.opened == 0:
            state.opened = 1
            state.node = mix(state.node + np.uint64(outcome + 1) * GOLDEN)
            state.turn = mover(self, state)
            return
        go(self, state, outcome)
        for player in range(self.num_players):
            events[player, BONUS] += amount(state.node, BONUS_SALT + player)

    def truncate(self, state, events):
        for player in range(self.num_players):
            events[player, CUT] += 1.0

    def valid(self, state):
        return 1


class TreeView(Encoder):
    """The node in four words of 16 bits, the observer, the decisions so far: no two states look alike."""

    name = "tree_view"
    games = ("random_tree",)

    def shape(self, game):
        return 2, 1, 3

    def encode(self, game, state, player, out):
        node = state.node
        for place in range(4):
            out[place // 3, 0, place % 3] = np.float32(node & LOW_WORD) / np.float32(65536.0)
            node = node >> SIXTEEN
        out[1, 0, 1] = player + 1
        out[1, 0, 2] = state.ply


class TurnedTreeView(TreeView):
    """The same view with network columns that differ from the action ids, and differ by player.

    Args:
        n_actions: The game's action ids; `step` must have no divisor in common with it.
        step: How many columns lie between two neighbouring actions.
    """

    name = "turned_tree_view"
    same_frame = False

    def __init__(self, n_actions=5, step=3):
        super().__init__(n_actions=n_actions, step=step)

    def head_index(self, action, player):
        return (action * self.step + player + 1) % self.n_actions

    def game_action(self, head, player):
        for action in range(self.n_actions):
            if (action * self.step + player + 1) % self.n_actions == head:
                return action
        return -1
