"""Snake: every rule by hand; deaths, ends, food, turns."""

from collections import Counter

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL
from rinforza.games.snake.board import CORPSE
from rinforza.testing.lanes import GameLane

from .snakes import (
    DOWN,
    FORWARD,
    LEFT,
    OPTIONS,
    RIGHT,
    TURN_LEFT,
    TURN_RIGHT,
    TWO,
    UP,
    happened,
    laid_out,
    number_of,
    tick,
)


@pytest.fixture(scope="module")
def lanes():
    return {name: GameLane(rf.games.Snake(**options), plain_python()) for name, options in OPTIONS.items()}


@pytest.fixture(scope="module")
def two(lanes):
    return lanes["two"]


# ---- deaths ----


@pytest.mark.lanes
@pytest.mark.parametrize("food", [[], [(2, 2)]])
def test_heads_that_meet_both_die_and_eat_nothing(two, food):
    bodies = [[(2, 1), (2, 0)], [(2, 3), (2, 4)]]
    after, payloads, _ = tick(two, laid_out(two, bodies, [RIGHT, LEFT], food), 0, 0)
    assert [happened(payload) for payload in payloads] == [["drew", "head_on"]] * 2
    values = two.game.state_values(two.record(after))
    kept = len(food) + 1  # who reached food has kept its tail
    assert [len(body) for body in values["bodies"]] == [kept, kept]
    assert values["food"] == food
    assert two.actor(after) == TERMINAL


@pytest.mark.lanes
def test_the_survivor_wins_at_once_and_plays_to_its_own_end(two):
    bodies = [[(0, 1), (0, 0)], [(4, 3), (4, 2)]]
    after, payloads, _ = tick(two, laid_out(two, bodies, [RIGHT, RIGHT]), TURN_LEFT, FORWARD)
    assert [happened(payload) for payload in payloads] == [["lost", "wall"], ["won"]]
    assert two.actor(after) == SIMULTANEOUS
    assert two.legal(after, 0).tolist() == []
    assert two.legal(after, 1).tolist() == [0, 1, 2]
    after, payloads, events = tick(two, after, 0, FORWARD)
    assert [happened(payload) for payload in payloads] == [[], ["wall"]]
    assert events[:, 0].tolist() == [1.0, 1.0]
    assert not events[:, 1:].any()
    assert two.actor(after) == TERMINAL


@pytest.mark.lanes
def test_a_snake_dies_of_itself_but_not_of_its_tail(two):
    away = [(4, 4)]
    ring = [(1, 1), (2, 1), (2, 2), (1, 2)]
    _, payloads, _ = tick(two, laid_out(two, [ring, away], [UP, UP]), TURN_RIGHT, 0)
    assert happened(payloads[0]) == []
    longer = [*ring, (0, 2)]
    after, payloads, _ = tick(two, laid_out(two, [longer, away], [UP, UP]), TURN_RIGHT, 0)
    assert happened(payloads[0]) == ["lost", "self"]
    assert two.game.state_values(two.record(after))["bodies"][0] == ring


@pytest.mark.lanes
def test_a_tail_is_harmless_unless_its_snake_eats(two):
    bodies = [[(2, 2), (2, 1), (2, 0)], [(3, 0), (4, 0)]]
    _, payloads, _ = tick(two, laid_out(two, bodies, [RIGHT, UP]), 0, 0)
    assert [happened(payload) for payload in payloads] == [[], []]
    state = laid_out(two, bodies, [RIGHT, UP], food=[(2, 3)])
    after, payloads, _ = tick(two, state, 0, 0)
    assert [happened(payload) for payload in payloads] == [
        ["ate_food", "killed_opponent", "won"],
        ["lost", "opponent"],
    ]
    assert two.actor(after) == CHANCE


@pytest.mark.lanes
def test_no_credit_for_a_kill_on_the_way_out(two):
    bodies = [[(0, 2), (1, 2), (2, 2)], [(1, 1), (1, 0)]]
    _, payloads, events = tick(two, laid_out(two, bodies, [UP, RIGHT]), 0, 0)
    assert [happened(payload) for payload in payloads] == [["drew", "wall"], ["drew", "opponent"]]
    assert not events[:, 4].any()


@pytest.mark.lanes
def test_short_snakes_pass_through_each_other(two):
    _, payloads, _ = tick(two, laid_out(two, [[(2, 1)], [(2, 2)]], [RIGHT, LEFT]), 0, 0)
    assert [happened(payload) for payload in payloads] == [[], []]
    longer = [[(2, 1), (1, 1)], [(2, 2), (1, 2)]]
    _, payloads, _ = tick(two, laid_out(two, longer, [RIGHT, LEFT]), 0, 0)
    assert [happened(payload) for payload in payloads] == [["drew", "opponent"]] * 2


