"""Fixed-limit hold'em on lists and sets; hands by trying all fives, pots chip by chip."""

from collections import Counter
from functools import cache
from itertools import combinations

STREETS = ("preflop", "flop", "turn", "river")
BOARD_CARDS = {"flop": 3, "turn": 1, "river": 1}
FOLD, CALL, RAISE = 0, 1, 2


@cache
def numbered(places, count):
    """All sets of so many places, as chance numbers them: by the highest, then the next."""
    return sorted(combinations(range(places), count), key=lambda chosen: chosen[::-1])


def best_hand(cards):
    """The rank of the best five cards, as a tuple that compares."""
    return max(map(hand_rank, combinations(sorted(cards), 5)))


@cache
def hand_rank(cards):
    """The rank of five cards: category, then the ranks by how often they come and how high they are."""
    ranks = [card // 4 for card in cards]
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    shape = [count for count, _ in groups]
    order = [rank for _, rank in groups]
    is_flush = len({card % 4 for card in cards}) == 1
    is_straight = len(order) == 5 and order[0] - order[4] == 4
    if order == [12, 3, 2, 1, 0]:
        is_straight, order = True, [3, 2, 1, 0, -1]
    if is_straight:
        return (8 if is_flush else 4), order
    if is_flush:
        return 5, order
    kinds = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}
    return kinds[tuple(shape)], order


