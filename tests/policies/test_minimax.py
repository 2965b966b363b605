"""Minimax: exact values, known games, refusals. Its records are compared with a twin in tests/learners."""

import numpy as np
import pytest

from rinforza import Engine, Env, Reward, games, learners, policies
from rinforza.contracts.chance_modes import AlwaysResample, Committed, ExpandAll
from rinforza.contracts.reward import weight_array
from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.engine.checks import check_game
from rinforza.testing import check_policy
from tests.naive.game_view import Position
from tests.naive.records import batch_records
from tests.policies.selection import Chooser
from tests.search.driver import SearchDriver, new_stream
from tests.toys.last_stand import LastStand
from tests.toys.networks import QNetwork, Recorder
from tests.toys.random_tree import RandomTree

REWARD = Reward(gain=1.0, bonus=-0.75)


def nothing(n_actions):
    """A network that says 0."""
    return lambda obs: np.zeros((len(obs), 1, n_actions))


def enumerated(position, searcher, depth, discount):
    """The value of a position under full enumeration: rewards of chance count whole, what follows is discounted.

    The network says 0.
    """
    if position.turn == CHANCE:
        total = 0.0
        for outcome, probability in enumerate(position.odds()):
            if probability > 0:
                behind = position.copy()
                reward = behind.resolve(outcome)[searcher]
                total += probability * (reward + enumerated(behind, searcher, depth, discount))
        return total
    if position.turn == TERMINAL or depth == 0:
        return 0.0
    best = max if position.turn == searcher else min
    return discount * best(action_values(position, searcher, depth, discount).values())


def action_values(position, searcher, depth, discount):
    """{action: what it is worth to the searcher}."""
    values = {}
    for action in position.legal(position.turn):
        behind = position.copy()
        reward = behind.play({position.turn: action})[searcher]
        values[action] = reward + enumerated(behind, searcher, depth - 1, discount)
    return values


@pytest.mark.parametrize(
    "tree",
    [
        {"alternating": True, "longest": 5},
        {"longest": 5},
        {"chance_share": 0.4, "longest": 4, "num_actions": 3},
    ],
    ids=["in turn", "movers at random", "chance"],
)
@pytest.mark.parametrize("depth", [1, 2, 9])
@pytest.mark.lanes
def test_values_equal_full_enumeration(tree, depth):
    game = RandomTree(seed=11, **tree)
    engine = Engine(game, REWARD, policies.Minimax(depth), learners.TreeStrap(gamma=0.875), 1, seed=3)
    position = Position(game, REWARD)
    record = batch_records(engine.collect(1, nothing(game.num_actions)))
    mover = position.turn
    first = next(row for row in record if np.array_equal(row["obs"], position.observe(mover)))
    expected = action_values(position, mover, depth, 0.875)
    assert {place: first["targets"][0, place] for place in first["legal"]} == pytest.approx(expected)


# ---- known games


def board(columns=""):
    """A Connect 4 environment after some columns, the leftmost is 1."""
    env = Env(games.Connect4(), Reward())
    for column in columns:
        env.step({env.active_agents()[0]: int(column) - 1})
    return env


def test_tictactoe_is_a_draw():
    engine = Engine(games.TicTacToe(), None, policies.Minimax(9), learners.TreeStrap(gamma=1.0), 1)
    batch = engine.collect(1, nothing(9))
    assert not batch.targets[0].any()  # no first move loses or wins against best play
    assert batch.target_mask[0].all()
    assert batch.telemetry["episodes"][0][0] == [0.0, 0.0]
    assert batch.telemetry["mean_leaves"] == 0.0  # every line was searched to its end
    assert batch.telemetry["infer_calls"] == 0


@pytest.mark.parametrize(("depth", "leaves"), [(1, 7), (2, 49), (3, 343), (4, 2401), (5, 16_807)])
def test_leaves_of_connect4(depth, leaves):
    recorder = Recorder(nothing(7))
    policies.Minimax(depth).choose([board()], recorder, gamma=1.0)
    assert recorder.rows == leaves


def values_of(columns, depth, gamma=1.0, first=(1 << 12, 1 << 15, 1 << 12, 1 << 15)):
    """{column: value} of a Connect 4 position for the player to move; the network says 0."""
    position = Position(games.Connect4(), Reward())
    for column in columns:
        position.play({position.turn: int(column) - 1})
    driver = SearchDriver(policies.Minimax(depth), position, new_stream(0), gamma, first)
    driver.begin()
    while driver.round() > 0:
        driver.answer(nothing(7))
    legal = position.legal(position.turn)
    return dict(
        zip((action + 1 for action in legal), driver.evaluation()[: len(legal)].tolist(), strict=True)
    )


def test_a_win_with_the_fourth_stone():
    """After 4455 (Pons' notation, score +18) the first player makes an open three."""
    assert max(values_of("4455", 2).values()) == 0.0
    values = values_of("4455", 3, gamma=0.5)
    assert values == {1: 0.0, 2: 0.0, 3: 0.25, 4: 0.0, 5: 0.0, 6: 0.25, 7: 0.0}
    assert policies.Minimax(3).choose([board("4455")], nothing(7), gamma=0.5) == [
        2
    ]  # the lower of two columns


