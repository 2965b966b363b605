"""`Policy.choose`: one decision for each environment, the same whatever else is asked for."""

import itertools

import numpy as np
import pytest

import rinforza as rf
from rinforza import policies
from tests.naive.game_view import Position
from tests.naive.self_play import Slot
from tests.toys.last_stand import LastStand
from tests.toys.networks import PolicyValueNetwork, QNetwork, Recorder
from tests.toys.random_tree import RandomTree, TurnedTreeView

REWARD = rf.Reward(bonus=-0.75)
GAME = RandomTree(seed=8, chance_share=0.3, openings=30, encoder=TurnedTreeView(5, 3))
NETWORK = PolicyValueNetwork(5)
VALUES = QNetwork(5, 3)


def environments(count=6, game=GAME, reward=REWARD):
    """Environments at different points of different episodes."""
    made = []
    for seed in itertools.count():
        env = rf.Env(game, reward, seed)
        for _ in range(seed % 4):
            if not env.done():
                player = env.active_agents()[0]
                env.step({player: env.legal_actions(player)[0]})
        if not env.done():
            made.append(env)
        if len(made) == count:
            return made


def twin_choice(policy, env, network, seed, gamma, ply=None):
    """What the naive twin chooses for one environment."""
    position = env.position()
    state = np.frombuffer(position.state, np.uint8)[: env.game.state_dtype.itemsize]
    start = Position(env.game, REWARD, state.view(env.game.state_dtype)[0])
    slot = Slot(env.game, REWARD, policy, gamma, network, seed, position.key)
    head = slot.draw_head()
    ply = env.ticks if ply is None else ply
    return slot.decide(start, start.turn, head, ply).action


POLICIES = {
    "greedy": (policies.AlphaZero(9, temperature=0.0, noise=None), NETWORK),
    "sampling": (policies.AlphaZero(9, temperature=0.7, temperature_drop=None), NETWORK),
    "sampling at first": (policies.AlphaZero(9, temperature=1.0, temperature_drop=2), NETWORK),
    "values": (policies.EpsilonGreedyQ(n_heads=3, epsilon=0.0), VALUES),
    "values at random": (policies.EpsilonGreedyQ(n_heads=3, epsilon=0.6), VALUES),
}


@pytest.mark.lanes
@pytest.mark.parametrize("name", POLICIES)
def test_choices_are_those_of_the_twin(name):
    policy, network = POLICIES[name]
    envs = environments()
    for seed, gamma in ((0, 1.0), (3, 0.5)):
        expected = [twin_choice(policy, env, network, seed, gamma) for env in envs]
        assert policy.choose(envs, network, seed, gamma=gamma) == expected


@pytest.mark.lanes
@pytest.mark.parametrize("name", POLICIES)
def test_company_does_not_matter(name):
    policy, network = POLICIES[name]
    envs = environments()
    alone = [policy.choose([env], network, 4, gamma=1.0)[0] for env in envs]
    assert policy.choose(envs, network, 4, gamma=1.0) == alone
    assert policy.choose(envs[::-1], network, 4, gamma=1.0) == alone[::-1]
    assert policy.choose(envs + envs, network, 4, gamma=1.0) == alone + alone


@pytest.mark.parametrize("name", POLICIES)
def test_nothing_is_played_and_nothing_is_kept(name):
    policy, network = POLICIES[name]
    envs = environments()
    before = [env.snapshot() for env in envs]
    first = policy.choose(envs, network, gamma=0.9)
    assert policy.choose(envs, network, gamma=0.9) == first
    assert [env.snapshot() for env in envs] == before
    for env, action in zip(envs, first, strict=True):
        assert type(action) is int
        assert action in env.legal_actions(env.active_agents()[0])


@pytest.mark.parametrize("name", ["sampling", "values", "values at random"])
def test_the_seed_matters(name):
    policy, network = POLICIES[name]
    envs = environments(30)
    choices = {tuple(policy.choose(envs, network, seed, gamma=1.0)) for seed in range(4)}
    assert len(choices) == 4


@pytest.mark.lanes
def test_plies_drive_the_temperature():
    policy, network = POLICIES["sampling at first"]
    greedy, _ = POLICIES["greedy"]
    envs = environments(12)
    for plies in ([0] * 12, [1, 2] * 6, [7] * 12):
        expected = [
            twin_choice(policy, env, network, 0, 1.0, ply) for env, ply in zip(envs, plies, strict=True)
        ]
        assert policy.choose(envs, network, plies=plies, gamma=1.0) == expected
    late = policies.AlphaZero(9, temperature=1.0, temperature_drop=0, noise=None)
    assert late.choose(envs, network, gamma=1.0) == greedy.choose(envs, network, gamma=1.0)


def test_all_environments_share_the_calls():
    policy, network = POLICIES["greedy"]
    recorder = Recorder(network)
    policy.choose(environments(6), recorder, gamma=1.0)
    assert len(recorder.calls) <= policy.num_simulations
    assert max(len(call) for call in recorder.calls) == 6


