"""Episodes that begin with moves: where they stand, what is refused, and what keeps them."""

import random

import numpy as np
import pytest

import rinforza as rf
from tests.env.games import DiceRace, HighCard, Showdown, play

pytestmark = pytest.mark.lanes

TWO_PAIRS = (0, 3, 1, 4)  # in tic-tac-toe: 2 wins for player 0, 5 for player 1


def test_an_episode_begins_after_the_moves():
    env = rf.Env(rf.games.TicTacToe(), rf.Reward(), moves=TWO_PAIRS)
    played = rf.Env(rf.games.TicTacToe(), rf.Reward())
    for cell in TWO_PAIRS:
        played.step({played.active_agents()[0]: cell})
    assert env.state() == played.state()
    assert env.legal_actions(0) == played.legal_actions(0) == [2, 5, 6, 7, 8]
    assert np.array_equal(env.observe(0), played.observe(0))
    assert env.ticks == 0
    assert env.rewards is None
    assert env.step({0: 2}) == [(0, "win"), (1, "loss")]
    assert env.ticks == 1


def test_every_episode_begins_so():
    env = rf.Env(rf.games.Connect4(), rf.Reward(), seed=2, moves=[3, 3, 2])
    first = env.state()
    generator = random.Random(1)
    for seed in (None, None, 7):
        play(env, generator, 50)
        assert env.done()
        env.reset(seed)
        assert env.state() == first
        assert (env.ticks, env.rewards, env.active_agents()) == (0, None, [1])


def test_simultaneous_moves_are_dicts():
    moves = [{0: 1, 1: 0, 2: 1}, {2: np.int64(2), 0: 2}]
    env = rf.Env(Showdown(), moves=moves)
    assert env.state() == {"standing": [1, 0, 1], "ticks": 2}
    assert env.active_agents() == [0, 2]
    moves[0][1] = 2  # what the caller does with its list later is no matter
    env.reset()
    assert env.state()["standing"] == [1, 0, 1]


def test_chance_in_between_is_drawn():
    env = rf.Env(DiceRace(), seed=3, moves=[1, 1])
    totals = set()
    for _ in range(30):
        totals.add(tuple(env.state()["scores"]))
        env.reset()
    assert len(totals) > 8
    again = rf.Env(DiceRace(), seed=3, moves=[1, 1])
    again.reset(seed=3)
    assert again.snapshot() == rf.Env(DiceRace(), seed=3, moves=[1, 1]).snapshot()


def test_root_chance_comes_first():
    env = rf.Env(HighCard(), seed=1, moves=[1])
    assert env.state()["bets"] == [1, 0]
    assert env.active_agents() == [1]


def test_forks_and_snapshots_keep_the_start():
    env = rf.Env(DiceRace(), rf.Reward(), seed=4, moves=[0, 0])
    play(env, random.Random(2), 3)
    fork, other = env.fork(), rf.Env(DiceRace(), rf.Reward(), seed=9, moves=[0, 0])
    other.restore(env.snapshot())
    assert fork.ticks == other.ticks == env.ticks == 3
    for copied in (env, fork, other):
        copied.reset()
    assert env.snapshot() == fork.snapshot() == other.snapshot()
    assert env.state()["scores"] == [1, 1]


def test_the_configuration_names_the_moves():
    plain = rf.Env(rf.games.TicTacToe())
    env = rf.Env(rf.games.TicTacToe(), moves=np.array([4, 0]))
    assert env.resolved_config() == {**plain.resolved_config(), "moves": [4, 0]}
    joint = rf.Env(Showdown(), moves=[{2: 1, 0: 0, 1: 1}])
    assert joint.resolved_config()["moves"] == [{"0": 0, "1": 1, "2": 1}]
    others = [rf.Env(rf.games.TicTacToe(), moves=moves) for moves in ([0, 4], [4], [4, 0, 1])]
    prints = {other.config_fingerprint() for other in (env, plain, *others)}
    assert len(prints) == 5
    for nothing in (None, [], ()):
        assert rf.Env(rf.games.TicTacToe(), moves=nothing).resolved_config() == plain.resolved_config()
    with pytest.raises(ValueError, match="different composition"):
        plain.restore(env.snapshot())


