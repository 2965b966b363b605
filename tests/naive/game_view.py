"""A game played in plain Python, one position object at a time; nothing is shared between two positions."""

import numpy as np

from rinforza import Game, Reward


class Position:
    """A state of a game, and what the game says about it.

    Args:
        game: The game.
        reward: The weights of the events, or None for the game's own.
        state: The state to copy, or None for the first one.
    """

    def __init__(self, game, reward=None, state=None):
        self.game = game
        self.weights = list((reward or Reward()).resolve(game).values())
        self.reward = reward
        self._array = np.zeros(1, game.state_dtype).view(np.recarray)
        if state is None:
            self._ask(self.game.initial)
        else:
            self._array[0] = state

    @property
    def state(self):
        """The state's record."""
        return self._array[0]

    def _ask(self, method, *arguments):
        """Call a method of the game on the state; unsigned numbers wrap, as they do in compiled code."""
        with np.errstate(over="ignore"):
            return method(self.state, *arguments)

    def copy(self):
        """An equal position that can go another way."""
        return Position(self.game, self.reward, self.state)

    @property
    def turn(self):
        """The player to move, or one of the negative words of the contract."""
        return int(self._ask(self.game.actor))

    def legal(self, player):
        """The player's legal actions, as a list."""
        out = np.zeros(self.game.num_actions, np.int32)
        count = self._ask(self.game.legal_actions, player, out)
        return [int(action) for action in out[:count]]

    def play(self, actions):
        """Play {player: action}; return every player's reward."""
        joint = np.zeros(self.game.num_players, np.int64)
        for player, action in actions.items():
            joint[player] = action
        return self._paid(self.game.step, joint)

    def odds(self):
        """The probabilities of a chance node's outcomes, as an array."""
        out = np.zeros(self.game.most_outcomes)
        return out[: self._ask(self.game.chance, out)]

    def resolve(self, outcome):
        """Apply a chance outcome; return every player's reward."""
        return self._paid(self.game.resolve_chance, outcome)

    def cut(self):
        """The rewards that the horizon adds."""
        if type(self.game).truncate is Game.truncate:
            return [0.0] * self.game.num_players
        return self._paid(self.game.truncate)

    def _paid(self, method, *arguments):
        events = np.zeros((self.game.num_players, len(self.weights)))
        self._ask(method, *arguments, events)
        return [
            sum(weight * float(amount) for weight, amount in zip(self.weights, row, strict=True))
            for row in events
        ]

    def observe(self, player):
        """What the network sees, as one flat float32 row."""
        out = np.zeros(self.game.encoder.shape(self.game), np.float32)
        with np.errstate(over="ignore"):
            self.game.encoder.encode(self.game, self.state, player, out)
        return out.reshape(-1)

    def head(self, action, player):
        """The network column of an action."""
        return int(self.game.encoder.head_index(action, player))