def test_a_loss_that_cannot_be_avoided():
    """After 44455554221 (score -15) the first player wins with its next stone whatever the second does."""
    assert set(values_of("44455554221", 1).values()) == {0.0}
    assert set(values_of("44455554221", 2).values()) == {-1.0}


# ---- choosing


@pytest.mark.lanes
def test_ties_go_to_the_lowest_and_nothing_is_drawn():
    chooser = Chooser(policies.Minimax())
    assert chooser.begin_episode(3) == 0
    before = int(chooser.stream[0].counter)
    assert chooser.select([1, 5, 5, 1, 1, 1, 1, 1], 4) == 1
    assert chooser.select([-2, -1, 1, 1], 2) == 1
    assert int(chooser.stream[0].counter) == before


@pytest.mark.lanes
def test_a_choice_does_not_depend_on_what_else_is_asked():
    game = RandomTree(seed=8, chance_share=0.3, openings=30)
    policy = policies.Minimax(2, chance=Committed(2))
    envs = [Env(game, REWARD, seed) for seed in range(5)]
    together = policy.choose(envs, QNetwork(5), 4, gamma=0.9)
    assert together == [policy.choose([env], QNetwork(5), 4, gamma=0.9)[0] for env in envs]
    assert together[::-1] == policy.choose(envs[::-1], QNetwork(5), 4, gamma=0.9)


@pytest.mark.parametrize(
    "policy", [policies.Minimax(3, top_k=2), policies.Minimax(3, chance=Committed(3))], ids=repr
)
@pytest.mark.parametrize("interior", [False, True])
def test_threads_change_nothing(policy, interior):
    game = RandomTree(seed=9, chance_share=0.3, openings=3, max_ticks=7)
    learner = learners.TreeStrap(0.9, 0.5, 0.5, interior)
    batches = []
    for n_threads in (1, 2, 4):
        engine = Engine(game, REWARD, policy, learner, 9, 5, n_threads=n_threads, batch_size=7)
        batches.append([engine.collect(60, QNetwork(5)) for _ in range(3)])
    for others in batches[1:]:
        for one, other in zip(batches[0], others, strict=True):
            assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in one.fields)


def test_the_contract():
    check_policy(policies.Minimax(3), games.Connect4(), decisions=4, plain_decisions=1)
    check_policy(policies.Minimax(2, top_k=3), games.TicTacToe(), decisions=6, plain_decisions=2)


# ---- refusals


def test_claims():
    policy = policies.Minimax()
    assert policy.parameters == {"depth": 4, "top_k": None, "chance": ExpandAll()}
    assert (policy.max_agents("sequential"), policy.max_agents("simultaneous")) == (2, 0)
    assert policy.output.heads == 1
    assert not policy.supports_imperfect_information


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({"depth": 0}, ValueError, "depth must be >= 1"),
        ({"depth": -1}, OverflowError, "depth must not be negative"),
        ({"depth": (1 << 20) + 1}, ValueError, "depth must be <= 1048576"),
        ({"depth": 2.0}, TypeError, "depth must be an int"),
        ({"top_k": 0}, ValueError, "top_k must be >= 1"),
        ({"top_k": -2}, OverflowError, "top_k must not be negative"),
        ({"top_k": (1 << 20) + 1}, ValueError, "top_k must be <= 1048576"),
        ({"top_k": "3"}, TypeError, "top_k must be an int"),
        ({"chance": AlwaysResample()}, ValueError, "visits a node once"),
        ({"chance": "expand_all"}, TypeError, "chance must be a chance mode or None"),
        ({"plies": 3}, TypeError, "plies"),
    ],
)
def test_refused_arguments(keywords, error, text):
    with pytest.raises(error, match=text):
        policies.Minimax(**keywords)


@pytest.mark.parametrize(
    ("game", "reward", "text"),
    [
        (RandomTree(num_players=3), None, "requires a two-player sequential game"),
        (RandomTree(num_players=1), None, "requires a two-player sequential game"),
        (LastStand([3, 3]), None, "requires a two-player sequential game"),
        (games.KuhnPoker(), None, "would be clairvoyant"),
        (games.Connect4(), Reward(win=1.0, loss=-0.5), "requires an antisymmetric reward on connect4"),
        (games.Connect4(), Reward(draw=0.25), "requires an antisymmetric reward .* draw=0.25"),
        (games.Chess(), Reward(loss=0.0), "requires an antisymmetric reward on chess"),
    ],
)
def test_refused_games(game, reward, text):
    with pytest.raises(ValueError, match=text):
        check_game(policies.Minimax(1), game, weight_array(reward, game))


def test_rewards_that_cancel_are_welcome():
    for reward in (Reward(win=2.0, loss=-2.0), Reward(win=0.0, loss=0.0)):
        check_game(policies.Minimax(1), games.Connect4(), weight_array(reward, games.Connect4()))
    backgammon = games.Backgammon()
    check_game(policies.Minimax(1), backgammon, weight_array(Reward(gammon=7.0), backgammon))
