"""Games that each break one thing in what they state, in whose turn it is, or in what is legal."""

from typing import ClassVar

import numpy as np

from rinforza import Game
from rinforza.compiled import address_of, array_at
from rinforza.contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL

from .refusals import Refusals
from .toys import DEAL, GUESS, HINT, OVER, Guess, GuessView, lanes_differ

refused = Refusals()


# ---- claims ----


class Bare(Game):
    """One player with nothing to decide, three times over; without `num_actions`."""

    name = "guess"
    num_players = 1
    dynamics = "sequential"
    chance_nodes = "none"
    information = "perfect"
    events: ClassVar = {"tick": 1.0}
    state_dtype = np.dtype([("ticks", np.int64)], align=True)

    def __init__(self, encoder=None):
        super().__init__(encoder=encoder)

    def default_encoder(self):
        return BareView()

    def initial(self, state):
        state.ticks = 0

    def actor(self, state):
        return TERMINAL if state.ticks == 3 else 0

    def legal_actions(self, state, player, out):
        out[0] = 0
        return 1 if state.ticks < 3 else 0

    def step(self, state, actions, events):
        state.ticks += 1

    def valid(self, state):
        return 1 if 0 <= state.ticks <= 3 else 0


class BareView(GuessView):
    def encode(self, game, state, player, out):
        out[0, 0, 0] = state.ticks


@refused("does not state num_actions...To mend it")
class NoActionCount(Bare):
    pass


@refused("has the name ''")
class NoName(Guess):
    name = ""

    def default_encoder(self):
        return NamelessView()


class NamelessView(GuessView):
    games = ("",)


@refused("states num_players = 0")
class NoPlayers(Guess):
    num_players = 0


@refused("states num_actions = 2.0")
class FloatActions(Guess):
    num_actions = 2.0


@refused("states events = {'win': inf}")
class InfiniteWeight(Guess):
    events: ClassVar = {"win": np.inf}


@refused("states events = {}")
class NoEvents(Guess):
    events: ClassVar = {}


@refused("has the state_dtype")
class LooseState(Guess):
    state_dtype = np.dtype([("phase", np.int8), ("rounds", np.int64)])


@refused("has the horizon 0")
class EmptyHorizon(Guess):
    def truncation_horizon(self):
        return 0


@refused("dynamics is 'turns'")
class UnknownDynamics(Guess):
    dynamics = "turns"


@refused("claims chance_nodes='none' but defines resolve_chance")
class DeniesChance(Guess):
    chance_nodes = "none"


@refused("define chance and most_outcomes")
class NoFan(Bare):
    num_actions = 1
    chance_nodes = "root"

    def resolve_chance(self, state, outcome, events):
        state.ticks = 0


@refused("claims imperfect information; define information_state")
class NothingKnown(Bare):
    num_actions = 1
    information = "imperfect"


@refused("defines information_state and states information_size = 0")
class KnowledgeOfNoSize(Guess):
    information_size = 0


@refused("does not define information_state and states information_size = 3")
class SizeOfNoKnowledge(Bare):
    num_actions = 1
    information_size = 3


@refused("defines cell and states n_cells = 0")
class CellsUnstated(Guess):
    def cell(self, state):
        return 0


@refused("does not define cell and states n_cells = 3")
class CellsOfNothing(Guess):
    n_cells = 3


@refused("n_cells must be an int, got True")
class CellsByFlag(Guess):
    n_cells = True


@refused("n_cells must be <= 16777216, got 16777217")
class TooManyCells(Guess):
    n_cells = (1 << 24) + 1


@refused("is another value when it is made again")
class OtherParameters(Guess):
    def __init__(self, rounds=2, bonus=0, max_ticks=None, encoder=None):
        super().__init__(rounds + 1, bonus, max_ticks, encoder)


@refused("raised TypeError...pass exactly the constructor's keywords")
class SpareParameter(Guess):
    def __init__(self, rounds=2, encoder=None):
        super().__init__(rounds=rounds, encoder=encoder)


@refused("is another value when it is deep-copied")
class LosesItsCopy(Guess):
    def __init__(self, rounds=3, bonus=0, max_ticks=None, encoder=None):
        super().__init__(rounds, bonus, max_ticks, encoder)

    def __reduce__(self):
        return LosesItsCopy, (4,)


@refused("can be changed after it was made")
class Mutable(Guess):
    __setattr__ = object.__setattr__


@refused("has rounds = 3 in Python and np.int64(2) in compiled code")
class TwoSizes(Guess):
    def __init__(self, rounds=2, bonus=0, max_ticks=None, encoder=None):
        super().__init__(rounds, bonus, max_ticks, encoder)
        self.__dict__["rounds"] = rounds + 1


