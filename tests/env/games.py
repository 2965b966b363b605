"""Small games that show an environment what the first built-in games do not: one for each kind."""

from typing import ClassVar

import numpy as np

from rinforza import games
from rinforza.compiled.random import integer_below
from rinforza.contracts.encoder import Encoder
from rinforza.contracts.game import Game
from rinforza.contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL

TARGET = 12
FACES = 4
FACE_WEIGHTS = np.array([0.4, 0.3, 0.2, 0.1])


class Scores(Encoder):
    """One plane, (1, 1, 2): the observer's score and the other's."""

    name = "scores"
    games = ("dice_race",)

    def shape(self, game):
        return (1, 1, 2)

    def encode(self, game, state, player, out):
        out[0, 0, 0] = state.scores[player]
        out[0, 0, 1] = state.scores[1 - player]


class DiceRace(Game):
    """First to 12: action 0 adds one, action 1 rolls a die of 1 to 4, and a 4 rolls again.

    A coin at the root says who begins. Chance in the middle, several draws in one tick, events
    from draws.
    """

    name = "dice_race"
    num_players = 2
    num_actions = 2
    dynamics = "sequential"
    chance_nodes = "anywhere"
    information = "perfect"
    events: ClassVar = {"rolled": 0.25, "win": 1.0, "loss": -1.0}
    most_outcomes = FACES
    state_dtype = np.dtype(
        [
            ("started", np.bool_),
            ("rolling", np.bool_),
            ("mover", np.int8),
            ("scores", np.int32, (2,)),
        ],
        align=True,
    )

    def __init__(self, encoder=None):
        super().__init__(encoder=encoder)

    def default_encoder(self):
        return Scores()

    def initial(self, state):
        state.started = False

    def actor(self, state):
        if not state.started or state.rolling:
            return CHANCE
        if state.scores[0] >= TARGET or state.scores[1] >= TARGET:
            return TERMINAL
        return np.int64(state.mover)

    def legal_actions(self, state, player, out):
        out[0] = 0
        out[1] = 1
        return 2

    def step(self, state, actions, events):
        if actions[state.mover] == 1:
            state.rolling = True
        else:
            gain(state, 1, events)
            state.mover = 1 - state.mover

    def chance(self, state, probabilities):
        if not state.started:
            probabilities[0] = 0.5
            probabilities[1] = 0.5
            return 2
        for face in range(FACES):
            probabilities[face] = FACE_WEIGHTS[face]
        return FACES

    def resolve_chance(self, state, outcome, events):
        if not state.started:
            state.started = True
            state.mover = outcome
            return
        points = outcome + 1
        events[state.mover, 0] += points
        gain(state, points, events)
        state.rolling = points == FACES and state.scores[state.mover] < TARGET
        if not state.rolling:
            state.mover = 1 - state.mover

    def valid(self, state):
        if not state.started or state.rolling or state.mover < 0 or state.mover > 1:
            return 0
        first, second = state.scores[0], state.scores[1]
        if min(first, second) < 0 or max(first, second) >= TARGET + FACES:
            return 0
        return 0 if first >= TARGET and second >= TARGET else 1


def gain(state, points, events):
    """Add to the mover's score; say when that wins."""
    state.scores[state.mover] += points
    if state.scores[state.mover] >= TARGET:
        events[state.mover, 1] = 1.0
        events[1 - state.mover, 2] = 1.0


class Standing(Encoder):
    """One plane, (1, 1, 3): who still stands."""

    name = "standing"
    games = ("showdown",)

    def shape(self, game):
        return (1, 1, 3)

    def encode(self, game, state, player, out):
        for other in range(3):
            out[0, 0, other] = state.standing[other]


class Showdown(Game):
    """Three players pick 0, 1 or 2 at once; the lowest pick falls, unless all picked the same.

    Who has fallen has no actions. It ends when one stands, or after three ticks. Simultaneous.
    """

    name = "showdown"
    num_players = 3
    num_actions = 3
    dynamics = "simultaneous"
    chance_nodes = "none"
    information = "perfect"
    events: ClassVar = {"fell": -1.0, "stood": 0.5}
    state_dtype = np.dtype([("standing", np.int8, (3,)), ("ticks", np.int16)], align=True)

    def __init__(self, encoder=None):
        super().__init__(encoder=encoder)

    def default_encoder(self):
        return Standing()

    def initial(self, state):
        for player in range(3):
            state.standing[player] = 1

    def actor(self, state):
        return TERMINAL if count_standing(state) == 1 or state.ticks == 3 else SIMULTANEOUS

    def legal_actions(self, state, player, out):
        if state.standing[player] == 0:
            return 0
        for pick in range(3):
            out[pick] = pick
        return 3

    def step(self, state, actions, events):
        lowest, highest = 3, -1
        for player in range(3):
            if state.standing[player] == 1:
                lowest = min(lowest, actions[player])
                highest = max(highest, actions[player])
        for player in range(3):
            if state.standing[player] == 1:
                if actions[player] == lowest and lowest != highest:
                    state.standing[player] = 0
                    events[player, 0] = 1.0
                else:
                    events[player, 1] = 1.0
        state.ticks += 1

    def valid(self, state):
        for player in range(3):
            if state.standing[player] < 0 or state.standing[player] > 1:
                return 0
        return 1 if count_standing(state) > 0 and state.ticks >= 0 and state.ticks <= 3 else 0


