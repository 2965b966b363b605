"""A search that passes a bound of its own is a ValueError for the caller, and no end of the engine."""

import numpy as np
import pytest

from rinforza import Engine, Env, Reward, games, learners, policies
from rinforza.compiled.random import integer_below
from rinforza.contracts.chance_modes import Committed, ExpandAll
from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.testing import check_policy
from tests.toys.lottery import Lottery
from tests.toys.networks import QNetwork

EXCEEDS = r"Minimax on connect4: search tree exceeds 1,048,576 nodes: lower depth"


def nothing(obs):
    return np.zeros((len(obs), 1, 7))


def test_a_tree_that_is_too_large():
    engine = Engine(games.Connect4(), None, policies.Minimax(8), learners.TreeStrap(), 1)
    for _ in range(2):
        with pytest.raises(ValueError, match=EXCEEDS):
            engine.collect(1, nothing)
    assert len(engine.collect(0, nothing).obs) == 0


def test_choose_refuses_it_too():
    env = Env(games.Connect4(), Reward())
    with pytest.raises(ValueError, match=EXCEEDS):
        policies.Minimax(8).choose([env], nothing, gamma=1.0)
    assert policies.Minimax(2).choose([env], nothing, gamma=1.0) == [0]


class FairLottery(Lottery):
    """Every coin is fair: a chain of n has 2**n outcomes."""

    def chance(self, state, probabilities):
        probabilities[0] = 0.5
        probabilities[1] = 0.5
        return 2


class DrawnLottery(Lottery):
    """The outcomes can only be drawn."""

    def chance(self, state, probabilities):
        return 0

    def sample_chance(self, state, stream):
        return integer_below(stream, 2)


class SampleOnlyLottery(Lottery):
    """There is no list of the outcomes at all."""

    def __init__(self, links, encoder=None):
        super().__init__(links, encoder)

    chance = games.TicTacToe.chance

    def sample_chance(self, state, stream):
        return integer_below(stream, 2)


def expectimax(chance):
    return policies.SelectiveExpectimax(4, chance=chance)


def test_a_fan_that_is_too_wide():
    engine = Engine(FairLottery(21), None, expectimax(ExpandAll()), learners.TreeStrap(), 1)
    with pytest.raises(ValueError, match=r"more than 1,048,576 outcomes, too many to expand"):
        engine.collect(1, QNetwork(2))
    engine = Engine(FairLottery(10), None, expectimax(ExpandAll()), learners.TreeStrap(gamma=1.0), 1)
    batch = engine.collect(1, QNetwork(2))
    assert batch.targets.tolist() == [[[5.0, 5.0]]]  # of ten fair coins five are heads


@pytest.mark.lanes
def test_outcomes_that_cannot_be_listed():
    learner = learners.TreeStrap(gamma=1.0)
    with pytest.raises(ValueError, match=r"outcomes can only be drawn: use chance_modes.Committed"):
        Engine(DrawnLottery(3), None, expectimax(ExpandAll()), learner, 1).collect(1, QNetwork(2))
    with pytest.raises(ValueError, match=r"lottery, which can only be drawn: use chance_modes.Committed"):
        Engine(SampleOnlyLottery(3), None, expectimax(ExpandAll()), learner, 1)
    for game in (DrawnLottery(3), SampleOnlyLottery(3)):
        batch = Engine(game, None, expectimax(Committed(2)), learner, 1).collect(1, QNetwork(2))
        assert ((0.0 <= batch.targets) & (batch.targets <= 3.0)).all()


class Doors(Lottery):
    """One of eight doors is drawn before the player moves; behind the first lies what cannot be listed."""

    most_outcomes = 8

    def __init__(self, links=1, encoder=None):
        super().__init__(links, encoder)

    def actor(self, state):
        if state.tossed == 0:
            return CHANCE
        if state.played == 0:
            return 0
        return TERMINAL if state.tossed < 0 else CHANCE

    def chance(self, state, probabilities):
        if state.tossed == 1:
            return 0
        count = 8 if state.tossed == 0 else 1
        for outcome in range(count):
            probabilities[outcome] = 1.0 / count
        return count

    def sample_chance(self, state, stream):
        return integer_below(stream, 8 if state.tossed == 0 else 1)

    def resolve_chance(self, state, outcome, events):
        state.tossed = outcome + 1 if state.tossed == 0 else -1

    def legal_actions(self, state, player, out):
        if state.played != 0 or state.tossed == 0 or player != 0:
            return 0
        out[0] = 0
        out[1] = 1
        return 2


@pytest.mark.lanes
@pytest.mark.parametrize("n_threads", [1, 3])
def test_finished_records_are_kept(n_threads):
    engine = Engine(Doors(), None, expectimax(ExpandAll()), learners.TreeStrap(), 5, n_threads=n_threads)
    with pytest.raises(ValueError, match="can only be drawn"):
        engine.collect(1000, QNetwork(2))
    batch = engine.collect(1, QNetwork(2))
    assert len(batch.obs) == len(batch.telemetry["episodes"]) == batch.telemetry["decisions"] > 5
    with pytest.raises(ValueError, match="can only be drawn"):
        engine.collect(1000, QNetwork(2))


def test_check_policy_says_it_as_well():
    with pytest.raises(ValueError, match="can only be drawn"):
        check_policy(expectimax(ExpandAll()), DrawnLottery(3), decisions=1, plain_decisions=0)
