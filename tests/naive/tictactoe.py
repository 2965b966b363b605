"""Tic-tac-toe on a list of nine marks: 0 empty, 1 player 0, 2 player 1.

Cells are numbered row by row from 0 to 8, and an action is the number of the cell to mark.
"""

LINES = [
    (0, 1, 2),
    (3, 4, 5),
    (6, 7, 8),
    (0, 3, 6),
    (1, 4, 7),
    (2, 5, 8),
    (0, 4, 8),
    (2, 4, 6),
]


class NaiveTicTacToe:
    """Three in a row wins; a full board without a line is a draw."""

    def __init__(self):
        self.cells = [0] * 9
        self.turn = 0
        self.done = False

    def legal_actions(self, player):
        """The empty cells, for the player to move only."""
        if self.done or player != self.turn:
            return []
        return [cell for cell in range(9) if self.cells[cell] == 0]

    def step(self, action):
        """Marks the cell and returns the events as a list of (player, event name)."""
        mover, other = self.turn, 1 - self.turn
        mark = mover + 1
        self.cells[action] = mark
        if any(all(self.cells[cell] == mark for cell in line) for line in LINES):
            self.done = True
            return sorted([(mover, "win"), (other, "loss")])
        if 0 not in self.cells:
            self.done = True
            return [(0, "draw"), (1, "draw")]
        self.turn = other
        return []

    def state_values(self):
        """What the game shows of its state."""
        rows = [self.cells[0:3], self.cells[3:6], self.cells[6:9]]
        return {"board": rows, "turn": self.turn, "done": self.done}

    def observation(self, player):
        """Plane 0 holds the observer's marks, plane 1 the other player's."""
        planes = []
        for owner in (player, 1 - player):
            flat = [1.0 if cell == owner + 1 else 0.0 for cell in self.cells]
            planes.append([flat[0:3], flat[3:6], flat[6:9]])
        return planes
