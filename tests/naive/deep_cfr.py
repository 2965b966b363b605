"""Deep CFR's external sampling as a recursion over one game at a time; the network is asked one row at a time."""

import numpy as np

from rinforza import Game
from rinforza.compiled.random import STREAM, categorical, derive_key, uniform
from rinforza.contracts.rules import CHANCE, TERMINAL

from .game_view import Position

DEEP_CFR = 0x646366


class Samples:
    """What some traversals gave.

    Args:
        game: The game.
        seed: The solver's.
        player: The traverser.
        networks: One callable for each player.
    """

    def __init__(self, game, seed, player, networks):
        self.game, self.seed, self.player, self.networks = game, seed, player, networks
        self.gatherer = (player + 1) % game.num_players
        self.advantages = []  # (observation, {column: target})
        self.strategies = []  # (observation, player, {column: probability})
        self.decisions = 0

    def traverse(self, number):
        """Do the solver's traversal of a number."""
        self.stream = np.zeros(1, STREAM).view(np.recarray)[0]
        with np.errstate(over="ignore"):
            self.stream.key = derive_key(np.uint64(self.seed), np.uint64(DEEP_CFR), np.uint64(number))
        self.value(Position(self.game))

    def value(self, position):
        """What the traverser gets from here on."""
        turn = position.turn
        if turn == TERMINAL:
            return 0.0
        if turn == CHANCE:
            rewards = position.resolve(self.outcome(position))
            return rewards[self.player] + self.value(position)
        self.decisions += 1
        strategy = self.strategy(position, turn)
        if turn == self.gatherer:
            columns = in_columns(position, turn, strategy)
            self.strategies.append((position.observe(turn), turn, columns))
        if turn != self.player:
            return self.after(position, turn, self.drawn(strategy))
        values = {action: self.after(position.copy(), turn, action) for action in strategy}
        mean = sum(strategy[action] * value for action, value in values.items())
        targets = {action: value - mean for action, value in values.items()}
        self.advantages.append((position.observe(turn), in_columns(position, turn, targets)))
        return mean

    def after(self, position, player, action):
        """What the traverser gets from an action on."""
        rewards = position.play({player: action})
        return rewards[self.player] + self.value(position)

    def outcome(self, position):
        """Draw what chance does, as the game draws it."""
        with np.errstate(over="ignore"):
            if type(self.game).sample_chance is not Game.sample_chance:
                return self.game.sample_chance(position.state, self.stream)
            odds = position.odds()
            return categorical(self.stream, odds, len(odds))

    def drawn(self, strategy):
        """Draw an action."""
        with np.errstate(over="ignore"):
            remainder = uniform(self.stream)
        for action, probability in strategy.items():
            remainder -= probability
            if remainder < 0.0:
                return action
        return max(action for action, probability in strategy.items() if probability > 0.0)

    def strategy(self, position, player):
        """Regret matching on the network's advantages; all on the largest where none is positive."""
        answer = self.networks[player](position.observe(player)[None])[0].astype(np.float64)
        advantages = {action: answer[position.head(action, player)] for action in position.legal(player)}
        positive = {action: max(advantage, 0.0) for action, advantage in advantages.items()}
        total = sum(positive.values())
        if total > 0.0:
            return {action: part / total for action, part in positive.items()}
        best = max(advantages, key=advantages.get)
        return {action: float(action == best) for action in advantages}


def in_columns(position, player, by_action):
    """The same with network columns, ascending."""
    columns = {position.head(action, player): number for action, number in by_action.items()}
    return dict(sorted(columns.items()))
