"""AlphaZero: what it finds on the board, and how it chooses from what it found."""

import numpy as np
import pytest

from rinforza import games, policies
from rinforza.compiled.random import uniform
from rinforza.contracts.chance_modes import AlwaysResample
from rinforza.contracts.noise import Dirichlet
from rinforza.contracts.rules import TERMINAL
from tests.naive.game_view import Position
from tests.policies.selection import Chooser
from tests.search.driver import SearchDriver, new_stream


def zero_network(n_actions):
    """Equal priors and a value of nothing: all knowledge comes from the rules."""
    return lambda obs: (np.zeros((len(obs), n_actions)), np.zeros(len(obs)))


def visits(position, policy, discount=1.0):
    """The root's visits, action by action."""
    driver = SearchDriver(policy, position, new_stream(1), discount)
    driver.begin()
    while driver.round() > 0:
        driver.answer(zero_network(position.game.num_actions))
    return dict(zip(position.legal(position.turn), driver.evaluation(), strict=True))


def after(game, moves):
    """The position after these moves."""
    position = Position(game)
    for move in moves:
        position.play({position.turn: move})
    return position


def outcome(position, plies):
    """1 if the mover can force a win within some plies, -1 if it cannot escape a loss, else 0."""
    if position.turn == TERMINAL or plies == 0:
        return 0
    best = -1
    for action in position.legal(position.turn):
        best = max(best, outcome_of(position, action, plies))
        if best == 1:
            break
    return best


def outcome_of(position, action, plies):
    """What `outcome` says when the mover plays `action`."""
    child = position.copy()
    mover = position.turn
    paid = child.play({mover: action})[mover]
    return paid if child.turn == TERMINAL else -outcome(child, plies - 1)


# name: (moves, plies to look ahead, simulations)
WINS_AT_ONCE = {
    "a row, first player": ([0, 6, 1, 6, 2, 5], 1, 200),
    "a column, first player": ([3, 0, 3, 0, 3, 1], 1, 200),
    "a row with a gap": ([0, 6, 1, 6, 3, 5], 1, 200),
    "a diagonal, first player": ([0, 1, 1, 2, 2, 3, 2, 3, 3, 6], 1, 200),
    "a column, second player": ([0, 3, 0, 3, 6, 3, 1], 1, 200),
    "a row, second player": ([0, 2, 0, 3, 1, 4, 6], 1, 200),
    "rather than block": ([0, 3, 0, 3, 0, 3], 1, 200),
}
FORCED_WINS = {
    "two open ends, first player": ([2, 2, 3, 3], 3, 800),
    "two open ends, second player": ([0, 2, 0, 3, 6], 3, 800),
}
BLOCKS = {
    "a column, by the second player": ([3, 0, 3, 0, 3], 2, 300),
    "a row, by the second player": ([0, 6, 1, 6, 2], 2, 300),
    "a column, by the first player": ([0, 3, 6, 3, 1, 3], 2, 300),
    "a row, by the first player": ([1, 2, 1, 3, 6, 4], 2, 300),
    "an open pair, before it is too late": ([2, 6, 3], 4, 1500),
}


@pytest.mark.parametrize("name", [*WINS_AT_ONCE, *FORCED_WINS])
def test_wins_at_connect4(name):
    moves, plies, simulations = {**WINS_AT_ONCE, **FORCED_WINS}[name]
    position = after(games.Connect4(), moves)
    winning = {a for a in position.legal(position.turn) if outcome_of(position, a, plies) == 1}
    assert winning, "the position holds no forced win"
    counts = visits(position, policies.AlphaZero(simulations, noise=None))
    assert max(counts, key=counts.get) in winning


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_at_connect4(name):
    moves, plies, simulations = BLOCKS[name]
    position = after(games.Connect4(), moves)
    legal = position.legal(position.turn)
    safe = {a for a in legal if outcome_of(position, a, plies) > -1}
    assert 0 < len(safe) < len(legal), "the position holds no threat that can be met"
    counts = visits(position, policies.AlphaZero(simulations, noise=None))
    assert max(counts, key=counts.get) in safe


def test_noise_does_not_hide_a_win():
    position = after(games.Connect4(), WINS_AT_ONCE["a row, first player"][0])
    counts = visits(position, policies.AlphaZero(400, noise=Dirichlet(0.25, 0.3)))
    assert max(counts, key=counts.get) == 3