def count_standing(state):
    """Return how many players stand."""
    return state.standing[0] + state.standing[1] + state.standing[2]


class OwnCard(Encoder):
    """One plane, (1, 1, 3): a one at the observer's card."""

    name = "own_card"
    games = ("high_card",)

    def shape(self, game):
        return (1, 1, 3)

    def encode(self, game, state, player, out):
        out[0, 0, state.cards[player] - 1] = 1.0


class HighCard(Game):
    """Two players get one of three cards; each in turn may bet (1) or not (0).

    It is paid what the two bet together; when nobody bets both get zero, which is an event too.
    Hidden information, root chance in a chain of two draws.
    """

    name = "high_card"
    num_players = 2
    num_actions = 2
    dynamics = "sequential"
    chance_nodes = "root"
    information = "imperfect"
    events: ClassVar = {"chips": 1.0}
    most_outcomes = 3
    information_size = 4
    state_dtype = np.dtype(
        [
            ("cards", np.int8, (2,)),  # 1 to 3; 0 before the deal
            ("bets", np.int64, (2,)),
            ("turn", np.int8),  # 2 when the game is over
        ],
        align=True,
    )

    def __init__(self, encoder=None):
        super().__init__(encoder=encoder)

    def default_encoder(self):
        return OwnCard()

    def event_payload(self, player, amounts, state):
        return float(amounts[0])

    def initial(self, state):
        state.turn = 0

    def actor(self, state):
        if state.cards[1] == 0:
            return CHANCE
        return TERMINAL if state.turn == 2 else np.int64(state.turn)

    def legal_actions(self, state, player, out):
        out[0] = 0
        out[1] = 1
        return 2

    def step(self, state, actions, events):
        state.bets[state.turn] = actions[state.turn]
        state.turn += 1
        if state.turn == 2:
            pot = state.bets[0] + state.bets[1]
            winner = 0 if state.cards[0] > state.cards[1] else 1
            events[winner, 0] = pot
            events[1 - winner, 0] = -pot

    def chance(self, state, probabilities):
        if state.cards[0] == 0:
            for outcome in range(3):
                probabilities[outcome] = 1.0 / 3.0
            return 3
        probabilities[0] = 0.5
        probabilities[1] = 0.5
        return 2

    def resolve_chance(self, state, outcome, events):
        if state.cards[0] == 0:
            state.cards[0] = outcome + 1
        else:
            state.cards[1] = outcome + 1 if outcome + 1 < state.cards[0] else outcome + 2

    def information_state(self, state, player, out):
        out[0] = player
        out[1] = state.cards[player]
        for earlier in range(state.turn):
            out[2 + earlier] = state.bets[earlier]
        return 2 + state.turn

    def valid(self, state):
        first, second = state.cards[0], state.cards[1]
        if min(first, second) < 1 or max(first, second) > 3 or first == second:
            return 0
        if state.turn < 0 or state.turn > 2:
            return 0
        for player in range(2):
            if state.bets[player] < 0 or state.bets[player] > 1:
                return 0
            if player >= state.turn and state.bets[player] != 0:
                return 0
        return 1


class Blank(Encoder):
    """One zero."""

    name = "blank"
    games = ("long_chain",)

    def shape(self, game):
        return (1, 1, 1)

    def encode(self, game, state, player, out):
        out[0, 0, 0] = 0.0


class LongChain(Game):
    """Thirty actions; a tick is followed by `links` chance nodes, the start by `first` ones.

    Its chance can only be sampled. The number of nodes seen is the state, and ends the game after
    three ticks.
    """

    name = "long_chain"
    num_players = 1
    num_actions = 30
    dynamics = "sequential"
    chance_nodes = "anywhere"
    information = "perfect"
    events: ClassVar = {"link": 1.0}
    state_dtype = np.dtype([("ticks", np.int64), ("left", np.int64), ("total", np.int64)], align=True)

    def __init__(self, links=1, first=1, encoder=None):
        super().__init__(encoder=encoder, links=links, first=first)

    def default_encoder(self):
        return Blank()

    def initial(self, state):
        state.left = self.first

    def actor(self, state):
        if state.left > 0:
            return CHANCE
        return TERMINAL if state.ticks == 3 else 0

    def legal_actions(self, state, player, out):
        for action in range(30):
            out[action] = action
        return 30

    def step(self, state, actions, events):
        state.ticks += 1
        state.left = self.links

    def sample_chance(self, state, stream):
        return integer_below(stream, 100)

    def resolve_chance(self, state, outcome, events):
        state.left -= 1
        state.total += outcome
        if state.ticks > 0:
            events[0, 0] += 1.0

    def valid(self, state):
        return 1 if state.left == 0 and state.ticks >= 0 and state.ticks <= 3 else 0


GAMES = [
    games.TicTacToe(),
    games.Connect4(),
    games.GridWorld(size=3),
    DiceRace(),
    Showdown(),
    HighCard(),
    LongChain(links=2),
]


def play(env, generator, ticks):
    """Play random legal actions for so many ticks, or to the end; return what was seen."""
    seen = []
    for _ in range(ticks):
        if env.done():
            break
        actions = {agent: generator.choice(env.legal_actions(agent)) for agent in env.active_agents()}
        seen.append((actions, env.step(actions), env.rewards, env.state()))
    return seen
