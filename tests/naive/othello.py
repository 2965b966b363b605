"""Othello on a dictionary of squares; lines are walked one step at a time."""

DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]
SQUARES = [(row, column) for row in range(8) for column in range(8)]
PASS = 64


class NaiveOthello:
    """A disc turns every line of enemy discs between it and the next own disc; most discs win."""

    def __init__(self):
        self.discs = {(3, 4): 0, (4, 3): 0, (3, 3): 1, (4, 4): 1}
        self.turn = 0
        self.done = False

    def turned(self, player, square):
        """The enemy discs that a disc of the player on that square turns."""
        found = []
        for down, right in DIRECTIONS:
            line = []
            row, column = square[0] + down, square[1] + right
            while self.discs.get((row, column)) == 1 - player:
                line.append((row, column))
                row, column = row + down, column + right
            if self.discs.get((row, column)) == player:
                found += line
        return found

    def placements(self, player):
        """The empty squares on which a disc of the player turns something."""
        return [square for square in SQUARES if square not in self.discs and self.turned(player, square)]

    def legal_actions(self, player):
        """Placements, or the pass when there is none."""
        if self.done or player != self.turn:
            return []
        return [8 * row + column for row, column in self.placements(player)] or [PASS]

    def step(self, action):
        """Places a disc or passes; returns the events as a list of (player, event name)."""
        mover = self.turn
        if action != PASS:
            square = divmod(action, 8)
            for flipped in self.turned(mover, square):
                self.discs[flipped] = mover
            self.discs[square] = mover
        if self.placements(0) or self.placements(1):
            self.turn = 1 - mover
            return []
        self.done = True
        owners = list(self.discs.values())
        lead = owners.count(0) - owners.count(1)
        if lead == 0:
            return [(0, "draw"), (1, "draw")]
        return [(0, "win"), (1, "loss")] if lead > 0 else [(0, "loss"), (1, "win")]

    def state_values(self):
        """The board row by row from the top, and whose turn it is (the last mover's at the end)."""
        board = [[self.discs.get((row, column), -1) + 1 for column in range(8)] for row in range(8)]
        return {"board": board, "turn": self.turn, "done": self.done}

    def observation(self, player):
        """The observer's discs, the other's, and where the observer may place one."""
        legal = self.legal_actions(player)
        cells = [
            [float(self.discs.get(square) == player) for square in SQUARES],
            [float(self.discs.get(square) == 1 - player) for square in SQUARES],
            [float(action in legal) for action in range(64)],
        ]
        return [[plane[8 * row : 8 * row + 8] for row in range(8)] for plane in cells]
