"""Snake: the naive twin, invariants, rewards, the contract, damaged states."""

from collections import Counter
from itertools import pairwise, permutations

import numpy as np
import pytest

import rinforza as rf
from rinforza.compiled import plain_python
from rinforza.contracts.rules import CHANCE, SIMULTANEOUS, TERMINAL
from rinforza.games.snake.board import CORPSE, FOOD
from rinforza.testing.lanes import GameLane
from tests.naive.snake import NaiveSnake

from .damage import damaged
from .snakes import LEFT, OPTIONS, RIGHT, TWO, laid_out, number_of
from .transcripts import transcribe


@pytest.fixture(scope="module")
def lanes():
    return {name: GameLane(rf.games.Snake(**options), plain_python()) for name, options in OPTIONS.items()}


@pytest.fixture(scope="module")
def two(lanes):
    return lanes["two"]


# ---- the twin ----


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("nodes", "every"),
    [(1_200, 6), pytest.param(60_000, 40, marks=pytest.mark.slow, id="thousands")],
)
@pytest.mark.parametrize("name", OPTIONS)
def test_random_games_go_as_the_twin_goes(lanes, name, nodes, every):
    games = follow(lanes[name], OPTIONS[name], 100 if plain_python() else nodes, every)
    assert games >= nodes // 60 or plain_python()


@pytest.mark.parametrize("name", OPTIONS)
def test_random_games_in_plain_python_go_as_the_twin_goes(name):
    follow(GameLane(rf.games.Snake(**OPTIONS[name]), plain=True), OPTIONS[name], 60, 2)


def follow(lane, options, nodes, every):
    """Compare random games with the twin, all that is seen of every few nodes; return how many ended."""
    written = transcribe(lane, nodes, seed=nodes)
    twin, payloads = NaiveSnake(**options), None
    ended = 0
    for node, turn in enumerate(written.turns.tolist()):
        assert (turn == TERMINAL, turn == CHANCE) == (twin.done, len(twin.draws) > 0)
        if payloads is not None:
            assert payloads_at(lane, written, node) == payloads
        if node % every == 0 or turn == TERMINAL:
            compare(lane, written.states[node], twin)
        payloads = None
        if turn == TERMINAL:
            twin, ended = NaiveSnake(**options), ended + 1
        elif turn == CHANCE:
            assert written.outcomes[node] < twin.count_outcomes()
            twin.draw(int(written.outcomes[node]))
        else:
            payloads = twin.step(written.joints[node].tolist())
    return ended


def payloads_at(lane, written, node):
    """Return what the game reports of the tick that led to a node."""
    record = lane.record(written.states[node])
    events = enumerate(written.events[node])
    return [lane.game.event_payload(snake, amounts, record) for snake, amounts in events]


def compare(lane, state, twin):
    """Compare all that is seen of a state."""
    assert lane.game.state_values(lane.record(state)) == twin.state_values()
    turn = lane.actor(state)
    for player in range(lane.game.num_players):
        assert lane.legal(state, player).tolist() == twin.legal_actions(player)
        assert lane.observe(state, player).tolist() == twin.observation(player)
    assert lane.valid(state) == (turn != CHANCE)
    if turn == CHANCE:
        odds = lane.chance(state)
        count = twin.count_outcomes()
        if count <= lane.game.most_outcomes:
            assert len(odds) == count
            assert abs(odds.sum() - 1.0) < 1e-9
            assert odds.min() == odds.max()
        else:
            assert len(odds) == 0


# ---- invariants ----


@pytest.mark.lanes
@pytest.mark.parametrize("name", OPTIONS)
def test_what_always_holds(lanes, name):
    lane, options = lanes[name], OPTIONS[name]
    written = transcribe(lane, 60 if plain_python() else 600, seed=9)
    eaten = np.zeros(lane.game.num_snakes)
    before = None
    for node, state in enumerate(written.states):
        if before is None:
            eaten[:] = 0
        eaten += written.events[node, :, 1]
        values = lane.game.state_values(lane.record(state))
        living = [body for body, lives in zip(values["bodies"], values["alive"], strict=True) if lives]
        covered = [cell for body in living for cell in body] + values["food"]
        assert len(covered) == len(set(covered))
        assert all(
            0 <= row < lane.game.grid_size and 0 <= column < lane.game.grid_size for row, column in covered
        )
        for body, lives, apples in zip(values["bodies"], values["alive"], eaten, strict=True):
            assert lives <= (len(body) == options["initial_length"] + apples)
            steps = [abs(r - s) + abs(c - d) for (r, c), (s, d) in pairwise(body)]
            assert steps == [1] * len(steps)
        before = None if written.turns[node] == TERMINAL else state


@pytest.mark.lanes
def test_the_order_of_the_snakes_does_not_matter(lanes):
    """Snakes in another order, with their actions, end in that order with the same events."""
    lane = lanes["three"]
    written = transcribe(lane, 40 if plain_python() else 150, seed=5)
    compared = 0
    for node in np.flatnonzero(written.turns == SIMULTANEOUS):
        twin = twin_at(lane, written.states[node])
        joint = written.joints[node]
        after, events = lane.step(twin_state(lane, twin), joint)
        values = lane.game.state_values(lane.record(after))
        for order in permutations(range(3)):
            index = list(order)
            moved, moved_events = lane.step(twin_state(lane, twin, index), joint[index])
            seen = lane.game.state_values(lane.record(moved))
            assert np.array_equal(moved_events, events[index])
            assert seen["food"] == values["food"]
            for field in ("bodies", "directions", "alive"):
                assert seen[field] == [values[field][snake] for snake in order]
            compared += 1
    assert compared > 30