def test_perfect_play_ends_tictactoe_in_a_draw():
    position = Position(games.TicTacToe())
    policy = policies.AlphaZero(1200, noise=None)
    while position.turn != TERMINAL:
        counts = visits(position, policy)
        paid = position.play({position.turn: max(counts, key=counts.get)})
    assert paid == [0.0, 0.0]


@pytest.mark.lanes
def test_equal_edges_are_taken_from_the_lowest_id():
    """With equal priors and values every edge is tried once, in ascending order."""
    position = after(games.Connect4(), [])
    policy = policies.AlphaZero(8, noise=None)
    driver = SearchDriver(policy, position, new_stream(1))
    driver.begin()
    order = []
    while driver.round() > 0:
        leaf = driver.nodes[driver.requests()[0]["state"]]
        order.append(int(driver.actions[leaf["edge"]]) if leaf["edge"] >= 0 else None)
        driver.answer(zero_network(7))
    assert order == [None, 0, 1, 2, 3, 4, 5, 6]


@pytest.mark.lanes
@pytest.mark.parametrize("simulations", [2, 3, 50])
def test_root_visits_total_one_less_than_the_simulations(simulations):
    counts = visits(after(games.TicTacToe(), [4]), policies.AlphaZero(simulations, noise=None))
    assert sum(counts.values()) == simulations - 1
    assert sorted(counts) == [0, 1, 2, 3, 5, 6, 7, 8]


@pytest.mark.lanes
@pytest.mark.parametrize("temperature", [0.25, 1.0, 3.0])
def test_temperature_samples_by_the_power_of_the_visits(temperature):
    counts = [0, 12, 40, 3, 40, 0]
    chooser = Chooser(policies.AlphaZero(temperature=temperature, temperature_drop=None), key=3)
    twin = Chooser(policies.AlphaZero(), key=3)
    weights = [(count / 40) ** (1 / temperature) for count in counts]
    for _ in range(200):
        with np.errstate(over="ignore"):
            left = uniform(twin.stream[0]) * sum(weights)
        expected = 0
        while left >= weights[expected] or weights[expected] == 0:
            left -= weights[expected]
            expected += 1
        assert chooser.select(counts) == expected
    assert chooser.drawn == 200
    assert chooser.progress[0] == 200


def test_sampled_shares():
    counts = [0, 10, 30, 60]
    chooser = Chooser(policies.AlphaZero(temperature=0.5, temperature_drop=None))
    found = np.bincount([chooser.select(counts) for _ in range(20_000)], minlength=4) / 20_000
    expected = np.array([0, 100, 900, 3600]) / 4600
    assert found[0] == 0
    assert np.abs(found - expected).max() < 4 * np.sqrt(0.25 / 20_000)


@pytest.mark.lanes
@pytest.mark.parametrize(
    ("temperature", "drop", "greedy"),
    [(1.0, 0, [True] * 6), (1.0, 3, [False] * 3 + [True] * 3), (0.0, None, [True] * 6)],
)
def test_greedy_after_the_drop(temperature, drop, greedy):
    chooser = Chooser(policies.AlphaZero(temperature=temperature, temperature_drop=drop))
    for number, is_greedy in enumerate(greedy):
        before = chooser.drawn
        choice = chooser.select([5, 9, 1, 9])
        assert chooser.drawn == before + (0 if is_greedy else 1)
        assert choice == 1 or not is_greedy
        assert chooser.progress[0] == number + 1


@pytest.mark.lanes
def test_no_drop_and_the_largest_drop_are_one():
    never = policies.AlphaZero(temperature_drop=None)
    assert policies.AlphaZero(temperature_drop=(1 << 32) - 1) == never
    chooser = Chooser(never)
    chooser.progress[0] = 1 << 31
    assert {chooser.select([5, 9, 1]) for _ in range(50)} == {0, 1, 2}


@pytest.mark.lanes
@pytest.mark.parametrize("temperature", [1e-3, 1e-300, 5e-324, 1e300])
def test_extreme_temperatures(temperature):
    chooser = Chooser(policies.AlphaZero(temperature=temperature, temperature_drop=None))
    chosen = {chooser.select([0, 7, 9, 9]) for _ in range(60)}
    assert chosen == ({2, 3} if temperature < 1 else {1, 2, 3})


