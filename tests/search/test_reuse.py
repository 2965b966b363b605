"""Searches that go on with the tree of the last one, against twins on objects, over whole games."""

import numpy as np
import pytest

from rinforza import Reward
from rinforza.compiled import plain_python
from rinforza.compiled.random import categorical
from rinforza.contracts.chance_modes import AlwaysResample, Committed, ExpandAll
from rinforza.contracts.noise import Dirichlet
from rinforza.contracts.rules import CHANCE as CHANCE_NODE
from rinforza.contracts.rules import TERMINAL
from rinforza.policies import AlphaZero, Mcts
from rinforza.search.reuse import MOST_SEARCHES
from rinforza.search.tree import CAPPED, DRAWING, NONE, ROOT
from tests.naive.game_view import Position
from tests.naive.simulations import Rounds
from tests.search.driver import SearchDriver, new_stream
from tests.search.test_simulations import requested
from tests.toys.networks import PolicyValueNetwork, QNetwork
from tests.toys.random_tree import RandomTree

SIMULATIONS, SEEDS = (6, 1) if plain_python() else (25, 3)  # plain Python takes its time
CHANCE = {"resample": AlwaysResample(), "committed": Committed(2), "expanded": ExpandAll()}
GAMES = {
    "two in turn": lambda seed: RandomTree(seed, alternating=True, chance_share=0.4),
    "one player": lambda seed: RandomTree(seed, num_players=1, chance_share=0.35),
    "movers at random": lambda seed: RandomTree(seed, chance_share=0.3, most_outcomes=5, longest=12),
    "three players": lambda seed: RandomTree(seed, num_players=3, chance_share=0.3, longest=12),
}
if plain_python():
    del GAMES["two in turn"], GAMES["one player"]
REWARDS = Reward(gain=1.0, bonus=-0.75)
DISCOUNT = 0.9


def next_position(position, action, stream):
    """The position after an action and what chance adds to it."""
    position = position.copy()
    position.play({position.turn: action})
    while position.turn == CHANCE_NODE:
        odds = position.odds()
        with np.errstate(over="ignore"):
            position.resolve(int(categorical(stream[0], odds, len(odds))))
    return position


class Match:
    """A game in which a search and its twin decide side by side; every request is compared.

    Args:
        game, policy, seed: What is played.
        first: What the tables start with.
    """

    def __init__(self, game, policy, seed, first=(64, 512, 8, 256)):
        self.policy = policy
        self.world, self.stream = new_stream(seed + 100), new_stream(seed)
        self.position = Position(game, REWARDS)
        self.driver = SearchDriver(policy, self.position, new_stream(seed), DISCOUNT, first)
        self.rounds = None
        make = PolicyValueNetwork if isinstance(policy, AlphaZero) else QNetwork
        self.network = make(game.num_actions, salt=seed)
        self.driver.begin()

    def decide(self):
        """Search once."""
        self.rounds = Rounds(self.position, self.policy, self.stream[0], DISCOUNT, self.rounds)
        kept = self.rounds.trees[0].root.visits
        assert self.driver.nodes[ROOT]["visits"] == kept
        while True:
            rows = self.driver.round()
            wanted = self.rounds.next()
            assert rows == len(wanted)
            if rows == 0:
                break
            asked = [(where.state.tobytes(), player, actions) for where, player, actions in wanted]
            assert requested(self.driver) == asked
            self.driver.answer(self.network)
            self.rounds.answer(lambda where, player: self.network(where.observe(player)[None]))
            assert self.driver.stream["counter"][0] == self.stream["counter"][0]
        tree = self.rounds.trees[0]
        arms = tree.root.arms[tree.player]
        self.visits = np.array([arms[action].visits for action in sorted(arms)])
        found = self.driver.evaluation().reshape(-1, len(arms))
        assert found[0 if isinstance(self.policy, AlphaZero) else 1].tolist() == self.visits.tolist()
        assert_sound(self.driver)
        return tree.kept is not None, kept

    def play(self, place):
        """Play an action; return whether the game goes on."""
        action = self.position.legal(self.position.turn)[place]
        self.position = next_position(self.position, action, self.world)
        if self.position.turn == TERMINAL:
            return False
        self.driver.go_on(self.position)
        return True


