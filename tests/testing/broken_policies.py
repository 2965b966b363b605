"""Policies that each break one thing."""

import numpy as np

from rinforza import Policy
from rinforza.compiled import address_of, array_at, record_at
from rinforza.compiled.random import uniform
from rinforza.contracts.policy import Capacity
from rinforza.contracts.rules import SCRATCH, step_one
from rinforza.contracts.search_memory import (
    FULL,
    SHORT_REQUESTS,
    ask,
    forget_requests,
    has_room,
)

from .broken_moves import remember
from .refusals import Refusals
from .toy_policy import EDGE, Peek, ask_twice, plant, take_in
from .toys import lanes_differ

refused = Refusals()


# ---- claims ----


@refused("states supports_imperfect_information = None")
class ClaimsNothing(Peek):
    supports_imperfect_information = None


@refused("max_agents returned -1")
class NegativeAgents(Peek):
    def max_agents(self, dynamics):
        return -1


@refused("max_agents raised NotImplementedError")
class SaysNoAgents(Peek):
    max_agents = Policy.max_agents


@refused("output returned None")
class NoOutput(Peek):
    @property
    def output(self):
        return None


@refused("capacity returned Capacity(nodes=1, edges=0, requests=1)")
class NoCapacity(Peek):
    def capacity(self, game):
        return Capacity(1, 0, 1)


@refused("states node_dtype = dtype('float64')")
class LooseNodes(Peek):
    node_dtype = np.dtype(np.float64)


@refused("round does not compile")
class NeverCompiles(Peek):
    def round(self, rules, search, memory, stream):
        return search.no_such_field if search.asked > 100 else 0


@refused("takes (self, rules, search, memory), 4 arguments; expected 5")
class TakesTooLittle(Peek):
    def round(self, rules, search, memory):
        return 0


# ---- memory ----


@refused("begin_search (plain Python) returned 5")
class OddCode(Peek):
    def begin_search(self, rules, search, memory, state, players):
        return 5


@refused("begin_search (plain Python) returned FULL although has_room never said no")
class AlwaysFull(Peek):
    def begin_search(self, rules, search, memory, state, players):
        return FULL


@refused("round (plain Python) asks for more and more request_capacity")
class NeverEnough(Peek):
    def round(self, rules, search, memory, stream):
        memory.short = SHORT_REQUESTS
        return FULL


@refused("absorb (plain Python) returned 1")
class AbsorbsOddly(Peek):
    def absorb(self, rules, search, memory, stream):
        return 1


@refused("begin_search (plain Python) wrote outside memory.actions")
class NoRoomAsked(Peek):
    def begin_search(self, rules, search, memory, state, players):
        code = plant(rules, search, memory, state, players)
        if code == FULL:
            array_at(memory.actions + 4 * memory.edge_capacity, 1, np.int32)[0] = 1
        return code


@refused("finish (plain Python) raised IndexError")
class WritesTooMuch(Peek):
    def finish(self, rules, search, memory, perspective, evaluation):
        for place in range(search.n_legal + 1):
            evaluation[place] = 1.0


@refused("finish (plain Python) wrote more than the")
class WritesBehind(Peek):
    def finish(self, rules, search, memory, perspective, evaluation):
        more = array_at(address_of(evaluation), len(evaluation) + 1, np.float64)
        for place in range(len(evaluation) + 1):
            more[place] = 1.0


@refused("wrote outside the search record, the scratch, the evaluation or the stream")
class WritesBesideTheSearch(Peek):
    def absorb(self, rules, search, memory, stream):
        array_at(address_of(search) + 24, 1, np.int64)[0] = 1
        return take_in(search, memory, stream)


@refused("changed the state of the game")
class PlaysOnTheState(Peek):
    def begin_search(self, rules, search, memory, state, players):
        code = plant(rules, search, memory, state, players)
        if code != FULL:
            action = array_at(memory.actions, 1, np.int32)[0]
            step_one(rules, record_at(memory.scratch, SCRATCH), state, players[0], action)
        return code


@refused("decided differently when its tables had to grow on the way")
class DrawsBeforeItAsks(Peek):
    def round(self, rules, search, memory, stream):
        uniform(stream)
        if search.asked == self.rounds:
            return 0
        return ask_twice(search, memory)


# ---- rounds ----


