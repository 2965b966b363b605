"""Games that each break one thing in what is played, drawn, known, shown or read from outside."""

import numpy as np

from rinforza.compiled import address_of, array_at
from rinforza.compiled.random import integer_below

from .refusals import Refusals
from .toys import CARDS, COIN, COST, DEAL, GUESS, HINT, OVER, WIN, Guess, lanes_differ

refused = Refusals()

MEMORY = np.zeros(1, np.int64)  # what a game must not have: a memory of its own
MEMORY_ADDRESS = MEMORY.ctypes.data


def remember():
    """Count the calls, beside the state."""
    memory = array_at(MEMORY_ADDRESS, 1, np.int64)
    memory[0] += 1
    return memory[0]


# ---- initial and step ----


@refused("initial (plain Python) gave another result when it was repeated (note)")
class StartsAnywhere(Guess):
    def initial(self, state):
        state.rounds = self.rounds
        state.note[0] = remember() % 1000

    def valid(self, state):
        return 1


@refused("initial (plain Python) gave another result when it was repeated (card)")
class KnowsItsPlace(Guess):
    def initial(self, state):
        state.rounds = self.rounds
        state.card = (address_of(state) // 64) % 1000


@refused("initial gives {'note'...compiled and {'note'")
class StartsDiffer(Guess):
    def initial(self, state):
        state.rounds = self.rounds
        state.note[1] = lanes_differ()

    def valid(self, state):
        return 1


@refused("step (plain Python) gave another result when it was repeated (note)")
class Remembers(Guess):
    def step(self, state, actions, events):
        state.note[0] = remember() % 1000
        state.phase = OVER

    def valid(self, state):
        return 1


@refused("gave another result when it was repeated (events)")
class PaysAtRandom(Guess):
    def step(self, state, actions, events):
        state.phase = OVER
        state.rounds = 0
        events[0, WIN] = remember()


@refused("gave another result when it was repeated (note)")
class ReadsIdlePlayers(Guess):
    def step(self, state, actions, events):
        state.note[0] = actions[1]
        state.phase = OVER

    def valid(self, state):
        return 1


@refused("changed the actions it was given")
class ChangesActions(Guess):
    def step(self, state, actions, events):
        actions[0] = 0
        state.phase = OVER


@refused("wrote the events [[nan...write finite amounts only")
class PaysNaN(Guess):
    def step(self, state, actions, events):
        state.phase = OVER
        state.rounds = 0
        events[0, WIN] = np.nan


@refused("raised ZeroDivisionError")
class Divides(Guess):
    def step(self, state, actions, events):
        state.phase = OVER // int(state.hint)


@refused("wrote outside a state")
class WritesBehindTheState(Guess):
    def step(self, state, actions, events):
        array_at(address_of(state) + 24, 1, np.int64)[0] = 1
        state.phase = OVER


@refused("wrote to bytes of the state that belong to no field")
class WritesBetweenFields(Guess):
    def step(self, state, actions, events):
        array_at(address_of(state) + 22, 1, np.int8)[0] = 1
        state.phase = OVER


@refused("step gives {'note'...compiled and {'note'...in plain Python")
class StepsDiffer(Guess):
    def step(self, state, actions, events):
        state.note[1] = lanes_differ()
        state.phase = OVER
        state.rounds = 0

    def valid(self, state):
        return 1


@refused("step (events) gives")
class EventsDiffer(Guess):
    def step(self, state, actions, events):
        events[0, WIN] = 1.0 + lanes_differ()
        state.phase = OVER
        state.rounds = 0


# ---- chance ----


@refused("gave the probabilities [0.5, 0.25], with the sum 0.75")
class LosesOdds(Guess):
    def chance(self, state, probabilities):
        probabilities[0] = 0.5
        probabilities[1] = 0.25
        return 2


@refused("gave the probabilities [1.0, 0.0]")
class Impossible(Guess):
    def chance(self, state, probabilities):
        probabilities[0] = 1.0
        probabilities[1] = 0.0
        return 2


@refused("gave the probabilities [nan]")
class LeavesOddsOut(Guess):
    def chance(self, state, probabilities):
        return 1


@refused("returned the count 4; the array has room for 3")
class TooManyOutcomes(Guess):
    def chance(self, state, probabilities):
        return 4


@refused("drew another outcome the second time")
class OwnDice(Guess):
    def sample_chance(self, state, stream):
        return remember() % 2


@refused("drew the outcome 3")
class DrawsBeyond(Guess):
    def sample_chance(self, state, stream):
        return 3


@refused("sample_chance gives")
class DrawsDiffer(Guess):
    def sample_chance(self, state, stream):
        return lanes_differ()


@refused("emitted events before the first decision")
class PaysAtTheRoot(Guess):
    def resolve_chance(self, state, outcome, events):
        state.phase = HINT if state.phase == DEAL else GUESS
        events[0, COST] = 1.0


@refused("ended the game before any decision")
class EndsAtTheRoot(Guess):
    def resolve_chance(self, state, outcome, events):
        state.phase = OVER


@refused("resolve_chance (plain Python) gave another result when it was repeated (card)")
class DealsAnew(Guess):
    def resolve_chance(self, state, outcome, events):
        state.card = remember() % CARDS
        state.phase = HINT if state.phase == DEAL else GUESS


@refused("resolve_chance gives {'card'")
class DealsDiffer(Guess):
    def resolve_chance(self, state, outcome, events):
        state.card = lanes_differ()
        state.phase = HINT if state.phase == DEAL else GUESS


@refused("chance gives")
class OddsDiffer(Guess):
    def chance(self, state, probabilities):
        first = 0.25 + 0.25 * lanes_differ()
        probabilities[0] = first
        probabilities[1] = 1.0 - first
        return 2

    def sample_chance(self, state, stream):
        return integer_below(stream, 2)


# ---- what is known, and the horizon ----


@refused("information_state (plain Python) is empty or changes")
class KnowsNothing(Guess):
    def information_state(self, state, player, out):
        return 0


@refused("information_state (plain Python) is empty or changes")
class KnowsTheTime(Guess):
    def information_state(self, state, player, out):
        out[0] = remember() % 251
        return 1


@refused("gives player 0 the same bytes in two states")
class Forgets(Guess):
    def information_state(self, state, player, out):
        out[0] = player
        return 1


@refused("information_state gives")
class KnowledgeDiffers(Guess):
    def information_state(self, state, player, out):
        out[0] = state.phase
        out[1] = lanes_differ()
        return 2


@refused("returned the count 100000")
class KnowsTooMuch(Guess):
    def information_state(self, state, player, out):
        return 100000


@refused("truncate (plain Python) wrote the events [[...nan")
class CutsToNaN(Guess):
    def __init__(self, rounds=200, bonus=0, max_ticks=5, encoder=None):
        super().__init__(rounds, bonus, max_ticks, encoder)

    def truncate(self, state, events):
        events[0, 0] = np.nan


@refused("truncate gives")
class CutsDiffer(Guess):
    def truncate(self, state, events):
        events[0, 0] = lanes_differ()


# ---- what is read from outside ----


@refused("valid (plain Python) refuses a state that")
class RefusesTheEnd(Guess):
    def valid(self, state):
        return 1 if state.phase == HINT or state.phase == GUESS else 0


@refused("valid (plain Python) returned 2")
class Unsure(Guess):
    def valid(self, state):
        return 2


NEXT = np.array([0, 1, 2, 3, 4])


@refused("valid (plain Python) raised IndexError")
class LooksItUp(Guess):
    def valid(self, state):
        return 1 if NEXT[state.phase] == state.phase else 0


@refused("valid (plain Python) accepts the state")
class AcceptsAll(Guess):
    def valid(self, state):
        return 1


@refused("valid (plain Python) accepts the state...raised IndexError")
class AcceptsAnyIndex(Guess):
    def step(self, state, actions, events):
        if state.phase == HINT:
            state.hint = actions[0]
            state.phase = COIN
            return
        events[1, NEXT[state.card] % 2] = 1.0
        state.phase = OVER
        state.rounds = 0

    def valid(self, state):
        return 1 if state.phase == HINT or state.phase == GUESS or state.phase == OVER else 0


@refused("valid gives...compiled and...in plain Python")
class VerdictsDiffer(Guess):
    def valid(self, state):
        if state.note[0] != 0:
            return lanes_differ()
        if state.phase != HINT and state.phase != GUESS and state.phase != OVER:
            return 0
        return 1 if 0 <= state.hint <= 3 and 0 <= state.card < CARDS else 0


# ---- what is shown ----


@refused("state_values returned {'card'")
class ShowsArrays(Guess):
    def state_values(self, state):
        return {"card": state.card}


@refused("state_values raised KeyError")
class ShowsTheMissing(Guess):
    def state_values(self, state):
        return {}["card"]


@refused("text returned a NoneType")
class Speechless(Guess):
    def text(self, state):
        return None


@refused("text changed the state")
class ChangesAsItDraws(Guess):
    def text(self, state):
        state.card = 2 - state.card
        state.note[0] = 7
        return ""


@refused("event_payload returned array")
class RawPayload(Guess):
    def event_payload(self, player, amounts, state):
        return amounts