def assert_sound(driver):
    """The tables hold one tree in which every index leads to where it should."""
    nodes, edges = driver.nodes, driver.edges
    owned = np.zeros(len(edges), int)
    for index, node in enumerate(nodes):
        parent = int(node["parent"])
        assert (parent == NONE) == (index == ROOT)
        first, count = int(node["first"]), int(node["count"])
        owned[first : first + count] += 1
        assert (
            driver.actions[first : first + count].tolist() == edges["action"][first : first + count].tolist()
        )
        if node["kind"] < DRAWING:
            assert node["visits"] == edges["visits"][first : first + count].sum()
            assert (node["kind"] == CAPPED) <= (node["depth"] == driver.policy.max_depth)
        if index == ROOT:
            assert node["depth"] == 0
            continue
        assert parent < index
        assert node["depth"] == nodes[parent]["depth"] + (nodes[parent]["kind"] < DRAWING)
        if node["edge"] != NONE:
            assert edges[node["edge"]]["child"] == index
            assert 0 <= node["edge"] - nodes[parent]["first"] < nodes[parent]["count"]
        else:
            chain = [int(nodes[parent]["child"])]
            while nodes[chain[-1]]["sibling"] != NONE:
                chain.append(int(nodes[chain[-1]]["sibling"]))
            assert index in chain
    assert (owned == 1).all()


def play_game(game, policy, seed, first=(64, 512, 8, 256)):
    """Play a game, by visits at times and at random else; return the match and how many trees were kept."""
    match = Match(game, policy, seed, first)
    chooser = np.random.default_rng(seed)
    trees = 0
    while True:
        was_kept, kept = match.decide()
        trees += was_kept
        fresh = policy.num_simulations - isinstance(policy, AlphaZero)
        assert match.visits.sum() == (kept + policy.num_simulations if was_kept else fresh)
        n_actions = len(match.visits)
        place = int(match.visits.argmax()) if chooser.random() < 0.7 else int(chooser.integers(n_actions))
        if not match.play(place):
            return match, trees


@pytest.mark.lanes
@pytest.mark.parametrize("mode", CHANCE)
@pytest.mark.parametrize("name", GAMES)
def test_alphazero_equals_its_twin(name, mode):
    trees = 0
    for seed in range(SEEDS):
        policy = AlphaZero(
            SIMULATIONS, chance=CHANCE[mode], noise=Dirichlet(0.3, 0.5), max_depth=1 + seed, reuse_tree=True
        )
        trees += play_game(GAMES[name](seed), policy, seed)[1]
    assert trees > 0


@pytest.mark.parametrize(
    "options",
    [{"normalise": True}, {"fpu_reduction": 0.4, "forced_playouts": 2.0}, {"sequential_backup": "maxn"}],
    ids=str,
)
def test_options_equal_their_twin(options):
    for seed in range(SEEDS):
        policy = AlphaZero(SIMULATIONS, noise=Dirichlet(0.3, 0.5), reuse_tree=True, **options)
        play_game(GAMES["movers at random"](seed), policy, seed)


@pytest.mark.lanes
@pytest.mark.parametrize("mode", CHANCE)
@pytest.mark.parametrize("name", [name for name in GAMES if name != "three players"])
def test_mcts_equals_its_twin(name, mode):
    for seed in range(SEEDS):
        policy = Mcts(SIMULATIONS, uct_c=0.7, chance=CHANCE[mode], max_depth=2 + seed, reuse_tree=True)
        play_game(GAMES[name](seed), policy, seed)


@pytest.mark.parametrize("name", ["movers at random", "three players"])
@pytest.mark.parametrize("mode", CHANCE)
def test_tables_that_start_tiny_change_nothing(name, mode):
    found = []
    for first in ((64, 512, 8, 256), (1, 1, 1, 1)):
        policy = AlphaZero(9, chance=CHANCE[mode], reuse_tree=True)
        match, _ = play_game(GAMES[name](2), policy, 2, first)
        found.append((match.driver.edges.tobytes(), match.driver.tally.tolist()))
    assert found[0] == found[1]


@pytest.mark.lanes
def test_a_long_game_does_not_fill_the_memory():
    """Where there is no choice a tree would keep all its visits; it is dropped when it has too many."""
    game = RandomTree(2, num_players=1, density=0.0, longest=40 if plain_python() else 120, end_share=0.0)
    policy = AlphaZero(3, reuse_tree=True, max_depth=200)
    match = Match(game, policy, 0)
    visits = []
    while True:
        match.decide()
        visits.append(int(match.visits.sum()))
        assert len(match.driver.nodes) <= visits[-1] + 1
        if not match.play(0):
            break
    assert max(visits) <= (MOST_SEARCHES + 1) * policy.num_simulations
    assert visits.count(policy.num_simulations - 1) >= len(visits) // (2 * MOST_SEARCHES)
