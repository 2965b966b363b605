"""One walker on a square grid, started anywhere but on the goal."""

MOVES = [(-1, 0), (1, 0), (0, -1), (0, 1)]


class NaiveGridWorld:
    """Reach the goal; a move into a wall stays put and costs the tick."""

    def __init__(self, size=5, goal_row=None, goal_col=None):
        self.size = size
        self.goal = (
            size - 1 if goal_row is None else goal_row,
            size - 1 if goal_col is None else goal_col,
        )
        self.position = None
        self.turn = 0
        self.done = False

    def start_cells(self):
        """Every cell but the goal, row by row: the outcomes of the draw that starts an episode."""
        cells = [(row, column) for row in range(self.size) for column in range(self.size)]
        return [cell for cell in cells if cell != self.goal]

    def start(self, outcome):
        """Places the walker on the start cell of that number."""
        self.position = self.start_cells()[outcome]

    def legal_actions(self, player):
        """All four moves until the goal is reached."""
        return [] if self.done or player != 0 else [0, 1, 2, 3]

    def step(self, action):
        """Walks one cell and returns the one event of the tick."""
        down, right = MOVES[action]
        row, column = self.position[0] + down, self.position[1] + right
        if 0 <= row < self.size and 0 <= column < self.size:
            self.position = (row, column)
        self.done = self.position == self.goal
        return [(0, {"reached_goal": self.done})]

    def state_values(self):
        """Where the walker stands."""
        return {"pos": self.position, "done": self.done}

    def observation(self, player):
        """Plane 0 marks the walker, plane 1 the goal."""
        return [
            [
                [1.0 if (row, column) == cell else 0.0 for column in range(self.size)]
                for row in range(self.size)
            ]
            for cell in (self.position, self.goal)
        ]
