"""Every tree search against its twin on objects, round by round: MaxN, decoupled, UCT, and every chance mode."""

import numpy as np
import pytest

from rinforza import Reward
from rinforza.compiled import plain_python
from rinforza.contracts.chance_modes import AlwaysResample, Committed, ExpandAll
from rinforza.contracts.noise import Dirichlet
from rinforza.contracts.rules import CHANCE as CHANCE_NODE
from rinforza.contracts.rules import TERMINAL
from rinforza.policies import AlphaZero, Mcts
from tests.naive.game_view import Position
from tests.naive.simulations import Rounds
from tests.search.driver import SearchDriver, new_stream
from tests.toys.networks import PolicyValueNetwork, QNetwork
from tests.toys.random_ticks import RandomTicks
from tests.toys.random_tree import RandomTree, TurnedTreeView

pytestmark = pytest.mark.lanes

SIMULATIONS, SEEDS = (8, 1) if plain_python() else (30, 2)  # plain Python takes its time
CHANCE = {"resample": AlwaysResample(), "committed": Committed(3), "expanded": ExpandAll()}
GAMES = {
    "two in turn": lambda seed: RandomTree(seed, alternating=True, chance_share=0.4),
    "one player": lambda seed: RandomTree(seed, num_players=1, chance_share=0.5),
    "movers at random": lambda seed: RandomTree(seed, chance_share=0.3, most_outcomes=5, longest=12),
    "three players": lambda seed: RandomTree(seed, num_players=3, chance_share=0.3, encoder=TurnedTreeView()),
    "no chance": lambda seed: RandomTree(seed, num_players=4),
    "all at once": lambda seed: RandomTicks(seed),
    "three at once": lambda seed: RandomTicks(seed, num_players=3, chance_share=0.2),
    "five at once": lambda seed: RandomTicks(seed, num_players=5, num_actions=2, death_share=0.4),
    "one at once": lambda seed: RandomTicks(seed, num_players=1),
}
REWARDS = Reward(gain=1.0, bonus=-0.75)


def play_both(game, policy, seed, discount=0.9, first=(64, 512, 8, 256)):
    """Run a search and its twin to the end; compare what they ask, round by round, and what they find."""
    position = Position(game, REWARDS)
    driver = SearchDriver(policy, position, new_stream(seed), discount, first)
    stream = new_stream(seed)
    twin = Rounds(position, policy, stream[0], discount)
    make = PolicyValueNetwork if isinstance(policy, AlphaZero) else QNetwork
    network = make(game.num_actions, salt=seed)
    driver.begin()
    while True:
        rows = driver.round()
        wanted = twin.next()
        assert rows == len(wanted)
        if rows == 0:
            break
        assert requested(driver) == [
            (where.state.tobytes(), player, actions) for where, player, actions in wanted
        ]
        driver.answer(network)
        twin.answer(lambda where, player: network(where.observe(player)[None]))
        assert driver.stream["counter"][0] == stream["counter"][0]
    for perspective, tree in enumerate(twin.trees):
        arms = tree.root.arms[tree.player]
        visits = [arms[action].visits for action in sorted(arms)]
        values = [arms[action].total / max(arms[action].visits, 1) for action in sorted(arms)]
        found = driver.evaluation(perspective)
        if isinstance(policy, AlphaZero):
            assert found[: len(arms)].tolist() == visits
        else:
            assert found[len(arms) :].tolist() == visits
            assert found[: len(arms)] == pytest.approx(values, abs=1e-9)
    return driver


def requested(driver):
    """The round's requests as (the state's bytes, player, actions)."""
    size = driver.position.game.state_dtype.itemsize
    states = driver.tables["states"].reshape(-1, driver.rules.state_size)
    found = []
    for request in driver.requests():
        first, count = int(request["first_action"]), int(request["n_actions"])
        actions = driver.actions[first : first + count].tolist()
        found.append((states[request["state"]][:size].tobytes(), int(request["player"]), actions))
    return found


@pytest.mark.parametrize("mode", CHANCE)
@pytest.mark.parametrize("name", GAMES)
def test_alphazero_equals_its_twin(name, mode):
    for seed in range(SEEDS):
        for scope in ("requester", "all"):
            policy = AlphaZero(
                SIMULATIONS, chance=CHANCE[mode], noise=Dirichlet(0.3, 0.5, scope), max_depth=4 + seed
            )
            play_both(GAMES[name](seed), policy, seed)


