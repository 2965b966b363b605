"""Games that each break one thing in how they sort their states into cells."""

from .broken_moves import remember
from .refusals import Refusals
from .toys import GUESS, HINT, OVER, Guess, lanes_differ

refused = Refusals()


class Sorted(Guess):
    """A game that sorts its states."""

    n_cells = 4

    def cell(self, state):
        return state.card


@refused("cell (plain Python) returned 4...n_cells - 1 = 3, or -1 to keep the state out")
class CellBeyond(Sorted):
    def cell(self, state):
        return 4


@refused("cell (plain Python) returned -2")
class CellBelow(Sorted):
    def cell(self, state):
        return -2


@refused("cell (plain Python) gave another cell the second time")
class CellOfTheTime(Sorted):
    def cell(self, state):
        return remember() % 4


@refused("cell (plain Python) changed the state it was asked about (note)")
class CellThatWrites(Sorted):
    def cell(self, state):
        state.note[0] = 1
        return 0


@refused("cell gives 1 compiled and 0 in plain Python")
class CellsDiffer(Sorted):
    def cell(self, state):
        return lanes_differ()


@refused("valid (plain Python) accepts the state...in which...cell...returned")
class CellOfDamagedStates(Sorted):
    def cell(self, state):
        return state.card

    def valid(self, state):
        over = state.rounds == 0
        right = state.phase == HINT or state.phase == GUESS or state.phase == OVER
        return 1 if right and 0 <= state.rounds <= self.rounds and over == (state.phase == OVER) else 0