@pytest.mark.lanes
def test_the_episode_counter_starts_at_the_ply():
    assert Chooser(policies.AlphaZero()).begin_episode() == 0
    assert Chooser(policies.AlphaZero()).begin_episode(5) == 5


def test_claims():
    policy = policies.AlphaZero()
    assert policy.max_agents("sequential") is None
    assert policy.max_agents("simultaneous") is None
    assert not policy.supports_imperfect_information
    assert policy.parameters == {
        "num_simulations": 64,
        "c_puct": 1.5,
        "max_depth": 64,
        "temperature": 1.0,
        "temperature_drop": 8,
        "chance": AlwaysResample(),
        "noise": Dirichlet(0.25, 0.3, "requester"),
        "sequential_backup": "auto",
        # what may be added, all off
        "root": "puct",
        "considered": 16,
        "gumbel_scale": 0.5,
        "fpu_reduction": None,
        "normalise": False,
        "forced_playouts": 0.0,
        "fast_simulations": None,
        "full_share": 0.25,
        "leaves": 1,
        "reuse_tree": False,
        "resign_below": None,
        "play_out_share": 0.1,
    }


def test_noise_without_a_share_is_no_noise():
    assert policies.AlphaZero(noise=Dirichlet(epsilon=0.0)) == policies.AlphaZero(noise=None)


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({"num_simulations": 1}, ValueError, "num_simulations must be >= 2"),
        ({"num_simulations": (1 << 20) + 1}, ValueError, "num_simulations must be <= "),
        ({"num_simulations": -1}, OverflowError, "num_simulations"),
        ({"num_simulations": 8.0}, TypeError, "num_simulations must be an int"),
        ({"num_simulations": "8"}, TypeError, "num_simulations must be an int"),
        ({"c_puct": -0.5}, ValueError, "c_puct must be >= 0"),
        ({"c_puct": float("nan")}, ValueError, "c_puct must be finite"),
        ({"c_puct": "1"}, TypeError, "c_puct must be a float"),
        ({"max_depth": 0}, ValueError, "max_depth must be >= 1"),
        ({"max_depth": -3}, ValueError, "max_depth must be >= 1"),
        ({"max_depth": (1 << 20) + 1}, ValueError, "max_depth must be <= "),
        ({"temperature": -1.0}, ValueError, "temperature must be >= 0"),
        ({"temperature": float("inf")}, ValueError, "temperature must be finite"),
        ({"temperature_drop": 1 << 32}, ValueError, "temperature_drop must be <= "),
        ({"temperature_drop": -1}, OverflowError, "temperature_drop"),
        ({"temperature_drop": 1.5}, TypeError, "temperature_drop must be an int"),
        ({"noise": 0.25}, TypeError, "noise must be a noise.Dirichlet or None"),
        ({"chance": "always"}, TypeError, "chance must be a chance mode or None"),
        ({"sequential_backup": "minimax"}, ValueError, "sequential_backup must be one of"),
        ({"sequential_backup": 1}, TypeError, "sequential_backup must be a str"),
        ({"simulations": 8}, TypeError, "simulations"),
    ],
)
def test_refused_arguments(keywords, error, text):
    with pytest.raises(error, match=text):
        policies.AlphaZero(**keywords)


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({"epsilon": 1.5}, ValueError, "epsilon must be <= 1"),
        ({"epsilon": -0.5}, ValueError, "epsilon must be >= 0"),
        ({"alpha": 0.0}, ValueError, "alpha must be > 0"),
        ({"alpha": float("inf")}, ValueError, "alpha must be finite"),
        ({"scope": "everybody"}, ValueError, "scope must be one of 'requester', 'all'"),
    ],
)
def test_refused_noise(keywords, error, text):
    with pytest.raises(error, match=text):
        Dirichlet(**keywords)


def test_numpy_integers_are_integers():
    plain = policies.AlphaZero(16, max_depth=5, considered=4)
    numpy = policies.AlphaZero(np.int64(16), max_depth=np.int32(5), considered=np.uint8(4))
    assert plain == numpy
    assert plain.record.tobytes() == numpy.record.tobytes()


def test_a_fast_search_is_the_shorter_one():
    with pytest.raises(ValueError, match="fast_simulations must be < num_simulations"):
        policies.AlphaZero(8, fast_simulations=8)
