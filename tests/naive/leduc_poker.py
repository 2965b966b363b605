"""Leduc poker on lists: chips and turns are worked out from the whole history each time."""

import numpy as np

FOLD, CALL, RAISE = range(3)


class NaiveLeducPoker:
    """Two rounds of at most two raises; a card is opened between them."""

    def __init__(self):
        self.deck = list(range(6))
        self.cards = []
        self.public = None
        self.rounds = [[], []]

    def odds(self):
        """The probability of each card left."""
        return [1 / len(self.deck)] * len(self.deck)

    def draw(self, outcome):
        """Deal a card to a player, or the open one."""
        card = self.deck.pop(outcome)
        if len(self.cards) < 2:
            self.cards.append(card)
        else:
            self.public = card

    def closed(self, number):
        """Whether a round ended with a call."""
        actions = self.rounds[number]
        return len(actions) >= 2 and actions[-1] == CALL

    @property
    def number(self):
        """The round that is played."""
        return 1 if self.closed(0) else 0

    @property
    def dealing(self):
        """Whether a card is to be dealt."""
        return len(self.cards) < 2 or (self.number == 1 and self.public is None)

    @property
    def done(self):
        """Somebody folded, or the second round is closed."""
        return FOLD in self.rounds[0] + self.rounds[1] or self.closed(1)

    @property
    def turn(self):
        """Player 0 opens each round."""
        return len(self.rounds[self.number]) % 2

    def paid(self):
        """The chips of both players."""
        chips = [1, 1]
        for size, actions in zip((2, 4), self.rounds, strict=True):
            for index, action in enumerate(actions):
                if action != FOLD:
                    chips[index % 2] = max(chips) + (size if action == RAISE else 0)
        return chips

    def legal_actions(self, player):
        """Fold facing a bet, call, raise up to twice."""
        if self.dealing or self.done or player != self.turn:
            return []
        chips = self.paid()
        fold = [FOLD] if chips[player] < chips[1 - player] else []
        return fold + [CALL] + [RAISE] * (self.rounds[self.number].count(RAISE) < 2)

    def strength(self, player):
        """Higher is better; a pair beats all ranks."""
        rank = self.cards[player] // 2
        return 10 if rank == self.public // 2 else rank

    def step(self, action):
        """Returns what both win, once the game is over."""
        mover = self.turn
        self.rounds[self.number].append(action)
        if not self.done:
            return []
        if action == FOLD:
            gain = -self.paid()[0] if mover == 0 else self.paid()[1]
        else:
            hands = [self.strength(player) for player in range(2)]
            gain = float(np.sign(hands[0] - hands[1])) * self.paid()[0]
        return [(0, float(gain)), (1, float(-gain))]

    def state_values(self):
        """Everything."""
        return {
            "cards": self.cards,
            "public": self.public,
            "round": self.number,
            "history": self.rounds,
            "done": self.done,
        }

    def knowledge(self, player):
        """What the player knows."""
        return player, self.cards[player], self.public, tuple(map(tuple, self.rounds))

    def observation(self, player):
        """Own card, open card, the round, the actions."""
        numbers = [float(card == self.cards[player]) for card in range(6)]
        numbers += [float(card == self.public) for card in range(6)]
        numbers.append(float(self.number))
        for actions in self.rounds:
            numbers += [(action + 1) / 3 for action in actions] + [0.0] * (4 - len(actions))
        return [[[float(np.float32(number))]] for number in numbers]