@pytest.mark.lanes
def test_the_dead_are_harmless_from_the_next_tick_on(lanes):
    lane = lanes["three"]
    bodies = [[(1, 0), (1, 1), (1, 2)], [(2, 1), (3, 1)], [(5, 4), (5, 3)]]
    state = laid_out(lane, bodies, [LEFT, UP, RIGHT])
    after, payloads, _ = tick(lane, state, 0, 0, 0)
    assert [happened(payload) for payload in payloads] == [["lost", "wall"], ["lost", "opponent"], ["won"]]
    state = laid_out(lane, bodies, [LEFT, UP, RIGHT], alive=[False, True, True])
    after, payloads, _ = tick(lane, state, 0, 0, 0)
    assert [happened(payload) for payload in payloads] == [[], [], []]
    values = lane.game.state_values(lane.record(after))
    assert values["bodies"][1] == [(1, 1), (2, 1)]
    assert values["bodies"][0] == bodies[0]
    after, _, _ = tick(lane, after, 0, FORWARD, TURN_LEFT)
    cell = lane.record(after).grid[number_of(lane.game, (1, 1))]
    assert cell == CORPSE | 2


@pytest.mark.lanes
def test_two_victims_of_one_snake_are_one_kill(lanes):
    lane = lanes["three"]
    bodies = [[(0, 3), (1, 3), (2, 3), (3, 3)], [(1, 2), (1, 1)], [(2, 4), (2, 5)]]
    after, payloads, events = tick(lane, laid_out(lane, bodies, [UP, RIGHT, LEFT]), TURN_LEFT, 0, 0)
    assert [happened(payload) for payload in payloads] == [
        ["killed_opponent", "won"],
        ["lost", "opponent"],
        ["lost", "opponent"],
    ]
    assert events[0, 4] == 1.0
    assert lane.actor(after) == TERMINAL


# ---- ends ----


@pytest.mark.lanes
def test_a_lead_ends_the_game(lanes):
    lane = lanes["leading"]
    bodies = [[(0, 1), (0, 0)], [(4, 1), (4, 0), (3, 0)]]
    state = laid_out(lane, bodies, [RIGHT, RIGHT], food=[(4, 2), (1, 1)])
    after, payloads, events = tick(lane, state, FORWARD, FORWARD)
    lost, won = payloads
    assert (happened(won), lost["lost"], lost["died"]) == (["ate_food", "won"], True, False)
    assert lane.actor(after) == TERMINAL
    assert (events @ lane.rules.weights).tolist() == [-1.0, 1.0]
    after, payloads, _ = tick(lane, state, TURN_RIGHT, FORWARD)  # both eat: the lead stays one
    assert [happened(payload) for payload in payloads] == [["ate_food"], ["ate_food"]]
    assert lane.actor(after) == CHANCE


@pytest.mark.lanes
def test_surviving_to_the_horizon(two):
    state = laid_out(two, [[(1, 1)], [(3, 3)]], [RIGHT, LEFT], alive=[True, False])
    events = two.truncate(state, np.zeros((2, 7)))
    assert events.tolist() == [[0, 0, 0, 0, 0, 0, 1.0], [0.0] * 7]


def test_the_dead_are_paid_for_every_step():
    env = rf.Env(rf.games.Snake(**TWO), rf.Reward(step=0.25), seed=1)
    env.step({0: TURN_LEFT, 1: FORWARD})
    env.step({0: FORWARD, 1: FORWARD})
    events = env.step({0: FORWARD, 1: TURN_RIGHT})
    assert [agent for agent, _ in events] == [0, 1]
    assert env.active_agents() == [1]
    assert env.rewards == [-0.75, 1.25]
    events = env.step({1: FORWARD})
    assert [agent for agent, _ in events] == [0, 1]
    assert env.rewards == [0.25, 0.25]


# ---- food ----


@pytest.mark.lanes
def test_food_is_born_one_by_one(two):
    state = two.initial()
    cells = 25 - 4
    for placed in range(6):
        assert two.actor(state) == CHANCE
        assert two.chance(state).tolist() == [1 / (cells - placed)] * (cells - placed)
        assert two.legal(state, 0).tolist() == []
        state, events = two.resolve_chance(state, 0)
        assert not events.any()
    assert two.actor(state) == SIMULTANEOUS
    assert two.game.state_values(two.record(state))["food"] == [(0, c) for c in range(5)] + [(1, 0)]


