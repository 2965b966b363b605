"""Hex on a dictionary of stones; after a move the mover's stones are searched from edge to edge."""

TOUCHING = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]


class NaiveHex:
    """Player 0 joins top and bottom, player 1 left and right."""

    def __init__(self, size=11):
        self.size = size
        self.stones = {}
        self.turn = 0
        self.done = False

    def legal_actions(self, player):
        """The empty cells."""
        if self.done or player != self.turn:
            return []
        cells = [divmod(action, self.size) for action in range(self.size**2)]
        return [row * self.size + column for row, column in cells if (row, column) not in self.stones]

    def joined(self, player):
        """Whether stones of the player lead from its first edge to its second."""
        frontier = [cell for cell, owner in self.stones.items() if owner == player and cell[player] == 0]
        seen = set(frontier)
        while frontier:
            row, column = frontier.pop()
            if (row, column)[player] == self.size - 1:
                return True
            for down, right in TOUCHING:
                cell = (row + down, column + right)
                if cell not in seen and self.stones.get(cell) == player:
                    seen.add(cell)
                    frontier.append(cell)
        return False

    def step(self, action):
        """Places a stone; returns the events as a list of (player, event name)."""
        mover = self.turn
        self.stones[divmod(action, self.size)] = mover
        if self.joined(mover):
            self.done = True
            return sorted([(mover, "win"), (1 - mover, "loss")])
        self.turn = 1 - mover
        return []

    def plane(self, value):
        """One number for each cell, by its owner (None for an empty one)."""
        line = range(self.size)
        return [[value(self.stones.get((row, column))) for column in line] for row in line]

    def state_values(self):
        """The board row by row, and whose turn it is (the last mover's at the end)."""
        board = self.plane(lambda owner: 0 if owner is None else owner + 1)
        return {"board": board, "turn": self.turn, "done": self.done}

    def observation(self, player):
        """The observer's stones, the other's, and whether the observer is player 0."""
        return [
            self.plane(lambda owner: float(owner == player)),
            self.plane(lambda owner: float(owner == 1 - player)),
            self.plane(lambda owner: float(player == 0)),
        ]
