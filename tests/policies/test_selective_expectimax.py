"""SelectiveExpectimax: exact values, choices, refusals. Its records are compared with a twin in tests/learners."""

import numpy as np
import pytest

from rinforza import Engine, Env, Reward, games, learners, policies
from rinforza.contracts.chance_modes import AlwaysResample, Committed, ExpandAll
from rinforza.contracts.reward import weight_array
from rinforza.contracts.rules import CHANCE, TERMINAL
from rinforza.engine.checks import check_game
from rinforza.testing import check_policy
from tests.naive.game_view import Position
from tests.policies.selection import Chooser
from tests.search.driver import SearchDriver, new_stream
from tests.toys.last_stand import LastStand
from tests.toys.networks import QNetwork, Recorder
from tests.toys.random_ticks import RandomTicks
from tests.toys.random_tree import RandomTree

REWARD = Reward(gain=1.0, bonus=-0.75)
DISCOUNT = 0.875


def exact(position, searcher):
    """What a position is worth to a player that maximises among others that choose evenly, to the end."""
    if position.turn == TERMINAL:
        return 0.0
    if position.turn == CHANCE:
        total = 0.0
        for outcome, probability in enumerate(position.odds()):
            if probability > 0:
                behind = position.copy()
                reward = behind.resolve(outcome)[searcher]
                total += probability * (reward + exact(behind, searcher))
        return total
    values = list(exact_values(position, searcher).values())
    return DISCOUNT * (max(values) if position.turn == searcher else sum(values) / len(values))


def exact_values(position, searcher):
    """{action: what it is worth to the searcher}; what follows is discounted behind the chance nodes."""
    values = {}
    for action in position.legal(position.turn):
        behind = position.copy()
        reward = behind.play({position.turn: action})[searcher]
        values[action] = reward + exact(behind, searcher)
    return values


def searched(policy, position, network):
    """The values that a search finds for the player to move, and the search."""
    driver = SearchDriver(policy, position, new_stream(3), DISCOUNT, (1 << 12, 1 << 14, 1 << 10, 1 << 13))
    driver.begin()
    while driver.round() > 0:
        driver.answer(network)
    count = len(position.legal(position.turn))
    return driver.evaluation()[: policy.n_heads * count].reshape(policy.n_heads, count), driver


@pytest.mark.parametrize(
    "tree",
    [{"alternating": True}, {"num_players": 3, "chance_share": 0.3}, {"num_players": 1, "chance_share": 0.5}],
    ids=["in turn", "three players", "one player"],
)
@pytest.mark.lanes
def test_a_budget_for_everything_gives_the_exact_expectimax(tree):
    game = RandomTree(seed=6, longest=4, num_actions=3, **tree)
    position = Position(game, REWARD)
    policy = policies.SelectiveExpectimax(1 << 20, 64, 64, chance=ExpandAll(), n_heads=2)
    found, driver = searched(policy, position, QNetwork(3, 2))
    expected = list(exact_values(position, position.turn).values())
    assert found.tolist() == pytest.approx(np.array([expected, expected]))
    assert not (driver.nodes["node"]["kind"] == 0).any()  # no leaf is left


@pytest.mark.lanes
def test_one_head_goes_deepest_first():
    """With one head there is no disagreement: a tie, which goes to the deeper and then the likelier leaf."""
    position = Position(RandomTree(seed=2, alternating=True, end_share=0.0, longest=30), REWARD)
    policy = policies.SelectiveExpectimax(expansion_budget=6, top_k=1)
    _, driver = searched(policy, position, QNetwork(5))
    nodes = driver.nodes["node"]
    assert sorted(nodes["depth"][nodes["kind"] != 0].tolist()) == [0, 1, 2, 3, 4, 5]


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("budget", "top_k", "rounds"), [(1, 8, 1), (9, 8, 2), (10, 8, 3), (4, 1, 4), (7, 3, 3)]
)
def test_rounds_and_expansions(budget, top_k, rounds):
    game = RandomTree(seed=2, num_actions=16, density=1.0, end_share=0.0, longest=30, max_ticks=1)
    policy = policies.SelectiveExpectimax(budget, top_k, n_heads=2)
    batch = Engine(game, REWARD, policy, learners.TreeStrap(), 1).collect(1, QNetwork(16, 2))
    measured = batch.telemetry
    assert (measured["mean_rounds"], measured["mean_expansions"]) == (rounds, budget)
    assert measured["mean_leaves"] == measured["requested_rows"] == 16 * budget
    assert measured["mean_sigma"] > 0.0
    assert measured["mean_disagreement"] > 0.0


