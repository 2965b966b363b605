"""Hex: leaf counts, the naive twin, OpenSpiel's games, no draws, damaged states."""

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import TERMINAL
from rinforza.testing.lanes import GameLane
from tests.naive.hex import NaiveHex

from .damage import damaged
from .perft import perft, positions_by_ply
from .recorded import compare_playthrough, joint_of, open_spiel_games, playthrough, replay
from .side_by_side import random_moments


def lane_of(size):
    return GameLane(rf.games.Hex(size), plain=plain_python())


def test_leaves():
    reached, ended = perft(lane_of(5), 4)
    assert reached == [1, 25, 600, 13_800, 303_600]
    assert sum(ended) == 0


@pytest.mark.lanes
def test_the_first_player_wins_the_smallest_board():
    reached, ended = perft(lane_of(2), 4)
    assert reached[:4] == [1, 4, 12, 24]
    assert sum(ended) == reached[4] + ended[3]
    assert value(lane_of(2)) == 1.0


def test_the_first_player_wins_without_a_swap():
    assert value(lane_of(3)) == 1.0


def value(lane):
    """Return the value of the first position for player 0."""
    values = {}
    for layer in reversed(positions_by_ply(lane, lane.game.num_actions)):
        for raw in layer:
            state = np.frombuffer(raw, np.uint8)
            turn = lane.actor(state)
            following = []
            for action in lane.legal(state, turn) if turn != TERMINAL else ():
                after, events = lane.step(state, joint_of(lane, turn, action))
                following.append(float(lane.rules.weights @ events[0]) + values[after.tobytes()])
            values[raw] = (max if turn == 0 else min)(following) if following else 0.0
    return values[lane.initial().tobytes()]


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("size", "plain", "seeds"),
    [
        (2, False, range(30)),
        (5, False, range(60)),
        (11, False, range(10)),
        (4, True, range(5)),
        pytest.param(11, False, range(100, 400), marks=pytest.mark.slow, id="hundreds"),
    ],
)
def test_random_games_go_as_the_twin_goes(size, plain, seeds):
    game = rf.games.Hex(size)
    lane = GameLane(game, plain)
    for seed in seeds[:3] if plain_python() else seeds:
        for state, twin, payloads, expected in random_moments(lane, NaiveHex(size), seed, size * size):
            assert payloads == expected
            assert game.state_values(lane.record(state)) == twin.state_values()
            assert lane.actor(state) == (TERMINAL if twin.done else twin.turn)
            for player in range(2):
                assert lane.legal(state, player).tolist() == twin.legal_actions(player)
                assert lane.observe(state, player).tolist() == twin.observation(player)
            assert lane.valid(state) == 1
        assert twin.done  # there are no draws


@pytest.mark.parametrize("size", [2, 5, 11])
def test_games_of_open_spiel(size):
    lane = lane_of(size)
    for game in open_spiel_games(f"hex_{size}"):
        state, events = replay(lane, game)
        assert lane.actor(state) == TERMINAL
        assert (events @ lane.rules.weights).tolist() == game["points"]


@pytest.mark.lanes
def test_a_recorded_game():
    compare_playthrough("hex", playthrough(lane_of(4), seed=2, longest=16))


@pytest.mark.lanes
@pytest.mark.parametrize("size", [2, 11, 25])
def test_one_player_has_won_when_the_board_is_full(size):
    lane = lane_of(size)
    generator = np.random.default_rng(size)
    state = lane.initial()
    for cell in generator.permutation(size * size):
        state, events = lane.step(state, joint_of(lane, lane.actor(state), cell))
        if lane.actor(state) == TERMINAL:
            break
    assert sorted(events @ lane.rules.weights) == [-1.0, 1.0]
    assert [len(lane.legal(state, player)) for player in range(2)] == [0, 0]


@pytest.mark.lanes
@pytest.mark.parametrize("size", [2, 25])
def test_the_longest_chain(size):
    """Player 0 goes straight down while player 1 stays in the last column."""
    lane = lane_of(size)
    state = lane.initial()
    for row in range(size):
        state, events = lane.step(state, joint_of(lane, 0, row * size))
        if row < size - 1:
            assert not events.any()
            state, _ = lane.step(state, joint_of(lane, 1, row * size + size - 1))
    assert events.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert lane.valid(state) == 1


@pytest.mark.lanes
def test_joining_two_long_chains_hands_on_the_edges():
    """A chain laid from the bottom up learns of the top with the last stone, all along."""
    lane = lane_of(25)
    state = lane.initial()
    for row in range(24, -1, -1):
        state, events = lane.step(state, joint_of(lane, 0, row * 25))
        if row > 0:
            state, _ = lane.step(state, joint_of(lane, 1, row * 25 + 24))
    cells = lane.record(state).cells.reshape(25, 25)
    assert events[0].tolist() == [1.0, 0.0]
    assert cells[:, 0].tolist() == [1 | 4 | 8] * 25
    assert lane.valid(state) == 1


@pytest.mark.lanes
def test_turning_the_board_turns_the_game():
    lane = lane_of(5)
    generator = np.random.default_rng(3)
    one = other = lane.initial()
    while lane.actor(one) != TERMINAL:
        turn = lane.actor(one)
        action = int(generator.choice(lane.legal(one, turn)))
        one, events = lane.step(one, joint_of(lane, turn, action))
        other, turned_events = lane.step(other, joint_of(lane, turn, 24 - action))
        assert np.array_equal(events, turned_events)
        for player in range(2):
            assert np.array_equal(lane.observe(one, player)[:, ::-1, ::-1], lane.observe(other, player))


@pytest.mark.lanes
@pytest.mark.parametrize("size", [2, 3, 11])
def test_the_contract_holds(size):
    game = rf.games.Hex(size)
    rf.testing.check_game(game, ticks=100, plain_ticks=30)
    rf.testing.check_encoder(game, ticks=40, plain_ticks=10)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("field", "content", "index"),
    [
        ("cells", 0, 0),  # a stone too few
        ("cells", 1, 0),  # its edge forgotten
        ("cells", 3 | 4, 0),  # two owners
        ("cells", 1 | 8, 8),  # a stone too many
        ("cells", 1 | 4 | 8, 0),  # an edge it does not reach
        ("ply", 3, ...),
        ("ply", -1, ...),
        ("done", 1, ...),
        ("done", 2, ...),
    ],
)
def test_damaged_states_are_refused(field, content, index):
    lane = lane_of(3)
    state, _ = lane.step(lane.initial(), joint_of(lane, 0, 0))
    state, _ = lane.step(state, joint_of(lane, 1, 4))
    assert lane.valid(state) == 1
    assert lane.valid(damaged(lane, state, field, content, index)) == 0


@pytest.mark.parametrize("size", [0, 1, 26, 1 << 40])
def test_sizes_that_do_not_fit(size):
    with pytest.raises(ValueError, match="size must be"):
        rf.games.Hex(size=size)


@pytest.mark.parametrize(("size", "error"), [(-1, OverflowError), (5.0, TypeError), (True, TypeError)])
def test_sizes_that_are_no_counts(size, error):
    with pytest.raises(error, match="size must"):
        rf.games.Hex(size=size)


def test_what_a_size_decides():
    game = rf.games.Hex()
    assert (game.num_actions, game.observation_space().shape) == (121, (3, 11, 11))
    assert rf.games.Hex(size=11) == game != rf.games.Hex(size=7)
