"""What may be added to PUCT: each option does what its paper says, on small trees and by itself."""

import math

import numpy as np
import pytest

from rinforza import Engine, Reward, games, learners, policies
from rinforza.compiled import plain_python
from rinforza.contracts.noise import Dirichlet
from rinforza.search.tree import ASKED, NONE, ROOT
from tests.engine.compositions import bits
from tests.naive.game_view import Position
from tests.search.driver import SearchDriver, new_stream
from tests.toys.networks import PolicyValueNetwork
from tests.toys.random_ticks import RandomTicks
from tests.toys.random_tree import RandomTree

REWARDS = Reward(gain=1.0, bonus=-0.75)
OPTIONS = {
    "gumbel": {"root": "gumbel"},
    "gumbel, few considered": {"root": "gumbel", "considered": 2, "gumbel_scale": 0.1},
    "urgency": {"fpu_reduction": 0.25},
    "normalised": {"normalise": True},
    "forced": {"forced_playouts": 2.0},
    "fast and full": {"fast_simulations": 3, "full_share": 0.5},
    "four leaves": {"leaves": 4},
    "all": {"root": "gumbel", "fpu_reduction": 0.1, "normalise": True, "fast_simulations": 4, "leaves": 3},
}


def searched(position, policy, network, seed=0, discount=1.0):
    """Run a search to its end."""
    driver = SearchDriver(policy, position, new_stream(seed), discount)
    driver.begin()
    while driver.round() > 0:
        driver.answer(network)
    return driver


def root_edges(driver):
    """The root's edges, and their shadows if there are any."""
    first, count = int(driver.nodes[ROOT]["first"]), int(driver.nodes[ROOT]["count"])
    return driver.edges[first : first + count], driver.edges[first + count : first + 2 * count]


# ---- all of them ----


@pytest.mark.lanes
@pytest.mark.parametrize("name", OPTIONS)
def test_the_budget_is_spent_and_nothing_pretended_is_left(name):
    budget, seeds = (9, 1) if plain_python() else (33, 4)  # plain Python takes its time
    for seed in range(seeds):
        game = RandomTree(seed, chance_share=0.3)
        policy = policies.AlphaZero(budget, noise=Dirichlet(0.3, 0.5), **OPTIONS[name])
        driver = searched(Position(game, REWARDS), policy, PolicyValueNetwork(5, salt=seed), seed, 0.9)
        edges, _ = root_edges(driver)
        fast = OPTIONS[name].get("fast_simulations")
        assert edges["visits"].sum() in (budget - 1, (fast or budget) - 1)
        assert not (driver.nodes["kind"] == ASKED).any()
        for place, node in enumerate(driver.nodes):
            below = driver.edges[driver.nodes["edge"][driver.nodes["parent"] == place]]
            if len(below) and (driver.nodes["edge"][driver.nodes["parent"] == place] != NONE).all():
                assert node["visits"] == below["visits"].sum()


@pytest.mark.parametrize("name", OPTIONS)
def test_threads_change_nothing(name):
    policy = policies.AlphaZero(16, **OPTIONS[name])
    game = RandomTree(3, chance_share=0.2, openings=20, max_ticks=6)
    found = []
    for n_threads in (1, 2, 4):
        engine = Engine(game, REWARDS, policy, learners.AlphaZero(), 16, 3, n_threads=n_threads)
        found.append([bits(engine.collect(floor, PolicyValueNetwork(5))) for floor in (1, 60)])
    assert found[0] == found[1] == found[2]


# ---- Gumbel ----


def worth_of(position):
    """What each action of a game of one decision pays."""
    found = []
    for action in position.legal(0):
        after = position.copy()
        found.append(after.play({0: action})[0])
    return np.array(found)


def softmax(logits):
    powers = np.exp(logits - np.max(logits))
    return powers / powers.sum()


@pytest.mark.parametrize("simulations", [3, 5, 9, 17])
def test_gumbel_improves_on_the_prior_in_expectation(simulations):
    """With exact values even a small budget does better than the prior, on the average over its noise."""
    gains = []
    for seed in range(150):
        position = Position(RandomTree(seed, num_players=1, num_actions=16, density=0.9, longest=1), REWARDS)
        network = PolicyValueNetwork(16, salt=seed)
        legal = position.legal(0)
        prior = softmax(network(position.observe(0)[None])[0][0, legal])
        worth = worth_of(position)
        policy = policies.AlphaZero(simulations, root="gumbel")
        driver = searched(position, policy, network, seed)
        acting, target = driver.evaluation().reshape(2, -1)
        assert acting.sum() == 1.0
        assert target.sum() == pytest.approx(1.0)
        gains.append(float(worth @ acting - worth @ prior))
        if simulations == 17:  # all values are known: the target is the improved policy itself
            assert worth @ target >= worth @ prior - 1e-12
    mean, error = np.mean(gains), np.std(gains) / math.sqrt(len(gains))
    assert mean > 2 * error


