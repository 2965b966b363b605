"""Counterfactual regret minimisation as the papers write it: a recursion over every history, in dictionaries.

A game becomes a tree of `History` objects once. What a variant adds up is kept per information state, by its
bytes; nothing is done in a clever order. Numbers may be floats or fractions.
"""

import numpy as np

from rinforza.contracts.rules import CHANCE, TERMINAL

from .game_view import Position


class History:
    """One history: who moves, what they know, and what can follow.

    Args:
        position: The position after it.
        paid: What each player has got on the way.
        number: The type of the numbers.
        pasts: What each player did on the way, as (information state, action).
    """

    def __init__(self, position, paid=None, number=float, pasts=None):
        players = range(position.game.num_players)
        self.pasts = pasts or [() for _ in players]
        self.turn = position.turn
        self.paid = paid or [number(0) for _ in players]
        self.key, self.actions, self.odds, choices = None, [], [], []
        if self.turn == CHANCE:
            self.odds = [number(odds) for odds in position.odds()]
            choices = range(len(self.odds))
        elif self.turn != TERMINAL:
            self.key = knowledge(position, self.turn)
            self.actions = choices = position.legal(self.turn)
        self.children = []
        for choice in choices:
            after = position.copy()
            rewards = after.resolve(choice) if self.turn == CHANCE else after.play({self.turn: choice})
            total = [before + number(reward) for before, reward in zip(self.paid, rewards, strict=True)]
            pasts = [
                (*past, (self.key, choice)) if player == self.turn else past
                for player, past in enumerate(self.pasts)
            ]
            self.children.append(History(after, total, number, pasts))

    def walk(self):
        """Yield this history and all that follow."""
        yield self
        for child in self.children:
            yield from child.walk()


def knowledge(position, player):
    """What a player knows, as bytes."""
    out = np.zeros(position.game.information_size, np.uint8)
    with np.errstate(over="ignore"):
        count = position.game.information_state(position.state, player, out)
    return out[: int(count)].tobytes()


def histories(game, number=float):
    """Return the history in which nothing has happened yet."""
    return History(Position(game), number=number)


