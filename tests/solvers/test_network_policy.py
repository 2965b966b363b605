"""Networks as policies: their probabilities, who is asked about what, and what no network may answer."""

from functools import cache

import numpy as np
import pytest

import rinforza as rf
from rinforza.solvers import NetworkPolicy, best_response, exploitability, network_policy
from rinforza.solvers.evaluation import policy_table
from rinforza.solvers.tree import Composition, GameTree
from tests.solvers.test_deep_cfr_sampling import GAMES
from tests.solvers.test_evaluation import kuhn_equilibrium
from tests.testing.toys import Guess
from tests.toys.networks import PolicyValueNetwork, QNetwork, row_numbers

GAME = rf.games.KuhnPoker()
NETWORKS = {
    "q": lambda game, salt=0: QNetwork(game.num_actions, 1, salt=salt),
    "logits": lambda game, salt=0: lambda obs: 3.0 * row_numbers(obs, game.num_actions + 2, salt),
    "policy_value": lambda game, salt=0: PolicyValueNetwork(game.num_actions, salt=salt, dtype=np.float32),
}


def columns_of(answer):
    """The numbers of an answer's columns, one row for each that was asked."""
    if isinstance(answer, tuple):
        return answer[0]
    return answer[:, 0] if answer.ndim == 3 else answer


def naive(game, infers, temperature):
    """The policy asked state by state."""

    def policy(state):
        infer = infers[state.player if len(infers) > 1 else 0]
        columns = columns_of(infer(state.observation.reshape(1, -1)))[0]
        numbers = [float(columns[game.encoder.head_index(action, state.player)]) for action in state.actions]
        if temperature == 0.0:
            best = numbers.index(max(numbers))
            return [float(place == best) for place in range(len(numbers))]
        weights = np.exp(np.array(numbers) / temperature)
        return weights / weights.sum()

    return policy


def table_of(game, policy):
    return policy_table(GameTree(Composition(game)), policy)


@cache
def tree_of(name):
    return GameTree(Composition(GAMES[name]()))


LARGE = {"leduc"}  # for plain Python


@pytest.mark.parametrize("is_routed", [False, True], ids=["shared", "routed"])
@pytest.mark.parametrize("output", NETWORKS)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in LARGE else pytest.mark.lanes) for name in GAMES]
)
def test_a_network_is_what_it_answers_state_by_state(name, output, is_routed):
    tree = tree_of(name)
    game = tree.composition.game
    salts = range(game.num_players) if is_routed else [7]
    infers = [NETWORKS[output](game, salt) for salt in salts]
    for temperature in (None, 0.0, 0.5):
        policy = NetworkPolicy(infers if is_routed else infers[0], output, temperature)
        effective = (0.0 if output == "q" else 1.0) if temperature is None else temperature
        expected = policy_table(tree, naive(game, infers, effective))
        np.testing.assert_allclose(policy_table(tree, policy), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (kuhn_equilibrium(0.2), 0.0),
        (lambda state: [0.5, 0.5], 11 / 24),
        (lambda state: [1.0, 0.0], 1.0),  # the other bets, and takes the ante
    ],
    ids=["equilibrium", "uniform", "passing"],
)
def test_a_network_that_encodes_a_strategy_is_exploited_as_much(strategy, expected):
    """A row of Kuhn poker shows the own card and all bets, so it stands for the information state."""
    answers = {}

    def remember(state):
        answers[state.observation.tobytes()] = strategy(state)
        return strategy(state)

    assert exploitability(GAME, remember) == pytest.approx(expected, abs=1e-12)
    assert len(answers) == 12

    def logits(obs):
        return np.log(np.maximum([answers[row.tobytes()] for row in obs], 1e-300))

    policy = NetworkPolicy(logits, "logits")
    assert exploitability(GAME, policy) == pytest.approx(expected, abs=1e-12)
    for player in range(2):
        wanted = best_response(GAME, remember, player).value
        assert best_response(GAME, policy, player).value == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("game", [GAME, Guess(rounds=1)], ids=repr)
