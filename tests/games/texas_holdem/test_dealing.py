"""Chance: every outcome a different set of cards, numbered as promised, drawn with one random number."""

from itertools import combinations

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import CHANCE
from rinforza.testing.lanes import GameLane

from .hands_dealt import outcome_of


@pytest.fixture(scope="module")
def lane():
    return GameLane(rf.games.TexasHoldem(num_players=3), plain=plain_python())


def drawn(lane, state, *outcomes):
    """Return the state after some draws."""
    for outcome in outcomes:
        assert lane.actor(state) == CHANCE
        state, events = lane.resolve_chance(state, outcome)
        assert not events.any()
    return state


@pytest.mark.lanes
def test_the_button_is_drawn_first(lane):
    assert lane.chance(lane.initial()).tolist() == [1 / 3] * 3
    for button in range(3):
        state = drawn(lane, lane.initial(), button)
        assert lane.record(state).button == button
        assert lane.actor(state) == CHANCE


@pytest.mark.lanes
def test_each_seat_is_dealt_any_two_of_the_cards_left(lane):
    state = drawn(lane, lane.initial(), 1, outcome_of([0, 51], []))
    odds = lane.chance(state)
    assert len(odds) == 50 * 49 // 2
    assert np.ptp(odds) == 0
    assert odds.sum() == pytest.approx(1)
    left = sorted(combinations(range(1, 51), 2), key=lambda pair: pair[::-1])
    step = 97 if plain_python() else 1
    for outcome in range(0, len(odds), step):
        record = lane.record(drawn(lane, state, outcome))
        assert record.hole[:2].tolist() == [[0, 51], list(left[outcome])]
        assert record.dealt == sum(1 << card for card in (0, 51, *left[outcome]))


@pytest.mark.lanes
def test_the_flop_is_any_three_of_the_cards_left(lane):
    state = after_calls(lane)
    gone = {card for hole in lane.record(state).hole[:3].tolist() for card in hole}
    left = [card for card in range(52) if card not in gone]
    odds = lane.chance(state)
    assert len(odds) == 46 * 45 * 44 // 6
    assert odds.sum() == pytest.approx(1)
    flops = sorted(combinations(left, 3), key=lambda cards: cards[::-1])
    assert len(flops) == len(odds)
    for outcome in [0, 1, 2, 3, 4, 5, *range(6, len(odds) - 1, 997 if plain_python() else 13), len(odds) - 1]:
        record = lane.record(drawn(lane, state, outcome))
        assert record.board[: record.board_count].tolist() == list(flops[outcome])


@pytest.mark.lanes
def test_turn_and_river_are_any_card_left(lane):
    state = drawn(lane, after_calls(lane), 4321)
    for size in (43, 42):
        state = checked_round(lane, state)
        odds = lane.chance(state)
        assert odds.tolist() == [1 / size] * size
        cards = [int(lane.record(drawn(lane, state, outcome)).board[46 - size]) for outcome in range(size)]
        dealt = int(lane.record(state).dealt)
        assert cards == [card for card in range(52) if dealt >> card & 1 == 0]
        state = drawn(lane, state, size - 1)


def after_calls(lane):
    """Return the draw of the flop, after everybody has called."""
    return checked_round(lane, drawn(lane, lane.initial(), 0, 1300, 11, 500))


def checked_round(lane, state):
    """Return the next draw, after everybody has checked or called."""
    while lane.actor(state) != CHANCE:
        joint = np.ones(lane.game.num_players, np.int64)
        state, _ = lane.step(state, joint)
    return state


@pytest.mark.lanes
def test_draws_are_sampled_evenly(lane):
    state = after_calls(lane)
    count = len(lane.chance(state))
    draws = np.array([lane.sample_chance(state, key) for key in range(60 if plain_python() else 4000)])
    assert 0 <= draws.min() <= draws.max() < count
    spread = np.histogram(draws, bins=4, range=(0, count))[0]
    assert (abs(spread - len(draws) / 4) < 4 * np.sqrt(len(draws))).all()
    button = {lane.sample_chance(lane.initial(), key) for key in range(60)}
    assert button == {0, 1, 2}