def twin_at(lane, state):
    """Return what a state shows."""
    return lane.game.state_values(lane.record(state))


def twin_state(lane, values, order=None):
    """Return a state that shows these values, the snakes in another order."""
    order = range(len(values["bodies"])) if order is None else order
    bodies, headings, alive = (
        [values[field][snake] for snake in order] for field in ("bodies", "directions", "alive")
    )
    return laid_out(lane, bodies, headings, values["food"], alive, shift=7)


# ---- rewards ----


@pytest.mark.lanes
@pytest.mark.parametrize("name", OPTIONS)
def test_rewards_are_the_rules_own_sum(lanes, name):
    lane, options = lanes[name], OPTIONS[name]
    weights = {"step": -0.5, "food": 3, "loss": -7, "draw": -11, "kill": 13, "win": 17, "survival": 19}
    column = list(weights.values())
    assert list(weights) == list(lane.game.events)
    written = transcribe(lane, 150 if plain_python() else 400, seed=12)
    paid = Counter()
    twin = NaiveSnake(**options)
    for node in np.flatnonzero(written.turns == SIMULTANEOUS)[:-1]:
        payloads = payloads_at(lane, written, node + 1)
        amounts = written.events[node + 1] @ column
        state = written.states[node + 1]
        cut = lane.truncate(state, written.events[node + 1]) @ column
        alive = lane.game.state_values(lane.record(state))["alive"]
        for payload, reward, last, lives in zip(payloads, amounts, cut, alive, strict=True):
            assert reward == twin.reward(payload, weights)
            if lives:
                assert last == twin.reward(payload, weights, survived=True)
            paid.update(name for name, value in payload.items() if value)
    assert paid["died"] > 5


# ---- the contract, damaged states ----


@pytest.mark.lanes
@pytest.mark.parametrize("name", OPTIONS)
def test_the_contract_holds(lanes, name):
    ticks = 20 if name == "eight" else 200
    rf.testing.check_game(lanes[name].game, ticks=ticks, plain_ticks=ticks // 5)
    rf.testing.check_encoder(lanes[name].game, ticks=80, plain_ticks=15)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("field", "content", "index"),
    [
        ("bodies", number_of(rf.games.Snake(**TWO), (1, 6)), (0, 0)),
        ("bodies", number_of(rf.games.Snake(**TWO), (5, 0)), (0, 0)),
        ("bodies", number_of(rf.games.Snake(**TWO), (4, 0)), (0, 0)),
        ("bodies", number_of(rf.games.Snake(**TWO), (4, 0)), (1, 0)),
        ("grid", 0, number_of(rf.games.Snake(**TWO), (2, 1))),
        ("grid", 1, number_of(rf.games.Snake(**TWO), (4, 4))),
        ("grid", 3, number_of(rf.games.Snake(**TWO), (2, 1))),
        ("grid", CORPSE, number_of(rf.games.Snake(**TWO), (4, 4))),
        ("grid", FOOD, number_of(rf.games.Snake(**TWO), (4, 4))),
        ("grid", 0x40, number_of(rf.games.Snake(**TWO), (4, 4))),
        ("grid", 0x41, number_of(rf.games.Snake(**TWO), (2, 1))),
        ("grid", FOOD, 5),
        ("food", number_of(rf.games.Snake(**TWO), (4, 4)), 1),
        ("food", number_of(rf.games.Snake(**TWO), (0, 0)), 1),
        ("food", number_of(rf.games.Snake(**TWO), (0, 6)), 1),
        ("food_count", 1, ...),
        ("food_count", -1, ...),
        ("food_count", 7, ...),
        ("heads", -1, 0),
        ("heads", 25, 0),
        ("lengths", 0, 0),
        ("lengths", 3, 0),
        ("lengths", -1, 1),
        ("lengths", 26, 1),
        ("headings", 4, 0),
        ("headings", -1, 1),
        ("fates", -1, 0),
        ("fates", 6, 1),
        ("fates", 5, 0),
        ("births", 1, ...),
        ("respawns", 1, ...),
        ("respawns", -1, ...),
        ("done", True, ...),
    ],
)
def test_damaged_states_are_refused(two, field, content, index):
    bodies = [[(2, 1), (2, 0)], [(0, 3), (0, 4)]]
    state = laid_out(two, bodies, [RIGHT, LEFT], food=[(0, 0), (0, 1)], alive=[True, False])
    assert two.valid(state) == 1
    assert two.valid(damaged(two, state, field, content, index)) == 0


def test_an_environment_asks_the_living():
    env = rf.Env(rf.games.Snake(**TWO), seed=3)
    generator = np.random.default_rng(3)
    while not env.done():
        agents = env.active_agents()
        assert agents == [agent for agent, lives in enumerate(env.state()["alive"]) if lives]
        events = env.step({agent: int(generator.integers(3)) for agent in agents})
        assert [agent for agent, _ in events] == [0, 1]
    assert env.state()["alive"] == [False, False]
