"""Liar's dice on lists of dice and of (quantity, face)."""


class NaiveLiarsDice:
    """Bids go up; a call ends the game; the highest face is wild."""

    def __init__(self, dice=1, sides=6):
        self.dice, self.sides = dice, sides
        self.hands = [[], []]
        self.bids = []
        self.done = False
        faces = range(1, sides + 1)
        self.all_bids = [(quantity, face) for quantity in range(1, 2 * dice + 1) for face in faces]

    def odds(self):
        """Each face alike."""
        return [1 / self.sides] * self.sides

    def draw(self, outcome):
        """Roll a die."""
        hand = self.hands[0] if len(self.hands[0]) < self.dice else self.hands[1]
        hand.append(outcome + 1)
        hand.sort()

    @property
    def dealing(self):
        """Whether a die is to be rolled."""
        return len(self.hands[1]) < self.dice

    @property
    def turn(self):
        """Who bids or calls."""
        return len(self.bids) % 2

    def legal_actions(self, player):
        """All higher bids, and the call of a bid."""
        if self.dealing or self.done or player != self.turn:
            return []
        higher = [index for index, bid in enumerate(self.all_bids) if not self.bids or bid > self.bids[-1]]
        return higher + [len(self.all_bids)] * bool(self.bids)

    def step(self, action):
        """Returns who wins and who loses, once the game is over."""
        if action < len(self.all_bids):
            self.bids.append(self.all_bids[action])
            return []
        self.done = True
        quantity, face = self.bids[-1]
        shown = [die for hand in self.hands for die in hand if die in (face, self.sides)]
        bidder, caller = 1 - self.turn, self.turn
        winner = bidder if len(shown) >= quantity else caller
        return [(player, "win" if player == winner else "loss") for player in range(2)]

    def state_values(self):
        """Everything."""
        return {"dice": self.hands, "bids": self.bids, "turn": self.turn, "done": self.done}

    def knowledge(self, player):
        """What the player knows."""
        return player, tuple(self.hands[player]), tuple(self.bids), self.done

    def observation(self, player):
        """Own dice, the bids made, the call."""
        faces = range(1, self.sides + 1)
        numbers = [float(die == face) for die in self.hands[player] for face in faces]
        numbers += [float(bid in self.bids) for bid in self.all_bids]
        return [[[number]] for number in [*numbers, float(self.done)]]