@pytest.mark.lanes
def test_opponents_are_asked_by_their_own_rows_only_when_modelled():
    game = RandomTicks(seed=3, num_players=3, chance_share=0.0, death_share=0.0, max_ticks=1)
    for opponent, extra in (("uniform", 0), ("distributional", 2)):
        policy = policies.SelectiveExpectimax(1, opponent=opponent)
        recorder = Recorder(QNetwork(3))
        batch = Engine(game, REWARD, policy, learners.TreeStrap(), 1, batch_size=999).collect(1, recorder)
        measured = batch.telemetry
        assert measured["extra_eval_rows"] == 3 * extra  # three trees, each of one expansion
        assert recorder.rows == 3 * extra + round(3 * measured["mean_leaves"])


@pytest.mark.parametrize("temperature", [0.05, 50.0])
@pytest.mark.lanes
def test_a_cold_opponent_plays_its_best_and_a_hot_one_anything(temperature):
    position = Position(RandomTree(seed=4, alternating=True, num_actions=3, longest=2, end_share=0.0), REWARD)
    policy = policies.SelectiveExpectimax(
        64, opponent="distributional", opp_temperature=temperature, opp_floor=0.0
    )
    network = QNetwork(3)
    _, driver = searched(policy, position, lambda obs: 3.0 * network(obs))
    edges, nodes = driver.edges, driver.nodes["node"]
    for node in nodes[nodes["kind"] == 4]:
        shares = edges["weight"][node["first"] : node["first"] + node["count"]]
        assert shares.sum() == pytest.approx(1.0)
        assert shares.max() > 0.9 or temperature > 1
        assert shares.max() - shares.min() < 0.1 or temperature < 1


# ---- choosing


@pytest.mark.lanes
def test_the_head_of_the_episode_chooses():
    chooser = Chooser(policies.SelectiveExpectimax(n_heads=3))
    values = [[1, 2, 3, 0], [5, 5, 4, 4], [-1, -3, 0, -2]]
    for head, best in enumerate((2, 0, 2)):
        chooser.progress[0] = head
        assert chooser.select([*np.ravel(values), 1, 1, 1, 1], 4) == best
    assert {chooser.begin_episode() for _ in range(100)} == {0, 1, 2}


@pytest.mark.lanes
def test_exploring_chooses_among_all_legal_actions():
    chooser = Chooser(policies.SelectiveExpectimax(epsilon=1.0))
    assert {chooser.select([0, 9, 0, 1, 1, 1], 3) for _ in range(100)} == {0, 1, 2}


@pytest.mark.lanes
def test_a_choice_does_not_depend_on_what_else_is_asked():
    game = RandomTree(seed=8, num_players=3, chance_share=0.3, openings=30)
    policy = policies.SelectiveExpectimax(6, 2, n_heads=2, chance=Committed(2), epsilon=0.3)
    envs = [Env(game, REWARD, seed) for seed in range(5)]
    together = policy.choose(envs, QNetwork(5, 2), 4, gamma=0.9)
    assert together == [policy.choose([env], QNetwork(5, 2), 4, gamma=0.9)[0] for env in envs]
    assert together[::-1] == policy.choose(envs[::-1], QNetwork(5, 2), 4, gamma=0.9)


