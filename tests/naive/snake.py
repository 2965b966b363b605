"""Snake on lists of (row, column), head first; the rules word by word, nothing remembered but the bodies."""

UP, DOWN, LEFT, RIGHT = range(4)
STEPS = {UP: (-1, 0), DOWN: (1, 0), LEFT: (0, -1), RIGHT: (0, 1)}
LEFT_OF = {UP: LEFT, LEFT: DOWN, DOWN: RIGHT, RIGHT: UP}
RIGHT_OF = {left: heading for heading, left in LEFT_OF.items()}
WEIGHTS = {"step": 0.0, "food": 0.0, "loss": -1.0, "draw": 0.0, "kill": 0.0, "win": 1.0, "survival": 0.0}


class NaiveSnake:
    """Two to eight snakes that move at once."""

    def __init__(
        self, grid_size=20, initial_length=3, food=3, play_to_last=True, win_food_lead=None, num_snakes=2
    ):
        self.size = grid_size
        self.play_to_last = play_to_last
        self.lead = win_food_lead
        self.count = num_snakes
        self.bodies = [self.first_body(snake, initial_length) for snake in range(num_snakes)]
        self.headings = [LEFT if snake % 2 else RIGHT for snake in range(num_snakes)]
        self.alive = [True] * num_snakes
        self.food = set()
        self.draws = [1] * food  # how many apples each chance node still to come places
        self.done = False

    def first_body(self, snake, length):
        """From the head straight on to the edge, and then along it."""
        row = self.size // 2 if self.count == 2 else (snake + 1) * self.size // (self.count + 1)
        column = self.size - self.size // 3 if snake % 2 else self.size // 3
        legs = [RIGHT, UP, LEFT, DOWN] if snake % 2 else [LEFT, DOWN, RIGHT, UP]
        body = [(row, column)]
        while len(body) < length:
            ahead = self.ahead(body[-1], legs[0])
            if self.inside(ahead):
                body.append(ahead)
            else:
                legs.pop(0)
        return body

    def inside(self, cell):
        """Whether a cell is on the board."""
        return 0 <= cell[0] < self.size and 0 <= cell[1] < self.size

    def ahead(self, cell, heading):
        """The next cell in a direction."""
        return cell[0] + STEPS[heading][0], cell[1] + STEPS[heading][1]

    # ---- chance ----

    def free_cells(self):
        """The cells with nothing on them, row by row."""
        taken = self.food.union(*self.bodies)
        cells = [(row, column) for row in range(self.size) for column in range(self.size)]
        return [cell for cell in cells if cell not in taken]

    def count_outcomes(self):
        """In how many ways the next draw can go."""
        free, outcomes = len(self.free_cells()), 1
        for placed in range(self.draws[0]):
            outcomes *= free - placed
        return outcomes

    def draw(self, outcome):
        """Places the apples of the next draw one after the other."""
        for _ in range(self.draws.pop(0)):
            free = self.free_cells()
            self.food.add(free[outcome % len(free)])
            outcome //= len(free)

    # ---- a tick ----

    def legal_actions(self, player):
        """Forward, left, right while alive."""
        return [] if self.done or self.draws or not self.alive[player] else [0, 1, 2]

    def step(self, actions):
        """Plays {snake: action}; returns a payload for every snake."""
        movers = [snake for snake in range(self.count) if self.alive[snake]]
        reached = self.move(movers, actions)
        causes = {snake: self.cause_of_death(snake, movers) for snake in movers}
        self.alive = [snake in movers and causes[snake] is None for snake in range(self.count)]
        killers = {self.killer(snake) for snake in movers if causes[snake] == "opponent"}
        for snake in movers:
            if causes[snake] is not None:
                self.bodies[snake] = self.bodies[snake][1:]
        eaten = {snake: self.bodies[snake][0] for snake in reached if self.alive[snake]}
        self.food -= set(eaten.values())
        dead_now = [snake for snake in movers if causes[snake] is not None]
        payloads = []
        for snake in range(self.count):
            died = snake in dead_now
            payloads.append(
                {
                    "ate_food": snake in eaten,
                    "died": died,
                    "killed_opponent": snake in killers,
                    "won": self.alive[snake] and sum(self.alive) == 1 and len(dead_now) > 0,
                    "lost": died and any(self.alive),
                    "drew": died and not any(self.alive) and len(dead_now) >= 2,
                    "death_cause": causes.get(snake),
                }
            )
        self.end(payloads)
        if eaten and not self.done:
            apples = min(len(eaten), len(self.free_cells()))
            self.draws = [apples] if apples else []
        return payloads

    def move(self, movers, actions):
        """Moves heads, and tails of those that reach no food; returns those that do."""
        reached = []
        for snake in movers:
            turn = actions[snake]
            heading = self.headings[snake]
            self.headings[snake] = [heading, LEFT_OF[heading], RIGHT_OF[heading]][turn]
            head = self.ahead(self.bodies[snake][0], self.headings[snake])
            self.bodies[snake] = [head, *self.bodies[snake]]
            if head in self.food:
                reached.append(snake)
            else:
                self.bodies[snake].pop()
        return reached

    def cause_of_death(self, snake, movers):
        """What kills a snake on the board on which all have moved, or None."""
        head = self.bodies[snake][0]
        rivals = [other for other in movers if other != snake]
        if self.inside(head) and any(self.bodies[other][0] == head for other in rivals):
            return "head_on"
        if not self.inside(head):
            return "wall"
        if head in self.bodies[snake][1:]:
            return "self"
        if any(head in self.bodies[other] for other in rivals):
            return "opponent"
        return None

    def killer(self, snake):
        """The first living snake in whose body the head is."""
        head = self.bodies[snake][0]
        others = [other for other in range(self.count) if other != snake and self.alive[other]]
        return next((other for other in others if head in self.bodies[other]), None)

    def end(self, payloads):
        """Notes whether the game is over; a lead in length makes a winner of a living snake."""
        self.done = sum(self.alive) <= (0 if self.play_to_last else 1)
        if self.lead is not None and all(self.alive):
            lengths = [len(body) for body in self.bodies]
            if abs(lengths[0] - lengths[1]) >= self.lead:
                self.done = True
                longer = lengths.index(max(lengths))
                payloads[longer]["won"] = True
                payloads[1 - longer]["lost"] = True

    def reward(self, payload, weights=WEIGHTS, survived=False):
        """What an event pays."""
        paid = weights["step"]
        if payload["died"]:
            return paid + weights["loss"] * payload["lost"] + weights["draw"] * payload["drew"]
        flags = {"food": "ate_food", "kill": "killed_opponent", "win": "won", "loss": "lost"}
        paid += sum(weights[name] for name, flag in flags.items() if payload[flag])
        return paid + weights["survival"] * survived

    # ---- what is seen ----

    def state_values(self):
        """Everything, as plain values; the food in no order."""
        return {
            "bodies": self.bodies,
            "food": sorted(self.food),
            "directions": self.headings,
            "alive": self.alive,
        }

    def turned(self, cell, heading):
        """Where a cell lies when the board is turned so that the heading points up."""
        row, column = cell
        for _ in range([UP, LEFT, DOWN, RIGHT].index(heading)):
            row, column = column, self.size - 1 - row
        return row, column

    def observation(self, player):
        """Own head, own body, other heads, other bodies, food."""
        planes = [[[0.0] * self.size for _ in range(self.size)] for _ in range(5)]
        marks = [(4, cell) for cell in self.food]
        for snake, body in enumerate(self.bodies):
            plane = 0 if snake == player else 2
            marks += [(plane if place == 0 else plane + 1, cell) for place, cell in enumerate(body)]
        for plane, cell in marks:
            row, column = self.turned(cell, self.headings[player])
            planes[plane][row][column] = 1.0
        return planes
