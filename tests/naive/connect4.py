"""Connect Four on a list of columns; a column lists its stones from the bottom up."""

ROWS = 6
COLUMNS = 7
DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


class NaiveConnect4:
    """Four in a row in any direction wins; a full board without four is a draw."""

    def __init__(self):
        self.columns = [[] for _ in range(COLUMNS)]
        self.turn = 0
        self.done = False

    def stone(self, row, column):
        """The owner of the stone there, or None for an empty or outside cell."""
        if not 0 <= column < COLUMNS or not 0 <= row < len(self.columns[column]):
            return None
        return self.columns[column][row]

    def legal_actions(self, player):
        """The columns with space, for the player to move only."""
        if self.done or player != self.turn:
            return []
        return [column for column in range(COLUMNS) if len(self.columns[column]) < ROWS]

    def has_four(self, owner):
        """Looks at every cell in every direction."""
        for row in range(ROWS):
            for column in range(COLUMNS):
                for up, right in DIRECTIONS:
                    run = [self.stone(row + up * i, column + right * i) for i in range(4)]
                    if run == [owner] * 4:
                        return True
        return False

    def step(self, action):
        """Drops a stone and returns the events as a list of (player, event name)."""
        mover, other = self.turn, 1 - self.turn
        self.columns[action].append(mover)
        if self.has_four(mover):
            self.done = True
            return sorted([(mover, "win"), (other, "loss")])
        if all(len(column) == ROWS for column in self.columns):
            self.done = True
            return [(0, "draw"), (1, "draw")]
        self.turn = other
        return []

    def state_values(self):
        """The board row by row from the bottom, and whose turn it is (the last mover's at the end)."""
        board = []
        for row in range(ROWS):
            stones = [self.stone(row, column) for column in range(COLUMNS)]
            board.append([0 if stone is None else stone + 1 for stone in stones])
        return {"board": board, "turn": self.turn, "done": self.done}

    def observation(self, player):
        """Plane 0 holds the observer's stones, plane 1 the other's; row 0 is the bottom row."""
        return [
            [
                [1.0 if self.stone(row, column) == owner else 0.0 for column in range(COLUMNS)]
                for row in range(ROWS)
            ]
            for owner in (player, 1 - player)
        ]