@pytest.mark.parametrize("opponent", ["uniform", "distributional"])
@pytest.mark.parametrize("interior", [False, True])
def test_threads_change_nothing(opponent, interior):
    game = RandomTicks(seed=9, num_players=3, max_ticks=7)
    policy = policies.SelectiveExpectimax(5, 2, n_heads=2, opponent=opponent, epsilon=0.2)
    learner = learners.TreeStrap(0.9, 0.5, 0.5, interior)
    batches = []
    for n_threads in (1, 2, 4):
        engine = Engine(game, REWARD, policy, learner, 9, 5, n_threads=n_threads, batch_size=7)
        batches.append([engine.collect(60, QNetwork(3, 2)) for _ in range(3)])
    for others in batches[1:]:
        for one, other in zip(batches[0], others, strict=True):
            assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in one.fields)


@pytest.mark.parametrize(
    "options",
    [{}, {"n_heads": 2, "opponent": "distributional", "beta": 0.5}, {"chance": Committed(3)}],
    ids=["plain", "ensemble", "committed"],
)
def test_the_contract(options):
    policy = policies.SelectiveExpectimax(7, 3, **options)
    check_policy(policy, games.Connect4(), decisions=3, plain_decisions=1)
    check_policy(policy, games.Snake(grid_size=6, num_snakes=3), decisions=3, plain_decisions=1)


# ---- refusals


def test_claims():
    policy = policies.SelectiveExpectimax()
    assert policy.parameters == {
        "expansion_budget": 64,
        "top_k": 8,
        "max_depth": 12,
        "beta": 1.0,
        "chance": Committed(1),
        "n_heads": 1,
        "epsilon": 0.0,
        "opponent": "uniform",
        "opp_temperature": 1.0,
        "opp_floor": 0.0,
    }
    assert policy.max_agents("sequential") is policy.max_agents("simultaneous") is None
    assert policies.SelectiveExpectimax(n_heads=5).output.heads == 5
    assert not policy.supports_imperfect_information


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        *[
            ({name: 0}, ValueError, f"{name} must be >= 1")
            for name in ("expansion_budget", "top_k", "max_depth")
        ],
        *[
            ({name: (1 << 20) + 1}, ValueError, f"{name} must be <= 1048576")
            for name in ("top_k", "max_depth")
        ],
        ({"expansion_budget": -1}, OverflowError, "expansion_budget must not be negative"),
        ({"expansion_budget": 8.0}, TypeError, "expansion_budget must be an int"),
        ({"n_heads": 0}, ValueError, "n_heads must be >= 1"),
        ({"n_heads": 4097}, ValueError, "n_heads must be <= 4096"),
        ({"beta": 1.5}, ValueError, "beta must be <= 1"),
        ({"epsilon": -0.1}, ValueError, "epsilon must be >= 0"),
        ({"opp_temperature": 0.0}, ValueError, "opp_temperature must be > 0"),
        ({"opp_floor": 2}, ValueError, "opp_floor must be <= 1"),
        ({"opponent": "greedy"}, ValueError, "opponent must be one of 'uniform', 'distributional'"),
        ({"opponent": None}, TypeError, "opponent must be a str"),
        ({"chance": AlwaysResample()}, ValueError, "visits a node once"),
        ({"chance": 3}, TypeError, "chance must be a chance mode or None"),
        ({"budget": 3}, TypeError, "budget"),
    ],
)
def test_refused_arguments(keywords, error, text):
    with pytest.raises(error, match=text):
        policies.SelectiveExpectimax(**keywords)


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (games.KuhnPoker(), "would be clairvoyant"),
        (LastStand([1] * 10), r"5\*\*9 joint actions on last_stand, .* the joint fan is too wide"),
    ],
)
def test_refused_games(game, text):
    with pytest.raises(ValueError, match=text):
        check_game(policies.SelectiveExpectimax(4), game, weight_array(None, game))
