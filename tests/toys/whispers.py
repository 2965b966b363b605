"""A family of random games with hidden information and perfect recall.

The world is a hash of all that happened, and decides what every player hears after each move: one of a few
signals. What a player knows is a hash of what it heard and did itself; that decides its legal actions. Who moves
follows from the ply alone, so players never disagree about it. Rewards come on the way and are not zero-sum.
"""

from typing import ClassVar

import numpy as np

from rinforza import Encoder, Game
from rinforza.compiled.random import mix
from rinforza.contracts.rules import CHANCE, TERMINAL

from .random_tree import GOLDEN, amount, hashed, pick, share

MOVER_SALT, CHANCE_SALT, FAN_SALT, COUNT_SALT, SHIFT_SALT, END_SALT = range(6)
ODDS_SALT, SIGNAL_SALT, GAIN_SALT = 100, 200, 300
WIDEST_FAN = 3
BITS = np.uint64(8)
BYTE = np.uint64(0xFF)


def turn_of(game, state):
    """Return whose turn it is; chance begins, a player follows, and then either may."""
    if state.done != 0:
        return TERMINAL
    word = hashed(np.uint64(game.seed), MOVER_SALT) + np.uint64(state.ply) * GOLDEN
    if state.ply == 0 or (state.ply > 1 and share(word, CHANCE_SALT) < game.chance_share):
        return CHANCE
    return pick(word, MOVER_SALT, game.num_players)


def go(game, state, branch, events):
    """Let the world go on, and everybody hear of it."""
    state.world = mix(state.world + np.uint64(branch + 1) * GOLDEN)
    state.ply += 1
    for player in range(game.num_players):
        signal = pick(state.world, SIGNAL_SALT + player, game.signals)
        state.known[player] = mix(state.known[player] + np.uint64(signal + 1) * GOLDEN)
        if state.ply > 1:
            events[player, 0] += amount(state.world, GAIN_SALT + player)
    if state.ply >= game.longest or (state.ply > 3 and share(state.world, END_SALT) < game.end_share):
        state.done = 1


class Whispers(Game):
    """A random game.

    Args:
        seed: Which game.
        num_players: One or more.
        longest: Plies after which it ends at the latest, >= 2.
        signals: What a player can hear after a move; 1 tells nothing.
        chance_share: The share of plies at which chance moves.
        end_share: The share of histories that end early.
        forgetful: Whether players forget all but what they heard last, and the ply.
    """

    name = "whispers"
    num_actions = 6
    dynamics = "sequential"
    chance_nodes = "anywhere"
    information = "imperfect"
    information_size = 11
    events: ClassVar = {"gain": 2.0}
    most_outcomes = WIDEST_FAN

    def __init__(
        self,
        seed=0,
        num_players=2,
        longest=6,
        signals=2,
        chance_share=0.2,
        end_share=0.2,
        forgetful=False,
        encoder=None,
    ):
        layout = [
            ("world", np.uint64),
            ("known", np.uint64, (num_players,)),  # what each player heard and did
            ("ply", np.int32),
            ("done", np.int32),
        ]
        super().__init__(
            encoder=encoder,
            seed=seed,
            num_players=num_players,
            longest=longest,
            signals=signals,
            chance_share=chance_share,
            end_share=end_share,
            forgetful=forgetful,
            tables={"state_dtype": np.dtype(layout, align=True)},
        )

    def default_encoder(self):
        return WhispersView()

    def initial(self, state):
        state.world = mix(np.uint64(self.seed) + GOLDEN)
        for player in range(self.num_players):
            state.known[player] = np.uint64(player)

    def actor(self, state):
        return turn_of(self, state)

    def legal_actions(self, state, player, out):
        if turn_of(self, state) != player:
            return 0
        word = state.known[player] + np.uint64(state.ply)
        if self.forgetful:
            word = np.uint64(state.ply)
        count = 1 + pick(word, COUNT_SALT, 3)
        first = pick(word, SHIFT_SALT, 3)
        for index in range(count):
            out[index] = first + index
        return count

    def step(self, state, actions, events):
        player = turn_of(self, state)
        action = actions[player]
        state.known[player] = mix(state.known[player] ^ (np.uint64(action + 1) * GOLDEN))
        go(self, state, action, events)

    def chance(self, state, probabilities):
        count = 1 + pick(state.world, FAN_SALT, WIDEST_FAN)
        total = 0.0
        for outcome in range(count):
            probabilities[outcome] = 0.1 + share(state.world, ODDS_SALT + outcome)
            total += probabilities[outcome]
        for outcome in range(count):
            probabilities[outcome] /= total
        return count

    def resolve_chance(self, state, outcome, events):
        go(self, state, outcome, events)

    def information_state(self, state, player, out):
        out[0] = player
        out[1] = state.ply
        out[2] = state.done
        if self.forgetful:
            out[3] = pick(state.world, SIGNAL_SALT + player, self.signals)
            return 4
        word = state.known[player]
        for index in range(8):
            out[3 + index] = word & BYTE
            word = word >> BITS
        return 11

    def valid(self, state):
        if state.ply < 0 or state.ply > self.longest or state.done < 0 or state.done > 1:
            return 0
        return 0 if turn_of(self, state) == CHANCE or state.done < (state.ply == self.longest) else 1


class WhispersView(Encoder):
    """The ply, and who looks."""

    name = "whispers_view"
    games = ("whispers",)

    def shape(self, game):
        return 2, 1, 1

    def encode(self, game, state, player, out):
        out[0, 0, 0] = state.ply
        out[1, 0, 0] = player