@pytest.mark.lanes
@pytest.mark.parametrize(("considered", "simulations"), [(4, 17), (8, 25), (2, 9), (16, 5), (1, 6)])
def test_halving_shares_the_visits(considered, simulations):
    """The first phase visits every action that takes part equally; each later one half of them."""
    position = Position(RandomTree(2, num_players=1, num_actions=12, density=1.0), REWARDS)
    policy = policies.AlphaZero(simulations, root="gumbel", considered=considered)
    driver = SearchDriver(policy, position, new_stream(1))
    driver.begin()
    orders = []
    while driver.round() > 0:
        edges, shadows = root_edges(driver)
        driver.answer(PolicyValueNetwork(12))
        orders.append(edges["visits"].copy())
    edges, shadows = root_edges(driver)
    taking_part = min(considered, 12)
    merits = shadows["total"] + shadows["mean"]
    best = np.sort(np.argsort(-merits, kind="stable")[:taking_part])
    assert set(np.flatnonzero(edges["visits"])) <= set(best)
    phases = max(1, math.ceil(math.log2(max(taking_part, 2))))
    first_share = max(1, (simulations - 1) // (phases * taking_part))
    if simulations - 1 >= first_share * taking_part:
        assert (edges["visits"][best] >= first_share).all()


@pytest.mark.parametrize("simulations", [2, 3, 5])
def test_a_budget_below_the_considered_actions_goes_to_the_best_of_them(simulations):
    """Where not every action can be visited, those with the largest g + logit are, and not the lowest ids."""
    position = Position(RandomTree(2, num_players=1, num_actions=12, density=1.0), REWARDS)
    logits = np.zeros((1, 12))
    logits[0, 8] = 40.0
    for seed in range(5):
        policy = policies.AlphaZero(simulations, root="gumbel")
        driver = searched(position, policy, lambda obs: (logits, np.zeros(1)), seed)
        edges, _ = root_edges(driver)
        assert edges["visits"][8] > 0
        assert driver.evaluation().reshape(2, -1)[0].argmax() == 8


def test_the_gumbel_target_is_the_formula():
    position = Position(RandomTree(5, alternating=True, num_actions=8), REWARDS)
    policy = policies.AlphaZero(12, root="gumbel", considered=3, gumbel_scale=0.7)
    driver = searched(position, policy, PolicyValueNetwork(8), 3)
    edges, shadows = root_edges(driver)
    visits, prior = edges["visits"], edges["prior"].astype(float)
    seen = visits > 0
    mixed = prior[seen] @ edges["mean"][seen] / prior[seen].sum()
    mixed = (driver.nodes[ROOT]["value"] + visits.sum() * mixed) / (1 + visits.sum())
    values = np.where(seen, edges["mean"], mixed)
    expected = softmax(np.log(prior) + (50 + visits.max()) * 0.7 * values)
    assert driver.evaluation().reshape(2, -1)[1] == pytest.approx(expected, abs=1e-9)
    assert shadows["mean"] == pytest.approx(np.log(prior))


# ---- the others ----


def test_normalised_values_do_not_depend_on_the_scale_of_the_returns():
    counts = []
    for scale in (1.0, 1024.0):
        position = Position(RandomTree(7, num_players=1), Reward(gain=scale, bonus=0.0))
        policy = policies.AlphaZero(50, noise=None, normalise=True)
        driver = searched(position, policy, PolicyValueNetwork(5, value_scale=scale))
        counts.append(root_edges(driver)[0]["visits"].tolist())
    assert counts[0] == counts[1]


def test_lost_visits_do_not_widen_the_range_of_values():
    """With nothing to gain anywhere, normalised values find nothing to normalise by."""
    position = Position(RandomTree(7, num_players=1), Reward(gain=0.0, bonus=0.0))
    for leaves in (1, 4):
        policy = policies.AlphaZero(50, noise=None, normalise=True, leaves=leaves)
        search = searched(position, policy, PolicyValueNetwork(5, value_scale=0.0)).search
        assert search["lowest"] == search["highest"] == 0.0


def test_forced_playouts_leave_the_target():
    """From the formula: as many forced visits go as keep an action's score below that of the most visited."""
    for seed in range(6):
        position = Position(RandomTree(seed, alternating=True, num_actions=6, density=1.0), REWARDS)
        policy = policies.AlphaZero(200, noise=None, forced_playouts=2.0)
        driver = searched(position, policy, PolicyValueNetwork(6, scale=1.0, salt=seed))
        edges, _ = root_edges(driver)
        total = edges["visits"].sum()
        best = int(edges["visits"].argmax())

        def score(place, visits, edges=edges, total=total):
            return edges["mean"][place] + 1.5 * edges["prior"][place] * math.sqrt(total) / (1 + visits)

        expected = []
        for place, visits in enumerate(edges["visits"].tolist()):
            forced = math.sqrt(2.0 * edges["prior"][place] * total)
            kept = [
                visits - taken
                for taken in range(visits + 1)
                if taken == 0
                or (taken <= forced and score(place, visits - taken) < score(best, edges["visits"][best]))
            ]
            fewest = min(kept) if place != best else visits
            expected.append(0 if place != best and fewest <= 1 else fewest)
        visits, target = driver.evaluation().reshape(2, -1)
        assert visits.tolist() == edges["visits"].tolist()
        assert target.tolist() == expected


def test_telemetry_counts_what_was_run():
    policy = policies.AlphaZero(32, fast_simulations=4, full_share=0.0)
    engine = Engine(games.TicTacToe(), None, policy, learners.AlphaZero(), 4, n_threads=1)
    measured = engine.collect(50, PolicyValueNetwork(9)).telemetry
    assert measured["mean_leaves"] == measured["mean_expansions"] == 4.0
    searched_rows = measured["requested_rows"] - measured["tail_rows"] - measured["extra_eval_rows"]
    done = searched_rows + measured["terminal_sims"] + measured["depthcap_sims"]
    assert done == 4 * measured["decisions"]


def test_fast_decisions_have_no_weight():
    policy = policies.AlphaZero(20, fast_simulations=4, full_share=0.3)
    engine = Engine(games.Connect4(), None, policy, learners.AlphaZero(), 16, 1, n_threads=1)
    batch = engine.collect(2000, PolicyValueNetwork(7))
    assert np.isin(batch.policy_weights, (0.0, 1.0)).all()
    assert batch.policy_weights.mean() == pytest.approx(0.3, abs=0.05)
    visits = batch.policy_targets * np.where(batch.policy_weights == 1.0, 19, 3)[:, None]
    assert visits == pytest.approx(np.round(visits), abs=1e-9)


def test_several_leaves_fill_a_batch_from_one_game():
    rows = {}
    for leaves in (1, 8):
        policy = policies.AlphaZero(65, leaves=leaves, noise=None)
        engine = Engine(games.Connect4(), None, policy, learners.AlphaZero(), 1, batch_size=8, n_threads=1)
        measured = engine.collect(1, PolicyValueNetwork(7)).telemetry
        rows[leaves] = measured["infer_rows"] / measured["infer_calls"]
    assert rows[1] == 1.0
    assert rows[8] > 4.0


@pytest.mark.parametrize(
    ("options", "game", "message"),
    [
        ({"root": "gumbel"}, RandomTicks(1), "plays sequential games"),
        ({"normalise": True}, RandomTree(1, num_players=3), "one or two players in turn"),
    ],
)
def test_games_that_an_option_is_not_made_for(options, game, message):
    with pytest.raises(ValueError, match=message):
        Engine(game, None, policies.AlphaZero(4, **options), learners.AlphaZero(), 1)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"root": "uct"}, ValueError),
        ({"considered": 0}, ValueError),
        ({"gumbel_scale": 0.0}, ValueError),
        ({"fpu_reduction": -0.1}, ValueError),
        ({"normalise": 1}, TypeError),
        ({"forced_playouts": float("nan")}, ValueError),
        ({"fast_simulations": 1}, ValueError),
        ({"full_share": 1.5}, ValueError),
        ({"leaves": 0}, ValueError),
        ({"leaves": 2.0}, TypeError),
        ({"leaves": -1}, OverflowError),
    ],
)
def test_bad_options(options, error):
    with pytest.raises(error, match=next(iter(options))):
        policies.AlphaZero(**options)