def test_values_that_are_all_alike_are_the_lowest_action(game):
    policy = NetworkPolicy(lambda obs: np.zeros((len(obs), 1, game.num_actions), np.float32), "q")

    def lowest(state):
        return [1.0] + [0.0] * (len(state.actions) - 1)

    assert exploitability(game, policy) == exploitability(game, lowest)
    uniform = NetworkPolicy(lambda obs: np.zeros((len(obs), game.num_actions)), "logits")
    assert exploitability(game, uniform) == pytest.approx(exploitability(game, lambda state: None))


@pytest.mark.parametrize("game", [rf.games.LeducPoker(), Guess(rounds=2)], ids=repr)
def test_a_greedy_network_plays_as_its_agent_does(game):
    infer, agent = QNetwork(game.num_actions, 1), rf.policies.EpsilonGreedyQ(epsilon=0.0)
    tree = GameTree(Composition(game))
    table, sets = NetworkPolicy(infer, "q").table(tree), tree.sets
    env, generator, decisions = rf.Env(game, rf.Reward(), seed=3), np.random.default_rng(3), 0
    while decisions < 40:
        if env.done():
            env.reset()
            continue
        (player,) = env.active_agents()
        row = sets.find(env.information_state_key(player))
        (action,) = agent.choose([env], infer, gamma=1.0)
        assert table[sets.bounds_of(row)].tolist() == [float(legal == action) for legal in sets.actions(row)]
        env.step({player: int(generator.choice(env.legal_actions(player)))})
        decisions += 1


@pytest.mark.lanes
@pytest.mark.parametrize("most", [1, 5, 4096])
def test_rows_come_in_batches_each_to_its_player(monkeypatch, most):
    monkeypatch.setattr(network_policy, "MOST_ROWS", most)
    tree = tree_of("random of three")
    game = tree.composition.game
    seen = [[] for _ in range(3)]

    def asked(player):
        def infer(obs):
            assert obs.dtype == np.float32
            assert obs.ndim == 2
            assert obs.flags.writeable
            seen[player].append(obs)
            return row_numbers(obs, game.num_actions, player)

        return infer

    table = NetworkPolicy([asked(player) for player in range(3)], "logits").table(tree)
    infers = [lambda obs, salt=player: row_numbers(obs, game.num_actions, salt) for player in range(3)]
    np.testing.assert_allclose(table, policy_table(tree, naive(game, infers, 1.0)), rtol=1e-12)
    for player, batches in enumerate(seen):
        states = [row for row in range(tree.sets.rows) if tree.sets.player(row) == player]
        assert [len(obs) for obs in batches[:-1]] == [most] * (len(batches) - 1)
        assert 0 < len(batches[-1]) <= most
        expected = [tree.observation(row).reshape(-1) for row in states]
        np.testing.assert_array_equal(np.concatenate(batches), expected)


@pytest.mark.parametrize("temperature", [5e-324, 1e-9, 1e300])
def test_extreme_numbers_make_probabilities(temperature):
    def logits(obs):
        return np.tile([1.7e308, -1.7e308], (len(obs), 1))

    table = table_of(GAME, NetworkPolicy(logits, "logits", temperature))
    np.testing.assert_array_equal(table.reshape(-1, 2), [[1.0, 0.0]] * 12)


def test_padding_may_hold_anything():
    def padded(obs):
        return np.concatenate([np.zeros((len(obs), 2)), np.full((len(obs), 3), np.nan)], axis=1)

    np.testing.assert_array_equal(table_of(GAME, NetworkPolicy(padded, "logits")), np.full(24, 0.5))


def zeros(*shape, dtype=np.float32):
    return lambda rows: np.zeros((rows, *shape), dtype)


def pair(logits, values):
    return lambda rows: (logits(rows), values(rows))


