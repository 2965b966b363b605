"""The cells of Snake's start buffer: as many as there are ways to be short and long, whoever is."""

from itertools import combinations_with_replacement, permutations, product
from math import comb

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.games.snake.board import ALIVE, LONG_DEAD
from rinforza.games.snake.cells import binomial
from rinforza.testing.lanes import GameLane

from .damage import damaged
from .snakes import EIGHT, THREE, TWO

pytestmark = pytest.mark.lanes


@pytest.fixture(scope="module")
def lanes():
    options = {2: TWO, 3: THREE, 8: EIGHT}
    return {count: GameLane(rf.games.Snake(**each), plain_python()) for count, each in options.items()}


def cell(lane, lengths, fates=ALIVE):
    """The cell of a position with these lengths; nothing else of it is looked at."""
    state = damaged(lane, lane.initial(), "lengths", lengths)
    return lane.cell(damaged(lane, state, "fates", fates))


@pytest.mark.parametrize("count", [2, 3])
def test_sizes_in_any_order_are_one_cell_and_every_cell_is_there(lanes, count):
    lane, found = lanes[count], {}
    for sizes in combinations_with_replacement(range(10), count):
        found[sizes] = cell(lane, [3 * size + (size + place) % 3 for place, size in enumerate(sizes)])
    assert sorted(found.values()) == list(range(lane.game.n_cells))
    assert lane.game.n_cells == comb(9 + count, count)
    for sizes in ((1, 4, 4)[:count], (0, 9, 3)[:count]):
        orders = {cell(lane, [3 * size for size in order]) for order in permutations(sizes)}
        assert orders == {found[tuple(sorted(sizes))]}


def test_a_size_is_three_lengths_and_the_last_is_all_that_are_longer(lanes):
    lane = lanes[2]
    seen = {lengths: cell(lane, lengths) for lengths in product((1, 2, 3, 5, 6, 26, 27, 28, 100), (4,))}
    same = [{1, 2}, {3, 5}, {6}, {26}, {27, 28, 100}]
    for group in same:
        assert len({seen[length, 4] for length in group}) == 1
    assert len(set(seen.values())) == len(same)


def test_cells_of_eight_snakes_differ(lanes):
    lane, generator = lanes[8], np.random.default_rng(0)
    found = {}
    for lengths in generator.integers(1, 40, (50 if plain_python() else 400, 8)):
        sizes = tuple(sorted(np.minimum(lengths // 3, 9).tolist()))
        assert found.setdefault(sizes, cell(lane, lengths)) == cell(lane, lengths[::-1])
    assert len(set(found.values())) == len(found) > 40
    assert lane.game.n_cells == 24310
    assert (cell(lane, 1), cell(lane, 60)) == (0, 24309)


def test_a_position_with_a_dead_snake_has_no_cell(lanes):
    assert cell(lanes[2], [4, 5]) >= 0
    for fates in ([ALIVE, LONG_DEAD], [1, ALIVE], LONG_DEAD):
        assert cell(lanes[2], [4, 5], fates) == -1


def test_binomials():
    assert [binomial(n, k) for n in range(20) for k in range(10)] == [
        comb(n, k) for n in range(20) for k in range(10)
    ]
