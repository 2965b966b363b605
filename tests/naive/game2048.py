"""2048 on a list of rows; a move turns the board, slides every row to the left and turns it back."""


def slid(row):
    """A row after sliding to the left, and the sum of its merged tiles."""
    tiles = [tile for tile in row if tile]
    done, score = [], 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tile += tiles.pop(0)
            score += tile
        done.append(tile)
    return done + [0] * (len(row) - len(done)), score


def quarter_turn(board):
    """The board turned by a quarter to the left: its right column becomes the top row."""
    return [list(column) for column in zip(*board, strict=True)][::-1]


class Naive2048:
    """Up, right, down, left; chance first picks an empty cell and then its tile."""

    turn = 0

    def __init__(self):
        self.board = [[0] * 4 for _ in range(4)]
        self.to_place = 2
        self.spot = None
        self.done = False

    def empty_cells(self):
        """The empty cells, row by row."""
        return [(row, column) for row in range(4) for column in range(4) if not self.board[row][column]]

    def odds(self):
        """The probabilities of what chance does next."""
        empty = self.empty_cells()
        return [1 / len(empty)] * len(empty) if self.spot is None else [0.9, 0.1]

    def draw(self, outcome):
        """Picks the cell, or puts the tile there."""
        if self.spot is None:
            self.spot = self.empty_cells()[outcome]
            return
        row, column = self.spot
        self.board[row][column] = [2, 4][outcome]
        self.spot = None
        self.to_place -= 1
        self.done = self.to_place == 0 and not self.moves()

    def moved(self, action):
        """The board after a move, and its score."""
        board = self.board
        turns = [1, 2, 3, 0][action]
        for _ in range(turns):
            board = quarter_turn(board)
        rows = [slid(row) for row in board]
        board = [row for row, _ in rows]
        for _ in range((4 - turns) % 4):
            board = quarter_turn(board)
        return board, sum(score for _, score in rows)

    def moves(self):
        """The moves that change something."""
        return [action for action in range(4) if self.moved(action)[0] != self.board]

    def legal_actions(self, player):
        """The moves, when no tile has to be placed first."""
        return [] if self.to_place or player != 0 else self.moves()

    def step(self, action):
        """Slides the tiles; returns the event."""
        self.board, score = self.moved(action)
        self.to_place = 1
        return [(0, {"merged": score})]

    def state_values(self):
        """The tiles row by row."""
        return {"board": self.board, "done": self.done}

    def observation(self, player):
        """One plane for each kind of tile, the empty cells first."""
        kinds = [0, *(2**exponent for exponent in range(1, 18))]
        return [[[float(tile == kind) for tile in row] for row in self.board] for kind in kinds]
