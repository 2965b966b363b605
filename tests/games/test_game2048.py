"""2048: single lines, the naive twin, OpenSpiel's games, chance, damaged states."""

from itertools import combinations, pairwise

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.testing.lanes import GameLane
from tests.naive.game2048 import Naive2048

from .damage import damaged
from .recorded import compare_playthrough, joint_of, legal_digest, open_spiel_games, playthrough
from .side_by_side import payloads_of

UP, RIGHT, DOWN, LEFT = range(4)


@pytest.fixture(scope="module")
def lane():
    return GameLane(rf.games.Game2048(), plain=plain_python())


def board_of(lane, exponents, moves=15):
    """Return a decision state with these tiles."""
    state = damaged(lane, lane.initial(), "to_place", 0)
    return damaged(lane, damaged(lane, state, "moves", moves), "cells", exponents)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("line", "after", "score"),
    [
        ([1, 1, 0, 0], [2, 0, 0, 0], 4),
        ([1, 1, 1, 0], [2, 1, 0, 0], 4),
        ([1, 1, 1, 1], [2, 2, 0, 0], 8),
        ([2, 1, 1, 0], [2, 2, 0, 0], 4),  # what has merged does not merge again
        ([1, 0, 0, 1], [2, 0, 0, 0], 4),
        ([1, 2, 1, 2], [1, 2, 1, 2], 0),
        ([0, 3, 0, 1], [3, 1, 0, 0], 0),
        ([16, 16, 0, 1], [17, 1, 0, 0], 1 << 17),
        ([17, 17, 0, 0], [17, 17, 0, 0], 0),
    ],
)
def test_single_lines_in_all_directions(lane, line, after, score):
    for action in (UP, RIGHT, DOWN, LEFT):
        board, expected = np.zeros((2, 4, 4), np.uint8)
        turns = [0, 0, 0, 0]
        turns[action] = 1
        for cells, content in ((board, line), (expected, after)):
            if action == UP:
                cells[:, 2] = content
            elif action == RIGHT:
                cells[2] = content[::-1]
            elif action == DOWN:
                cells[:, 2] = content[::-1]
            else:
                cells[2] = content
        state, events = lane.step(board_of(lane, board.ravel()), joint_of(lane, 0, action))
        assert lane.record(state).cells.tolist() == expected.ravel().tolist()
        assert events.tolist() == [[1.0, score]]
        assert lane.actor(state) == CHANCE


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("plain", "seeds"),
    [
        (False, range(20)),
        (True, range(20, 22)),
        pytest.param(False, range(100, 400), marks=pytest.mark.slow, id="hundreds"),
    ],
)
def test_random_games_go_as_the_twin_goes(plain, seeds):
    game = rf.games.Game2048()
    lane = GameLane(game, plain)
    for seed in seeds[:2] if plain_python() else seeds:
        generator = np.random.default_rng(seed)
        state, twin = lane.initial(), Naive2048()
        while lane.actor(state) != TERMINAL:
            if lane.actor(state) == CHANCE:
                assert twin.to_place > 0
                odds = lane.chance(state)
                assert odds.tolist() == twin.odds()
                outcome = int(generator.choice(len(odds), p=odds))
                state, events = lane.resolve_chance(state, outcome)
                assert not events.any()
                twin.draw(outcome)
            else:
                legal = lane.legal(state, 0).tolist()
                assert legal == twin.legal_actions(0)
                assert lane.valid(state) == 1
                assert lane.observe(state, 0).tolist() == twin.observation(0)
                action = int(generator.choice(legal))
                state, events = lane.step(state, joint_of(lane, 0, action))
                assert payloads_of(lane, state, events) == twin.step(action)
            assert game.state_values(lane.record(state)) == twin.state_values()
        assert twin.done
        assert lane.valid(state) == 1
        assert len(lane.legal(state, 0)) == 0


def empty_cells(lane, state):
    """Return the numbers of the empty cells."""
    return np.flatnonzero(lane.record(state).cells == 0).tolist()


