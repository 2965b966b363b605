"""Backgammon in lists: every way to play the dice is tried out, and the rules then strike out the short ones.

Player 0 moves from point 0 up to point 23 and beyond, player 1 from point 23 down. Checkers on the bar stand
on "point" 24 whoever owns them, and 25 is the source of a die that is not played.
"""

BAR = 24
PASS = 25
NON_DOUBLES = [(low, high) for low in range(1, 7) for high in range(low + 1, 7)]
ROLLS = NON_DOUBLES + [(pips, pips) for pips in range(1, 7)]


class NaiveBackgammon:
    """Two lists of 24 counts, the bars, what is off; doubles are two turns of one player."""

    def __init__(self):
        self.board = [[0] * 24, [0] * 24]
        for point, count in [(0, 2), (11, 5), (16, 3), (18, 5)]:
            self.board[0][point] = count
            self.board[1][23 - point] = count
        self.bar = [0, 0]
        self.scores = [0, 0]
        self.turn = 0
        self.dice = [0, 0]
        self.double_turn = False
        self.done = False
        self.started = False

    # ---- chance ----

    def odds(self):
        """The probability of each outcome of the roll to come."""
        if not self.started:
            return [1 / 30] * 30
        return [1 / 18] * 15 + [1 / 36] * 6

    def start(self, outcome):
        """Rolls for the first time: the outcome also says who begins."""
        self.turn = outcome // 15
        self.dice = list(NON_DOUBLES[outcome % 15])
        self.started = True

    def roll(self, outcome):
        """Rolls for the player to move."""
        self.dice = list(ROLLS[outcome])

    # ---- one checker ----

    def landing(self, player, source, pips):
        """Where a checker comes to stand: a point, or "off" when it passes the last one."""
        if source == BAR:
            return pips - 1 if player == 0 else 24 - pips
        point = source + pips if player == 0 else source - pips
        return point if 0 <= point < 24 else "off"

    def behind(self, player, source):
        """Whether a checker of the player stands farther from home than the source."""
        points = range(source) if player == 0 else range(source + 1, 24)
        return self.bar[player] > 0 or any(self.board[player][point] for point in points)

    def can_move(self, player, source, pips):
        """Whether the die can be played with a checker of this source."""
        if source == BAR:
            if self.bar[player] == 0:
                return False
        elif self.board[player][source] == 0 or self.bar[player] > 0:
            return False
        point = self.landing(player, source, pips)
        if point != "off":
            return self.board[1 - player][point] <= 1
        home = range(18, 24) if player == 0 else range(6)
        if sum(self.board[player][index] for index in home) + self.scores[player] < 15:
            return False
        exact = source + pips == 24 if player == 0 else source - pips == -1
        return exact or not self.behind(player, source)

    def moved(self, player, source, pips):
        """The position after one checker's move."""
        after = self.copy()
        if source == BAR:
            after.bar[player] -= 1
        else:
            after.board[player][source] -= 1
        point = self.landing(player, source, pips)
        if point == "off":
            after.scores[player] += 1
            return after
        if after.board[1 - player][point] == 1:
            after.board[1 - player][point] = 0
            after.bar[1 - player] += 1
        after.board[player][point] += 1
        return after

    def copy(self):
        """A position of its own."""
        other = NaiveBackgammon()
        other.board = [list(row) for row in self.board]
        other.bar, other.scores = list(self.bar), list(self.scores)
        other.turn, other.dice = self.turn, list(self.dice)
        other.double_turn, other.done, other.started = self.double_turn, self.done, self.started
        return other

    # ---- a whole play ----

    def ways(self):
        """Every sequence of moves that could be played: ([(source, pips), ...], the position after it)."""
        low, high = self.dice
        orders = [(high, low)] if low == high else [(high, low), (low, high)]
        found = []
        for order in orders:
            for first in range(25):
                if self.can_move(self.turn, first, order[0]):
                    then = self.moved(self.turn, first, order[0])
                    found.append(([(first, order[0])], then))
                    for second in range(25):
                        if then.can_move(self.turn, second, order[1]):
                            moves = [(first, order[0]), (second, order[1])]
                            found.append((moves, then.moved(self.turn, second, order[1])))
        return found

    def plays(self):
        """{action id: position after it} of the plays that the rules allow."""
        ways = self.ways()
        if not ways:
            return {26 * PASS + PASS + 676: self.copy()}
        most = max(len(moves) for moves, _ in ways)
        ways = [(moves, after) for moves, after in ways if len(moves) == most]
        if most == 1:
            largest = max(moves[0][1] for moves, _ in ways)
            ways = [(moves, after) for moves, after in ways if moves[0][1] == largest]
        return {self.number(moves): after for moves, after in ways}

    def number(self, moves):
        """The id of a sequence of one or two moves."""
        sources = [source for source, _ in moves] + [PASS]
        lower_first = moves[0][1] != max(self.dice)
        return 26 * sources[1] + sources[0] + (676 if lower_first else 0)

    # ---- the game ----

    def legal_actions(self, player):
        """The ids of the plays, for the player to move only."""
        return [] if self.done or player != self.turn else sorted(self.plays())

    def step(self, action):
        """Plays an id and returns the events as (player, payload)."""
        after = self.plays()[action]
        mover = self.turn
        self.board, self.bar, self.scores = after.board, after.bar, after.scores
        self.done = self.scores[mover] == 15
        both = PASS not in divmod(action % 676, 26)
        if self.dice[0] == self.dice[1] and not self.double_turn and both:
            self.double_turn = True
        else:
            self.double_turn, self.dice, self.turn = False, [0, 0], 1 - mover
        if not self.done:
            return []
        margin = self.margin(mover)
        payloads = [{"result": "loss", "margin": margin}] * 2
        payloads[mover] = {"result": "win", "margin": margin}
        return list(enumerate(payloads))

    def margin(self, winner):
        """1 for a plain win, 2 for a gammon, 3 for a backgammon."""
        loser = 1 - winner
        if self.scores[loser] > 0:
            return 1
        home = range(18, 24) if winner == 0 else range(6)
        if self.bar[loser] > 0 or any(self.board[loser][point] for point in home):
            return 3
        return 2

    def waits_for_a_roll(self):
        """Whether chance is next."""
        return not self.done and self.dice == [0, 0]

    # ---- what is seen ----

    def state_values(self):
        """Everything, as plain values."""
        return {
            "board": self.board,
            "bar": self.bar,
            "scores": self.scores,
            "to_move": self.turn,
            "dice": self.dice,
            "double_turn": self.double_turn,
        }

    def observation(self, player):
        """200 numbers: both players' points by fours, bar, off and turn, and the dice."""
        seen = []
        for owner in (player, 1 - player):
            for count in self.board[owner]:
                seen += [count == 1, count == 2, count == 3, max(count - 3, 0)]
        for owner in (player, 1 - player):
            seen += [self.bar[owner], self.scores[owner], self.turn == owner]
        return [[[float(value)]] for value in seen + self.dice]