def test_gamma_is_the_searchs_discount():
    """One step to a small reward or two to a large one: the discount decides."""

    class TwoWays(RandomTree):
        """Action 0 pays 1/8 and ends; action 1 leads to a forced move that pays 1 and ends."""

        def initial(self, state):
            state.turn = 0

        def legal_actions(self, state, player, out):
            out[0] = 0
            out[1] = 1
            return 2 if state.ply == 0 else 1

        def step(self, state, actions, events):
            state.ply += 1
            if state.ply == 1 and actions[0] == 1:
                return
            state.turn = -3
            events[0, 0] += 0.125 if state.ply == 1 else 1.0

    env = rf.Env(TwoWays(num_players=1), rf.Reward())
    policy = policies.AlphaZero(40, temperature=0.0, noise=None)
    network = PolicyValueNetwork(5, scale=0.0, value_scale=0.0)
    assert policy.choose([env], network, gamma=1.0) == [1]
    assert policy.choose([env], network, gamma=0.0) == [0]


def finished():
    """An environment whose episode is over."""
    env = rf.Env(rf.games.TicTacToe(), rf.Reward())
    for cell in (0, 3, 1, 4, 2):
        env.step({env.active_agents()[0]: cell})
    return env


def board(reward=rf.Reward()):  # noqa: B008 - a reward is a value
    """A new game of tic-tac-toe."""
    return rf.Env(rf.games.TicTacToe(), reward)


REFUSALS = {
    "no environment": (lambda: [], {}, ValueError, "at least one environment"),
    "no environments": (lambda: [3], {}, TypeError, "list of Env"),
    "finished": (lambda: [board(), finished()], {}, ValueError, "choose on a finished env"),
    "without a reward": (lambda: [board(None)], {}, ValueError, "choose needs terminal values"),
    "two games": (
        lambda: [board(), rf.Env(rf.games.Connect4(), rf.Reward())],
        {},
        ValueError,
        "envs must share one composition",
    ),
    "two rewards": (
        lambda: [board(), board(rf.Reward(win=2.0))],
        {},
        ValueError,
        "envs must share one composition",
    ),
    "simultaneous": (
        lambda: [rf.Env(LastStand([2, 2]), rf.Reward())],
        {},
        ValueError,
        "choose supports sequential games",
    ),
    "a list of callables": (lambda: [board()], {"infer": [NETWORK, NETWORK]}, ValueError, "single"),
    "nothing to call": (lambda: [board()], {"infer": None}, ValueError, "single"),
    "too many plies": (lambda: [board()], {"plies": [0, 1]}, ValueError, "plies"),
    "a negative ply": (lambda: [board()], {"plies": [-1]}, OverflowError, "ply"),
    "a ply too large": (lambda: [board()], {"plies": [(1 << 32) - 1]}, ValueError, "ply"),
    "gamma above one": (lambda: [board()], {"gamma": 1.5}, ValueError, "gamma"),
    "gamma below zero": (lambda: [board()], {"gamma": -0.5}, ValueError, "gamma"),
    "a negative seed": (lambda: [board()], {"seed": -1}, OverflowError, "seed"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name):
    make, options, error, text = REFUSALS[name]
    options = {"infer": PolicyValueNetwork(9), "gamma": 1.0, **options}
    with pytest.raises(error, match=text):
        policies.AlphaZero(4).choose(make(), **options)


def test_gamma_must_be_named():
    with pytest.raises(TypeError, match="gamma"):
        policies.AlphaZero(4).choose([board()], PolicyValueNetwork(9))


def test_answers_are_checked_as_in_a_collect():
    policy = policies.AlphaZero(4)
    with pytest.raises(TypeError, match="AlphaZero infer must return"):
        policy.choose([board()], lambda obs: [np.zeros((1, 9)), np.zeros(1)], gamma=1.0)
    with pytest.raises(ValueError, match="finite"):
        policy.choose([board()], lambda obs: (np.full((1, 9), np.nan), np.zeros(1)), gamma=1.0)


class Pick(policies.OneShot):
    """Plays position 1 when its number is above a half, else position 0; 1 and 1.0 are equal parameters."""

    name = "pick"
    supports_imperfect_information = True

    def __init__(self, share):
        super().__init__({"share": share})

    def max_agents(self, dynamics):
        return None

    @property
    def output(self):
        return rf.QValues(1)

    def select(self, evaluation, n_actions, progress, stream):
        return 1 if self.share > 0.5 else 0


@pytest.mark.parametrize("shares", [(1.0, 1), (2, 2.0)])
def test_equal_policies_of_other_types_are_told_apart(shares):
    env = rf.Env(rf.games.TicTacToe(), rf.Reward())
    for share in shares:
        assert Pick(share).choose([env], lambda obs: np.zeros((len(obs), 1, 9)), gamma=1.0) == [1]


def test_what_is_no_list():
    env, network = rf.Env(rf.games.TicTacToe(), rf.Reward()), PolicyValueNetwork(9)
    policy = policies.AlphaZero(4)
    with pytest.raises(TypeError, match=r"takes a list of Env, got Env; pass \[env\]"):
        policy.choose(env, network, gamma=1.0)
    with pytest.raises(TypeError, match="plies must be a list of ints or None, got int"):
        policy.choose([env], network, plies=3, gamma=1.0)
