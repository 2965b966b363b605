"""Damaged states are refused, and what is not refused can be played to the end."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.games.texas_holdem.table import DONE, LONGEST_STREET, RIVER
from rinforza.testing.lanes import GameLane
from tests.games.damage import damaged
from tests.games.recorded import joint_of
from tests.games.transcripts import transcribe

from .hands_dealt import Dealer

pytestmark = pytest.mark.lanes


@pytest.fixture(scope="module")
def lane():
    return GameLane(rf.games.TexasHoldem(num_players=4, stack=60), plain_python())


@pytest.fixture(scope="module")
def flop(lane):
    """Four seats on the flop: seat 2 has folded, seat 1 has bet, seat 3 is to act."""
    dealer = Dealer(lane, 0, [[0, 1], [10, 20], [30, 40], [50, 51]], [5, 6, 7])
    dealer.play(1, 1, 1, 1, 2, 0)
    return dealer.state


@pytest.fixture(scope="module")
def end(lane):
    """The same hand at its end, seat 3 having folded."""
    dealer = Dealer(lane, 0, [[0, 1], [10, 20], [30, 40], [50, 51]], [5, 6, 7])
    dealer.play(1, 1, 1, 1, 2, 0, 0, 0)
    return dealer.state


@pytest.mark.parametrize(
    ("field", "content", "index"),
    [
        ("dealt", 0, ...),
        ("dealt", -1, ...),
        ("stacks", -10, 0),
        ("stacks", 51, 0),
        ("stacks", 0, 3),
        ("committed", 20, 0),
        ("committed", -1, 2),
        ("street_committed", 20, 1),
        ("street_committed", -1, 0),
        ("street_committed", 20, 3),
        ("level", 0, ...),
        ("level", 1 << 30, ...),
        ("live", 0b1111, ...),
        ("live", 0b1010, ...),
        ("live", 0b0000, ...),
        ("live", 0b11011, ...),
        ("live", -1, ...),
        ("able", 0b1111, ...),
        ("able", 0b0011, ...),
        ("able", -1, ...),
        ("owes", 0, ...),
        ("owes", 0b0001, ...),
        ("owes", 0b1101, ...),
        ("owes", 0b11001, ...),
        ("owes", -1, ...),
        ("street", 0, ...),
        ("street", 2, ...),
        ("street", 4, ...),
        ("street", 5, ...),
        ("street", -1, ...),
        ("draw", 1, ...),
        ("draw", -1, ...),
        ("draw", 4, ...),
        ("button", -1, ...),
        ("button", 4, ...),
        ("to_act", 1, ...),
        ("to_act", 2, ...),
        ("to_act", 4, ...),
        ("to_act", -1, ...),
        ("raises", 0, ...),
        ("raises", 5, ...),
        ("raises", -1, ...),
        ("board_count", 2, ...),
        ("board_count", 4, ...),
        ("board_count", 6, ...),
        ("board_count", -1, ...),
        ("board", 6, 0),
        ("board", 52, 1),
        ("board", -1, 2),
        ("hole", 5, (0, 0)),
        ("hole", 52, (3, 1)),
        ("hole", -1, (1, 0)),
        ("hole", 2, (2, 0)),
        ("history_counts", -1, 0),
        ("history_counts", LONGEST_STREET + 1, 0),
        ("history_counts", 32, 1),
        ("history_counts", 1, 2),
        ("history", 4 << 2 | 1, (1, 0)),
        ("history", 1 << 2 | 3, (1, 0)),
        ("history", -1, (0, 0)),
        ("history", 1, (1, 0)),
    ],
)
def test_damaged_states_are_refused(lane, flop, field, content, index):
    assert lane.valid(flop) == 1
    assert lane.valid(damaged(lane, flop, field, content, index)) == 0


@pytest.mark.parametrize(
    ("field", "content", "index"),
    [
        ("live", 0b0011, ...),
        ("owes", 0b0001, ...),
        ("street", 1, ...),
        ("board_count", 2, ...),
        ("board_count", 5, ...),
        ("to_act", 4, ...),
        ("level", 0, ...),
    ],
)
def test_damaged_ends_are_refused(lane, end, field, content, index):
    assert lane.record(end).street == DONE
    assert lane.valid(end) == 1
    assert lane.valid(damaged(lane, end, field, content, index)) == 0


def test_the_most_may_not_come_from_a_seat_that_folded(lane, flop):
    richer = damaged(lane, damaged(lane, flop, "committed", 60, 2), "stacks", 0, 2)
    assert lane.valid(richer) == 0


def test_a_turn_that_nobody_could_answer_is_refused(lane):
    """On the turn only seat 0 has chips left, and owes an action that would cost nothing."""
    dealer = Dealer(lane, 0, [[0, 1], [10, 20], [30, 40], [50, 51]], [5, 6, 7, 8, 9])
    dealer.play(2, 2, 2, 1, 1, 1, 2, 1, 1, 1)
    state = dealer.state
    for seat, chips in enumerate([10, 0, 0, 0]):
        state = damaged(lane, damaged(lane, state, "stacks", chips, seat), "committed", 60 - chips, seat)
    state = damaged(lane, state, "street_committed", 0)
    for field, content in {"level": 0, "able": 0b0001, "owes": 0b0001, "to_act": 0}.items():
        state = damaged(lane, state, field, content)
    assert lane.valid(state) == 0
    owing = damaged(lane, damaged(lane, state, "street_committed", 10, 1), "level", 10)
    assert lane.valid(owing) == 1


def test_what_is_accepted_can_be_played_to_the_end(lane):
    """Fields of reached states changed at random, then whole hands from what `valid` lets through."""
    generator = np.random.default_rng(0)
    written = transcribe(lane, 60 if plain_python() else 1000, seed=11)
    states = written.states[written.turns != CHANCE]
    places = [place for _, place in lane.game.state_dtype.fields.values()]
    sizes = [field.itemsize for field, _ in lane.game.state_dtype.fields.values()]
    accepted = 0
    for _ in range(400 if plain_python() else 4000):
        state = generator.choice(states).copy()
        for _ in range(generator.integers(1, 4)):
            field = generator.integers(len(places))
            state[places[field] + generator.integers(sizes[field])] = generator.integers(256)
        if lane.valid(state):
            accepted += 1
            play_to_the_end(lane, state, generator)
    assert accepted > 20


def play_to_the_end(lane, state, generator):
    """Play at random; the lane watches over what is written."""
    while lane.actor(state) != TERMINAL:
        turn = lane.actor(state)
        if turn == CHANCE:
            state, events = lane.resolve_chance(
                state, lane.sample_chance(state, int(generator.integers(1 << 60)))
            )
        else:
            state, events = lane.step(
                state, joint_of(lane, turn, int(generator.choice(lane.legal(state, turn))))
            )
        assert events.sum() == 0
    assert int(lane.record(state).street) > RIVER
    for seat in range(4):
        lane.observe(state, seat)
        lane.information_state(state, seat)