class NaiveTexasHoldem:
    """One hand; before it is dealt `needs_draw` is true."""

    def __init__(self, num_players=6, stack=200, small_blind=5, big_blind=10):
        self.count = num_players
        self.starting = list(stack) if isinstance(stack, list | tuple) else [stack] * num_players
        self.blinds = small_blind, big_blind
        self.stacks = list(self.starting)
        self.deck = list(range(52))
        self.button = None
        self.hole = []
        self.board = []
        self.street = "preflop"
        self.bets = [0] * num_players  # on this street
        self.folded = [False] * num_players
        self.waiting = []  # seats that have to act, the next one first
        self.last = None
        self.raises = 0
        self.history = [[], [], [], []]
        self.needs_draw = True
        self.done = False
        self.pots_shared = 0  # pots that several seats could win
        self.won = None

    # ---- chance ----

    def draw_size(self):
        """How many cards the next draw takes; 0 for the button."""
        if self.button is None:
            return 0
        return 2 if len(self.hole) < self.count else BOARD_CARDS[self.street]

    def count_outcomes(self):
        """How many outcomes the next draw has."""
        return len(numbered(len(self.deck), self.draw_size())) if self.draw_size() else self.count

    def draw(self, outcome):
        """Make the next draw; returns what was won if the hand ends with it, else None."""
        size = self.draw_size()
        if size == 0:
            self.button = outcome
            return None
        cards = [self.deck[place] for place in numbered(len(self.deck), size)[outcome]]
        self.deck = [card for card in self.deck if card not in cards]
        if len(self.hole) < self.count:
            self.hole.append(cards)
            if len(self.hole) == self.count:
                self.post_blinds()
            return None
        self.board += cards
        self.needs_draw = False
        if len(self.with_chips()) < 2:
            return self.end_street()
        self.waiting = self.seats_from(self.button + 1, self.with_chips())
        return None

    def post_blinds(self):
        """Post the blinds and find who acts."""
        small = self.button if self.count == 2 else (self.button + 1) % self.count
        big = (small + 1) % self.count
        for seat, blind in zip((small, big), self.blinds, strict=True):
            self.pay(seat, blind)
        self.raises = 1
        self.needs_draw = False
        self.waiting = self.seats_from(big + 1, self.with_chips())

    # ---- seats ----

    def seats_from(self, first, seats):
        """These seats, clockwise from a place at the table."""
        return sorted(seats, key=lambda seat: (seat - first) % self.count)

    def in_hand(self):
        """The seats that have not folded."""
        return [seat for seat in range(self.count) if not self.folded[seat]]

    def with_chips(self):
        """The seats that can still put chips in."""
        return [seat for seat in self.in_hand() if self.stacks[seat] > 0]

    def pay(self, seat, chips):
        """Put in chips, or all there are."""
        chips = min(chips, self.stacks[seat])
        self.stacks[seat] -= chips
        self.bets[seat] += chips

    def missing(self, seat):
        """What a seat has to put in to call."""
        return max(self.bets) - self.bets[seat]

    # ---- playing ----

    @property
    def turn(self):
        """The seat to act, or None."""
        return self.waiting[0] if self.waiting and not self.needs_draw and not self.done else None

    def legal_actions(self, player):
        """Fold, call and raise where they are allowed."""
        if player != self.turn:
            return []
        can_go_beyond = [seat for seat in self.with_chips() if self.stacks[seat] > self.missing(seat)]
        legal = [FOLD, CALL] if self.missing(player) > 0 else [CALL]
        if self.raises < 4 and player in can_go_beyond and len(can_go_beyond) > 1:
            legal.append(RAISE)
        return legal

    def step(self, action):
        """Play an action; returns what was won if the hand ends with it, else None."""
        seat = self.waiting.pop(0)
        self.last = seat
        self.history[STREETS.index(self.street)].append((seat, action))
        if action == FOLD:
            self.folded[seat] = True
            if len(self.in_hand()) == 1:
                return self.end_hand()
        else:
            bet = self.blinds[1] * (2 if self.street in ("turn", "river") else 1)
            self.pay(seat, self.missing(seat) + (bet if action == RAISE else 0))
        if action == RAISE:
            self.raises += 1
            others = [other for other in self.with_chips() if other != seat]
            self.waiting = self.seats_from(seat + 1, others)
        if self.waiting and any(self.missing(other) > 0 for other in self.waiting):
            return None
        return self.end_street() if not self.waiting or len(self.with_chips()) < 2 else None

    def end_street(self):
        """Go on to the next street, or end the hand."""
        self.waiting = []
        if self.street == "river":
            return self.end_hand()
        self.street = STREETS[STREETS.index(self.street) + 1]
        self.bets = [0] * self.count
        self.raises = 0
        self.needs_draw = True
        return None

    def end_hand(self):
        """Share out the pots; returns what each seat has won."""
        self.waiting = []
        self.done = True
        won = [-paid for paid in self.paid()]
        for seats, chips in self.pots().items():
            best = max(map(self.hand_of, seats)) if len(seats) > 1 else None
            winners = [seat for seat in seats if best is None or self.hand_of(seat) == best]
            self.pots_shared += len(seats) > 1
            for number in range(chips):
                winner = self.seats_from(self.button + 1, winners)[number % len(winners)]
                won[winner] += 1
        self.street = "done"
        self.won = won
        return won

    def hand_of(self, seat):
        """The rank of a seat's hand."""
        return best_hand([*self.hole[seat], *self.board])

    def paid(self):
        """What each seat has put in."""
        return [full - left for full, left in zip(self.starting, self.stacks, strict=True)]

    def pots(self):
        """How many chips there are for each set of seats that may win them."""
        pots = Counter()
        for height in range(max(self.paid())):
            payers = [seat for seat in range(self.count) if self.paid()[seat] > height]
            pots[tuple(seat for seat in payers if not self.folded[seat])] += len(payers)
        return pots

    # ---- what is seen ----

    def state_values(self):
        """All that a state tells."""
        return {
            "hole": self.hole,
            "board": self.board,
            "street": self.street,
            "button": self.button,
            "to_act": self.last if self.done else self.turn,
            "stacks": self.stacks,
            "street_committed": self.bets,
            "total_committed": self.paid(),
            "folded": self.folded,
            "needs_action": [seat in self.waiting for seat in range(self.count)],
            "raises": self.raises,
            "history": self.history,
            "done": self.done,
        }

    def observation(self, player):
        """Planes of four rows, one for each suit, and thirteen columns, one for each rank."""
        most = max(self.starting)
        ahead = [(player + distance) % self.count for distance in range(1, self.count)]
        street = "river" if self.done else self.street
        planes = [
            self.marked(self.hole[player]),
            self.marked(self.board),
            self.filled(sum(self.paid()) / sum(self.starting)),
            self.filled(self.missing(player) / most),
            self.filled(self.stacks[player] / most),
            *(self.filled(float(name == street)) for name in STREETS),
            self.filled(self.raises / 4),
            self.filled((self.button - player) % self.count / self.count),
        ]
        for seat in ahead:
            planes += [self.filled(float(not self.folded[seat])), self.filled(self.stacks[seat] / most)]
        for line in self.history:
            planes.append(self.listed(((seat - player) % self.count + 1) / self.count for seat, _ in line))
            planes.append(self.listed((action + 1) / 3 for _, action in line))
        return [*planes, self.marked(self.board[3:4]), self.marked(self.board[4:5])]

    def filled(self, value):
        """A plane of one number."""
        return [[value] * 13 for _ in range(4)]

    def marked(self, cards):
        """A plane with ones at these cards."""
        return [[float(4 * rank + suit in cards) for rank in range(13)] for suit in range(4)]

    def listed(self, values):
        """A plane with these numbers, row by row."""
        values = list(values)
        values += [0.0] * (52 - len(values))
        return [values[13 * row : 13 * row + 13] for row in range(4)]