@pytest.mark.parametrize(
    "options",
    [
        {"fpu_reduction": 0.3},
        {"forced_playouts": 2.0},
        {"normalise": True},
        {"fpu_reduction": 1.0, "normalise": True},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "name", ["two in turn", "one player", "movers at random", "three players", "all at once"]
)
def test_options_equal_their_twin(name, options):
    for seed in range(SEEDS + 1):
        game = GAMES[name](seed)
        policy = AlphaZero(SIMULATIONS, noise=Dirichlet(0.3, 0.5), **options)
        if not (policy.normalise and policy.values_everyone(game)):
            play_both(game, policy, seed)


@pytest.mark.parametrize("mode", CHANCE)
@pytest.mark.parametrize("name", [name for name in GAMES if name not in ("three players", "no chance")])
def test_mcts_equals_its_twin(name, mode):
    for seed in range(SEEDS):
        policy = Mcts(SIMULATIONS, uct_c=0.7, chance=CHANCE[mode], max_depth=4 + seed)
        play_both(GAMES[name](seed), policy, seed)


@pytest.mark.parametrize("name", ["two in turn", "movers at random"])
def test_maxn_can_be_forced(name):
    play_both(GAMES[name](3), AlphaZero(SIMULATIONS, sequential_backup="maxn"), 3)


class ZeroSum:
    """A network whose value for one player is minus its value for the other."""

    def __init__(self, n_actions, seed):
        self.base = PolicyValueNetwork(n_actions, salt=seed)

    def __call__(self, obs):
        row = obs.copy().reshape(len(obs), -1)
        player = row[:, 4] - 1
        row[:, 4] = 0
        logits, values = self.base(row)
        return logits, np.where(player == 0, values, -values)


def test_maxn_of_two_players_is_negamax():
    """With rewards and values that cancel, both ways to back up give the same visits."""
    reward = Reward(gain=0.0, bonus=0.0)
    for seed in range(6):
        found = []
        for backup in ("auto", "maxn"):
            position = Position(RandomTree(seed, alternating=True), reward)
            policy = AlphaZero(60, sequential_backup=backup, noise=None)
            driver = SearchDriver(policy, position, new_stream(seed))
            driver.begin()
            while driver.round() > 0:
                driver.answer(ZeroSum(5, seed))
            found.append(driver.evaluation().tolist())
        assert found[0] == found[1]


@pytest.mark.parametrize("mode", CHANCE)
@pytest.mark.parametrize("name", ["three players", "three at once", "movers at random"])
def test_tables_that_start_tiny_change_nothing(name, mode):
    found = []
    for first in ((64, 512, 8, 256), (1, 1, 1, 1)):
        policy = AlphaZero(SIMULATIONS, chance=CHANCE[mode])
        driver = play_both(GAMES[name](4), policy, 4, first=first)
        found.append((driver.nodes.tobytes(), driver.edges.tobytes(), driver.tally.tolist()))
    assert found[0] == found[1]


def worth(position, player, discount, network):
    """What a position is worth after one decision: chance in full, then the network."""
    if position.turn == TERMINAL:
        return 0.0
    if position.turn != CHANCE_NODE:
        return discount * float(network(position.observe(player)[None])[1][0])
    total = 0.0
    for outcome, odds in enumerate(position.odds()):
        after = position.copy()
        reward = after.resolve(outcome)[player]
        total += odds * (reward + worth(after, player, discount, network))
    return total


def test_expanding_all_chance_gives_exact_values():
    """One decision deep, the first visit of an action finds its exact expectation."""
    for seed in range(8):
        position = Position(RandomTree(seed, num_players=1, chance_share=0.35, most_outcomes=4), REWARDS)
        network = PolicyValueNetwork(5, scale=0.0, salt=seed)
        legal = position.legal(0)
        policy = AlphaZero(1 + len(legal), c_puct=1e6, chance=ExpandAll(), noise=None, max_depth=1)
        driver = SearchDriver(policy, position, new_stream(seed), 0.9)
        driver.begin()
        while driver.round() > 0:
            driver.answer(network)
        edges = driver.edges[: len(legal)]
        assert edges["visits"].tolist() == [1] * len(legal)
        for action, total in zip(legal, edges["total"], strict=True):
            after = position.copy()
            reward = after.play({0: action})[0]
            expected = reward + worth(after, 0, 0.9, network)
            assert total == pytest.approx(expected, abs=1e-12)
