"""AlphaZero's search against its twin on objects, compared after every single round."""

import numpy as np
import pytest

from rinforza import Reward
from rinforza.policies import AlphaZero
from rinforza.policies.alphazero import Dirichlet
from rinforza.search.tree import ASKED, ROOT
from tests.naive.game_view import Position
from tests.naive.puct import Puct
from tests.search.comparison import assert_same_tree, decisions, path_to
from tests.search.driver import SearchDriver, new_stream
from tests.toys.lottery import Lottery
from tests.toys.networks import PolicyValueNetwork
from tests.toys.random_tree import RandomTree, TurnedTreeView

pytestmark = pytest.mark.lanes

SIMULATIONS = 40

# name: (the tree, the search, the discount)
CASES = {
    "two players in turn": ({"alternating": True}, {}, 1.0),
    "movers at random": ({}, {}, 1.0),
    "one player": ({"num_players": 1}, {}, 1.0),
    "discounted": ({}, {}, 0.9),
    "no future": ({}, {}, 0.0),
    "chance": ({"chance_share": 0.4}, {}, 1.0),
    "chance in chains": ({"chance_share": 0.8, "longest": 12}, {}, 0.95),
    "chance for one player": ({"num_players": 1, "chance_share": 0.5}, {}, 0.9),
    "chance, wide": ({"chance_share": 0.5, "most_outcomes": 12}, {}, 1.0),
    "short games": ({"longest": 3, "end_share": 0.3}, {}, 1.0),
    "games of one decision": ({"longest": 1}, {}, 1.0),
    "depth 1": ({"chance_share": 0.3}, {"max_depth": 1}, 1.0),
    "depth 2": ({}, {"max_depth": 2}, 0.9),
    "depth 3": ({"chance_share": 0.3}, {"max_depth": 3}, 1.0),
    "noise": ({}, {"noise": Dirichlet(0.4, 0.5)}, 1.0),
    "noise alone, chance": ({"chance_share": 0.4}, {"noise": Dirichlet(1.0, 2.0)}, 1.0),
    "no exploration": ({}, {"c_puct": 0.0}, 1.0),
    "much exploration": ({}, {"c_puct": 30.0}, 1.0),
    "forced moves": ({"density": 0.1}, {}, 1.0),
    "many actions": ({"num_actions": 16, "density": 0.8}, {"c_puct": 4.0}, 1.0),
    "other columns": ({"encoder": TurnedTreeView(5, 3)}, {}, 1.0),
}


def searches(case, seed, first=(64, 512, 8, 256)):
    """The compiled search and its twin, on the same position with the same random numbers."""
    tree, options, discount = CASES[case]
    options = {"noise": None, "c_puct": 1.5, "max_depth": 64, **options}
    position = Position(RandomTree(seed=seed, **tree), Reward(gain=1.0, bonus=-0.75))
    policy = AlphaZero(num_simulations=SIMULATIONS, **options)
    driver = SearchDriver(policy, position, new_stream(seed), discount, first)
    noise = options["noise"] and (options["noise"].epsilon, options["noise"].alpha)
    stream = new_stream(seed)
    network = PolicyValueNetwork(position.game.num_actions, salt=seed)
    twin = Puct(
        position,
        lambda place, player: network(place.observe(player)[None]),
        stream[0],
        options["c_puct"],
        options["max_depth"],
        discount,
        noise,
    )
    return driver, twin, network, stream


def catch_up(driver, twin, done):
    """Let the twin run as many simulations as the driver has."""
    root = driver.nodes[ROOT]
    while done < int(root["visits"]) + (root["kind"] > ASKED):
        twin.simulate()
        done += 1
    return done


@pytest.mark.parametrize("case", CASES)
def test_every_round_equals_the_twins(case):
    for seed in range(2):
        driver, twin, network, stream = searches(case, seed)
        driver.begin()
        done = 0
        while driver.round() > 0:
            done = catch_up(driver, twin, done)  # simulations that needed no network
            leaf = int(driver.requests()[0]["state"])
            driver.answer(network)
            twin.simulate()
            done += 1
            assert path_to(driver, leaf) == twin.path
            assert_same_tree(driver, twin)
        catch_up(driver, twin, done)
        assert_same_tree(driver, twin)
        assert driver.stream[0] == stream[0]
        edges = twin.root.edges
        assert driver.evaluation().tolist() == [edges[action].visits for action in sorted(edges)]
        assert driver.evaluation().sum() == SIMULATIONS - 1


@pytest.mark.parametrize("case", ["chance in chains", "noise", "depth 3", "many actions"])
def test_tables_that_start_tiny_change_nothing(case):
    large, _, network, _ = searches(case, 5)
    small, _, _, _ = searches(case, 5, first=(1, 1, 1, 1))
    for driver in (large, small):
        driver.begin()
        while driver.round() > 0:
            driver.answer(network)
    assert small.grown > 10
    assert large.evaluation().tolist() == small.evaluation().tolist()
    assert large.stream[0] == small.stream[0]
    assert np.array_equal(large.nodes, small.nodes)
    assert np.array_equal(large.edges, small.edges)
    assert large.tally.tolist() == small.tally.tolist()


def test_the_cases_reach_what_they_are_made_for():
    """The trees above do hold ends, caps, chance nodes with both signs of mover, and moves in a row."""
    twins = {}
    for case in CASES:
        for seed in range(3):
            _, twins[case, seed], _, _ = searches(case, seed)
            for _ in range(SIMULATIONS):
                twins[case, seed].simulate()
    assert any(twins["short games", seed].ends > 5 for seed in range(3))
    assert any(twins["depth 2", seed].capped > 5 for seed in range(3))
    in_a_row, in_turn = 0, 0
    for seed in range(3):
        for decision in decisions(twins["movers at random", seed].root):
            for edge in decision.edges.values():
                if getattr(edge.behind, "mover", None) is not None:
                    in_a_row += edge.behind.mover == decision.mover
                    in_turn += edge.behind.mover != decision.mover
    assert in_a_row > 5
    assert in_turn > 5


def test_priors_are_of_legal_actions_only():
    driver, _, network, _ = searches("movers at random", 1)
    driver.begin()
    while driver.round() > 0:
        driver.answer(network)
    for node in driver.nodes:
        first, count = int(node["first"]), int(node["count"])
        if driver.edges[first : first + count]["visits"].sum() > 0:
            assert driver.edges[first : first + count]["prior"].sum() == pytest.approx(1.0)


def test_a_long_chain_of_chance_nodes_is_searched():
    position = Position(Lottery(10_000))
    driver = SearchDriver(AlphaZero(4, noise=None), position, new_stream(1), 0.5, (1 << 15, 8, 1, 8))
    driver.begin()
    while driver.round() > 0:
        driver.answer(PolicyValueNetwork(2))
    edges = driver.edges[:2]
    assert edges["visits"].sum() == 3
    assert edges["total"].tolist() == (10_000 * edges["visits"]).tolist()


@pytest.mark.parametrize("links", [10_001, -1])
def test_a_cycle_of_chance_nodes_is_refused(links):
    position = Position(Lottery(links))
    driver = SearchDriver(AlphaZero(4, noise=None), position, new_stream(1), 1.0, (1 << 15, 8, 1, 8))
    driver.begin()
    assert driver.round() == 1
    driver.answer(PolicyValueNetwork(2))
    with pytest.raises(RuntimeError, match=r"more than 10,000 chance nodes"):
        driver.round()