FLOATS = "must be a float64 or float32 ndarray; got"
FINITE = "NetworkPolicy infer outputs must contain only finite values; got NaN or infinity"
SHAPES = r"NetworkPolicy infer must return \(policy_logits \(n, >=2\), values \(n,\)\) with n = 12; got"
WRONG = [
    ("q", lambda rows: [1.0], TypeError, f"NetworkPolicy infer output {FLOATS} type list"),
    ("q", zeros(2), TypeError, "NetworkPolicy infer output must be a 3-d ndarray; got 2-d"),
    ("q", zeros(1, 2, dtype=np.int64), TypeError, f"{FLOATS} dtype int64"),
    (
        "q",
        zeros(2, 2),
        ValueError,
        r"infer returned shape \(12, 2, 2\); expected \(n, n_heads = 1, 2\), n = 12",
    ),
    ("q", zeros(1, 3), ValueError, r"infer returned shape \(12, 1, 3\); expected"),
    (
        "q",
        lambda rows: np.zeros((rows + 1, 1, 2)),
        ValueError,
        r"infer returned shape \(13, 1, 2\); expected",
    ),
    ("q", lambda rows: np.full((rows, 1, 2), np.nan), ValueError, FINITE),
    ("logits", zeros(1, 2), TypeError, "NetworkPolicy infer output must be a 2-d ndarray; got 3-d"),
    ("logits", zeros(2, dtype=np.float16), TypeError, f"{FLOATS} dtype float16"),
    ("logits", zeros(1), ValueError, r"infer returned shape \(12, 1\); expected \(n, >=2\), n = 12"),
    ("logits", lambda rows: np.zeros((1, 2)), ValueError, r"infer returned shape \(1, 2\); expected"),
    ("logits", lambda rows: np.full((rows, 2), -np.inf), ValueError, FINITE),
    ("policy_value", zeros(2), TypeError, r"return a \(policy_logits, values\) tuple; got type ndarray"),
    ("policy_value", lambda rows: (1, 2, 3), TypeError, r"values\) tuple; got a tuple of 3"),
    ("policy_value", lambda rows: [zeros(2)(rows), zeros()(rows)], TypeError, "tuple; got type list"),
    ("policy_value", pair(zeros(), zeros()), TypeError, "infer policy_logits must be a 2-d ndarray; got 1-d"),
    ("policy_value", pair(zeros(2), zeros(1)), TypeError, "infer values must be a 1-d ndarray; got 2-d"),
    ("policy_value", pair(zeros(1), zeros()), ValueError, SHAPES),
    ("policy_value", pair(zeros(2), lambda rows: np.zeros(3)), ValueError, SHAPES),
    ("policy_value", pair(zeros(2), lambda rows: np.full(rows, np.inf)), ValueError, FINITE),
    ("policy_value", pair(lambda rows: np.full((rows, 2), np.nan), zeros()), ValueError, FINITE),
]


@pytest.mark.parametrize(("output", "answer", "error", "words"), WRONG)
def test_wrong_answers(output, answer, error, words):
    policy = NetworkPolicy(lambda obs: answer(len(obs)), output)
    with pytest.raises(error, match=words):
        exploitability(GAME, policy)
    with pytest.raises(error, match=words):
        best_response(GAME, policy)


def test_an_exception_of_the_network_comes_through():
    def infer(obs):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        exploitability(GAME, NetworkPolicy(infer, "q"))


@pytest.mark.parametrize(
    ("infer", "error", "words"),
    [
        (5, TypeError, "infer must be a callable or a sequence of 2 callables, got int"),
        ([zeros(2)], ValueError, "expected 2 per-player infer callables, got 1"),
        ([zeros(2), 3], TypeError, r"infer\[1\] must be callable, got int"),
    ],
)
def test_networks_that_are_none(infer, error, words):
    with pytest.raises(error, match=words):
        exploitability(GAME, NetworkPolicy(infer, "logits"))


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        (
            {"output": "values"},
            ValueError,
            "output must be one of 'q', 'logits', 'policy_value'; got 'values'",
        ),
        ({"output": None}, TypeError, "output must be a str"),
        ({"temperature": -1.0}, ValueError, "temperature must be >= 0"),
        ({"temperature": np.nan}, ValueError, "temperature must be finite"),
        ({"temperature": "1"}, TypeError, "temperature must be a float"),
    ],
)
def test_arguments(changed, error, words):
    with pytest.raises(error, match=words):
        NetworkPolicy(**{"infer": zeros(2), "output": "logits", **changed})