@refused("legal_actions does not compile")
class NeverCompiles(Guess):
    def legal_actions(self, state, player, out):
        if state.phase < 0:
            return state.no_such_field
        if state.phase == HINT and player == 0:
            out[0] = 1
            out[1] = 3
            return 2
        return guesses(state, player, out)


def guesses(state, player, out):
    """Write the guesses of player 1."""
    if state.phase != GUESS or player != 1:
        return 0
    out[0] = 0
    out[1] = 1
    out[2] = 2
    return 3


# ---- whose turn ----


@refused("actor (plain Python) returned 2")
class NoSuchPlayer(Guess):
    def actor(self, state):
        return CHANCE if state.phase == DEAL else 2


@refused("returned 0.5")
class HalfPlayer(Guess):
    def actor(self, state):
        return 0.5


@refused("returned SIMULTANEOUS")
class SuddenlyAll(Guess):
    def actor(self, state):
        return CHANCE if state.phase == DEAL else SIMULTANEOUS


@refused("returned player 0...state dynamics")
class SaysSimultaneous(Guess):
    dynamics = "simultaneous"


@refused("returned CHANCE after a decision")
class SaysRoot(Guess):
    chance_nodes = "root"


@refused('returned CHANCE. To mend it: state chance_nodes = "root"')
class SilentChance(Bare):
    num_actions = 1

    def actor(self, state):
        return CHANCE


@refused("ended the game before any decision")
class OverAtOnce(Guess):
    def actor(self, state):
        return TERMINAL

    def legal_actions(self, state, player, out):
        return 0


@refused("answered CHANCE 51 times in a row")
class EndlessChance(Guess):
    def resolve_chance(self, state, outcome, events):
        state.card = outcome


@refused("was not over after 10000 random ticks and has no horizon")
class NeverEnds(Bare):
    num_actions = 1

    def step(self, state, actions, events):
        state.ticks = 0


# ---- legal actions ----


@refused("legal_actions (plain Python) listed [3, 1], which is not ascending")
class Descending(Guess):
    def legal_actions(self, state, player, out):
        if state.phase == HINT and player == 0:
            out[0] = 3
            out[1] = 1
            return 2
        return guesses(state, player, out)


@refused("listed [1, 1], which is not ascending")
class Twice(Guess):
    def legal_actions(self, state, player, out):
        if state.phase == HINT and player == 0:
            out[0] = 1
            out[1] = 1
            return 2
        return guesses(state, player, out)


@refused("listed [4], beyond 0 to 3")
class BeyondTheIds(Guess):
    def legal_actions(self, state, player, out):
        out[0] = 4
        return 1 if state.phase == HINT and player == 0 else 0


@refused("gave player 1 actions out of turn: [0, 1, 2]")
class OutOfTurn(Guess):
    def legal_actions(self, state, player, out):
        out[0] = 0
        out[1] = 1
        out[2] = 2
        return 0 if state.phase == DEAL or state.phase == OVER else 3


@refused("gave player 0 actions after the end: [0]")
class AfterTheEnd(Guess):
    def legal_actions(self, state, player, out):
        out[0] = 0
        if state.phase == OVER:
            return 1
        return 1 if self.actor(state) == player else 0


@refused("gave player 0 actions at a chance node: [0]")
class AtChance(Guess):
    def legal_actions(self, state, player, out):
        out[0] = 0
        return 1


@refused("left nobody an action where the actor is 0")
class Stalemate(Guess):
    def legal_actions(self, state, player, out):
        return 0


@refused("returned the count 5; the array has room for 4")
class CountsTooMany(Guess):
    def legal_actions(self, state, player, out):
        return 5


@refused("raised IndexError")
class WritesTooMany(Guess):
    def legal_actions(self, state, player, out):
        for action in range(5):
            out[action] = action
        return 4


@refused("wrote outside the list of legal actions")
class WritesBeside(Guess):
    def legal_actions(self, state, player, out):
        array_at(address_of(out) + 4 * len(out), 1, np.int32)[0] = 7
        return 0


@refused("changed the state it was asked about (card)")
class Meddles(Guess):
    def legal_actions(self, state, player, out):
        state.card = 1 - state.card
        return 0


@refused("gives...compiled and...in plain Python")
class NoTwoLanesAlike(Guess):
    def legal_actions(self, state, player, out):
        from_hint = 1 if state.phase == HINT and player == 0 else 0
        if from_hint:
            out[0] = 1 + lanes_differ()
            return 1
        return guesses(state, player, out)