class NaiveCfr:
    """One variant on one game.

    Args:
        game: The game.
        variant: Its name.
        alpha, beta, gamma: Of "dcfr".
        number: The type of the numbers.
        root: `histories(game, number)`, if it was made before.
    """

    def __init__(self, game, variant, alpha=1.5, beta=0.0, gamma=2.0, number=float, root=None):
        self.variant, self.alpha, self.beta, self.gamma, self.number = variant, alpha, beta, gamma, number
        self.root = root or histories(game, number)
        self.players = game.num_players
        self.regrets, self.sums, self.predictions, self.owner = {}, {}, {}, {}
        for history in self.root.walk():
            if history.key is not None:
                self.owner[history.key] = history.turn
                for table in (self.regrets, self.sums, self.predictions):
                    table[history.key] = [number(0)] * len(history.actions)
        self.strategy = {key: self.matched(key) for key in self.regrets}
        self.time = 0

    def matched(self, key):
        """Regret matching."""
        positive = [
            max(regret + (guess if self.variant == "predictive_plus" else 0), self.number(0))
            for regret, guess in zip(self.regrets[key], self.predictions[key], strict=True)
        ]
        if sum(positive) > 0:
            return [regret / sum(positive) for regret in positive]
        return [self.number(1) / len(positive)] * len(positive)

    def iterate(self):
        """Update every player in turn."""
        self.time += 1
        for player in range(self.players):
            self.found = {key: [self.number(0)] * len(row) for key, row in self.regrets.items()}
            self.seen = {}
            self.value(self.root, player, [self.number(1)] * self.players, self.number(1))
            for key, reaches in self.seen.items():
                weight = self.weight() * sum(reaches.values())
                self.sums[key] = [
                    total + weight * chance
                    for total, chance in zip(self.sums[key], self.strategy[key], strict=True)
                ]
            for key in (key for key, owner in self.owner.items() if owner == player):
                self.renew(key, self.found[key])
                self.strategy[key] = self.matched(key)

    def value(self, history, player, reaches, chance):
        """The player's value of a history; its counterfactual regrets are added to `found` on the way."""
        if history.turn == TERMINAL:
            return history.paid[player]
        if history.turn == CHANCE:
            return sum(
                odds * self.value(child, player, reaches, chance * odds)
                for odds, child in zip(history.odds, history.children, strict=True)
            )
        values, own = [], self.strategy[history.key]
        for probability, child in zip(own, history.children, strict=True):
            onward = list(reaches)
            onward[history.turn] *= probability
            values.append(self.value(child, player, onward, chance))
        value = sum(probability * part for probability, part in zip(own, values, strict=True))
        if history.turn == player:
            others = chance
            for other, reach in enumerate(reaches):
                others *= reach if other != player else 1
            found = self.found[history.key]
            for index, part in enumerate(values):
                found[index] += others * (part - value)
            own = self.seen.setdefault(history.key, {})
            own[history.pasts[player]] = reaches[
                player
            ]  # the same for all histories that it cannot tell apart
        return value

    def weight(self):
        """What the iteration counts in the average strategy."""
        if self.variant == "dcfr":
            return 1.0  # what came before is discounted instead
        return {"vanilla": 1, "plus": self.time, "linear": self.time, "predictive_plus": self.time**2}[
            self.variant
        ]

    def renew(self, key, found):
        """Let the instantaneous regrets of one information state into its regrets."""
        regrets, time = self.regrets[key], self.time
        for index, regret in enumerate(found):
            if self.variant == "linear":
                regrets[index] += time * regret
            elif self.variant in ("plus", "predictive_plus"):
                regrets[index] = max(regrets[index] + regret, self.number(0))
            else:
                regrets[index] += regret
        self.predictions[key] = found
        if self.variant == "dcfr":
            for index, regret in enumerate(regrets):
                power = time ** (self.alpha if regret > 0 else self.beta)
                regrets[index] = regret * power / (power + 1)
            fade = (time / (time + 1)) ** self.gamma
            self.sums[key] = [total * fade for total in self.sums[key]]

    def average(self, key):
        """The average strategy of an information state."""
        total = sum(self.sums[key])
        if total == 0:
            return [self.number(1) / len(self.sums[key])] * len(self.sums[key])
        return [part / total for part in self.sums[key]]


def expected_values(history, players, policy):
    """What each player gets when all play `policy(key)`."""
    if history.turn == TERMINAL:
        return history.paid
    chances = history.odds or policy(history.key)
    totals = [0] * players
    for chance, child in zip(chances, history.children, strict=True):
        values = expected_values(child, players, policy)
        totals = [total + chance * value for total, value in zip(totals, values, strict=True)]
    return totals


def best_response_value(root, player, policy):
    """The most that a player can get: its information states are settled from the last to the first."""
    groups = {}

    def collect(history, reach):
        if history.turn == player:
            groups.setdefault(history.key, []).append((history, reach))
        chances = history.odds or (
            [1] * len(history.children)
            if history.turn == player
            else policy(history.key)
            if history.key
            else []
        )
        for chance, child in zip(chances, history.children, strict=True):
            collect(child, reach * chance)

    choices = {}

    def value(history):
        if history.turn == TERMINAL:
            return history.paid[player]
        if history.turn == player:
            return value(history.children[choice(history.key)])
        chances = history.odds or policy(history.key)
        return sum(chance * value(child) for chance, child in zip(chances, history.children, strict=True))

    def choice(key):
        if key not in choices:
            totals = [
                sum(reach * value(history.children[index]) for history, reach in groups[key])
                for index in range(len(groups[key][0][0].children))
            ]
            choices[key] = totals.index(max(totals))
        return choices[key]

    collect(root, 1)
    return value(root)