def merges_only(lane, state, action):
    """Return whether a move merges neighbours and moves nothing else: every run of tiles keeps its wall."""
    cells = lane.record(state).cells.reshape(4, 4)
    lines = [cells.T, cells[:, ::-1], cells[::-1].T, cells][action]
    tiles = [[int(tile) for tile in line if tile] for line in lines]
    packed = [[int(tile) for tile in line[: len(run)]] == run for line, run in zip(lines, tiles, strict=True)]
    return all(packed) and any(one == two for run in tiles for one, two in pairwise(run))


def test_games_of_open_spiel(lane):
    """OpenSpiel draws the cell and the tile at once: outcome 2 * cell for a 2, 2 * cell + 1 for a 4.

    It calls some moves illegal that only merge neighbours, so its games may end earlier.
    """
    refused = 0
    for game in open_spiel_games("2048"):
        state, score = lane.initial(), 0.0
        for action, digest in zip(game["actions"], game["legal"], strict=True):
            if lane.actor(state) == CHANCE:
                empty = empty_cells(lane, state)
                assert legal_digest([2 * cell + tile for cell in empty for tile in (0, 1)]) == digest
                state, _ = lane.resolve_chance(state, empty.index(action // 2))
                state, _ = lane.resolve_chance(state, action % 2)
                continue
            legal = lane.legal(state, 0).tolist()
            if legal_digest(legal) != digest:
                sliding = [move for move in legal if not merges_only(lane, state, move)]
                merging = [move for move in legal if move not in sliding]
                chosen = [combinations(merging, count) for count in range(len(merging))]
                assert digest in [legal_digest(sorted([*sliding, *some])) for many in chosen for some in many]
                refused += 1
            state, events = lane.step(state, joint_of(lane, 0, action))
            score += float(events[0] @ lane.rules.weights)
        assert game["points"] == [score]
        assert all(merges_only(lane, state, move) for move in lane.legal(state, 0))
    assert refused == 72


@pytest.mark.lanes
def test_the_first_two_tiles(lane):
    state = lane.initial()
    for left in (16, 15):
        assert lane.chance(state).tolist() == [1 / left] * left
        state, _ = lane.resolve_chance(state, left - 1)
        assert lane.chance(state).tolist() == [0.9, 0.1]
        state, _ = lane.resolve_chance(state, left - 15)
    assert lane.record(state).cells.tolist() == [0] * 14 + [1, 2]
    assert lane.actor(state) == 0
    assert lane.legal(state, 0).tolist() == [UP, LEFT]


@pytest.mark.lanes
def test_the_last_tile_may_end_the_game(lane):
    """One cell is empty after a move to the left: a 2 there leaves no move, a 4 leaves one."""
    cells = [3, 4, 3, 4, 4, 3, 4, 3, 3, 4, 3, 4, 4, 5, 2, 0]
    state = damaged(lane, board_of(lane, cells, moves=0), "to_place", 1)
    state, _ = lane.resolve_chance(state, 0)
    ended, _ = lane.resolve_chance(state, 0)
    assert lane.actor(ended) == TERMINAL
    assert lane.valid(ended) == 1
    going_on, _ = lane.resolve_chance(state, 1)
    assert lane.actor(going_on) == 0
    assert lane.legal(going_on, 0).tolist() == [RIGHT, LEFT]


@pytest.mark.lanes
def test_a_recorded_game(lane):
    compare_playthrough("2048", playthrough(lane, seed=0, longest=60))


@pytest.mark.lanes
def test_the_contract_holds():
    game = rf.games.Game2048()
    rf.testing.check_game(game, ticks=300, plain_ticks=60)
    rf.testing.check_encoder(game, ticks=100, plain_ticks=20)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("field", "content"),
    [
        ("cells", [18] + [0] * 14 + [1]),
        ("cells", [0] * 16),
        ("to_place", 1),
        ("to_place", -1),
        ("spot", 0),
        ("moves", 0),
        ("moves", 15),
        ("done", 1),
        ("done", 2),
    ],
)
def test_damaged_states_are_refused(lane, field, content):
    state = board_of(lane, [1] + [0] * 14 + [1], moves=15)
    assert lane.valid(state) == 1
    state = board_of(lane, [1, 2] + [0] * 14, moves=(1 << RIGHT) | (1 << DOWN))
    assert lane.valid(state) == 1
    assert lane.valid(damaged(lane, state, field, content)) == 0
