"""Othello: leaf counts, the naive twin, OpenSpiel's games, ends of games, damaged states."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import TERMINAL
from rinforza.testing.lanes import GameLane
from tests.naive.othello import NaiveOthello

from .damage import damaged
from .perft import perft
from .recorded import compare_playthrough, joint_of, open_spiel_games, playthrough, replay
from .side_by_side import random_moments

# A. Bik's published counts.
LEAVES = [1, 4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288, 24_571_284]


@pytest.fixture(scope="module")
def lane():
    return GameLane(rf.games.Othello(), plain=plain_python())


@pytest.mark.lanes
def test_leaves_of_the_first_plies(lane):
    reached, ended = perft(lane, 4)
    assert reached == LEAVES[:5]
    assert sum(ended) == 0


def test_leaves(lane):
    assert perft(lane, 9)[0] == LEAVES[:10]


@pytest.mark.slow
def test_leaves_and_ends_at_depth_ten(lane):
    """The published count goes on with a pass after the 228 shortest games; here they have ended."""
    reached, ended = perft(lane, 10)
    assert ended[:10] == [0] * 9 + [228]
    assert [*reached[:10], reached[10] + ended[9]] == LEAVES


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("plain", "seeds"),
    [
        (False, range(30)),
        (True, range(30, 33)),
        pytest.param(False, range(100, 400), marks=pytest.mark.slow, id="hundreds"),
    ],
)
def test_random_games_go_as_the_twin_goes(plain, seeds):
    game = rf.games.Othello()
    lane = GameLane(game, plain)
    for seed in seeds[:3] if plain_python() else seeds:
        for state, twin, payloads, expected in random_moments(lane, NaiveOthello(), seed):
            assert payloads == expected
            assert game.state_values(lane.record(state)) == twin.state_values()
            assert lane.actor(state) == (TERMINAL if twin.done else twin.turn)
            for player in range(2):
                assert lane.legal(state, player).tolist() == twin.legal_actions(player)
                assert lane.observe(state, player).tolist() == twin.observation(player)
            assert lane.valid(state) == 1


def test_games_of_open_spiel(lane):
    for game in open_spiel_games("othello"):
        state, events = replay(lane, game)
        assert lane.actor(state) == TERMINAL
        assert (events @ lane.rules.weights).tolist() == game["points"]


@pytest.mark.lanes
def test_a_recorded_game(lane):
    compare_playthrough("othello", playthrough(lane, seed=4, longest=100))


def end_after(lane, first, second, action):
    """Return the state and the events after player 0 plays on boards given as lists of squares."""
    boards = [sum(1 << square for square in squares) for squares in (first, second)]
    state = damaged(lane, lane.initial(), "discs", boards)
    return lane.step(state, joint_of(lane, 0, action))


@pytest.mark.lanes
def test_the_game_ends_when_the_other_has_no_disc_left(lane):
    state, events = end_after(lane, [27, 28, 35], [36], 45)
    assert lane.actor(state) == TERMINAL
    assert events.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert [len(lane.legal(state, player)) for player in range(2)] == [0, 0]


@pytest.mark.lanes
@pytest.mark.parametrize(("more", "event"), [(-1, 1), (0, 2), (1, 0)])
def test_the_most_discs_on_the_full_board_win(lane, more, event):
    """Black fills a1 and turns b1; nothing black stands in the column and the diagonal of a1."""
    apart = [square for square in range(8, 64) if square % 8 and square % 9]
    first = [2, *apart[: 29 + more]]
    second = [square for square in range(1, 64) if square not in first]
    state, events = end_after(lane, first, second, 0)
    board = lane.game.state_values(lane.record(state))["board"]
    black = sum(row.count(1) for row in board)
    assert black == 32 + more
    assert events[0].nonzero()[0].tolist() == [event]
    assert events[1].nonzero()[0].tolist() == [[1, 0, 2][event]]


@pytest.mark.lanes
def test_turning_the_board_turns_the_game(lane):
    """The square numbers run the other way round when the board is turned by half."""
    generator = np.random.default_rng(0)
    one = other = lane.initial()
    while lane.actor(one) != TERMINAL:
        turn = lane.actor(one)
        legal = lane.legal(one, turn).tolist()
        mirrored = sorted(action if action == 64 else 63 - action for action in legal)
        assert lane.legal(other, turn).tolist() == mirrored
        action = int(generator.choice(legal))
        one, _ = lane.step(one, joint_of(lane, turn, action))
        other, _ = lane.step(other, joint_of(lane, turn, action if action == 64 else 63 - action))
        for player in range(2):
            assert np.array_equal(lane.observe(one, player)[:, ::-1, ::-1], lane.observe(other, player))


@pytest.mark.lanes
def test_the_contract_holds():
    game = rf.games.Othello()
    rf.testing.check_game(game, ticks=200, plain_ticks=40)
    rf.testing.check_encoder(game, ticks=60, plain_ticks=10)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("turn", 2),
        ("turn", -1),
        ("done", 1),
        ("done", 2),
        ("moves", 0),
        ("discs", [0, 0]),
        ("discs", [1 << 63] * 2),
    ],
)
def test_damaged_states_are_refused(lane, field, value):
    state = lane.initial()
    assert lane.valid(state) == 1
    assert lane.valid(damaged(lane, state, field, value)) == 0