@pytest.mark.lanes
def test_what_is_eaten_comes_back_in_one_draw(two):
    bodies, food = [[(1, 1), (1, 0)], [(3, 3), (3, 4)]], [(0, 0), (1, 2), (3, 2)]
    state, payloads, _ = tick(two, laid_out(two, bodies, [RIGHT, LEFT], food), 0, 0)
    assert [happened(payload) for payload in payloads] == [["ate_food"]] * 2
    free = 25 - 1 - 6
    assert len(two.chance(state)) == free * (free - 1)
    drawn = Counter()
    for outcome in range(free * (free - 1)):
        after, _ = two.resolve_chance(state, outcome)
        assert two.actor(after) == SIMULTANEOUS
        assert two.valid(after) == 1
        food = two.game.state_values(two.record(after))["food"]
        assert (len(food), food == sorted(food)) == (3, True)
        drawn[tuple(food)] += 1
    # Each pair of free cells comes up twice: the first apple on one of them, or on the other.
    assert len(drawn) == free * (free - 1) // 2
    assert set(drawn.values()) == {2}


@pytest.mark.lanes
def test_no_more_food_than_free_cells(two):
    winding = [(row, column if row % 2 == 0 else 4 - column) for row in range(5) for column in range(5)]
    bodies, food = [winding[1:12], winding[22:11:-1]], [winding[0], winding[23]]
    state, payloads, _ = tick(two, laid_out(two, bodies, [LEFT, RIGHT], food), 0, 0)
    assert [happened(payload) for payload in payloads] == [["ate_food"]] * 2
    assert two.chance(state).tolist() == [1.0]
    state, _ = two.resolve_chance(state, 0)
    assert two.game.state_values(two.record(state))["food"] == [(4, 4)]
    assert two.actor(state) == SIMULTANEOUS
    # One snake alone, and not one cell is free when it has eaten.
    state = laid_out(two, [winding[1:24], []], [LEFT, UP], [winding[0], winding[24]], [True, False])
    state, payloads, _ = tick(two, state, 0, 0)
    assert happened(payloads[0]) == ["ate_food"]
    assert two.actor(state) == SIMULTANEOUS
    assert two.valid(state) == 1


@pytest.mark.lanes
def test_no_food_after_the_end(lanes):
    lane = lanes["three"]
    state = laid_out(
        lane, [[(0, 0)], [(2, 2)], []], [UP, RIGHT, UP], food=[(2, 3)], alive=[True, True, False]
    )
    after, payloads, _ = tick(lane, state, 0, 0, 0)
    assert [happened(payload) for payload in payloads] == [["lost", "wall"], ["ate_food", "won"], []]
    assert lane.actor(after) == TERMINAL
    assert lane.record(after).respawns == 0


@pytest.mark.lanes
def test_wide_draws_are_sampled_evenly(lanes):
    """Eight apples at once can lie in more ways than are listed."""
    lane = lanes["eight"]
    bodies = [[(1 + snake % 4 * 2, 1 if snake < 4 else 5)] for snake in range(8)]
    food = [(row, column + 1) for [(row, column)] in bodies]
    state, payloads, _ = tick(lane, laid_out(lane, bodies, [RIGHT] * 8, food), *[0] * 8)
    assert [happened(payload) for payload in payloads] == [["ate_food"]] * 8
    assert len(lane.chance(state)) == 0
    free, widest = 81 - 16, 1
    for placed in range(8):
        widest *= free - placed
    draws = [lane.sample_chance(state, key) for key in range(30 if plain_python() else 400)]
    assert min(draws) >= 0
    assert max(draws) < widest
    assert abs(np.mean(draws) / widest - 0.5) < 0.2
    after, _ = lane.resolve_chance(state, widest - 1)
    assert lane.valid(after) == 1
    assert lane.record(after).food_count == 8


@pytest.mark.lanes
def test_without_food_there_is_no_chance():
    lane = GameLane(rf.games.Snake(grid_size=5, food=0), plain=True)
    assert lane.actor(lane.initial()) == SIMULTANEOUS
    assert lane.observe(lane.initial(), 0)[4].sum() == 0


# ---- turns ----


@pytest.mark.lanes
def test_turns(two):
    turned = {}
    for heading in (UP, DOWN, LEFT, RIGHT):
        for action in (FORWARD, TURN_LEFT, TURN_RIGHT):
            state = laid_out(two, [[(2, 2)], [(0, 0)]], [heading, RIGHT])
            after, _, _ = tick(two, state, action, TURN_RIGHT)
            values = two.game.state_values(two.record(after))
            turned[heading, action] = values["bodies"][0][0], values["directions"][0]
    ahead = {UP: (1, 2), DOWN: (3, 2), LEFT: (2, 1), RIGHT: (2, 3)}
    left = {UP: LEFT, LEFT: DOWN, DOWN: RIGHT, RIGHT: UP}
    for heading in ahead:
        assert turned[heading, FORWARD] == (ahead[heading], heading)
        assert turned[heading, TURN_LEFT] == (ahead[left[heading]], left[heading])
        assert turned[left[heading], TURN_RIGHT] == (ahead[heading], heading)