@refused("round (plain Python) returned 1, but 2 of its 2 requests have no answer yet")
class Miscounts(Peek):
    def round(self, rules, search, memory, stream):
        rows = Peek_round(self, rules, search, memory, stream)
        return rows - 1 if rows > 0 else rows


Peek_round = Peek.round


@refused("round (plain Python) returned 0, but 2 of its 2 requests")
class DoneButAsking(Peek):
    def round(self, rules, search, memory, stream):
        return min(Peek_round(self, rules, search, memory, stream), 0)


@refused("round (plain Python) returned 2, but 0 of its 2 requests")
class AsksAgain(Peek):
    def round(self, rules, search, memory, stream):
        rows = Peek_round(self, rules, search, memory, stream)
        return 2 if rows == 0 else rows


@refused("round (plain Python) returned -3")
class NegativeRows(Peek):
    def round(self, rules, search, memory, stream):
        return -3


@refused("round (plain Python) asked for rows 50 times")
class NeverDone(Peek):
    def round(self, rules, search, memory, stream):
        return ask_twice(search, memory)


def ask_once(memory, state, player, first, count):
    """Ask for one row, if there is room for it."""
    forget_requests(memory)
    if not has_room(memory, 0, 0, 1, 10):
        return FULL
    ask(memory, state, player, first, count)
    return 1


@refused("asks for player 2")
class AsksAStranger(Peek):
    def round(self, rules, search, memory, stream):
        return ask_once(memory, 0, 2, 0, 1)


@refused("asks about state 1 of 1")
class AsksAboutNothing(Peek):
    def round(self, rules, search, memory, stream):
        return ask_once(memory, 1, 0, 0, 1)


@refused("asks for the actions")
class AsksUnwrittenActions(Peek):
    def round(self, rules, search, memory, stream):
        return ask_once(memory, 0, 0, search.n_legal, 2)


# ---- what comes of it ----


@refused("finish (plain Python) left [nan")
class LeavesOut(Peek):
    def finish(self, rules, search, memory, perspective, evaluation):
        return


@refused("interior (plain Python) found state 0 behind 0")
class ListsForEver(Peek):
    def interior(self, rules, search, memory, after, found, evaluation):
        found[0] = search.player
        found[1] = search.n_legal
        for place in range(search.n_legal):
            evaluation[place] = 0.0
        return 0


@refused("interior (plain Python) left [nan")
class LeavesInteriorOpen(Peek):
    def interior(self, rules, search, memory, after, found, evaluation):
        found[0] = search.player
        found[1] = search.n_legal
        return -1 if after == 0 else 0


@refused("select (plain Python) chose position")
class PlaysActionIds(Peek):
    def select(self, evaluation, n_actions, progress, stream):
        return n_actions


@refused("decided differently with the same state, stream and answers")
class OwnNoise(Peek):
    def absorb(self, rules, search, memory, stream):
        edges = array_at(memory.edges, search.n_legal, EDGE)
        edges[0].value += remember()
        return 0


@refused("begin_episode (plain Python) gave another state for the same stream")
class OwnStart(Peek):
    def begin_episode(self, ply, stream):
        return remember()


@refused("begin_episode gives")
class StartsDiffer(Peek):
    def begin_episode(self, ply, stream):
        return lanes_differ()


@refused("round gives")
class RoundsDiffer(Peek):
    def round(self, rules, search, memory, stream):
        if search.asked >= self.rounds + lanes_differ():
            return 0
        return ask_twice(search, memory)


@refused("finish gives")
class EvaluationsDiffer(Peek):
    def finish(self, rules, search, memory, perspective, evaluation):
        for place in range(search.n_legal):
            evaluation[place] = place + lanes_differ()


@refused("select gives")
class ChoicesDiffer(Peek):
    def select(self, evaluation, n_actions, progress, stream):
        return lanes_differ()


@refused("select gives")
class ProgressDiffers(Peek):
    def select(self, evaluation, n_actions, progress, stream):
        progress[0] += lanes_differ()
        return 0


@refused("decides differently in states that player 1 cannot tell apart")
class Peeps(Peek):
    def begin_search(self, rules, search, memory, state, players):
        code = plant(rules, search, memory, state, players)
        if code != FULL and players[0] == 1:
            array_at(memory.edges, 1, EDGE)[0].value = array_at(state + 8, 1, np.int32)[0]
        return code
