"""Kuhn poker on lists: the table is asked from the whole history each time."""


class NaiveKuhnPoker:
    """One card each; a bet is answered by each of the others once."""

    def __init__(self, players=2):
        self.players = players
        self.deck = list(range(players + 1))
        self.cards = []
        self.history = []

    def odds(self):
        """The probability of each card left."""
        return [1 / len(self.deck)] * len(self.deck)

    def draw(self, outcome):
        """Deal the next seat its card."""
        self.cards.append(self.deck.pop(outcome))

    @property
    def dealing(self):
        """Whether somebody has no card."""
        return len(self.cards) < self.players

    @property
    def done(self):
        """All passed, or all others answered the first bet."""
        if 1 not in self.history:
            return len(self.history) == self.players
        return len(self.history[self.history.index(1) :]) == self.players

    @property
    def turn(self):
        """Whose seat it is."""
        return len(self.history) % self.players

    def legal_actions(self, player):
        """Both, for the player to move."""
        return [] if self.dealing or self.done or player != self.turn else [0, 1]

    def step(self, action):
        """Returns what everybody wins, once the game is over."""
        self.history.append(action)
        if not self.done:
            return []
        bettors = {index % self.players for index, action in enumerate(self.history) if action == 1}
        paid = [2.0 if seat in bettors else 1.0 for seat in range(self.players)]
        contenders = bettors or set(range(self.players))
        winner = max(contenders, key=lambda seat: self.cards[seat])
        return [
            (seat, sum(paid) - paid[seat] if seat == winner else -paid[seat]) for seat in range(self.players)
        ]

    def state_values(self):
        """Everything."""
        return {"cards": self.cards, "history": self.history, "done": self.done}

    def knowledge(self, player):
        """What the player knows."""
        return player, self.cards[player], tuple(self.history)

    def observation(self, player):
        """Own card, then the actions."""
        cards = [float(card == self.cards[player]) for card in range(self.players + 1)]
        actions = [(action + 1) / 2 for action in self.history]
        numbers = cards + actions + [0.0] * (2 * self.players - 1 - len(actions))
        return [[[number]] for number in numbers]
