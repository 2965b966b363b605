"""Go on a dictionary of stones: groups are flood-filled anew, and every past position is kept whole."""


class NaiveGo:
    """Area scoring, no suicide, and a rule against repetition."""

    def __init__(self, size=9, komi=7.5, superko="positional"):
        self.size, self.komi, self.superko = size, komi, superko
        self.stones = {}
        self.turn = 0
        self.done = False
        self.passes = 0
        self.moves = 0
        self.past = [(frozenset(), 0)]  # (stones, the player to move then), oldest first

    def around(self, point):
        """The points next to one."""
        row, column = divmod(point, self.size)
        steps = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        inside = [cell for cell in steps if 0 <= min(cell) and max(cell) < self.size]
        return [self.size * row + column for row, column in inside]

    def region(self, stones, start):
        """The connected points of one kind (a colour, or empty), and what lies around them."""
        kind, members, border, frontier = stones.get(start), {start}, set(), [start]
        while frontier:
            for point in self.around(frontier.pop()):
                if stones.get(point) != kind:
                    border.add(point)
                elif point not in members:
                    members.add(point)
                    frontier.append(point)
        return members, border

    def is_dead(self, stones, start):
        """Whether the group of a stone has no empty point beside it."""
        return all(point in stones for point in self.region(stones, start)[1])

    def after(self, point):
        """The stones after the player to move puts one there, or None where that would be suicide."""
        stones = {**self.stones, point: self.turn}
        for near in self.around(point):
            if stones.get(near) == 1 - self.turn and self.is_dead(stones, near):
                for taken in self.region(stones, near)[0]:
                    del stones[taken]
        return None if self.is_dead(stones, point) else stones

    def repeats(self, stones):
        """Whether the rule forbids these stones."""
        position = frozenset(stones.items())
        if self.superko == "positional":
            return any(position == earlier for earlier, _ in self.past)
        if self.superko == "situational":
            return (position, 1 - self.turn) in self.past
        return len(self.past) > 1 and position == self.past[-2][0]

    def is_playable(self, point):
        """Whether the player to move may put a stone there."""
        stones = None if point in self.stones else self.after(point)
        return stones is not None and not self.repeats(stones)

    def legal_actions(self, player):
        """The points that may be played, and the pass."""
        if self.done or player != self.turn:
            return []
        return [*filter(self.is_playable, range(self.size**2)), self.size**2]

    def lead(self):
        """Black's stones and area minus white's and komi."""
        total = -self.komi
        for point in range(self.size**2):
            owners = {self.stones.get(point)}
            if point not in self.stones:
                owners = {self.stones[near] for near in self.region(self.stones, point)[1]}
            total += {frozenset({0}): 1, frozenset({1}): -1}.get(frozenset(owners), 0)
        return total

    def step(self, action):
        """Plays a move; returns the events as a list of (player, event name)."""
        mover = self.turn
        if action == self.size**2:
            self.passes += 1
        else:
            self.passes = 0
            self.stones = self.after(action)
        self.moves += 1
        self.past.append((frozenset(self.stones.items()), 1 - mover))
        if self.passes < 2 and self.moves < 2 * self.size**2:
            self.turn = 1 - mover
            return []
        self.done = True
        lead = self.lead()
        if lead == 0:
            return [(0, "draw"), (1, "draw")]
        return [(0, "win"), (1, "loss")] if lead > 0 else [(0, "loss"), (1, "win")]

    def plane(self, value):
        """One number for each point, row by row from the bottom."""
        points = range(self.size**2)
        return [
            [value(point) for point in points[start : start + self.size]] for start in points[:: self.size]
        ]

    def state_values(self):
        """The board, whose turn it is (the last mover's at the end), and the passes in a row."""
        board = self.plane(lambda point: self.stones.get(point, -1) + 1)
        return {"board": board, "turn": self.turn, "passes": self.passes, "done": self.done}

    def observation(self, player, legal):
        """What the network sees; `legal` is the observer's list of legal actions."""
        return [
            self.plane(lambda point: float(self.stones.get(point) == player)),
            self.plane(lambda point: float(self.stones.get(point) == 1 - player)),
            self.plane(lambda point: float(point in legal)),
            self.plane(lambda point: float(self.passes > 0)),
            self.plane(lambda point: float(player == 0)),
        ]