def uniform(obs):
    """A network that knows nothing."""
    return np.zeros((len(obs), 9)), np.zeros(len(obs))


def test_a_policy_chooses_for_different_starts_at_once():
    policy = rf.policies.AlphaZero(100, temperature=0.0, noise=None)
    starts = [TWO_PAIRS, (*TWO_PAIRS, 8), None]
    envs = [rf.Env(rf.games.TicTacToe(), rf.Reward(), moves=moves) for moves in starts]
    assert policy.choose(envs, uniform, gamma=1.0)[:2] == [2, 5]


# ---- what is refused ----


@pytest.mark.parametrize(
    ("moves", "error", "words"),
    [
        ([0, 3, 3], ValueError, r"moves\[2\]: action 3 is illegal for agent 0; legal actions: 1, 2, 4"),
        ([0, 9], ValueError, r"moves\[1\]: action 9 is illegal for agent 1"),
        ([*TWO_PAIRS, 2], ValueError, r"moves\[4\] ends the game; an episode must begin before that"),
        ([*TWO_PAIRS, 2, 5], ValueError, r"moves\[5\]: the game is already over"),
        ([0, -1], OverflowError, r"moves\[1\] must not be negative"),
        ([0, 1 << 64], OverflowError, r"moves\[1\] must fit in 64 bits"),
        ([0, 1.0], TypeError, r"moves\[1\] must be an int"),
        ([True], TypeError, r"moves\[0\] must be an int"),
        ([{0: 1}], TypeError, r"moves\[0\] must be an int"),
        ("012", TypeError, "moves must be a sequence of moves or None, got str"),
        ({0: 1}, TypeError, "moves must be a sequence of moves or None, got dict"),
        (4, TypeError, "moves must be a sequence of moves or None, got int"),
    ],
)
def test_moves_that_are_refused(moves, error, words):
    with pytest.raises(error, match=words):
        rf.Env(rf.games.TicTacToe(), moves=moves)


@pytest.mark.parametrize(
    ("moves", "error", "words"),
    [
        ([{0: 1, 1: 0}], ValueError, r"moves\[0\]: missing action for active agent 2"),
        (
            [{0: 1, 1: 0, 2: 1}, {0: 0, 1: 0, 2: 0}],
            ValueError,
            r"moves\[1\]: agent 1 is not active this tick",
        ),
        ([{0: 1, 1: 3, 2: 0}], ValueError, r"moves\[0\]: action 3 is illegal for agent 1"),
        ([{0: 1, 3: 0}], ValueError, r"the agent in moves\[0\] must be <= 2"),
        ([{0: -1}], OverflowError, r"the action of agent 0 in moves\[0\] must not be negative"),
        ([{-1: 0}], OverflowError, r"the agent in moves\[0\] must not be negative"),
        ([{0: "1"}], TypeError, r"the action of agent 0 in moves\[0\] must be an int"),
        ([0, 1, 2], TypeError, r"moves\[0\] must be a dict from agent to action, got int"),
    ],
)
def test_simultaneous_moves_that_are_refused(moves, error, words):
    with pytest.raises(error, match=words):
        rf.Env(Showdown(), moves=moves)


def test_a_reset_that_chance_spoils_changes_nothing():
    """Seven rolls win the race now and then: the start then fails."""
    moves = [1] * 7
    env = rf.Env(
        DiceRace(), rf.Reward(), seed=next(filter(lambda seed: begins(seed, moves), range(50))), moves=moves
    )
    for _ in range(200):
        env.step({env.active_agents()[0]: 1})
        before = seen(env)
        try:
            env.reset()
        except ValueError:
            break
    assert seen(env) == before
    with pytest.raises(ValueError, match=r"moves\[\d\](:|) (ends the game|the game is already over)"):
        env.reset()
    assert seen(env) == before
    env.reset(seed=next(filter(lambda seed: begins(seed, moves), range(50))))
    assert env.ticks == 0


def begins(seed, moves):
    """Return whether an episode of this seed can begin with these moves."""
    try:
        rf.Env(DiceRace(), seed=seed, moves=moves)
    except ValueError:
        return False
    return True


def seen(env):
    """Return all that is seen of an environment."""
    legal = [env.legal_actions(agent) for agent in range(2)]
    return env.snapshot(), env.rewards, env.active_agents(), legal, env.done()
